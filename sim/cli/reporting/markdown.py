"""A report as Markdown: for a merge request, an issue, a mail."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sim.cli.drawing.screen import fit
from sim.cli.reporting.content import failures_told, violation_told
from sim.cli.reporting.mermaid import diagram_of
from sim.cli.reporting.retold import Retold
from sim.cli.reporting.subject import Subject
from sim.cli.terminal import clean
from sim.view.diff import Pair, align, identity

MOST_PAIRS = 60
ROOM = 70
_MEANING = re.compile(r"[\\`*_{}\[\]()#+!|~<>&$]")


def text_of(subject: Subject) -> str:
    """The whole text."""
    return "\n".join(_lines(subject)).rstrip() + "\n"


def plain(text: str) -> str:
    """A foreign text that Markdown and HTML take as it is, in one line."""
    return _MEANING.sub(lambda found: f"&#{ord(found[0])};", clean(text))


def _lines(subject: Subject) -> Iterator[str]:
    first = subject.first
    yield f"# {'✓' if first.result.ok else '✗'} {plain(subject.name)}"
    yield ""
    for run in subject.runs:
        if len(subject.runs) > 1:
            yield f"## {plain(run.title)}"
            yield ""
        yield from _verdict(run)
    yield "```sh"
    yield from map(clean, subject.command)
    yield "```"
    if subject.choices:
        yield "\nThe choices that lead here:\n"
        yield from (f"{n}. {plain(one)}" for n, one in enumerate(subject.choices, 1))
    yield f"\n## The run{': ' + plain(first.title) if first.title else ''}\n"
    yield from _fenced("mermaid", diagram_of(first))
    yield from _channels(first)
    yield from _comparison(subject)
    if first.trace.header.source:
        yield "\n## The scenario\n"
        yield from _fenced("", first.trace.header.source)


def _verdict(run: Retold) -> Iterator[str]:
    result = run.result
    yield (
        f"seed {result.seed}, {result.steps} steps, {result.virtual_s:.3f} virtual seconds, "
        f"digest `{result.digest}`"
    )
    yield ""
    if run.trace.truncated:
        yield "**The file was cut off in the middle of a line; the run went on.**"
        yield ""
    for one in result.violations:
        told = violation_told(run, one)
        shown = " (this scenario shows it)" if told["expected"] else ""
        yield f"- **{plain(told['invariant'])}** broken at step {told['step']}{shown}  "
        yield f"  must be: {plain(told['sentence'])}  "
        yield f"  happened: {plain(told['text'])}"
    for failure in failures_told(run):
        yield f"- line {failure['line']}: expected {plain(failure['expected'])}  "
        yield f"  happened: {plain(failure['happened'])}"
    for name in result.missing_violations:
        yield f"- @violates {plain(name)}: but it held in this run"
    if not (result.violations or result.failures or result.missing_violations):
        yield "No invariant is broken."
    yield ""


def _channels(run: Retold) -> Iterator[str]:
    messages = [one for one in run.history.messages.values() if not one.deleted]
    if not messages:
        return
    yield "\n## The channels at the end\n"
    yield "| channel | author | state | text |\n|---|---|---|---|"
    for one in messages:
        cells = (f"{one.channel} {one.chat}", one.author, one.state, fit(clean(one.text), 200))
        yield f"| {' | '.join(map(plain, cells))} |"


def _comparison(subject: Subject) -> Iterator[str]:
    if len(subject.runs) < 2:
        if subject.alone:
            yield f"\n{plain(subject.alone)}"
        return
    left, right = subject.runs
    pairs = align(left.trace, right.trace, identity, left.diagram.is_shown)
    different = [pair for pair in pairs if not pair.same]
    yield "\n## Where the runs part\n"
    if not different:
        yield "They do not."
        return
    yield f"| {plain(left.title)} | {plain(right.title)} |\n|---|---|"
    yield from (_pair(left, right, pair) for pair in different[:MOST_PAIRS])
    if len(different) > MOST_PAIRS:
        yield f"\n{len(different) - MOST_PAIRS} more rows differ."


def _pair(left: Retold, right: Retold, pair: Pair) -> str:
    cells = []
    for run, n in ((left, pair.left), (right, pair.right)):
        row = run.diagram.row(n) if n >= 0 else None
        cells.append("" if row is None else plain(fit(clean(f"{row.n}  {row.text}"), ROOM)))
    return f"| {cells[0]} | {cells[1]} |"


def _fenced(kind: str, text: str) -> Iterator[str]:
    """A block that its own text cannot end."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield fence + kind
    yield from map(clean, text.rstrip("\n").split("\n"))
    yield fence
