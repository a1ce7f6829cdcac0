"""Small random worlds in which everything that a driver must order happens at once."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import attrs

from sim.core import op
from sim.core.actor import Actor, CloseReason
from sim.core.op import NO_ANSWER, Connection, Frame
from sim.world import fault
from sim.world.link import FrameFlight
from sim.world.world import World

KINDS = ("echo", "ask", "nap", "lock", "wait", "wake", "save", "timer", "spawn", "close")
LIFE_US = 3_000_000


@attrs.frozen
class Text:
    """The simplest frame there can be."""

    type: str
    number: int = 0

    @property
    def wire(self) -> dict[str, Any]:
        return {"type": self.type, "number": self.number}


class Pinger(Actor):
    """A client that dials, sends what it draws, and dials again when it is cut off."""

    __slots__ = ("sent",)

    async def on_start(self) -> None:
        self.sent = 0
        await self.connect()

    async def connect(self) -> None:
        while True:
            conn = await self.perform(op.Dial("S", "lane"))
            if conn is not None:
                for _ in range(self.port.draw(1, 3)):
                    await self.send(conn)
                return
            await self.perform(op.Sleep(self.port.draw(1, 50_000)))

    async def send(self, conn: Connection) -> None:
        if self.sent < 40:
            self.sent += 1
            kind = KINDS[self.port.draw(0, len(KINDS) - 1)]
            await self.perform(op.Send(conn, Text(kind, self.sent)))

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        if self.port.draw(0, 3) == 0:
            await self.perform(op.Sleep(self.port.draw(0, 20_000)))
        await self.send(conn)

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        await self.perform(op.Note("closed", {"code": close.code}))
        await self.connect()


class Worker(Actor):
    """A server whose handlers wait in every way that there is."""

    __slots__ = ("seen",)

    async def on_start(self) -> None:
        self.seen = 0
        await self.perform(op.StartTimer("beat", "", 200_000))

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        self.seen += 1
        await getattr(self, frame.type)(conn, self.port.draw(0, 1))
        await self.perform(op.Send(conn, Text("did " + frame.type, self.seen)))

    async def echo(self, conn: Connection, which: int) -> None:
        await self.perform(op.Note("id", self.port.new_id()))

    async def ask(self, conn: Connection, which: int) -> None:
        answer = await self.perform(op.Call("A", f"q{which}", 400_000))
        await self.perform(op.Note("answer", "none" if answer is NO_ANSWER else answer))

    async def nap(self, conn: Connection, which: int) -> None:
        await self.perform(op.Sleep(self.port.draw(0, 1) * 30_000))

    async def lock(self, conn: Connection, which: int) -> None:
        await self.perform(op.Acquire(f"k{which}"))
        await self.perform(op.Sleep(self.port.draw(0, 60_000)))
        await self.perform(op.Release(f"k{which}"))

    async def wait(self, conn: Connection, which: int) -> None:
        await self.perform(op.Wait(f"w{self.seen}", self.port.draw(1, 300_000)))

    async def wake(self, conn: Connection, which: int) -> None:
        for number in range(self.seen):
            await self.perform(op.Wake(f"w{number}", number))

    async def save(self, conn: Connection, which: int) -> None:
        await self.perform(op.Save(f"row{which}", self.seen))

    async def timer(self, conn: Connection, which: int) -> None:
        await self.perform(op.StartTimer("late", str(which), self.port.draw(0, 90_000)))

    async def spawn(self, conn: Connection, which: int) -> None:
        await self.perform(op.Spawn("side", self.nap(conn, which)))

    async def close(self, conn: Connection, which: int) -> None:
        if which:
            await self.perform(op.Close(conn, 4000, "enough"))

    async def on_timer(self, kind: str, key: str) -> None:
        if kind == "beat" and self.port.now_us() < LIFE_US:
            await self.perform(op.StartTimer("beat", "", 200_000, background=True))


class Api(Actor):
    """Answers late, or not at all."""

    __slots__ = ()

    async def on_call(self, caller: str, request: Any) -> Any:
        await self.perform(op.Sleep(self.port.draw(0, 100_000)))
        return NO_ANSWER if self.port.draw(0, 4) == 0 else f"{request} for {caller}"


def random_world(seed: int) -> World:
    """A world with its faults already planned; the same one for the same seed."""
    draw = random.Random(seed)
    world = World(seed, preempt=draw.random() < 0.15)
    world.add_host("S", "server", Worker)
    world.add_host("A", "api", Api, latency=(10_000, 200_000))
    clients = [f"P{number}" for number in range(draw.randint(1, 4))]
    for name in clients:
        world.add_host(name, "client", Pinger)
        world.latencies[name, "S"] = world.latencies["S", name] = draw.choice(
            [(0, 0), (1_000, 1_000), (5_000, 40_000)]
        )
    for name in ("S", "A", *clients):
        world.boot(name)
    for number in range(draw.randint(0, 8)):
        at = draw.randint(0, 40) * 25_000  # round times, so that ties happen
        world.at(at, f"fault {number}", _fault(world, draw.choice(FAULTS), draw.random()))
    return world


def _fault(
    world: World, inflict: Callable[[World, float], None], where: float
) -> Callable[[], None]:
    return lambda: inflict(world, where)


def _crash(world: World, where: float) -> None:
    names = list(world.hosts)
    name = names[int(where * len(names))]
    fault.crash(world, name)
    world.at(world.now + 100_000, f"restart {name}", lambda: fault.restart(world, name))


def _cut(world: World, where: float) -> None:
    links = [link for link in world.links.values() if link.is_open]
    if links:
        link = links[int(where * len(links))]
        fault.cut(world, link, fault.CUTS[int(where * 997) % 3])
        if link.silent:
            world.at(world.now + 150_000, "heal", lambda: fault.heal(world, link))


def _hold(world: World, where: float) -> None:
    links = [link for link in world.links.values() if link.is_open]
    if links:
        end = links[int(where * len(links))].ends()[int(where * 997) % 2]
        fault.hold(world, end)
        world.at(world.now + 120_000, "release", lambda: fault.release(world, end))


def _spoil(world: World, where: float) -> None:
    flights = [
        item
        for link in world.links.values()
        for end in link.ends()
        for item in end.flight
        if isinstance(item, FrameFlight) and not end.held
    ]
    if flights:
        frame = flights[int(where * len(flights))]
        spoils: tuple[Callable[[], None], ...] = (
            lambda: fault.lose(world, frame),
            lambda: fault.duplicate(world, frame),
            lambda: fault.duplicate(world, frame, 30_000),
            lambda: fault.delay(world, frame, 70_000),
        )
        spoils[int(where * 997) % 4]()


def _lid(world: World, where: float) -> None:
    names = list(world.hosts)
    fault.sleep(world, names[int(where * len(names))], 180_000)


FAULTS = (_crash, _cut, _hold, _spoil, _lid)
