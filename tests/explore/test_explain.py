"""Explanations lead back into the diagram."""

from __future__ import annotations

from sim.core.event import FrameSent
from sim.explore.explain import line_of, trace_of
from sim.explore.schedule import Case
from sim.explore.trial import plain
from sim.play import load


def test_a_step_stands_in_the_line_of_the_arrow_that_took_the_last_event_of_its_chain() -> None:
    case = Case.of(load("typical"))
    events = trace_of(case, plain(case)).events
    sent = next(e for e in events if isinstance(e, FrameSent) and e.frame.type == "task.ack")
    line = line_of(case, plain(case), (0, sent.n))
    assert "task.ack" in case.scenario.source_text.splitlines()[line - 1]
    # Nothing took the first event: then it is the line to which the diagram had come.
    assert line_of(case, plain(case), (0,)) != line
