"""What a relay is told when it is made: tokens, limits, rules."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from sim.protocols.relay import constants
from sim.protocols.relay.relay.sessions import Grant
from sim.protocols.relay.rules import RelayRules


@attrs.frozen
class Limits:
    """Times (ms) and sizes that the protocol document leaves to the relay.

    ``heartbeat_interval_ms`` × ``heartbeat_misses`` of silence end a session.
    ``auth_deadline_ms``: a socket without a token is closed so long after opening.
    ``auth_check_ms``: how long a token is looked at, work that arrives meanwhile is
    refused; above the spread of a usual link's latency, so that a command sent right
    behind the auth is. ``replay_window_ms``: how far a timestamp may be off,
    ``nonce_memory_ms``: how long a nonce stays burnt. ``tab_queue``,
    ``controller_queue``: how many may wait per tab and per session.
    ``frames_per_minute``: rate limit per session, None for none.
    ``access_token_ms``: life of a token that a refresh makes. ``close_owned_ms``,
    ``unsubscribe_ms``: the budgets of the relay's own commands.
    """

    heartbeat_interval_ms: int = constants.HEARTBEAT_INTERVAL_MS
    heartbeat_misses: int = constants.HEARTBEAT_MISSES
    auth_deadline_ms: int = constants.AUTH_DEADLINE_MS
    auth_check_ms: int = 100
    replay_window_ms: int = constants.REPLAY_WINDOW_MS
    nonce_memory_ms: int = constants.NONCE_MEMORY_MS
    tab_queue: int = constants.TAB_QUEUE_LIMIT
    controller_queue: int = constants.CONTROLLER_QUEUE_LIMIT
    default_timeout_ms: int = constants.DEFAULT_TIMEOUT_MS
    least_timeout_ms: int = constants.LEAST_TIMEOUT_MS
    most_timeout_ms: int = constants.MOST_TIMEOUT_MS
    default_lease_ms: int = constants.DEFAULT_LOCK_LEASE_MS
    most_lease_ms: int = constants.MOST_LOCK_LEASE_MS
    frames_per_minute: int | None = None
    access_token_ms: int = 900_000
    close_owned_ms: int = constants.CLOSE_OWNED_TIMEOUT_MS
    unsubscribe_ms: int = constants.STREAM_UNSUBSCRIBE_TIMEOUT_MS


@attrs.frozen
class RelayPlan:
    """One relay's surroundings.

    ``tokens``: access token → what it stands for. ``refresh_tokens``: refresh token →
    the grant of the access tokens that it makes. ``version`` is what the acks call
    the relay, "" for nothing. ``stamp`` is what the tokens of refreshes end with.
    """

    tokens: Mapping[str, Grant] = attrs.field(factory=dict)
    refresh_tokens: Mapping[str, Grant] = attrs.field(factory=dict)
    rules: RelayRules = attrs.field(factory=RelayRules)
    limits: Limits = attrs.field(factory=Limits)
    version: str = "hooktwin"
    stamp: str = ""
