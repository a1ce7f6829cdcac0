"""B5: how soon a large trace can be looked at, and what a jump in it costs.

Open to first paint is the time from the file's name to the first screen of the
Replay view, divided by ``json.loads`` of all lines of the file. A jump goes to a
place that was never looked at and paints it; its median is in milliseconds.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from sim.core.entropy import Stream
from sim.core.trace import Header, Trace, write_trace
from sim.view.snapshots import SceneSnapshots
from tests.benchmarks.load import Load
from tests.benchmarks.measure import Ratio
from tests.view.traces import MADE_UP, made_up_events

SIZE = (120, 36)
JUMPS = 40


def b5(rounds: int) -> Iterator[Ratio]:
    """Twins' trace of 100,000 frames, then a made-up one of a million."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "twins.jsonl"
        write_trace(path, twins(100_000), SceneSnapshots())
        yield from _of(path, "100k frames", rounds)
        path = Path(folder) / "million.jsonl"
        write_trace(path, Trace(MADE_UP, made_up_events(1_000_000)), SceneSnapshots())  # type: ignore[arg-type]
        yield from _of(path, "1M frames", max(rounds // 2, 2))


def _of(path: Path, what: str, rounds: int) -> Iterator[Ratio]:
    opened, jumps = [], []
    for _ in range(rounds):
        loaded = _loads(path)
        first, jumped = measure(path)
        opened.append(first / loaded)
        jumps.append(statistics.median(jumped) * 1000)
    size = f"{path.stat().st_size / 1e6:.0f} MB"
    yield Ratio("B5", f"{what}: open to first paint ÷ json.loads", "≤ 0.15", tuple(opened), size)
    yield Ratio("B5", f"{what}: median jump with paint, ms", "≤ 50", tuple(jumps), size)


def twins(frames: int) -> Trace:
    """A trace of the shipped twins with about so many frames."""
    load = Load(20, frames // 20 // 9, judged=False)
    load.boot()
    from sim.drivers.step import StepDriver

    StepDriver(load.world).run(load.over)
    hosts = tuple((host.name, host.kind) for host in load.world.hosts.values())
    shown = tuple(host for host in hosts if host[1] != "person")[:6]
    trace = Trace(Header(scenario="load", protocol="hook", hosts=shown), load.world.events)
    load.world.close()
    return trace


def _loads(path: Path) -> float:
    start = time.perf_counter()
    with path.open("rb") as file:
        for line in file:
            json.loads(line)
    return time.perf_counter() - start


def measure(path: Path) -> tuple[float, list[float]]:
    """(seconds to the first paint, seconds of each jump)."""
    from tui.app import HooktwinApp
    from tui.session import Session

    async def look() -> tuple[float, list[float]]:
        start = time.perf_counter()
        app = HooktwinApp(Session.of_file(path))
        async with app.run_test(size=SIZE) as pilot:
            while not app.screen.query("DiagramView") or not _painted(app):
                await pilot.pause()
            first = time.perf_counter() - start
            return first, [await _jump(app, pilot, n) for n in _places(app)]

    return asyncio.run(look())


def _places(app: object) -> list[int]:
    draw = Stream(5, "jumps")
    last = app.screen.session.last  # type: ignore[attr-defined]
    return [draw.between(0, last) for _ in range(JUMPS)]


def _painted(app: object) -> bool:
    view = app.screen.query_one("DiagramView")  # type: ignore[attr-defined]
    return bool(view.window) and view.rendered > 10


async def _jump(app: object, pilot: object, step: int) -> float:
    start = time.perf_counter()
    app.screen.go(step)  # type: ignore[attr-defined]
    app.screen._compositor.render_strips()  # type: ignore[attr-defined]
    took = time.perf_counter() - start
    await pilot.pause()  # type: ignore[attr-defined]
    return took
