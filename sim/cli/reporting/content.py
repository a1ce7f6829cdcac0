"""All that a page shows, as JSON: what both runs share, and each run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from sim.channel.services import SERVICES
from sim.cli.reporting.chunks import Shapes, chunks_of
from sim.cli.reporting.messages import messages_of
from sim.cli.reporting.retold import CHUNK, Retold, Tell, silent
from sim.cli.reporting.rows import ARROWS, Columns
from sim.cli.reporting.subject import Subject
from sim.cli.terminal import clean
from sim.core.invariant import Violation
from sim.core.rule import table_of
from sim.view.columns import Words
from sim.view.diff import align, identity

"""Kinds of hosts whose messages are shown in a look of their own."""


@attrs.frozen
class Content:
    """``shared`` and one value per run as JSON values; ``chunks`` of each run as JSON texts."""

    shared: dict[str, Any]
    runs: tuple[dict[str, Any], ...]
    chunks: tuple[tuple[str, ...], ...]


def content_of(subject: Subject, tell: Tell = silent) -> Content:
    """Everything that the page needs, of all runs of a report."""
    shapes = Shapes()
    runs, chunks = [], []
    for run in subject.runs:
        words = Words()
        columns = Columns(run, words)
        texts = []
        for text in chunks_of(run, shapes, columns, words):
            texts.append(text)
            tell(len(texts) * CHUNK, run.count)
        runs.append(_run(run, columns, words))
        chunks.append(tuple(texts))
    return Content(_shared(subject, shapes), tuple(runs), tuple(chunks))


def _shared(subject: Subject, shapes: Shapes) -> dict[str, Any]:
    from sim import __version__
    from sim.cli.scenarios import about_lines

    first = subject.first
    source = first.trace.header.source
    return {
        "hooktwin": __version__,
        "name": subject.name,
        "protocol": first.record.name,
        "command": list(subject.command),
        "choices": list(subject.choices),
        "alone": subject.alone,
        "about": about_lines([line.strip() for line in source.splitlines()]),
        "rules": _rules_off(first),
        "source": source,
        "arrows": ARROWS,
        "chunk": CHUNK,
        "shapes": shapes.told,
        "runs": len(subject.runs),
        "pairs": _pairs(subject),
    }


def _run(run: Retold, columns: Columns, words: Words) -> dict[str, Any]:
    result, header = run.result, run.trace.header
    titles = run.titles()
    lanes = [[name, kind, clean(titles.get(name, ""))] for name, kind in run.lanes]
    lane = {name: place for place, (name, _) in enumerate(run.lanes)}
    told = {
        "title": run.title,
        "count": run.count,
        "ok": result.ok,
        "seed": result.seed,
        "digest": result.digest,
        "virtual_s": result.virtual_s,
        "without": list(header.without),
        "unjudged": run.unjudged,
        "cut_off": run.trace.truncated,
        "lanes": lanes,
        "channels": [name for name, kind in run.lanes if kind in SERVICES],
        "violations": [violation_told(run, one) for one in result.violations],
        "missing": list(result.missing_violations),
        "failures": list(failures_told(run)),
        "downs": [(lane.get(host, -1), since, until) for host, since, until in run.downs],
        "rows": columns.values,
        "messages": messages_of(run, words),
        "names": [[real, name] for name, real in result.names if name != real],
        "stores": run.stores,
        "minds": _minds(run, words),
        "used": _used(run),
    }
    return {**told, "words": words.texts}


def violation_told(run: Retold, one: Violation) -> dict[str, Any]:
    """An invariant that broke: its sentence, what happened, who must obey it, where that stands."""
    known = next((i for i in run.record.invariants if i.name == one.invariant), None)
    return {
        "invariant": one.invariant,
        "step": min(one.step, run.last),
        "sentence": known.sentence if known else "",
        "text": run.names.within(one.text),
        "rows": [_row(id) for id in known.catalogue] if known else [],
        "by": known.obeyed_by if known else "",
        "expected": one.invariant in run.result.expected_violations,
    }


def _row(id: str) -> list[str]:
    """[id, section, what the document demands] of a row of the catalogue."""
    from sim.protocols.proven import rows_of as catalogue

    row = catalogue(None).get(id)
    return [id, row.section, row.rule] if row is not None else [id, "", ""]


def _rules_off(run: Retold) -> list[dict[str, str]]:
    """Each rule that was off: why it exists, and what a person sees without it."""
    off = dict.fromkeys(run.trace.header.without)
    return [
        {"name": rule.name, "by": rule.by, "reason": rule.reason, "without": rule.without}
        for rule in table_of(run.record.rules)
        if rule.name in off
    ]


def failures_told(run: Retold) -> Iterator[dict[str, Any]]:
    """The lines of the diagram that did not come true."""
    lines = _source_lines(run)
    for failure in run.result.failures:
        inside = 0 < failure.line <= len(lines)
        yield {
            "line": failure.line,
            "source": lines[failure.line - 1].strip() if inside else "",
            "expected": run.names.within(failure.expected),
            "happened": run.names.within(failure.happened),
        }


def _source_lines(run: Retold) -> list[str]:
    """The file's lines as its author counts them; the diagram's where the file is gone."""
    if run.scenario is None:
        return []
    try:
        return Path(run.scenario.path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError):
        return run.scenario.source_text.splitlines()


def _minds(run: Retold, words: Words) -> list[Any] | None:
    if run.minds is None:
        return None
    return [
        [one.n, one.host, words.place(one.head), words.place(one.key),
         -1 if one.text is None else words.place(run.names.within(one.text))]
        for one in run.minds
    ]  # fmt: skip


def _used(run: Retold) -> dict[str, dict[str, int]]:
    """By table: ``STATE trigger`` and how often frames of the run asked for it and got it."""
    found: dict[str, dict[str, int]] = {}
    for verdicts in run.verdicts.values():
        for one in verdicts:
            if one.is_legal and one.trigger:
                rows = found.setdefault(one.table, {})
                way = f"{one.state} {one.trigger}"
                rows[way] = rows.get(way, 0) + 1
    return found


def _pairs(subject: Subject) -> list[list[int]] | None:
    """[step left, step right, 1 where both are the same] of the comparison; -1: nothing."""
    if len(subject.runs) < 2:
        return None
    left, right = subject.runs
    pairs = align(left.trace, right.trace, identity, left.diagram.is_shown)
    return [[pair.left, pair.right, int(pair.same)] for pair in pairs]
