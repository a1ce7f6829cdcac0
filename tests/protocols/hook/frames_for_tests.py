"""Frames of the hook protocol for tests: recorded verdicts, and one good frame per type."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sim.protocols.hook import MESSAGES, parse_hook_message

DATA = Path(__file__).parents[2] / "data" / "hook"


def corpus() -> Iterator[dict[str, Any]]:
    """Records of what the protocol's own implementation says of a frame."""
    with gzip.open(DATA / "corpus-open.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def raw_of(record: dict[str, Any]) -> str:
    """The text of a recorded frame; huge ones are recorded as a recipe."""
    if "raw" in record:
        return str(record["raw"])
    prefix, char, count, suffix = record["raw_repeat"]
    return str(prefix + char * count + suffix)


def good(type: str) -> dict[str, Any]:
    """A valid decoded frame, the caller's own copy."""
    cls = MESSAGES[type]
    return cls.enclose("f-1", 1760000000000, copy.deepcopy(cls.EXAMPLE))


def changed(type: str, /, **payload: Any) -> dict[str, Any]:
    """A valid frame with some payload fields set (wire names)."""
    frame = good(type)
    frame["payload"].update(payload)
    return frame


def without(type: str, *names: str) -> dict[str, Any]:
    """A valid frame without some payload fields."""
    frame = good(type)
    for name in names:
        del frame["payload"][name]
    return frame


def fault_path(frame: object) -> str | None:
    """The path of the refusal; fails when the frame is accepted."""
    result = parse_hook_message(frame)
    assert not result.ok, f"accepted: {frame!r:.300}"
    return result.path


def accepted(frame: object) -> bool:
    """Whether the parser takes it."""
    return parse_hook_message(frame).ok
