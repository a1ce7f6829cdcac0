"""What desktops do with tasks: ack, work, end (§5 stages 2, 4, 7, 9; §4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.core.event import Event, FrameSent
from sim.core.invariant import Handler
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant, shown
from sim.protocols.hook.view_desktops import DesktopView, TurnAtDesktop

DAY_US = 24 * 60 * 60 * SECOND_US
PATIENCE_US = 15 * SECOND_US
THROTTLE_US = 1_400_000
THROTTLE_MS = THROTTLE_US / 1_000
CROSSING_US = 1_500_000  # a cancel and an end that pass each other on a slow way
PROGRESS_CHARS = 4_000


class OfTurns(HookInvariant):
    """Looks at frames of desktops about ``view.turn``."""

    obeyed_by = "desktop"
    frames: tuple[str, ...] = ()

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, frame): self.judge for frame in self.frames}

    def judge(self, event: FrameSent) -> str | None:
        """What is wrong with this frame."""
        raise NotImplementedError

    def _desktop(self, event: FrameSent) -> DesktopView:
        return self.view.desktops.of(event.sender)


class SpeaksOfItsOwnTurns(OfTurns):
    name = "speaks-of-its-own-turns"
    sentence = (
        "A desktop acks, reports and ends only what was dispatched to it or what it has reopened; "
        "unknown cancels, archives and decisions leave no trace."
    )
    from_frames = True
    IN_CALM = 1
    catalogue = ("HK-45", "HK-46", "HK-47", "HK-190")
    frames = ("task.ack", "turn.progress", "turn.end", "interaction.request", "interaction.cancel")

    def judge(self, event: FrameSent) -> str | None:
        turn = self.view.turn
        self.exercised += 1
        if turn is not None or (self.view.frames_only and self._may_have_got_it(event)):
            return None
        return (
            f"{event.sender} sends {event.frame.type} of {self.request}, which nobody gave to it "
            "and which it has not reopened"
        )

    def _may_have_got_it(self, event: FrameSent) -> bool:
        """It was sent to this device, and whether it arrived was not to be seen."""
        request = self.view.requests.get(self.request)
        link = self.view.links.get(event.link)
        return request is not None and link is not None and request.device == link.device


class AckComesFirst(OfTurns):
    name = "ack-comes-first"
    sentence = "On the connection of its dispatch, a task is acked before anything else about it."
    from_frames = True
    IN_CALM = 1
    catalogue = ("HK-02", "HK-06")
    frames = ("turn.progress", "turn.end", "interaction.request")

    def judge(self, event: FrameSent) -> str | None:
        turn = self.view.turn
        self.exercised += 1
        if turn is None or turn.of or turn.ack is not None or turn.link != event.link:
            return None
        if turn.row is not None or (turn.moved and self.view.frames_only):
            return None  # what was acked or ended before is reported on
        return f"{event.sender} sends {event.frame.type} of {turn.request} before its ack"


class NothingAfterTheEnd(OfTurns):
    name = "nothing-after-the-end"
    sentence = "After turn.end nothing more is sent for that id but the same end again."
    from_frames = True
    IN_CALM = 1
    catalogue = ("HK-06", "HK-169")
    frames = ("turn.progress", "interaction.request")

    def judge(self, event: FrameSent) -> str | None:
        turn = self.view.turn
        self.exercised += 1
        if turn is None or turn.end is None or self._desktop(event).logins:
            return None
        return (
            f"{event.sender} sends {event.frame.type} of {turn.request} after its end "
            f"({turn.end.status}, step {turn.end_n})"
        )


class EndsDoNotDiffer(OfTurns):
    name = "ends-do-not-differ"
    sentence = "A result that is sent again is the same result."
    from_frames = True
    IN_CALM = 1
    catalogue = ("HK-06", "HK-69", "HK-75")
    frames = ("turn.end",)

    def judge(self, event: FrameSent) -> str | None:
        turn = self.view.turn
        self.exercised += 1
        if turn is None or turn.end_n == event.n or self._desktop(event).logins:
            return None
        first, again = turn.end, self.view.said
        one = (first.status, first.final_text, first.error_message)
        two = (again.status, again.final_text, again.error_message)
        if one == two:
            return None
        return (
            f"{event.sender} ends {turn.request} with {again.status} {shown(again.final_text)}, "
            f"after {first.status} {shown(first.final_text)} at step {turn.end_n}"
        )


class TheKeyComesBack(OfTurns):
    name = "the-key-comes-back"
    sentence = "externalKey is returned as it came, byte for byte."
    from_frames = True
    catalogue = ("HK-07",)
    frames = ("turn.end", "turn.reopen")

    def judge(self, event: FrameSent) -> str | None:
        turn = self.view.turn
        self.exercised += 1
        if turn is None:
            return None
        key, seen, desktop = turn.key, 0, self._desktop(event)
        while turn is not None and turn.of and seen < 1000:
            turn, seen = desktop.turns.get(turn.of), seen + 1
        key = key if turn is None else turn.key
        sent = self.view.said.external_key
        if sent == key:
            return None
        return f"{event.sender} returns the key {sent!r} for {self.request}, but it was {key!r}"


class EndsFitTheirStatus(OfTurns):
    name = "ends-fit-their-status"
    sentence = "An end is ok without an error message, or an error with one."
    from_frames = True
    IN_CALM = 1
    catalogue = ("HK-67",)
    frames = ("turn.end",)

    def judge(self, event: FrameSent) -> str | None:
        self.exercised += 1
        body = self.view.said
        if bool(body.error_message) == (body.status == "error"):
            return None
        return f"{event.sender} ends {self.request} {body.status} with {body.error_message!r}"


class AcksFitTheirResult(OfTurns):
    name = "acks-fit-their-result"
    sentence = (
        "An ack has a reason only when it rejects, a place only when it queues, a session when it "
        "does not reject; and the reason is the real one."
    )
    from_frames = True
    IN_CALM = 1
    catalogue = ("HK-60", "HK-61")
    frames = ("task.ack",)

    def judge(self, event: FrameSent) -> str | None:
        turn = self.view.turn
        self.exercised += 1
        body = self.view.said
        no = body.result == "rejected"
        fits = (
            (body.reason is not None) == no
            and (body.queue_position is not None) == (body.result == "queued")
            and (body.session_id is None) == no
        )
        if not fits:
            return f"{event.sender} acks {self.request} {body.result} with fields of another result"
        if turn is None or body.reason != "unknown_workspace" or turn.ack_n != event.n:
            return None
        aliases = self._desktop(event).aliases
        if any(folder not in aliases for folder in turn.folders):
            return None
        return f"{event.sender} says that it does not know {turn.workspace!r}"


class AcksAreRepeated(OfTurns):
    name = "acks-are-repeated"
    sentence = "A task that is delivered again gets the ack that it got before."
    from_frames = True
    IN_CALM = 0
    catalogue = ("HK-37",)
    frames = ("task.ack",)

    def judge(self, event: FrameSent) -> str | None:
        turn = self.view.turn
        body = self.view.said
        if turn is None or turn.ack is None or turn.ack_n == event.n:
            return None
        if body.result == "rejected" and body.reason in ("invalid", "disabled"):
            return None
        if self.view.frames_only and turn.ack_link != event.link:
            return None  # its process may be another by now
        self.exercised += 1
        first = turn.ack
        one = (first.result, first.session_id, first.queue_position, first.reason)
        if one == (body.result, body.session_id, body.queue_position, body.reason):
            return None
        return (
            f"{event.sender} acks {turn.request} again, but differently: {body.result} in "
            f"{body.session_id}, after {first.result} in {first.session_id}"
        )


class ProgressIsThrottled(OfTurns):
    name = "progress-is-throttled"
    sentence = "A turn's snapshots are at least 1.5 s apart, and not too long for a channel."
    from_frames = True
    catalogue = ("HK-64",)
    frames = ("turn.progress",)

    def judge(self, event: FrameSent) -> str | None:
        turn = self.view.turn
        self.exercised += 1
        text = self.view.said.text
        if len(text) > PROGRESS_CHARS:
            return f"{event.sender} sends {len(text)} characters of progress"
        link = self.view.link
        if turn is None or link is None or link.lane == "telegram":
            return None
        if self.view.frames_only and not self._is_hasty(turn, event):
            return None  # the network has pushed them together
        if 0 <= turn.gap_us < THROTTLE_US:
            return (
                f"{event.sender} sends progress of {turn.request} {turn.gap_us / SECOND_US:.1f} s "
                "after the last"
            )
        return None

    def _is_hasty(self, turn: TurnAtDesktop, event: FrameSent) -> bool:
        """Whether the desktop's own clock says so too."""
        before, now = turn.told_ms, event.frame.ts
        turn.told_ms = now
        return before is not None and bool(now - before < THROTTLE_MS)


