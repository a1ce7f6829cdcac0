"""Who is at the other end of a socket: hello, auth, signs of life (DR-01, DR-03, DR-10, DR-16)."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from sim.protocols.relay.constants import (
    AUTH_DEADLINE_MS,
    CONTROLLER,
    HEARTBEAT_INTERVAL_MS,
    HEARTBEAT_MISSES,
    NODE,
)
from sim.protocols.relay.machine import OPENED, READY, SESSION


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
    """One socket at the relay. Times are in milliseconds of the relay's clock.

    ``heard_ms`` is when the last readable frame came, refused ones included.
    """

    name: str
    opened_ms: int
    heard_ms: int = attrs.field(init=False)
    role: str = ""
    greeted_node: str = ""
    identity: str = ""
    grant: Grant | None = None
    state: str = OPENED
    auth_deadline_ms: int = AUTH_DEADLINE_MS
    silence_ms: int = HEARTBEAT_INTERVAL_MS * HEARTBEAT_MISSES

    def __attrs_post_init__(self) -> None:
        self.heard_ms = self.opened_ms

    @property
    def is_ready(self) -> bool:
        """Whether it is authenticated and not over."""
        return self.state == READY

    def hear(self, now_ms: int) -> None:
        """A readable frame has come, whatever it says."""
        self.heard_ms = now_ms

    def ends_at(self) -> int:
        """When it is closed if nothing more comes: for silence, or for want of an auth."""
        silence = self.heard_ms + self.silence_ms
        return silence if self.is_ready else min(silence, self.opened_ms + self.auth_deadline_ms)

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

    def add(self, session: Session) -> None:
        """A socket was opened."""
        self._live[session.name] = session

    def get(self, name: str) -> Session | None:
        """The session of that name, None when it is over."""
        return self._live.get(name)

    def node(self, node_id: str) -> Session | None:
        """The authenticated session of a node."""
        return next((one for one in self.nodes() if one.identity == node_id), None)

    def nodes(self) -> Iterable[Session]:
        """The authenticated nodes, in the order in which their sockets were opened."""
        return [one for one in self._live.values() if one.is_ready and one.role == NODE]

    def controllers(self, identity: str) -> list[Session]:
        """The authenticated sessions of a controller identity."""
        ready = (one for one in self._live.values() if one.is_ready and one.role == CONTROLLER)
        return [one for one in ready if one.identity == identity]

    def displaced_by(self, session: Session) -> list[Session]:
        """The older sessions of the node that this session has just proved to be."""
        if session.role != NODE or not session.is_ready:
            return []
        return [
            one for one in self.nodes() if one.identity == session.identity and one is not session
        ]

    def end(self, session: Session, trigger: str) -> None:
        """A session is over; it never comes back."""
        session.end(trigger)
        del self._live[session.name]

    def due(self, now_ms: int) -> list[Session]:
        """The sessions whose time is up, in the order in which it was."""
        late = [one for one in self._live.values() if one.ends_at() <= now_ms]
        return sorted(late, key=Session.ends_at)

    def next_end(self) -> int | None:
        """When :meth:`due` has something to tell, None while there is no session."""
        return min((one.ends_at() for one in self._live.values()), default=None)
