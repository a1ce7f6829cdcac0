"""A finding: what was broken, by which choices, why, and what would have passed."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from sim.explore.explain import causes, closest_pass
from sim.explore.schedule import Case, Schedule
from sim.explore.shrink import Shrinker, shrink
from sim.explore.token import token_of
from sim.explore.trial import Outcome


@attrs.frozen
class Finding:
    """``step`` is the number of the event that broke ``invariant``, in the shrunk run.

    ``outcome`` is what the search found, ``schedule`` what is left of it after
    shrinking with ``replays`` runs, ``token`` its short form (None: too long).
    ``chain`` are the events that led to ``step``, the root first; ``sentence`` says
    what the closest passing run does otherwise, "" where none was met.
    """

    invariant: str
    step: int
    text: str
    schedule: Schedule
    token: str | None
    outcome: Outcome
    shrunk: Outcome
    replays: int
    chain: tuple[int, ...]
    sentence: str


def examine(
    case: Case, outcome: Outcome, tell: Callable[[Shrinker], None] = lambda _: None
) -> Finding:
    """Shrink a failing outcome, explain it and make its token.

    KeyboardInterrupt while shrinking keeps the smallest so far.
    """
    shrinker = Shrinker(case, outcome.violations[0].invariant, outcome, tell=tell)
    interrupted = False
    try:
        shrinker.run()
    except KeyboardInterrupt:
        interrupted = True
    best = shrinker.best
    broken = best.violations[0]
    sentence = "" if interrupted else closest_pass(case, best.schedule, broken.invariant)
    return Finding(
        invariant=broken.invariant,
        step=broken.step,
        text=broken.text,
        schedule=best.schedule,
        token=token_of(case, best.schedule),
        outcome=outcome,
        shrunk=best,
        replays=shrinker.replays,
        chain=causes(case, best.schedule, broken.step),
        sentence=sentence,
    )


__all__ = ["Finding", "examine", "shrink"]
