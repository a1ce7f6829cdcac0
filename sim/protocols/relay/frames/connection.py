"""Hello, auth, refresh and the heartbeat."""

from __future__ import annotations

from typing import Any

from sim.protocols.relay.constants import PEER_ROLES, RELAY
from sim.protocols.relay.frames.envelope import (
    ANYBODY,
    BOTH,
    FAMILIES_SECTION,
    PEER_TO_RELAY,
    PEERS,
    RELAY_TO_PEER,
    RelayBody,
)
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import message, wire
from sim.wire.linkage import Fault, JsonObject, Wire, linkage
from sim.wire.spec import ANY_TEXT, COUNT, SOME_TEXT, SOME_TEXTS, Anything, Choice, Flag


def _role_is(role: str) -> JsonObject:
    return {"properties": {"senderRole": {"const": role}}}


def _hello_of(role: str) -> JsonObject:
    return {"properties": {"payload": {"properties": {"role": {"const": role}}}}}


@linkage({"anyOf": [{"allOf": [_role_is(role), _hello_of(role)]} for role in PEER_ROLES]})
def role_is_the_senders(frame: Wire) -> Fault | None:
    """role is the senderRole of the frame."""
    if frame["payload"]["role"] != frame["senderRole"]:
        return "envelope.senderRole", "must be the role that hello names"
    return None


@message(
    "hello",
    direction=PEER_TO_RELAY,
    section=FAMILIES_SECTION,
    example={"role": "node", "nodeId": "node_alpha", "capabilities": ["primitive.tab.open"]},
    senders=PEERS,
    around=(role_is_the_senders,),
)
class Hello(RelayBody):
    """First frame of a connection: the role of the peer and what it can do.

    A node's ``node_id`` may be left out, the token names it; if both do, they agree.
    """

    role: str = wire(Choice(PEER_ROLES))
    capabilities: tuple[str, ...] | Absent = wire(SOME_TEXTS, default=ABSENT)
    node_id: str | Absent = wire(SOME_TEXT, default=ABSENT)

    @classmethod
    def enclose(cls, id: str, ts: int | float, payload: JsonObject, sender: str = "") -> JsonObject:
        """The decoded frame; without a sender named, it is the role that hello names."""
        if not sender and payload.get("role") in PEER_ROLES:
            sender = payload["role"]
        return super().enclose(id, ts, payload, sender)


@message(
    "hello_ack",
    direction=RELAY_TO_PEER,
    section=FAMILIES_SECTION,
    example={"accepted": True, "heartbeatIntervalMs": 8000, "relayVersion": "0.21.0"},
    senders=(RELAY,),
)
class HelloAck(RelayBody):
    """The relay takes the role; frames are expected once per heartbeat interval at least."""

    accepted: bool = wire(Flag())
    heartbeat_interval_ms: int = wire(COUNT)
    relay_version: str | Absent = wire(ANY_TEXT, default=ABSENT)


@message(
    "auth",
    direction=PEER_TO_RELAY,
    section=FAMILIES_SECTION,
    example={"accessToken": "token-A"},
    senders=PEERS,
)
class Auth(RelayBody):
    """Shows the access token, which names role, identity and scopes."""

    access_token: str = wire(SOME_TEXT)


@message(
    "auth_ack",
    direction=RELAY_TO_PEER,
    section=FAMILIES_SECTION,
    example={
        "accepted": True,
        "role": "controller",
        "controllerId": "ctl_1",
        "scopes": ["primitive.tab.*", "command.run"],
    },
    senders=(RELAY,),
)
class AuthAck(RelayBody):
    """The token is good: who the peer is from now on, and what it may do.

    ``controller_id`` is the identity that lock events and tab ownership name.
    """

    accepted: bool = wire(Flag())
    role: str = wire(Choice(PEER_ROLES))
    node_id: str | Absent = wire(SOME_TEXT, default=ABSENT)
    controller_id: str | Absent = wire(SOME_TEXT, default=ABSENT)
    scopes: tuple[str, ...] = wire(SOME_TEXTS)
    relay_version: str | Absent = wire(ANY_TEXT, default=ABSENT)


@message(
    "refresh",
    direction=PEER_TO_RELAY,
    section=FAMILIES_SECTION,
    example={"refreshToken": "token-B"},
    senders=PEERS,
)
class Refresh(RelayBody):
    """Asks for a new access token; the refresh token stays good."""

    refresh_token: str = wire(SOME_TEXT)


@message(
    "refresh_ack",
    direction=RELAY_TO_PEER,
    section=FAMILIES_SECTION,
    example={"accessToken": "token-C"},
    senders=(RELAY,),
)
class RefreshAck(RelayBody):
    """A new access token, good for the next auth."""

    access_token: str = wire(SOME_TEXT)


@message(
    "ping",
    direction=BOTH,
    section=FAMILIES_SECTION,
    example={"ts": 1760000000000},
    senders=(*PEERS, RELAY),
)
class Ping(RelayBody):
    """Keeps the session alive; answered by pong under the same requestId."""

    ts: Any = wire(Anything(), default=ABSENT)


@message(
    "pong",
    direction=BOTH,
    section=FAMILIES_SECTION,
    example={"ok": True},
    senders=ANYBODY,
)
class Pong(RelayBody):
    """Answer to ping."""

    ok: Any = wire(Anything(), default=ABSENT)
