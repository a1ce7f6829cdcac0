"""What nodes make of commands (sections 命令约定, 命令操作, 标签页所有权和清理; DR-13, DR-21)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.core.event import Event, FrameSent, Noted, Saved
from sim.core.invariant import Handler
from sim.protocols.relay.browser.site_commands import SITE_COMMANDS
from sim.protocols.relay.constants import LEDGER_ENTRIES, NODE, OWNER_FIELD
from sim.protocols.relay.frames import ACTIONS
from sim.protocols.relay.node.records import BrowserRow
from sim.protocols.relay.oracles.oracle import SECOND_US, OfNodes, RelayInvariant
from sim.protocols.relay.parse import action_fault, answer_fault
from sim.protocols.relay.view import RelayView
from sim.protocols.relay.view_nodes import NodeView, WorkView
from sim.protocols.relay.view_records import SessionView
from sim.wire.equality import same_json
from sim.wire.exact import plain_object

PATIENCE_US = 10 * SECOND_US
CLOSE_OWNED = "primitive.tab.close_owned"
MAKERS = ("primitive.tab.open", "command.run", "command.test", "command.reddit_posts")
UNSUPPORTED = "unsupported_action"
NO_OUTCOME = ("idempotency_conflict", "node_mismatch", "command_cancelled")
"""Ends of a command that waited for another with its key, and is none of that one's."""


class OfWork(OfNodes):
    """Looks at the terminal frames of nodes, with the command that they end."""

    families = ("result", "error")

    def judge(self, session: SessionView, event: FrameSent) -> str | None:
        node = self.view.node(event.sender)
        work = node.newest
        return None if work is None else self.ended(node, work, event)

    def ended(self, node: NodeView, work: WorkView, event: FrameSent) -> str | None:
        """What is wrong with this end of that command."""
        raise NotImplementedError

    @property
    def data(self) -> Mapping[str, Any]:
        """What the result holds."""
        return plain_object(self.view.payload.get("data"))

    @property
    def is_good(self) -> bool:
        """Whether it is a good result."""
        return self.view.payload.get("ok") is True


class NodesAnswerOnce(OfWork):
    name = "nodes-answer-once"
    sentence = "A node ends a command by one terminal frame for each time that it has got it."
    from_frames = True
    catalogue = ("OT-11", "OT-34")

    def ended(self, node: NodeView, work: WorkView, event: FrameSent) -> str | None:
        self.exercised += 1
        if work.answers <= work.times:
            return None
        return f"{event.sender} ends {work.action} {work.request_id} again, with {work.end}"


class ResultsFitTheirAction(OfWork):
    name = "results-fit-their-action"
    sentence = "A good result has the data of its action: tabs, texts, whole descriptors."
    from_frames = True
    catalogue = ("OT-37", "OT-16")

    def ended(self, node: NodeView, work: WorkView, event: FrameSent) -> str | None:
        if not self.is_good or work.action not in ACTIONS:
            return None
        self.exercised += 1
        if self.view.payload.get("action") != work.action:
            return f"{event.sender} ends {work.action} with a result of another action"
        fault = answer_fault(work.action, self.data)
        return None if fault is None else f"{event.sender} answers: {fault[0]} {fault[1]}"


class OnlyWholeCommandsAreDone(OfWork):
    name = "only-whole-commands-are-done"
    sentence = (
        "No command is done that lacks what its action needs: a subscribe has its listener and the "
        "options of that, an unsubscribe its target."
    )
    from_frames = True
    catalogue = ("OT-15", "OT-16", "OT-22", "OT-24", "OT-26", "OT-30")

    def ended(self, node: NodeView, work: WorkView, event: FrameSent) -> str | None:
        if not self.is_good:
            return None
        self.exercised += 1
        if work.action not in ACTIONS:
            return f"{event.sender} does {work.action}, which is no action"
        fault = action_fault(work.action, work.inner)
        return None if fault is None else f"{event.sender} does what is not whole: {fault[0]}"


