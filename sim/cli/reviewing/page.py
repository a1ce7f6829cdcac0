"""A review as one HTML page: it loads nothing, has no script, and can be handed on.

Whatever scenarios bring stands in it escaped; pictures are images, in which nothing can act;
the policy at the top allows neither scripts nor anything from elsewhere.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from importlib import resources
from xml.sax.saxutils import quoteattr, unescape

from sim.cli.drawing.svg import escaped
from sim.cli.drawing.tables import STYLE as TABLE_STYLE
from sim.cli.drawing.tables import draw_table
from sim.cli.reporting.html import asset
from sim.cli.reviewing.coverage import Area
from sim.cli.reviewing.reviewed import Found, Review, Reviewed, Verdict, failures_of
from sim.cli.reviewing.told import (
    idle_told,
    never_told,
    note_of,
    story_of,
    tables_told,
    ways_told,
)
from sim.core.table import Table
from sim.explore.rows import Used

MOST_PICTURES = 60
"""Findings beyond that have their words and commands only: a page must open."""

FEW = 25
"""Rows of a table that need not be folded."""

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
_WAY = re.compile(r'<g class="(way(?: back)?)"( data-from="([^"]*)" data-to="([^"]*)")')
SIGNS = {Verdict.HOLDS: "good", Verdict.CUT_SHORT: "warn"}


def page_of(review: Review) -> str:
    """The whole page."""
    return "\n".join(_lines(review)) + "\n"


def _lines(review: Review) -> Iterator[str]:
    style = resources.files(__package__).joinpath("review.css").read_text(encoding="utf-8")
    yield "<!doctype html>"
    yield '<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">'
    yield '<meta name="color-scheme" content="light dark">'
    yield f"<title>{review.sign} {escaped(review.command)}</title>"
    yield f"<style>{asset('page.css')}\n{TABLE_STYLE}\n{style}</style>\n</head>\n<body>"
    yield from _head(review)
    yield "<main>"
    yield from _bad(review)
    yield from _verdicts(review)
    for area in review.coverage.areas.values():
        yield from _area(area)
    yield from _branches(review)
    yield "</main>\n</body>\n</html>"


def _head(review: Review) -> Iterator[str]:
    kind = {"✓": "good", "·": "warn"}.get(review.sign, "bad")
    yield f'<header><h1><span class="{kind}">{review.sign}</span> Review:'
    yield f"{escaped(review.summary())}</h1>"
    yield f"<p>Again: <code>{escaped(review.command)}</code></p><nav>"
    if review.bad:
        yield '<a href="#bad">What failed</a>'
    yield '<a href="#verdicts">Verdicts</a>'
    for name in review.coverage.areas:
        yield f'<a href="#{escaped(name)}">Coverage: {escaped(name)}</a>'
    yield '<a href="#branches">Branches</a></nav></header>'


# -- what failed -----------------------------------------------------------------------------------


def _bad(review: Review) -> Iterator[str]:
    if not review.bad:
        return
    yield '<section id="bad"><h2>What failed</h2>'
    pictures = MOST_PICTURES
    for one in review.bad:
        number = review.every.index(one)
        yield f'<article id="s{number}"><h3>{escaped(one.name)}</h3>'
        if one.error is not None:
            yield f'<p class="bad">{escaped(str(one.error))}</p>'
        yield from _failures(one)
        for place, found in enumerate(one.found):
            yield from _finding(found, f"s{number}-{place}", pictures > 0)
            pictures -= 1
        yield "</article>"
    yield "</section>"


def _failures(one: Reviewed) -> Iterator[str]:
    failures = failures_of(one)
    if not failures:
        return
    yield '<table><tr><th class="n">line</th><th>expected</th><th>happened</th></tr>'
    for line, expected, happened in failures:
        yield f'<tr><td class="n">{line or ""}</td>{_cells(expected, happened)}</tr>'
    yield f"</table><p>See it: <code>{escaped(one.command)}</code></p>"
    if one.picture:
        yield from _picture(one.picture, f"the timed run of {one.name}")


def _finding(found: Found, anchor: str, pictured: bool) -> Iterator[str]:
    story = story_of(found)
    yield f'<div class="finding" id="{anchor}"><h4>{escaped(story.invariant)} is broken</h4><dl>'
    facts = {
        "must be": story.sentence,
        "happened": story.happened,
        "rules": ", ".join(story.rows),
        "otherwise": story.passes,
        "run": story.circumstances,
    }
    for name, text in facts.items():
        if text:
            yield f"<dt>{name}</dt><dd>{escaped(text)}</dd>"
    yield "<dt>choices</dt><dd>"
    if story.choices:
        yield f"<ol>{''.join(f'<li>{escaped(one)}</li>' for one in story.choices)}</ol></dd>"
    else:
        yield "none: the timed run does it</dd>"
    yield f"<dt>again</dt><dd><code>{escaped(story.replay)}</code></dd></dl>"
    if story.chain:
        steps = "".join(f"<li>{escaped(one)}</li>" for one in story.chain)
        yield f"<details><summary>What led to it</summary><ul>{steps}</ul></details>"
    if pictured:
        yield from _picture(story.picture, f"the shortest run that breaks {story.invariant}")
    yield "</div>"


def _picture(svg: str, what: str) -> Iterator[str]:
    """An image: within one nothing acts, and nothing is loaded."""
    data = base64.b64encode(svg.encode("utf-8", "replace")).decode()
    yield f"<details open><summary>Picture: {escaped(what)}</summary>"
    yield f'<img alt="{escaped(what)}" src="data:image/svg+xml;base64,{data}"></details>'


# -- verdicts and coverage -------------------------------------------------------------------------


def _cells(*texts: str) -> str:
    return "".join(f"<td>{escaped(text)}</td>" for text in texts)


def _verdicts(review: Review) -> Iterator[str]:
    yield '<section id="verdicts"><h2>Verdicts</h2><table>'
    yield (
        '<tr><th>scenario</th><th>protocol</th><th>verdict</th><th class="n">schedules</th>'
        '<th class="n">situations</th><th class="n">branches</th><th></th></tr>'
    )
    for number, one in enumerate(review.every):
        name = escaped(one.name)
        if one.verdict.is_bad:
            name = f'<a href="#s{number}">{name}</a>'
        kind = SIGNS.get(one.verdict, "bad")
        yield f'<tr><td>{name}</td>{_cells(one.protocol)}<td class="{kind}">{one.verdict}</td>'
        for text in (f"{one.schedules:,}", str(one.situations), ways_told(one)):
            yield f'<td class="n">{text}</td>'
        yield f"<td>{escaped(note_of(one))}{_links(one, number)}</td></tr>"
    yield "</table></section>"


def _links(one: Reviewed, number: int) -> str:
    """The way to the embedded pictures of what was found."""
    places = range(len(one.found))
    return "".join(f' <a href="#s{number}-{place}">see finding {place + 1}</a>' for place in places)


def _area(area: Area) -> Iterator[str]:
    name = escaped(area.record.name)
    yield f'<section id="{name}"><h2>Coverage of {name}</h2><p>{escaped(tables_told(area))}</p>'
    idle = list(idle_told(area))
    yield f"<h3>Rules not exercised ({len(idle)})</h3>"
    if idle:
        told = "No run put these to the test: that they did not break means nothing."
        mark = " open" if len(idle) <= FEW else ""
        yield f"<details{mark}><summary>{told}</summary><table>"
        yield "<tr><th>invariant</th><th>must be</th><th>rules</th></tr>"
        yield from (f"<tr>{_cells(*row)}</tr>" for row in idle)
        yield "</table></details>"
    switches = ", ".join(f"<code>{escaped(rule.name)}</code>" for rule in area.idle_rules)
    if switches:
        yield f"<p>Switches that would change nothing here: {switches}</p>"
    yield '<h3>State tables</h3><table class="ways">'
    yield "<tr><th>table</th><th>taken</th><th>never taken</th></tr>"
    yield from (f"<tr>{_cells(*row)}</tr>" for row in never_told(area))
    yield "</table><details><summary>Pictures; bold: what runs took</summary>"
    for table, used in area.tables:
        yield (
            f'<figure class="table"><figcaption>{escaped(table.role)}</figcaption>'
            f"{_marked(table, used)}</figure>"
        )
    yield "</details></section>"


def _marked(table: Table, used: Used) -> str:
    """The picture of a table in which what was taken stands out."""
    taken = [row for row in table.rows() if row not in used.never]
    svg = draw_table(table)
    for state, trigger in taken:
        word = f"<tspan data-state={quoteattr(state)} data-trigger={quoteattr(trigger)}"
        svg = svg.replace(word, f'<tspan class="done"{word.removeprefix("<tspan")}')
    ways = {(state, table.after(state, trigger)) for state, trigger in taken}

    def mark(found: re.Match[str]) -> str:
        done = " done" if (unescape(found[3]), unescape(found[4])) in ways else ""
        return f'<g class="{found[1]}{done}"{found[2]}'

    return _WAY.sub(mark, svg)


def _branches(review: Review) -> Iterator[str]:
    """Which ways of the diagrams were gone: alt, opt, loop, par, critical, break."""
    yield '<section id="branches"><h2>Branches of the diagrams</h2>'
    with_ways = [one for one in review.every if one.ways]
    if not with_ways:
        yield "<p>No diagram here has any.</p></section>"
        return
    gone = sum(len(one.ways) - len(one.never) for one in with_ways)
    yield f"<p>{gone} of {sum(len(one.ways) for one in with_ways)} happened in some run.</p>"
    for one in with_ways:
        mark = " open" if one.never else ""
        kind = "bad" if one.never else "good"
        yield f'<details{mark}><summary>{escaped(one.name)}: <span class="{kind}">'
        yield f"{ways_told(one)}</span></summary><table>"
        for way in one.ways:
            runs = one.seen.ways[way.key]
            told = f"in {runs:,} run{'s' if runs != 1 else ''}" if runs else "in no run"
            kind = "" if runs else ' class="bad"'
            yield f"<tr><td>{escaped(str(way))}</td><td{kind}>{told}</td></tr>"
        yield "</table></details>"
    yield "</section>"
