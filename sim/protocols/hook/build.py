"""One builder per message type (spec §8).

Each takes the payload's fields as keyword arguments, in Python's or the wire's
spelling, and fills in ``v``, ``id`` and ``ts``: inside a run from the host that
is running, outside from the real clock. Values are not checked. ``ABSENT`` for
an argument leaves the field out.
"""

from __future__ import annotations

from typing import Final

from sim.protocols.hook import frames
from sim.protocols.hook.constants import HOOK_PROTOCOL_VERSION, REOPEN_REASON_USER_CONTINUED
from sim.wire.build import builder

make_hello: Final = builder(frames.Hello, first={"protocolVersion": HOOK_PROTOCOL_VERSION})
make_welcome: Final = builder(frames.Welcome)
make_ping: Final = builder(frames.Ping)
make_pong: Final = builder(frames.Pong)
make_task_dispatch: Final = builder(
    frames.TaskDispatch, first={"workspace": None, "sessionId": None}
)
make_task_ack: Final = builder(frames.TaskAck)
make_turn_end: Final = builder(frames.TurnEnd)
make_turn_delivery: Final = builder(frames.TurnDelivery)
make_turn_progress: Final = builder(frames.TurnProgress)
make_turn_reopen: Final = builder(
    frames.TurnReopen, when_null={"sessionId": None, "reason": REOPEN_REASON_USER_CONTINUED}
)
make_bind_start: Final = builder(frames.BindStart)
make_bind_update: Final = builder(frames.BindUpdate)
make_bind_revoke: Final = builder(frames.BindRevoke)
make_provider_bind_start: Final = builder(frames.ProviderBindStart)
make_provider_bind_cancel: Final = builder(frames.ProviderBindCancel)
make_provider_bind_revoke: Final = builder(frames.ProviderBindRevoke)
make_provider_bind_update: Final = builder(frames.ProviderBindUpdate)
make_provider_bind_state: Final = builder(frames.ProviderBindState)
make_query_request: Final = builder(frames.QueryRequest)
make_query_response: Final = builder(frames.QueryResponse)
make_task_cancel: Final = builder(frames.TaskCancel)
make_session_archive: Final = builder(frames.SessionArchive)
make_interaction_request: Final = builder(frames.InteractionRequest)
make_interaction_decision: Final = builder(frames.InteractionDecision)
make_interaction_cancel: Final = builder(frames.InteractionCancel)
make_prefs_get: Final = builder(frames.PrefsGet)
make_prefs_set: Final = builder(frames.PrefsSet)
make_prefs_state: Final = builder(frames.PrefsState)
make_provider_prefs_get: Final = builder(frames.ProviderPrefsGet)
make_provider_prefs_set: Final = builder(frames.ProviderPrefsSet)
make_provider_prefs_state: Final = builder(frames.ProviderPrefsState)
make_tool_request: Final = builder(frames.ToolRequest)
make_tool_response: Final = builder(frames.ToolResponse)
make_bind_state: Final = builder(frames.BindState)
make_group_message: Final = builder(frames.GroupMessage)
make_lifecycle_preference: Final = builder(frames.LifecyclePreference)
make_provider_behavior_get: Final = builder(frames.ProviderBehaviorGet)
make_provider_behavior_set: Final = builder(frames.ProviderBehaviorSet)
make_provider_behavior_state: Final = builder(frames.ProviderBehaviorState)
