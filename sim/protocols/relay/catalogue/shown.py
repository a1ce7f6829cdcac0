"""Which shipped scenario shows which rows, and which one goes wrong without a rule.

A scenario may name rows itself, in its comments; those need no line here.
"""

from __future__ import annotations

from typing import Final

SHOWN: Final[dict[str, tuple[str, ...]]] = {}

BROKEN_BY: Final[dict[str, tuple[str, int]]] = {}
"""Rule → (scenario, seed): with that rule off, this run goes wrong."""
