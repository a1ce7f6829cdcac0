"""A review as Markdown: the comment on a pull request, or the summary of a CI job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sim.cli.drawing.screen import fit
from sim.cli.reporting.markdown import plain
from sim.cli.reviewing.coverage import Area
from sim.cli.reviewing.reviewed import Found, Review, Reviewed, Verdict, failures_of
from sim.cli.reviewing.told import (
    Story,
    idle_told,
    never_told,
    note_of,
    story_of,
    tables_told,
    ways_told,
)
from sim.cli.terminal import clean

ROOM = 60_000
"""Signs: a comment on GitHub has 65,536."""

MOST_STORIES = 20
MOST_FAILURES = 5
SIGNS = {Verdict.HOLDS: "✓", Verdict.CUT_SHORT: "·"}


def text_of(review: Review) -> str:
    """The whole text; what there is no room for is counted."""
    lines: list[str] = []
    used = 0
    for block in _blocks(review):
        used += len(block) + 2
        if used > ROOM:
            lines.append("… there is more; the page (--out FILE.html) has all of it.")
            break
        lines.append(block)
    return "\n\n".join(lines) + "\n"


def _blocks(review: Review) -> Iterator[str]:
    """Blocks that make sense alone, the most important ones first."""
    yield f"# {review.sign} Review: {plain(review.summary())}"
    yield f"```sh\n{clean(review.command)}\n```"
    stories = MOST_STORIES
    for one in review.bad:
        yield "\n".join(_bad(one))
        for found in one.found:
            if stories > 0:
                yield "\n".join(_finding(story_of(found)))
            else:
                yield _in_short(found)
            stories -= 1
    yield "\n".join(_verdicts(review))
    for area in review.coverage.areas.values():
        yield "\n".join(_area(area))
    yield "\n".join(_branches(review))


def _bad(one: Reviewed) -> Iterator[str]:
    yield f"### ✗ {plain(one.name)}: {one.verdict}"
    if one.error is not None:
        yield f"\n{plain(str(one.error))}"
    failures = failures_of(one)
    if failures:
        yield ""
        for line, expected, happened in failures[:MOST_FAILURES]:
            place = f"line {line}: " if line else ""
            yield f"- {place}expected {plain(expected)}; happened {plain(happened)}"
        if len(failures) > MOST_FAILURES:
            yield f"- and {len(failures) - MOST_FAILURES} more"
        yield f"\n```sh\n{clean(one.command)}\n```"


def _finding(story: Story) -> Iterator[str]:
    yield f"**{plain(story.invariant)}** is broken: {plain(story.happened)}"
    yield ""
    yield f"- must be: {plain(story.sentence)}" if story.sentence else ""
    yield from (f"- choice {n}: {plain(one)}" for n, one in enumerate(story.choices, 1))
    if not story.choices:
        yield "- no choices: the timed run does it"
    if story.passes:
        yield f"- {plain(story.passes)}"
    yield f"- {plain(story.circumstances)}"
    yield f"\n```sh\n{story.replay}\n```"
    if story.chain:
        yield "\n<details><summary>What led to it</summary>\n"
        yield from (f"- {plain(one)}" for one in story.chain)
        yield "\n</details>"


def _in_short(found: Found) -> str:
    return f"**{plain(found.finding.invariant)}** is broken\n\n```sh\n{clean(found.replay)}\n```"


def _table(*titles: str) -> str:
    return f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _folded(title: str, lines: Iterator[str]) -> Iterator[str]:
    yield f"<details><summary>{title}</summary>\n"
    yield from lines
    yield "\n</details>"


def _verdicts(review: Review) -> Iterator[str]:
    yield "## Verdicts\n"
    yield from _folded(f"{len(review.every)} scenarios", _verdict_rows(review))


def _verdict_rows(review: Review) -> Iterator[str]:
    yield _table("", "scenario", "verdict", "schedules", "branches", "")
    for one in review.every:
        sign = SIGNS.get(one.verdict, "✗")
        note = plain(fit(note_of(one), 120))
        numbers = (f"{one.schedules:,}", ways_told(one))
        yield _row(sign, plain(one.name), str(one.verdict), *numbers, note)


def _area(area: Area) -> Iterator[str]:
    yield f"## Coverage of {plain(area.record.name)}\n\n{plain(tables_told(area))}\n"
    idle = list(idle_told(area))
    if idle:
        titles = ("invariant", "must be", "rules")
        yield from _folded(f"{len(idle)} rules not exercised", _rows(titles, idle))
    never = never_told(area)
    yield from _folded("State tables", _rows(("table", "taken", "never taken"), never))


def _rows(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    yield _table(*titles)
    yield from (_row(*map(plain, row)) for row in rows)


def _branches(review: Review) -> Iterator[str]:
    with_ways = [one for one in review.every if one.ways]
    never = [(one, way) for one in with_ways for way in one.never]
    count = sum(len(one.ways) for one in with_ways)
    yield f"## Branches of the diagrams\n\n{count - len(never)} of {count} happened in some run."
    if never:
        yield "\nIn no run:\n"
        yield from (f"- {plain(one.name)}, {plain(str(way))}" for one, way in never)
