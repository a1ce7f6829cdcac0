"""The fields of a log's line: which of them is the frame, and what the others say of it.

A field is taken for the frame because its value is one, never because of its name alone:
programs log sentences under the same names. Only the documented form (``raw``), and lines
that say a direction, may hold something that is no frame at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from sim.check.clock import read_time
from sim.check.spoken import ENVELOPES, speaks
from sim.check.ways import KNOWN, OPPOSITE, plain
from sim.wire.encode import encode_json

RAW: Final = ("raw", "text", "frame", "data", "message", "msg", "payload", "body")
TIME: Final = ("ts", "time", "timestamp", "at", "t", "@timestamp", "date", "at_ms")
WAY: Final = ("dir", "direction", "way", "from", "sender", "by")
CONN: Final = ("conn", "connection", "link", "socket", "session", "cid", "connId", "who")
TELLING: Final = ("msg", "message", "event", "logger", "name")
"""Where programs say in words what a line is about."""
_SURELY: Final = ("dir", "direction", "way")
_WORDS: Final = re.compile(r"[A-Za-z0-9]+(?:->|>)[A-Za-z]+|[A-Za-z0-9]+|<-+|-+>|<<|>>|[<>←→]")
_ARROWS: Final = {"→": ">", "←": "<", "-->": "->", "<--": "<-"}
_ISO: Final = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?"
)
_EPOCH: Final = re.compile(r"[\[(]?(\d{9,19}(?:\.\d+)?)(?=[\s\])]|$)")
DEEPEST: Final = 4
"""Objects within objects that are searched."""
SOFT: Final = "?"
"""Before a direction that stands in a sentence: it counts only if the frames agree with it."""

Facts = tuple[float | None, str, str]
"""Time, connection and direction."""


def is_frame(value: object) -> bool:
    """Whether an object is meant to be a frame: it has most names of an envelope."""
    return isinstance(value, dict) and speaks(value) != ""


def frame_in(value: Mapping[str, Any]) -> tuple[str, Facts] | None:
    """The frame that a line tells of, and its facts; None where there is none."""
    raw = value.get("raw")
    if isinstance(raw, str | dict):
        return raw if isinstance(raw, str) else encode_json(raw), facts_of((value,))
    for text, around in _frames_within((value,)):
        return text, facts_of(around)
    if _says_direction(value):
        for key in RAW:
            found = value.get(key)
            if isinstance(found, str):
                return found, facts_of((value,))
            if isinstance(found, dict) and ("type" in found or "messageType" in found):
                return encode_json(found), facts_of((value,))
    return None


def _frames_within(
    around: tuple[Mapping[str, Any], ...],
) -> Iterator[tuple[str, tuple[Mapping[str, Any], ...]]]:
    """(text, the objects around it from without to within), usual names first."""
    inner = around[-1]
    names = sorted(inner, key=lambda name: RAW.index(name) if name in RAW else len(RAW))
    for name in names:
        found = inner[name]
        if isinstance(found, str) and found.lstrip()[:1] == "{" and is_frame(_object(found)):
            yield found, around
        elif is_frame(found):
            yield encode_json(found), around
    if len(around) < DEEPEST:
        for name in names:
            if isinstance(inner[name], dict):
                yield from _frames_within((*around, inner[name]))


def _object(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return _torn(text)


def _torn(text: str) -> Any:
    """A frame that is no valid JSON has still the names of one."""
    known = (key for names, _ in ENVELOPES.values() for key in names)
    return dict.fromkeys(key for key in known if f'"{key}"' in text)


def _says_direction(value: Mapping[str, Any]) -> bool:
    if any(plain(value.get(key)) for key in _SURELY):
        return True
    words = (plain(value.get(key)) for key in WAY)
    is_sentence = "level" in value or "msg" in value or "message" in value
    return not is_sentence and any(word in KNOWN or word in OPPOSITE for word in words)


def facts_of(around: Sequence[Mapping[str, Any]]) -> Facts:
    """What the objects around a frame say of it: the outer ones the time, the inner the rest."""
    at = next((time for one in around if (time := _time_of(one)) is not None), None)
    conn = way = ""
    for one in reversed(around):
        conn = conn or _conn_of(one)
        way = way or next((plain(one[key]) for key in WAY if plain(one.get(key))), "")
    if not way:
        told = (one[key] for one in reversed(around) for key in TELLING if key in one)
        way = next((word for text in told if (word := word_in(text))), "")
    return at, conn, way


def _time_of(value: Mapping[str, Any]) -> float | None:
    return next((read_time(value[key]) for key in TIME if key in value), None)


def _conn_of(value: Mapping[str, Any]) -> str:
    """An ``id`` beside a direction is the connection's; elsewhere it may be anything's."""
    names = (*CONN, "id") if any(plain(value.get(key)) for key in _SURELY) else CONN
    return str(next((value[key] for key in names if isinstance(value.get(key), str | int)), ""))


def word_in(text: object) -> str:
    """The one direction that a sentence speaks of, marked as such; "" for none or several."""
    if not isinstance(text, str) or len(text) > 400:
        return ""
    words = (_ARROWS.get(word, word.lower()) for word in _WORDS.findall(text))
    found = {word for word in words if word in KNOWN or word in OPPOSITE}
    found = {word for word in found if word.isalnum()} or found  # arrows also divide
    return SOFT + found.pop() if len(found) == 1 else ""


def facts_before(prefix: str) -> Facts:
    """What stands before the JSON of a line: a time and a direction, where they are clear."""
    iso, epoch = _ISO.search(prefix), _EPOCH.match(prefix.lstrip())
    at = None
    if iso is not None:
        at = read_time(iso[0].replace(" Z", "Z").replace(" +", "+"))
    elif epoch is not None:
        at = read_time(float(epoch[1]))
    rest = prefix if iso is None else prefix[: iso.start()] + " " + prefix[iso.end() :]
    return at, "", word_in(rest)
