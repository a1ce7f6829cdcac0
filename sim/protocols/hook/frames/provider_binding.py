"""Bindings of any channel (spec §5, provider-neutral bindings)."""

from __future__ import annotations

from typing import Final

from sim.protocols.hook.constants import (
    HOOK_FEATURE_PROVIDER_BIND,
    HOOK_PROVIDERS,
    MAX_PROVIDER_ACTIONS,
    PROVIDER_BIND_STATES,
)
from sim.protocols.hook.frames.envelope import (
    BOTH,
    DESKTOP_TO_SERVER,
    SERVER_TO_DESKTOP,
    HookBody,
)
from sim.protocols.hook.predicates import SAFE_HTTPS_URL
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import Gate, message, record, wire
from sim.wire.linkage import Demand, JsonObject, null_matrix
from sim.wire.spec import SOME_TEXT, TIMESTAMP_MS, Choice, ListOf, Text

PROVIDER: Final = Choice(HOOK_PROVIDERS)
_GATE: Final = Gate(HOOK_FEATURE_PROVIDER_BIND, BOTH)
_SECTION: Final = "§5 provider"


@message(
    "provider.bind.start",
    direction=DESKTOP_TO_SERVER,
    section=_SECTION,
    gate=_GATE,
    example={"requestId": "q-1", "provider": "telegram"},
)
class ProviderBindStart(HookBody):
    """Starts an attempt to bind the desktop to a channel."""

    request_id: str = wire(SOME_TEXT)
    provider: str = wire(PROVIDER)
    scope_id: str | Absent | None = wire(SOME_TEXT, nullable=True, default=ABSENT)


@message(
    "provider.bind.cancel",
    direction=DESKTOP_TO_SERVER,
    section=_SECTION,
    gate=_GATE,
    example={"requestId": "q-2", "provider": "telegram", "attemptId": "a-1"},
)
class ProviderBindCancel(HookBody):
    """Gives up one attempt; confirmed bindings stay."""

    request_id: str = wire(SOME_TEXT)
    provider: str = wire(PROVIDER)
    attempt_id: str = wire(SOME_TEXT)


@message(
    "provider.bind.revoke",
    direction=DESKTOP_TO_SERVER,
    section=_SECTION,
    gate=_GATE,
    example={"requestId": "q-3", "provider": "telegram", "bindingId": "b-1"},
)
class ProviderBindRevoke(HookBody):
    """Ends one binding."""

    request_id: str = wire(SOME_TEXT)
    provider: str = wire(PROVIDER)
    binding_id: str = wire(SOME_TEXT)


_OPEN = ("pending", "awaiting_confirmation")
_ENDED = ("denied", "expired", "failed")
_GONE = ("revoked", "superseded")
_SETTLED = ("none", "confirmed", *_GONE)
_NOT_PENDING = tuple(state for state in PROVIDER_BIND_STATES if state != "pending")

FIELDS_BY_STATE: Final = null_matrix(
    "state",
    (
        Demand((*_OPEN, *_ENDED), ("attemptId",), set=True),
        Demand(_OPEN, ("bindingId",), set=False),
        Demand(_ENDED, ("bindingId", "principalId", "principalName", "expiresAt"), set=False),
        Demand(_OPEN, ("expiresAt",), set=True),
        Demand(("pending",), ("connectUrl",), set=True),
        Demand(_NOT_PENDING, ("connectUrl",), set=False),
        Demand(("confirmed",), ("bindingId", "principalId", "scopeId"), set=True),
        Demand(_GONE, ("bindingId",), set=True),
        Demand((*_ENDED, *_GONE), ("reason",), set=True),
        # The protocol reports both halves of this one at attemptId.
        Demand(_SETTLED, ("attemptId", "expiresAt"), set=False, reported_at="attemptId"),
        Demand(("none",), ("bindingId", "principalId", "principalName"), set=False),
        Demand(("none", *_OPEN, "confirmed"), ("reason",), set=False),
    ),
)

_EXAMPLE: Final[JsonObject] = {
    "provider": "telegram",
    "replyTo": "q-1",
    "state": "pending",
    "attemptId": "a-1",
    "bindingId": None,
    "principalId": None,
    "principalName": None,
    "scopeId": None,
    "scopeName": None,
    "connectUrl": "https://t.me/somebot?start=abc",
    "remediationUrl": None,
    "expiresAt": 1760000600000,
    "reason": None,
    "actions": ["open_connect_url", "cancel"],
}


@record(rules=(FIELDS_BY_STATE,))
class ProviderBindSnapshot(HookBody):
    """Everything there is to know about one attempt or binding; every key is there."""

    provider: str = wire(PROVIDER)
    reply_to: str | None = wire(SOME_TEXT, nullable=True)
    state: str = wire(Choice(PROVIDER_BIND_STATES))
    attempt_id: str | None = wire(SOME_TEXT, nullable=True)
    binding_id: str | None = wire(SOME_TEXT, nullable=True)
    principal_id: str | None = wire(SOME_TEXT, nullable=True)
    principal_name: str | None = wire(SOME_TEXT, nullable=True)
    scope_id: str | None = wire(SOME_TEXT, nullable=True)
    scope_name: str | None = wire(SOME_TEXT, nullable=True)
    connect_url: str | None = wire(Text(min=1, where=SAFE_HTTPS_URL), nullable=True)
    remediation_url: str | None = wire(Text(min=1, where=SAFE_HTTPS_URL), nullable=True)
    expires_at: int | None = wire(TIMESTAMP_MS, nullable=True)
    reason: str | None = wire(SOME_TEXT, nullable=True)
    actions: tuple[str, ...] = wire(ListOf(SOME_TEXT, max=MAX_PROVIDER_ACTIONS, unique=True))


@message(
    "provider.bind.update",
    direction=SERVER_TO_DESKTOP,
    section=_SECTION,
    gate=_GATE,
    example=_EXAMPLE,
    rules=(FIELDS_BY_STATE,),
)
class ProviderBindUpdate(ProviderBindSnapshot):
    """An attempt or a binding has changed."""


@message(
    "provider.bind.state",
    direction=SERVER_TO_DESKTOP,
    section=_SECTION,
    gate=_GATE,
    example=_EXAMPLE | {"replyTo": None},
    rules=(FIELDS_BY_STATE,),
)
class ProviderBindState(ProviderBindSnapshot):
    """How a channel's binding stands, told after connecting."""
