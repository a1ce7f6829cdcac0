"""Asking a desktop for a list: ``query.request`` (§5 stage 6).

A question belongs to the socket that it was asked on, and to nobody after its
time; answers from elsewhere or later are dropped (RC-96). A desktop that is
just reconnecting is waited for a moment before it is called offline, and is
asked again, under a new id, when its connection broke meanwhile.
"""

from __future__ import annotations

import attrs

from sim.core.op import Wait, Wake
from sim.protocols.hook.constants import HOOK_FEATURE_SESSION_PICKER
from sim.protocols.hook.frames import QueryRequest, QueryResponse
from sim.protocols.hook.server.accounts.reach import Reach
from sim.protocols.hook.server.memory import Socket
from sim.protocols.hook.server.tasks import Desk

OFFLINE = "offline"
SILENT = "silent"
UNAVAILABLE = "unavailable"
REFUSED = "refused"


@attrs.frozen
class NoList:
    """Why there is no list."""

    why: str


class _Question:
    """One query.request under way, and its answer once it is there."""

    __slots__ = ("answer", "device", "end_us", "kind", "socket")

    def __init__(self, socket: Socket, kind: str, end_us: int) -> None:
        self.socket = socket
        self.kind = kind
        self.end_us = end_us
        self.device = socket.desk
        self.answer: QueryResponse | None = None


class Queries:
    """The questions that are open."""

    __slots__ = ("_open", "_waiting", "reach")

    def __init__(self, reach: Reach) -> None:
        self.reach = reach
        self._open: dict[str, _Question] = {}
        self._waiting: dict[str, dict[str, None]] = {}

    async def ask(self, desk: Desk, kind: str) -> QueryResponse | NoList:
        """The list, or why there is none, after ``query_us`` at the latest (HK-104)."""
        limits = self.reach.plan.limits
        end_us = self.reach.port.now_us() + limits.query_us
        while True:
            socket = await self._socket(desk, end_us)
            if socket is None:
                return NoList(OFFLINE)
            if kind == "sessions" and not socket.agreed(HOOK_FEATURE_SESSION_PICKER):
                return NoList(UNAVAILABLE)
            answer = await self._ask(socket, kind, end_us)
            if isinstance(answer, QueryResponse):
                return answer if answer.ok else NoList(REFUSED)
            if socket.ready or self.reach.port.now_us() >= end_us:
                return NoList(SILENT)

    async def _socket(self, desk: Desk, end_us: int) -> Socket | None:
        """The desk's connection; a short gap is no absence."""
        socket = self.reach.socket(desk.lane, desk.device)
        if socket is not None:
            return socket
        left = min(self.reach.plan.limits.grace_us, end_us - self.reach.port.now_us())
        if left <= 0 or not self.reach.rules.query_grace:
            return None
        name = self.reach.port.new_id()
        waiting = self._waiting.setdefault(desk.key, {})
        waiting[name] = None
        await self.reach.actor.perform(Wait(f"online {name}", left))
        waiting.pop(name, None)
        if not waiting:
            self._waiting.pop(desk.key, None)
        return self.reach.socket(desk.lane, desk.device)

    async def _ask(self, socket: Socket, kind: str, end_us: int) -> QueryResponse | None:
        query = self.reach.port.new_id()
        question = self._open[query] = _Question(socket, kind, end_us)
        await self.reach.say(socket, QueryRequest(query_id=query, kind=kind))
        left = max(1, end_us - self.reach.port.now_us())
        if question.answer is None and socket.ready:
            await self.reach.actor.perform(Wait(f"query {query}", left))
        self._open.pop(query, None)
        return question.answer

    async def response(self, socket: Socket, body: QueryResponse) -> None:
        """``query.response``: only for an open question, only from where it was asked."""
        query = body.query_id
        question = self._open.get(query)
        if not self.reach.rules.late_answers_dropped and question is None:
            asked = (socket.desk, body.kind)
            mine = (q for q, one in self._open.items() if (one.device, one.kind) == asked)
            query = next(mine, "")
            question = self._open.get(query)
        if question is None:
            return
        is_late = self.reach.port.now_us() > question.end_us  # the timer may be late, too
        if self.reach.rules.late_answers_dropped and (is_late or question.socket is not socket):
            return
        question.answer = body
        await self.reach.actor.perform(Wake(f"query {query}"))

    async def arrived(self, desk: Desk) -> None:
        """A desktop is back: whoever waits for it may ask."""
        for name in tuple(self._waiting.get(desk.key, ())):
            await self.reach.actor.perform(Wake(f"online {name}"))

    async def lost(self, socket: Socket) -> None:
        """A connection is gone, and with it the questions on it."""
        if not self._open:
            return
        for query in [q for q, one in self._open.items() if one.socket is socket]:
            await self.reach.actor.perform(Wake(f"query {query}"))
