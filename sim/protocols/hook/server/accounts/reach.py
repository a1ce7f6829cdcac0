"""Reaching a device on its present connection, and people with a notice."""

from __future__ import annotations

from collections.abc import Callable

from sim.channel.api import PostMessage
from sim.core.actor import Actor, Port
from sim.core.op import Send
from sim.protocols.hook.frames import HookBody
from sim.protocols.hook.intake import made
from sim.protocols.hook.rules import HookRules
from sim.protocols.hook.server.calling import Calling, always
from sim.protocols.hook.server.memory import Memory, Socket
from sim.protocols.hook.server.plan import ServerPlan


class Reach:
    """What every book needs: the actor, its memory, its plan, and ways to send and to call."""

    __slots__ = ("actor", "calling", "memory", "plan")

    def __init__(self, actor: Actor, memory: Memory, plan: ServerPlan, calling: Calling) -> None:
        self.actor = actor
        self.calling = calling
        self.memory = memory
        self.plan = plan

    @property
    def port(self) -> Port:
        return self.actor.port

    @property
    def rules(self) -> HookRules:
        return self.plan.rules

    def socket(self, lane: str, device: str) -> Socket | None:
        """The connection of a device on a lane, once it is welcome there."""
        desk = self.memory.desks.get((lane, device))
        if desk is None or desk.socket is None or not desk.socket.ready:
            return None
        found: Socket = desk.socket
        return found

    async def say(self, socket: Socket, body: HookBody) -> bool:
        """Send on this connection; whether it could be written."""
        return await self.actor.perform(Send(socket.conn, made(self.port, body)))

    async def notice(
        self,
        channel: str,
        chat: str,
        thread: str | None,
        text: str,
        still: Callable[[], bool] = always,
    ) -> None:
        """Post a line of the server's own, as soon as the channel lets us (RC-99).

        Unless it is not ``still`` so by then.
        """
        request = PostMessage(chat, thread, text, role="notice")
        await self.calling.ask_patiently(channel, chat, request, still)
