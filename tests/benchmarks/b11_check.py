"""B11: checking a log, relative to merely decoding the JSON of its lines.

Two logs: the bench frames, one in a line with time, direction and connection (large frames,
and hardly a rule that they keep), and what desktops and a server say in a load of tasks
(small frames, all rules at work). Both competitors read the file; rounds alternate.
"""

from __future__ import annotations

import gzip
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from sim.check.checking import Wanted, check_file
from sim.core.event import FrameSent
from sim.drivers.step import StepDriver
from sim.wire.encode import encode_json
from tests.benchmarks.b9_parse import FRAMES
from tests.benchmarks.load import Load
from tests.benchmarks.measure import Ratio

START_S = 1_764_465_600.0
COPIES = 3


def _line(at: float, up: bool, conn: str, text: str) -> str:
    way = "up" if up else "down"
    return json.dumps({"ts": START_S + at, "dir": way, "conn": conn, "raw": text}) + "\n"


def large_frames(path: Path) -> int:
    """The bench frames as a log; their number."""
    texts = gzip.decompress(FRAMES.read_bytes()).decode().splitlines() * COPIES
    lines = [_line(n * 0.01, n % 2 == 0, "c1", text) for n, text in enumerate(texts)]
    path.write_text("".join(lines), encoding="utf-8")
    return len(lines)


def tasks(path: Path, desktops: int = 40, each: int = 10) -> int:
    """A log of desktops at work; the number of its frames."""
    load = Load(desktops, each, judged=False)
    load.boot()
    StepDriver(load.world).run(load.over)
    events = (event for event in load.world.events if isinstance(event, FrameSent))
    lines = [
        _line(event.at / 1e6, event.receiver == "S", event.link, encode_json(event.frame.wire))
        for event in events
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return len(lines)


def _decode(path: Path) -> None:
    decode = msgspec.json.Decoder().decode
    for line in path.read_bytes().splitlines():
        decode(line)


def _seconds(work: object, *arguments: object) -> float:
    assert callable(work)
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def run(rounds: int = 5) -> Iterator[Ratio]:
    """Speed of a check ÷ speed of an untyped msgspec decode of the same file."""
    with tempfile.TemporaryDirectory() as folder:
        for name, write in (("large frames", large_frames), ("tasks", tasks)):
            path = Path(folder) / "frames.log"
            count = write(path)
            size = path.stat().st_size // count
            for what, wanted in (("all rules", Wanted()), ("form only", Wanted(only_wire=True))):
                ratios = []
                for _ in range(rounds):
                    decoded = _seconds(_decode, path)
                    ratios.append(decoded / _seconds(check_file, str(path), wanted))
                note = f"{count} lines of {size} bytes"
                told = f"msgspec decode ÷ check of a log (time), {name}, {what}"
                yield Ratio("B11", told, "≥ 0.15", tuple(ratios), note)
