"""Who may write a channel message, judged when the write is issued (§5 stage 18).

The owner follows from frames: the request itself, or the newest round that
reopened it. These oracles do not ask in whose name a write is made, they
compare what it shows with what the owner has said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.channel.api import INTERRUPTED, QUEUED, WORKING, Done, EditMessage, PostMessage
from sim.core.event import CallAnswered, CallApplied, CallIssued, Event
from sim.core.invariant import Handler
from sim.core.op import NO_ANSWER
from sim.protocols.hook.machine import ENDED, OPEN, TORN, UNENDED
from sim.protocols.hook.oracles.oracle import (
    CHIPS,
    FINALS,
    HookInvariant,
    cut_of,
    final_of,
    known_end,
    known_owner,
    shown,
)
from sim.protocols.hook.server.texts import CANCELLED_TEXT, CONTINUING_TEXT, WORKING_TEXT
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_records import RequestView, RoundView


class CloseOutRespectsOwner(HookInvariant):
    """The classic race: a late "interrupted" over a newer round, or over an answer.

    Judged twice: when the write is issued, and when it lands. A write that was
    rightly issued may land late only if the server gave up waiting for it, or died.
    """

    name = "close-out-respects-owner"
    sentence = (
        "A close-out is written only while the torn round still owns the message; it never "
        "covers a newer round's progress or an answer that has arrived."
    )
    catalogue = ("HK-186", "HK-187")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        # by call: whose message it was when the edit was issued, and in which life
        self._issued: dict[int, tuple[RoundView | None, int]] = {}
        # by message: the newest owner of which anything has been shown
        self._shown: dict[str, RoundView] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(CallIssued, EditMessage): self._edit, (CallApplied, EditMessage): self._applied}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {CallAnswered: self._answered}

    def _edit(self, event: CallIssued) -> str | None:
        edit = event.request
        root = self.subject_of(event)
        if root is None or (root.owner is None and edit.state != INTERRUPTED):
            return None
        owner = known_owner(root)
        self._issued[event.n] = (owner, self._life(event.caller))
        if edit.state != INTERRUPTED:
            return None
        if owner is None:
            return self._over_the_request(root, edit)
        self.exercised += 1
        return self._over_a_round(owner, edit)

    def _life(self, server: str) -> int:
        host = self.view.hosts.get(server)
        return 0 if host is None else host.epoch

    def _answered(self, event: CallAnswered) -> str | None:
        if event.reply is NO_ANSWER:
            self._issued.pop(event.call, None)
        return None

    def _applied(self, event: CallApplied) -> str | None:
        owner, life = self._issued.pop(event.call, (None, -1))
        edit = event.request
        root = self.subject_of(event)
        if root is None or type(event.reply) is not Done or life != self._life(event.caller):
            return None
        newest = self._shown.get(root.request)
        since = -1 if owner is None else owner.n
        if edit.state == INTERRUPTED and newest is not None and newest.n > since:
            return self._over_a_round(newest, edit)
        if owner is not None and (newest is None or newest.n < since):
            self._shown[root.request] = owner
        return None

    def _over_the_request(self, root: RequestView, edit: EditMessage) -> str | None:
        if not known_end(root):
            return None
        return (
            f"{_writer(edit)} writes INTERRUPTED over the {root.ended!r} end of "
            f"request {root.request}, in message {edit.message}"
        )

    def _over_a_round(self, owner: RoundView, edit: EditMessage) -> str | None:
        if owner.state == OPEN:
            return (
                f"{_writer(edit)} overwrites the newer reopen {owner.request}, which owns message "
                f"{edit.message} since step {owner.n} and is still running on {owner.link}"
            )
        if owner.state == ENDED:
            return (
                f"{_writer(edit)} overwrites the answer of {owner.request} in message "
                f"{edit.message}: {owner.ended} {shown(owner.final)}, there since step "
                f"{owner.ended_at}"
            )
        return None


def _writer(edit: EditMessage) -> str:
    return f"A late {edit.by}" if edit.by.startswith("close-out") else f"{edit.by or 'somebody'}"


class WritesOfRequests(HookInvariant):
    """Looks at each post and edit of a request's message when it is issued."""

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(CallIssued, EditMessage): self._edit, (CallIssued, PostMessage): self._post}

    def _edit(self, event: CallIssued) -> str | None:
        root = self.subject_of(event)
        return None if root is None else self.write(root, event.request, event)

    def _post(self, event: CallIssued) -> str | None:
        root = self.view.requests.get(event.request.about)
        return None if root is None else self.write(root, event.request, event)

    def write(self, root: RequestView, look: Any, event: CallIssued) -> str | None:
        """Judge a look of the message of ``root``."""
        raise NotImplementedError


