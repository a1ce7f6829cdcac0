"""Connections: hello and welcome, two sockets of one device, heartbeat, farewell.

A device has one place per lane (:class:`~.tasks.Desk`). A second socket probes
the first with a ping: any application frame from it within ``probe_us`` and
the newcomer is sent away with 4000 and the exact reason (RC-76), else it takes
the place (RC-75). Whoever leaves a place, leaves its open rounds to close-out.
"""

from __future__ import annotations

from typing import Any

from sim.core.actor import Actor
from sim.core.op import Close, Note, Send, StartTimer, StopTimer
from sim.protocols.hook.constants import HOOK_FEATURE_TURN_DELIVERY
from sim.protocols.hook.frames import Hello, Pong, Welcome
from sim.protocols.hook.intake import made
from sim.protocols.hook.machine import CLOSED, CONNECTION, PROBING, WELCOMING
from sim.protocols.hook.server.accounts.books import Books
from sim.protocols.hook.server.memory import Memory, Socket
from sim.protocols.hook.server.plan import ALREADY_CONNECTED, ServerPlan
from sim.protocols.hook.server.pulse import ping
from sim.protocols.hook.server.requests import Requests
from sim.protocols.hook.server.rounds import Rounds
from sim.protocols.hook.server.tasks import CloseOut, Desk
from sim.wire.absent import ABSENT

STANDBY_CODE = 4000
REPLACED_CODE = 4001
SILENT_CODE = 1001
FAILED_CODE = 1011