class KnownActionsAreSupported(OfWork):
    name = "known-actions-are-supported"
    sentence = (
        "Every listed action is known, the old name of getPosts too; a test of a command without a "
        "hook carries it out."
    )
    from_frames = True
    catalogue = ("OT-30", "OT-35", "OT-36", "OT-65")

    def ended(self, node: NodeView, work: WorkView, event: FrameSent) -> str | None:
        inner = work.inner
        known = work.action in ACTIONS and work.action != CLOSE_OWNED
        if work.action in ("command.run", "command.test"):
            # Which commands a real node has is its own business.
            known = (
                not self.view.frames_only
                and (str(inner.get("site")), str(inner.get("command"))) in SITE_COMMANDS
            )
        if not known:
            return None
        self.exercised += 1
        if work.end != UNSUPPORTED:
            return None
        return f"{event.sender} calls {work.action} unsupported"


class KeysRunOnce(OfWork):
    name = "keys-run-once"
    sentence = (
        "Commands with one idempotencyKey and one content have one outcome, word for word; with "
        "another content they are refused."
    )
    from_frames = True
    catalogue = ("OT-34",)

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._ends: dict[tuple[str, str], tuple[WorkView, str, Any, int]] = {}

    def ended(self, node: NodeView, work: WorkView, event: FrameSent) -> str | None:
        key = work.key.strip()
        if not key or work.end in NO_OUTCOME:
            return None
        alone = self.view.frames_only
        if alone and work.end != "result":
            return None  # whether it had begun is not to be seen
        place = event.link if alone else event.sender, key
        first = self._ends.get(place)
        data = self.view.payload.get("data")
        memory = 290 * SECOND_US
        if first is None or event.at - first[3] > memory:
            self._ends[place] = work, work.end, data, event.at
            return None
        if alone and len(self._ends) > LEDGER_ENTRIES:
            return None  # it may have been forgotten
        self.exercised += 1
        before, end, told, _ = first
        if not _same(before, work):
            return f"{event.sender} does {work.action} under {key!r}, which was used for other work"
        if (work.end, end) == ("result", "result") and same_json(told, data):
            return None
        if work.end == end != "result":
            return None
        return (
            f"{event.sender} ends {work.action} {work.request_id} under {key!r} otherwise than "
            f"{before.request_id}"
        )


def _same(one: WorkView, two: WorkView) -> bool:
    return (one.action, one.tab) == (two.action, two.tab) and same_json(one.inner, two.inner)


class CancelledWorkIsAnswered(OfNodes):
    name = "cancelled-work-is-answered"
    sentence = "A node answers for a command that is cancelled, unless it says that it cannot."
    catalogue = ("OT-11", "OT-63")
    families = ("event",)

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._rejected: dict[tuple[str, str], None] = {}

    def judge(self, session: SessionView, event: FrameSent) -> str | None:
        payload = self.view.payload
        if payload.get("type") == "cancellation_rejected":
            self.exercised += 1
            self._rejected[event.link, str(payload.get("targetRequestId"))] = None
        return None

    def at_end(self) -> Iterator[str]:
        for node in self.view.nodes.values():
            for place, work in node.works.items():
                self.exercised += work.cancelled_us >= 0
                if work.cancelled_us < 0 or work.answers or place in self._rejected:
                    continue
                session = self.view.sessions.get(work.link)
                there = session is not None and not session.is_left and node.host in self.view.up
                waited = self.view.now - work.cancelled_us
                if there and waited > PATIENCE_US + self.view.grace_us(node.host):
                    yield f"{node.host} never answers for {work.request_id}, which was cancelled"


class OfBrowsers(RelayInvariant):
    """Looks at the browser as a node keeps it, whenever it has changed."""

    obeyed_by = NODE

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(Saved, BrowserRow): self._saved}

    def _saved(self, event: Saved) -> str | None:
        return self.changed(self.view.node(event.host), event)

    def changed(self, node: NodeView, event: Saved) -> str | None:
        """What is wrong with this change."""
        raise NotImplementedError


