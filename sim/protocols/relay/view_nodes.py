"""What a node has been told to do, what it has answered, and the tabs that it has by that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs

from sim.core.event import Acted, FrameDelivered, FrameSent, Saved
from sim.protocols.relay.acts import CloseTab
from sim.protocols.relay.browser.intercept import InterceptOptions
from sim.protocols.relay.constants import HTTP_INTERCEPT, OWNER_FIELD
from sim.protocols.relay.frames.commands import TAB_OPEN, tab_of
from sim.protocols.relay.node.records import BrowserRow
from sim.protocols.relay.parse import action_fault
from sim.wire.exact import plain_object

Wire = Mapping[str, Any]
KEPT: Final = 1_024
SUBSCRIBE: Final = "listener.subscribe"
UNSUBSCRIBE: Final = "listener.unsubscribe"
CLOSE_OWNED: Final = "primitive.tab.close_owned"
OPENED: Final = "tabSessionId"


@attrs.define(eq=False)
class WorkView:
    """A command as it arrived at a node. ``times`` it has come, ``answers`` it has got.

    ``answered_n`` and ``end`` are of its newest terminal frame: ``result``, or a code.
    ``cancelled_us``: when a command_cancel for it arrived.
    """

    link: str
    request_id: str
    n: int
    at: int
    payload: Wire
    action: str
    tab: str
    times: int = 1
    answers: int = 0
    answered_n: int = -1
    answered_us: int = -1
    end: str = ""
    cancelled_us: int = -1
    cancelled_n: int = -1

    @property
    def inner(self) -> Wire:
        """The payload of the action."""
        return plain_object(self.payload.get("payload"))

    @property
    def key(self) -> str:
        """Its idempotencyKey."""
        key = self.payload.get("idempotencyKey")
        return key if isinstance(key, str) else ""


@attrs.define(eq=False)
class NodeTab:
    """A managed tab of a node, as its results tell."""

    tab: str
    owner: str
    url: str
    closed_n: int = -1

    @property
    def is_open(self) -> bool:
        """Whether nobody has closed it."""
        return self.closed_n < 0


@attrs.define(eq=False)
class HeardView:
    """A subscription at a node, from its good result to its end there."""

    work: WorkView
    options: InterceptOptions | None
    on_n: int
    off_n: int = -1


class NodeView:
    """Of one node host, over its connections.

    ``works`` are commands by (connection, requestId). ``knows_all``: which tabs were there
    from the start is known, so that any other is none. ``newest`` is the command that the
    newest frame of the node is about. ``gone``, ``come`` and ``counted``: the tabs that the
    newest row of the browser lacks or has in addition, and the counters that differ.
    ``cleanups`` are (identity, step) of each close_owned that was carried out,
    ``open_owners`` the steps at which tabs were last asked for, by owner.
    """

    def __init__(self, host: str) -> None:
        self.host = host
        self.works: dict[tuple[str, str], WorkView] = {}
        self.tabs: dict[str, NodeTab] = {}
        self.heard: dict[tuple[str, str], HeardView] = {}
        self.cancels: dict[tuple[str, str], str] = {}
        self.pings: dict[tuple[str, str], int] = {}
        self.opening: dict[tuple[str, str], WorkView] = {}
        self.knows_all = False
        self.newest: WorkView | None = None
        self.closed_by_hand: dict[str, int] = {}
        self.row: BrowserRow | None = None
        self.gone: list[NodeTab] = []
        self.come: list[NodeTab] = []
        self.counted: dict[str, int] = {}
        self.cleanups: list[tuple[str, int]] = []
        self.open_owners: dict[str, int] = {}

    def seed(self, tab: str, url: str, owner: str) -> None:
        """A tab that is there from the start."""
        self.tabs[tab] = NodeTab(tab, owner, url)

    def crashed(self) -> None:
        """Its process is gone, and with it what listened; tabs are the browser's."""
        self.heard.clear()
        self.works.clear()

    def closed(self, link: str) -> None:
        """A connection of it is over for one side."""
        for place in [place for place in self.heard if place[0] == link]:
            del self.heard[place]

    def saved(self, row: BrowserRow, event: Saved) -> None:
        """The browser as the node keeps it: that is what it is."""
        owners = dict(row.owners)
        before, self.row = self.row, row
        self.gone, self.come = [], []
        for one in row.tabs:
            known = self.tabs.get(one.id)
            if known is None or not known.is_open:
                known = self.tabs[one.id] = NodeTab(one.id, owners.get(one.id, ""), one.url)
                self.come.append(known)
            known.url, known.owner = one.url, owners.get(one.id, "")
        there = {one.id for one in row.tabs}
        known_before = self.tabs if before is None else {tab.id: None for tab in before.tabs}
        for id in known_before:
            if id not in there:
                tab = self.tabs[id]
                self.gone.append(tab)
                if tab.is_open:
                    tab.closed_n = event.n
        counters = dict(before.counters) if before is not None else {}
        self.counted = {name: n for name, n in row.counters if n != counters.get(name, 0)}

    def acted(self, event: Acted) -> None:
        """The person at the browser did something."""
        if isinstance(event.act, CloseTab):
            self.closed_by_hand[event.act.tab] = event.n

    def hears(self, wire: Wire, payload: Wire, event: FrameDelivered) -> None:
        """A frame has arrived at the node."""
        request_id = wire.get("requestId")
        if not isinstance(request_id, str):
            return
        family = wire.get("messageType")
        place = event.link, request_id
        if family == "command":
            self._command(place, payload, event)
        elif family == "command_cancel":
            target = str(payload.get("targetRequestId"))
            self._note(self.cancels, place, target)
            work = self.works.get((event.link, target))
            if work is not None and work.cancelled_us < 0 and not work.answers:
                work.cancelled_us, work.cancelled_n = event.at, event.n

    def _command(self, place: tuple[str, str], payload: Wire, event: FrameDelivered) -> None:
        known = self.works.get(place)
        if known is not None and known.payload == payload:
            known.times += 1
            return
        action = str(payload.get("action"))
        work = WorkView(*place, event.n, event.at, payload, action, tab_of(payload) or "")
        if known is not None:  # a relay has given one requestId to two: both are answered
            work.times += max(known.times - known.answers, 0)
        self._note(self.works, place, work)
        if action == TAB_OPEN:
            self._note(self.opening, place, work)
            self.open_owners[str(work.inner.get(OWNER_FIELD, ""))] = event.n

    def _note(self, kept: dict[Any, Any], place: Any, value: Any) -> None:
        kept.pop(place, None)
        kept[place] = value
        if len(kept) > KEPT:
            del kept[next(iter(kept))]

    def says(self, wire: Wire, payload: Wire, event: FrameSent) -> None:
        """The node has sent a frame."""
        self.newest = None
        family, request_id = wire.get("messageType"), wire.get("requestId")
        if not isinstance(request_id, str):
            return
        work = self.newest = self.works.get((event.link, request_id))
        if family not in ("result", "error") or work is None:
            return
        work.answers += 1
        work.answered_n, work.answered_us = event.n, event.at
        work.end = "result" if family == "result" else str(payload.get("code"))
        if work.action == CLOSE_OWNED and work.end == "result":
            self.cleanups.append((str(work.inner.get("controllerClientId")), work.n))
            del self.cleanups[:-KEPT]
        self.opening.pop((event.link, request_id), None)
        if family == "result" and payload.get("ok") is True:
            self._done(work, plain_object(payload.get("data")), event)

    def _done(self, work: WorkView, data: Wire, event: FrameSent) -> None:
        tab = data.get(OPENED)
        if work.action == TAB_OPEN and isinstance(tab, str):
            if tab not in self.tabs:
                owner = str(work.inner.get(OWNER_FIELD, ""))
                self.tabs[tab] = NodeTab(tab, owner, str(data.get("url")))
        elif work.action == SUBSCRIBE:
            options = plain_object(work.inner.get("options"))
            read = None
            good = action_fault(SUBSCRIBE, work.inner) is None
            if work.inner.get("listener") == HTTP_INTERCEPT and good:
                read = InterceptOptions.read(options)
            self._note(self.heard, (work.link, work.request_id), HeardView(work, read, event.n))
        elif work.action == UNSUBSCRIBE:
            heard = self.heard.get((work.link, str(work.inner.get("targetRequestId"))))
            if heard is not None:
                heard.off_n = event.n
