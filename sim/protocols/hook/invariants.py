"""The oracles of the hook protocol."""

from __future__ import annotations

from sim.core.invariant import Invariant
from sim.protocols.hook.view import HookView

INVARIANTS: tuple[type[Invariant], ...] = ()


def invariants_for(view: HookView, twins: frozenset[str]) -> list[Invariant]:
    """All invariants whose obeying side is a twin."""
    return []
