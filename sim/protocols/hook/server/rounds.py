"""Continuations: ``turn.reopen``, ownership, and close-out (§5 stage 18).

A message has one claim at a time (``line.claim``): its task, the newest round,
or the close-out of a torn round. A reopen takes the claim, a disconnect turns
an open round's claim into a close-out, and whatever writes must hold the claim
at that very moment. Ids of torn rounds are dead, as requestId and as reopenOf,
for as long as mappings are kept (HK-185).
"""

from __future__ import annotations

from typing import Any

from sim.channel.api import INTERRUPTED as CHIP_INTERRUPTED
from sim.channel.api import WORKING
from sim.core.actor import Actor
from sim.core.op import Note, Save, Spawn
from sim.protocols.hook.constants import HOOK_FEATURE_TURN_REOPEN
from sim.protocols.hook.frames import TurnReopen
from sim.protocols.hook.machine import ENDED, OPEN, REQUEST, ROUND
from sim.protocols.hook.server.line import Picture
from sim.protocols.hook.server.memory import Memory, Socket
from sim.protocols.hook.server.plan import ServerPlan
from sim.protocols.hook.server.requests import Requests
from sim.protocols.hook.server.tasks import CloseOut, Round, Route, Task
from sim.protocols.hook.server.texts import CONTINUING_TEXT, ROUND_INTERRUPTED_TEXT
from sim.protocols.hook.server.writing import Writing


