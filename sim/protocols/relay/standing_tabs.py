"""The tabs of nodes as frames tell of them, and the rows that everything standing is told in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs

from sim.core import event as events
from sim.protocols.relay.constants import OWNER_FIELD
from sim.view.changes import Timeline

Wire = Mapping[str, Any]

SESSIONS: Final = "sessions"
QUEUES: Final = "queues"
LOCKS: Final = "locks"
LISTENERS: Final = "listeners"
TABS: Final = "tabs"
HEADS: Final = (SESSIONS, QUEUES, LOCKS, LISTENERS, TABS)
"""What a host's rows are about, in the order in which they are shown."""


@attrs.define(eq=False)
class Tab:
    """A managed tab of a node."""

    id: str
    host: str
    node: str
    owner: str
    url: str
    is_open: bool = True


@attrs.frozen
class Row:
    """One line about a host: under which head, since which step."""

    head: str
    key: str
    text: str
    since: int


class Rows:
    """Lines about hosts with the steps at which they changed."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[tuple[str, str], Timeline]] = {}

    def put(self, n: int, host: str, head: str, key: str, text: str | None) -> None:
        """From step ``n`` on the line reads so; None: it is gone."""
        self._rows.setdefault(host, {}).setdefault((head, key), Timeline()).put(n, text)

    def of(self, host: str, n: int) -> Iterator[Row]:
        """The lines about a host after step ``n``, head by head."""
        rows = self._rows.get(host, {})
        for wanted in HEADS:
            for (head, key), timeline in rows.items():
                text = timeline.at(n) if head == wanted else None
                if text is not None:
                    yield Row(head, key, text, timeline.since(n) or 0)


class NodeTabs:
    """All tabs by their ids, closed ones too; what a node was told to do is kept for its answer."""

    def __init__(self, rows: Rows) -> None:
        self.tabs: dict[str, Tab] = {}
        self._rows = rows
        self._ordered: dict[tuple[str, str], Wire] = {}

    def ordered(self, link: str, wire: Wire) -> None:
        """The relay sends something to a node."""
        self._ordered[link, str(wire.get("requestId"))] = wire

    def answered(self, n: int, link: str, host: str, node: str, wire: Wire) -> None:
        """A node says what it has done with its tabs."""
        order = self._ordered.get((link, str(wire.get("requestId"))))
        payload = payload_of(wire)
        if order is None or not payload.get("ok"):
            return
        command = payload_of(order)
        action, data = command.get("action"), payload.get("data")
        found: Wire = data if isinstance(data, Mapping) else {}
        id = str(found.get("tabSessionId", ""))
        if action == "primitive.tab.open":
            owner = str(_inner(command).get(OWNER_FIELD, ""))
            tab = Tab(id, host, node, owner, str(found.get("url", "")))
            self._stands(n, tab)
        elif action == "primitive.tab.navigate" and id in self.tabs:
            self._stands(n, attrs.evolve(self.tabs[id], url=str(found.get("url", ""))))
        elif action == "primitive.tab.close":
            self._gone(n, id)
        elif action == "primitive.tab.close_owned":
            gone = _inner(command).get("controllerClientId")
            for one in list(self.tabs.values()):
                if one.owner == gone and one.node == node:
                    self._gone(n, one.id)

    def _stands(self, n: int, tab: Tab) -> None:
        self.tabs[tab.id] = tab
        owner = f"owner {tab.owner}" if tab.owner else "nobody's"
        self._rows.put(n, tab.host, TABS, tab.id, f"{tab.id}  {owner}  {tab.url}")

    def _gone(self, n: int, id: str) -> None:
        tab = self.tabs.get(id)
        if tab is not None:
            tab.is_open = False
            self._rows.put(n, tab.host, TABS, id, None)

    def acted(self, event: events.Acted) -> None:
        """The person at a browser closes a tab by hand."""
        act = event.act
        if isinstance(act, Mapping):
            is_closing, id = act.get("is") == "close-tab", act.get("tab")
        else:
            is_closing = type(act).__struct_config__.tag == "close-tab"
            id = getattr(act, "tab", "")
        if is_closing:
            self._gone(event.n, str(id))


def payload_of(wire: Wire) -> Wire:
    """The payload of a decoded frame, empty where it has none."""
    payload = wire.get("payload")
    return payload if isinstance(payload, Mapping) else {}


def _inner(command: Wire) -> Wire:
    inner = command.get("payload")
    return inner if isinstance(inner, Mapping) else {}


def unsubscribed(wire: Wire) -> str:
    """The requestId of the listener that a command turns off, "" for any other frame."""
    command = payload_of(wire)
    if command.get("action") != "listener.unsubscribe":
        return ""
    return str(_inner(command).get("targetRequestId", ""))
