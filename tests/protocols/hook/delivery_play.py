"""A stage for delivery and for the manners of each channel: one lane, desktops by hand."""

from __future__ import annotations

from typing import Any

import attrs

from sim.channel.api import PostMessage
from sim.core.event import Saved
from sim.core.op import Dial
from sim.drivers.step import StepDriver
from sim.hosts.person import Person
from sim.hosts.server import server_host
from sim.hosts.slack import Slack
from sim.hosts.telegram import Telegram
from sim.hosts.x import X
from sim.protocols.hook import TurnDelivery
from sim.protocols.hook.rules import HookRules
from sim.protocols.hook.server import Limits, ServerPlan
from sim.protocols.hook.view import HookView
from sim.world import fault
from sim.world.world import World
from tests.protocols.hook.server_play import Play, Puppet

CHANNELS: dict[str, Any] = {"slack": Slack, "telegram": Telegram, "x": X}
DELIVERY = "turn-delivery-v1"
FEATURES = ("turn-reopen-v1", DELIVERY)


class Guest(Puppet):
    """A desktop that says whose it is when it dials."""

    __slots__ = ()

    async def on_act(self, act: Any) -> None:
        if act[0] != "dial":
            await super().on_act(act)
            return
        account = self.play.account
        info = {"authorization": f"Bearer {account}"} if account else None
        conn = await self.perform(Dial("S", act[1], info))
        if conn is not None:
            self.conns.append(conn)


class LanePlay(Play):
    """Alice and Bob, their desktops D and D2, and one channel."""

    def __init__(
        self,
        lane: str = "x",
        *,
        off: tuple[str, ...] = (),
        limits: Limits | None = None,
        features: tuple[str, ...] = FEATURES,
        wants: tuple[str, ...] = (DELIVERY,),
        seed: int = 1,
        preempt: bool = False,
        **manners: Any,
    ) -> None:
        self.received = []
        self.closed = []
        self.lively = True
        self.lane = lane
        self.wants = wants
        self.account = ""
        self.world = world = World(seed, preempt=preempt)
        self.driver = StepDriver(world)
        self.view = HookView()
        for kind in self.view.kinds:
            world.watch(kind, self.view.on)
        self.plan = ServerPlan(
            channels={"IM": lane},
            bindings={(lane, "Alice"): "D", (lane, "Bob"): "D2"},
            rules=attrs.evolve(HookRules(), **dict.fromkeys(off, False)),
            features=features,
            limits=limits or Limits(),
        )
        world.add_host("S", "server", server_host(self.plan))
        host = CHANNELS[lane]
        world.add_host(
            "IM", lane, lambda port: host(port, "S", **manners), latency=(80_000, 250_000)
        )
        for name in ("Alice", "Bob"):
            world.add_host(name, "person", lambda port: Person(port, "IM"))
        for name in ("D", "D2"):
            world.add_host(name, "desktop", lambda port: Guest(port, self))
        for name in list(world.hosts):
            world.boot(name)
        self.run(0.001)

    def connect(self, who: str = "D", **fields: Any) -> None:
        self.dial(who, self.lane)
        self.hello(who, **{"features": self.wants, **fields})

    def told(self, request: str, who: str = "D") -> list[tuple[str, int]]:
        """(state, attempt) of everything that was told about a request."""
        frames = self.got(TurnDelivery, who)
        return [(f.state, f.attempt) for f in frames if f.request_id == request]

    def states(self, request: str) -> list[str]:
        return [state for state, _ in self.told(request)]

    def task(self, text: str = "fix it", **more: Any) -> str:
        """D is connected and works on a task of Alice's; gives its requestId."""
        if not self.puppet().conns or not self.puppet().conns[-1].is_open:
            self.connect()
        request = self.say(text, **more)
        self.ack(request)
        return request

    def answers(self, request: str) -> list[Any]:
        """The bot's standing messages that are an end of this request."""
        return [
            message
            for message in self.view.history.by_about.get(request, ())
            if not message.deleted and message.state in ("OK", "FAILED", "CANCELLED")
        ]

    def posted(self, role: str = "request") -> list[PostMessage]:
        """What the server tried to post."""
        return [post for post in self.calls(PostMessage) if post.role == role]

    def crash_behind(self, kind: type[Any], nth: int, host: str = "S", wait: int = 2) -> None:
        """The server dies right behind the n-th such event from now on, and comes back."""
        left = [nth]

        def count(event: Any) -> None:
            if (
                getattr(event, "host", getattr(event, "sender", getattr(event, "caller", "")))
                != host
            ):
                return
            left[0] -= 1
            if not left[0]:
                self.world.at(self.world.now, "crash", crash)

        def crash() -> None:
            if self.world.hosts["S"].up:
                fault.crash(self.world, "S")
                after = self.world.now + wait * 1_000_000
                self.world.at(after, "restart", lambda: fault.restart(self.world, "S"))

        self.world.watch(kind, count)


def crash_after_save(play: LanePlay, nth: int) -> None:
    play.crash_behind(Saved, nth)