class CancelEndsTheTurn(OfTurns):
    name = "cancel-ends-the-turn"
    sentence = "A turn that is cancelled ends, and it ends cancelled."
    from_frames = True
    IN_CALM = 0
    catalogue = ("HK-66", "HK-172")
    frames = ("turn.end",)

    def judge(self, event: FrameSent) -> str | None:
        turn = self.view.turn
        if turn is None or turn.cancelled_us < 0 or turn.end_n != event.n:
            return None
        self.exercised += 1
        if event.cause == turn.cancelled_n and turn.end.status != "cancelled":
            return f"{event.sender} is told to cancel {turn.request}, and ends it {turn.end.status}"
        ended = turn.end_us if turn.row is None else turn.row_us
        grace = CROSSING_US if self.view.frames_only else SECOND_US
        if ended - turn.cancelled_us < grace or turn.end.status == "cancelled":
            return None
        return f"{event.sender} ends {turn.request} {turn.end.status}, though it was cancelled"

    def at_end(self) -> Iterator[str]:
        for desktop in self.view.desktops.by_host.values():
            for turn in desktop.turns.values():
                if turn.cancelled_us < 0 or turn.end is not None or turn.row is not None:
                    continue
                if turn.life != desktop.life or self.view.now - turn.cancelled_us < PATIENCE_US:
                    continue
                alone = turn.of or self.view.frames_only
                if alone and turn.link not in self.view.links:
                    continue  # a torn round goes on for nobody
                yield f"{desktop.name} was told to cancel {turn.request} and has not ended it"


