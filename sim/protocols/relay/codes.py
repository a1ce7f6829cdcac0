"""The codes of error frames: their category, and whether trying again may help."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import attrs

from sim.protocols.relay.constants import (
    AUTH,
    EXECUTION,
    INTERNAL,
    LOCK_CONFLICT,
    ROUTING,
    TIMEOUT,
    VALIDATION,
)


@attrs.frozen
class ErrorCode:
    """One code of ``error.code``; ``retryable`` says whether the same may work later."""

    code: str
    category: str
    retryable: bool = False


_RELAY: Final[Mapping[str, tuple[str, ...]]] = {
    AUTH: (
        "not_initialized",
        "unauthenticated",
        "missing_access_token",
        "invalid_access_token",
        "role_mismatch",
        "node_mismatch",
        "identity_mismatch",
        "sender_role_mismatch",
        "forbidden_role",
        "forbidden_action",
        "controller_revoked",
        "acl_missing_node_grant",
        "rate_limited",
        "missing_refresh_token",
        "invalid_refresh_token",
        "command_owner_mismatch",
        "listener_owner_mismatch",
    ),
    VALIDATION: (
        "invalid_json",
        "invalid_envelope",
        "unsupported_version",
        "unknown_message_type",
        "invalid_timestamp",
        "timestamp_out_of_window",
        "invalid_hello",
        "missing_node_id",
        "missing_replay_nonce",
        "replay_rejected",
        "missing_target_node",
        "missing_tab_session",
        "unexpected_tab_session",
        "tab_session_mismatch",
        "invalid_timeout",
        "invalid_wait_policy",
        "invalid_lock_lease",
        "request_id_in_use",
        "missing_target_request",
        "missing_listener_target",
        "listener_node_mismatch",
        "invalid_listener_update",
        "idempotency_conflict",
    ),
    ROUTING: (
        "node_offline",
        "command_not_found",
        "listener_not_found",
        "listener_owner_offline",
    ),
    EXECUTION: ("node_disconnected", "command_cancelled"),
    TIMEOUT: ("command_timed_out", "queue_wait_timed_out"),
    LOCK_CONFLICT: (
        "tab_busy",
        "tab_locked",
        "tab_queue_limit_exceeded",
        "controller_queue_limit_exceeded",
        "lock_not_held",
    ),
    INTERNAL: ("refresh_failed",),
}

_NODE: Final = (
    "unknown_tab_session",
    "tab_session_closed",
    "tab_create_failed",
    "missing_site",
    "missing_command",
    "invalid_auth_mode",
    "unknown_site",
    "unknown_command",
    "site_mismatch",
    "tab_url_not_ready",
    "preload_host_mismatch",
    "manual_login_required",
    "missing_command_input",
    "invalid_command_input_type",
    "unexpected_command_input",
    "missing_command_input_one_of",
    "invalid_command_input_schema",
    "missing_listener_name",
    "unsupported_listener",
    "invalid_listener_options",
    "missing_listener_target_request",
    "missing_controller_client_id",
    "unsupported_action",
    "bridge_failure",
    "command_failed",
)
"""What a node says of a command; all of category execution."""

_RETRYABLE: Final = frozenset(
    {
        "node_offline",
        "node_disconnected",
        "tab_busy",
        "tab_locked",
        "tab_queue_limit_exceeded",
        "controller_queue_limit_exceeded",
        "command_timed_out",
        "queue_wait_timed_out",
        "command_cancelled",
        "rate_limited",
    }
)


def _codes() -> dict[str, ErrorCode]:
    named = {code: category for category, codes in _RELAY.items() for code in codes}
    named.update(dict.fromkeys(_NODE, EXECUTION))
    return {code: ErrorCode(code, category, code in _RETRYABLE) for code, category in named.items()}


ERROR_CODES: Final[Mapping[str, ErrorCode]] = MappingProxyType(_codes())
"""Every code that the relay or a node of this program gives."""

INVALID_ENVELOPE: Final = "invalid_envelope"
TAB_MISSING: Final = "must be given, this action works within one tab"
TAB_UNEXPECTED: Final = "must not be there, this action opens a tab of its own"
TAB_DIFFERS: Final = "must be the same wherever it is given"

_BY_TEXT: Final = {
    TAB_UNEXPECTED: "unexpected_tab_session",
    TAB_DIFFERS: "tab_session_mismatch",
}
_BY_PATH: Final = {
    "envelope.protocolVersion": "unsupported_version",
    "envelope.messageType": "unknown_message_type",
    "envelope.senderRole": "sender_role_mismatch",
    "envelope.timestamp": "invalid_timestamp",
    "auth.accessToken": "missing_access_token",
    "refresh.refreshToken": "missing_refresh_token",
    "command.replayNonce": "missing_replay_nonce",
    "command.targetNodeId": "missing_target_node",
    "command.action": "forbidden_action",
    "command.tabSessionId": "missing_tab_session",
    "command.timeoutMs": "invalid_timeout",
    "command.waitPolicy": "invalid_wait_policy",
    "command_cancel.targetRequestId": "missing_target_request",
    "tab_lock.targetNodeId": "missing_target_node",
    "tab_lock.tabSessionId": "missing_tab_session",
    "tab_lock.lockLeaseMs": "invalid_lock_lease",
    "tab_unlock.targetNodeId": "missing_target_node",
    "tab_unlock.tabSessionId": "missing_tab_session",
    "event.updateType": "invalid_listener_update",
    "event.emittedAt": "invalid_listener_update",
}
"""The code of a fault by its place; the rest of a hello is ``invalid_hello``."""


def code_of(path: str, text: str) -> str:
    """The code that answers a fault of a frame; any other fault is the frame's shape."""
    if path.startswith("hello."):
        return "invalid_hello"
    return _BY_TEXT.get(text) or _BY_PATH.get(path, INVALID_ENVELOPE)
