"""A small world and a finger on each of its choices: the words of the kernel's tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from sim.core import op
from sim.core.actor import Actor
from sim.core.event import Event, FrameDelivered
from sim.core.trace import digest_of
from sim.drivers.step import StepDriver
from sim.world import fault
from sim.world.choice import named
from sim.world.host import Host
from sim.world.link import End, FrameFlight
from sim.world.world import World

MS = 1_000
SECOND = 1_000_000


class Word:
    """The plainest frame there is."""

    __slots__ = ("type",)

    def __init__(self, type: str) -> None:
        self.type = type

    @property
    def wire(self) -> Any:
        return {"type": self.type}


class Puppet(Actor):
    """Does what its host was given: ``on_frame=async def (actor, conn, frame)``."""

    __slots__ = ("scripts",)

    def __init__(self, port: Any, scripts: dict[str, Callable[..., Awaitable[Any]]]) -> None:
        super().__init__(port)
        self.scripts = scripts

    async def _play(self, handler: str, *args: Any) -> Any:
        script = self.scripts.get(handler)
        return None if script is None else await script(self, *args)

    async def on_start(self) -> None:
        await self._play("on_start")

    async def on_open(self, conn: Any) -> None:
        await self._play("on_open", conn)

    async def on_frame(self, conn: Any, frame: Any) -> None:
        await self._play("on_frame", conn, frame)

    async def on_close(self, conn: Any, close: Any) -> None:
        await self._play("on_close", conn, close)

    async def on_timer(self, kind: str, key: str) -> None:
        await self._play("on_timer", kind, key)

    async def on_act(self, act: Any) -> None:
        await self._play("on_act", act)

    async def on_call(self, caller: str, request: Any) -> Any:
        if "on_call" in self.scripts:
            return await self.scripts["on_call"](self, caller, request)
        return await super().on_call(caller, request)


class Play:
    """One world under test."""

    on_stage: ClassVar[list[Play]] = []

    def __init__(self, seed: int = 1, *, preempt: bool = False) -> None:
        self.on_stage.append(self)
        self.world = World(seed, preempt=preempt)
        self.driver = StepDriver(self.world)

    # -- the cast --------------------------------------------------------------

    def host(self, name: str, *, up: bool = True, latency: Any = None, **scripts: Any) -> Host:
        """A host whose handlers are these functions."""
        host = self.world.add_host(name, "node", lambda p: Puppet(p, scripts), latency=latency)
        if up:
            self.world.boot(name)
        return host

    def steady(self, ms: int, *pairs: str) -> None:
        """Give ``D>S`` (and the way back) a fixed latency."""
        for pair in pairs:
            a, b = pair.split(">")
            self.world.latencies[a, b] = self.world.latencies[b, a] = (ms * MS, ms * MS)

    def tell(self, name: str, what: Callable[[Any], Any]) -> list[Any]:
        """Let a host run ``what(actor)`` now; gives a list that gets the result."""
        result: list[Any] = []

        async def told() -> None:
            result.append(await what(self.world.hosts[name].actor))

        self.world.start(self.world.hosts[name], told(), "told", -1)
        self.driver.drain()
        return result

    def perform(self, name: str, wish: op.Op[Any]) -> list[Any]:
        """Let a host perform one op now; gives a list that gets the result."""
        return self.tell(name, lambda actor: actor.perform(wish))

    def connect(self, client: str, server: str, lane: str = "a") -> End:
        """Dial and let it be accepted; gives the client's end."""
        result = self.perform(client, op.Dial(server, lane))
        while not result:
            self.step()
        return result[0]

    def say(self, end: Any, *words: str) -> None:
        """Write frames on a connection."""
        for word in words:
            assert self.perform(end.host, op.Send(end, Word(word))) == [True]

    # -- time and choice ---------------------------------------------------------

    def run(self, ms: int | None = None) -> None:
        """The timed run, to its end or for so many virtual milliseconds."""
        limit = None if ms is None else self.world.now + ms * MS
        self.driver.run(limit_us=limit)

    def step(self) -> None:
        """One item of the timed run."""
        item = self.world.next_item()
        assert item is not None, "nothing is pending"
        self.world.fire(item)
        self.driver.drain()

    def names(self) -> list[str]:
        """What is possible now."""
        return list(named(self.world.enabled()))

    def take(self, name: str) -> None:
        """Choose by name."""
        self.world.apply(named(self.world.enabled())[name])
        if not self.world.preempt:
            self.driver.drain()

    def deliver(self, link: str) -> None:
        """Let the next frame of a connection arrive, whichever way it goes."""
        self.take(next(n for n in self.names() if n.startswith(f"deliver {link} ")))

    # -- faults --------------------------------------------------------------------

    def cut(self, link: str, how: str = "fin") -> None:
        fault.cut(self.world, self.world.links[link], how)
        self.driver.drain()

    def heal(self, link: str) -> None:
        fault.heal(self.world, self.world.links[link])

    def crash(self, name: str) -> None:
        fault.crash(self.world, name)

    def restart(self, name: str) -> None:
        fault.restart(self.world, name)
        self.driver.drain()

    def sleep(self, name: str, ms: int) -> None:
        fault.sleep(self.world, name, ms * MS)

    def frame(self, end: Any, word: str) -> FrameFlight:
        """A frame that is on its way."""
        flights = [f for f in end.flight if isinstance(f, FrameFlight)]
        return next(f for f in flights if f.frame.type == word)

    # -- what came of it ------------------------------------------------------------

    def events(self, *kinds: type[Event]) -> list[Any]:
        """The events of these kinds, in order."""
        return [e for e in self.world.events if not kinds or type(e) in kinds]

    def heard(self, name: str) -> list[str]:
        """The types of the frames that a host received."""
        return [e.type for e in self.events(FrameDelivered) if e.receiver == name]

    def digest(self) -> str:
        return digest_of(self.world.events)


def pair(seed: int = 1, **server: Any) -> tuple[Play, Any]:
    """D, connected to S; gives D's end."""
    play = Play(seed)
    play.host("S", **server)
    play.host("D")
    return play, play.connect("D", "S")