class Handshake:
    """The server's book of connections."""

    __slots__ = ("_plain", "actor", "books", "memory", "plan", "requests", "rounds")

    def __init__(
        self,
        actor: Actor,
        memory: Memory,
        plan: ServerPlan,
        requests: Requests,
        rounds: Rounds,
        books: Books,
    ) -> None:
        self.actor = actor
        self.memory = memory
        self.plan = plan
        self.requests = requests
        self.rounds = rounds
        self.books = books
        self._plain: dict[tuple[str, ...], tuple[str, ...]] = {}

    async def opened(self, conn: Any) -> None:
        """A client connected; it has to say hello."""
        self.memory.sockets[conn.name] = Socket(conn, self.actor.port.now_us())
        after = self.plan.limits.ping_after_us
        await self.actor.perform(StartTimer("idle", conn.name, after, background=True))

    async def hello(self, socket: Socket, body: Hello) -> None:
        """Handle ``hello``: the latest one counts, whole and at once (HK-50)."""
        desk = self.memory.desk(self.plan.lane(socket.conn.lane), body.device_id)
        old = socket.desk
        socket.hello = body
        socket.desk = desk
        if old is not None and old is not desk:
            await self._vacate(socket, old)
        if socket.state == CLOSED or socket.hello is not body:
            return  # a hello that came meanwhile has been dealt with
        current = desk.socket
        if current is None or current is socket:
            await self._welcome(socket)
        elif desk.rival is not socket:
            await self._contend(socket, current)

    # -- two sockets -----------------------------------------------------------

    async def _contend(self, socket: Socket, current: Socket) -> None:
        desk = socket.desk
        assert desk is not None
        earlier, desk.rival = desk.rival, socket
        socket.state = CONNECTION.step(socket.state, "contend")
        if earlier is not None:
            await self._refuse(earlier)
        after = self.plan.limits.probe_us
        await self.actor.perform(StartTimer("probe", socket.conn.name, after))
        if desk.rival is socket:
            await ping(self.actor, current)

    async def alive(self, desk: Desk) -> None:
        """The first of two sockets showed life: the second has to wait (standby)."""
        rival, desk.rival = desk.rival, None
        if rival is not None:
            self._forget(rival)  # before anything else of it can be heard
            await self.actor.perform(StopTimer("probe", rival.conn.name))
            await self._refuse(rival)

    async def probed(self, name: str) -> None:
        """The first socket showed no life: it is replaced."""
        socket = self.memory.sockets.get(name)
        if socket is None or socket.desk is None or socket.desk.rival is not socket:
            return
        desk = socket.desk
        dead = desk.socket
        torn = [] if dead is None else self._forget(dead)
        # The place is taken at once: a third socket has to contend with this one.
        desk.socket, desk.rival = socket, None
        if dead is not None:
            await self.actor.perform(Close(dead.conn, REPLACED_CODE, "replaced"))
            await self._farewell(dead, torn)
        if desk.socket is socket and socket.state == PROBING:
            await self._welcome(socket)

    async def _refuse(self, socket: Socket) -> None:
        self._forget(socket)
        await self.actor.perform(Close(socket.conn, STANDBY_CODE, ALREADY_CONNECTED))
        await self.actor.perform(StopTimer("idle", socket.conn.name))

    # -- welcome ---------------------------------------------------------------

    async def _welcome(self, socket: Socket) -> None:
        """Answer a hello; only behind the welcome may tasks follow (RC-33)."""
        if not CONNECTION.can(socket.state, "hello"):
            return
        socket.state = CONNECTION.step(socket.state, "hello")
        desk = socket.desk
        assert desk is not None
        desk.socket = socket
        desk.account = socket.account
        overtaken, desk.rival = desk.rival, None
        self.memory.welcome_serial += 1
        serial = socket.serial = self.memory.welcome_serial
        offer = socket.offered = self._offer(socket, desk.lane)
        welcome = made(self.actor.port, Welcome(server_name=self.plan.name, features=offer))
        sent = await self.actor.perform(Send(socket.conn, welcome))
        if overtaken is not None and overtaken is not socket:
            await self._refuse(overtaken)
        if socket.serial != serial or socket.state != WELCOMING:
            return  # a newer hello is being answered, or the socket is gone
        if not sent:
            await self.drop(socket, FAILED_CODE, "welcome failed")
            return
        socket.state = CONNECTION.step(socket.state, "welcome")
        await self.books.welcomed(socket)
        await self.requests.redeliver(socket)

    def _offer(self, socket: Socket, lane: str) -> tuple[str, ...]:
        """What this welcome lists: receipts only where this very hello asked (RC-50, RC-51).

        A desktop that sees the feature repeats its ends until it is told that they
        arrived, whether it understands the telling or not.
        """
        offer = self.memory.offer.on(lane)
        wanted = socket.hello.features
        if not self.plan.rules.delivery_where_asked or (
            wanted is not ABSENT and HOOK_FEATURE_TURN_DELIVERY in wanted
        ):
            return offer
        plain = self._plain.get(offer)
        if plain is None:
            plain = tuple(f for f in offer if f != HOOK_FEATURE_TURN_DELIVERY)
            self._plain[offer] = plain
        return plain

    # -- heartbeat -------------------------------------------------------------

    async def idle(self, name: str) -> None:
        """Ping a socket that is silent, close one that stays silent (RC-77)."""
        socket = self.memory.sockets.get(name)
        if socket is None:
            return
        limits = self.plan.limits
        silence = self.actor.port.now_us() - socket.heard_us
        if silence >= limits.silent_after_us:
            await self.drop(socket, SILENT_CODE, "silent")
            return
        after = limits.ping_after_us - silence
        if after <= 0:
            await ping(self.actor, socket)
            after = min(limits.ping_after_us, limits.silent_after_us - silence)
        if socket.state != CLOSED:
            await self.actor.perform(StartTimer("idle", name, after, background=True))

    async def pong(self, socket: Socket, body: Pong) -> None:
        """A ping was answered: what was sent before it has arrived."""
        socket.pongs += 1
        await self.requests.archives_arrived(socket)

    # -- farewell --------------------------------------------------------------

    async def closed(self, conn: Any) -> None:
        """The connection is gone, by the peer's doing or the network's."""
        socket = self.memory.sockets.get(conn.name)
        if socket is not None:
            torn = self._forget(socket)
            await self.actor.perform(StopTimer("idle", conn.name))
            await self._farewell(socket, torn)

    async def drop(self, socket: Socket, code: int, reason: str) -> None:
        """Close a connection ourselves."""
        if socket.state == CLOSED:
            return
        torn = self._forget(socket)
        await self.actor.perform(Close(socket.conn, code, reason))
        await self._farewell(socket, torn)

    def _forget(self, socket: Socket) -> list[CloseOut]:
        """The part that must not have a gap: nobody finds the socket any more."""
        if socket.state != CLOSED:
            socket.state = CONNECTION.step(socket.state, "close")
        self.memory.sockets.pop(socket.conn.name, None)
        desk = socket.desk
        if desk is not None and desk.socket is socket:
            self._left(desk)
            if desk.rival is not None and not self.plan.rules.teardown_per_socket:
                return []  # the device is here, so why end anything (RC-03)
        return self.rounds.tear(socket)

    def _left(self, desk: Desk) -> None:
        """Nobody sits there any more, as of now: timers of older absences do not count."""
        desk.socket = None
        desk.left_us = self.actor.port.now_us()

    async def _farewell(self, socket: Socket, torn: list[CloseOut]) -> None:
        """What follows from a lost connection: close-outs, and the next in line."""
        await self.rounds.close_out(torn)
        if socket.desk is not None:
            await self._contends_no_more(socket, socket.desk)
            await self._leave_desk(socket, socket.desk)

    async def _vacate(self, socket: Socket, desk: Desk) -> None:
        """A hello named another device: the old place is free, without a gap."""
        torn = self.rounds.tear(socket)
        if desk.socket is socket:
            self._left(desk)
        await self._contends_no_more(socket, desk)
        await self.rounds.close_out(torn)
        await self._leave_desk(socket, desk)

    async def _contends_no_more(self, socket: Socket, desk: Desk) -> None:
        if desk.rival is socket:
            desk.rival = None
            await self.actor.perform(StopTimer("probe", socket.conn.name))

    async def _leave_desk(self, socket: Socket, desk: Desk) -> None:
        await self.books.lost(socket, desk)
        if desk.socket is not None:
            return  # somebody else holds the place, perhaps since a moment ago
        rival, desk.rival = desk.rival, None
        if rival is not None and rival.state == PROBING:
            desk.socket = rival
            await self.actor.perform(StopTimer("probe", rival.conn.name))
            await self._welcome(rival)
        else:
            await self.requests.start_absence(desk)

    async def bad_frame(self, socket: Socket, error: str, path: str | None) -> None:
        """A frame that the parser refused: it is dropped, the socket stays (HK-34)."""
        data = {"connection": socket.conn.name, "error": error, "path": path}
        await self.actor.perform(Note("bad-frame", data))