class WorkingTextIsTheOwners(WritesOfRequests):
    """Progress comes from the owner, whole, and never goes backwards."""

    name = "working-text-is-the-owners"
    sentence = (
        "A message at work shows a whole snapshot of the request or round that owns it, never "
        "somebody else's, and never one that is older than what it showed before."
    )
    catalogue = ("HK-15", "HK-42", "HK-170", "HK-178", "HK-179", "HK-183")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        # by request or round: when the newest of its snapshots that was written was heard
        self._newest: dict[str, int] = {}

    def write(self, root: RequestView, look: Any, event: CallIssued) -> str | None:
        if look.state != WORKING or look.text in (WORKING_TEXT, CONTINUING_TEXT):
            return None
        self.exercised += 1
        for owner in (known_owner(root) or root, root.owner or root):
            heard = _heard(owner.texts, look.text)
            if heard >= 0:
                return self._in_order(owner, heard, look.text)
        owner = root.owner or root
        return (
            f"the message of {root.request} shows {shown(look.text)} at step {event.n}, which "
            f"its owner {owner.request} never said"
        )

    def _in_order(self, owner: RequestView | RoundView, heard: int, text: str) -> str | None:
        if heard < self._newest.get(owner.request, -1):
            return f"{owner.request} goes back to {shown(text)}, heard at step {heard}"
        self._newest[owner.request] = heard
        return None


def _heard(texts: Mapping[str, int], text: str) -> int:
    """When this snapshot, possibly cut for the channel, was heard; -1: never."""
    heard = texts.get(text, -1)
    if heard >= 0 or not text.endswith("…"):
        return heard
    head = text[:-1]
    return max((n for whole, n in texts.items() if whole.startswith(head)), default=-1)


class FinalsAreTheOwnersEnd(WritesOfRequests):
    """OK, FAILED and CANCELLED come from the end that counted."""

    name = "finals-are-the-owners-end"
    sentence = (
        "A final state that is written is the status and text of the end that finished the "
        "message: the owner's, and of no id that is torn, superseded, foreign or silenced."
    )
    catalogue = ("HK-15", "HK-69", "HK-171", "HK-173", "HK-178", "HK-183", "HK-185", "HK-187")
    obeyed_by = "server"

    def write(self, root: RequestView, look: Any, event: CallIssued) -> str | None:
        if look.state not in FINALS:
            return None
        self.exercised += 1
        owner = known_owner(root) or root
        newest = root.owner or root
        if _shows(owner, look) or _shows(newest, look):
            return None
        if isinstance(newest, RoundView) and newest.state == TORN and self._restores(root, look):
            return None
        if owner is root and root.late is not None:
            # No reopen was taken (its message was gone), so the end came in time.
            status, text = root.late
            if CHIPS[status] == look.state and cut_of(look.text, text or CANCELLED_TEXT):
                return None
        return (
            f"the message of {root.request} becomes {look.state} {shown(look.text)}, but its "
            f"owner {newest.request} has {_end_told(newest)}"
        )

    def _restores(self, root: RequestView, look: Any) -> bool:
        """A close-out may write an old final back."""
        return _shows(root, look) or any(_shows(over, look) for over in root.rounds)


