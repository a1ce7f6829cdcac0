"""The relay as an actor: which part deals with what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim.core.actor import Actor, CloseReason, Port
from sim.core.http import HttpRequest, HttpResponse
from sim.core.op import Connection, Frame
from sim.protocols.relay.acts import RemoveController
from sim.protocols.relay.constants import NODE
from sim.protocols.relay.frames import EVENTS, Pong
from sim.protocols.relay.intake import opened
from sim.protocols.relay.parse import Opened, RelayRefused
from sim.protocols.relay.relay.cancelling import Cancelling
from sim.protocols.relay.relay.commanding import BUDGET, Commanding
from sim.protocols.relay.relay.errands import Errands
from sim.protocols.relay.relay.farewell import POISON_CODE, SESSION_TIMER, Farewell
from sim.protocols.relay.relay.handshake import Handshake
from sim.protocols.relay.relay.ingress import LISTENER_UPDATE, Moment, frame_fault
from sim.protocols.relay.relay.locking import LEASE, Locking
from sim.protocols.relay.relay.plan import RelayPlan
from sim.protocols.relay.relay.sessions import Session
from sim.protocols.relay.relay.streaming import Streaming
from sim.protocols.relay.relay.switchboard import Switchboard
from sim.protocols.relay.relay.tokens import Tokens
from sim.protocols.relay.relay.web import Web

Handler = Callable[[Session, Opened, Moment], None]

CANCELLATION_REJECTED = "cancellation_rejected"


class Relay(Actor):
    """The relay between controllers and the browsers of nodes.

    It handles one input at a time (DR-16); only looking at a token takes its time.
    """

    ONE_AT_A_TIME = True

    __slots__ = (
        "_cancelling",
        "_commanding",
        "_farewell",
        "_frames",
        "_handshake",
        "_locking",
        "_streaming",
        "_web",
        "board",
        "plan",
    )  # fmt: skip

    def __init__(self, port: Port, plan: RelayPlan) -> None:
        super().__init__(port)
        self.plan = plan
        self.board = board = Switchboard(self, plan)
        errands = Errands(board)
        self._streaming = streaming = Streaming(board, errands)
        self._commanding = commanding = Commanding(board, errands, streaming)
        self._cancelling = cancelling = Cancelling(board, commanding, streaming)
        self._locking = locking = Locking(board, commanding)
        self._farewell = Farewell(board, commanding, errands, locking, streaming)
        tokens = Tokens(board)
        self._web = Web(board, tokens)
        self._handshake = handshake = Handshake(board, errands, self._farewell, tokens)
        self._frames: dict[str, Handler] = {
            "hello": lambda session, opened, _: handshake.hello(session, opened),
            "refresh": lambda session, opened, _: handshake.refresh(session, opened),
            "command": commanding.command,
            "result": lambda session, opened, _: commanding.answer(session, opened),
            "error": lambda session, opened, _: commanding.answer(session, opened),
            "event": self._event,
            "ping": self._ping,
            "tab_lock": locking.lock,
            "tab_unlock": locking.unlock,
            "command_cancel": lambda session, opened, _: cancelling.cancel(session, opened),
        }

    async def on_open(self, conn: Connection) -> None:
        self.board.conns[conn.name] = conn
        self._handshake.open(conn.name)
        await self.board.flush()

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        session = self.board.books.sessions.get(conn.name)
        if session is not None:
            self._farewell.end(session, "close")
        await self.board.flush()

    async def on_timer(self, kind: str, key: str) -> None:
        now = self.board.now()
        if kind == BUDGET:
            self._commanding.due(key, now)
        elif kind == LEASE:
            self._locking.due(now)
        elif kind == SESSION_TIMER:
            session = self.board.books.sessions.get(key)
            if session is not None:
                self._farewell.due(session, now)
        await self.board.flush()

    async def on_act(self, act: Any) -> None:
        """Whoever runs the relay removes a controller."""
        if not isinstance(act, RemoveController):
            raise LookupError(f"{self.port.name} is a relay and cannot do {act!r}")
        self._handshake.remove(act.identity)
        await self.board.flush()

    async def on_call(self, caller: str, request: Any) -> HttpResponse:
        """A request over HTTP."""
        if not isinstance(request, HttpRequest):
            raise LookupError(f"{self.port.name} has no API for {request!r} from {caller}")
        response = self._web.answer(request)
        await self.board.flush()
        return response

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        """Every frame that can be read is a sign of life, even one that is refused."""
        session = self.board.books.sessions.get(conn.name)
        if session is None:
            return
        found, now = opened(frame), self.board.now()
        if isinstance(found, RelayRefused):
            self._unreadable(session, found, now)
        else:
            session.hear(now.us)
            if self._take(session, found, now):
                await self._handshake.auth(session, found)
        await self.board.flush()

    def _unreadable(self, session: Session, refused: RelayRefused, now: Moment) -> None:
        """What is no envelope, or none of this protocol: told to its sender alone (DR-22)."""
        if refused.code != "invalid_json":
            session.hear(now.us)
        self.board.refuse(session.name, refused.request_id, refused.code, refused.error or "")
        if not self.plan.rules.poison_stays_with_sender:
            for one in self.board.books.sessions.all():
                self._farewell.close(one, "close", POISON_CODE, "internal error")

    def _take(self, session: Session, found: Opened, now: Moment) -> bool:
        """All that a frame does at once; whether it shows a token, which takes its time."""
        fault = frame_fault(self.board.books, session, found, now)
        if fault is not None:
            self.board.refuse(session.name, found.request_id, fault.code, fault.text)
            return False
        if found.type == "auth":
            return True
        handler = self._frames.get(found.type)
        if handler is not None:
            handler(session, found, now)
        return False

    def _ping(self, session: Session, found: Opened, now: Moment) -> None:
        self.board.tell(session.name, Pong(ok=True), found.request_id)

    def _event(self, session: Session, found: Opened, now: Moment) -> None:
        """A node's event: an update, a word about a cancel, or progress."""
        kind = found.wire["payload"]["type"]
        if kind == LISTENER_UPDATE:
            self._streaming.update(session, found)
        elif kind == CANCELLATION_REJECTED:
            self._cancelling.rejected(session, found)
        elif kind in EVENTS and NODE not in EVENTS[kind].SENDERS:
            self.board.refuse(session.name, found.request_id, "forbidden_role")
        else:
            self._commanding.progress(session, found)
