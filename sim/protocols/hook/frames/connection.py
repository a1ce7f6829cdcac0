"""Stage 1, connection and identity, and the notice preference (spec §5)."""

from __future__ import annotations

from sim.protocols.hook.constants import HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT
from sim.protocols.hook.frames.envelope import (
    BOTH,
    DESKTOP_TO_SERVER,
    SERVER_TO_DESKTOP,
    WELCOME,
    HookBody,
)
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import Gate, message, wire
from sim.wire.linkage import Fault, Wire, linkage
from sim.wire.spec import SOME_TEXT, SOME_TEXTS, Flag, Number


@linkage()
def default_workspace_is_listed(payload: Wire) -> Fault | None:
    """defaultWorkspace, unless null or absent, is one of workspaces."""
    alias = payload.get("defaultWorkspace")
    if alias is None or alias in payload["workspaces"]:
        return None
    return ".defaultWorkspace", "must be one of workspaces"


@linkage({"maxProperties": 0})
def payload_is_empty(payload: Wire) -> Fault | None:
    """The payload has no keys at all."""
    return (".payload", "must be an empty object") if payload else None


@message(
    "hello",
    direction=DESKTOP_TO_SERVER,
    section="§5.1",
    example={
        "protocolVersion": 1,
        "deviceId": "d-1",
        "deviceName": "Alice's laptop",
        "workspaces": ["chat", "web"],
        "agents": ["claude-code"],
        "features": ["turn-delivery-v1"],
        "lifecycleAnnouncement": True,
        "defaultWorkspace": "web",
    },
)
class Hello(HookBody):
    """First frame of a connection: who the desktop is and what it offers.

    Sent again whenever the aliases change; the latest one counts.
    """

    protocol_version: float = wire(Number())
    device_id: str = wire(SOME_TEXT)
    device_name: str = wire(SOME_TEXT)
    workspaces: tuple[str, ...] = wire(SOME_TEXTS)
    agents: tuple[str, ...] = wire(SOME_TEXTS)
    features: tuple[str, ...] | Absent = wire(SOME_TEXTS, default=ABSENT)
    lifecycle_announcement: bool | Absent = wire(Flag(), default=ABSENT)
    default_workspace: str | Absent | None = wire(
        SOME_TEXT, nullable=True, default=ABSENT, after=(default_workspace_is_listed,)
    )


@message(
    "welcome",
    direction=SERVER_TO_DESKTOP,
    section="§5.1",
    example={"serverName": "hook-1", "features": ["turn-reopen-v1", "turn-delivery-v1"]},
)
class Welcome(HookBody):
    """The server's answer to hello: its name and its features."""

    server_name: str = wire(SOME_TEXT)
    features: tuple[str, ...] = wire(SOME_TEXTS)


@message(
    "ping",
    direction=BOTH,
    section="§5.1",
    example={},
    rules=(payload_is_empty,),
    unknown="none at all",
)
class Ping(HookBody):
    """Heartbeat; the other side must answer with pong."""


@message(
    "pong",
    direction=BOTH,
    section="§5.1",
    example={},
    rules=(payload_is_empty,),
    unknown="none at all",
)
class Pong(HookBody):
    """Answer to ping."""


@message(
    "lifecycle.preference",
    direction=DESKTOP_TO_SERVER,
    section="§5 lifecycle",
    gate=Gate(HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT, WELCOME),
    example={"enabled": False},
)
class LifecyclePreference(HookBody):
    """Switches the notices about this desktop going on- and offline, at once."""

    enabled: bool = wire(Flag())
