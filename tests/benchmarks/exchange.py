"""The same small exchange for every competitor: 3 actors, 20 frames, latencies.

A client asks a server, which asks a third actor, which answers; the answer
goes back: four frames a round, five rounds. Each frame takes 20 to 80 ms of
virtual time. The invariant: an answer carries the number of the newest question.
One call is one schedule from reset to verdict.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Generator
from typing import Any

import trio
import trio.testing

from sim.core.actor import Actor
from sim.core.entropy import Stream
from sim.core.event import FrameDelivered, FrameSent
from sim.core.invariant import Invariant, Monitor
from sim.core.op import Connection, Dial, Send
from sim.drivers.step import StepDriver
from sim.world.world import World

ROUNDS = 5
FRAMES = 4 * ROUNDS


class Number:
    """A frame that carries a number."""

    __slots__ = ("type", "wire")

    def __init__(self, type: str, wire: int) -> None:
        self.type = type
        self.wire = wire


class Client(Actor):
    __slots__ = ("asked",)

    async def on_start(self) -> None:
        self.asked = 0
        conn = await self.perform(Dial("B", "ask"))
        assert conn is not None
        await self._ask(conn)

    async def on_frame(self, conn: Connection, frame: Any) -> None:
        if self.asked < ROUNDS:
            await self._ask(conn)

    async def _ask(self, conn: Connection) -> None:
        self.asked += 1
        await self.perform(Send(conn, Number("ask", self.asked)))


class Server(Actor):
    __slots__ = ("client", "third")

    async def on_start(self) -> None:
        self.third = await self.perform(Dial("C", "ask"))

    async def on_frame(self, conn: Connection, frame: Any) -> None:
        if frame.type == "ask":
            self.client = conn
            await self.perform(Send(self.third, Number("forward", frame.wire)))
        else:
            await self.perform(Send(self.client, Number("answer", frame.wire)))


class Third(Actor):
    __slots__ = ()

    async def on_frame(self, conn: Connection, frame: Any) -> None:
        await self.perform(Send(conn, Number("reply", frame.wire)))


class AnswersFit(Invariant):
    """The oracle of the exchange."""

    name = "answers-fit"
    sentence = "An answer carries the number of the newest question."

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.asked = 0

    def handlers(self) -> dict[Any, Callable[[Any], str | None]]:
        return {FrameSent: self._sent, FrameDelivered: self._delivered}

    def _sent(self, event: FrameSent) -> str | None:
        if event.frame.type == "ask":
            self.asked = event.frame.wire
        return None

    def _delivered(self, event: FrameDelivered) -> str | None:
        if event.type != "answer":
            return None
        sent: Any = self.world.events[event.sent]
        return None if sent.frame.wire == self.asked else "another number came back"


def ours(seed: int) -> int:
    """One schedule on the StepDriver; gives the number of frames."""
    world = World(seed)
    world.add_host("C", "third", Third)
    world.add_host("B", "server", Server)
    world.add_host("A", "client", Client)
    monitor = Monitor([AnswersFit(world)])
    monitor.attach(world.watch)
    world.boot("C")
    world.boot("B")
    world.at(200_000, "boot A", lambda: world.boot("A"))
    StepDriver(world).run()
    monitor.finish(len(world.events))
    assert not monitor.violations
    return FRAMES


def in_trio(seed: int) -> int:
    """One schedule as a plain Trio program under a MockClock that jumps."""
    stream = Stream(seed, "latency")

    async def carry(into: Any, value: int) -> None:
        await trio.sleep(stream.between(20_000, 80_000) / 1e6)
        await into.send(value)

    async def server(asks: Any, forward: Any, replies: Any, answers: Any) -> None:
        async for value in asks:
            await carry(forward, value)
            await carry(answers, await replies.receive())

    async def third(forwarded: Any, replies: Any) -> None:
        async for value in forwarded:
            await carry(replies, value)

    async def main() -> None:
        a_out, a_in = trio.open_memory_channel[int](math.inf)
        f_out, f_in = trio.open_memory_channel[int](math.inf)
        r_out, r_in = trio.open_memory_channel[int](math.inf)
        b_out, b_in = trio.open_memory_channel[int](math.inf)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(server, a_in, f_out, r_in, b_out)
            nursery.start_soon(third, f_in, r_out)
            for number in range(1, ROUNDS + 1):
                await carry(a_out, number)
                assert await b_in.receive() == number
            nursery.cancel_scope.cancel()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    return FRAMES


def in_detangle(seed: int) -> int:
    """One schedule as an asyncio program under detangle's loop."""
    import detangle

    stream = Stream(seed, "latency")

    async def carry(into: asyncio.Queue[int], value: int) -> None:
        await asyncio.sleep(stream.between(20_000, 80_000) / 1e6)
        into.put_nowait(value)

    async def main() -> None:
        asks, forwards, replies, answers = (asyncio.Queue[int]() for _ in range(4))

        async def server() -> None:
            while True:
                await carry(forwards, await asks.get())
                await carry(answers, await replies.get())

        async def third() -> None:
            while True:
                await carry(replies, await forwards.get())

        tasks = [asyncio.create_task(server()), asyncio.create_task(third())]
        for number in range(1, ROUNDS + 1):
            await carry(asks, number)
            assert await answers.get() == number
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    detangle.run(main)
    return FRAMES


def in_simpy(seed: int) -> int:
    """One schedule as simpy processes."""
    import simpy

    stream = Stream(seed, "latency")
    env = simpy.Environment()
    asks, forwards, replies, answers = (simpy.Store(env) for _ in range(4))

    def carry(into: Any, value: int) -> Generator[Any, Any, None]:
        yield env.timeout(stream.between(20_000, 80_000))
        yield into.put(value)

    def server() -> Generator[Any, Any, None]:
        while True:
            value = yield asks.get()
            yield from carry(forwards, value)
            value = yield replies.get()
            yield from carry(answers, value)

    def third() -> Generator[Any, Any, None]:
        while True:
            value = yield forwards.get()
            yield from carry(replies, value)

    def client() -> Generator[Any, Any, None]:
        for number in range(1, ROUNDS + 1):
            yield from carry(asks, number)
            value = yield answers.get()
            assert value == number

    env.process(server())
    env.process(third())
    env.run(until=env.process(client()))
    return FRAMES