def _shows(owner: RequestView | RoundView, look: Any) -> bool:
    final = final_of(owner)
    return final is not None and final[0] == look.state and cut_of(look.text, final[1])


def _end_told(owner: RequestView | RoundView) -> str:
    final = final_of(owner)
    return "not ended" if final is None else f"ended {final[0]} {shown(final[1])}"


class FinishedStaysFinished(WritesOfRequests):
    """Nothing brings a finished message back to work but a reopen."""

    name = "finished-stays-finished"
    sentence = (
        "A message whose request or round has ended, or was closed out, does not go back to "
        "WORKING or QUEUED unless it is reopened."
    )
    catalogue = ("HK-06", "HK-69", "HK-171", "HK-181", "HK-185", "HK-199")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        # requests and rounds whose end, or close-out, was written: when they had ended
        self._finished: dict[str, int] = {}

    def write(self, root: RequestView, look: Any, event: CallIssued) -> str | None:
        owner = known_owner(root)
        name = (owner or root).request
        row = (owner or root).stored
        # What was INTERRUPTED may be revived, and end again: that is another end.
        ended_us = 0 if row is None else row.ended_us
        if look.state not in (WORKING, QUEUED):
            self._finished[name] = ended_us
            return None
        self.exercised += 1
        if owner is None:
            over = root.owner is None and row is not None and row.state not in UNENDED
        else:
            over = row is not None and row.state in (ENDED, TORN) and root.owner is owner
        if not over or self._finished.get(name) != ended_us:
            return None
        return (
            f"the message of {root.request} goes back to {look.state} {shown(look.text)}, though "
            f"{name} is over"
        )


class StoredBeforeShown(WritesOfRequests):
    """What is shown survives a crash of the server."""

    name = "stored-before-shown"
    sentence = (
        "A reopen and an end are stored before the channel shows them, so that a crash leaves "
        "nobody with a message that the server knows nothing of."
    )
    catalogue = ("HK-69", "HK-184")
    obeyed_by = "server"

    def write(self, root: RequestView, look: Any, event: CallIssued) -> str | None:
        owner = root.owner
        if owner is None:
            if look.state in FINALS and root.ended and not known_end(root):
                return f"the end of {root.request} is shown before it is stored"
            return None
        self.exercised += 1
        if owner.stored is None:
            mine = look.text == CONTINUING_TEXT or look.text in owner.texts
            if look.state == WORKING and mine and known_owner(root) is None:
                return f"round {owner.request} is shown before it is stored"
        elif look.state in FINALS and owner.stored.state == OPEN and owner.ended:
            return f"the end of round {owner.request} is shown before it is stored"
        return None


class OneMessagePerRequest(WritesOfRequests):
    """A request has one message; its rounds use the same one."""

    name = "one-message-per-request"
    sentence = (
        "A request is posted once. It is posted anew only to save an answer whose message is "
        "gone or was never confirmed, and never for a continuation."
    )
    catalogue = ("HK-69", "HK-177", "HK-178", "HK-180")
    obeyed_by = "server"

    def write(self, root: RequestView, look: Any, event: CallIssued) -> str | None:
        if type(look) is not PostMessage:
            return None
        self.exercised += 1
        before = root.care.posts - 1
        if before == 0 or self._is_an_answer(root, look):
            return None
        message = self.view.history.about(root.request)
        gone = root.care.gone or (message is not None and message.deleted)
        lost = root.care.unsure or (gone and (known_owner(root) is None or root.care.refused))
        lost = lost or root.stored is None or not root.stored.message
        if before == 1 and lost and look.state not in (WORKING, QUEUED):
            return None
        return f"{root.request} is posted again, {look.state} {shown(look.text)}: post {before + 1}"

    def _is_an_answer(self, root: RequestView, look: Any) -> bool:
        """On Telegram an answer is a message of its own; ``channels`` counts those."""
        telegram = root.lane == "telegram" and look.state in FINALS
        return telegram and known_owner(root) is None
