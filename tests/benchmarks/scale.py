"""``python -m tests.benchmarks.scale [--desktops N] [--tasks N]``: many desktops in one run.

Each task goes the whole way (see ``load``), on the fast driver, with all
invariants on. What is printed are absolute figures, so they say something
about this machine only. Ctrl-C stops the run; what was done by then is told.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from sim.drivers.step import StepDriver
from tests.benchmarks.load import Load

LOOK_EVERY = 4_096
"""Steps between two looks at the clock, the memory and the progress bar."""


class Window:
    """The newest events of a trace, numbered as if all of them were there."""

    def __init__(self, keep: int) -> None:
        self.keep = keep
        self.first = 0
        self.events: list[Any] = []

    def __len__(self) -> int:
        return self.first + len(self.events)

    def __getitem__(self, n: int) -> Any:
        if n < self.first:
            raise IndexError(f"event {n} was dropped; --keep more than {self.keep}")
        return self.events[n - self.first]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.events)

    def append(self, event: Any) -> None:
        """The next event; now and then the older half is forgotten."""
        self.events.append(event)
        if len(self.events) >= 2 * self.keep:
            del self.events[: self.keep]
            self.first += self.keep


class Watch:
    """Asked after each step whether the run is over; looks at memory and time now and then."""

    def __init__(self, load: Load, memory_gib: float, progress: Progress) -> None:
        self.load = load
        self.memory_gib = memory_gib
        self.progress = progress
        self.task = progress.add_task("tasks", total=load.desktops * load.tasks)
        self.steps = 0
        self.out_of_memory = False

    def __call__(self) -> bool:
        self.steps += 1
        if self.steps % LOOK_EVERY == 0:
            self.progress.update(self.task, completed=self.load.done)
            self.out_of_memory = peak_gib() > self.memory_gib
        return self.out_of_memory or self.load.over()


def peak_gib() -> float:
    """The most memory that this process ever had."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30


def measure(args: argparse.Namespace, console: Console) -> tuple[Load, float, str]:
    """Run the load. → it, the real seconds, and how it ended."""
    load = Load(args.desktops, args.tasks, seed=args.seed, judged=not args.unjudged)
    if args.keep:
        load.world.events = Window(args.keep)  # type: ignore[assignment]
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    start = time.perf_counter()
    with Progress(*columns, console=console) as progress:
        watch = Watch(load, args.memory_gib, progress)
        with suppress(KeyboardInterrupt):
            load.boot()
            StepDriver(load.world).run(watch)
        progress.update(watch.task, completed=load.done)
    taken = time.perf_counter() - start
    if load.over():
        load.monitor.finish(len(load.world.events))
        return load, taken, "complete"
    return load, taken, "out of memory" if watch.out_of_memory else "interrupted"


def figures(load: Load, taken: float, ending: str) -> Iterator[tuple[str, str]]:
    """What is printed, line by line."""
    events = len(load.world.events)
    worked = time.process_time()
    yield "run", f"{load.desktops:,} desktops, {load.tasks} tasks each: {ending}"
    yield "tasks", f"{load.done:,} of {load.desktops * load.tasks:,}"
    yield "virtual seconds", f"{load.world.now / 1e6:,.1f}"
    yield "real seconds", f"{taken:,.1f}"
    yield "processor", f"{worked:,.1f} s"
    yield "frames", f"{load.frames:,} ({load.frames / worked:,.0f} per processor second)"
    yield "events", f"{events:,} ({events / worked:,.0f} per processor second)"
    yield "invariants", f"{len(load.monitor.invariants)}"
    yield "violations", f"{len(load.monitor.violations)}"
    yield "peak memory", f"{peak_gib():.2f} GiB"


def main(argv: list[str] | None = None) -> int:
    """Run and report. Exit code 1 unless it was complete and nothing was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.scale", description=__doc__)
    parser.add_argument("--desktops", type=int, default=10_000)
    parser.add_argument("--tasks", type=int, default=10, help="per desktop")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=int, default=0, help="keep only so many events (0: all)")
    parser.add_argument("--memory-gib", type=float, default=20.0, help="stop beyond this")
    parser.add_argument("--unjudged", action="store_true", help="without the invariants")
    args = parser.parse_args(argv)
    load, taken, ending = measure(args, Console(stderr=True))
    for name, value in figures(load, taken, ending):
        print(f"{name:<16} {value}")
    for violation in load.monitor.violations:
        print(f"{violation.invariant}: step {violation.step}: {violation.text}")
    load.world.close()
    return 0 if ending == "complete" and not load.monitor.violations else 1


if __name__ == "__main__":
    sys.exit(main())
