"""What a desktop keeps: in memory, and (the two rows) on its disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from sim.core.table import Table
from sim.protocols.hook.machine_desktop import CONNECTED, CONNECTION, CONTINUATION, TASK

if TYPE_CHECKING:
    from sim.core.op import Connection
    from sim.protocols.hook import TaskAck, TaskDispatch, TurnEnd


class SessionRow(msgspec.Struct, frozen=True, gc=False, tag="session"):
    """Durable: the session in which all tasks of one externalKey run (HK-01)."""

    session: str
    alias: str
    title: str
    since_ms: int


class LedgerRow(msgspec.Struct, frozen=True, gc=False, tag="ledger"):
    """Durable: how a task was answered and how it ended, without its attachments.

    ``status`` is "" for a rejection. ``sent`` says that the local write of the
    end succeeded, not that anybody read it.
    """

    request: str
    key: str
    result: str
    reason: str | None
    session: str | None
    position: int | None
    status: str
    text: str
    error: str | None
    duration_ms: int | None
    done_ms: int
    sent: bool


class Stepping:
    """Something whose steps a table allows or forbids."""

    __slots__ = ("state",)

    TABLE: ClassVar[Table]

    def __init__(self) -> None:
        self.state = self.TABLE.initial

    def can(self, trigger: str) -> bool:
        """Whether the table allows it now."""
        return self.TABLE.can(self.state, trigger)

    def fire(self, trigger: str) -> None:
        """Take the step. Raises LocalProtocolError when the table forbids it."""
        self.state = self.TABLE.step(self.state, trigger)


class Lane(Stepping):
    """One channel's connection: its present socket and what that socket's welcome said.

    ``features`` is empty while not welcomed. ``dialled_with`` is the info of
    the newest dial; a socket with another one is stale.
    """

    __slots__ = (
        "attempt",
        "buffer",
        "conn",
        "dialled_with",
        "features",
        "last_frame_us",
        "name",
        "standby",
    )

    TABLE = CONNECTION

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.conn: Connection | None = None
        self.dialled_with: Any = None
        self.features: tuple[str, ...] = ()
        self.attempt = 0
        self.standby = False
        self.last_frame_us = 0
        # (ledger key, end) of what could not be written, oldest first
        self.buffer: list[tuple[str, TurnEnd]] | None = None

    @property
    def is_ready(self) -> bool:
        """Whether business may be done: welcomed, with all that the lane needs."""
        return self.state == CONNECTED


class Session:
    """A conversation with an agent in one folder; it runs one turn at a time."""

    __slots__ = ("alias", "id", "queue", "running")

    def __init__(self, id: str, alias: str) -> None:
        self.id = id
        self.alias = alias
        self.running: Turn | None = None
        self.queue: list[Task] | None = None


class Turn(Stepping):
    """One run of the agent. ``number`` counts the turns of this desktop's life."""

    __slots__ = (
        "external_key",
        "lane",
        "last_text",
        "number",
        "pending_text",
        "request_id",
        "session",
        "started_us",
    )

    def __init__(self, number: int, session: Session, lane: Lane) -> None:
        super().__init__()
        self.number = number
        self.session = session
        self.lane = lane
        self.request_id = ""
        self.external_key = ""
        self.started_us = -1
        self.last_text = ""
        self.pending_text: str | None = None


class Task(Turn):
    """An ordinary task, dispatched by the server.

    ``reopenable`` is what the welcome said when the task was accepted: it
    counts even if the connection is gone when the task fails. ``notice`` is
    put before the final text once.
    """

    __slots__ = ("ack", "cancelled", "notice", "reopenable")

    TABLE = TASK

    def __init__(self, number: int, session: Session, lane: Lane, task: TaskDispatch) -> None:
        super().__init__(number, session, lane)
        self.request_id = task.request_id
        self.external_key = task.external_key
        self.ack: TaskAck | None = None
        self.cancelled = False
        self.notice = ""
        self.reopenable = False


class Registration:
    """A failed round that may be continued, of the session that failed.

    ``rounds`` are the ids of the chain, the original task first, the round
    that a reopen would continue last.
    """

    __slots__ = ("external_key", "lane", "rounds", "session", "since_us")

    def __init__(
        self, rounds: tuple[str, ...], external_key: str, session: Session, lane: Lane, at: int
    ) -> None:
        self.rounds = rounds
        self.external_key = external_key
        self.session = session
        self.lane = lane
        self.since_us = at


class Round(Turn):
    """A turn that the person started on the desktop.

    With a ``registration`` it may become a continuation of that round; until
    the first event nothing of it is seen outside. ``acts`` are the agent's
    acts that came while the reopen was being written. ``by_retry``: the person
    pressed retry; such a round does not end by itself.
    """

    __slots__ = ("acts", "by_retry", "registration", "superseded")

    TABLE = CONTINUATION

    def __init__(
        self, number: int, session: Session, lane: Lane, registration: Registration | None
    ) -> None:
        super().__init__(number, session, lane)
        self.registration = registration
        self.acts: list[Any] | None = None
        self.by_retry = False
        self.superseded = False
        if registration is not None:
            self.external_key = registration.external_key
            self.fire("arm")


class Card:
    """An open question of the agent; ``buttons`` are the ids that may be pressed."""

    __slots__ = ("buttons", "id", "kind", "turn")

    def __init__(self, id: str, turn: Turn, kind: str, buttons: tuple[str, ...]) -> None:
        self.id = id
        self.turn = turn
        self.kind = kind
        self.buttons = buttons


class Work:
    """All that only a busy desktop needs; an idle one has none of it.

    ``tasks`` are the live ordinary tasks and ``rounds`` the claimed
    continuations by requestId, ``turns`` the running ones by number, latest
    last. ``ledger`` tells for each durable row whether its end was sent.
    """

    __slots__ = (
        "acks",
        "acts",
        "cards",
        "handing",
        "intact",
        "ledger",
        "locating",
        "registrations",
        "rounds",
        "sessions",
        "tasks",
        "throttled",
        "turns",
    )

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self.tasks: dict[str, Task] = {}
        self.rounds: dict[str, Round] = {}
        self.turns: dict[int, Turn] = {}
        self.acks: dict[str, TaskAck] = {}
        self.locating: dict[str, None] = {}
        self.ledger: dict[str, bool] = {}
        # ends that are being written just now, by ledger key
        self.handing: dict[str, None] = {}
        # ends with their attachments, which the durable rows lack, by ledger key
        self.intact: dict[str, TurnEnd] = {}
        self.cards: dict[str, Card] = {}
        # by session id
        self.registrations: dict[str, Registration] = {}
        # the agent's acts that wait for their task, by requestId ("": the next one)
        self.acts: dict[str, list[Any]] = {}
        # turns with a snapshot that waits for its time, by timer key
        self.throttled: dict[str, Turn] = {}
