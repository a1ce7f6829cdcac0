"""The oracles of the relay protocol: all of them, and those that a run can be judged by."""

from __future__ import annotations

from types import ModuleType

from sim.core.invariant import Invariant
from sim.protocols.relay.oracles import (
    beliefs,
    cancels,
    controllers,
    envelope,
    gates,
    ingress,
    intercepts,
    listening,
    locks,
    losses,
    nodes,
    programs,
    queueing,
    routing,
    sessions,
)
from sim.protocols.relay.oracles.oracle import RelayInvariant
from sim.protocols.relay.view import RelayView


def _in(module: ModuleType) -> tuple[type[RelayInvariant], ...]:
    """The invariants of a module in order of declaration; those without a name are patterns."""
    return tuple(
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, RelayInvariant)
        and value.__module__ == module.__name__
        and "name" in vars(value)
    )


INVARIANTS: tuple[type[RelayInvariant], ...] = tuple(
    invariant
    for module in (
        envelope,
        ingress,
        sessions,
        gates,
        routing,
        queueing,
        losses,
        locks,
        cancels,
        listening,
        nodes,
        intercepts,
        controllers,
        beliefs,
        programs,
    )
    for invariant in _in(module)
)


def invariants_for(view: RelayView, twins: frozenset[str]) -> list[Invariant]:
    """All invariants whose obeying side is a twin; puppets are not judged."""
    return [make(view) for make in INVARIANTS if make.obeyed_by in twins]
