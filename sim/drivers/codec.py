"""Texts and frames: what stands between a real socket, or a user's host, and the actors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sim.core.op import Frame, OpaqueFrame
from sim.wire.encode import encode_json
from sim.wire.result import ParseResult


class Codec(Protocol):
    """How a protocol's frames are written and read."""

    def encode(self, frame: Frame) -> str:
        """The text of a frame."""

    def decode(self, text: str) -> Frame:
        """The frame of a text; an ``OpaqueFrame`` for one that the parser refuses."""


class JsonCodec:
    """The codec of a protocol whose parser answers with a :class:`ParseResult`.

    ``type_key`` is where its frames say their type.
    """

    def __init__(self, parse: Callable[[str], ParseResult], type_key: str = "type") -> None:
        self._parse = parse
        self._type_key = type_key

    def encode(self, frame: Frame) -> str:
        """Compact JSON, keys in the frame's order."""
        return frame_text(frame, self._to_json)

    def decode(self, text: str) -> Frame:
        """Parse; what is refused goes on as an OpaqueFrame with the parser's words."""
        result = self._parse(text)
        if result.message is not None:
            return result.message
        return OpaqueFrame(text, result.error or "refused", result.path, self._type_key)

    @staticmethod
    def _to_json(frame: Frame) -> str:
        return encode_json(frame.wire)


def frame_text(frame: Frame, encode: Callable[[Frame], str]) -> str:
    """The text of any frame: an opaque one carries its own."""
    return frame.text if isinstance(frame, OpaqueFrame) else encode(frame)