class DispatchesAreAcked(HookInvariant):
    name = "dispatches-are-acked"
    sentence = "Every dispatch is answered by an ack while its desktop stays up and connected."
    from_frames = True
    catalogue = ("HK-02",)
    obeyed_by = "desktop"

    def at_end(self) -> Iterator[str]:
        view = self.view
        for desktop in view.desktops.by_host.values():
            for turn in desktop.turns.values():
                self.exercised += not turn.of
                link = view.links.get(turn.link)
                done = turn.answered or turn.ack is not None or turn.row is not None
                if turn.of or done or desktop.logins:
                    continue
                if link is None or not link.client_open or link.lossy or link.told_us < 0:
                    continue
                if turn.at < link.told_us or turn.life != desktop.life:
                    continue
                if view.now - turn.at > PATIENCE_US:
                    yield f"{desktop.name} never acked {turn.request}, dispatched on {turn.link}"


class ResultsAreHandedIn(HookInvariant):
    """A result in the ledger gets out when there is a welcomed connection."""

    name = "results-are-handed-in"
    sentence = (
        "A task that has ended is handed in by turn.end, at once or after the next welcome, even "
        "if the desktop was offline or restarted."
    )
    catalogue = ("HK-03", "HK-40")
    obeyed_by = "desktop"

    def at_end(self) -> Iterator[str]:
        view = self.view
        for desktop in view.desktops.by_host.values():
            for turn in desktop.turns.values():
                row = turn.row
                if row is None:
                    continue
                self.exercised += 1
                if turn.end is not None or desktop.logins or view.now - turn.row_us > DAY_US:
                    continue
                if self._had_time(desktop.name, turn):
                    yield f"{desktop.name} holds the end of {turn.request} ({row.status}) back"

    def _had_time(self, host: str, turn: TurnAtDesktop) -> bool:
        lane = turn.link.partition(".")[2].partition("#")[0]
        for link in self.view.links.values():
            open_us = link.told_us if link.client_open else -1
            if (link.client, link.lane) == (host, lane) and open_us >= 0:
                since = max(open_us, turn.row_us)
                return not link.lossy and self.view.now - since > PATIENCE_US
        return False
