"""The events themselves, a thousand at a time, with what is known of their frames.

The page decodes a chunk when somebody looks into it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.check.judgement import judge, shape_of
from sim.cli.reporting.retold import CHUNK, Retold
from sim.core.event import FrameSent
from sim.view.columns import Words
from sim.view.verdict import Verdict
from sim.wire.declare import Body
from sim.wire.describe import describe


class Shapes:
    """The declarations of the frames of a report, each described once."""

    def __init__(self) -> None:
        self._places: dict[type[Body], int] = {}
        self.told: list[dict[str, Any]] = []

    def place(self, shape: type[Body] | None) -> int:
        """The number of a declaration; -1 where a frame has none."""
        if shape is None:
            return -1
        if shape not in self._places:
            self._places[shape] = len(self.told)
            self.told.append(_described(shape))
        return self._places[shape]


def _described(shape: type[Body]) -> dict[str, Any]:
    told = describe(shape)
    kept = ("type", "direction", "feature", "section", "summary", "linkage")
    fields = [
        [field["name"], field["type"], field["required"], field["nullable"], field["when"]]
        for field in told["fields"]
    ]
    envelope = shape.enclose("f-1", 1, shape.EXAMPLE)
    known = [name for name in envelope if name != "payload"]
    return {**{key: told[key] for key in kept}, "fields": fields, "envelope": known}


def chunks_of(run: Retold, shapes: Shapes, words: Words) -> Iterator[str]:
    """The JSON texts: ``{"scene": …, "notes": {n: …}, "events": […]}``."""
    import msgspec

    for start in range(0, run.count, CHUNK):
        numbers = range(start, min(start + CHUNK, run.count))
        notes = {n: note for n in numbers if (note := _note(run, n, shapes, words))}
        head = msgspec.json.encode({"scene": run.scenes[start // CHUNK], "notes": notes})
        lines = b",".join(run.trace.line(n) for n in numbers)
        yield (head[:-1] + b',"events":[' + lines + b"]}").decode("utf-8", "replace")


def _note(run: Retold, n: int, shapes: Shapes, words: Words) -> list[Any] | None:
    """[declaration, what is wrong by field, verdicts of tables] of a frame that was sent."""
    event = run.trace.event(n)
    if not isinstance(event, FrameSent):
        return None
    judged = judge(event.frame)
    faults = {path: words.place(why) for path, why in judged.faults.items()}
    verdicts = [_verdict(one, words) for one in run.verdicts.get(n, ())]
    return [shapes.place(shape_of(event.frame)), faults, verdicts]


def _verdict(verdict: Verdict, words: Words) -> list[int]:
    told = (verdict.table, verdict.subject, verdict.state, verdict.trigger, verdict.after or "")
    return [*map(words.place, told), int(verdict.is_legal)]
