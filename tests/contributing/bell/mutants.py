"""Ways to be wrong, and who must notice."""

from __future__ import annotations

from sim.protocols.mutant import Mutant, off


def all_mutants() -> tuple[Mutant, ...]:
    """Every one."""
    return (off("answer-knocks", "door", "knocks-are-answered"),)
