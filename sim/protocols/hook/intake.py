"""The one entrance and the one exit for frames (HK-13, HK-203)."""

from __future__ import annotations

from typing import Any

from sim.core.actor import Port
from sim.core.op import Frame
from sim.protocols.hook.frames import HookBody
from sim.protocols.hook.parse import parse_hook_message
from sim.wire.message import Message
from sim.wire.result import ParseResult, Refused


def checked(frame: Frame) -> Message | Refused:
    """A frame that may be acted on, or why it may not. Never raises.

    A twin's frame was made of a typed body and is valid by construction; what
    was made of JSON (a puppet's, a real peer's) is parsed.
    """
    verdict: ParseResult
    if type(frame) is Message:
        if frame.is_typed:
            return frame
        verdict = frame.verdict
        if verdict is None:
            verdict = frame.verdict = parse_hook_message(_object_of(frame))
    else:
        verdict = parse_hook_message(_object_of(frame))
    return verdict.message if verdict.ok else verdict


def _object_of(frame: Frame) -> Any:
    try:
        return frame.wire
    except Exception:  # a puppet's frame may hold anything, even what has no JSON form
        return None


def made(port: Port, body: HookBody) -> Message:
    """A frame of this host around a body."""
    return Message(body.TYPE, port.new_frame_id(), port.now_ms(), body)
