"""Who is at the other end of a socket: hello, auth, signs of life (DR-01, DR-03, DR-10, DR-16)."""

from __future__ import annotations

from typing import Final

import attrs

from sim.protocols.relay.constants import (
    AUTH_DEADLINE_MS,
    CONTROLLER,
    HEARTBEAT_INTERVAL_MS,
    HEARTBEAT_MISSES,
    NODE,
)
from sim.protocols.relay.machine import OPENED, READY, SESSION

MINUTE_US: Final = 60_000_000


@attrs.frozen
class Grant:
    """What an access token stands for.

    ``identity`` is the controllerId of a controller, the nodeId of a node (empty where
    the token names none). ``nodes`` are those that a controller may reach, None: all.
    ``expires_ms`` is looked at when it is shown, and never again.
    """

    role: str
    identity: str
    scopes: tuple[str, ...] = ("*",)
    nodes: tuple[str, ...] | None = None
    expires_ms: int | None = None

    def allows(self, action: str) -> bool:
        """Whether a scope covers the action: exactly, by ``x.*``, or ``*`` for all."""
        return any(_covers(scope, action) for scope in self.scopes)

    def reaches(self, node: str) -> bool:
        """Whether a controller may send to this node."""
        return self.nodes is None or node in self.nodes

    def is_good_at(self, now_ms: int) -> bool:
        """Whether the token has not expired; at ``expires_ms`` it has."""
        return self.expires_ms is None or now_ms < self.expires_ms


def _covers(scope: str, action: str) -> bool:
    if scope.endswith("*"):
        return action.startswith(scope[:-1]) and (scope == "*" or scope.endswith(".*"))
    return scope == action


@attrs.define(eq=False)
class Session:
    """One socket at the relay. Times are in microseconds of the run.

    ``heard_us`` is when the last readable frame came, refused ones included.
    ``newest_ms`` is the latest timestamp that was seen on it, ``minute_us`` when its
    present minute of the rate limit began and ``frames`` how many came within it.
    """

    name: str
    opened_us: int
    heard_us: int = attrs.field(init=False)
    role: str = ""
    greeted_node: str = ""
    identity: str = ""
    grant: Grant | None = None
    state: str = OPENED
    auth_deadline_us: int = AUTH_DEADLINE_MS * 1000
    silence_us: int = HEARTBEAT_INTERVAL_MS * HEARTBEAT_MISSES * 1000
    newest_ms: int = 0
    minute_us: int = 0
    frames: int = 0

    def __attrs_post_init__(self) -> None:
        self.heard_us = self.opened_us

    @property
    def is_ready(self) -> bool:
        """Whether it is authenticated and not over."""
        return self.state == READY

    def hear(self, now_us: int) -> None:
        """A readable frame has come, whatever it says."""
        self.heard_us = now_us

    def may_send(self, now_us: int, per_minute: int | None) -> bool:
        """Whether one more frame is within the rate limit; minutes follow one another."""
        if per_minute is None:
            return True
        if not self.frames or now_us - self.minute_us >= MINUTE_US:
            self.minute_us, self.frames = now_us, 0
        self.frames += 1
        return self.frames <= per_minute

    def ends_at(self) -> int:
        """When it is closed if nothing more comes: for silence, or for want of an auth."""
        silence = self.heard_us + self.silence_us
        return silence if self.is_ready else min(silence, self.opened_us + self.auth_deadline_us)

    def hello(self, role: str, node_id: str = "") -> str | None:
        """A hello that passed the parser; the code that it is refused with.

        An authenticated session stays as it is.
        """
        if self.is_ready:
            return "invalid_hello"
        self.state = SESSION.step(self.state, "hello")
        self.role, self.greeted_node = role, node_id if role == NODE else ""
        return None

    def auth(self, grant: Grant | None, now_ms: int) -> str | None:
        """A token was shown: the code that it is refused with, None when it is good.

        ``grant`` is what it stands for, None for an unknown token. What is refused
        leaves the session as it was; a second token must name the same peer.
        """
        if self.state == OPENED:
            return "not_initialized"
        if grant is None or not grant.is_good_at(now_ms):
            return "invalid_access_token"
        if grant.role != self.role:
            return "role_mismatch"
        identity = grant.identity
        if grant.role == NODE:
            if identity and self.greeted_node and identity != self.greeted_node:
                return "node_mismatch"
            identity = identity or self.greeted_node
            if not identity:
                return "missing_node_id"
        if self.is_ready and identity != self.identity:
            return "node_mismatch" if self.role == NODE else "identity_mismatch"
        self.state = SESSION.step(self.state, "auth")
        self.identity, self.grant = identity, grant
        return None

    def end(self, trigger: str) -> None:
        """It is over: ``close``, ``deadline``, ``silence`` or ``displace``."""
        self.state = SESSION.step(self.state, trigger)


class Sessions:
    """The live sessions of a relay by name, and which of them is which node."""

    def __init__(self) -> None:
        self._live: dict[str, Session] = {}
        self._nodes: dict[str, Session] = {}

    def add(self, session: Session) -> None:
        """A socket was opened."""
        self._live[session.name] = session

    def get(self, name: str) -> Session | None:
        """The session of that name, None when it is over."""
        return self._live.get(name)

    def all(self) -> list[Session]:
        """The live sessions, in the order in which their sockets were opened."""
        return list(self._live.values())

    def node(self, node_id: str) -> Session | None:
        """The authenticated session of a node."""
        return self._nodes.get(node_id)

    def nodes(self) -> list[Session]:
        """The authenticated nodes, in the order of their auths."""
        return list(self._nodes.values())

    def controllers(self, identity: str) -> list[Session]:
        """The authenticated sessions of a controller identity."""
        ready = (one for one in self._live.values() if one.is_ready and one.role == CONTROLLER)
        return [one for one in ready if one.identity == identity]

    def seat(self, session: Session) -> Session | None:
        """A session has proved to be a node: the older session of that node, displaced now."""
        older = self._nodes.pop(session.identity, None)
        self._nodes[session.identity] = session
        return older

    def unseat(self, node_id: str) -> None:
        """Nobody is this node any more."""
        self._nodes.pop(node_id, None)

    def end(self, session: Session, trigger: str) -> None:
        """A session is over; it never comes back."""
        session.end(trigger)
        del self._live[session.name]
        if self._nodes.get(session.identity) is session:
            del self._nodes[session.identity]
