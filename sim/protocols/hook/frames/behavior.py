"""Stage 19: how the bot behaves in Telegram (spec §5)."""

from __future__ import annotations

from typing import Final

from sim.protocols.hook.constants import (
    DEFAULT_TELEGRAM_BEHAVIOR,
    HOOK_FEATURE_PROVIDER_BEHAVIOR,
    PROVIDER_BEHAVIOR_PROVIDERS,
    TELEGRAM_EMOJI_REACTIONS,
    TELEGRAM_GROUP_ACTIVATION_ALWAYS,
    TELEGRAM_REPLY_QUOTE_DM,
    TELEGRAM_REPLY_QUOTE_GROUP,
)
from sim.protocols.hook.frames.envelope import (
    BOTH,
    DESKTOP_TO_SERVER,
    SERVER_TO_DESKTOP,
    HookBody,
)
from sim.protocols.hook.predicates import TELEGRAM_GROUP_ID
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import Gate, Record, message, record, wire
from sim.wire.linkage import Fault, Wire, among, linkage
from sim.wire.spec import SOME_TEXT, Choice, Flag, MapOf, Nested, Text

_PROVIDER: Final = Choice(PROVIDER_BEHAVIOR_PROVIDERS)
_EMOJI: Final = Choice(TELEGRAM_EMOJI_REACTIONS)
_QUOTE_DM: Final = Choice(TELEGRAM_REPLY_QUOTE_DM)
_QUOTE_GROUP: Final = Choice(TELEGRAM_REPLY_QUOTE_GROUP)
_ALWAYS: Final = Choice((TELEGRAM_GROUP_ACTIVATION_ALWAYS,))
_GATE: Final = Gate(HOOK_FEATURE_PROVIDER_BEHAVIOR, BOTH)
_SECTION: Final = "§5.19"
_PATCHES: Final = (*DEFAULT_TELEGRAM_BEHAVIOR, "groupActivation")


@message(
    "provider.behavior.get",
    direction=DESKTOP_TO_SERVER,
    section=_SECTION,
    gate=_GATE,
    example={"requestId": "q-1", "provider": "telegram", "bindingId": "b-1"},
)
class ProviderBehaviorGet(HookBody):
    """Asks for the behaviour of one binding."""

    request_id: str = wire(SOME_TEXT)
    provider: str = wire(_PROVIDER)
    binding_id: str = wire(SOME_TEXT)


@record()
class GroupActivationPatch(Record):
    """One group in which the bot need not be mentioned; null takes it off the list."""

    chat_id: str = wire(Text(min=1, where=TELEGRAM_GROUP_ID))
    value: str | None = wire(_ALWAYS, nullable=True)


@linkage({"anyOf": [{"required": [name]} for name in _PATCHES]})
def something_changes(payload: Wire) -> Fault | None:
    """At least one of the four settings is present; null counts."""
    if any(name in payload for name in _PATCHES):
        return None
    return "", f"must have at least one of {', '.join(_PATCHES)}"


@message(
    "provider.behavior.set",
    direction=DESKTOP_TO_SERVER,
    section=_SECTION,
    gate=_GATE,
    example={
        "requestId": "q-2",
        "provider": "telegram",
        "bindingId": "b-1",
        "emojiReactions": "off",
        "replyQuoteDm": None,
        "groupActivation": {"chatId": "-1001", "value": "always"},
    },
    rules=(something_changes,),
)
class ProviderBehaviorSet(HookBody):
    """Changes behaviour: absent keeps, null goes back to the default, else a choice."""

    request_id: str = wire(SOME_TEXT)
    provider: str = wire(_PROVIDER)
    binding_id: str = wire(SOME_TEXT)
    emoji_reactions: str | Absent | None = wire(_EMOJI, nullable=True, default=ABSENT)
    reply_quote_dm: str | Absent | None = wire(_QUOTE_DM, nullable=True, default=ABSENT)
    reply_quote_group: str | Absent | None = wire(_QUOTE_GROUP, nullable=True, default=ABSENT)
    group_activation: GroupActivationPatch | Absent = wire(
        Nested(GroupActivationPatch), default=ABSENT
    )


@linkage(
    {
        "if": among("bound", [False]),
        "then": {
            "properties": {name: {"const": v} for name, v in DEFAULT_TELEGRAM_BEHAVIOR.items()}
        },
    }
)
def unbound_shows_defaults(payload: Wire) -> Fault | None:
    """The three settings have their defaults when bound is false."""
    if payload["bound"]:
        return None
    if all(payload[name] == value for name, value in DEFAULT_TELEGRAM_BEHAVIOR.items()):
        return None
    return "", "must have the default settings when bound is false"


@linkage(
    {
        "if": among("bound", [False]),
        "then": {"properties": {"groupActivation": {"maxProperties": 0}}},
    }
)
def unbound_has_no_groups(payload: Wire) -> Fault | None:
    """groupActivation is empty when bound is false."""
    if payload["bound"] or not payload["groupActivation"]:
        return None
    return ".groupActivation", "must be empty when bound is false"


@message(
    "provider.behavior.state",
    direction=SERVER_TO_DESKTOP,
    section=_SECTION,
    gate=_GATE,
    example={
        "provider": "telegram",
        "bindingId": "b-1",
        "replyTo": "q-1",
        "bound": True,
        "emojiReactions": "minimal",
        "replyQuoteDm": "off",
        "replyQuoteGroup": "first",
        "groupActivation": {"-1001": "always"},
    },
    rules=(unbound_shows_defaults, unbound_has_no_groups),
)
class ProviderBehaviorState(HookBody):
    """The behaviour in force, defaults filled in."""

    provider: str = wire(_PROVIDER)
    binding_id: str = wire(SOME_TEXT)
    reply_to: str | None = wire(SOME_TEXT, nullable=True)
    bound: bool = wire(Flag())
    emoji_reactions: str = wire(_EMOJI)
    reply_quote_dm: str = wire(_QUOTE_DM)
    reply_quote_group: str = wire(_QUOTE_GROUP)
    group_activation: dict[str, str] = wire(MapOf(TELEGRAM_GROUP_ID, _ALWAYS))
