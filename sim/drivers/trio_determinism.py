"""The one module that touches Trio's private scheduling switch.

Trio shuffles runnable tasks on purpose. A user-written host has tasks of its
own that the turnstile cannot order, so for such runs Trio is made to sort
each batch by task age and to shuffle it with a seeded generator: the switch
that Trio keeps for Hypothesis. It is private; when a new Trio renames it,
``check`` says so, and a test calls it.
"""

from __future__ import annotations

import random  # noqa: TID251 - Trio insists on this type for its shuffles
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import trio
from trio._core import _run

from sim.core.entropy import origin
from sim.core.errors import SimInternalError

_SWITCH = "_ALLOW_DETERMINISTIC_SCHEDULING"
_SHUFFLER = "_r"

# The switch is Trio's, one for the process: runs in several threads take turns.
_turn = threading.Lock()


def check() -> None:
    """Raise SimInternalError when this Trio has no such switch any more."""
    switch = getattr(_run, _SWITCH, None)
    shuffler = getattr(_run, _SHUFFLER, None)
    if not isinstance(switch, bool) or not isinstance(shuffler, random.Random):
        raise SimInternalError(
            f"trio {trio.__version__} has renamed trio._core._run.{_SWITCH} or .{_SHUFFLER}, by "
            "which runs with user-written Trio hosts are made repeatable: look up the new names "
            "in trio/_core/_run.py (search for 'Hypothesis') and adapt sim/drivers/"
            "trio_determinism.py, or pin the previous trio"
        )


@contextmanager
def deterministic_trio(seed: int) -> Iterator[None]:
    """Trio's order of tasks depends on ``seed`` alone, until the block ends."""
    check()
    run: Any = _run
    with _turn:
        before = run._ALLOW_DETERMINISTIC_SCHEDULING, run._r
        run._ALLOW_DETERMINISTIC_SCHEDULING = True
        run._r = random.Random(origin(seed, "trio scheduler"))
        try:
            yield
        finally:
            run._ALLOW_DETERMINISTIC_SCHEDULING, run._r = before
