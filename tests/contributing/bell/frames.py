"""The two messages, each declared once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.protocols.bell.constants import TYPE_KEY

from sim.wire.declare import Body, message, wire
from sim.wire.linkage import JsonObject, Wire
from sim.wire.spec import SOME_TEXT


class BellBody(Body):
    """A payload of this protocol."""

    __slots__ = ()

    @classmethod
    def enclose(cls, id: str, ts: int | float, payload: JsonObject, sender: str = "") -> JsonObject:
        return {TYPE_KEY: cls.TYPE, "id": id, "ts": ts, "payload": payload}

    @classmethod
    def payload_in(cls, frame: Wire) -> Wire:
        payload: Wire = frame["payload"]
        return payload

    @classmethod
    def frame_schema(cls, payload: JsonObject) -> JsonObject:
        return {
            "type": "object",
            "properties": {TYPE_KEY: {"const": cls.TYPE}, "payload": payload},
            "required": [TYPE_KEY, "payload"],
        }


@message("knock", direction="guest>door", section="§1", example={"knockId": "k-1"})
class Knock(BellBody):
    """A guest wants to come in."""

    knock_id: str = wire(SOME_TEXT)


@message("open", direction="door>guest", section="§2", example={"knockId": "k-1"})
class Open(BellBody):
    """The door answers a knock, under its id."""

    knock_id: str = wire(SOME_TEXT)


MESSAGES: Mapping[str, type[BellBody]] = {one.TYPE: one for one in (Knock, Open)}


def shape_of(frame: Mapping[str, Any]) -> type[BellBody] | None:
    """The declaration of a decoded frame."""
    return MESSAGES.get(str(frame.get(TYPE_KEY)))


def told(frame: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """What people are told of a decoded frame."""
    payload = frame.get("payload")
    return str(frame.get(TYPE_KEY, "")), payload if isinstance(payload, Mapping) else {}
