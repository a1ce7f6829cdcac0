"""Where the lifelines stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from sim.cli.drawing.rows import Row

STEP = 5
"""Columns for the number of the step, at the very left."""

MARGIN = STEP + 11
"""Columns for step and time."""

WIDEST_GAP = 26
ROOMY = 16
"""From this gap on most frame types fit on their arrows; below, none is put there."""

COMPACT_GAP = 9
NARROWEST_GAP = 3


@attrs.frozen
class Layout:
    """Columns on a screen: ``at[host]`` of each lifeline, ``beside`` of the words."""

    hosts: tuple[tuple[str, str], ...]
    at: dict[str, int]
    gap: int
    beside: int
    width: int

    @property
    def is_roomy(self) -> bool:
        """Whether labels stand on the arrows."""
        return self.gap >= ROOMY

    @property
    def room(self) -> int:
        """Columns for the words beside the arrows."""
        return max(0, self.width - self.beside)


def lifelines(known: Sequence[tuple[str, str]], rows: Iterable[Row]) -> tuple[tuple[str, str], ...]:
    """Hosts with their kinds: those of the header that do something, then others."""
    seen = dict.fromkeys(name for row in rows for name in (row.source, row.target) if name)
    kinds = dict(known)
    ordered = [name for name, _ in known if name in seen]
    ordered += [name for name in seen if name not in kinds]
    return tuple((name, kinds.get(name, "")) for name in ordered)


def lay_out(hosts: tuple[tuple[str, str], ...], width: int) -> Layout:
    """Spread the lifelines over two thirds of the width; the words get the rest."""
    count = max(len(hosts), 1)
    words = max(28, width * 2 // 5)
    space = width - MARGIN - words - 3
    gap = min(WIDEST_GAP, space // max(count - 1, 1))
    if gap < ROOMY:
        gap = max(NARROWEST_GAP, min(COMPACT_GAP, gap))
    first = MARGIN + 2
    at = {name: first + gap * place for place, (name, _) in enumerate(hosts)}
    return Layout(hosts, at, gap, first + gap * (count - 1) + 3, width)
