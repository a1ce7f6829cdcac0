"""How the twins of a storm are made: as they are shipped, or with a mutant in one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sim.core.actor import Actor, Port
from sim.protocols.mutant import Mutant, mutated

Make = Callable[[type[Actor], Port, Any], Actor]
"""(twin, its port, its plan) → the actor that plays it."""


def plain(twin: Any, port: Port, plan: Any) -> Actor:
    """The shipped twin."""
    made: Actor = twin(port, plan)
    return made


def host_of(make: Make, twin: Any, plan: Any) -> Callable[[Port], Actor]:
    """What a world makes at each start of that host."""
    return lambda port: make(twin, port, plan)


def making(mutant: Mutant, sides: Mapping[type[Any], str], strange: Mutant | None = None) -> Make:
    """Twins of which the mutant's side has the mutant in it, unless it is a rule that is off.

    ``sides``: whose twin a class is. ``strange`` is in its own side where the mutant is not:
    a surrounding that the mutant needs.
    """

    def make(twin: Any, port: Port, plan: Any) -> Actor:
        if sides[twin] == mutant.side and not mutant.rule:
            twin = mutated(twin, mutant)
        elif strange is not None and sides[twin] == strange.side:
            twin = mutated(twin, strange)
        return plain(twin, port, plan)

    return make