class Rounds:
    """The server's book of continuations."""

    __slots__ = ("actor", "memory", "plan", "requests", "writing")

    def __init__(
        self, actor: Actor, memory: Memory, plan: ServerPlan, writing: Writing, requests: Requests
    ) -> None:
        self.actor = actor
        self.memory = memory
        self.plan = plan
        self.writing = writing
        self.requests = requests

    async def reopen(self, socket: Socket, body: TurnReopen) -> None:
        """Handle ``turn.reopen``. Whatever is not understood is ignored silently (HK-177)."""
        if not socket.ready or HOOK_FEATURE_TURN_REOPEN not in socket.offered:
            return
        request = body.request_id
        bound = self.memory.known(request, self.actor.port.now_us())
        if bound is not None and self.plan.rules.refuse_bound_id:
            await self._refuse(socket, body, bound)
            return
        if socket.early is not None and request in socket.early:
            return
        target = self.memory.known(body.reopen_of, self.actor.port.now_us())
        if target is not None and self._reopenable(socket, target):
            await self._register(socket, body, target)

    async def _refuse(self, socket: Socket, body: TurnReopen, bound: Route) -> None:
        """A repetition has no effect (HK-181); a collision is quarantined (HK-182, HK-183)."""
        if (
            type(bound) is Round
            and bound.reopen_of == body.reopen_of
            and bound.root.desk is socket.desk
        ):
            return
        if self.plan.rules.quarantine:
            if socket.quarantine is None:
                socket.quarantine = {}
            socket.quarantine[body.request_id] = None
        data = {"request": body.request_id, "connection": socket.conn.name}
        await self.actor.perform(Note("reopen-refused", data))

    def _reopenable(self, socket: Socket, target: Route) -> bool:
        root = target.root
        if root.line.is_lost or not self.memory.is_of(socket, root):
            return False
        if not self.writing.manners(root.line).edits:
            return False  # nothing there can be made to run again
        return type(target) is Task or target.state in (OPEN, ENDED)

    async def _register(self, socket: Socket, body: TurnReopen, target: Route) -> None:
        """Give the message to the new round: at once in memory, then stored, then shown."""
        root = target.root
        line = root.line
        older = self._supersede(line.claim)
        self.memory.round_serial += 1
        made = Round(body.request_id, body.reopen_of, root, self.memory.round_serial, socket)
        if socket.rounds is None:
            socket.rounds = {}
        socket.rounds[made.request] = made
        if root.conversation.rounds is None:
            root.conversation.rounds = {}
        root.conversation.rounds[made.request] = made
        self.memory.routes[made.request] = made
        line.claim = made
        await self.actor.perform(Save(made.row_key, made.row()))
        if older is not None:
            await self.actor.perform(Save(older.row_key, older.row()))
        if root.state != ENDED:
            await self._overtake(root)
        elif root.receipt is not None:
            await self.writing.delivery.overtake(root)
        if not made.spoken:
            picture = Picture(made, CONTINUING_TEXT, WORKING, by=made.by)
            await self.writing.show(line, picture)

    def _supersede(self, claim: Any) -> Round | None:
        """The newest reopen owns the message; the older id is dead (RC-06)."""
        if type(claim) is Round and claim.state == OPEN:
            claim.state = ROUND.step(claim.state, "supersede")
            self._leave(claim)
            return claim
        return None

    async def _overtake(self, task: Task) -> None:
        """A task is continued before its end came: only its book-keeping is left (RC-19)."""
        task.state = REQUEST.step(task.state, "reopen")
        task.written = True
        await self.requests.settle(task)

    def _leave(self, over: Round) -> None:
        socket = over.socket
        if socket is not None and socket.rounds is not None:
            socket.rounds.pop(over.request, None)
        rounds = over.root.conversation.rounds
        if rounds is not None:
            rounds.pop(over.request, None)
        over.ended_us = max(1, self.actor.port.now_us())
        self.memory.ended.append((over.ended_us, "round", over.request))

    def progress(self, socket: Socket, over: Round, text: str) -> Picture | None:
        """The picture of a round's progress; None when it does not count."""
        if over.state != OPEN or over.socket is not socket or over.line.claim is not over:
            return None
        over.spoken = True
        return Picture(over, text, WORKING, by=over.by)

    async def end(self, socket: Socket, over: Round, picture: Picture) -> None:
        """``turn.end`` of a round: final, once, in the same message (HK-179)."""
        if over.state != OPEN or over.socket is not socket:
            return
        over.state = ROUND.step(over.state, "end")
        over.spoken = True
        over.final = over.line.terminal = picture
        self._leave(over)
        await self.actor.perform(Save(over.row_key, over.row()))
        await self.writing.show(over.line, picture)

    def tear(self, socket: Socket) -> list[CloseOut]:
        """A connection is gone: end its open rounds, at once and without a gap (HK-184)."""
        open_rounds = list((socket.rounds or {}).values())
        socket.rounds = None
        return [self.tear_round(over) for over in open_rounds]

    def tear_round(self, over: Round) -> CloseOut:
        """Turn a round's claim into its close-out."""
        over.state = ROUND.step(over.state, "disconnect")
        self._leave(over)
        claim = CloseOut(over)
        over.line.claim = claim
        return claim

    async def close_out(self, torn: list[CloseOut]) -> None:
        """Store and write the close-outs, each on its own so that none delays another."""
        for claim in torn:
            await self.actor.perform(Save(claim.row_key, claim.row()))
            if self.plan.rules.close_out:
                name = f"close-out {claim.round.request}"
                await self.actor.perform(Spawn(name, self.write_close_out(claim)))

    async def write_close_out(self, claim: CloseOut) -> None:
        """Write "interrupted" (or the old final text), if the message is still ours."""
        line = claim.round.line
        picture = self._close_out_picture(claim)
        if self.plan.rules.ownership_at_write:
            await self.writing.show(line, picture)
        else:
            await self.writing.write_blindly(line, picture)

    def _close_out_picture(self, claim: CloseOut) -> Picture:
        by = f"close-out of {claim.round.by}"
        old = claim.round.line.terminal
        if self.plan.restore_on_close and old is not None:
            return Picture(claim, old.text, old.state, final=True, files=old.files, by=by)
        return Picture(claim, ROUND_INTERRUPTED_TEXT, CHIP_INTERRUPTED, final=True, by=by)
