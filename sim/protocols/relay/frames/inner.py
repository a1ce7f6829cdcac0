"""A command seen from within: the payload of its action, and the command around it."""

from __future__ import annotations

from sim.protocols.relay.constants import RELAY
from sim.protocols.relay.frames.commands import (
    Command,
    needs_tab,
    nonce_unless_the_relay_sends,
    tab_of,
)
from sim.protocols.relay.frames.envelope import RelayBody
from sim.wire.linkage import JsonObject, Wire
from sim.wire.schema import object_schema


class ActionBody(RelayBody):
    """The inner payload of a command; the action stands next to it."""

    __slots__ = ()

    BUILDER = "make_command"

    @classmethod
    def family(cls) -> str:
        """All of them are commands."""
        return Command.TYPE

    @classmethod
    def enclose(cls, id: str, ts: int | float, payload: JsonObject, sender: str = "") -> JsonObject:
        """A whole command around the inner payload, for node_alpha and, if need be, tab_1."""
        command: JsonObject = {"targetNodeId": "node_alpha", "action": cls.TYPE}
        command["payload"] = payload
        if needs_tab(cls.TYPE):
            command["tabSessionId"] = tab_of(payload) or "tab_1"
        sender = sender or cls.SENDERS[0]
        if sender != RELAY:
            command["replayNonce"] = f"nonce-{id}"
        return super().enclose(id, ts, command, sender)

    @classmethod
    def payload_in(cls, frame: Wire) -> Wire:
        """The inner payload of a decoded command."""
        inner: Wire = frame["payload"]["payload"]
        return inner

    @classmethod
    def frame_schema(cls, payload: JsonObject) -> JsonObject:
        """JSON Schema of a whole command with this action."""
        command = object_schema(Command)
        fields = {**command["properties"], "action": {"const": cls.TYPE}, "payload": payload}
        schema = super().frame_schema({**command, "properties": fields})
        return {**schema, "allOf": [nonce_unless_the_relay_sends.schema]}
