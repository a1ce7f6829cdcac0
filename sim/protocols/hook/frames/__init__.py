"""The 39 message types of the protocol, each declared once.

*Is this field legal?* The answer is in the module of its stage: ``connection``,
``tasks``, ``delivery``, ``slack_binding``, ``provider_binding``, ``query``,
``interaction``, ``preferences``, ``tools``, ``group``, ``behavior``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from sim.protocols.hook.frames.behavior import (
    GroupActivationPatch,
    ProviderBehaviorGet,
    ProviderBehaviorSet,
    ProviderBehaviorState,
)
from sim.protocols.hook.frames.connection import Hello, LifecyclePreference, Ping, Pong, Welcome
from sim.protocols.hook.frames.delivery import DeliveryError, TurnDelivery, TurnReopen
from sim.protocols.hook.frames.envelope import (
    BOTH,
    DESKTOP_TO_SERVER,
    SERVER_TO_DESKTOP,
    HookBody,
)
from sim.protocols.hook.frames.group import GroupAuthor, GroupMessage, GroupRecipient
from sim.protocols.hook.frames.interaction import (
    Button,
    InteractionCancel,
    InteractionDecision,
    InteractionRequest,
)
from sim.protocols.hook.frames.preferences import (
    Preference,
    PrefsGet,
    PrefsSet,
    PrefsState,
    ProviderPreference,
    ProviderPrefsGet,
    ProviderPrefsSet,
    ProviderPrefsState,
)
from sim.protocols.hook.frames.provider_binding import (
    ProviderBindCancel,
    ProviderBindRevoke,
    ProviderBindSnapshot,
    ProviderBindStart,
    ProviderBindState,
    ProviderBindUpdate,
)
from sim.protocols.hook.frames.query import (
    Agent,
    Model,
    PermissionMode,
    QueryRequest,
    QueryResponse,
    Session,
)
from sim.protocols.hook.frames.slack_binding import (
    BindRevoke,
    BindStart,
    BindState,
    BindUpdate,
    SlackBinding,
)
from sim.protocols.hook.frames.tasks import (
    SessionArchive,
    TaskAck,
    TaskAttachment,
    TaskCancel,
    TaskDispatch,
    TaskOptions,
    TaskSource,
    ThreadLine,
    TurnEnd,
    TurnProgress,
    TurnUsage,
)
from sim.protocols.hook.frames.tools import ToolError, ToolRequest, ToolResponse

_BODIES: Final[tuple[type[HookBody], ...]] = (
    Hello,
    Welcome,
    Ping,
    Pong,
    TaskDispatch,
    TaskAck,
    TurnEnd,
    TurnDelivery,
    TurnProgress,
    TurnReopen,
    BindStart,
    BindUpdate,
    BindRevoke,
    ProviderBindStart,
    ProviderBindCancel,
    ProviderBindRevoke,
    ProviderBindUpdate,
    ProviderBindState,
    QueryRequest,
    QueryResponse,
    TaskCancel,
    SessionArchive,
    InteractionRequest,
    InteractionDecision,
    InteractionCancel,
    PrefsGet,
    PrefsSet,
    PrefsState,
    ProviderPrefsGet,
    ProviderPrefsSet,
    ProviderPrefsState,
    ToolRequest,
    ToolResponse,
    BindState,
    GroupMessage,
    LifecyclePreference,
    ProviderBehaviorGet,
    ProviderBehaviorSet,
    ProviderBehaviorState,
)

MESSAGES: Final[Mapping[str, type[HookBody]]] = MappingProxyType({c.TYPE: c for c in _BODIES})
"""Message type to body class, in the order of the protocol's own list."""

HOOK_MESSAGE_TYPES: Final[tuple[str, ...]] = tuple(MESSAGES)

__all__ = [
    "BOTH",
    "DESKTOP_TO_SERVER",
    "HOOK_MESSAGE_TYPES",
    "MESSAGES",
    "SERVER_TO_DESKTOP",
    "Agent",
    "BindRevoke",
    "BindStart",
    "BindState",
    "BindUpdate",
    "Button",
    "DeliveryError",
    "GroupActivationPatch",
    "GroupAuthor",
    "GroupMessage",
    "GroupRecipient",
    "Hello",
    "HookBody",
    "InteractionCancel",
    "InteractionDecision",
    "InteractionRequest",
    "LifecyclePreference",
    "Model",
    "PermissionMode",
    "Ping",
    "Pong",
    "Preference",
    "PrefsGet",
    "PrefsSet",
    "PrefsState",
    "ProviderBehaviorGet",
    "ProviderBehaviorSet",
    "ProviderBehaviorState",
    "ProviderBindCancel",
    "ProviderBindRevoke",
    "ProviderBindSnapshot",
    "ProviderBindStart",
    "ProviderBindState",
    "ProviderBindUpdate",
    "ProviderPreference",
    "ProviderPrefsGet",
    "ProviderPrefsSet",
    "ProviderPrefsState",
    "QueryRequest",
    "QueryResponse",
    "Session",
    "SessionArchive",
    "SlackBinding",
    "TaskAck",
    "TaskAttachment",
    "TaskCancel",
    "TaskDispatch",
    "TaskOptions",
    "TaskSource",
    "ThreadLine",
    "ToolError",
    "ToolRequest",
    "ToolResponse",
    "TurnDelivery",
    "TurnEnd",
    "TurnProgress",
    "TurnReopen",
    "TurnUsage",
    "Welcome",
]
