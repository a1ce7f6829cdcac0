"""What people and programs do in a storm around a relay, right and wrong."""

from __future__ import annotations

from typing import Any, Final

from sim.cli.proving.draw import Draw
from sim.cli.proving.relay_wrongs import Wrongs
from sim.protocols.relay.acts import (
    CancelCommand,
    CloseTab,
    Connect,
    Disconnect,
    EmitUpdate,
    ExtractContent,
    FailNext,
    HangNext,
    LockTab,
    Redial,
    RefreshToken,
    RefuseCancels,
    ReportProgress,
    SendCommand,
    SlowDown,
    SwitchPings,
    UnlockTab,
    UseToken,
)
from sim.protocols.relay.view import RelayView
from sim.world.world import World

CONTROLLERS: Final = ("A", "A2", "B")
NODES: Final = ("N", "M")
URLS: Final = (
    "https://example.com/",
    "https://www.reddit.com/r/harbour/",
    "https://chat.example/room/quay",
)
WAIT: Final = "wait_with_timeout"
WAIT_COMMAND: Final = {"site": "example.com", "command": "wait"}
COUNT: Final = {"site": "example.com", "command": "countUp", "input": {"counter": "c"}}
WATCH: Final = {"site": "chat.example", "command": "watchMessages"}


class Deeds(Wrongs):
    """One deed of somebody at a time, drawn from the storm's seed.

    ``listening`` and ``keyed``: how much of the programs' deeds is about listeners, and
    about work that is asked for again under one key.
    """

    def __init__(
        self, world: World, draw: Draw, view: RelayView, listening: int = 10, keyed: int = 5
    ) -> None:
        self.listening = listening
        self.keyed = keyed
        self.world = world
        self.draw = draw
        self.view = view
        self.count = 0
        self.asked: list[str] = ["none"]
        self.subscribed: list[str] = ["none"]
        self.tests: list[str] = ["none"]

    # -- who and what ----------------------------------------------------------------

    def _id(self, prefix: str = "k") -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def _tab(self) -> str:
        """A tab of N; now and then one that is gone, or never was."""
        tabs = list(self.view.node("N").tabs)[-4:]
        return self.draw.choice(["tab_x", "tab_x", "tab_y", *tabs, "tab_none"])

    def _act(self, who: str, act: Any) -> None:
        self.world.act(who, act)

    def _later(self, after_us: int, who: str, act: Any) -> None:
        """An act that belongs to a deed, some time behind it."""
        self.count += 1
        when = self.world.now + after_us
        self.world.at(when, f"later {self.count}", lambda: self._act(who, act))

    def _recent(self, ids: list[str]) -> str:
        return self.draw.choice(ids[-6:])

    # -- controllers -------------------------------------------------------------------

    def controller(self) -> None:
        """A program asks for something."""
        who = self.draw.choice(CONTROLLERS)
        weights = (
            40,
            12,
            12,
            8,
            12,
            self.listening,
            self.listening,
            6,
            self.keyed,
            4,
            3,
            self.listening // 4,
        )
        deed = self.draw.weighed(
            [
                self._command, self._burst, self._lock, self._unlock, self._cancel,
                self._subscribe, self._unsubscribe, self._test, self._keyed, self._same_id,
                self._extract, self._reload,
            ],
            weights,
        )  # fmt: skip
        deed(who)

    def _extract(self, who: str) -> None:
        format = self.draw.choice(["markdown", "distilled_html", "clean_html", "raw_html", "text"])
        id = self._id()
        self._act(who, ExtractContent(self._tab(), format, node="node_n", request=id))

    def _command(self, who: str) -> None:
        draw, id = self.draw, self._id()
        self.asked.append(id)
        node = draw.choice(["node_n", "node_n", "node_n", "node_m", "node_gone"])
        policy = draw.choice([WAIT, WAIT, "fail_fast", ""])
        timeout = draw.choice([None, 1000, 1500, 4000, 0])
        action, payload, tab = self._work()
        self._act(
            who,
            SendCommand(
                action,
                payload,
                node,
                tab,
                id,
                timeout,
                policy,
                retries=draw.below(2),
                early=draw.below(6) == 0,
            ),
        )

    def _work(self) -> tuple[str, dict[str, Any], str]:
        draw, tab = self.draw, self._tab()
        url = draw.choice(URLS)
        forged: dict[str, Any] = {"__controllerClientId": "ctl_b"} if draw.below(3) == 0 else {}
        works: list[tuple[str, dict[str, Any], str]] = [
            ("primitive.dom.extract_text", {"selector": "body"}, tab),
            ("primitive.tab.open", {"url": url, **forged}, ""),
            ("primitive.tab.navigate", {"url": url}, tab),
            ("primitive.tab.close", {}, tab),
            ("primitive.tab.query", {}, ""),
            ("command.list", {}, ""),
            ("command.reddit_posts", {"input": {"minReturnedPosts": 3}}, ""),
            ("command.run", {**WAIT_COMMAND, "input": {"ms": draw.below(3000)}}, tab),
            ("command.run", {**COUNT, "tabSessionId": tab}, ""),
            ("command.test", {**COUNT}, tab),
            ("primitive.dom.extract_markdown", {}, tab),
        ]
        return draw.weighed(works, [8, 8, 4, 3, 2, 2, 2, 10, 3, 2, 3])

    def _burst(self, who: str) -> None:
        """Many for one tab at once."""
        tab = self._tab()
        for _ in range(2 + self.draw.below(6)):
            id = self._id()
            self.asked.append(id)
            inner = {**WAIT_COMMAND, "input": {"ms": self.draw.below(1200)}}
            timeout = self.draw.choice([None, 1000, 2500])
            self._act(who, SendCommand("command.run", inner, "node_n", tab, id, timeout, WAIT))

    def _lock(self, who: str) -> None:
        lease = self.draw.choice([None, 400, 2000, 8000])
        self._act(
            who, LockTab(self.draw.choice(["tab_x", "tab_y"]), "node_n", lease, self._id("l"))
        )

    def _unlock(self, who: str) -> None:
        tab = self.draw.choice(["tab_x", "tab_y"])
        self._act(who, UnlockTab(tab, "node_n", self._id("u")))

    def _cancel(self, who: str) -> None:
        ids = self.draw.choice([self.asked, self.asked, self.tests, self.subscribed])
        self._act(who, CancelCommand(self._recent(ids), self._id("c")))

    def _subscribe(self, who: str) -> None:
        id = self._id("s")
        self.subscribed.append(id)
        tab, site = self.draw.choice(
            [("tab_z", "chat.example"), ("tab_z", "Chat.example"), ("tab_x", "example.com"),
             ("tab_x", "www.reddit.com")]
        )  # fmt: skip
        options: dict[str, Any] = {"tabSessionId": tab, "site": site}
        options |= self.draw.choice(
            [{}, {"includeHeaders": True}, {"mode": "hybrid"}, {"streamAdapter": "chat"},
             {"maxBodyBytes": 40}, {"mimeTypes": ["application/json"]}, {"mode": "fetch"},
             {"includeBody": False}]
        )  # fmt: skip
        inner = {"listener": "network.http_intercept", "options": options}
        policy = self.draw.choice([WAIT, ""])
        self._act(who, SendCommand("listener.subscribe", inner, "node_n", "", id, 2000, policy))

    def _open_subscription(self) -> tuple[str, str, str]:
        """One that is on where there is one: its requestId, its controller, its tab."""
        found = [
            (one.ask.request_id, one.ask.session.peer, one.ask.tab)
            for book in self.view.books.values()
            for one in book.listening.open.values()
        ]
        if found and self.draw.below(4):
            return self.draw.choice(found)
        return self._recent(self.subscribed), self.draw.choice(CONTROLLERS), ""

    def _unsubscribe(self, who: str) -> None:
        target, who, tab = self._open_subscription()
        inner = {"targetRequestId": target}
        tab = tab if self.draw.below(2) else ""
        id = self._id("x")
        if tab and self.draw.below(2):  # then it has to wait
            busy = {**WAIT_COMMAND, "input": {"ms": 400}}
            self._act(who, SendCommand("command.run", busy, "node_n", tab, self._id(), 2000, WAIT))
        self._later(2_500_000, "N", EmitUpdate(target, {"late": id}))
        self._act(who, SendCommand("listener.unsubscribe", inner, "node_n", tab, id, 2000, WAIT))

    def _reload(self, who: str) -> None:
        """The page of the chat is loaded anew: whoever listens there hears of it."""
        url = {"url": URLS[2]}
        act = SendCommand("primitive.tab.navigate", url, "node_n", "tab_z", self._id(), 3000, WAIT)
        self._act(who, act)

    def _test(self, who: str) -> None:
        id = self._id("t")
        self.tests.append(id)
        self._act(who, SendCommand("command.test", dict(WATCH), "node_n", "tab_z", id, 5000, WAIT))

    def _keyed(self, who: str) -> None:
        """The same work under the same key, again and again; now and then other work."""
        key = f"key{self.count // 30}"
        other = self.draw.below(6) == 0
        inner = {**WAIT_COMMAND, "input": {"ms": 5}} if other else dict(COUNT)
        for _ in range(1 + self.draw.below(2)):
            self._act(
                who,
                SendCommand(
                    "command.run", inner, "node_n", "", self._id(), 4000, WAIT,
                    idempotency_key=key,
                ),
            )  # fmt: skip

    def _same_id(self, who: str) -> None:
        """Two sessions, or one of them twice, under one requestId."""
        id = self._id("same")
        for one in (who, self.draw.choice(CONTROLLERS)):
            inner = {**WAIT_COMMAND, "input": {"ms": 800}}
            tab = self.draw.choice(["tab_x", ""])
            self._act(one, SendCommand("command.run", inner, "node_n", tab, id, 3000, WAIT))

    # -- nodes -------------------------------------------------------------------------

    def node(self) -> None:
        """What happens in a browser."""
        draw = self.draw
        who = draw.choice(["N", "N", "N", "M"])
        act: Any = draw.weighed(
            [
                SlowDown(draw.choice([0, 0, 300, 2500])),
                FailNext(times=1),
                HangNext(times=1),
                RefuseCancels(draw.below(2) == 0),
                ReportProgress(self._running(who)),
                EmitUpdate(self._open_subscription()[0], {"n": self.count}),
                CloseTab(self.draw.choice(["tab_x", "tab_y", self._tab()])),
            ],
            [6, 3, 2, 2, 14, 14, 1],
        )
        self._act(who, act)

    def _running(self, who: str) -> str:
        """Something that runs there, where there is anything."""
        found = [
            ask.request_id
            for book in self.view.books.values()
            for ask in book.asks.values()
            if ask.is_at_node and ask.node is not None and ask.node.peer == who
        ]
        return self.draw.choice(found) if found else self._recent(self.asked)

    # -- sessions ----------------------------------------------------------------------

    def falls_silent(self) -> None:
        """A peer sends nothing more of its own for a while."""
        who = self.draw.choice(["A", "A2", "B", "N", "M"])
        self._act(who, SwitchPings(False))
        again = self.world.now + (20 + self.draw.below(20)) * 1_000_000
        self.world.at(again, f"pings {who} {self.world.now}", lambda: self._pings(who))

    def _pings(self, who: str) -> None:
        self._act(who, SwitchPings(True))

    def comes_or_goes(self) -> None:
        """A program leaves, comes, dials anew, or shows another token."""
        draw = self.draw
        if draw.below(5) == 0:
            self._dials_anew_at_work()
            return
        who = draw.choice([*CONTROLLERS, *NODES])
        act: Any = draw.weighed(
            [
                Redial(), Disconnect(), Connect(), RefreshToken(), RefreshToken("refresh-B"),
                UseToken(f"token-{draw.choice(['A', 'B', 'bad'])}", now=True),
            ],
            [5, 3, 5, 2, 2, 1],
        )  # fmt: skip
        self._act(who, act)
        if isinstance(act, UseToken):
            self._act(who, UseToken(f"token-{who}"))
        if isinstance(act, Disconnect):
            back = self.world.now + draw.below(8_000_000)
            self.world.at(back, f"connect {who} {back}", lambda: self._act(who, Connect()))

    def _dials_anew_at_work(self) -> None:
        """A node has a new socket while it is at work, and gets more for the same tab."""
        who, tab = self.draw.choice(CONTROLLERS), self.draw.choice(["tab_x", "tab_y"])
        slow = {**WAIT_COMMAND, "input": {"ms": 4000}}
        self._act(who, SendCommand("command.run", slow, "node_n", tab, self._id(), None, WAIT))
        self._later(600_000, "N", Redial())
        quick = SendCommand("primitive.dom.extract_text", {}, "node_n", tab, self._id(), None, WAIT)
        self._later(1_200_000, who, quick)
