"""The events themselves, a thousand at a time, with what is known of their frames.

The page decodes a chunk when somebody looks into it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from sim.check.judgement import judge, shape_of
from sim.cli.reporting.retold import CHUNK, Retold
from sim.cli.reporting.rows import Columns
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


def chunks_of(run: Retold, shapes: Shapes, columns: Columns, words: Words) -> Iterator[str]:
    """The JSON texts: ``{"scene": …, "notes": {n: …}, "events": […]}``. Fills the columns, too:
    each event is decoded once for both.
    """
    for start in range(0, run.count, CHUNK):
        notes: dict[int, list[Any]] = {}
        lines = []
        for n in range(start, min(start + CHUNK, run.count)):
            event = run.trace.event(n)
            columns.take(n, event)
            if isinstance(event, FrameSent):
                notes[n] = _note(run, event, shapes, words)
            lines.append(run.trace.line(n))
        head = msgspec.json.encode({"scene": run.scenes[start // CHUNK], "notes": notes})
        yield (head[:-1] + b',"events":[' + b",".join(lines) + b"]}").decode("utf-8", "replace")


def _note(run: Retold, event: FrameSent, shapes: Shapes, words: Words) -> list[Any]:
    """[declaration, what is wrong by field, verdicts of tables] of a frame that was sent."""
    judged = judge(event.frame)
    faults = {path: words.place(why) for path, why in judged.faults.items()}
    verdicts = [_verdict(one, words) for one in run.verdicts.get(event.n, ())]
    return [shapes.place(shape_of(event.frame)), faults, verdicts]


def _verdict(verdict: Verdict, words: Words) -> list[int]:
    told = (verdict.table, verdict.subject, verdict.state, verdict.trigger, verdict.after or "")
    return [*map(words.place, told), int(verdict.is_legal)]
