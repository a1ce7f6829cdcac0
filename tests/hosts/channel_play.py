"""A bot's server and two people around one channel, directed by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim.channel.api import SEEN, ChannelFault
from sim.channel.history import History, ShownMessage
from sim.core.actor import Actor, Port
from sim.core.event import Noted
from sim.core.op import NO_ANSWER, Call
from sim.drivers.step import StepDriver
from sim.hosts.person import Person
from sim.world.world import World

SECOND_US = 1_000_000
HOUR_US = 3_600 * SECOND_US


class Bot(Actor):
    """A server that calls as told and sees events unless it is ``deaf``."""

    __slots__ = ("play",)

    def __init__(self, port: Port, play: Play) -> None:
        super().__init__(port)
        self.play = play

    async def on_call(self, caller: str, request: Any) -> Any:
        self.play.events.append((self.port.now_us(), request))
        return NO_ANSWER if self.play.deaf else SEEN

    async def on_act(self, act: Any) -> None:
        self.play.replies.append(await self.perform(Call("IM", act)))


class Play:
    """``events`` are (time, event) as the server got them, ``replies`` the channel's."""

    def __init__(self, channel: Callable[[Port], Actor], kind: str = "slack") -> None:
        self.events: list[tuple[int, Any]] = []
        self.replies: list[Any] = []
        self.notes: list[tuple[str, Any]] = []
        self.deaf = False
        self.world = World(1)
        self.driver = StepDriver(self.world)
        self.history = History()
        for event in self.history.kinds:
            self.world.watch(event, self.history.on)
        self.world.watch(Noted, lambda e: self.notes.append((e.what, e.data)))
        self.world.add_host("S", "server", lambda p: Bot(p, self))
        self.world.add_host("IM", kind, channel)
        for name in ("Alice", "Bob"):
            self.world.add_host(name, "person", lambda p: Person(p, "IM"))
        for name in list(self.world.hosts):
            self.world.boot(name)

    def act(self, who: str, act: Any, seconds: float = 1) -> None:
        """Somebody does something; then time passes."""
        self.world.act(who, act)
        self.wait(seconds)

    def wait(self, seconds: float) -> None:
        self.driver.run(limit_us=self.world.now + int(seconds * SECOND_US))

    def call(self, request: Any, seconds: float = 1) -> Any:
        """The server calls the channel. → its answer, None if there is none yet."""
        before = len(self.replies)
        self.act("S", request, seconds)
        return self.replies[-1] if len(self.replies) > before else None

    def fault(
        self, op: str, outcome: str, seconds: float = 0, always: bool = False, chat: str = ""
    ) -> None:
        self.act("IM", ChannelFault(op, outcome, int(seconds * SECOND_US), always, chat), 0)

    def message(self, name: str) -> ShownMessage:
        """What a reader sees."""
        found = self.history.get("IM", name)
        assert found is not None, name
        return found

    def shows(self, name: str) -> bool:
        """Whether a reader sees anything under this id."""
        return self.history.get("IM", name) is not None

    def said(self) -> list[str]:
        """The texts (or kinds) of all events that the server got, in order."""
        return [getattr(e, "text", type(e).__name__) for _, e in self.events]
