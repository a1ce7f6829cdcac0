"""A host written in Trio lives in the simulated world: same clock, same faults, same digest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio

from sim.core import ambient, op
from sim.core.actor import Actor, CloseReason
from sim.core.errors import FenceError, UsageError
from sim.core.event import BadFrame, ConnectionClosed, FrameLost, FrameSent, Noted
from sim.core.op import Connection, Frame, OpaqueFrame
from sim.core.trace import digest_of
from sim.drivers import websocket
from sim.drivers.step import StepDriver
from sim.drivers.trio_host import DialTo, GuestConnection, trio_host
from sim.drivers.trio_turnstile import TrioDriver
from sim.world import fault
from sim.world.link import End
from sim.world.world import World
from tests.drivers.worlds import Text


class TextCodec:
    """JSON texts of :class:`Text`; everything else is refused."""

    def encode(self, frame: Frame) -> str:
        return json.dumps(frame.wire)

    def decode(self, text: str) -> Frame:
        try:
            wire = json.loads(text)
            return Text(wire["type"], wire["number"])
        except (ValueError, KeyError, TypeError):
            return OpaqueFrame(text, "no frame of ours", None)


CODEC = TextCodec()


class Echo(Actor):
    """Answers each frame with its number plus one."""

    __slots__ = ()

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        if isinstance(frame, OpaqueFrame):
            return
        number = frame.wire["number"]
        await self.perform(op.Send(conn, Text("pong", number + 1)))

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        await self.perform(op.Note("closed", {"code": close.code, "reason": close.reason}))


def ping(number: int) -> str:
    return json.dumps({"type": "ping", "number": number})


@attrs.define
class Recorded:
    """A Trio program from a function; what it saw is kept outside of the world."""

    talk: Callable[[GuestConnection, list[Any]], Any]
    seen: list[Any]

    async def main(self, connection: GuestConnection) -> None:
        await self.talk(connection, self.seen)


def world_with(
    talk: Callable[[GuestConnection, list[Any]], Any],
    *,
    redial_us: int | None = None,
    seed: int = 1,
) -> tuple[World, list[Any]]:
    """An Echo server S and a Trio program D that dials it."""
    world = World(seed)
    seen: list[Any] = []
    world.add_host("S", "server", Echo)
    dial = DialTo("S", "lane", {"token": "t"}, redial_us)
    world.add_host("D", "desktop", trio_host(lambda: Recorded(talk, seen), CODEC, dial=dial))
    world.boot("S")
    world.boot("D")
    return world, seen


async def three_pings(connection: GuestConnection, seen: list[Any]) -> None:
    for number in range(3):
        await connection.send_message(ping(number))
        seen.append(json.loads(await connection.get_message())["number"])


def test_it_talks_to_an_actor_over_the_simulated_link() -> None:
    world, seen = world_with(three_pings)
    TrioDriver(world).run()
    assert seen == [1, 2, 3]
    kinds = [type(event).__name__ for event in world.events]
    assert kinds.count("FrameSent") == kinds.count("FrameDelivered") == 6
    closed = [event for event in world.events if isinstance(event, ConnectionClosed)]
    assert [(event.host, event.code, event.by) for event in closed] == [
        ("D", 1000, "D"),
        ("S", 1000, "D"),
    ]


def test_what_it_sends_is_caused_by_what_it_has_read() -> None:
    world, _ = world_with(three_pings)
    TrioDriver(world).run()
    sent = [e for e in world.events if isinstance(e, FrameSent) and e.sender == "D"]
    causes = [type(world.events[event.cause]).__name__ for event in sent]
    assert causes == ["ConnectionOpened", "FrameDelivered", "FrameDelivered"]


def test_its_sleeps_pass_in_virtual_time() -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        began = trio.current_time()
        await trio.sleep(3600)
        await connection.send_message(ping(0))
        seen.append(trio.current_time() - began)

    world, seen = world_with(talk)
    real = time.perf_counter()
    TrioDriver(world).run()
    assert seen == [3600]
    sent = next(event for event in world.events if isinstance(event, FrameSent))
    assert sent.at >= 3_600_000_000
    assert time.perf_counter() - real < 30


def test_the_host_clock_and_ids_in_its_tasks_come_from_the_simulation() -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        async def child() -> None:
            await trio.sleep(2)
            host = ambient.HOST.get()
            seen.append((host.now_ms(), host.new_id(), host.new_frame_id()))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(child)

    results = []
    for _ in range(2):
        world, seen = world_with(talk)
        fault.skew(world, "D", 5_000_000)
        TrioDriver(world).run()
        results.append(seen)
    assert results[0] == results[1]
    moment, _, frame_id = results[0][0]
    assert moment > 1_767_225_600_000 + 7_000
    assert frame_id == "D-1"


def test_a_text_that_the_parser_refuses_travels_and_is_a_bad_frame_at_the_twin() -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        await connection.send_message("what?")
        await connection.send_message(ping(1))
        seen.append(await connection.get_message())

    world, seen = world_with(talk)
    TrioDriver(world).run()
    (bad,) = [event for event in world.events if isinstance(event, BadFrame)]
    assert (bad.host, bad.error) == ("S", "no frame of ours")
    sent = world.events[bad.sent]
    assert isinstance(sent, FrameSent)
    assert sent.frame.wire == {"type": "(bad)", "text": "what?"}
    assert [json.loads(text)["number"] for text in seen] == [2]


def test_one_trio_program_reads_even_the_nonsense_of_another() -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        await connection.send_message("what?")

    async def listen(connection: GuestConnection, seen: list[Any]) -> None:
        seen.append(await connection.get_message())

    world = World()
    seen: list[Any] = []
    world.add_host("S", "server", trio_host(lambda: Recorded(listen, seen), CODEC))
    talker = trio_host(lambda: Recorded(talk, []), CODEC, dial=DialTo("S", "lane"))
    world.add_host("D", "desktop", talker)
    world.boot("S")
    world.boot("D")
    TrioDriver(world).run()
    assert seen == ["what?"]
    assert not [event for event in world.events if isinstance(event, BadFrame)]


def test_a_server_written_in_trio_gets_each_accepted_connection() -> None:
    class Dialler(Actor):
        async def on_start(self) -> None:
            conn = await self.perform(op.Dial("S", "lane", {"token": self.port.name}))
            if conn is not None:
                await self.perform(op.Send(conn, Text("hello", 1)))

        async def on_frame(self, conn: Connection, frame: Frame) -> None:
            await self.perform(op.Note("got", frame.wire))

    async def serve(connection: GuestConnection, seen: list[Any]) -> None:
        seen.append((connection.info, await connection.get_message()))
        await connection.send_message(ping(len(seen)))
        with pytest.raises(websocket.ConnectionClosed):
            await connection.get_message()

    world = World()
    seen: list[Any] = []
    world.add_host("S", "server", trio_host(lambda: Recorded(serve, seen), CODEC))
    for name in ("D", "E"):
        world.add_host(name, "desktop", Dialler)
    for name in ("S", "D", "E"):
        world.boot(name)
    TrioDriver(world).run()
    assert sorted(info["token"] for info, _ in seen) == ["D", "E"]
    got = [event.data["number"] for event in world.events if isinstance(event, Noted)]
    assert sorted(got) == [1, 2]


@pytest.mark.parametrize(("how", "code"), [("fin", 1006), ("rst", 1006)])
def test_a_cut_connection_raises_like_trio_websocket(how: str, code: int) -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        with pytest.raises(websocket.ConnectionClosed) as caught:
            await connection.get_message()
        assert caught.value.reason is not None
        seen.append(("get", caught.value.reason.code, caught.value.reason.reason))
        with pytest.raises(websocket.ConnectionClosed):
            await connection.send_message(ping(1))
        assert connection.closed is not None
        seen.append(connection.closed.code)
        await connection.aclose()

    world, seen = world_with(talk)
    world.at(1_000_000, "cut", lambda: fault.cut(world, world.links["D.lane#1"], how))
    TrioDriver(world).run()
    assert seen == [("get", code, how), code]


def test_what_came_before_the_close_can_still_be_read_and_what_was_sent_is_lost() -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        for number in range(2):
            await connection.send_message(ping(number))
        await trio.sleep(2)
        for _ in range(3):
            seen.append(await connection.get_message())

    world, seen = world_with(talk)
    world.at(1_000_000, "cut", lambda: fault.cut(world, world.links["D.lane#1"], "rst"))
    TrioDriver(world).run()
    assert [json.loads(text)["number"] for text in seen] == [1, 2]


def test_after_its_own_close_it_can_neither_send_nor_get() -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        await connection.send_message(ping(0))
        await trio.sleep(2)
        await connection.aclose(4001, "bye")
        await connection.aclose(4002, "again")
        for attempt in (connection.get_message, lambda: connection.send_message("x")):
            with pytest.raises(websocket.ConnectionClosed):
                await attempt()
        with pytest.raises(ValueError, match="str"):
            await connection.send_message(b"x")  # type: ignore[arg-type]

    world, _ = world_with(talk)
    TrioDriver(world).run()
    (closed,) = [event for event in world.events if isinstance(event, Noted)]
    assert closed.data == {"code": 4001, "reason": "bye"}


def test_a_lost_frame_is_lost_for_it_too() -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        await connection.send_message(ping(1))
        with trio.move_on_after(4):
            seen.append(await connection.get_message())

    world, seen = world_with(talk)

    def lose(event: FrameSent) -> None:
        end = world.links[event.link].client
        if event.sender == "D":
            world.at(world.now, "lose", lambda: fault.lose(world, end.flight[0]))  # type: ignore

    world.watch(FrameSent, lose)
    TrioDriver(world).run()
    assert seen == []
    assert [event.why for event in world.events if isinstance(event, FrameLost)] == ["lost"]
    assert world.now > 4_000_000


def test_a_crash_cancels_its_tasks_and_a_restart_begins_anew() -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        seen.append("begin")
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(trio.sleep_forever)
                for number in range(1_000):
                    await connection.send_message(ping(number))
                    await trio.sleep(0.3)
        finally:
            seen.append("end")
            with trio.CancelScope(shield=True):
                await connection.aclose()

    world, seen = world_with(talk)
    world.at(1_000_000, "crash", lambda: fault.crash(world, "D"))
    world.at(2_000_000, "restart", lambda: fault.restart(world, "D"))
    TrioDriver(world).run(limit_us=3_000_000)
    assert seen == ["begin", "end", "begin", "end"]
    sent = [event.at for event in world.events if isinstance(event, FrameSent)]
    assert not [at for at in sent if 1_100_000 < at < 2_000_000]
    assert [at for at in sent if at > 2_000_000]


def test_it_dials_again_when_told_to() -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        seen.append(connection.end.name)
        await connection.get_message()

    world, seen = world_with(talk, redial_us=500_000)
    world.at(1_000_000, "cut", lambda: fault.cut(world, world.links["D.lane#1"]))
    world.at(3_000_000, "crash", lambda: fault.crash(world, "S"))
    world.at(4_200_000, "restart", lambda: fault.restart(world, "S"))
    TrioDriver(world).run(limit_us=8_000_000)
    assert seen[:2] == ["D.lane#1", "D.lane#2"]
    assert len(seen) == 3


def test_a_closed_lid_holds_back_what_it_sends() -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        await trio.sleep(1)
        await connection.send_message(ping(1))

    world, _ = world_with(talk)
    world.at(500_000, "lid", lambda: fault.sleep(world, "D", 2_000_000))
    TrioDriver(world).run()
    assert next(event.at for event in world.events if isinstance(event, FrameSent)) == 2_500_000


def test_an_exception_of_its_own_ends_the_run_as_it_is() -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        await trio.sleep(1)
        raise KeyError("oops")

    world, _ = world_with(talk)
    with pytest.raises(KeyError, match="oops") as caught:
        TrioDriver(world).run()
    assert caught.value.__notes__ == ["in D/main at step 3"]


def test_it_may_end_by_connection_closed_even_in_a_nursery() -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(connection.get_message)

    world, _ = world_with(talk)
    world.at(1_000_000, "cut", lambda: fault.cut(world, world.links["D.lane#1"]))
    TrioDriver(world).run()


def test_the_fence_stands_around_it() -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        time.time()

    world, _ = world_with(talk)
    with pytest.raises(FenceError, match=f"{__file__}.*trio.current_time"):
        TrioDriver(world).run()


def test_it_opens_no_real_sockets() -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        await trio.open_tcp_stream("127.0.0.1", 9)

    world, _ = world_with(talk)
    with pytest.raises(FenceError, match=__file__):
        TrioDriver(world).run()


def test_the_step_driver_says_that_it_cannot_run_it() -> None:
    world, _ = world_with(three_pings)
    with pytest.raises(UsageError, match="TrioDriver"):
        StepDriver(world).run()


def test_a_second_run_says_that_its_tasks_are_gone() -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        await trio.sleep_forever()

    world, _ = world_with(talk)
    driver = TrioDriver(world)
    driver.run(limit_us=1_000_000)
    with pytest.raises(UsageError, match="opened"):
        driver.run(limit_us=2_000_000)


def test_a_run_is_not_settled_while_it_takes_a_short_nap() -> None:
    async def talk(connection: GuestConnection, seen: list[Any]) -> None:
        await trio.sleep(2)
        await connection.send_message(ping(1))
        await connection.get_message()
        await trio.sleep(3600)

    world, _ = world_with(talk)
    TrioDriver(world).run(world.settled)
    assert len([event for event in world.events if isinstance(event, FrameSent)]) == 2
    assert world.now < 3_000_000


RACE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from tests.drivers.test_trio_host import race_digest
print(json.dumps([race_digest(seed) for seed in range(3) for _ in range(20)]))
"""


