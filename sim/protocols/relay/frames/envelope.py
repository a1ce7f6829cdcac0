"""What all messages of the protocol have around them, and who sends what to whom."""

from __future__ import annotations

from typing import Any, Final

from sim.protocols.relay.constants import (
    CONTROLLER,
    MESSAGE_TYPES,
    NODE,
    RELAY,
    RELAY_PROTOCOL_VERSION,
    ROLES,
)
from sim.protocols.relay.predicates import LAST_TIMESTAMP_MS, TIMESTAMP, VERSION, iso_timestamp
from sim.wire.declare import Body, Record, record, wire
from sim.wire.linkage import JsonObject, Wire
from sim.wire.schema import object_schema
from sim.wire.spec import SOME_TEXT, AnyObject, Choice, Text

PEER_TO_RELAY: Final = "peer>relay"
RELAY_TO_PEER: Final = "relay>peer"
CONTROLLER_TO_RELAY: Final = "controller>relay"
RELAY_TO_CONTROLLER: Final = "relay>controller"
RELAY_TO_NODE: Final = "relay>node"
NODE_TO_RELAY: Final = "node>relay"
CONTROLLER_TO_NODE: Final = "controller>node"
"""Through the relay, which may send one of its own."""
NODE_TO_CONTROLLER: Final = "node>controller"
"""Through the relay."""
BOTH: Final = "both"

PEERS: Final = (CONTROLLER, NODE)
ANYBODY: Final = (RELAY, CONTROLLER, NODE)

ENVELOPE_SECTION: Final = "信封约定"
FAMILIES_SECTION: Final = "消息族"
COMMAND_SECTION: Final = "命令约定"
ACTIONS_SECTION: Final = "命令操作"
DESCRIPTOR_SECTION: Final = "command.list 描述符元数据"
LISTENER_SECTION: Final = "监听器生命周期"
INTERCEPT_SECTION: Final = "network.http_intercept 选项"
UPDATE_SECTION: Final = "监听器更新形状"
ROUTING_SECTION: Final = "路由、排队和可靠性"
OWNERSHIP_SECTION: Final = "标签页所有权和清理"


@record()
class Envelope(Record):
    """The six fields of every frame, in the order in which they are looked at."""

    request_id: str = wire(SOME_TEXT)
    payload: dict[str, Any] = wire(AnyObject())
    protocol_version: str = wire(Text(where=VERSION))
    message_type: str = wire(Choice(MESSAGE_TYPES))
    sender_role: str = wire(Choice(ROLES))
    timestamp: str = wire(Text(where=TIMESTAMP))


class RelayBody(Body):
    """A payload of this protocol; the message type stands in its envelope."""

    __slots__ = ()

    LAST_TS = LAST_TIMESTAMP_MS

    @classmethod
    def enclose(cls, id: str, ts: int | float, payload: JsonObject, sender: str = "") -> JsonObject:
        """The decoded frame around a payload; ``id`` is its requestId."""
        return {
            "protocolVersion": RELAY_PROTOCOL_VERSION,
            "messageType": cls.family(),
            "requestId": id,
            "timestamp": iso_timestamp(ts),
            "senderRole": sender or cls.SENDERS[0],
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
        schema = object_schema(Envelope)
        fields = {**schema["properties"], "messageType": {"const": cls.family()}}
        made: JsonObject = {**schema, "properties": {**fields, "payload": payload}}
        clauses = [rule.schema for rule in cls.AROUND if rule.schema is not None]
        return {**made, "allOf": clauses} if clauses else made
