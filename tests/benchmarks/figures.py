"""The benchmarks themselves; each gives one or more ratios."""

from __future__ import annotations

import importlib.util
import math
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import trio

from sim.drivers.step import StepDriver, many_runs
from sim.drivers.trio_turnstile import TrioDriver
from tests.benchmarks import b9_parse, b11_check, exchange, search
from tests.benchmarks.b5_viewer import b5
from tests.benchmarks.load import Load
from tests.benchmarks.measure import Ratio, rate, seconds
from tests.benchmarks.question_load import QuestionLoad
from tests.benchmarks.relay_load import RelayLoad

DAY_US = 24 * 3600 * 1_000_000
PAIRS = 5_000


def ping_pong(pairs: int = PAIRS) -> int:
    """Messages of a bare Trio ping-pong over memory channels of size 0."""

    async def main() -> None:
        to_b, at_b = trio.open_memory_channel[int](0)
        to_a, at_a = trio.open_memory_channel[int](0)

        async def echo() -> None:
            async for value in at_b:
                await to_a.send(value)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(echo)
            for value in range(pairs):
                await to_b.send(value)
                await at_a.receive()
            nursery.cancel_scope.cancel()

    trio.run(main)
    return 2 * pairs


def b1(rounds: int) -> Iterator[Ratio]:
    """1,000 full tasks: latency, trace, all invariants on."""
    figures: dict[str, list[float]] = {"frames": [], "all": [], "trio": []}
    for _ in range(rounds):
        reference = rate(ping_pong)
        for driver, frames, everything in (
            (StepDriver, "frames", "all"), (TrioDriver, "trio", ""),
        ):  # fmt: skip
            load = Load(100, 10)
            load.boot()
            spent = seconds(lambda load=load, driver=driver: driver(load.world).run(load.over))
            assert load.over()
            assert not load.monitor.violations
            figures[frames].append(load.frames / spent / reference)
            if everything:
                figures[everything].append(load.messages() / spent / reference)
    note = f"{load.frames} frames, {load.messages()} messages, {len(load.world.events)} events"
    yield Ratio("B1", "frames/s, StepDriver ÷ Trio ping-pong", "≥ 0.5", (*figures["frames"],), note)
    what = "the same, API calls and replies counted too"
    yield Ratio("B1", what, "", (*figures["all"],), "a call is two messages")
    yield Ratio("B1", "frames/s, TrioDriver ÷ Trio ping-pong", "", (*figures["trio"],))
    yield from _relay_b1(rounds)
    yield from _question_b1(rounds)


def _relay_b1(rounds: int) -> Iterator[Ratio]:
    """3,000 commands of 100 controllers through a relay, all its invariants on, and off."""
    for name, judged in (("all oracles", True), ("no oracles", False)):
        figures = []
        for _ in range(rounds):
            reference = rate(ping_pong)
            load = RelayLoad(100, 30, judged=judged)
            load.boot()
            spent = seconds(lambda load=load: StepDriver(load.world).run(load.over))
            assert load.over()
            assert not load.monitor.violations
            figures.append(load.frames / spent / reference)
        what = f"relay, {name}: frames/s, StepDriver ÷ Trio ping-pong"
        yield Ratio("B1", what, "", tuple(figures), f"{load.frames} frames")


def _question_b1(rounds: int) -> Iterator[Ratio]:
    """100 questions of 100 sessions through a bridge, all its invariants on, and off."""
    for name, judged in (("all oracles", True), ("no oracles", False)):
        figures = []
        for _ in range(rounds):
            reference = rate(ping_pong)
            load = QuestionLoad(100, 1, judged=judged)
            load.boot()
            spent = seconds(lambda load=load: StepDriver(load.world).run(load.over))
            assert load.over()
            assert not load.monitor.violations
            figures.append(load.messages / spent / reference)
        what = f"question, {name}: requests and answers/s, StepDriver ÷ Trio ping-pong"
        note = f"{load.messages} messages, {len(load.world.events)} events"
        yield Ratio("B1", what, "", tuple(figures), note)


