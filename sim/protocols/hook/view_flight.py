"""Which frames may have an effect.

A frame that the parser refuses was not said, whoever wrote it: ``body_of``
gives None for it, and never raises.
"""

from __future__ import annotations

from typing import Any

from sim.protocols.hook.intake import checked
from sim.wire.message import Message


def body_of(frame: Any) -> Any:
    """The typed payload of a frame, or None if no receiver would take it.

    A twin's frame exists as a typed body only and is valid by construction.
    """
    if type(frame) is Message:
        verdict = frame.verdict
        if verdict is not None:
            return frame.body if verdict.ok else None
        if frame.is_typed:
            return frame._body
    try:
        message = checked(frame)
        return message.body if type(message) is Message else None
    except Exception:  # a puppet's frame may hold anything, even what has no JSON form
        return None
