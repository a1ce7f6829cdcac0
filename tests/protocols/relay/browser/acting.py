"""A browser and somebody who gives it commands."""

from __future__ import annotations

from typing import Any

from sim.protocols.relay import ERROR_CODES, answer_fault
from sim.protocols.relay.browser import Browser, Done, Failed, Order, Outcome, Web, perform

BOARD = "https://board.example/dashboard"
CHAT = "https://chat.example/room/quay"


class Acting:
    """Performs commands on one browser; the clock stands where a test puts it."""

    def __init__(self, web: Web | None = None) -> None:
        self.browser = Browser() if web is None else Browser(web)
        self.now_ms = 1_000_000
        self.opened = 0

    def outcome(
        self, action: str, tab: str = "", request_id: str = "r-1", new_tab: str = "", **payload: Any
    ) -> Outcome:
        order = Order(action, payload, tab, request_id, new_tab, self.now_ms)
        return perform(self.browser, order)

    def do(self, action: str, tab: str = "", **rest: Any) -> dict[str, Any]:
        """The data of a command that succeeds, good by its declaration."""
        found = self.outcome(action, tab, **rest)
        assert isinstance(found, Done), found
        assert answer_fault(action, found.data) is None
        return found.data

    def code(self, action: str, tab: str = "", **rest: Any) -> str:
        """The code of a command that fails; it is one of the protocol's."""
        found = self.outcome(action, tab, **rest)
        assert isinstance(found, Failed), found
        assert found.code in ERROR_CODES
        assert found.message
        return found.code

    def open(self, url: str, owner: str = "ctl_a") -> str:
        """A new tab at an address; its id."""
        self.opened += 1
        name = f"tab_{self.opened}"
        self.do("primitive.tab.open", new_tab=name, url=url, __controllerClientId=owner)
        return name

    def subscribe(self, tab: str, site: str, request_id: str = "sub", **options: Any) -> Any:
        """Turn http_intercept on; the data of the result."""
        return self.do(
            "listener.subscribe",
            request_id=request_id,
            listener="network.http_intercept",
            options={"tabSessionId": tab, "site": site, **options},
        )

    def updates(self, request_id: str = "sub", after_ms: int = 0) -> list[dict[str, Any]]:
        """The payloads that a subscription sends in the time that passes now."""
        self.now_ms += after_ms
        return [one.payload() for one in self.browser.take_updates(request_id, self.now_ms)]

    def data(self, request_id: str = "sub", after_ms: int = 10_000) -> list[dict[str, Any]]:
        """Only the data of these."""
        return [one["data"] for one in self.updates(request_id, after_ms)]
