"""What a desktop keeps: in memory, and (the two rows) on its disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from sim.core.table import Table
from sim.protocols.hook import Absent
from sim.protocols.hook.machine_desktop import CONNECTED, CONNECTION, CONTINUATION, TASK

if TYPE_CHECKING:
    from sim.core.op import Connection
    from sim.protocols.hook import TaskAck, TaskDispatch, TurnEnd


ROW_BYTES = 300  # what a row takes besides its texts


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

    @property
    def size(self) -> int:
        """About how many bytes the row takes on disk."""
        texts = self.text + (self.error or "") + self.key
        return ROW_BYTES + len(texts if texts.isascii() else texts.encode("utf-8", "replace"))


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


class Unaccepted:
    """A turn.end whose ``turn.delivery`` is awaited; ``tries`` counts the sendings."""

    __slots__ = ("end", "tries")

    def __init__(self, end: TurnEnd) -> None:
        self.end = end
        self.tries = 0


class Lane(Stepping):
    """One channel's connection: its present socket and what that socket's welcome said.

    ``features`` is empty while not welcomed. ``dialled_with`` is the info of
    the newest dial; a socket with another one is stale. ``renewed``: the token
    was refused and fetched anew, which is done once until a welcome comes.
    """

    __slots__ = (
        "attempt",
        "buffer",
        "conn",
        "dialled_with",
        "features",
        "is_off",
        "last_frame_us",
        "name",
        "renewed",
        "standby",
        "ties",
        "unaccepted",
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
        self.renewed = False
        self.last_frame_us = 0
        # (ledger key, end) of what could not be written, oldest first
        self.buffer: list[tuple[str, TurnEnd]] | None = None
        # ends that the server has not taken over yet, by ledger key, oldest first
        self.unaccepted: dict[str, Unaccepted] | None = None
        # the person has switched this channel off
        self.is_off = False
        # who is bound and what the server told about it; made on first use
        self.ties: Any = None

    @property
    def is_ready(self) -> bool:
        """Whether business may be done: welcomed, with all that the lane needs."""
        return self.state == CONNECTED


class Session:
    """A conversation with an agent in one folder; it runs one turn at a time."""

    __slots__ = ("alias", "allowed", "id", "queue", "running", "team")

    def __init__(self, id: str, alias: str) -> None:
        self.id = id
        self.alias = alias
        # permissions that were granted for good, by what was asked
        self.allowed: dict[tuple[str, str], None] | None = None
        # the team that its last task came from, for tools (HK-102)
        self.team: str | None = None
        self.running: Turn | None = None
        self.queue: list[Task] | None = None


class Turn(Stepping):
    """One run of the agent. ``number`` counts the turns of this desktop's life."""

    __slots__ = (
        "body",
        "earlier",
        "external_key",
        "is_due",
        "is_ticking",
        "lane",
        "last_text",
        "number",
        "request_id",
        "session",
        "shown_us",
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
        # the agent's visible work, and the snapshot that was sent last
        self.body = ""
        self.earlier = ""
        self.last_text = ""
        self.shown_us = 0
        # whether a snapshot waits for its time, and whether the idle tick runs
        self.is_due = False
        self.is_ticking = False


class Task(Turn):
    """An ordinary task, dispatched by the server.

    ``reopenable`` is what the welcome said when the task was accepted: it
    counts even if the connection is gone when the task fails. ``notice`` is
    put before the final text once.
    """

    __slots__ = ("ack", "cancelled", "notice", "reopenable", "trigger")

    TABLE = TASK

    def __init__(self, number: int, session: Session, lane: Lane, task: TaskDispatch) -> None:
        super().__init__(number, session, lane)
        self.request_id = task.request_id
        self.external_key = task.external_key
        self.ack: TaskAck | None = None
        self.cancelled = False
        self.notice = ""
        self.reopenable = False
        source = task.source
        trigger = None if isinstance(source, Absent) else source.trigger_message_id
        self.trigger = None if isinstance(trigger, Absent) else trigger


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
    """An open question of the agent; ``buttons`` are the ids that may be pressed.

    ``asked`` is what was asked, title and body.
    """

    __slots__ = ("asked", "buttons", "id", "kind", "turn")

    def __init__(
        self, id: str, turn: Turn, kind: str, buttons: tuple[str, ...], asked: tuple[str, str]
    ) -> None:
        self.id = id
        self.turn = turn
        self.kind = kind
        self.buttons = buttons
        self.asked = asked


class Asked:
    """A request of the desktop that the server has not answered yet.

    ``about`` is the binding that it was made for ("" where that is no matter).
    """

    __slots__ = ("about", "frame", "id", "lane")

    def __init__(self, id: str, frame: str, lane: Lane, about: str) -> None:
        self.id = id
        self.frame = frame
        self.lane = lane
        self.about = about


class Work:
    """All that only a busy desktop needs; an idle one has none of it.

    ``tasks`` are the live ordinary tasks and ``rounds`` the claimed
    continuations by requestId, ``turns`` the running ones by number, latest
    last. ``ledger`` tells for each durable row whether its end was sent.
    """

    __slots__ = (
        "acks",
        "acts",
        "asked",
        "cards",
        "handing",
        "intact",
        "ledger",
        "ledger_bytes",
        "locating",
        "registrations",
        "rounds",
        "sessions",
        "tasks",
        "throttled",
        "turns",
        "windows",
    )

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self.tasks: dict[str, Task] = {}
        self.rounds: dict[str, Round] = {}
        self.turns: dict[int, Turn] = {}
        self.acks: dict[str, TaskAck] = {}
        self.locating: dict[str, None] = {}
        self.ledger: dict[str, bool] = {}
        self.ledger_bytes = 0
        # what the desktop asked the server for, by requestId
        self.asked: dict[str, Asked] = {}
        # a principal's group messages, by principal; read from disk on first use
        self.windows: dict[str, Any] = {}
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
