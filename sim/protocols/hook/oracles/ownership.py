"""Who may write a channel message, judged when the write is issued (§5 stage 18).

The owner follows from frames: the request itself, or the newest round that
reopened it. These oracles do not ask in whose name a write is made, they
compare what it shows with what the owner has said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.channel.api import INTERRUPTED, Done, EditMessage
from sim.core.event import CallAnswered, CallApplied, CallIssued, Event
from sim.core.invariant import Handler
from sim.core.op import NO_ANSWER
from sim.protocols.hook.machine import ENDED, OPEN
from sim.protocols.hook.oracles.oracle import HookInvariant, known_end, known_owner, shown
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
        self._shown: dict[str, RoundView | None] = {}

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
        if edit.state == INTERRUPTED and newest is not None and newest is not owner:
            return self._over_a_round(newest, edit)
        if owner is not None and owner.state in (OPEN, ENDED):
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
