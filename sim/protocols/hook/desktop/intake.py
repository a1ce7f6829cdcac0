"""The one entrance for frames: a bad one is a value, never an exception (HK-13)."""

from __future__ import annotations

from typing import Any

from sim.core.op import Frame
from sim.protocols.hook import Message, Refused, parse_hook_message


def checked(frame: Frame) -> Message | Refused:
    """A frame that may be acted on, or why it may not.

    A twin's frame exists as a typed body only and is valid by construction;
    what was made of JSON (a puppet's, a real peer's) is parsed.
    """
    if type(frame) is Message and frame.is_typed:
        return frame
    verdict = parse_hook_message(_object_of(frame))
    return verdict.message if verdict.ok else verdict


def _object_of(frame: Frame) -> Any:
    try:
        return frame.wire
    except Exception:  # a puppet's frame may hold anything, even what has no JSON form
        return None
