"""``turn.progress`` and ``turn.end``: routed by requestId, and by nothing else (HK-15).

Ids that were never registered, that belong to another device, or that this
connection lost the right to use, are ignored silently (HK-178, HK-183).
"""

from __future__ import annotations

from typing import Any

import attrs

from sim.protocols.hook.frames import TurnEnd, TurnProgress
from sim.protocols.hook.machine import REQUEST
from sim.protocols.hook.server.ending import terminal
from sim.protocols.hook.server.memory import Memory, Socket
from sim.protocols.hook.server.plan import ServerPlan
from sim.protocols.hook.server.requests import Requests
from sim.protocols.hook.server.rounds import Rounds
from sim.protocols.hook.server.tasks import Round, Task
from sim.protocols.hook.server.writing import Writing

EARLY_IDS = 64


class Turns:
    """Hands the frames of a turn to its task or its round."""

    __slots__ = ("delivery", "memory", "plan", "requests", "rounds", "writing")

    def __init__(
        self,
        memory: Memory,
        plan: ServerPlan,
        writing: Writing,
        requests: Requests,
        rounds: Rounds,
    ) -> None:
        self.memory = memory
        self.plan = plan
        self.writing = writing
        self.delivery = writing.delivery
        self.requests = requests
        self.rounds = rounds

    async def progress(self, socket: Socket, body: TurnProgress) -> None:
        """Each snapshot replaces the message (HK-42); an empty one says nothing."""
        route = self.memory.routes.get(body.request_id)
        if route is None or not body.text or socket.silences(body.request_id):
            return
        text = self.writing.manners(route.line).fit(body.text)
        if type(route) is Round:
            picture = self.rounds.progress(socket, route, text)
        elif (task := self.memory.owned_task(socket, body.request_id)) is not None:
            picture = await self.requests.progress(task, text)
        else:
            return
        if picture is not None:
            await self.writing.show(route.line, picture)

    async def end(self, socket: Socket, body: TurnEnd) -> None:
        """The result: final, once."""
        request = body.request_id
        if socket.silences(request):
            return
        route = self.memory.routes.get(request)
        if route is None:
            self._remember_early(socket, request)
        elif type(route) is Round:
            await self.delivery.of_round(socket, request)
            picture = terminal(route, body, self.writing.manners(route.line), route.by)
            await self.rounds.end(socket, route, picture)
        elif (task := self.memory.owned_task(socket, request)) is not None:
            await self._end_of_task(socket, task, body)

    async def _end_of_task(self, socket: Socket, task: Task, body: TurnEnd) -> None:
        """Published once; who repeats it is told how far it is (HK-76)."""
        if task.cancel and not self.plan.rules.end_beats_cancel:
            whole: Any = body  # the declarations' decorator hides that it is attrs' own
            body = attrs.evolve(whole, status="cancelled", error_message=None)
        picture = terminal(task, body, self.writing.manners(task.line), task.by)
        if REQUEST.can(task.state, "end"):
            await self.delivery.begin(socket, task)
            await self.requests.end(task, picture)
            return
        await self.delivery.again(socket, task)
        if not self.plan.rules.publish_once and task.line.claim is task:
            await self.requests.publish_again(task, picture)

    def _remember_early(self, socket: Socket, request: str) -> None:
        """An end that came before its reopen: that reopen must not be taken (RC-17)."""
        if socket.early is None:
            socket.early = {}
        socket.early[request] = None
        if len(socket.early) > EARLY_IDS:
            del socket.early[next(iter(socket.early))]