async def race(connection: GuestConnection, seen: list[Any]) -> None:
    """Three tasks race for one channel and one connection; the winner differs by seed."""
    send, receive = trio.open_memory_channel[int](1)

    async def produce(which: int) -> None:
        for number in range(10):
            await send.send(which * 100 + number)
            if number % 3 == 0:
                await trio.sleep(0.01)

    async def forward() -> None:
        async for number in receive:
            await connection.send_message(ping(number))
            if number % 100 == 9:
                await trio.sleep(0.005)

    async with trio.open_nursery() as nursery:
        for which in range(3):
            nursery.start_soon(produce, which)
        nursery.start_soon(forward)
        nursery.start_soon(forward)
        for _ in range(30):
            seen.append(json.loads(await connection.get_message())["number"])
        nursery.cancel_scope.cancel()


def race_digest(seed: int) -> str:
    """The digest of one racing run, with a fault in it."""
    world, seen = world_with(race, seed=seed)

    def end() -> End:
        return world.links["D.lane#1"].client

    world.at(200_000, "hold", lambda: fault.hold(world, end()))
    world.at(260_000, "release", lambda: fault.release(world, end()))
    TrioDriver(world).run(limit_us=5_000_000)
    assert len(seen) == 30
    return digest_of(world.events)


def test_racing_tasks_give_one_digest_in_every_process() -> None:
    root = str(Path(__file__).parents[2])
    results = []
    for hash_seed in ("1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", RACE, root],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        results.append(json.loads(done.stdout))
    assert results[0] == results[1]
    for seed in range(3):
        assert len(set(results[0][seed * 20 : seed * 20 + 20])) == 1
    assert len(set(results[0])) == 3


def test_the_seed_decides_who_wins_a_race() -> None:
    orders = set()
    for seed in range(8):
        world, seen = world_with(race, seed=seed)
        world.latencies["D", "S"] = world.latencies["S", "D"] = (1_000, 1_000)
        TrioDriver(world).run(limit_us=5_000_000)
        orders.add(tuple(seen))
    assert len(orders) > 1
