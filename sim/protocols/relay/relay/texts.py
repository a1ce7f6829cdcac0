"""What error frames say to people: what was wrong, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

TEXTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "not_initialized": "say hello first",
        "unauthenticated": "show an access token first, and wait for auth_ack",
        "invalid_access_token": "the token is unknown or has expired: get a new one",
        "role_mismatch": "the token is for another role than the one in hello",
        "node_mismatch": "token and hello name different nodes",
        "identity_mismatch": "this session belongs to another controller: open a new one",
        "missing_node_id": "neither hello nor the token names the node",
        "invalid_hello": "hello was said already: open a new connection to change roles",
        "sender_role_mismatch": "senderRole must be the role of this session",
        "forbidden_role": "peers of this role do not send such frames",
        "forbidden_action": "the token has no scope for this action",
        "acl_missing_node_grant": "the token does not reach this node: ask its owner for a grant",
        "missing_replay_nonce": "give each command a replayNonce of its own",
        "invalid_timestamp": "timestamp must be a date and time of ISO-8601 with its offset",
        "timestamp_out_of_window": "timestamp is too far from the relay's clock: set yours",
        "replay_rejected": "the replayNonce was used before: take a new one",
        "missing_listener_target": "name the requestId of the subscribe in targetRequestId",
        "listener_not_found": "no listener is active under this requestId",
        "listener_owner_mismatch": "the listener belongs to another session",
        "listener_node_mismatch": "the listener is at another node",
        "request_id_in_use": "the requestId is in use: take a new one",
        "node_offline": "the node is not connected: try again when it is",
        "tab_locked": "another controller has locked the tab: wait for its lease to end",
        "tab_busy": "the tab is busy: try again, or send waitPolicy wait_with_timeout",
        "tab_queue_limit_exceeded": "too many commands wait for this tab: try again later",
        "controller_queue_limit_exceeded": "too many of your commands wait: try again later",
        "controller_revoked": "this controller is let in no more",
        "rate_limited": "too many frames within a minute: slow down",
        "invalid_refresh_token": "the refresh token is unknown, or another peer's",
        "node_disconnected": "the node was lost: what it had begun may have had its effect",
        "command_cancelled": "cancelled before it was sent to the node",
        "command_not_found": "no command or stream of this requestId is under way",
        "command_owner_mismatch": "the command belongs to another controller",
        "command_timed_out": "the node did not answer within timeoutMs: it was told to stop",
        "queue_wait_timed_out": "the tab was busy for all of timeoutMs: it was never sent",
        "lock_not_held": "you do not hold this tab: its lease may have ended",
    }
)
"""Sentence by error code, of the codes that need no more than one."""
