"""What bars a command: each refusal is true, each acceptance was free (DR-24)."""

from __future__ import annotations

from sim.core.event import FrameSent
from sim.protocols.relay import view_barred as bars
from sim.protocols.relay.oracles.oracle import OfRelay, shown
from sim.protocols.relay.view import RelayView
from sim.protocols.relay.view_records import REFUSED, AskView, SessionView

KEPT = 8_192


class Gate(OfRelay):
    """A command is refused with ``code`` only where that is true, and accepted only where not."""

    families = ("error", "event", "command")
    code = ""
    because = ""

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if ask is None:
            return None
        if ask.state == REFUSED and ask.ended_n == event.n and ask.end == self.code:
            self.exercised += 1
            if self.code in ask.barred:
                return None
            return f"{event.sender} refuses {shown(ask)} with {self.code}, which is not so"
        if ask.accepted_n != event.n or self.code not in ask.barred:
            return None
        self.exercised += 1
        return f"{event.sender} accepts {shown(ask)}, though {self.because}"


class BusyTabsRefuseTheHasty(Gate):
    name = "busy-tabs-refuse-the-hasty"
    sentence = "fail_fast is refused with tab_busy while its tab is busy, and then only."
    catalogue = ("OT-33", "OT-44", "OT-50")
    code = bars.BUSY
    because = "its tab is busy and it does not wait"


class TabQueuesHaveALimit(Gate):
    name = "tab-queues-have-a-limit"
    sentence = "No more than the limit wait for a tab; below it nobody is refused for it."
    catalogue = ("OT-33", "OT-45")
    code = bars.TAB_FULL
    because = "the queue of its tab is full"


class ControllerQueuesHaveALimit(Gate):
    name = "controller-queues-have-a-limit"
    sentence = "No more than the limit of a session's commands wait; no other is refused for it."
    catalogue = ("OT-46",)
    code = bars.CONTROLLER_FULL
    because = "too many commands of its session wait"


class LockedTabsRefuseStrangers(Gate):
    name = "locked-tabs-refuse-strangers"
    sentence = (
        "While an identity holds a tab, commands of others for it are refused, and those of the "
        "holder, or after the lease, are not."
    )
    catalogue = ("OT-50", "OT-59", "OT-60")
    code = bars.LOCKED
    because = "another identity holds its tab"


class GrantsAreKept(Gate):
    name = "grants-are-kept"
    sentence = "A command goes only to nodes that its sender's token permits; no other is refused."
    catalogue = ("OT-08",)
    code = bars.UNGRANTED
    because = "its sender's token does not permit that node"


class NoncesCountOnce(Gate):
    name = "nonces-count-once"
    sentence = "A nonce of an identity counts once in two windows, on whatever connection."
    from_frames = True
    catalogue = ("OT-51",)
    code = bars.REPLAYED
    because = "its nonce was used before"

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._accepted: dict[tuple[str, str], int] = {}

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if not self.view.frames_only:
            return super().judge(session, ask, event)
        if ask is None or ask.accepted_n != event.n or self.may_be_another(ask):
            return None
        self.exercised += 1
        # What was refused before may not have burnt it: when it came is known roughly only.
        place = ask.session.identity or ask.session.link, ask.key
        before, self._accepted[place] = self._accepted.pop(place, None), ask.at
        if len(self._accepted) > KEPT:
            del self._accepted[next(iter(self._accepted))]
        memory_us = self.view.plan.limits.replay_window_ms * 1_000
        if before is None or ask.at - before > memory_us:
            return None
        return f"{event.sender} accepts {shown(ask)}, though {self.because}"


class RequestIdsAreTaken(Gate):
    name = "request-ids-are-taken"
    sentence = "A requestId that is in use is refused to others, and not before or after."
    catalogue = ("OT-11", "OT-42")
    code = bars.IN_USE
    because = "its requestId is in use"


class OfflineNodesAreSaidSo(Gate):
    name = "offline-nodes-are-said-so"
    sentence = "A command is refused with node_offline while its node is not there, and then only."
    catalogue = ("OT-41", "OT-49")
    code = bars.OFFLINE
    because = "its node is not there"


class DuplicatesRunOnce(OfRelay):
    name = "duplicates-run-once"
    sentence = "A command that its session sends again while it runs is not run again."
    catalogue = ("OT-11", "OT-41")
    families = ("command",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if ask is None:
            return None
        self.exercised += ask.repeats
        other = ask.clashed
        again = other is not None and other.session is ask.session and ask.accepted_n == event.n
        if again or ask.times_sent > 1:
            return f"{event.sender} sends {shown(ask)} to {session.peer} again"
        return None


class QueuesHoldWhoWaits(OfRelay):
    name = "queues-hold-who-waits"
    sentence = "Only a command that waits is queued, only for a busy tab, and its place is told."
    catalogue = ("OT-33", "OT-44")
    families = ("event",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if ask is None or ask.accepted_n != event.n or self.view.payload.get("type") != "queued":
            return None
        self.exercised += 1
        if not ask.waits:
            return f"{event.sender} queues {shown(ask)}, which is fail_fast"
        queue = None
        if ask.node is not None:
            queue = self.book_of(session).queues.get((ask.node.link, ask.tab))
        if queue is None or not (queue.running or len(queue.waiting) > 1):
            return f"{event.sender} queues {shown(ask)}, though its tab is free"
        depth = self.view.payload.get("queueDepth")
        if depth == len(queue.waiting):
            return None
        return f"{event.sender} calls {shown(ask)} number {depth} of {len(queue.waiting)}"
