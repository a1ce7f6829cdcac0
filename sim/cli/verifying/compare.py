"""Runs workers, compares what they answer, and names the first event that differs."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

import attrs

HASH_SEEDS = ("1", "2")


@attrs.frozen
class Plan:
    """What is to be compared."""

    scenario: str
    seeds: int
    drivers: tuple[str, ...]
    processes: int
    without: tuple[str, ...] = ()

    @property
    def workers(self) -> list[tuple[str, str]]:
        """Name and PYTHONHASHSEED of each process."""
        return [(f"p{n + 1}h{h}", h) for n in range(self.processes) for h in HASH_SEEDS]

    @property
    def runs_per_seed(self) -> int:
        return len(self.workers) * len(self.drivers)


@attrs.frozen
class Answer:
    """One run of one worker."""

    worker: str
    hash_seed: str
    seed: int
    driver: str
    digest: str
    steps: int
    trace: Path
    ok: bool = True


@attrs.frozen
class SeedVerdict:
    """All runs of a seed were the same; ``ok``: and the scenario holds with it."""

    seed: int
    digest: str
    steps: int
    runs: int
    ok: bool = True


@attrs.frozen
class Difference:
    """Two runs of one seed, and the first event where they part."""

    plan: Plan
    left: Answer
    right: Answer
    position: int | None
    left_event: str
    right_event: str

    def lines(self) -> Iterator[str]:
        """What a person should know and paste."""
        yield f"✗ seed {self.left.seed}: the runs part at event {self.position}"
        for answer, event in ((self.left, self.left_event), (self.right, self.right_event)):
            yield f"  {answer.driver}, PYTHONHASHSEED={answer.hash_seed}: {event}"
        for answer in (self.left, self.right):
            yield f"  see: PYTHONHASHSEED={answer.hash_seed} {self._command(answer)}"

    def _command(self, answer: Answer) -> str:
        words = ["hooktwin", "run", self.plan.scenario, "--seed", str(answer.seed)]
        for rule in self.plan.without:
            words += ["--without", rule]
        return shlex.join([*words, "--driver", answer.driver, "--show", "all"])

    def to_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "seed": self.left.seed,
            "event": self.position,
            "left": _run_json(self.left, self.left_event),
            "right": _run_json(self.right, self.right_event),
        }


def _run_json(answer: Answer, event: str) -> dict[str, Any]:
    return {
        "driver": answer.driver,
        "hash_seed": answer.hash_seed,
        "digest": answer.digest,
        "event": event,
    }


@attrs.define
class Comparison:
    """What has been compared so far."""

    plan: Plan
    seeds: list[SeedVerdict] = attrs.field(factory=list)
    difference: Difference | None = None
    crash: str | None = None
    interrupted: bool = False

    def verdict(self) -> str:
        """How many seeds and runs there were, and what the scenario says of them."""
        runs = sum(seed.runs for seed in self.seeds)
        failing = sum(not seed.ok for seed in self.seeds)
        count = f"{len(self.seeds)} seed{'' if len(self.seeds) == 1 else 's'}, {runs} runs"
        holds = "the scenario holds with each"
        if failing:
            holds = f"{failing} of {len(self.seeds)} seeds fail the scenario"
        same = "all runs of a seed are the same"
        return f"{count}: {same}; {holds}" if self.seeds else f"{count}: nothing was compared"

    def to_json(self) -> dict[str, Any]:
        """For ``--json``."""
        complete = len(self.seeds) == self.plan.seeds
        return {
            "ok": complete and self.difference is None and self.crash is None,
            "scenario": self.plan.scenario,
            "drivers": list(self.plan.drivers),
            "runs_per_seed": self.plan.runs_per_seed,
            "seeds": [attrs.asdict(seed) for seed in self.seeds],
            "difference": self.difference.to_json() if self.difference else None,
            "error": self.crash,
            "interrupted": self.interrupted,
        }


class Worker:
    """A process of its own with its answers, read by a thread."""

    def __init__(self, plan: Plan, name: str, hash_seed: str, folder: Path) -> None:
        self.name, self.hash_seed = name, hash_seed
        self.answers: SimpleQueue[Answer | None] = SimpleQueue()
        self.tail: deque[str] = deque(maxlen=12)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sim.cli.verifying.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            # Ctrl-C is for the parent alone: a run that it cuts short looks like a difference.
            start_new_session=True,
            env={**_environment(), "PYTHONHASHSEED": hash_seed, "PYTHONIOENCODING": "utf-8"},
        )
        job = {
            "name": name,
            "folder": str(folder),
            "scenario": plan.scenario,
            "seeds": plan.seeds,
            "drivers": plan.drivers,
            "without": plan.without,
        }
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self.process.stdin.write(json.dumps(job))
        self.process.stdin.close()
        self._threads = [
            threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True),
            threading.Thread(target=self._listen, args=(self.process.stderr,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read(self, stdout: IO[str]) -> None:
        for line in stdout:
            said = json.loads(line)
            said["trace"] = Path(said["trace"])
            self.answers.put(Answer(self.name, self.hash_seed, **said))
        self.answers.put(None)

    def _listen(self, stderr: IO[str]) -> None:
        for line in stderr:
            self.tail.append(line.rstrip("\n"))

    def stop(self) -> None:
        """End the process, if it has not ended by itself."""
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()
        for thread in self._threads:
            thread.join()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream
            stream.close()


def _environment() -> dict[str, str]:
    """Ours; a worker of a source tree must find the same tree, wherever it is started."""
    root = Path(__file__).resolve().parents[3]
    if not (root / "pyproject.toml").exists():
        return dict(os.environ)
    paths = [str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def compare(plan: Plan) -> Comparison:
    """Run everything; stops at the first difference, failure or Ctrl-C."""
    from rich.progress import Progress

    from sim.cli.terminal import console

    comparison = Comparison(plan)
    with tempfile.TemporaryDirectory(prefix="hooktwin-verify-") as folder:
        workers: list[Worker] = []
        try:
            workers += (Worker(plan, name, h, Path(folder)) for name, h in plan.workers)
            with Progress(console=console(stderr=True), transient=True) as progress:
                task = progress.add_task("seeds", total=plan.seeds)
                for _ in range(plan.seeds):
                    if not _compare_seed(comparison, workers):
                        break
                    progress.advance(task)
        except KeyboardInterrupt:
            comparison.interrupted = True
        finally:
            for worker in workers:
                worker.stop()
    return comparison


def _compare_seed(comparison: Comparison, workers: list[Worker]) -> bool:
    """Collect all runs of the next seed; whether they are the same."""
    answers: list[Answer] = []
    for worker in workers:
        for _ in comparison.plan.drivers:
            answer = worker.answers.get()
            if answer is None:
                worker.process.wait()
                comparison.crash = "\n".join(worker.tail) or "the process ended without a word"
                return False
            answers.append(answer)
    first = answers[0]
    for other in answers[1:]:
        if other.digest != first.digest:
            comparison.difference = _difference(comparison.plan, first, other)
            return False
    for answer in answers:
        answer.trace.unlink(missing_ok=True)
    verdict = SeedVerdict(first.seed, first.digest, first.steps, len(answers), first.ok)
    comparison.seeds.append(verdict)
    return True


def _difference(plan: Plan, left: Answer, right: Answer) -> Difference:
    from sim.core.trace import encode_event, first_difference, read_trace

    ours, theirs = read_trace(left.trace).events, read_trace(right.trace).events
    position = first_difference(ours, theirs)
    told = [
        encode_event(events[position]).decode()
        if position is not None and position < len(events)
        else "(the run is over)"
        for events in (ours, theirs)
    ]
    return Difference(plan, left, right, position, *told)
