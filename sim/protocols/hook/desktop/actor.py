"""The desktop as the world sees it: which handler takes what."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from sim.core.actor import CloseReason
from sim.core.op import Connection, Frame, Note
from sim.protocols.hook import Refused
from sim.protocols.hook.desktop import (
    admission,
    agent,
    connection,
    continuation,
    interactions,
    progress,
    queries,
    sessions,
    turns,
)
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.intake import checked
from sim.protocols.hook.desktop.records import Lane

Handler = Callable[[Desk, Lane, Any], Awaitable[None]]


async def _ping(desk: Desk, lane: Lane, _: Any) -> None:
    await connection.pong(desk, lane)


async def _cancel(desk: Desk, lane: Lane, frame: Any) -> None:
    await admission.cancel(desk, lane, frame.request_id)


# Taken in every state of the connection.
ALWAYS: dict[str, Handler] = {
    "ping": _ping,
    "welcome": connection.welcomed,
    "task.dispatch": admission.dispatch,
    "query.request": queries.answer,
}
# Dropped unless the lane is ready (section 3).
WHEN_READY: dict[str, Handler] = {
    "task.cancel": _cancel,
    "session.archive": sessions.archive,
    "interaction.decision": interactions.decided,
}


class Desktop(Desk):
    """The twin of a desktop client with a scripted agent on it.

    Made anew for each life of its host: ``Desktop(port, config)``. Sessions,
    finished results, folder list and account come from the durable store;
    running turns, queues, cards and continuations do not survive.
    """

    __slots__ = ()

    async def on_start(self) -> None:
        """Connect every lane."""
        await connection.dial_all(self)

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        """Whatever arrives counts as life; only good and known frames have an effect."""
        lane = self.lanes.get(conn.lane)
        if lane is None:
            return
        if lane.conn is not conn:
            if not connection.is_new(lane, conn):
                return
            await connection.opened(self, lane, conn)
        lane.last_frame_us = self.port.now_us()
        message = checked(frame)
        if isinstance(message, Refused):
            fact = {"link": conn.name, "error": message.error, "path": message.path}
            await self.perform(Note("bad-frame", fact))
            return
        handler = ALWAYS.get(message.type)
        if handler is None and lane.is_ready and not self.is_closing:
            handler = WHEN_READY.get(message.type)
        if handler is not None:
            await handler(self, lane, message.body)

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        """A socket is gone."""
        lane = self.lanes.get(conn.lane)
        if lane is not None:
            await connection.closed(self, lane, conn, close)

    async def on_timer(self, kind: str, key: str) -> None:
        """Lane timers are keyed by lane, the others by turn, card or session."""
        if kind == "heartbeat":
            await connection.heartbeat(self, self.lanes[key])
        elif kind == "dial":
            await connection.dial(self, self.lanes[key])
        elif kind == "progress":
            await progress.due(self, key)
        elif kind == "card":
            await interactions.timed_out(self, key)
        elif kind == "local":
            await continuation.local_over(self, key)
        elif kind == "poll":
            await turns.poll(self, key)

    async def on_act(self, act: Any) -> None:
        """The scenario directs the person or the agent."""
        await agent.direct(self, act)