def b2(rounds: int) -> Iterator[Ratio]:
    """Schedules of a 20-frame exchange of three actors, from reset to verdict."""
    competitors: dict[str, tuple[Callable[[int], int], str]] = {
        "trio.run with MockClock": (exchange.in_trio, "≥ 4"),
    }
    if importlib.util.find_spec("detangle"):
        competitors["detangle"] = (exchange.in_detangle, "≥ 1.3")
    if importlib.util.find_spec("simpy"):
        competitors["simpy"] = (exchange.in_simpy, "")
    figures: dict[str, list[float]] = {name: [] for name in competitors}
    for _ in range(rounds):
        mine = rate(lambda: _searched(exchange.ours, 300))
        for name, (play, _goal) in competitors.items():
            figures[name].append(mine / rate(lambda play=play: _schedules(play, 60)))
    for name, (_play, goal) in competitors.items():
        what = f"schedules/s, 20 frames, 3 actors ÷ {name}"
        yield Ratio("B2", what, goal, tuple(figures[name]))
    yield from _question_b2(rounds)


def _question_b2(rounds: int) -> Iterator[Ratio]:
    """Schedules that a search of a question diagram tries, one fault of each kind added."""
    for name in ("double-tap", "custom-answer", "never-listed", "ttl-rejects"):
        figures = []
        for _ in range(rounds):
            mine = rate(lambda name=name: search.schedules(name, 30))
            figures.append(mine / rate(lambda: _schedules(exchange.in_trio, 60)))
        what = f"question, {name}: schedules/s of a search ÷ trio.run with MockClock"
        yield Ratio("B2", what, "", tuple(figures), "the other plays 20 frames")


def _schedules(play: Callable[[int], int], count: int) -> int:
    for seed in range(count):
        play(seed)
    return count


def _searched(play: Callable[[int], int], count: int) -> int:
    """The same as a search does it."""
    with many_runs() as after_run:
        for seed in range(count):
            play(seed)
            after_run()
    return count


def b6(rounds: int) -> Iterator[Ratio]:
    """Memory of an idle connected desktop ÷ an idle Trio task with a channel.

    A Trio task keeps no record and is judged by nobody; so the twins alone come
    first, and what the trace and all oracles keep of them beside it.
    """
    kinds = (("twins alone", False, False), ("and their trace", False, True),
             ("and all oracles", True, True))  # fmt: skip
    for name, judged, traced in kinds:
        figures = [
            _bytes_per_desktop(300, judged, traced) / _bytes_per_task(300) for _ in range(rounds)
        ]
        what = f"bytes per idle desktop, {name} ÷ idle Trio task"
        yield Ratio("B6", what, "≤ 1.0", tuple(figures), "less is better")


def _bytes_per_desktop(count: int, judged: bool, traced: bool) -> float:
    warm = Load(2, 0, judged=judged)  # what is made once per process
    warm.boot()
    StepDriver(warm.world).run(limit_us=5_000_000)
    warm.world.close()
    tracemalloc.start()
    before = tracemalloc.take_snapshot()
    load = Load(count, 0, judged=judged)
    load.boot()
    StepDriver(load.world).run(limit_us=5_000_000)
    if not traced:
        load.world.events.clear()
    after = tracemalloc.take_snapshot()
    tracemalloc.stop()
    load.world.close()
    return (_size(after) - _size(before)) / count


def _bytes_per_task(count: int) -> float:
    used = 0.0

    async def idle(channel: Any) -> None:
        await channel.receive()

    async def main() -> None:
        nonlocal used
        async with trio.open_nursery() as nursery:
            before = tracemalloc.take_snapshot()
            kept = [trio.open_memory_channel[int](0) for _ in range(count)]
            for _, receive in kept:
                nursery.start_soon(idle, receive)
            await trio.testing.wait_all_tasks_blocked()
            used = (_size(tracemalloc.take_snapshot()) - _size(before)) / count
            nursery.cancel_scope.cancel()

    tracemalloc.start()
    trio.run(main)
    tracemalloc.stop()
    return used


def _size(snapshot: tracemalloc.Snapshot) -> int:
    return sum(stat.size for stat in snapshot.statistics("filename"))


