"""What all messages of the protocol have around them (spec §3)."""

from __future__ import annotations

import sys
from typing import Final

from sim.protocols.hook.constants import HOOK_PROTOCOL_VERSION
from sim.wire.declare import Body
from sim.wire.linkage import JsonObject, Wire

DESKTOP_TO_SERVER: Final = "desktop>server"
SERVER_TO_DESKTOP: Final = "server>desktop"
BOTH: Final = "both"

HELLO: Final = "hello"
"""Announced by the desktop alone."""
WELCOME: Final = "welcome"
"""Announced by the server alone."""


class HookBody(Body):
    """A payload of this protocol; the message type stands in its envelope."""

    __slots__ = ()

    @classmethod
    def enclose(cls, id: str, ts: int | float, payload: JsonObject, sender: str = "") -> JsonObject:
        """The decoded frame around a payload; the envelope names no sender."""
        return {
            "v": HOOK_PROTOCOL_VERSION,
            "type": cls.TYPE,
            "id": id,
            "ts": ts,
            "payload": payload,
        }

    @classmethod
    def payload_in(cls, frame: Wire) -> Wire:
        """The payload of a decoded frame."""
        payload: Wire = frame["payload"]
        return payload

    @classmethod
    def frame_schema(cls, payload: JsonObject) -> JsonObject:
        """JSON Schema of a whole frame of this type."""
        return {
            "type": "object",
            "properties": {
                "v": {"const": HOOK_PROTOCOL_VERSION},
                "type": {"const": cls.TYPE},
                "id": {"type": "string", "minLength": 1},
                "ts": {
                    "type": "number",
                    "minimum": -sys.float_info.max,
                    "maximum": sys.float_info.max,
                },
                "payload": payload,
            },
            "required": ["v", "type", "id", "ts", "payload"],
        }
