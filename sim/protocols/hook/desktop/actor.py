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
    behavior,
    connection,
    continuation,
    delivery,
    group_window,
    interactions,
    preferences,
    progress,
    provider_binding,
    queries,
    sessions,
    slack_binding,
    tools,
    turns,
    unanswered,
)
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Lane
from sim.protocols.hook.intake import checked

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
    "turn.delivery": delivery.reported,
    "bind.update": slack_binding.updated,
    "bind.state": slack_binding.listed,
    "prefs.state": preferences.told,
    "tool.response": tools.told,
}
# Likewise, and only on the lanes of Telegram and X.
WHERE_NEUTRAL: dict[str, Handler] = {
    "provider.bind.update": provider_binding.told,
    "provider.bind.state": provider_binding.told,
    "provider.prefs.state": preferences.provider_told,
    "provider.behavior.state": behavior.told,
    "group.message": group_window.received,
}
# Timers that are about a lane, and about something else.
LANE_TIMERS: dict[str, Callable[[Desk, Lane], Awaitable[None]]] = {
    "heartbeat": connection.heartbeat,
    "dial": connection.dial,
    "attempt": provider_binding.expired,
    "sign in": slack_binding.gave_up,
    "first bind": slack_binding.first_bind,
}
TIMERS: dict[str, Callable[[Desk, str], Awaitable[None]]] = {
    "progress": progress.due,
    "tick": progress.tick,
    "card": interactions.timed_out,
    "local": continuation.local_over,
    "poll": turns.poll,
    "replay": delivery.due,
    "ask": unanswered.timed_out,
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
            if lane.conn is not conn:
                return  # it was lost again before its first frame could be looked at
        lane.last_frame_us = self.port.now_us()
        message = checked(frame)
        if isinstance(message, Refused):
            fact = {"link": conn.name, "error": message.error, "path": message.path}
            await self.perform(Note("bad-frame", fact))
            return
        handler = ALWAYS.get(message.type)
        if handler is None and lane.is_ready and not self.is_closing:
            handler = WHEN_READY.get(message.type)
            if handler is None and lane.name != "slack":
                handler = WHERE_NEUTRAL.get(message.type)
        if handler is not None:
            await handler(self, lane, message.body)

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        """A socket is gone."""
        lane = self.lanes.get(conn.lane)
        if lane is not None:
            await connection.closed(self, lane, conn, close)

    async def on_timer(self, kind: str, key: str) -> None:
        """Lane timers are keyed by lane, the others by turn, card, session or request."""
        of_lane = LANE_TIMERS.get(kind)
        if of_lane is not None:
            await of_lane(self, self.lanes[key])
        else:
            await TIMERS[kind](self, key)

    async def on_act(self, act: Any) -> None:
        """The scenario directs the person or the agent."""
        await agent.direct(self, act)
