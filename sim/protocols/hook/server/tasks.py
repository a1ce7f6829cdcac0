"""Desks, conversations, tasks and rounds: what frames are routed to."""

from __future__ import annotations

from typing import Any

from sim.protocols.hook.machine import REQUEST, ROUND
from sim.protocols.hook.server.line import Line, Picture
from sim.protocols.hook.server.stored import Final, LaneRow, RequestRow, RoundRow


class Desk:
    """A device on one lane: its socket, who contends for its place, its open tasks.

    ``interrupted`` are the tasks that it took and never ended; ``archives`` are
    the keys of sessions to archive, with the welcome on which that was said last
    and the ping whose answer will prove that it arrived. ``account`` is whose desktop
    it was when it last said hello, ``left_us`` when its socket was last lost.
    """

    __slots__ = (
        "account", "archives", "device", "interrupted", "lane", "left_us", "rival", "socket",
        "unended",
    )  # fmt: skip

    def __init__(self, lane: str, device: str) -> None:
        self.lane = lane
        self.device = device
        self.account = ""
        self.left_us = 0
        self.socket: Any = None
        self.rival: Any = None
        self.unended: dict[str, Task] | None = None
        self.interrupted: dict[str, Task] | None = None
        self.archives: dict[str, tuple[int, int]] | None = None

    def has_just_left(self, now_us: int, for_us: int) -> bool:
        """Whether it is away for less than this: a timer that says more is of an older absence."""
        return self.socket is None and self.left_us > 0 and now_us - self.left_us < for_us

    @property
    def key(self) -> str:
        """Name of the desk's timers."""
        return f"{self.lane}/{self.device}"


def place_of(
    lane: str, chat: str, thread: str | None, principal: str = ""
) -> tuple[str, str, str | None]:
    """The key of a conversation in the memory."""
    return (lane, chat, f"{thread or ''}@{principal}" if principal else thread)


class Conversation:
    """A thread (or direct chat) and the session key that stands for it (HK-08).

    In a Telegram group each account (``principal``) has one of its own.
    ``takeover`` is the desktop's session that its next task shall go into.
    """

    __slots__ = (
        "chat", "generation", "key", "lane", "principal", "renewed", "rounds", "takeover", "tasks",
        "team", "thread", "workspace",
    )  # fmt: skip

    def __init__(
        self, lane: str, team: str, chat: str, thread: str | None, principal: str = ""
    ) -> None:
        self.lane = lane
        self.team = team
        self.chat = chat
        self.thread = thread
        self.principal = principal
        self.takeover = ""
        self.generation = 1
        self.renewed = ""
        self.workspace = ""
        self.tasks: dict[str, Task] | None = None
        self.rounds: dict[str, Round] | None = None
        self.key = self._key()

    def _key(self) -> str:
        if self.principal:
            return f"{self.lane}:group:{self.principal}:{self.chat}:{self.thread or ''}"
        else:
            key = f"{self.lane}:{self.team}:{self.chat}:{self.thread or 'dm'}"
        return key if self.generation == 1 else f"{key}:g{self.generation}"

    def enlist(self, task: Task) -> None:
        """``/stop`` in this conversation finds it."""
        if self.tasks is None:
            self.tasks = {}
        self.tasks[task.request] = task

    def enter(self, generation: int, event: str) -> None:
        """``/new`` (the webhook event ``event``): later tasks get a new session."""
        self.generation = generation
        self.renewed = event
        self.key = self._key()

    @property
    def row_key(self) -> str:
        _, _, where = place_of(self.lane, self.chat, self.thread, self.principal)
        return f"lane/{self.lane}/{self.chat}/{where or ''}"

    def row(self) -> LaneRow:
        """The durable form, as of now."""
        return LaneRow(
            self.lane, self.chat, self.thread, self.team, self.generation, self.workspace,
            self.renewed, self.principal, self.takeover,
        )  # fmt: skip


