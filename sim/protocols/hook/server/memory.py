"""What a running server holds: sockets, desks, conversations, tasks, rounds, cards.

These objects are volatile; what must survive is written as the rows of
``stored``. Everything is found by id in one dict look-up.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from sim.core.op import Connection
from sim.protocols.hook.machine import CONNECTION, READY, WELCOMING
from sim.protocols.hook.server.accounts.features import Offer
from sim.protocols.hook.server.plan import ServerPlan
from sim.protocols.hook.server.tasks import Conversation, Desk, Route, Task
from sim.wire.absent import ABSENT


class Socket:
    """One connection, which is one generation of a device's lane.

    ``serial`` numbers the welcomes of the whole server (0: none yet), so that
    "sent since the last welcome" is one comparison. ``rounds`` are the open
    continuations of this connection, ``quarantine`` the ids that it may not
    use (HK-183), ``early`` ids whose end came before their reopen (RC-17).
    ``offered`` are the features of the last welcome, ``account`` is whose
    desktop this is, by the token that it dialled with. ``pings`` were sent,
    ``pongs`` came back.
    """

    __slots__ = (
        "account", "conn", "desk", "early", "heard_us", "hello", "offered", "pings", "pongs",
        "quarantine", "rounds", "serial", "state",
    )  # fmt: skip

    def __init__(self, conn: Connection, now_us: int) -> None:
        self.conn = conn
        self.account = account_of(conn.info)
        self.state = CONNECTION.initial
        self.desk: Desk | None = None
        self.hello: Any = None
        self.offered: tuple[str, ...] = ()
        self.heard_us = now_us
        self.serial = 0
        self.pings = 0
        self.pongs = 0
        self.rounds: dict[str, Any] | None = None
        self.quarantine: dict[str, None] | None = None
        self.early: dict[str, None] | None = None

    @property
    def ready(self) -> bool:
        """Whether more than handshakes may pass: the welcome is on the wire.

        True from the very write on: its handler may not have gone on yet when
        the desktop's first frames are back.
        """
        return self.state == READY or self.state == WELCOMING

    def agreed(self, *features: str) -> bool:
        """Whether both sides of this very connection have all these features (HK-16, HK-99)."""
        ours, theirs = self.offered, self.hello.features
        return theirs is not ABSENT and all(f in ours and f in theirs for f in features)

    def silences(self, request: str) -> bool:
        """Whether this connection lost the right to use this id."""
        return self.quarantine is not None and request in self.quarantine


def account_of(info: Any) -> str:
    """Whose token a client dialled with; "" where it showed none."""
    token = info.get("authorization", "") if isinstance(info, dict) else ""
    return str(token).removeprefix("Bearer ")


def is_bad_token(info: Any) -> bool:
    """Whether a client dialled with an ``Authorization`` that names nobody."""
    if not isinstance(info, dict) or "authorization" not in info:
        return False
    scheme, _, token = str(info["authorization"]).partition(" ")
    return scheme != "Bearer" or not token.strip()


class Memory:
    """The indexes of one life of the server."""

    __slots__ = (
        "cards", "cards_by_message", "conversations", "desks", "ended", "latest", "offer", "plan",
        "round_serial", "routes", "seen", "sockets", "taking", "unposted_cards", "welcome_serial",
    )  # fmt: skip

    def __init__(self, plan: ServerPlan) -> None:
        self.plan = plan
        self.offer = Offer(plan.features)
        self.sockets: dict[str, Socket] = {}
        self.desks: dict[tuple[str, str], Desk] = {}
        self.conversations: dict[tuple[str, str, str | None], Conversation] = {}
        self.latest: dict[tuple[str, str, str], Conversation] = {}
        self.routes: dict[str, Route] = {}
        self.cards: dict[str, Any] = {}
        self.cards_by_message: dict[tuple[str, str], Any] = {}
        self.unposted_cards = 0
        self.seen: dict[str, int] = {}
        self.taking: dict[str, None] = {}
        self.ended: deque[tuple[int, str, str]] = deque()
        self.round_serial = 0
        self.welcome_serial = 0

    def desk(self, lane: str, device: str) -> Desk:
        """The place of a device on a lane, made on first use."""
        key = (lane, device)
        desk = self.desks.get(key)
        if desk is None:
            self.desks[key] = desk = Desk(lane, device)
        return desk

    def known(self, request: str, now_us: int) -> Route | None:
        """The live mapping of an id; those that ended a day ago are forgotten (RC-29)."""
        route = self.routes.get(request)
        if route is None or not route.ended_us:
            return route
        return route if now_us - route.ended_us <= self.plan.limits.mapping_us else None

    def owned_task(self, socket: Socket, request: str) -> Task | None:
        """The ordinary request, if it is this device's own (RC-86)."""
        route = self.routes.get(request)
        if type(route) is not Task:
            return None
        return route if self.is_of(socket, route) else None

    def is_of(self, socket: Socket, task: Task) -> bool:
        """Whether a task belongs to this device and to this account on it (RC-44)."""
        rules = self.plan.rules
        if task.desk is not socket.desk and rules.owner_check:
            return False
        return not task.account or task.account == socket.account or not rules.account_boundary
