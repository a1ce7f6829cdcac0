"""In which order commands run, and how long they may take (DR-11 … DR-13, DR-25)."""

from __future__ import annotations

from collections.abc import Iterator

from sim.core.event import FrameSent
from sim.protocols.relay.constants import RELAY
from sim.protocols.relay.oracles.oracle import SECOND_US, OfRelay, Owing, seconds, shown
from sim.protocols.relay.view_records import AskView, SessionView

TIMED_OUT = "command_timed_out"
WAITED_TOO_LONG = "queue_wait_timed_out"
TICK_US = 1_000


class FifoPerTab(OfRelay):
    name = "fifo-per-tab"
    sentence = (
        "In a tab of a node one command runs at a time, until the node has answered for it or is "
        "lost, in the order of arrival over all controllers."
    )
    catalogue = ("OT-43", "OT-48")
    families = ("command",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if ask is None or not ask.tab or ask.times_sent > 1:
            return None
        self.exercised += 1
        if ask.beside is not None:
            return (
                f"{event.sender} sends {shown(ask)} into {ask.tab}, where {shown(ask.beside)} "
                f"has not been answered for"
            )
        if ask.overtook is not None:
            return (
                f"{event.sender} sends {shown(ask)} before {shown(ask.overtook)}, which came first"
            )
        return None


class FreeTabsGoOn(OfRelay):
    name = "free-tabs-go-on"
    sentence = "As soon as a tab is free, the next command of its queue goes; tabs are parallel."
    catalogue = ("OT-44",)
    families = ("command",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if ask is None or not ask.tab:
            return None
        self.exercised += 1
        since = ask.idle_us
        if since < 0 or event.at - since <= self.view.grace_us(event.sender):
            return None
        return (
            f"{event.sender} sends {shown(ask)} {seconds(event.at - since)} after its tab is free"
        )

    def at_end(self) -> Iterator[str]:
        for book in self.view.books.values():
            for queue in book.queues.values():
                since = queue.free_us
                if queue.running or not queue.waiting or since < 0:
                    continue
                if self.view.now - since > SECOND_US + self.view.grace_us(book.relay):
                    yield f"{book.relay} leaves {shown(queue.waiting[0])} before a free tab"


class GivenUpWorkNeverRuns(OfRelay):
    name = "given-up-work-never-runs"
    sentence = (
        "A command that ended while it waited, by its time, a cancel, or the loss of its "
        "controller, is never sent."
    )
    from_frames = True
    catalogue = ("OT-47", "OT-53", "OT-63")
    families = ("command", "error")

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if event.frame.type == "error":
            code = self.view.payload.get("code")
            self.exercised += code in (WAITED_TOO_LONG, "command_cancelled")
            return None
        stray = self.book_of(session).stray if ask is None else None
        if stray is None or self.view.said.get("senderRole") == RELAY:
            return None
        if self.may_be_another(stray):
            return None
        self.exercised += 1
        why = stray.end or "the loss of its controller"
        return f"{event.sender} sends {shown(stray)} to {session.peer}, though it ended by {why}"


class BudgetsAreKept(OfRelay):
    name = "budgets-are-kept"
    sentence = (
        "A command that has not ended when its one budget ends, waiting and running together, "
        "ends then: queue_wait_timed_out where it waited, command_timed_out where it ran."
    )
    catalogue = ("OT-32", "OT-47", "OT-48", "OT-14", "OT-16")
    families = ("result", "error")

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if ask is None or not ask.was_accepted or ask.terminals != 1:
            return None
        self.exercised += 1
        code = self.view.payload.get("code")
        late = event.at - ask.deadline_us
        if late > TICK_US + self.view.grace_us(event.sender):
            return f"{event.sender} ends {shown(ask)} {seconds(late)} after its budget"
        if code not in (TIMED_OUT, WAITED_TOO_LONG) or self.view.said.get("senderRole") != RELAY:
            return None
        if late < -TICK_US:
            return f"{event.sender} calls {shown(ask)} out of time {seconds(-late)} early"
        due = WAITED_TOO_LONG if ask.sent_us < 0 else TIMED_OUT
        if code == due:
            return None
        return f"{event.sender} ends {shown(ask)} with {code}, where {due} is due"


class TimeoutsStopTheNode(Owing):
    name = "timeouts-stop-the-node"
    sentence = "When a running command is out of time its node is told to stop."
    catalogue = ("OT-48", "OT-63")
    families = ("error", "command_cancel")

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if ask is None or ask.node is None:
            return None
        if event.frame.type == "command_cancel":
            self.pay(ask.node, ask.n)
            return None
        code = self.view.payload.get("code")
        if code == TIMED_OUT and ask.end == code and ask.is_at_node and ask.told_to_stop_us < 0:
            self.exercised += 1
            text = f"{event.sender} lets {ask.node.peer} go on with {shown(ask)}"
            self.owe(ask.node, ask.n, text, event.at)
        return None


class CancelsGoWhereTheWorkIs(OfRelay):
    name = "cancels-go-where-the-work-is"
    sentence = "A command_cancel goes to the session that has the command, while it has it."
    catalogue = ("OT-41", "OT-63")
    families = ("command_cancel",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        self.exercised += 1
        target = self.view.payload.get("targetRequestId")
        if ask is None or not ask.is_at_node:
            return f"{event.sender} cancels {target!r} at {session.peer}, which does not run there"
        if ask.node is session:
            return None
        return f"{event.sender} cancels {shown(ask)} at {session.peer}, which has nothing of it"
