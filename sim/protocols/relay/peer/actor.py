"""A session with the relay: dial, hello, auth, pings, and again after a loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from sim.core.actor import Actor, CloseReason, Port
from sim.core.op import (
    Close,
    Connection,
    Dial,
    Frame,
    Note,
    Save,
    Send,
    Spawn,
    StartTimer,
    StopTimer,
    UpgradeRefused,
)
from sim.protocols.relay.acts import Act
from sim.protocols.relay.constants import HEARTBEAT_MISSES
from sim.protocols.relay.frames import Auth, Hello, Ping, Pong, RelayBody
from sim.protocols.relay.machine_peer import (
    CONNECTION,
    DIALLING,
    OFFLINE,
    SHOWING,
    WORKING,
)
from sim.protocols.relay.parse import RelayRefused
from sim.protocols.relay.peer.acting import DIRECTED
from sim.protocols.relay.peer.entrance import checked, family_of
from sim.protocols.relay.peer.plan import PeerPlan
from sim.wire.absent import ABSENT, Absent
from sim.wire.message import Message

BROKEN: Final = 1006
MS: Final = 1_000
_ASKS: Final = ("hello", "auth", "refresh")


class Peer(Actor):
    """What a controller and a node do alike; each says in ``take`` what it makes of frames.

    ``session`` counts the sockets of this life, from 1. ``conn`` is the one in use: a
    socket that was given up is not looked at any more.
    """

    __slots__ = (
        "_asked",
        "_dialled_with",
        "attempt",
        "conn",
        "heard_us",
        "is_away",
        "manners",
        "ping_ms",
        "pings",
        "plan",
        "rules",
        "session",
        "state",
        "token",
    )

    ROLE: ClassVar[str]

    def __init__(self, port: Port, plan: PeerPlan) -> None:
        super().__init__(port)
        self.plan = plan
        self.rules = plan.rules
        self.manners = plan.manners
        self.token: str = port.store.get("token") or plan.token
        self.state = OFFLINE
        self.conn: Connection | None = None
        self.session = 0
        self.attempt = 0
        self.heard_us = 0
        self.ping_ms = plan.manners.ping_ms
        self.pings = plan.manners.pings
        self.is_away = not plan.manners.dials
        self._dialled_with: Any = None
        self._asked: dict[str, str] = {}

    # -- what the two roles add

    def greeting(self) -> Hello:
        """What hello says of this peer."""
        raise NotImplementedError(f"{type(self).__name__} says hello in words of its own")

    async def take(self, message: Message) -> None:
        """A good frame that is not about the session itself."""

    async def take_bad(self, refused: RelayRefused, family: str) -> None:
        """A frame of this family that may not be acted on."""

    async def connected(self) -> None:
        """There is a socket, and hello is on its way; for those who cannot wait."""

    def enter(self, ack: Any) -> None:
        """The token is good; what ``ack`` says of it is to be kept, at once."""

    async def began(self) -> None:
        """The session works: what has waited for it can go out."""

    def forget(self) -> None:
        """The session is over: what dies with it is to be dropped, at once."""

    async def ended(self) -> None:
        """The session is over: what follows from it."""

    async def follow(self, act: Act) -> None:
        """An act of this role."""
        raise LookupError(f"{self.port.name} is a {self.ROLE} and cannot {act!r}")

    # -- handlers

    async def on_start(self) -> None:
        """Connect, unless the plan says that somebody else will give the word."""
        if not self.is_away:
            await self.perform(Spawn("dial", self.dial()))

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        """Whatever arrives counts as a sign of life; only good frames have an effect."""
        if self.conn is not conn:
            if not self._is_new(conn):
                return
            await self._opened(conn)
            if self.conn is not conn:
                return  # it was lost before its first frame could be looked at
        self.heard_us = self.port.now_us()
        message = checked(frame)
        if isinstance(message, RelayRefused):
            fact = {"link": conn.name, "error": message.error, "path": message.path}
            await self.perform(Note("bad-frame", fact))
            if self.conn is conn:
                await self.take_bad(message, family_of(frame))
            return
        handler = _SESSION.get(message.type)
        if handler is not None:
            await handler(self, message)
        elif message.type != "error" or not await self._refused(message):
            await self.take(message)

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        """The relay or the network ended a socket; sockets of the past do not matter."""
        if self._is_new(conn):
            self._fire("open")
            self.conn = conn
        if self.conn is conn:
            await self._lost()

    async def on_timer(self, kind: str, key: str) -> None:
        """``dial`` and ``ping``; the roles have others."""
        if kind == "dial":
            await self.dial()
        elif kind == "ping":
            await self._beat()

    async def on_act(self, act: Any) -> None:
        """Somebody directs the person or the program."""
        directed = DIRECTED.get(type(act))
        if directed is None:
            await self.follow(act)
        else:
            await directed(self, act)

    # -- the session

    @property
    def is_ready(self) -> bool:
        """Whether the token has been acknowledged on the present socket."""
        return self.state == WORKING

    def _fire(self, trigger: str) -> None:
        self.state = CONNECTION.step(self.state, trigger)

    def _is_new(self, conn: Connection) -> bool:
        """Whether this is the socket that is just being dialled."""
        return self.state == DIALLING and conn.info is self._dialled_with

    async def dial(self) -> None:
        """One attempt to connect, unless one is under way or the peer wants to stay away."""
        if self.is_away or not CONNECTION.can(self.state, "dial"):
            return
        self._fire("dial")
        # A fresh object for each attempt: it tells this attempt's socket from a stale one.
        self._dialled_with = info = {"role": self.ROLE}
        timeout_us = self.manners.dial_timeout_ms * MS
        answer = await self.perform(Dial(self.plan.relay, self.ROLE, info, timeout_us))
        is_stale = self._dialled_with is not info
        if answer is None or isinstance(answer, UpgradeRefused):
            if not is_stale:
                self._fire("refused")
                await self._come_back_later()
        elif is_stale:
            await self.perform(Close(answer, 1000, "stale dial"))
        elif self.conn is not answer and self.state == DIALLING:
            await self._opened(answer)

    async def _come_back_later(self) -> None:
        """Plan the next attempt; one that is as far off as can be keeps no run going."""
        manners = self.manners
        if not manners.reconnects:
            return
        attempt = self.attempt if self.rules.growing_retries else 0
        delay = manners.first_retry_ms << min(attempt, 30)
        delay = min(delay + self.port.draw(0, manners.jitter_ms), manners.longest_retry_ms)
        self.attempt += 1
        patient = delay == manners.longest_retry_ms
        await self.perform(StartTimer("dial", "", delay * MS, background=patient))

    async def _opened(self, conn: Connection) -> None:
        self.conn = conn
        self.session += 1
        self._fire("open")
        self.heard_us = self.port.now_us()
        await self.ask_relay(self.greeting(), conn)
        if self.manners.pipelined and self.conn is conn:
            await self.show_token()
        if self.conn is conn:
            await self.connected()

    async def show_token(self) -> None:
        """auth, on the present socket."""
        await self.ask_relay(Auth(access_token=self.token))

    async def ask_relay(
        self, body: RelayBody, conn: Connection | None = None, request: str = ""
    ) -> None:
        """Write a frame whose answer is about the session itself."""
        id = request or self.port.new_frame_id()
        self._asked[id] = body.family()
        await self.send(body, id, conn)

    async def _greeted(self, message: Message) -> None:
        """hello_ack: how often to ping, and that the token may be shown."""
        ack: Any = message.body
        if not ack.accepted or not CONNECTION.can(self.state, "hello ack"):
            return
        asked = self._asked.pop(message.id, None)
        first = self.state != SHOWING and not self.is_ready
        self._fire("hello ack")
        if not self.manners.ping_ms:
            self.ping_ms = ack.heartbeat_interval_ms
        if first and asked is not None and not self.manners.pipelined:
            await self.show_token()

    async def _admitted(self, message: Message) -> None:
        """auth_ack: business begins."""
        ack: Any = message.body
        self._asked.pop(message.id, None)
        if not ack.accepted or not CONNECTION.can(self.state, "auth ack"):
            return
        anew = not self.is_ready
        self._fire("auth ack")
        self.attempt = 0
        self.enter(ack)
        if anew:
            conn = self.conn
            await self._plan_ping()
            if self.conn is conn and self.is_ready:
                await self.began()

    async def _refreshed(self, message: Message) -> None:
        """refresh_ack: the next auth shows the new token."""
        ack: Any = message.body
        if self._asked.pop(message.id, None) == "refresh":
            await self.keep_token(ack.access_token)

    async def keep_token(self, token: str) -> None:
        """A restarted program shows the newest token too."""
        self.token = token
        await self.perform(Save("token", token))

    async def _refused(self, message: Message) -> bool:
        """Whether an error was about the session itself. The relay closes what it must."""
        asked = self._asked.pop(message.id, None)
        if asked is None:
            return False
        error: Any = message.body
        await self.perform(Note("refused", {"asked": asked, "code": error.code}))
        return True

    async def _lost(self) -> None:
        self.over("lost")
        await self.perform(StopTimer("ping", ""))
        await self.ended()
        if self.state == OFFLINE and not self.is_away:
            await self._come_back_later()

    def over(self, trigger: str) -> None:
        """The session ends in this very step, whatever follows from it later."""
        self.conn = None
        self._dialled_with = None
        self._asked.clear()
        self._fire(trigger)
        self.forget()

    # -- signs of life

    async def _plan_ping(self) -> None:
        if self.ping_ms and self.rules.pings_in_time:
            await self.perform(StartTimer("ping", "", self.ping_ms * MS, background=True))

    async def _beat(self) -> None:
        """Give up a relay that has been silent for too long, else ping it."""
        conn = self.conn
        if conn is None:
            return
        silence_us = self.port.now_us() - self.heard_us
        limit_us = max(self.manners.silence_ms, HEARTBEAT_MISSES * self.ping_ms) * MS
        if self.pings and self.manners.silence_ms and silence_us >= limit_us:
            await self.perform(Close(conn, BROKEN, "no frames for too long"))
            if self.conn is conn:
                await self._lost()
            return
        await self._plan_ping()
        if self.pings:
            await self.send(Ping(ts=self.port.now_ms()), "", conn)

    async def _pong(self, message: Message) -> None:
        if self.rules.pings_answered:
            await self.send(Pong(ok=True), message.id)

    async def _heard(self, message: Message) -> None:
        """A pong: a sign of life and no more."""

    # -- writing

    async def send(
        self, body: RelayBody, request: str = "", conn: Connection | None = None
    ) -> bool:
        """Write a frame on ``conn``, or on the present socket. → whether it could be written."""
        where = conn or self.conn
        if where is None:
            return False
        id = request or self.port.new_frame_id()
        frame = Message(body.family(), id, self.port.now_ms(), body, sender=self.ROLE)
        return await self.perform(Send(where, frame))


_SESSION: Final[dict[str, Any]] = {
    "hello_ack": Peer._greeted,
    "auth_ack": Peer._admitted,
    "refresh_ack": Peer._refreshed,
    "ping": Peer._pong,
    "pong": Peer._heard,
}


def texts_or_absent(texts: Sequence[str]) -> tuple[str, ...] | Absent:
    """A list that is left out of a frame where it is empty."""
    return tuple(texts) or ABSENT
