"""The server as an actor: which handler deals with what."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from sim.core.actor import Actor, CloseReason, Port
from sim.core.op import Connection, Frame, Save, Send
from sim.protocols.hook.acts import Adopt, ChangeFeature
from sim.protocols.hook.frames import Ping, Pong
from sim.protocols.hook.intake import checked, made
from sim.protocols.hook.server.accounts.books import Books
from sim.protocols.hook.server.accounts.rows import FeaturesRow
from sim.protocols.hook.server.calling import Calling
from sim.protocols.hook.server.cards import Cards
from sim.protocols.hook.server.delivery import Delivery
from sim.protocols.hook.server.expiry import Expiry
from sim.protocols.hook.server.handshake import Handshake
from sim.protocols.hook.server.inbox import Inbox
from sim.protocols.hook.server.memory import Memory, Socket, is_bad_token
from sim.protocols.hook.server.plan import ServerPlan
from sim.protocols.hook.server.recovery import Recovery
from sim.protocols.hook.server.requests import Requests
from sim.protocols.hook.server.rounds import Rounds
from sim.protocols.hook.server.tasks import Task
from sim.protocols.hook.server.turns import Turns
from sim.protocols.hook.server.writing import Writing
from sim.wire.result import Refused

Handler = Callable[[Socket, Any], Awaitable[None]]

UNAUTHORIZED = 401
BEFORE_HELLO = ("hello", "ping", "pong")


class Server(Actor):
    """The hook server between chat channels and desktops."""

    __slots__ = (
        "_expiry", "_frames", "_handshake", "_inbox", "_recovery", "_requests", "_writing", "books",
        "memory", "plan",
    )  # fmt: skip

    def __init__(self, port: Port, plan: ServerPlan) -> None:
        super().__init__(port)
        self.plan = plan
        self.memory = memory = Memory(plan)
        calling = Calling(self, plan)
        self._writing = writing = Writing(self, plan, Delivery(self, memory, plan), calling)
        cards = Cards(self, memory, plan, writing)
        self.books = books = Books(self, memory, plan, writing)
        writing.quotes = books.behaviors.quote_of
        self._requests = requests = Requests(self, memory, plan, writing, cards, books.briefing)
        rounds = Rounds(self, memory, plan, writing, requests)
        turns = Turns(memory, plan, writing, requests, rounds)
        self._handshake = Handshake(self, memory, plan, requests, rounds, books)
        self._inbox = Inbox(self, memory, plan, writing, requests, cards, books)
        self._expiry = Expiry(self, memory, plan)
        self._recovery = Recovery(self, memory, plan, writing, requests, rounds, cards, self._inbox)
        self._frames: dict[str, Handler] = {
            "hello": self._handshake.hello,
            "ping": self._ping,
            "pong": self._handshake.pong,
            "task.ack": requests.ack,
            "turn.progress": turns.progress,
            "turn.end": turns.end,
            "turn.reopen": rounds.reopen,
            "interaction.request": cards.request,
            "interaction.cancel": cards.cancel,
        }

    async def on_start(self) -> None:
        self._read_features()
        self._writing.calling.read()
        self.books.read()
        await self._recovery.run()
        await self.books.resume()
        await self._expiry.plan_next()

    def refusal_of(self, conn: Connection) -> int:
        """401 for whoever shows a token that is none; who shows nothing has to say hello first."""
        return UNAUTHORIZED if is_bad_token(conn.info) else 0

    async def on_open(self, conn: Connection) -> None:
        await self._handshake.opened(conn)

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        await self._handshake.closed(conn)

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        """Every frame is a sign of life, even one that the parser refuses."""
        socket = self.memory.sockets.get(conn.name)
        if socket is None:
            return
        socket.heard_us = self.port.now_us()
        desk = socket.desk
        if desk is not None and desk.rival is not None and desk.socket is socket:
            await self._handshake.alive(desk)
        message = checked(frame)
        if isinstance(message, Refused):
            await self._handshake.bad_frame(socket, message.error, message.path)
            return
        kind = message.type
        handler = self._frames.get(kind)
        if handler is None:
            if socket.desk is not None:
                await self.books.handle(socket, kind, message.body)
        elif socket.desk is not None or kind in BEFORE_HELLO:
            await handler(socket, message.body)

    async def on_act(self, act: Any) -> None:
        """The operator: another version of the server is deployed (welcomes list other features
        from now on), or a device is given to somebody."""
        if isinstance(act, ChangeFeature):
            offer = self.memory.offer
            offer.change(act.feature, act.on)
            await self.perform(Save("features", FeaturesRow(offer.features)))
        elif isinstance(act, Adopt):
            self.books.adopt(act.lane, act.person, act.device)

    def _read_features(self) -> None:
        row = self.port.store.get("features")
        if row is not None:
            self.memory.offer.features = row.features

    async def _ping(self, socket: Socket, body: Ping) -> None:
        """A ping must be answered, in every state (HK-51)."""
        await self.perform(Send(socket.conn, made(self.port, Pong())))

    async def on_timer(self, kind: str, key: str) -> None:
        if kind == "idle":
            await self._handshake.idle(key)
        elif kind == "probe":
            await self._handshake.probed(key)
        elif kind == "absent":
            lane, _, device = key.partition("/")
            await self._requests.absent(self.memory.desk(lane, device))
        elif kind == "expiry":
            await self._expiry.sweep()
        elif kind == "cancel":
            task = self.memory.routes.get(key)
            if type(task) is Task and task.cancel:
                await self._requests.send_cancel(task, patient=False)
        elif kind == "again":
            await self._again(key)
        else:
            await self.books.due(kind, key)

    async def _again(self, about: str) -> None:
        subject = self.memory.routes.get(about) or self.memory.cards.get(about)
        if subject is not None:
            await self._writing.assert_again(subject.line)

    async def on_call(self, caller: str, request: Any) -> Any:
        """A channel's webhook event."""
        if caller not in self.plan.channels:
            return await super().on_call(caller, request)
        return await self._inbox.take(caller, request)