def b7(rounds: int) -> Iterator[Ratio]:
    """How the cost of a frame grows with the number of desktops."""
    sizes = (1, 10, 100, 1_000, 10_000)
    figures = []
    for _ in range(min(rounds, 3)):
        costs = [_cost(desktops) for desktops in sizes]
        figures.append(_slope([math.log(size) for size in sizes], [math.log(c) for c in costs]))
    what = "exponent of seconds per frame, 1 … 10,000 desktops"
    yield Ratio("B7", what, "≤ 0.15", tuple(figures), "less is better")
    yield from _relay_b7(rounds)
    yield from _question_b7(rounds)


def _relay_b7(rounds: int) -> Iterator[Ratio]:
    """The same for controllers of a relay with up to 100 nodes."""
    sizes = (1, 10, 100, 1_000, 10_000)
    figures = []
    for _ in range(min(rounds, 3)):
        costs = [_relay_cost(controllers) for controllers in sizes]
        figures.append(_slope([math.log(size) for size in sizes], [math.log(c) for c in costs]))
    what = "relay: exponent of seconds per frame, 1 … 10,000 controllers, 100 nodes"
    yield Ratio("B7", what, "≤ 0.15", tuple(figures), "less is better")


def _question_b7(rounds: int) -> Iterator[Ratio]:
    """The same for sessions that ask one after the other; the file holds what is open."""
    sizes = (1, 10, 100, 1_000)
    figures = []
    for _ in range(min(rounds, 3)):
        costs = [_question_cost(sessions) for sessions in sizes]
        figures.append(_slope([math.log(size) for size in sizes], [math.log(c) for c in costs]))
    what = "question: exponent of seconds per message, 1 … 1,000 sessions"
    yield Ratio("B7", what, "≤ 0.15", tuple(figures), "less is better")


def _question_cost(sessions: int) -> float:
    """Seconds per request or answer; small worlds run often enough to be measured."""
    messages, spent = 0, 0.0
    while messages < 7_000:
        load = QuestionLoad(sessions, max(1, 30 // sessions))
        load.boot()
        spent += seconds(lambda load=load: StepDriver(load.world).run(load.over))
        messages += load.messages
    return spent / messages


def _relay_cost(controllers: int) -> float:
    """Seconds per frame; small worlds run often enough to be measured."""
    frames, spent = 0, 0.0
    while frames < 3_000:
        load = RelayLoad(controllers, max(3, 300 // controllers))
        load.boot()
        spent += seconds(lambda load=load: StepDriver(load.world).run(load.over))
        frames += load.frames
    return spent / frames


def _cost(desktops: int) -> float:
    """Seconds per frame; small worlds run often enough to be measured."""
    frames = 0
    spent = 0.0
    tasks = max(1, 300 // desktops)
    while frames < 3_000:
        load = Load(desktops, tasks)
        load.boot()
        spent += seconds(lambda load=load: StepDriver(load.world).run(load.over))
        frames += load.frames
    return spent / frames


def _slope(xs: list[float], ys: list[float]) -> float:
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return above / sum((x - mean_x) ** 2 for x in xs)


def b9(rounds: int) -> Iterator[Ratio]:
    """Parsing frames ÷ json.loads of the same texts."""
    found: Any = b9_parse.run(rounds)
    what = "parse_hook_message ÷ json.loads (time)"
    yield Ratio("B9", what, "≤ 2.5", tuple(found["ratios"]), "less is better")


def b10(rounds: int) -> Iterator[Ratio]:
    """A day of heartbeats of 20 desktops, virtual ÷ real seconds."""
    figures = []
    for _ in range(min(rounds, 3)):
        load = Load(20, 0)
        load.boot()
        spent = seconds(lambda load=load: StepDriver(load.world).run(limit_us=DAY_US))
        figures.append(DAY_US / 1e6 / spent)
    note = f"{load.frames} frames"
    yield Ratio("B10", "virtual ÷ real seconds, 24 h, 20 desktops", "≥ 20,000", (*figures,), note)


ALL: dict[str, Callable[[int], Iterator[Ratio]]] = {
    "B1": b1, "B2": b2, "B3": search.b3, "B4": search.b4, "B5": b5, "B6": b6, "B7": b7,
    "B8": search.b8, "B9": b9, "B10": b10, "B11": b11_check.run,
}  # fmt: skip
