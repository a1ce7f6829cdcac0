"""A report as one SVG picture: the drawing that ``run --svg`` makes, of any run."""

from __future__ import annotations

import attrs

from sim.cli.drawing.svg import draw
from sim.cli.reporting.retold import events_of
from sim.cli.reporting.subject import Subject


def picture_of(subject: Subject) -> str:
    """The first run; of a long one the middle is left out, but never what broke."""
    run = subject.first
    return draw(attrs.evolve(run.result, trace=events_of(run)))
