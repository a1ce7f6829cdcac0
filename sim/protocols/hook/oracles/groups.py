"""Group talk: whom it reaches, and where it must not be found (§5 stage 14)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import msgspec

from sim.channel.api import PersonSaid, is_direct
from sim.core.event import CallIssued, Event, FrameDelivered, FrameSent, Noted, Saved
from sim.core.invariant import Handler
from sim.protocols.hook.desktop.group_window import GroupRow, named_in
from sim.protocols.hook.desktop.ties import BindingRow
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant
from sim.protocols.hook.server.stored import RequestRow
from sim.protocols.hook.view import HookView
from sim.wire.absent import ABSENT

LIMIT = 4_000
KEPT = 5 * SECOND_US


class OfGroupTalk(HookInvariant):
    """Looks at each group.message that a server sends."""

    obeyed_by = "server"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "group.message"): self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        body = self.view.said
        if body is None:
            return None
        self.exercised += 1
        return self.judge(body, event)

    def judge(self, body: Any, event: FrameSent) -> str | None:
        """What is wrong with this copy."""
        raise NotImplementedError


class GroupTalkGoesToMembers(OfGroupTalk):
    name = "group-talk-goes-to-members"
    sentence = (
        "Each copy names the binding and principal that its desktop holds at that moment, of "
        "somebody who has spoken in the group."
    )
    catalogue = ("HK-160", "HK-161", "HK-162")

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._spoke: dict[str, dict[str, None]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {**super().sorted_handlers(), (CallIssued, PersonSaid): self._heard}

    def _heard(self, event: CallIssued) -> str | None:
        said = event.request
        if not is_direct(said.chat):
            known = self._spoke.setdefault(said.chat, {})
            known[said.person] = known[said.user] = None
        return None

    def judge(self, body: Any, event: FrameSent) -> str | None:
        link, to = self.view.links.get(event.link), body.recipient
        if link is None:
            return None
        if to is ABSENT:
            return f"{event.sender} forwards group talk to {link.client}, for nobody"
        if to.principal_id not in self._spoke.get(body.chat_id, {}):
            return (
                f"{event.sender} forwards talk of {body.chat_id} to {to.principal_id}, a stranger"
            )
        binding = self.view.accounts.neutral.get(to.binding_id)
        if binding is None:
            now = self.view.accounts.neutral_of(link.lane, link.device)
            if now is None:
                return None  # bound by the plan
            return f"{event.sender} names {to.binding_id}, but {link.client} is {now.row.binding}"
        row = binding.row
        if not binding.is_confirmed:
            return f"{event.sender} forwards group talk for {to.binding_id}, which is {row.state}"
        if (row.device, row.principal) == (link.device, to.principal_id):
            return None
        return f"{event.sender} sends {to.binding_id}'s group talk to {link.client}"


class GroupTalkWaitsForNobody(OfGroupTalk):
    name = "group-talk-waits-for-nobody"
    sentence = "Group talk is forwarded when it is said, or never: nothing waits for a desktop."
    catalogue = ("HK-158",)

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._said: dict[tuple[str, str], dict[int, None]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {**super().sorted_handlers(), (CallIssued, PersonSaid): self._heard}

    def _heard(self, event: CallIssued) -> str | None:
        said = event.request
        if not is_direct(said.chat):
            self._said.setdefault((said.chat, said.message), {})[event.n] = None
        return None

    def judge(self, body: Any, event: FrameSent) -> str | None:
        link = self.view.links.get(event.link)
        said = self._said.get((body.chat_id, body.message_id), {})
        if link is None or event.cause in said:
            return None
        return f"{link.client} gets what was said in {body.chat_id} when it was said no more"


LINK = re.compile(r"[?&](start|startgroup)=[\w-]{16}", re.ASCII | re.IGNORECASE)


class GroupTalkIsFit(OfGroupTalk):
    name = "group-talk-is-fit"
    sentence = "Forwarded talk is at most 4,000 characters, and shows no binding link's token."
    from_frames = True
    catalogue = ("HK-167", "HK-168")

    def judge(self, body: Any, event: FrameSent) -> str | None:
        if len(body.text) > LIMIT:
            return f"{event.sender} forwards {len(body.text)} characters"
        words = body.text.split()
        for command, word in pairwise(words):
            if command.startswith("/start") and len(word) >= 16:
                return f"{event.sender} forwards a binding link's token"
        if LINK.search(body.text):
            return f"{event.sender} forwards a binding link"
        return None


class GroupTalkIsNotKept(HookInvariant):
    """What was not said to the bot is in group.message frames and nowhere else."""

    name = "group-talk-is-not-kept"
    sentence = (
        "What people say to each other in a group is stored by no server, and told to nobody."
    )
    catalogue = ("HK-159", "HK-164")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._texts: dict[str, None] = {}
        self._spoken: dict[str, None] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {Saved: self._saved, Noted: self._noted}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(CallIssued, PersonSaid): self._heard, (FrameSent, "task.dispatch"): self._sent}

    def _heard(self, event: CallIssued) -> str | None:
        said = event.request
        if said.to_bot or is_direct(said.chat):
            self._spoken[said.text] = None
        elif len(said.text) > 8 and not said.text.startswith("/"):
            self._texts[said.text] = None
        return None

    def _saved(self, event: Saved) -> str | None:
        if not self._texts or event.host not in self.view.writers:
            return None
        if type(event.value) is RequestRow and event.value.prompt in self._texts:
            # In a group that needs no mention, talk is a task.
            self._texts.pop(event.value.prompt)
            self._spoken[event.value.prompt] = None
            return None
        return self._found(msgspec.json.encode(event.value).decode(), event.host, event.key)

    def _noted(self, event: Noted) -> str | None:
        if not self._texts or event.host not in self.view.writers:
            return None
        return self._found(str(event.data), event.host, event.what)

    def _sent(self, event: FrameSent) -> str | None:
        if not self._texts or self.view.said is None:
            return None
        self.exercised += 1
        if self.view.said.prompt in self._texts:
            return None
        return self._found(self.view.said.prompt, event.sender, "a prompt")

    def _found(self, where: str, host: str, what: str) -> str | None:
        for text in self._texts:
            if text in where and text not in self._spoken:
                return f"{host} keeps {text!r}, which was said in a group, in {what}"
        return None


class GroupKeysNameTheAccount(HookInvariant):
    name = "group-keys-name-the-account"
    sentence = "A group's task has a session of its own account: its key names the principal."
    catalogue = ("HK-08", "HK-163")
    obeyed_by = "server"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "task.dispatch"): self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        request = self.view.requests.get(self.request)
        row = None if request is None else request.stored
        if row is None or row.lane != "telegram" or is_direct(row.chat):
            return None
        self.exercised += 1
        named = named_in(row.key)
        mine = [b.row for b in self.view.accounts.neutral.values() if b.row.person == row.person]
        if named is not None and (not mine or any(r.principal == named[0] for r in mine)):
            return None
        return f"{event.sender} dispatches {row.request} under {row.key}, for {row.person}"


class WindowTakesItsOwn(HookInvariant):
    name = "window-takes-its-own"
    sentence = (
        "Group talk enters the window only if it is for the binding that is confirmed, and a "
        "group's task is taken only from that account's session."
    )
    catalogue = ("HK-163",)
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._talk: dict[int, Any] = {}
        self._bound: dict[str, dict[tuple[str, str], None]] = {}
        self._now: dict[str, BindingRow] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "group.message"): self._heard,
            (Saved, BindingRow): self._binds,
            (Saved, GroupRow): self._kept,
            (FrameSent, "task.ack"): self._acked,
        }

    def _heard(self, event: FrameDelivered) -> str | None:
        if self.view.arrived is not None:
            self._talk[event.n] = self.view.arrived
        return None

    def _binds(self, event: Saved) -> str | None:
        if event.key.endswith("/telegram"):
            self._now[event.host] = event.value
        return None

    def _kept(self, event: Saved) -> str | None:
        body, bound = self._talk.get(event.cause), self._now.get(event.host)
        if body is None or bound is None:
            return None
        self.exercised += 1
        to = body.recipient
        if to is not ABSENT and (to.binding_id, to.principal_id) == (
            bound.binding,
            bound.principal,
        ):
            return None
        return f"{event.host} is bound as {bound.binding} and keeps talk for {to}"

    def _acked(self, event: FrameSent) -> str | None:
        bound = self._now.get(event.sender)
        if bound is None or self.view.said.result == "rejected":
            return None
        turn = self.view.desktops.of(event.sender).turns.get(self.request)
        named = None if turn is None or turn.ack_n != event.n else named_in(turn.key)
        if named is None or turn is None or turn.row is not None or named[0] == bound.principal:
            return None
        return f"{event.sender} takes a group task of {named[0]}, bound as {bound.principal}"


class ContextIsToldOnce(HookInvariant):
    """The lines that a prompt gets from the group."""

    name = "context-is-told-once"
    sentence = "A prompt gets each line of a group once, and not the line that asks."
    catalogue = ("HK-164", "HK-165", "HK-166")
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._trigger: dict[str, str] = {}
        self._lines: dict[tuple[str, str], dict[str, str]] = {}
        self._told: dict[tuple[str, str, str], None] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "task.dispatch"): self._asked,
            (Saved, GroupRow): self._kept,
            (Noted, "context"): self._given,
        }

    def _asked(self, event: FrameDelivered) -> str | None:
        body = self.view.arrived
        source = None if body is None else body.source
        trigger = getattr(source, "trigger_message_id", None)
        if isinstance(trigger, str):
            self._trigger[body.request_id] = trigger
        return None

    def _kept(self, event: Saved) -> str | None:
        row = event.value
        lines = self._lines.setdefault((event.host, row.chat), {})
        lines[row.line] = "" if row.line in lines else row.message  # "": said twice
        return None

    def _given(self, event: Noted) -> str | None:
        data = event.data
        self.exercised += 1
        lines = self._lines.get((event.host, data["chat"]), {})
        trigger = self._trigger.get(data["request"])
        turn = self.view.desktops.of(event.host).turns.get(data["request"])
        principal = named_in(turn.key) if turn is not None else None
        account = f"{event.host}/{principal[0] if principal else ''}"
        for line in data["lines"]:
            message = lines.get(line, "")
            if message and message == trigger:
                return f"{event.host} puts the question {line!r} into its own context"
            place = (account, f"{data['chat']}/{principal[1][1] if principal else ''}", message)
            if message and place in self._told:
                return f"{event.host} tells the agent {line!r} again"
            if message:
                self._told[place] = None
        return None
