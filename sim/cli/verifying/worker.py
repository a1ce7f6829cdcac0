"""A process that plays a scenario with many seeds: ``python -m sim.cli.verifying.worker``.

It reads one job as JSON from stdin and answers with one JSON line per run.
Each run's trace is written beside, so that two runs that differ can be
compared event by event: running them again might not repeat the difference.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

LIVE_SPEED = 1_000.0
"""Virtual seconds per second; a live run waits for its frames, so haste changes nothing."""


def work(job: dict[str, Any]) -> None:
    """Play every seed with every driver."""
    from sim.core.trace import write_trace
    from sim.play import load, play

    scenario = load(job["scenario"])
    for seed in range(1, job["seeds"] + 1):
        for driver in job["drivers"]:
            result = play(
                scenario, seed=seed, without=job["without"], driver=driver, speed=LIVE_SPEED
            )
            path = Path(job["folder"]) / f"{job['name']}-{seed}-{driver}.jsonl"
            write_trace(path, result.trace)
            answer = {
                "seed": seed,
                "driver": driver,
                "digest": result.digest,
                "steps": result.steps,
                "ok": result.ok,
                "trace": str(path),
            }
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    try:
        work(json.loads(sys.stdin.read()))
    except KeyboardInterrupt:
        sys.exit(130)
