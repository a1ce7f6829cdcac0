"""``frame.type (items)``: the text of an arrow between protocol peers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from attrs import field, frozen

from sim.core.errors import ScenarioError
from sim.scenario.names import ID_KINDS
from sim.scenario.source import Span, all_of, near
from sim.scenario.syntax import FrameText, Item, Name
from sim.scenario.values import NAME, read_string, read_value
from sim.scenario.vocabulary import FrameVocabulary

TYPE = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
PATH = r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*|\[[0-9]{1,6}\])*"
OPERATION = re.compile(rf"(?P<path>{PATH})\s*(?P<op>[=~])\s*(?P<value>.*)")
LOOSE_OPERATION = re.compile(r"[^\"'=~]*[=~]")
WHOLE_PATH = re.compile(PATH)
ASCII_WORD = re.compile(r"[!-~]+")
ENGLISH_REMARK = re.compile(r"[A-Za-z0-9][A-Za-z0-9'-]*(?: +[A-Za-z0-9'-]+)+")
LIST_OF_FRAMES = "hooktwin explain --all"
MOST_VALUES = 20
MOST_FIELDS = 40
# What the first letter of a name usually stands for; any letter may stand for anything.
USUAL_FIELDS = {
    "A": "interactionId",
    "B": "bindingId",
    "E": "externalKey",
    "P": "principalId",
    "Q": "queryId",
    "R": "requestId",
}
BRACKETS = {"(": ")", "[": "]", "{": "}"}


@frozen
class FrameWords:
    """What may be said about frames of one type; ``fields`` None: anything."""

    type: str
    fields: Collection[str] | None = None
    enums: Mapping[str, Collection[str]] = field(factory=dict)
    is_literal: bool = False

    def allowed(self) -> tuple[str, ...]:
        """Fields and bare words, for an error."""
        values = {value for one in self.enums.values() for value in one}
        return (*sorted(self.fields or ()), *sorted(values - set(self.fields or ())))


def read_frame(at: Span, frames: FrameVocabulary | None, *, literal: bool) -> FrameText:
    """A frame text; ``literal``: a puppet sends it, so wrong enum values are allowed."""
    kind, rest = _frame_type(at, frames)
    words = FrameWords(kind.text, is_literal=literal)
    if frames is not None:
        enums = frames.enum_values(kind.text)
        words = FrameWords(kind.text, frames.fields(kind.text), enums, literal)
    items: list[Item] = []
    remarks: list[str] = []
    for piece in _items(rest):
        item = _read_item(piece, words)
        if item is None:
            remarks.append(piece.text)
        else:
            _refuse_double(piece, item, items)
            items.append(item)
    return FrameText(at.line, at.column, kind.text, tuple(items), tuple(remarks))


def _frame_type(at: Span, frames: FrameVocabulary | None) -> tuple[Span, Span]:
    """The type and what follows it. A vocabulary may hold types of several words."""
    known = frames.frame_types() if frames is not None else ()
    found = TYPE.match(at.text)
    if found is None or (found.group() not in known and known):
        several = at.text.partition("(")[0].strip()
        if several in known:
            return at.cut(0, len(several)), at.cut(len(several)).strip()
    if found is None:
        example = ("turn.end (ok)",) if frames is None else near(at.text, known)
        raise at.fail("between protocol peers the text is 'frame.type (items)'", example)
    kind, rest = at.cut(0, found.end()), at.cut(found.end()).strip()
    if frames is not None and kind.text not in known:
        if any(name.startswith(f"{kind.text} ") for name in known):
            kind = at.cut(0, len(several))  # a name of several words is told as a whole
        told = f"unknown frame {kind.text[:60]!r}{all_of(kind.text, known, LIST_OF_FRAMES)}"
        raise kind.fail(told, near(kind.text, known))
    if rest.text and not rest.text.startswith("("):
        wide = rest.text.startswith("（")
        message = "full-width brackets: items stand in ( )" if wide else "only (items) may follow"
        raise rest.fail(message, (f"{kind.text} (items)",))
    return kind, rest


def _items(rest: Span) -> Iterator[Span]:
    """The pieces between the commas of ``(a, b=[1,2], c~"x,y")``."""
    if not rest.text:
        return
    if not rest.text.endswith(")") or len(rest.text) < 2:
        closed = rest.text.rfind(")") + 1
        message = "nothing may follow the items" if closed else "the bracket is never closed"
        raise rest.fail(message, () if closed else (")",), at=closed or len(rest.text))
    inner = rest.cut(1, -1)
    start = 0
    for end in _commas(inner):
        piece = inner.cut(start, end).strip()
        if not piece.text:
            if start == 0 and end == len(inner.text):
                return  # "hello ()" names nothing
            raise inner.fail("an item is missing here", at=start)
        yield piece
        start = end + 1


def _commas(inner: Span) -> Iterator[int]:
    """Where items end: commas outside of quotes and brackets, and the end."""
    expected: list[str] = []
    quoted_from = -1
    skip = False
    for at, sign in enumerate(inner.text):
        if skip:
            skip = False
        elif quoted_from >= 0:
            skip = sign == "\\"
            quoted_from = -1 if sign == '"' else quoted_from
        elif sign == '"':
            quoted_from = at
        elif sign in BRACKETS:
            expected.append(BRACKETS[sign])
        elif sign in BRACKETS.values():
            if not expected or expected.pop() != sign:
                raise inner.fail(f"{sign!r} closes nothing here", at=at)
        elif sign == "," and not expected:
            yield at
    if quoted_from >= 0:
        raise inner.fail("this quote is never closed", ('"',), at=quoted_from)
    if expected:
        raise inner.fail("a bracket is never closed", (expected[-1],), at=len(inner.text))
    yield len(inner.text)


def _read_item(piece: Span, words: FrameWords) -> Item | None:
    """One item; None for a remark."""
    operation = OPERATION.fullmatch(piece.text)
    if operation is not None:
        return _read_operation(piece, operation, words)
    if WHOLE_PATH.fullmatch(piece.text) or ASCII_WORD.fullmatch(piece.text):
        return _read_bare(piece, words)
    if LOOSE_OPERATION.match(piece.text):
        raise piece.fail(
            "what stands before '=' or '~' is no field name", near(piece.text, words.allowed())
        )
    if piece.text.isascii():
        _check_english(piece, words)
    return None


def _check_english(piece: Span, words: FrameWords) -> None:
    """A remark in ASCII: several plain words, none of which is a field or a name."""
    if ENGLISH_REMARK.fullmatch(piece.text):
        meant = [
            w for w in piece.words() if w.text in (words.fields or ()) or NAME.fullmatch(w.text)
        ]
        if not meant:
            return
        message = (
            f"{meant[0].text!r} inside several words: a comma or '=' is missing, or it is a slip"
        )
        raise meant[0].fail(message, ("name", "name=value", 'name~"text"'))
    raise piece.fail(f"{piece.text[:40]!r} is no item", ("name", "name=value", 'name~"text"'))


def _read_bare(piece: Span, words: FrameWords) -> Item:
    """``name`` or a bare enum value."""
    if words.fields is None:
        return Item(piece.line, piece.column, piece.text, "present")
    if WHOLE_PATH.fullmatch(piece.text) and _is_field(piece.text, words.fields):
        return Item(piece.line, piece.column, piece.text, "present")
    holders = tuple(sorted(f for f, values in words.enums.items() if piece.text in values))
    if holders:
        return Item(piece.line, piece.column, "", "enum", piece.text, holders)
    if NAME.fullmatch(piece.text):
        raise _bare_name(piece, words)
    told = f"{piece.text[:60]!r} is neither a field nor an enum value of {words.type}"
    allowed = words.allowed()
    told += all_of(piece.text, allowed, f"hooktwin explain {words.type}", MOST_FIELDS)
    raise piece.fail(told, near(piece.text, allowed, MOST_FIELDS))


def _bare_name(piece: Span, words: FrameWords) -> ScenarioError:
    """``A1`` where a field is expected: which field it is the value of must be said."""
    ids = [one for one in ID_KINDS if one in (words.fields or ())]
    ids.sort(key=lambda one: one != USUAL_FIELDS.get(piece.text[0]))
    example = f"{ids[0] if ids else 'field'}={piece.text}"
    told = f"{piece.text} is a name, and a name is the value of a field: write {example}"
    return piece.fail(told, tuple(f"{one}={piece.text}" for one in ids))


def _read_operation(piece: Span, operation: re.Match[str], words: FrameWords) -> Item:
    """``name=value`` or ``name~"text"``."""
    path, at = operation["path"], piece.group(operation, "value")
    if words.fields is not None and not _is_field(path, words.fields):
        message = f"{path[:60]!r} is no field of {words.type}"
        message += all_of(path, words.fields, f"hooktwin explain {words.type}", MOST_FIELDS)
        raise piece.fail(message, near(path, words.fields, MOST_FIELDS))
    if operation["op"] == "~":
        return Item(piece.line, piece.column, path, "contains", read_string(at))
    value = read_value(at)
    values = words.enums.get(_without_positions(path))
    if values is None or words.is_literal or value is None or isinstance(value, Name):
        return Item(piece.line, piece.column, path, "equals", value)
    if not isinstance(value, str) or value not in values:
        message = f"{path} is never {at.text[:40]}"
        message += all_of(at.text, values, f"hooktwin explain {words.type}", MOST_VALUES)
        raise at.fail(message, near(at.text, values, MOST_VALUES))
    return Item(piece.line, piece.column, path, "equals", value)


def _is_field(path: str, fields: Collection[str]) -> bool:
    """Whether the path is declared; below a field of free shape everything is."""
    general = _without_positions(path)
    if general in fields:
        return True
    head = general.split(".", 1)[0]
    return head in fields and not any(one.startswith(f"{head}.") for one in fields)


def _without_positions(path: str) -> str:
    """``bindings[0].teamId`` is declared as ``bindings.teamId``."""
    return re.sub(r"\[[0-9]+\]", "", path)


def _refuse_double(piece: Span, item: Item, earlier: list[Item]) -> None:
    """The same field compared twice says either nothing or a contradiction."""
    for one in earlier:
        if one.path == item.path and one.op == item.op and item.op in ("equals", "present"):
            raise piece.fail(f"{item.path} stands here twice")
