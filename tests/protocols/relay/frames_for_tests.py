"""Frames of the relay protocol for tests: recorded conversations, and one good frame per name."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sim.protocols.relay import DECLARED, RelayRefused, parse_relay_message

DATA = Path(__file__).parents[2] / "data" / "relay"


def golden_files() -> list[Path]:
    """The recorded conversations."""
    return sorted((DATA / "golden").glob("*.jsonl"))


def golden_frames(file: Path) -> Iterator[tuple[str, str, Any]]:
    """Who, send or recv, and the frame, decoded or as raw text, in recorded order."""
    for line in file.read_text(encoding="utf-8").splitlines():
        said = json.loads(line)
        if said["dir"] not in ("send", "recv"):
            continue
        raw = said["frame"] if said["frame"] is not None else said["raw"]
        if not (isinstance(raw, str) and raw.startswith("<")):  # a deed of the socket
            yield said["who"], said["dir"], raw


def good(name: str) -> dict[str, Any]:
    """A valid decoded frame, the caller's own copy."""
    cls = DECLARED[name]
    return cls.enclose("f-1", 1760000000000, copy.deepcopy(cls.EXAMPLE))


def changed(name: str, /, **payload: Any) -> dict[str, Any]:
    """A valid frame with some fields of its payload set (wire names)."""
    frame = good(name)
    frame["payload"].update(payload)
    return frame


def without(name: str, *fields: str) -> dict[str, Any]:
    """A valid frame without some fields of its payload."""
    frame = good(name)
    for field in fields:
        del frame["payload"][field]
    return frame


def refused(frame: object) -> RelayRefused:
    """The refusal; fails when the frame is accepted."""
    verdict = parse_relay_message(frame)
    assert isinstance(verdict, RelayRefused), f"accepted: {frame!r:.300}"
    return verdict


def fault_of(frame: object) -> tuple[str | None, str]:
    """Path and code of the refusal."""
    verdict = refused(frame)
    return verdict.path, verdict.code


def accepted(frame: object) -> bool:
    """Whether the parser takes it."""
    return parse_relay_message(frame).ok
