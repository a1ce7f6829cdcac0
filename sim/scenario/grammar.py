"""Mermaid's own statements, one line at a time: shape only, no meaning yet.

The patterns are narrower than Mermaid's on purpose. Mermaid's lexer cuts at the
first keyword it sees, so an id such as ``end`` or ``note-book`` breaks a diagram
in one place and works in another; such ids are refused everywhere.
"""

from __future__ import annotations

import re

from attrs import frozen

from sim.scenario.source import Span

ID = r"[^\W\d][\w.]*(?:-(?![xX])[\w.]+)*"
WHOLE_ID = re.compile(ID)
# Mermaid takes these for a keyword wherever a non-word character follows.
KEYWORD = re.compile(
    r"(?:box|participant|actor|create|destroy|as|loop|rect|opt|alt|else|par|par_over|and|critical|"
    r"option|break|end|links|link|properties|details|over|note|activate|deactivate|title|accTitle|"
    r"accDescr|sequenceDiagram|autonumber|off)(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
ARROW_SIGNS = ("->>", "-->>", "->", "-->", "-x", "--x", "-)", "--)")
ARROW = re.compile(
    rf"(?P<source>{ID})\s*(?P<sign>-->>|->>|--x|-x|--\)|-\)|-->|->)\s*(?P<mark>[+-]?)\s*"
    rf"(?P<target>{ID})\s*:(?P<text>.*)"
)
FOREIGN_ARROW = re.compile(r"<<--?>>|--?\|[\\/]|--?\\\\|--?//|[\\/]\|--?|\\\\--?|//--?|\(\)")
DECLARE = re.compile(
    rf"(?P<create>create\s+)?(?P<draw>participant|actor)\s+(?P<id>{ID})(?:\s+as\s+(?P<label>.+))?",
    re.IGNORECASE,
)
DESTROY = re.compile(rf"destroy\s+(?P<id>{ID})", re.IGNORECASE)
ACTIVATE = re.compile(rf"(?P<word>activate|deactivate)\s+(?P<id>{ID})", re.IGNORECASE)
NOTE = re.compile(
    rf"note\s+(?P<side>over|left of|right of)\s+(?P<ids>{ID}(?:\s*,\s*{ID})*)\s*:(?P<text>.*)",
    re.IGNORECASE,
)
LINK = re.compile(rf"(?P<word>links?)\s+(?P<id>{ID})\s*:(?P<text>.*)", re.IGNORECASE)
BLOCK = re.compile(
    r"(?P<word>loop|alt|opt|par|critical|rect|break|box|else|and|option)(?:\s+(?P<text>.*))?",
    re.IGNORECASE,
)
NUMBER = r"(?:[0-9]+(?:\.[0-9]{1,2})?)"
AUTONUMBER = re.compile(rf"autonumber(?: off| {NUMBER}(?: {NUMBER})?)?", re.IGNORECASE)
TITLE = re.compile(r"title(?:\s|:\s)\s*(?P<text>\S.*)", re.IGNORECASE)
ACCESSIBILITY = re.compile(r"acc(?:Title|Descr)\s*:\s*(?P<text>\S.*)", re.IGNORECASE)
WRAP = re.compile(r":?(?:no)?wrap:")

STATEMENTS = (
    "A->>B: text", "participant", "actor", "create", "destroy", "activate", "deactivate", "note",
    "loop", "alt", "else", "opt", "par", "and", "critical", "option", "break", "rect", "box", "end",
    "autonumber", "title", "accTitle", "accDescr", "link", "links", "%% @directive",
)  # fmt: skip


@frozen
class RawArrow:
    """An arrow; ``mark`` is ``+``, ``-`` or empty."""

    at: Span
    source: Span
    sign: str
    mark: str
    target: Span
    text: Span


@frozen
class RawDeclare:
    """``[create] participant|actor ID [as LABEL]``."""

    at: Span
    id: Span
    label: Span | None
    is_actor: bool
    create: bool


@frozen
class RawDestroy:
    """``destroy ID``."""

    at: Span
    id: Span


@frozen
class RawActivate:
    """``activate ID`` or ``deactivate ID``."""

    at: Span
    id: Span
    on: bool


@frozen
class RawNote:
    """A note for the reader, and ids that Mermaid draws because of it."""

    at: Span
    ids: tuple[Span, ...]


@frozen
class RawDirective:
    """``@word args`` out of a comment or a note; a note also mentions ``ids``."""

    at: Span
    text: Span
    ids: tuple[Span, ...] = ()


@frozen
class RawBlock:
    """The first line of a block, or of a further branch (``else``, ``and``, ``option``)."""

    at: Span
    word: str
    text: Span


@frozen
class RawEnd:
    """``end``."""

    at: Span


@frozen
class RawDecoration:
    """Something that only the picture needs: title, numbers, links, accessibility."""

    at: Span
    ids: tuple[Span, ...] = ()
    title: str = ""


Raw = (
    RawArrow
    | RawDeclare
    | RawDestroy
    | RawActivate
    | RawNote
    | RawDirective
    | RawBlock
    | RawEnd
    | RawDecoration
)


def read_statement(at: Span) -> Raw | None:
    """What kind of statement this line is; None where it is none."""
    if at.text.startswith("%%"):
        return RawDirective(at, at.cut(2).strip())
    if at.text.lower() == "end":
        return RawEnd(at)
    for reader in (_arrow, _declare, _block, _note, _lifeline, _decoration):
        raw = reader(at)
        if raw is not None:
            return raw
    return None


def check_id(at: Span) -> Span:
    """Refuse an id that Mermaid's lexer takes apart."""
    keyword = KEYWORD.match(at.text)
    if keyword is not None:
        raise at.fail(f"Mermaid takes {keyword.group()!r} at the start of an id for a keyword")
    return at


def _text(at: Span, found: re.Match[str]) -> Span:
    """The text behind a colon, without Mermaid's ``wrap:``."""
    text = at.group(found, "text")
    if text.text.startswith("%%"):
        raise text.fail("Mermaid takes ':%%' for a comment; leave a blank after the colon")
    return _without_wrap(text)


def _without_wrap(text: Span) -> Span:
    """Without the ``wrap:`` or ``nowrap:`` that only tells Mermaid how to break lines."""
    bare = text.strip()
    wrap = WRAP.match(bare.text)
    return bare.cut(wrap.end()).strip() if wrap else bare


def _arrow(at: Span) -> Raw | None:
    found = ARROW.fullmatch(at.text)
    if found is None:
        return None
    source, target = (check_id(at.group(found, end)) for end in ("source", "target"))
    return RawArrow(at, source, found["sign"], found["mark"], target, _text(at, found))


def _declare(at: Span) -> Raw | None:
    found = DECLARE.fullmatch(at.text)
    if found is None:
        return None
    label = _without_wrap(at.group(found, "label")) if found["label"] else None
    if label is not None and not label.text:
        raise label.fail("the label after 'as' is empty")
    is_actor = found["draw"].lower() == "actor"
    create = found["create"] is not None
    return RawDeclare(at, check_id(at.group(found, "id")), label, is_actor, create)


def _block(at: Span) -> Raw | None:
    found = BLOCK.fullmatch(at.text)
    if found is None:
        return None
    text = at.group(found, "text").strip() if found["text"] else at.cut(len(at.text))
    return RawBlock(at, found["word"].lower(), text)


def _note(at: Span) -> Raw | None:
    found = NOTE.fullmatch(at.text)
    if found is None:
        return None
    whole = at.group(found, "ids")
    ids = tuple(check_id(whole.cut(*one.span())) for one in WHOLE_ID.finditer(whole.text))
    if len(ids) > 2:
        raise ids[2].fail("Mermaid allows a note over at most two lifelines")
    if len(ids) == 2 and found["side"].lower() != "over":
        raise ids[1].fail("a note left or right of stands beside one lifeline", ("over A,B",))
    text = _text(at, found)
    if text.text.startswith("@"):
        return RawDirective(at, text, ids)
    return RawNote(at, ids)


def _lifeline(at: Span) -> Raw | None:
    if (found := DESTROY.fullmatch(at.text)) is not None:
        return RawDestroy(at, check_id(at.group(found, "id")))
    if (found := ACTIVATE.fullmatch(at.text)) is not None:
        return RawActivate(at, check_id(at.group(found, "id")), found["word"].lower() == "activate")
    return None


def _decoration(at: Span) -> Raw | None:
    if AUTONUMBER.fullmatch(at.text) or ACCESSIBILITY.fullmatch(at.text):
        return RawDecoration(at)
    if (found := TITLE.fullmatch(at.text)) is not None:
        return RawDecoration(at, title=found["text"].strip())
    if (found := LINK.fullmatch(at.text)) is not None:
        _text(at, found)
        return RawDecoration(at, ids=(check_id(at.group(found, "id")),))
    return None