class TabsAreClosedByTheirOwn(OfBrowsers):
    name = "tabs-are-closed-by-their-own"
    sentence = (
        "A tab is closed by a command for it, by the cleanup after its owner, or by the person; "
        "the cleanup closes all tabs of that owner and no other."
    )
    catalogue = ("OT-56", "OT-58")

    def changed(self, node: NodeView, event: Saved) -> str | None:
        for tab in node.gone:
            self.exercised += 1
            cleaned = any(
                work.action == CLOSE_OWNED and work.inner.get("controllerClientId") == tab.owner
                for work in node.works.values()
            )
            closed = any(
                work.action == "primitive.tab.close" and work.tab == tab.tab
                for work in node.works.values()
            )
            if not (cleaned or closed or tab.tab in node.closed_by_hand):
                return f"{event.host} closes {tab.tab} of {tab.owner!r}, which nobody has asked for"
        return None


class OwnersAreKept(OfBrowsers):
    name = "owners-are-kept"
    sentence = "A new tab belongs to the owner that the relay has named."
    catalogue = ("OT-56",)

    def changed(self, node: NodeView, event: Saved) -> str | None:
        opens = [work for work in node.works.values() if work.action == "primitive.tab.open"]
        for tab in node.come:
            asked = {str(work.inner.get(OWNER_FIELD, "")) for work in opens}
            if not opens or tab.owner in asked or self._is_preloaded(node):
                self.exercised += bool(opens)
                continue
            return f"{event.host} gives {tab.tab} to {tab.owner!r}, not to any of {sorted(asked)}"
        return None

    def _is_preloaded(self, node: NodeView) -> bool:
        """Whether a command that opens tabs of its own is at work: such a tab is nobody's."""
        actions = ("command.run", "command.test", "command.reddit_posts")
        return any(work.action in actions and not work.answers for work in node.works.values())


class NoTabOutlivesTheCleanup(OfBrowsers):
    name = "no-tab-outlives-the-cleanup"
    sentence = "A tab that was still loading when its owner was cleaned up after is closed too."
    catalogue = ("OT-54", "OT-56")

    def changed(self, node: NodeView, event: Saved) -> str | None:
        self.exercised += len(node.come)
        return None

    def at_end(self) -> Iterator[str]:
        for node in self.view.nodes.values():
            if node.row is None or node.host not in self.view.up:
                continue
            cleaned = dict(node.cleanups)
            for tab, owner in node.row.owners:
                asked = node.open_owners.get(owner, -1)
                if owner in cleaned and cleaned[owner] > asked and _is_open(node, tab):
                    yield f"{node.host} keeps {tab} open, though {owner} is gone"


def _is_open(node: NodeView, tab: str) -> bool:
    return node.row is not None and any(one.id == tab for one in node.row.tabs)


class EffectsComeOfWork(OfBrowsers):
    name = "effects-come-of-work"
    sentence = "Tabs appear and counters count only while a command that does so is at work."
    catalogue = ("OT-34", "OT-63")

    def changed(self, node: NodeView, event: Saved) -> str | None:
        if not (node.come or node.counted):
            return None
        self.exercised += 1
        works = node.works.values()
        if any(work.action in MAKERS and work.answers < work.times for work in works):
            return None
        what = node.come[0].tab if node.come else next(iter(node.counted))
        return f"{event.host} has {what}, though nothing that is at work makes it"


class OneAtATimeInTab(RelayInvariant):
    name = "one-at-a-time-in-tab"
    sentence = "Work that outlives its session keeps its tab: nothing else is done there meanwhile."
    catalogue = ("OT-43",)
    obeyed_by = NODE

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(Noted, "answer-dropped"): self._dropped}

    def _dropped(self, event: Noted) -> str | None:
        node = self.view.nodes.get(event.host)
        if node is None:
            return None
        request = event.data.get("request")
        mine = [work for work in node.works.values() if work.request_id == request and work.tab]
        old = next((work for work in mine if not work.answers), None)
        if old is None:
            return None
        self.exercised += 1
        for work in node.works.values():
            done = work.end == "result" and work.tab == old.tab and work.link != old.link
            if done and work.n > old.n and not work.key:
                return (
                    f"{event.host} has done {work.request_id} in {work.tab} while "
                    f"{old.request_id} was at work there"
                )
        return None
