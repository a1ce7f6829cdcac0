"""All oracles of the protocol."""

from __future__ import annotations

from sim.protocols.bell.oracles import BellInvariant, KnocksAreAnswered
from sim.protocols.bell.view import BellView

from sim.core.invariant import Invariant

INVARIANTS: tuple[type[BellInvariant], ...] = (KnocksAreAnswered,)


def invariants_for(view: BellView, twins: frozenset[str]) -> list[Invariant]:
    """Those whose obeying side is a twin."""
    return [make(view) for make in INVARIANTS if make.obeyed_by in twins]
