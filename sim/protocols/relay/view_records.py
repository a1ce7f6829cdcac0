"""What the view of a relay run keeps: sessions, commands, leases, subscriptions, tabs.

Times are in microseconds since the start of the run; -1: not yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs

from sim.protocols.relay.constants import CONTROLLER, NODE

ASKED: Final = "ASKED"
REFUSED: Final = "REFUSED"
WAITING: Final = "WAITING"
RUNNING: Final = "RUNNING"
DONE: Final = "DONE"

ENDS: Final = (
    "command_timed_out", "queue_wait_timed_out", "node_disconnected", "command_cancelled",
)  # fmt: skip
"""Errors that a relay ends accepted commands with; its others refuse a frame."""
REMEMBERED: Final = 512


@attrs.define(eq=False)
class SessionView:
    """One connection at a relay. It is ready once the relay has sent its auth_ack.

    ``heard_us``: when the last frame came that can be read; ``noise_us`` that could not.
    ``is_told``: its peer has got both acks; ``is_left``: it does not believe in it any
    more. ``pending``: what its hellos, auths and refreshes said, by requestId, until they are
    answered. ``said``: the families of its newest frames by requestId, ``tokens``: what it
    has shown in them. ``reach``: the nodes that its token permits, None: all.
    """

    link: str
    peer: str
    relay: str
    lane: str
    opened_us: int
    opened_n: int
    heard_us: int = attrs.field(init=False)
    noise_us: int = -1
    role: str = ""
    greeted_node: str = ""
    identity: str = ""
    scopes: tuple[str, ...] = ()
    reach: tuple[str, ...] | None = None
    ready_us: int = -1
    ready_n: int = -1
    closed_us: int = -1
    closed_n: int = -1
    closed_by: str = ""
    is_left: bool = False
    is_greeted: bool = False
    is_told: bool = False
    pending: dict[str, Mapping[str, Any]] = attrs.field(factory=dict)
    tokens: dict[str, str] = attrs.field(factory=dict)
    said: dict[str, str] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.heard_us = self.opened_us

    @property
    def side(self) -> str:
        """What is at the other end: as the relay has acked it, before that as it has dialled."""
        return self.role or self.lane

    @property
    def is_open(self) -> bool:
        """Whether the relay still believes in it."""
        return self.closed_us < 0

    @property
    def is_ready(self) -> bool:
        """Whether its token was found good, and it is not over."""
        return self.ready_us >= 0 and self.closed_us < 0

    @property
    def is_node(self) -> bool:
        """Whether a node is at the other end, ready."""
        return self.role == NODE and self.is_ready

    @property
    def is_controller(self) -> bool:
        """Whether a controller is at the other end, ready."""
        return self.role == CONTROLLER and self.is_ready

    def note(self, request_id: str, family: str) -> None:
        """It has sent a frame of this family."""
        _keep(self.said, request_id, family)

    def gets(self, family: str) -> None:
        """Its peer has got a frame."""
        if family == "hello_ack":
            self.is_greeted = True
        elif family == "auth_ack":
            self.is_told = self.is_greeted

    def shows(self, request_id: str, token: str) -> None:
        """It has shown a token, for access or for a refresh."""
        _keep(self.tokens, request_id, token)


def _keep(kept: dict[str, str], id: str, value: str) -> None:
    kept.pop(id, None)
    kept[id] = value
    if len(kept) > REMEMBERED:
        del kept[next(iter(kept))]


@attrs.define(eq=False)
class AskView:
    """One command frame as it arrived at the relay, and what became of it.

    ``tab`` is the queue that it belongs to, "" for none. ``node`` is the node session that
    it waits for or runs at. ``end`` is how it ended for its controller: ``result``, or the
    code of the error. ``answered_n``: when the node's terminal frame came to the relay.
    ``repeats`` of the same command by the same session arrived while it ran, ``ignored`` of
    them were said to be so. ``barred``: codes that were true of it when it arrived.
    ``beside``, ``overtook``: commands of its tab that ran, or should have gone first, when
    it was sent. ``idle_us``: since when its tab had been free then. ``clashed``: what had
    its requestId when it was accepted.
    """

    session: SessionView
    request_id: str
    n: int
    at: int
    wire: Mapping[str, Any]
    payload: Mapping[str, Any]
    action: str
    node_id: str
    tab: str
    budget_us: int
    waits: bool
    state: str = ASKED
    node: SessionView | None = None
    accepted_n: int = -1
    queued_us: int = -1
    sent_us: int = -1
    sent_n: int = -1
    ended_us: int = -1
    ended_n: int = -1
    end: str = ""
    answer: Mapping[str, Any] | None = None
    answered_us: int = -1
    answered_n: int = -1
    lost_us: int = -1
    lost_n: int = -1
    orphaned_us: int = -1
    cancelled_us: int = -1
    told_to_stop_us: int = -1
    terminals: int = 0
    repeats: int = 0
    ignored: int = 0
    times_sent: int = 0
    barred: dict[str, None] = attrs.field(factory=dict)
    beside: AskView | None = None
    overtook: AskView | None = None
    clashed: AskView | None = None
    idle_us: int = -1

    @property
    def key(self) -> str:
        """The nonce."""
        nonce = self.payload.get("replayNonce")
        return nonce if isinstance(nonce, str) else ""

    @property
    def deadline_us(self) -> int:
        """When its budget ends."""
        return self.at + self.budget_us

    @property
    def was_accepted(self) -> bool:
        """Whether the relay has queued it or sent it."""
        return self.queued_us >= 0 or self.sent_us >= 0

    @property
    def is_owed(self) -> bool:
        """Whether its controller is there and still waits for its end."""
        return self.was_accepted and not self.terminals and self.session.is_open

    @property
    def is_at_node(self) -> bool:
        """Whether the node session that has it still owes an answer to the relay."""
        return self.state == RUNNING and self.answered_n < 0 and self.lost_n < 0

    @property
    def is_taken(self) -> bool:
        """Whether its requestId is in use."""
        return self.was_accepted and (self.state == WAITING or self.is_at_node or self.is_owed)


@attrs.define(eq=False)
class QueueView:
    """A tab of a node session at the relay: what runs there, what waits in order.

    ``free_us``: since when nothing runs though something waits.
    """

    running: list[AskView] = attrs.field(factory=list)
    waiting: list[AskView] = attrs.field(factory=list)
    free_us: int = -1


@attrs.frozen
class LeaseView:
    """A lock as the relay has granted it. ``request_id`` is that of the last tab_lock."""

    node_id: str
    tab: str
    owner: str
    session: SessionView
    request_id: str
    lease_ms: int
    expires_ms: int
    granted_us: int
    n: int

    @property
    def ends_us(self) -> int:
        """When the tab is free."""
        return self.granted_us + self.lease_ms * 1_000


@attrs.define(eq=False)
class SubscriptionView:
    """A listener that a session has asked for. Its updates flow from ``on_n`` to ``off_n``.

    Both are numbers of the events that the relay has dealt with: deliveries of results,
    losses, cancels.
    """

    ask: AskView
    listener: str
    on_n: int = -1
    off_n: int = -1
    off_us: int = -1
    why: str = ""

    @property
    def is_on(self) -> bool:
        """Whether updates flow."""
        return self.on_n >= 0 and self.off_n < 0


@attrs.define(eq=False)
class StreamView:
    """What a command.test goes on with after its result."""

    ask: AskView
    listeners: tuple[str, ...]
    bound: list[SubscriptionView] = attrs.field(factory=list)
    ends: int = 0
    cancelled_n: int = -1
    over_n: int = -1
    over_us: int = -1
    why: str = ""


@attrs.define(eq=False)
class CancelView:
    """A command_cancel of a controller as it arrived, and what it met.

    ``ask`` is the command that it is about, ``stream`` the stream; ``state`` what the
    command was when it arrived: WAITING, RUNNING, or "" where it had ended or never was.
    ``answers``: what the relay has said to it: codes of errors, statuses of cancel_ack.
    """

    session: SessionView
    request_id: str
    target: str
    n: int
    at: int
    ask: AskView | None
    stream: StreamView | None
    state: str
    answers: list[str] = attrs.field(factory=list)


@attrs.define(eq=False)
class CleanupView:
    """A close_owned that the relay owes to a node, since ``at``."""

    node: SessionView
    identity: str
    at: int
    n: int


@attrs.define(eq=False)
class OwnView:
    """A command of the relay's own at a node: close_owned or listener.unsubscribe."""

    node: SessionView
    action: str
    payload: Mapping[str, Any]
    at: int
    answered: bool = False
