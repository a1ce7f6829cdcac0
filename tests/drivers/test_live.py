"""Over real sockets the run is the simulated one, only slower."""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio

from sim.core import op
from sim.core.actor import Actor, CloseReason
from sim.core.errors import LocalProtocolError, UsageError
from sim.core.event import BadFrame, ConnectionRefused, FrameDelivered, Noted
from sim.core.op import Connection, Frame, OpaqueFrame
from sim.core.trace import digest_of
from sim.drivers.live import LiveDriver
from sim.drivers.step import StepDriver
from sim.world import fault
from sim.world.world import World
from tests.drivers.worlds import Text, random_world

pytestmark = pytest.mark.usefixtures("new_garbage_only")

LIMIT_US = 1_500_000
FAST = 100.0


class CountingCodec:
    """JSON texts of :class:`Text`, and what went through."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, frame: Frame) -> str:
        return json.dumps(frame.wire)

    def decode(self, text: str) -> Frame:
        self.texts.append(text)
        try:
            wire = json.loads(text)
            return Text(wire["type"], wire["number"])
        except ValueError:
            return OpaqueFrame(text, "no JSON", None)


def live(world: World, limit_us: int = LIMIT_US, **options: Any) -> CountingCodec:
    """Run a world live, within bounds."""
    codec = CountingCodec()

    async def main() -> None:
        with trio.fail_after(30):
            await LiveDriver(world, codec, FAST, **options).run_async(limit_us=limit_us)

    trio.run(main)
    return codec


def open_files() -> int:
    gc.collect()
    return len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0


@pytest.mark.parametrize("seed", range(15))
def test_the_live_run_is_the_simulated_run(seed: int) -> None:
    stepped, real = random_world(seed), random_world(seed)
    StepDriver(stepped).run(limit_us=LIMIT_US)
    before = open_files()
    codec = live(real)
    assert digest_of(real.events) == digest_of(stepped.events)
    delivered = [event for event in real.events if isinstance(event, FrameDelivered)]
    assert len(codec.texts) == len(delivered)
    assert open_files() == before


class Chatter(Actor):
    """Sends three frames as soon as it is connected, and notes what happens to it."""

    async def on_start(self) -> None:
        conn = await self.perform(op.Dial("S", "lane"))
        if conn is not None:
            for number in range(3):
                await self.perform(op.Send(conn, Text("ping", number)))

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        await self.perform(op.Note("closed", {"code": close.code, "reason": close.reason}))


class Answerer(Actor):
    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        if not isinstance(frame, OpaqueFrame):
            await self.perform(op.Send(conn, Text("pong", frame.wire["number"])))

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        await self.perform(op.Note("closed", {"code": close.code, "reason": close.reason}))


def chat(server: type[Actor] = Answerer, client: type[Actor] = Chatter) -> World:
    world = World(5)
    world.add_host("S", "server", server)
    world.add_host("D", "desktop", client)
    world.boot("S")
    world.boot("D")
    return world


Script = Callable[[World], None]


def _at(at_us: int, act: Callable[[World], None]) -> Script:
    return lambda world: void(world.at(at_us, "script", lambda: act(world)))


def void(_: object) -> None:
    """Scripts give nothing back."""


SCRIPTS: dict[str, tuple[Script, ...]] = {
    "fin while frames fly both ways": (
        _at(110_000, lambda w: fault.cut(w, w.links["D.lane#1"], "fin")),
    ),
    "rst while frames fly both ways": (
        _at(110_000, lambda w: fault.cut(w, w.links["D.lane#1"], "rst")),
    ),
    "silent, then healed": (
        _at(110_000, lambda w: fault.cut(w, w.links["D.lane#1"], "silent")),
        _at(400_000, lambda w: fault.heal(w, w.links["D.lane#1"])),
    ),
    "silent, then cut": (
        _at(110_000, lambda w: fault.cut(w, w.links["D.lane#1"], "silent")),
        _at(400_000, lambda w: fault.cut(w, w.links["D.lane#1"], "fin")),
    ),
    "cut while dialling": (
        _at(5_000, lambda w: fault.cut(w, w.links["D.lane#1"], "rst")),
    ),
    "cut while accepting": (
        _at(80_000, lambda w: fault.cut(w, w.links["D.lane#1"], "fin")),
    ),
    "the server crashes and comes back": (
        _at(110_000, lambda w: fault.crash(w, "S")),
        _at(300_000, lambda w: fault.restart(w, "S")),
        _at(500_000, lambda w: fault.crash(w, "D")),
        _at(600_000, lambda w: fault.restart(w, "D")),
    ),
    "the client crashes while it is accepted": (
        _at(80_000, lambda w: fault.crash(w, "D")),
        _at(90_000, lambda w: fault.restart(w, "D")),
    ),
    "held and released": (
        _at(110_000, lambda w: fault.hold(w, w.links["D.lane#1"].client)),
        _at(400_000, lambda w: fault.release(w, w.links["D.lane#1"].client)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_fault_means_the_same_over_real_sockets(name: str) -> None:
    worlds = chat(), chat()
    for world in worlds:
        for script in SCRIPTS[name]:
            script(world)
    StepDriver(worlds[0]).run(limit_us=LIMIT_US)
    live(worlds[1])
    assert worlds[1].events == worlds[0].events or digest_of(worlds[1].events) == digest_of(
        worlds[0].events
    )


def test_a_close_code_and_reason_go_over_the_wire() -> None:
    class Closer(Answerer):
        async def on_frame(self, conn: Connection, frame: Frame) -> None:
            await self.perform(op.Close(conn, 4003, "replaced"))

    stepped, real = chat(Closer), chat(Closer)
    StepDriver(stepped).run()
    live(real)
    assert digest_of(real.events) == digest_of(stepped.events)
    assert '"code":4003' in json.dumps([e.data for e in real.events if hasattr(e, "data")],
                                       separators=(",", ":"))  # fmt: skip


def test_a_frame_reaches_its_actor_as_it_was_parsed_from_the_wire() -> None:
    got: list[Any] = []

    class Keeper(Answerer):
        async def on_frame(self, conn: Connection, frame: Frame) -> None:
            got.append(frame)

    world = chat(Keeper)
    sent: list[Any] = []
    world.watch(FrameDelivered, lambda event: sent.append(world.events[event.sent]))
    live(world)
    assert len(got) == 3
    assert [frame.wire for frame in got] == [event.frame.wire for event in sent]
    assert not [frame for frame, event in zip(got, sent, strict=True) if frame is event.frame]


def test_a_text_that_the_parser_refuses_is_a_bad_frame() -> None:
    class Babbler(Chatter):
        async def on_start(self) -> None:
            conn = await self.perform(op.Dial("S", "lane"))
            await self.perform(op.Send(conn, OpaqueFrame("{", "no JSON")))

    world = chat(client=Babbler)
    codec = live(world)
    assert codec.texts == ["{"]
    assert [e.error for e in world.events if isinstance(e, BadFrame)] == ["no JSON"]


def test_a_dial_to_a_host_that_is_down_is_refused_by_the_operating_system() -> None:
    class Persistent(Actor):
        async def on_start(self) -> None:
            for _ in range(3):
                await self.perform(op.Dial("S", "lane"))
                await self.perform(op.Sleep(300_000))

    worlds = chat(client=Persistent), chat(client=Persistent)
    for world in worlds:
        world.at(200_000, "crash", lambda world=world: fault.crash(world, "S"))  # type: ignore
    StepDriver(worlds[0]).run()
    live(worlds[1])
    assert digest_of(worlds[1].events) == digest_of(worlds[0].events)
    assert len([e for e in worlds[1].events if isinstance(e, ConnectionRefused)]) == 2


def test_a_dial_that_the_server_turns_away_brings_its_status_over_the_wire() -> None:
    class Doorkeeper(Answerer):
        def refusal_of(self, conn: Connection) -> int:
            return 0 if conn.info == "please" else 403

    class Persistent(Actor):
        async def on_start(self) -> None:
            for words in (None, "please", "now", "please"):
                answer = await self.perform(op.Dial("S", "lane", words))
                status = getattr(answer, "status", 0)
                await self.perform(op.Note("answer", {"status": status}))

    worlds = chat(Doorkeeper, Persistent), chat(Doorkeeper, Persistent)
    for world in worlds:
        fault.refuse(world, "D", "lane", 503)
    StepDriver(worlds[0]).run()
    live(worlds[1])
    assert digest_of(worlds[1].events) == digest_of(worlds[0].events)
    refused = [e.status for e in worlds[1].events if isinstance(e, ConnectionRefused)]
    assert refused == [503, 403]
    answers = [e.data["status"] for e in worlds[1].events if isinstance(e, Noted)]
    assert answers[:4] == [503, 0, 403, 0]


def test_a_port_in_use_is_named_with_what_to_do() -> None:
    world = chat()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=rf"S cannot listen on 127.0.0.1:{port}.*another port"):
            live(world, ports={"S": port})
    live(world)  # nothing has happened to it
    assert len(world.events) > 10


@pytest.mark.parametrize("speed", [0, -1, float("nan")])
def test_a_speed_that_is_none_is_refused(speed: float) -> None:
    with pytest.raises(UsageError, match="speed"):
        LiveDriver(World(), CountingCodec(), speed)


def test_a_handler_that_raises_ends_the_run_as_it_is_and_closes_all() -> None:
    class Clumsy(Answerer):
        async def on_frame(self, conn: Connection, frame: Frame) -> None:
            raise LocalProtocolError("stumbled")

    before = open_files()
    with pytest.raises(LocalProtocolError, match="stumbled"):
        live(chat(Clumsy))
    assert open_files() == before


def test_a_codec_that_raises_ends_the_run_as_it_is() -> None:
    class Broken(CountingCodec):
        def decode(self, text: str) -> Frame:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        LiveDriver(chat(), Broken(), FAST).run(limit_us=LIMIT_US)


def test_ctrl_c_closes_everything() -> None:
    world = chat()
    world.at(300_000, "ctrl-c", lambda: os.kill(os.getpid(), signal.SIGINT))
    before = open_files()
    with pytest.raises(KeyboardInterrupt):
        LiveDriver(world, CountingCodec(), FAST).run(limit_us=60_000_000)
    assert open_files() == before


def test_a_run_in_two_stretches_connects_again_and_goes_on() -> None:
    stepped, real = random_world(2), random_world(2)
    StepDriver(stepped).run(limit_us=LIMIT_US)
    driver = LiveDriver(real, CountingCodec(), FAST)
    driver.run(limit_us=300_000)
    driver.run(limit_us=LIMIT_US)
    assert digest_of(real.events) == digest_of(stepped.events)


def test_time_follows_the_clock_and_never_goes_back() -> None:
    world = chat()

    async def main() -> float:
        began = trio.current_time()
        with trio.fail_after(10):
            await LiveDriver(world, CountingCodec(), 10.0).run_async(limit_us=1_000_000)
        return trio.current_time() - began

    assert trio.run(main) >= 0.1
    assert world.now == 1_000_000
    times = [event.at for event in world.events]
    assert times == sorted(times)


def test_a_socket_that_the_system_closes_is_a_cut() -> None:
    world = chat()
    driver = LiveDriver(world, CountingCodec(), FAST)

    async def main() -> None:
        with trio.fail_after(10):
            async with driver.opened(), trio.open_nursery() as nursery:
                await driver.run_async(limit_us=500_000)
                assert driver._wire is not None
                (transport,) = driver._wire._transports.values()
                await transport.sockets[transport.link.client].reset()
                nursery.start_soon(lambda: driver.run_async(limit_us=10_000_000))

    trio.run(main)
    closed = [event for event in world.events if type(event).__name__ == "ConnectionClosed"]
    assert sorted((e.host, e.code, e.reason) for e in closed) == [  # type: ignore[attr-defined]
        ("D", 1006, "socket closed"),
        ("S", 1006, "socket closed"),
    ]
