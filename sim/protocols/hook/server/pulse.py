"""Pings of the server, counted: a connection keeps their order, so pongs can be told apart."""

from __future__ import annotations

from sim.core.actor import Actor
from sim.core.op import Send
from sim.protocols.hook.frames import Ping
from sim.protocols.hook.intake import made
from sim.protocols.hook.server.memory import Socket


async def ping(actor: Actor, socket: Socket) -> None:
    """Ask for a sign of life; the pong proves that all that was sent before has arrived."""
    socket.pings += 1
    await actor.perform(Send(socket.conn, made(actor.port, Ping())))
