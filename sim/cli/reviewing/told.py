"""What all forms of a review say: the same facts in the same order, as plain texts."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from sim.cli import words
from sim.cli.drawing.rows import rows_of
from sim.cli.drawing.svg import draw
from sim.cli.drawing.telling import Names
from sim.cli.exploring.playing import play_schedule
from sim.cli.exploring.telling import choices_told, lines_told, quoted
from sim.cli.reviewing.coverage import Area
from sim.cli.reviewing.reviewed import Found, Reviewed
from sim.cli.terminal import clean
from sim.explore.trial import RAISES

CHAIN = 24
"""Events of a causal chain that are told, the last ones."""


@attrs.frozen
class Story:
    """A finding in words, and its picture (SVG). All texts are harmless, none is escaped."""

    invariant: str
    sentence: str
    happened: str
    rows: tuple[str, ...]
    choices: tuple[str, ...]
    circumstances: str
    chain: tuple[str, ...]
    passes: str
    replay: str
    picture: str


def story_of(found: Found) -> Story:
    """Play a finding once more, and tell it."""
    finding, case = found.finding, found.case
    result = play_schedule(case, finding.schedule).result
    names = Names(result.names)
    known = words.invariants(case.scenario.protocol).get(finding.invariant)
    sentence = known.sentence if known is not None else ""
    if finding.invariant == RAISES:
        sentence = "No handler of an actor raises an exception."
    rows = {row.n: row for row in rows_of(result.trace, names=result.names, every=True)}
    chain = [
        f"step {n}, {rows[n].at / 1e6:.3f} s: {_between(rows[n].source, rows[n].target)}"
        f"{rows[n].label} {rows[n].detail}".rstrip()
        for n in finding.chain
        if n in rows
    ]
    return Story(
        invariant=finding.invariant,
        sentence=sentence,
        happened=clean(names.within(finding.text)),
        rows=known.catalogue if known is not None else (),
        choices=tuple(choices_told(case, finding.schedule)),
        circumstances=_circumstances(found),
        chain=tuple(map(clean, chain[-CHAIN:])),
        passes=clean(quoted(case, names.within(finding.sentence))),
        replay=clean(found.replay),
        picture=draw(result),
    )


def _between(source: str, target: str) -> str:
    return f"{source}: " if source == target else f"{source} → {target}: "


def _circumstances(found: Found) -> str:
    """Under which seed, in which schedule, and without which lines of the diagram."""
    schedule = found.finding.schedule
    told = [f"seed {schedule.seed}", f"found as schedule {found.schedules:,}"]
    told.append(f"shrunk to {found.finding.shrunk.events} events")
    if found.case.without:
        told.append(f"without {', '.join(sorted(found.case.without))}")
    if schedule.dropped:
        told.append(f"{lines_told(schedule.dropped)} of the diagram not needed")
    return ", ".join(told)


def note_of(one: Reviewed) -> str:
    """What stands beside a verdict: the place of a mistake, what broke, what it shows."""
    if one.error is not None:
        return clean(str(one.error))
    told = [f"breaks {', '.join(one.shown)}, as it says"] if one.shown else []
    told += [f"breaks {found.finding.invariant}" for found in one.found]
    told += [one.told] if one.told else []
    if one.without:
        told.append(f"without {', '.join(one.without)}")
    return clean("; ".join(told))


def ways_told(one: Reviewed) -> str:
    """How many of its branches happened; "" for a diagram without any."""
    return f"{len(one.ways) - len(one.never)} of {len(one.ways)}" if one.ways else ""


def idle_told(area: Area) -> Iterator[tuple[str, str, str]]:
    """(invariant, what must be, rows of the catalogue) of what no run put to the test."""
    for one in area.idle:
        yield one.name, one.sentence, ", ".join(one.catalogue)


def never_told(area: Area) -> Iterator[tuple[str, str, str]]:
    """(table, gone through, ways that no run took) of each state table."""
    for table, used in area.tables:
        never = ", ".join(f"{state} –{trigger}→" for state, trigger in used.never)
        yield table.role, f"{used.used} of {used.rows}", never


def tables_told(area: Area) -> str:
    """One sentence on all tables of a protocol."""
    used, rows = area.rows
    tested = len(area.record.invariants) - len(area.idle)
    scenarios = f"{area.scenarios} scenario{'s' if area.scenarios != 1 else ''}"
    return (
        f"{scenarios}; {tested} of {len(area.record.invariants)} invariants put to the test; "
        f"{used} of {rows} ways of the state tables taken"
    )
