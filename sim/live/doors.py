"""The listening side of ``serve``: one path per channel, tokens, clean answers to everybody."""

from __future__ import annotations

import hmac
from typing import Any

import attrs
import trio

from sim.core.event import ConnectionRefused
from sim.core.http import HttpRequest
from sim.core.op import UpgradeRefused
from sim.drivers import upgrade, websocket
from sim.drivers.plain_http import answer_of, read_request
from sim.drivers.upgrade import Answer, Head
from sim.drivers.websocket import ConnectionClosed, Socket
from sim.live.gate import Gate, abort
from sim.live.gateway import Seat
from sim.live.lodging import Lodging
from sim.live.outsider import Outsider
from sim.world.link import End

# Seconds in which a client may say who it is before the world hears of it anyway.
FIRST_S = 1.0
# Seconds in which the world says yes or no; it says nothing when the host crashed meanwhile.
ENTER_S = 10.0
# How often it is looked whether a server that sleeps is awake.
LOOK_S = 0.1
UNAUTHORIZED = 401


class Doors:
    """Takes connections for a house. ``token``: what a desktop has to show ("": nothing).

    While the server's host is down nobody listens; while it sleeps nobody is answered.
    """

    def __init__(self, house: Lodging[Any], nursery: trio.Nursery, token: str = "") -> None:
        self.house = house
        self.paths = house.paths
        self.turned_away = 0
        self._token = token.encode()
        # Its streams are of those who are not in the world yet, so that the world's end of a
        # host cannot reach them.
        self._gate = Gate(house.world, house.server, nursery, self._receive, self._broke)

    async def open(self, host: str, port: int) -> int:
        """Listen; gives the port. Raises UsageError when it is taken."""
        return await self._gate.open(port, "serve", host)

    def _broke(self, error: BaseException) -> None:
        self.house.tell(f"a connection broke: {type(error).__name__}: {error}")

    async def _receive(self, stream: trio.SocketStream) -> None:
        head = await upgrade.read_head(stream, self._no_such_place, self.house.api)
        if head is None:
            return
        if isinstance(head, Head):
            self.house.secrets.shown(head.headers.get("authorization", ""), head.query)
            await self._awake()
            head = await self._told(stream, head) if head.plain else self._door(head)
        if head is None:
            self.turned_away += 1
            abort(stream)
            return
        if isinstance(head, Answer):
            self.turned_away += 1
            await upgrade.answer(stream, head)
            return
        async with trio.open_nursery() as nursery:
            socket = await websocket.welcome(nursery, stream, head)
            if socket is not None:
                info = self.house.ACCOUNT if "authorization" in head.headers else {}
                await self._seat(socket, stream, head, dict(info))
            nursery.cancel_scope.cancel()

    async def _told(self, stream: trio.SocketStream, head: Head) -> Answer | None:
        """The answer to a plain request; None: nobody answers it."""
        request = await read_request(stream, head)
        if request is None:
            return None
        answer: Answer | None = request if isinstance(request, Answer) else None
        if isinstance(request, HttpRequest):
            response = await self.house.ask(request)
            allow = self.house.methods.get(request.path, "")
            answer = None if response is None else answer_of(response, allow)
        return answer and attrs.evolve(answer, is_head=head.plain == "HEAD")

    async def _awake(self) -> None:
        """A machine that sleeps answers nobody before it wakes."""
        house = self.house
        host = house.world.hosts[house.server]
        while True:
            left_us = host.asleep_until - house.driver.now_us()
            if left_us <= 0:
                return
            await trio.sleep(min(left_us / 1_000_000 / house.driver.speed, LOOK_S))

    # -- who gets in ----------------------------------------------------------------------

    def _no_such_place(self, method: str, path: str) -> Answer | None:
        if path not in self.paths:
            return Answer(404, f"nothing is here; connect to {', '.join(self.paths)}")
        if method != "GET":
            return Answer(405, "a WebSocket begins with GET", (("Allow", "GET"),))
        return None

    def _door(self, head: Head) -> Head | Answer | None:
        """The request, if it may come in; None: nobody answers it."""
        lane = self.house.lane_of(head.path, head.query, None)
        if self._token and not self._is_known(head.headers.get("authorization", "")):
            self._record_refusal(lane, UNAUTHORIZED)
            challenge = (("WWW-Authenticate", "Bearer"),)
            return Answer(UNAUTHORIZED, "show the token: Authorization: Bearer …", challenge)
        if not self.house.world.hosts[self.house.server].up:
            self._record_refusal(lane, 0)
            return None
        status = self._fault(lane)
        return Answer(status, "refused, as a fault demands") if status else head

    def _is_known(self, shown: str) -> bool:
        scheme, _, token = shown.partition(" ")
        is_right = hmac.compare_digest(token.strip().encode(), self._token)
        return scheme.lower() == "bearer" and is_right

    def _dialler(self, lane: str) -> str:
        """Whose dial that was, as far as one can tell: the first that is not connected there."""
        outsiders = self.house.callers()
        for name in outsiders:
            if all(link.lane != lane for link in self.house.world.links_of(name)):
                return name
        return outsiders[0] if outsiders else ""

    def _fault(self, lane: str) -> int:
        """The status that a fault has in store for a dial on this lane, used up with it."""
        waiting = self.house.world.refusals
        for place in list(waiting):
            host, _, on = place.rpartition(".")
            if on == lane:
                status = waiting[place].pop(0)
                if not waiting[place]:
                    del waiting[place]
                self._record_refusal(lane, status, host)
                return status
        return 0

    def _record_refusal(self, lane: str, status: int, host: str = "") -> None:
        world = self.house.world
        name = host or self._dialler(lane)
        if name:
            self.house.driver.nudge()
            facts = (f"{name}.{lane}", name, self.house.server, lane, status)
            world.record(ConnectionRefused(world.next_n(), world.now, -1, *facts))

    # -- inside ---------------------------------------------------------------------------

    async def _seat(self, socket: Socket, stream: trio.SocketStream, head: Head, info: Any) -> None:
        """Give a connection its place in the world, as soon as it has said who it is."""
        first: str | bytes | None = None
        try:
            with trio.move_on_after(FIRST_S):
                first = await socket.receive_any()
        except ConnectionClosed:
            return
        house = self.house
        said = first if isinstance(first, str) else None
        lane = house.lane_of(head.path, head.query, said)
        house.driver.nudge()
        name = house.host_for(house.whose(said), lane)
        seat = Seat(socket, house.tell)
        if await self._enter(seat, name, lane, info):
            self._gate.arriving.pop(stream, None)  # what becomes of it is the world's business now
            try:
                await house.gateway.serve(seat, first)
            finally:
                house.left(name)
        else:
            await socket.leave(1013, "the server is not there")

    async def _enter(self, seat: Seat, name: str, lane: str, info: Any) -> bool:
        """Connect in the world; whether it was accepted."""
        house = self.house
        host = house.world.hosts[name]
        done = trio.Event()

        def answered(answer: End | UpgradeRefused | None) -> None:
            if isinstance(answer, End):
                house.gateway.take(seat, answer)
            done.set()

        actor = host.actor
        assert isinstance(actor, Outsider)
        coming = actor.come(house.server, lane, info, answered)
        house.world.start(host, coming, "come", -1)
        house.driver.nudge()
        with trio.move_on_after(ENTER_S):
            await done.wait()
        return seat.end is not None
