"""B9: the cost of judging a frame, relative to merely decoding its JSON.

Rounds of both competitors alternate in one process. Each round gets fresh
text objects, made outside the measured time: CPython remembers the UTF-8 form
of a text it has once converted, which would flatter the second round.
"""

from __future__ import annotations

import gzip
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from sim.protocols.hook import parse_hook_message, serialize_hook_message

FRAMES = Path(__file__).parent.parent / "data" / "hook" / "bench-frames.jsonl.gz"


def _lines() -> list[bytes]:
    return gzip.decompress(FRAMES.read_bytes()).splitlines()


def _seconds(work: Callable[[str], object], lines: list[bytes]) -> float:
    texts = [line.decode() for line in lines]
    start = time.perf_counter()
    for text in texts:
        work(text)
    return time.perf_counter() - start


def run(rounds: int = 5) -> dict[str, object]:
    """Ratio parse ÷ json.loads over the bench frames: median, min and max of the rounds."""
    lines = _lines()
    messages = [parse_hook_message(line.decode()) for line in lines]
    assert all(result.ok for result in messages)
    ratios = []
    parse_s = []
    loads_s = []
    for _ in range(rounds):
        loads_s.append(_seconds(json.loads, lines))
        parse_s.append(_seconds(parse_hook_message, lines))
        ratios.append(parse_s[-1] / loads_s[-1])
    start = time.perf_counter()
    for result in messages:
        assert result.message is not None
        serialize_hook_message(result.message)
    serialize_s = time.perf_counter() - start
    return {
        "id": "B9",
        "what": "parse_hook_message over the bench frames / json.loads of the same texts",
        "median": round(statistics.median(ratios), 3),
        "min": round(min(ratios), 3),
        "max": round(max(ratios), 3),
        "rounds": rounds,
        "ratios": ratios,
        "frames": len(lines),
        "parse_us": round(statistics.median(parse_s) / len(lines) * 1e6, 2),
        "loads_us": round(statistics.median(loads_s) / len(lines) * 1e6, 2),
        "serialize_us": round(serialize_s / len(lines) * 1e6, 2),
    }


if __name__ == "__main__":
    print(json.dumps(run(), indent=2))
