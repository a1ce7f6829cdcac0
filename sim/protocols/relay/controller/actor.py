"""The controller as the world sees it: which handler takes what."""

from __future__ import annotations

from typing import Any

from sim.core.actor import Port
from sim.protocols.relay.acts import CONTROLLER_ACTS, Act
from sim.protocols.relay.controller import calls, locks, streams
from sim.protocols.relay.controller.desk import Desk
from sim.protocols.relay.controller.plan import ControllerPlan
from sim.protocols.relay.controller.records import ERROR, EVENT, RESULT, Outcome
from sim.protocols.relay.frames.events import (
    CancelAck,
    ListenerEnded,
    ListenerUpdate,
    LockEvent,
    StreamEnded,
)
from sim.wire.exact import plain_object
from sim.wire.message import Message


class Controller(Desk):
    """The twin of a client program, scripted or in a person's hands.

    Made anew for each life of its host: ``Controller(port, plan)``. Nothing but its
    newest token outlives the process; with a socket end its calls, locks and streams.
    """

    __slots__ = ()

    def __init__(self, port: Port, plan: ControllerPlan) -> None:
        super().__init__(port, plan)

    def outcome(self, request: str) -> Outcome | None:
        """What a call has come to, the last of its tries; None while it has no end.

        The last 200 are remembered.
        """
        found = self.outcomes.get(request)
        while found is not None and found.retried:
            found = self.outcomes.get(found.retried)
        return found

    # -- frames

    async def take(self, message: Message) -> None:
        """Ends of calls, and events."""
        payload = plain_object(message.wire["payload"])
        if message.type == "result":
            call = self.calls.get(message.id)
            if call is not None:
                streams.learn_from(self, call, payload)
            await calls.end(self, message.id, RESULT, payload)
            if call is not None:
                await streams.follow(self, call, payload)
            await self._go_on()
        elif message.type == "error":
            await calls.end(self, message.id, ERROR, payload)
            await self._go_on()
        elif message.type == "event":
            await self._event(message, payload)

    async def _event(self, message: Message, payload: dict[str, Any]) -> None:
        event, request = message.body, message.id
        if isinstance(event, LockEvent):
            await locks.told(self, request, payload["type"], event, payload)
        elif isinstance(event, CancelAck):
            await calls.cancel_acked(self, request, payload)
        elif isinstance(event, ListenerUpdate):
            await streams.updated(self, request, str(payload.get("updateType", "")))
        elif isinstance(event, ListenerEnded):
            await streams.listener_ended(self, request, event.reason)
        elif isinstance(event, StreamEnded):
            await streams.stream_ended(self, request, event.reason)
        elif request in self.calls and not self.rules.events_end_nothing:
            await calls.end(self, request, EVENT, payload)
        await self._go_on()

    # -- the session

    async def connected(self) -> None:
        """What was to go out early goes out behind hello, or behind auth (RC-32)."""
        await calls.send_early(self)

    def enter(self, ack: Any) -> None:
        """auth_ack says under which identity locks and tabs will be held (DR-01)."""
        self.identity = ack.controller_id if isinstance(ack.controller_id, str) else ""

    async def began(self) -> None:
        """What has waited for a session goes out."""
        await calls.send_held(self)
        await self._go_on()

    def forget(self) -> None:
        """Calls, locks and subscriptions belong to the session."""
        if self.rules.lost_socket_ends_calls:
            self.lost += self.calls.values()
        self.locks.clear()
        self.streams.clear()

    async def ended(self) -> None:
        """Whoever waits for an answer learns that none will come."""
        lost, self.lost = self.lost, []
        await calls.all_lost(self, lost)

    # -- the program

    async def on_timer(self, kind: str, key: str) -> None:
        """``deadline`` and ``again`` by call, ``lease`` by tab; the others are the session's."""
        if kind == "deadline":
            await calls.overdue(self, key)
            await self._go_on()
        elif kind == "again":
            await calls.try_again(self, key)
        elif kind == "lease":
            await locks.lease_over(self, key)
        else:
            await super().on_timer(kind, key)

    async def follow(self, act: Act) -> None:
        """The person, or the program, asks for something."""
        if not isinstance(act, CONTROLLER_ACTS):
            known = ", ".join(one.__name__ for one in CONTROLLER_ACTS)
            text = f"{self.port.name} is a controller and cannot {act!r}; it can {known}"
            raise LookupError(text)
        await calls.ask(self, act)

    async def _go_on(self) -> None:
        """The next act of the script, once the one before it has its end."""
        script = self.client.script
        while self.is_ready and self.script_at < len(script):
            if self.awaited:  # emptied by its end
                return
            act = script[self.script_at]
            self.script_at += 1
            await self._scripted(act)

    async def _scripted(self, act: Act) -> None:
        self.awaited = self.port.new_frame_id()
        if not isinstance(act, CONTROLLER_ACTS):
            self.awaited = ""
            await self.on_act(act)
            return
        self.awaited = getattr(act, "request", "") or self.awaited
        await calls.ask(self, act, request=self.awaited)
