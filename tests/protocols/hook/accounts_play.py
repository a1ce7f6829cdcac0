"""A stage for accounts and settings: three channels, desktops held by hand."""

from __future__ import annotations

from typing import Any

from sim.channel.api import Authorize, PostMessage, Press, Say
from sim.core.event import FrameSent, Saved
from sim.hosts.person import Person
from sim.hosts.server import server_host
from sim.hosts.slack import Slack
from sim.hosts.telegram import Telegram
from sim.hosts.x import X
from sim.protocols.hook import (
    BindStart,
    BindUpdate,
    HookBody,
    QueryRequest,
    QueryResponse,
    TaskDispatch,
)
from sim.protocols.hook.acts import ChangeFeature
from sim.protocols.hook.server.accounts.features import ALL_FEATURES
from sim.protocols.hook.server.accounts.links import secret_of
from sim.world import fault
from tests.protocols.hook.server_play import Play, Puppet

SLACK = ("multi-team", "session-picker-v1")
TELEGRAM = (
    "provider-bind-v1",
    "provider-prefs-v1",
    "session-picker-v1",
    "provider:telegram",
    "group-relay-v1",
    "group-relay-recipient-v1",
    "provider-behavior-v1",
)
X_LANE = ("provider-bind-v1", "provider-prefs-v1", "session-picker-v1")
FEATURES = {"slack": SLACK, "telegram": TELEGRAM, "x": X_LANE}
GROUP = "-1001"


class AccountsPlay(Play):
    """Alice and Bob on Slack (IM), Telegram (TG) and X (XX); nobody is bound to begin with."""

    def __init__(self, *, bound: bool = False, **more: Any) -> None:
        seeds = {(lane, who): d for lane in FEATURES for who, d in PEOPLE.items()}
        more.setdefault("features", ALL_FEATURES)
        more.setdefault("bindings", seeds if bound else {})
        more.setdefault("channels", {"IM": "slack", "TG": "telegram", "XX": "x"})
        super().__init__(**more)

    def add_hosts(self) -> None:
        world = self.world
        world.add_host("S", "server", server_host(self.plan))
        teams = ("T2", "T3")
        world.add_host("IM", "slack", lambda port: Slack(port, "S", teams=teams))
        world.add_host("TG", "telegram", lambda port: Telegram(port, "S", GROUP, ("Alice", "Bob")))
        world.add_host("XX", "x", lambda port: X(port, "S"))
        for name in PEOPLE:
            world.add_host(name, "person", lambda port: Person(port, "IM"))
        for name in ("D", "D2"):
            world.add_host(name, "desktop", lambda port: Puppet(port, self))

    # -- desktops --------------------------------------------------------------

    def join(self, lane: str = "slack", who: str = "D", **fields: Any) -> None:
        """Connect a desktop on a lane, with the features of a present-day one."""
        self.dial(who, lane)
        fields.setdefault("features", FEATURES[lane])
        self.hello(who, **fields)

    def last(self, kind: type[HookBody], who: str = "D") -> Any:
        found = self.got(kind, who)
        assert found, f"{who} got no {kind.__name__}"
        return found[-1]

    def answer(self, who: str = "D", nth: int = -1, wait: float = 1.0, **lists: Any) -> None:
        """Answer the newest query."""
        query = self.last(QueryRequest, who)
        self.send(
            QueryResponse(query_id=query.query_id, kind=query.kind, ok=True, error=None, **lists),
            who,
            nth,
            wait,
        )

    def dispatched(self, who: str = "D") -> list[TaskDispatch]:
        return self.got(TaskDispatch, who)

    def feature(self, name: str, on: bool) -> None:
        """Another version of the server is deployed."""
        self.world.act("S", ChangeFeature(name, on))
        self.run(0.1)

    def restart_server(self, wait: float = 1.0) -> None:
        fault.crash(self.world, "S")
        self.run(0.5)
        self.restart(wait)

    def crash_behind(self, key: str) -> None:
        """The server dies behind the next row of this kind that it stores.

        With ``preempt`` that is before its handler goes on.
        """
        world = self.world
        left = [1]

        def watch(event: Any) -> None:
            if event.key.startswith(key) and event.host == "S" and left:
                left.clear()
                world.at(world.now, "crash", lambda: fault.crash(world, "S"))

        self.world.watch(Saved, watch)

    # -- people ----------------------------------------------------------------

    def authorize(self, link: str, who: str = "Alice", channel: str = "IM", **more: Any) -> None:
        self.world.act(channel, Authorize(who, link, **more))
        self.run(1.0)

    def sign_in(self, who: str = "Alice", to: str = "D", team: str = "T1") -> None:
        """Bind a Slack account to a desktop that is connected."""
        self.send(BindStart(), to)
        url = self.last(BindUpdate, to).authorize_url
        self.authorize(secret_of(url), who, team=team)

    def types(
        self, text: str, who: str = "Alice", channel: str = "IM", wait: float = 1.0, **more: Any
    ) -> None:
        """Somebody writes in a channel; in a direct chat unless ``chat`` says otherwise."""
        self.world.act(channel, Say(who, text, **more))
        self.run(wait)

    def presses(self, label: str, who: str = "Alice", wait: float = 1.0) -> None:
        """Press the button with this label on the newest card that has it."""
        for message in reversed(self.view.history.messages.values()):
            for button in message.buttons:
                if button.label.startswith(label):
                    self.world.act(message.channel, Press(who, message.id, button.id))
                    self.run(wait)
                    return
        raise AssertionError(f"no button {label}")

    # -- what there is to see --------------------------------------------------

    def notices(self) -> list[str]:
        return [p.text for p in self.calls(PostMessage) if p.role == "notice"]

    def sent(self, kind: str) -> list[Any]:
        """The server's frames of a type, from the trace."""
        return [e for e in self.events(FrameSent) if e.sender == "S" and e.frame.type == kind]

    def rows(self, prefix: str) -> list[Any]:
        return [value for _, value in self.world.hosts["S"].store.items(prefix)]


PEOPLE = {"Alice": "D", "Bob": "D2"}
