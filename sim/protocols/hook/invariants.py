"""The oracles of the hook protocol: all of them, and those that a run can be judged by."""

from __future__ import annotations

from sim.core.invariant import Invariant
from sim.protocols.hook.oracles.oracle import HookInvariant
from sim.protocols.hook.oracles.ownership import CloseOutRespectsOwner
from sim.protocols.hook.view import HookView

INVARIANTS: tuple[type[HookInvariant], ...] = (CloseOutRespectsOwner,)


def invariants_for(view: HookView, twins: frozenset[str]) -> list[Invariant]:
    """All invariants whose obeying side is a twin; puppets are not judged."""
    return [make(view) for make in INVARIANTS if make.obeyed_by in twins]