class Task:
    """One ordinary request; it is also its own claim on its message.

    ``sent`` and ``acked`` are the welcome serials under which it was last
    dispatched and acked (0: never in this life of the server); ``spoken``: there
    was progress or an end, so placeholders are over. ``account`` is whose
    desktop it is for ("" before anybody's has taken it), ``receipt`` what its
    desktop is told about its result, ``trigger`` the message that asked,
    ``session`` the desktop's session that it takes over. ``dispatches`` counts
    the dispatches that may have been answered.
    """

    __slots__ = (
        "account", "acked", "cancel", "cancel_sent", "cards", "conversation", "created_us", "desk",
        "dispatches", "ended_us", "event", "external_key", "final", "line", "person", "prompt",
        "receipt", "request", "sent", "session", "spoken", "state", "trigger", "workspace",
        "written",
    )  # fmt: skip

    line: Line

    def __init__(
        self,
        request: str,
        event: str,
        desk: Desk,
        conversation: Conversation,
        person: str,
        prompt: str,
        created_us: int,
    ) -> None:
        self.request = request
        self.event = event
        self.desk = desk
        self.conversation = conversation
        self.external_key = conversation.key
        self.person = person
        self.prompt = prompt
        self.workspace = conversation.workspace
        self.created_us = created_us
        self.account = desk.account
        self.trigger = ""
        self.session = ""
        self.receipt: Any = None
        self.state = REQUEST.initial
        self.sent = 0
        self.dispatches = 0
        self.acked = 0
        self.cancel = False
        self.cancel_sent = 0
        self.ended_us = 0
        self.spoken = False
        self.cards: list[Any] | None = None
        self.final: Picture | None = None
        self.written = False

    @property
    def root(self) -> Task:
        return self

    @property
    def by(self) -> str:
        """Who writes, for a trace's readers."""
        return self.request

    @property
    def row_key(self) -> str:
        return f"request/{self.request}"

    def row(self) -> RequestRow:
        """The durable form, as of now."""
        conversation, line = self.conversation, self.line
        return RequestRow(
            self.request, self.event, conversation.lane, self.desk.device, self.person,
            conversation.chat, conversation.thread, self.external_key, self.prompt,
            self.workspace, self.state, line.message, line.posts, self.cancel, self.created_us,
            self.ended_us, _final(self.final), self.written, self.account, self.trigger,
            line.doubt, line.answered, line.parts, line.leftovers,
            None if self.receipt is None else self.receipt.row(), self.session,
            conversation.principal,
        )  # fmt: skip


class Round:
    """One continuation; open, it is the claim on its message.

    ``spoken``: its desktop has sent progress or an end, so that the message
    must not go back to a blank placeholder.
    """

    __slots__ = (
        "by", "ended_us", "final", "reopen_of", "request", "root", "serial", "socket", "spoken",
        "state", "written",
    )  # fmt: skip

    def __init__(self, request: str, reopen_of: str, root: Task, serial: int, socket: Any) -> None:
        self.request = request
        self.reopen_of = reopen_of
        self.root = root
        self.serial = serial
        self.socket = socket
        self.state = ROUND.initial
        self.ended_us = 0
        self.final: Picture | None = None
        self.spoken = False
        self.written = False
        self.by = f"{request} on {socket.conn.name}" if socket is not None else request

    @property
    def line(self) -> Line:
        return self.root.line

    @property
    def row_key(self) -> str:
        return f"round/{self.request}"

    def row(self) -> RoundRow:
        """The durable form, as of now."""
        connection = "" if self.socket is None else self.socket.conn.name
        return RoundRow(
            self.request, self.reopen_of, self.root.request, self.serial, connection, self.state,
            self.ended_us, _final(self.final), self.written,
        )  # fmt: skip


class CloseOut:
    """The claim of a torn round: it lasts until somebody reopens the message again."""

    __slots__ = ("round",)

    def __init__(self, torn: Round) -> None:
        self.round = torn

    @property
    def written(self) -> bool:
        return self.round.written

    @written.setter
    def written(self, value: bool) -> None:
        self.round.written = value

    @property
    def row_key(self) -> str:
        return self.round.row_key

    def row(self) -> RoundRow:
        return self.round.row()


Route = Task | Round


def _final(picture: Picture | None) -> Final | None:
    return None if picture is None else Final(picture.text, picture.state, picture.files)
