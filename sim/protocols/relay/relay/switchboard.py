"""What all parts of the relay share: its books, its clock, and the one way out.

A handler changes the books at once, without a gap, and puts what is to be sent into
one queue; whoever comes first empties it. So whatever frames and timers the relay is
interrupted by, peers hear of things in the order in which they were decided (DR-16).
"""

from __future__ import annotations

from collections import deque
from typing import Any

from sim.core.actor import Actor
from sim.core.op import Close, Connection, Note, Op, Send, StartTimer, StopTimer
from sim.protocols.relay.codes import ERROR_CODES
from sim.protocols.relay.constants import RELAY
from sim.protocols.relay.frames import Error, RelayBody, shape_of
from sim.protocols.relay.intake import made
from sim.protocols.relay.parse import Opened
from sim.protocols.relay.relay.ingress import Books, Moment
from sim.protocols.relay.relay.owners import Owners
from sim.protocols.relay.relay.plan import RelayPlan
from sim.protocols.relay.relay.sessions import Session
from sim.protocols.relay.relay.texts import TEXTS
from sim.protocols.relay.relay.work import Job
from sim.wire.absent import ABSENT
from sim.wire.linkage import JsonObject
from sim.wire.message import Message


class Alarm:
    """A timer that is due at an instant, however long it takes until it is set."""

    __slots__ = ("background", "due_us", "key", "kind")

    def __init__(self, kind: str, key: str, due_us: int, background: bool) -> None:
        self.kind = kind
        self.key = key
        self.due_us = due_us
        self.background = background

    def at(self, now_us: int) -> StartTimer:
        """The op that sets it."""
        after_us = max(0, self.due_us - now_us)
        return StartTimer(self.kind, self.key, after_us, background=self.background)


class Switchboard:
    """The relay's memory of one life, and what it has to say."""

    __slots__ = (
        "_is_sending",
        "_out",
        "actor",
        "books",
        "conns",
        "owners",
        "plan",
        "port",
        "rules",
    )

    def __init__(self, actor: Actor, plan: RelayPlan) -> None:
        self.actor = actor
        self.port = actor.port
        self.plan = plan
        self.rules = plan.rules
        self.books = Books(rules=plan.rules, limits=plan.limits)
        self.owners = Owners()
        self.conns: dict[str, Connection] = {}
        self._out: deque[Op[Any] | Alarm] = deque()
        self._is_sending = False

    def now(self) -> Moment:
        """The present instant."""
        return Moment(self.port.now_us(), self.port.now_ms())

    # -- what is to be done, in order -------------------------------------------

    def put(self, op: Op[Any]) -> None:
        """Any op, in its turn."""
        self._out.append(op)

    def forward(self, name: str, frame: Message) -> None:
        """A frame for a session, as it is; for one that is over, nothing."""
        conn = self.conns.get(name)
        if conn is None:
            return
        self._out.append(Send(conn, frame))
        if not self.rules.only_heard_frames_count:
            session = self.books.sessions.get(name)
            if session is not None:
                session.hear(self.port.now_us())

    def tell(self, name: str, body: RelayBody, request_id: str) -> None:
        """A frame of the relay's own for a session."""
        if name in self.conns:
            self.forward(name, made(self.port, body, RELAY, request_id))

    def refuse(self, name: str, request_id: str, code: str, text: str = "", **facts: Any) -> None:
        """An error frame; ``facts`` are further fields of it, as far as they are known."""
        self.tell(name, error(code, text, **facts), request_id)

    def fail(self, job: Job, code: str) -> None:
        """The terminal frame of a command that the relay ends."""
        about = "" if code == "command_timed_out" else job.tab
        facts: dict[str, Any] = {"action": job.action, "node_id": job.node_id}
        facts["tab_session_id"] = about
        self.refuse(job.session, job.request_id, code, **facts)

    def own_id(self) -> str:
        """A requestId for a command of the relay's own that no controller's answer has."""
        id = self.port.new_frame_id()
        while self.books.is_taken(id):
            id = self.port.new_frame_id()
        return id

    def hang_up(self, session: Session, code: int, reason: str) -> None:
        """Close a socket."""
        conn = self.conns.get(session.name)
        if conn is not None:
            self.put(Close(conn, code, reason))

    def note(self, what: str, **data: Any) -> None:
        """A fact for the trace that no frame tells."""
        self.put(Note(what, data))

    def alarm(self, kind: str, key: str, due_us: int, background: bool = False) -> None:
        """Set a timer, or set it anew."""
        self._out.append(Alarm(kind, key, due_us, background))

    def calm(self, kind: str, key: str) -> None:
        """Stop a timer."""
        self.put(StopTimer(kind, key))

    async def flush(self) -> None:
        """Do it all; who finds it being done already has nothing to do."""
        if self._is_sending:
            return
        self._is_sending = True
        while self._out:
            op = self._out.popleft()
            await self.actor.perform(op.at(self.port.now_us()) if isinstance(op, Alarm) else op)
        self._is_sending = False


def passed_on(opened: Opened) -> Message:
    """A frame as it came, on its way to the other side."""
    original = opened.original
    return original if type(original) is Message else wired(opened, opened.wire)


def wired(opened: Opened, wire: JsonObject) -> Message:
    """A frame that came, with another object in it."""
    shape, ts = shape_of(wire), opened.ts or 0
    return Message(opened.type, opened.request_id, ts, None, wire, shape, opened.sender)


def error(code: str, text: str = "", **facts: Any) -> Error:
    """An error of the relay's by its code; a fact that is no text is left out."""
    told = ERROR_CODES[code]
    known = {name: one for name, one in facts.items() if isinstance(one, str) and one}
    retryable = True if told.retryable else ABSENT
    said = text or TEXTS[code]
    return Error(category=told.category, code=code, message=said, retryable=retryable, **known)
