"""The page: one file that loads nothing, with the run as data and the viewer beside it.

Nothing that a run brings can act. It stands in the page as data that no browser executes
(escaped so that it cannot end its own element), the viewer puts it into the document as text
only, and the policy at the top lets just the one script run whose digest it names.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from sim.cli.drawing.tables import STYLE as TABLE_STYLE
from sim.cli.drawing.tables import draw_table
from sim.cli.reporting.content import Content
from sim.cli.reporting.subject import Subject
from sim.cli.terminal import clean
from sim.core.table import Table

SCRIPTS = (
    "data.js", "words.js", "draw.js", "diagram.js", "scrubber.js", "inspector.js", "channels.js",
    "hosts.js", "compare.js", "tables.js", "print.js", "start.js",
)  # fmt: skip
STYLES = ("page.css", "parts.css")

PACKED_FROM = 3_000_000
"""Bytes of data from which on they are packed: a browser that unpacks them is from 2023."""

_BREAKING = re.compile("[<>&\u2028\u2029]")


@cache
def asset(name: str) -> str:
    """A file of the viewer."""
    return resources.files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def page_of(subject: Subject, content: Content) -> str:
    """The whole page."""
    script = "\n".join(map(asset, SCRIPTS))
    style = "\n".join((*map(asset, STYLES), TABLE_STYLE))
    texts = {
        "title": html.escape(clean(f"{subject.name}: a run of hooktwin")),
        "policy": _policy(script, style),
        "style": style,
        "script": script,
        "summary": "\n".join(_summary(content)),
        "tables": "\n".join(_tables(subject.first.record.tables)),
        "data": "\n".join(_data(content)),
    }
    # Data may contain what looks like a place: all are filled in one go.
    return re.sub(r"\{\{(\w+)\}\}", lambda place: texts[place[1]], asset("page.html"))


def _policy(script: str, style: str) -> str:
    """Nothing is loaded, nothing sent; one script and one style, known by their digests."""
    return (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


# -- data ----------------------------------------------------------------------------------------


def harmless_json(text: str) -> str:
    """JSON that cannot end the element in which it stands, nor begin another."""
    return _BREAKING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _data(content: Content) -> Iterator[str]:
    blocks = [("report", _json(content.shared))]
    for number, (run, chunks) in enumerate(zip(content.runs, content.chunks, strict=True)):
        blocks.append((f"run-{number}", _json(run)))
        blocks += [(f"run-{number}-{place}", text) for place, text in enumerate(chunks)]
    packed = sum(len(text) for _, text in blocks) >= PACKED_FROM
    for name, text in blocks:
        kind = "application/gzip" if packed else "application/json"
        body = _packed(text) if packed else harmless_json(text)
        yield f'<script type="{kind}" class="data" id="{name}">{body}</script>'


def _json(value: Any) -> str:
    # Lone surrogates are escaped, too: no encoding of a file takes them.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


def _packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


# -- what can be read without the script -----------------------------------------------------------


def _summary(content: Content) -> Iterator[str]:
    """The verdict as plain text, for readers without scripts and for searches."""
    for run in content.runs:
        verdict = "holds" if run["ok"] else "fails"
        title = f" ({run['title']})" if run["title"] else ""
        yield f"<h2>{_safe(content.shared['name'])} {verdict}{_safe(title)}</h2>"
        yield f"<p>seed {run['seed']}, {run['count']} steps, digest {_safe(run['digest'])}</p>"
        for broken in run["violations"]:
            told = f"{broken['invariant']} broken at step {broken['step']}: {broken['text']}"
            yield f"<p>{_safe(told)}</p>"
        for failure in run["failures"]:
            told = f"expected {failure['expected']}; happened: {failure['happened']}"
            yield f"<p>line {failure['line']}: {_safe(told)}</p>"
    yield f"<pre>{_safe_lines(content.shared['source'])}</pre>"


def _safe(text: str) -> str:
    return html.escape(clean(str(text)))


def _safe_lines(text: str) -> str:
    return "\n".join(map(_safe, text.split("\n")))


def _tables(tables: tuple[Table, ...]) -> Iterator[str]:
    """Pictures of what may happen when; the viewer marks what the run did."""
    for table in tables:
        yield (
            f'<figure class="table" data-table="{html.escape(table.role)}">'
            f"<figcaption>{html.escape(table.role)}</figcaption>{draw_table(table)}</figure>"
        )
