"""Stage 11, workspace preferences, and their provider-neutral kin (spec §5)."""

from __future__ import annotations

from typing import Final

from sim.protocols.hook.constants import HOOK_FEATURE_PROVIDER_PREFS
from sim.protocols.hook.frames.envelope import (
    BOTH,
    DESKTOP_TO_SERVER,
    SERVER_TO_DESKTOP,
    HookBody,
)
from sim.protocols.hook.frames.provider_binding import PROVIDER
from sim.protocols.hook.predicates import ALIAS
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import Gate, Record, message, record, wire
from sim.wire.linkage import Fault, Wire, among, linkage
from sim.wire.spec import ANY_TEXT, SOME_TEXT, Flag, ListOf, Nested, Never, Text

_ALIAS: Final = Text(min=1, where=ALIAS)
_GATE: Final = Gate(HOOK_FEATURE_PROVIDER_PREFS, BOTH)
_SECTION: Final = "§5 provider"


@linkage(
    {"if": among("bound", [False]), "then": {"properties": {"prefs": {"maxItems": 0}}}},
    typed=lambda state: state.bound is not False or state.prefs == (),
)
def unbound_has_no_preferences(payload: Wire) -> Fault | None:
    """prefs is empty when bound is false."""
    if payload["bound"] is False and payload.get("prefs") != []:
        return ".prefs", "must be an empty list when bound is false"
    return None


@message("prefs.get", direction=DESKTOP_TO_SERVER, section="§5.11", example={"requestId": "q-1"})
class PrefsGet(HookBody):
    """Asks for all workspace preferences of the bound Slack user."""

    request_id: str = wire(SOME_TEXT)


@message(
    "prefs.set",
    direction=DESKTOP_TO_SERVER,
    section="§5.11",
    example={"requestId": "q-2", "workspace": "web", "model": "opus", "effort": None},
)
class PrefsSet(HookBody):
    """Changes some preferences of a workspace: absent keeps, null clears."""

    request_id: str = wire(SOME_TEXT)
    workspace: str = wire(SOME_TEXT)
    model: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    effort: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    agent_kind: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    permission_mode: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    team_id: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)


@record()
class Preference(Record):
    """What a workspace runs with, for the bound Slack user."""

    workspace: str = wire(SOME_TEXT)
    model: str | None = wire(ANY_TEXT, nullable=True)
    effort: str | None = wire(ANY_TEXT, nullable=True)
    agent_kind: str | None = wire(ANY_TEXT, nullable=True)
    permission_mode: str | None = wire(ANY_TEXT, nullable=True)
    team_id: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)


@message(
    "prefs.state",
    direction=SERVER_TO_DESKTOP,
    section="§5.11",
    example={
        "replyTo": "q-1",
        "bound": True,
        "prefs": [
            {
                "workspace": "web",
                "model": "opus",
                "effort": None,
                "agentKind": None,
                "permissionMode": None,
            }
        ],
    },
)
class PrefsState(HookBody):
    """All workspace preferences; unasked where ``reply_to`` is null."""

    reply_to: str | None = wire(ANY_TEXT, nullable=True)
    bound: bool = wire(Flag())
    prefs: tuple[Preference, ...] = wire(
        ListOf(Nested(Preference)), before=(unbound_has_no_preferences,)
    )


_SET_TEXT: Final = {"type": "string"}


@linkage(
    {
        "oneOf": [
            {"properties": {"bindingId": _SET_TEXT, "scopeId": {"type": "null"}}},
            {"properties": {"bindingId": {"type": "null"}, "scopeId": _SET_TEXT}},
        ]
    }
)
def exactly_one_selector(payload: Wire) -> Fault | None:
    """Exactly one of bindingId and scopeId is not null."""
    if (payload["bindingId"] is None) == (payload["scopeId"] is None):
        return "", "must have exactly one of bindingId and scopeId not null"
    return None


@message(
    "provider.prefs.get",
    direction=DESKTOP_TO_SERVER,
    section=_SECTION,
    gate=_GATE,
    example={"requestId": "q-1", "provider": "x", "bindingId": "b-1", "scopeId": None},
)
class ProviderPrefsGet(HookBody):
    """Asks for the preferences of one binding or scope."""

    request_id: str = wire(SOME_TEXT)
    provider: str = wire(PROVIDER)
    binding_id: str | None = wire(SOME_TEXT, nullable=True)
    scope_id: str | None = wire(SOME_TEXT, nullable=True, after=(exactly_one_selector,))


@message(
    "provider.prefs.set",
    direction=DESKTOP_TO_SERVER,
    section=_SECTION,
    gate=_GATE,
    example={
        "requestId": "q-2",
        "provider": "telegram",
        "bindingId": None,
        "scopeId": "c-1",
        "workspace": "web",
        "model": "opus",
    },
)
class ProviderPrefsSet(HookBody):
    """Changes some preferences of a workspace in one binding or scope."""

    request_id: str = wire(SOME_TEXT)
    provider: str = wire(PROVIDER)
    binding_id: str | None = wire(SOME_TEXT, nullable=True)
    scope_id: str | None = wire(SOME_TEXT, nullable=True, after=(exactly_one_selector,))
    workspace: str = wire(_ALIAS)
    model: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    effort: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    agent_kind: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    permission_mode: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)


@record()
class ProviderPreference(Record):
    """What a workspace runs with in one binding or scope; it never has a team."""

    workspace: str = wire(_ALIAS)
    model: str | None = wire(ANY_TEXT, nullable=True)
    effort: str | None = wire(ANY_TEXT, nullable=True)
    agent_kind: str | None = wire(ANY_TEXT, nullable=True)
    permission_mode: str | None = wire(ANY_TEXT, nullable=True)
    team_id: Absent = wire(Never(), default=ABSENT)


@message(
    "provider.prefs.state",
    direction=SERVER_TO_DESKTOP,
    section=_SECTION,
    gate=_GATE,
    example={
        "provider": "telegram",
        "bindingId": "b-1",
        "scopeId": None,
        "replyTo": None,
        "bound": False,
        "prefs": [],
    },
)
class ProviderPrefsState(HookBody):
    """All preferences of one binding or scope."""

    provider: str = wire(PROVIDER)
    binding_id: str | None = wire(SOME_TEXT, nullable=True)
    scope_id: str | None = wire(SOME_TEXT, nullable=True, after=(exactly_one_selector,))
    reply_to: str | None = wire(SOME_TEXT, nullable=True)
    bound: bool = wire(Flag())
    prefs: tuple[ProviderPreference, ...] = wire(
        ListOf(Nested(ProviderPreference)), before=(unbound_has_no_preferences,)
    )
