"""From text to lines: what Mermaid would damage is refused here, line by line.

Mermaid rewrites its input before it parses (front matter, ``%%{…}%%``,
comments, entities), partly with patterns that match anywhere. A text that such
a pattern would hit is refused, because the reader of the picture would see
something else than what runs.
"""

from __future__ import annotations

import re

from attrs import field, frozen

from sim.core.errors import ScenarioError
from sim.scenario.front_matter import skip_front_matter
from sim.scenario.source import Span
from sim.scenario.values import read_json

HEADER = "sequenceDiagram"
OTHER_DIAGRAMS = (
    "flowchart", "graph", "classDiagram", "classDiagram-v2", "stateDiagram", "stateDiagram-v2",
    "erDiagram", "gantt", "pie", "gitGraph", "journey", "timeline", "mindmap",
    "requirementDiagram", "quadrantChart", "xychart", "xychart-beta", "sankey", "sankey-beta",
    "block", "block-beta", "packet", "packet-beta", "kanban", "architecture-beta", "radar-beta",
    "treemap", "C4Context", "C4Container", "C4Component", "C4Dynamic", "C4Deployment", "info",
    "zenuml",
)  # fmt: skip
# Mermaid takes a diagram with one of these words anywhere for a C4 diagram.
HIJACKING = re.compile(r"C4Container|C4Component|C4Dynamic|C4Deployment")
INIT_LINE = re.compile(r"%%\{\s*(?:wrap|(?:init|initialize)\s*:\s*(?P<config>\{[^%]*\}))\s*\}%%")
ODD_CHARACTER = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")


@frozen
class Lines:
    """The lines that mean something: statements, and comments that start with ``@``."""

    statements: tuple[Span, ...]
    end: Span = field()


def read_lines(text: str, path: str, first_line: int = 1) -> Lines:
    """Check the frame of the diagram and give back its meaningful lines."""
    lines = _split(text, path, first_line)
    start = skip_front_matter(lines)
    statements = []
    header_seen = False
    for line in lines[start:]:
        piece = line.strip()
        if not piece.text or _is_silent_comment(piece):
            continue
        if piece.text.startswith("%%"):
            statements.append(piece)
        elif header_seen:
            _check_newline(line)
            statements.append(_checked(piece))
        else:
            _check_header(piece)
            header_seen = True
    if not header_seen:
        raise lines[-1].fail("no diagram: the file has no statement", (HEADER,))
    return Lines(tuple(statements), lines[-1])


def _split(text: str, path: str, first_line: int) -> list[Span]:
    """One piece per line; a BOM and CRLF are accepted, other odd characters are not."""
    rows = text.removeprefix("\ufeff").split("\n")
    lines = [Span(row.removesuffix("\r"), path, first_line + n, 1) for n, row in enumerate(rows)]
    for line in lines:
        odd = ODD_CHARACTER.search(line.text)
        if odd is not None:
            code = f"U+{ord(odd.group()):04X}"
            hint = "not a text file?" if code == "U+0000" else "remove it"
            raise line.fail(
                f"the character {code} has no place in a diagram: {hint}", at=odd.start()
            )
    return lines


def _is_silent_comment(piece: Span) -> bool:
    """Whether the line is a comment without a directive; init lines of Mermaid count."""
    if "%%{" in piece.text:
        init = INIT_LINE.fullmatch(piece.text)
        if init is not None:
            if init["config"]:
                # Mermaid leaves half of a broken line in the diagram.
                read_json(piece.group(init, "config"))
            return True
        raise piece.fail(
            "Mermaid cuts out what follows %%{ up to the next }%%, wherever it stands",
            ("%%{init: {…}}%% on a line of its own",),
            at=piece.text.index("%%{"),
        )
    return piece.text.startswith("%%") and not piece.text[2:].lstrip().startswith("@")


def _check_header(piece: Span) -> None:
    if piece.text == HEADER:
        return
    word = re.split(r"[\s:;(]", piece.text, maxsplit=1)[0]
    if word in OTHER_DIAGRAMS:
        raise piece.fail(f"this is a Mermaid {word}; only sequence diagrams run", (HEADER,))
    if word == HEADER:
        raise piece.fail(f"{HEADER} must stand alone on its line", (HEADER,), at=len(word))
    if word == "---":
        raise piece.fail("front matter must start on line 1 of the diagram", (HEADER,))
    raise piece.fail(f"the diagram must start with {HEADER}, not with {word[:40]!r}", (HEADER,))


def _check_newline(line: Span) -> None:
    """Mermaid's lexer takes blanks and the line end behind them for one blank;
    ``autonumber`` is the statement that then misses its line end."""
    bare = line.text.rstrip()
    if bare != line.text and bare.lstrip().lower().startswith("autonumber"):
        raise line.fail("Mermaid wants no blanks behind autonumber", at=len(bare))


def _checked(piece: Span) -> Span:
    """Refuse what Mermaid reads as something else inside a statement."""
    for at, sign in enumerate(piece.text):
        if sign == "#":
            raise piece.fail(
                "Mermaid cuts the text at '#': it may only stand in %% comments", at=at
            )
        if sign == ";":
            raise piece.fail(
                "Mermaid ends a statement at ';': it may only stand in %% comments", at=at
            )
    hijack = HIJACKING.search(piece.text)
    if hijack is not None:
        message = f"Mermaid takes any diagram with the word {hijack.group()} for a C4 diagram"
        raise piece.fail(message, at=hijack.start())
    if piece.text == HEADER:
        raise piece.fail(f"a second {HEADER}: a file holds one diagram")
    return piece


def decode(data: bytes, path: str) -> str:
    """UTF-8 text of a file, or the place of the first byte that is none."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ScenarioError("the file is UTF-16; save it as UTF-8", path=path, line=1, column=1)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as bad:
        before = data[: bad.start]
        row_start = before.rfind(b"\n") + 1
        raise ScenarioError(
            f"not UTF-8: byte 0x{data[bad.start]:02X} at offset {bad.start} begins no character",
            path=path,
            line=before.count(b"\n") + 1,
            column=len(before[row_start:].decode("utf-8")) + 1,
        ) from None
