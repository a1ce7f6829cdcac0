"""Lists that the Explore view opens: all invariants, what was covered, who was noticed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sim.explore.rows import Used
from sim.explore.situations import told as situation
from tui.drawing.lines import Line, facts, line, pad, wrap
from tui.feeds.judging import Watched

if TYPE_CHECKING:
    from sim.cli.exploring.score import Score
    from tui.feeds.searching import Progress

NEWEST = 256
"""Schedules among which new situations are counted, where nobody knows how many there are."""


def invariants(watched: Sequence[Watched], found: Iterable[str], width: int) -> list[Line]:
    """Each invariant: whether it broke, how often the run exercised it, its sentence.

    ``found`` are those that a search broke.
    """
    broken_by_search = dict.fromkeys(found)
    lines: list[Line] = []
    for one in sorted(watched, key=lambda one: (one.step < 0, one.exercised == 0, one.name)):
        if one.step >= 0:
            sign, role, told = "!", "bad", f"broken at step {one.step}"
        elif one.name in broken_by_search:
            sign, role, told = "!", "bad", "holds in this run, broken in the search"
        elif one.exercised:
            sign, role, told = "=", "good", "holds"
        else:
            sign, role, told = "?", "dim", "never exercised in this run"
        often = f"exercised {one.exercised:,}x" if one.exercised else ""
        lines.append(line((f"{sign} {pad(one.name, 44)}", role), told, f"   {often}"))
        rows = wrap(f"{one.sentence}  ({one.asked})", width - 4, 3)
        lines += [line("    ", (row, "dim")) for row in rows]
    return lines


def visited(progress: Progress) -> str:
    """How much of what there is has been tried, as far as anybody can tell."""
    if progress.left is None:
        before = [
            covered for count, covered in progress.curve if count <= progress.schedules - NEWEST
        ]
        if not before:
            return "no estimate yet"
        new = progress.covered - before[-1]
        return f"{new} new situations in the last {NEWEST}"
    share = progress.schedules / max(progress.schedules + progress.left, 1)
    bar = "█" * round(share * 12) + "░" * (12 - round(share * 12))
    return f"{bar} about {share:.0%}, {progress.left:,} endings left"


def tables(used: Sequence[Used], width: int) -> list[Line]:
    """How many rows of each transition table were gone through, and which never."""
    counts = "   ".join(f"{one.role} {one.used}/{one.rows}" for one in used if one.used)
    unused = [one.role for one in used if not one.used]
    never = [f"{one.role}: {', '.join(map(' x '.join, one.never))}" for one in used if one.used]
    told = [
        ("table rows", counts),
        ("never seen", ";  ".join(never)),
        ("not met", ", ".join(unused)),
    ]
    return facts([(name, words) for name, words in told if words], width, most=100)


def covered(numbers: Iterable[int], width: int) -> list[Line]:
    """Which frame reached whom in which state over what connection, by who got it."""
    groups: dict[str, list[str]] = {}
    for words in sorted(filter(None, map(situation, numbers))):
        kind, _, rest = words.partition(" ")
        groups.setdefault(kind, []).append(rest)
    lines: list[Line] = []
    for kind, rests in groups.items():
        lines.append(line((f"{kind}  {len(rests)}", "head")))
        for rest in rests:
            lines += [line("  ", row) for row in wrap(rest, width - 2, 2)]
    return lines or [line(("nothing covered yet: start a search with enter", "dim"))]


def mutants(score: Score | None, width: int) -> list[Line]:
    """Each known defect: noticed where and by which invariant, or not yet."""
    if score is None:
        return [line(("nothing yet", "dim"))]
    lines: list[Line] = []
    for one in sorted(score.tried, key=lambda one: (bool(one.caught), not one.is_over)):
        if one.caught:
            told, role = f"caught in {one.caught}", "good"
        elif one.is_over:
            told, role = f"survives {one.raised or f'{one.storms} storms'}", "bad"
        else:
            told, role = f"not yet, {one.storms} storms", "warn"
        sign = "=" if one.caught else "!" if one.is_over else "?"
        lines.append(line((f"{sign} {pad(one.mutant.name, 44)}", role), told))
        lines.append(line(("    " + wrap(one.mutant.caught_by, width - 4, 1)[0], "dim")))
    return lines


def told_of(score: Score) -> str:
    """A score in one line."""
    survivors = ", ".join(one.mutant.name for one in score.survivors[:3])
    left = f"   {len(score.unfinished)} not yet" if score.unfinished else ""
    behind = f"   survive: {survivors}" if survivors else ""
    return f"{len(score.caught)} of {len(score.tried)} caught{left}{behind}"
