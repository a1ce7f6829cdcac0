"""``turn.reopen``: what a desktop may do with it, and what a server makes of it (stage 18)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sim.channel.api import EditMessage, PostMessage
from sim.core.event import CallIssued, Event, FrameDelivered, FrameSent, Saved
from sim.core.invariant import Handler
from sim.protocols.hook.machine import TORN
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant
from sim.protocols.hook.server.stored import RoundRow
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_desktops import TurnAtDesktop
from sim.protocols.hook.view_rounds import TURN_REOPEN

DAY_US = 24 * 60 * 60 * SECOND_US
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


class SentReopen(HookInvariant):
    """Looks at each reopen when a desktop writes it."""

    obeyed_by = "desktop"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "turn.reopen"): self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        turn = self.view.turn
        if turn is None:
            return None
        self.exercised += 1
        return self.judge(turn, event)

    def judge(self, turn: TurnAtDesktop, event: FrameSent) -> str | None:
        """What is wrong with this reopen."""
        raise NotImplementedError

    def continued(self, turn: TurnAtDesktop, event: FrameSent) -> TurnAtDesktop | None:
        """The task or round that it continues, as its desktop knows it."""
        return self.view.desktops.of(event.sender).turns.get(turn.of)


class ReopenNeedsFeature(SentReopen):
    name = "reopen-needs-feature"
    sentence = "A desktop sends turn.reopen only to a server whose welcome listed turn-reopen-v1."
    from_frames = True
    catalogue = ("HK-189",)

    def judge(self, turn: TurnAtDesktop, event: FrameSent) -> str | None:
        link = self.view.links.get(event.link)
        if link is None or TURN_REOPEN in link.told_features:
            return None
        return (
            f"{event.sender} reopens {turn.of}, but the welcome on {event.link} lacks the feature"
        )


class OnlyARetryContinues(SentReopen):
    name = "only-a-retry-continues"
    sentence = (
        "Only a press on retry continues a failed round; what a person types is a private turn."
    )
    catalogue = ("HK-190",)

    def judge(self, turn: TurnAtDesktop, event: FrameSent) -> str | None:
        if turn.reopens > 1 or self.view.desktops.of(event.sender).retries >= 0:
            return None
        return f"{event.sender} reopens {turn.of} as {turn.request}, and nobody pressed retry"


class ClaimedAtFirstEvent(SentReopen):
    name = "claimed-at-first-event"
    sentence = "A reopen is written when the agent shows life, not when the person presses retry."
    catalogue = ("HK-192",)

    def judge(self, turn: TurnAtDesktop, event: FrameSent) -> str | None:
        if event.cause != self.view.desktops.of(event.sender).pressed:
            return None
        return f"{event.sender} reopens {turn.of} at the press itself; nothing runs yet"


class ReopenComesFirst(HookInvariant):
    name = "reopen-comes-first"
    sentence = "A round's reopen is written before any of its progress and before its end."
    from_frames = True
    IN_CALM = 0
    catalogue = ("HK-193",)
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._early: dict[tuple[str, str], None] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameSent, "turn.progress"): self._spoken,
            (FrameSent, "turn.end"): self._spoken,
            (FrameSent, "turn.reopen"): self._reopened,
        }

    def _spoken(self, event: FrameSent) -> str | None:
        if self.view.turn is None:
            self._early[event.sender, self.request] = None
        return None

    def _reopened(self, event: FrameSent) -> str | None:
        self.exercised += 1
        request = self.request
        if (event.sender, request) in self._early:
            return f"{event.sender} has sent progress or the end of {request} before its reopen"
        return None


class RoundsAreNeverReplayed(HookInvariant):
    name = "rounds-are-never-replayed"
    sentence = (
        "Progress and the end of a round are written on the connection that was reopened on, "
        "once, or not at all."
    )
    from_frames = True
    IN_CALM = 0
    catalogue = ("HK-85", "HK-188", "HK-194")
    obeyed_by = "desktop"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "turn.progress"): self._sent, (FrameSent, "turn.end"): self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        turn = self.view.turn
        if turn is None or not turn.of:
            return None
        self.exercised += 1
        kind = event.frame.type
        if event.link != turn.link:
            return (
                f"{event.sender} sends {kind} of round {turn.request} on {event.link}, but it was "
                f"reopened on {turn.link}"
            )
        if kind == "turn.end" and turn.ends > 1:
            return f"{event.sender} sends the end of round {turn.request} again"
        return None


class NoReopenOfADeadThread(SentReopen):
    name = "no-reopen-of-a-dead-thread"
    sentence = "A round whose end was never written cannot be continued."
    from_frames = True
    catalogue = ("HK-195",)

    def judge(self, turn: TurnAtDesktop, event: FrameSent) -> str | None:
        before = self.continued(turn, event)
        if before is None or not before.of or before.end is not None:
            return None
        if self.view.frames_only and before.link != event.link:
            return None  # its end may have been written into a socket that died
        return f"{event.sender} continues round {before.request}, whose end was never sent"


class ReopenIsNotRemembered(SentReopen):
    name = "reopen-is-not-remembered"
    sentence = "A failed round can be continued in the same life of the desktop only, for a day."
    from_frames = True
    catalogue = ("HK-191",)

    def judge(self, turn: TurnAtDesktop, event: FrameSent) -> str | None:
        before = self.continued(turn, event)
        if before is None or before.end is None:
            return None
        if before.row is None and before.end_life != turn.life:
            return f"{event.sender} continues {before.request}, which failed in an earlier life"
        if self.view.now - before.end_us > DAY_US + 600 * SECOND_US:
            return f"{event.sender} continues {before.request}, which failed more than a day ago"
        return None


class RoundIdsAreFresh(SentReopen):
    name = "round-ids-are-fresh"
    sentence = "A round has a new id of its own, a UUID v4 that nobody used before."
    from_frames = True
    catalogue = ("HK-169", "HK-196")

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._used: dict[str, tuple[str, str]] = {}

    def judge(self, turn: TurnAtDesktop, event: FrameSent) -> str | None:
        if not UUID4.fullmatch(turn.request):
            return f"{event.sender} calls a round {turn.request!r}, which is no UUID v4"
        if turn.request in self.view.requests or not turn.of:
            return f"{event.sender} uses the id of task {turn.request} for a round"
        mine = (event.sender, turn.of)
        if self._used.setdefault(turn.request, mine) != mine:
            return f"{event.sender} uses the id {turn.request} for two rounds"
        return None


class RoundsAskOnTheDesktop(HookInvariant):
    name = "rounds-ask-on-the-desktop"
    sentence = "A continuation's questions stay on the desktop; no card carries its id."
    from_frames = True
    IN_CALM = 1
    catalogue = ("HK-174",)
    obeyed_by = "desktop"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "interaction.request"): self._asked}

    def _asked(self, event: FrameSent) -> str | None:
        turn = self.view.turn
        self.exercised += 1
        if turn is None or not turn.of:
            return None
        return f"{event.sender} sends a card for round {turn.request}"


class IgnoredReopenChangesNothing(HookInvariant):
    """Repeated, colliding, foreign or unknown: silence."""

    name = "ignored-reopen-changes-nothing"
    sentence = (
        "A reopen that is repeated, or that names a bound id, or continues what nobody knows, "
        "changes no message and stores no round."
    )
    catalogue = ("HK-176", "HK-177", "HK-181", "HK-182")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._ignored: dict[int, str] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "turn.reopen"): self._heard,
            (CallIssued, EditMessage): self._effect,
            (CallIssued, PostMessage): self._effect,
            (Saved, RoundRow): self._stored,
        }

    def _heard(self, event: FrameDelivered) -> str | None:
        body = self.view.arrived
        if body is None:
            return None
        taken = self.view.rounds.get(body.request_id)
        if taken is None or taken.n != event.n:
            self.exercised += 1
            self._ignored[event.n] = f"{body.request_id} of {body.reopen_of}"
        return None

    def _effect(self, event: CallIssued) -> str | None:
        what = self._ignored.get(event.cause)
        if what is None:
            return None
        return f"the reopen {what} must be ignored, but the server writes to {event.callee}"

    def _stored(self, event: Saved) -> str | None:
        what = self._ignored.get(event.cause)
        return None if what is None else f"the server registers the reopen {what}, to be ignored"


class ReopenGetsNoAnswer(HookInvariant):
    name = "reopen-gets-no-answer"
    sentence = "No frame answers turn.reopen."
    catalogue = ("HK-177", "HK-200")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._reopens: dict[int, str] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {FrameSent: self._sent}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameDelivered, "turn.reopen"): self._heard}

    def _heard(self, event: FrameDelivered) -> str | None:
        self.exercised += 1
        body = self.view.arrived
        self._reopens[event.n] = "" if body is None else body.request_id
        return None

    def _sent(self, event: FrameSent) -> str | None:
        if event.cause in self._reopens:
            if event.frame.type == "turn.delivery" and self.request != self._reopens[event.cause]:
                return None  # the continued result will never be published: that is told
            return f"{event.sender} answers a reopen with {event.frame.type}"
        return None


class ReopensAreTaken(HookInvariant):
    name = "reopens-are-taken"
    sentence = "A reopen of a message that the server knows is registered."
    catalogue = ("HK-170", "HK-173", "HK-179")
    obeyed_by = "server"

    def at_end(self) -> Iterator[str]:
        view = self.view
        for over in view.rounds.values():
            self.exercised += 1
            root = over.root
            target = view.rounds.get(over.reopen_of) or root
            if over.stored is not None or over.state == TORN or root.care.gone:
                continue
            if root.lane == "x":
                continue  # a post there cannot be reopened
            if over.at - max(target.ended_us, 0) > DAY_US - 3600 * SECOND_US:
                continue  # the server may have forgotten it
            message = view.history.about(root.request)
            if message is not None and not message.deleted and view.now - over.at > SECOND_US:
                yield f"the server has ignored the reopen {over.request} of {over.reopen_of}"
