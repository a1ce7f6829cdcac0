"""Puppets: lifelines without behaviour. They send what the diagram says, literally.

A puppet answers nothing by itself unless it was given manners: ``pong`` answers
pings, ``handshake`` greets after connecting (or welcomes who greets).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import msgspec

from sim.core.actor import Actor, CloseReason, Port
from sim.core.op import NO_ANSWER, Close, Connection, Dial, Frame, Send, UpgradeRefused


class PuppetAct(msgspec.Struct, frozen=True, gc=False, tag_field="is"):
    """Root of what the director tells a puppet."""


class PuppetSends(PuppetAct, frozen=True, gc=False, tag="puppet-sends", omit_defaults=True):
    """Write this frame to that host: on the connection of that name, else on the newest."""

    peer: str
    frame: Any
    link: str = ""


class PuppetDials(PuppetAct, frozen=True, gc=False, tag="puppet-dials"):
    """Connect; ``greets``: and shake hands before anything else."""

    peer: str
    lane: str
    greets: bool


class PuppetCloses(PuppetAct, frozen=True, gc=False, tag="puppet-closes", omit_defaults=True):
    """Close the connection of that name with a code and a reason."""

    link: str
    code: int = 1000
    reason: str = ""


def is_of_puppet(act: Any) -> bool:
    """Whether an act, as a record writes it, is one of a puppet."""
    return isinstance(act, dict) and str(act.get("is", "")).startswith("puppet-")


class Manners(Protocol):
    """What a puppet does by itself, in its protocol's words."""

    def greeting(self, puppet: Puppet) -> Iterable[Frame]:
        """What is sent first on a new connection."""

    def answers(self, puppet: Puppet, frame: Frame) -> Iterable[Frame]:
        """What is sent back to a received frame."""

    def greeted(self, frame: Frame) -> bool:
        """Whether this frame ends the handshake."""

    def told(self, puppet: Puppet, act: Any) -> None:
        """Something else that the diagram tells it, in its protocol's words."""


class Puppet(Actor):
    """``conns``: the newest connection per peer; ``busy``: peers being dialled or greeted;
    ``links``: all that are open, by name.

    ``habits`` are the words of ``@puppet``: which of the manners it has.
    """

    __slots__ = ("busy", "conns", "habits", "links", "manners")

    def __init__(self, port: Port, manners: Manners, habits: frozenset[str]) -> None:
        super().__init__(port)
        self.manners = manners
        self.habits = habits
        self.conns: dict[str, Connection] = {}
        self.busy: dict[str, None] = {}
        self.links: dict[str, Connection] = {}

    def unready(self, peer: str) -> str | None:
        """Why nothing can be sent to ``peer`` now; None when it can."""
        if peer in self.busy:
            return f"{self.port.name} is still connecting to {peer}"
        if peer not in self.conns:
            return f"{self.port.name} has no connection with {peer}: write @reconnect before"
        return None

    async def on_act(self, act: Any) -> None:
        if isinstance(act, PuppetSends):
            conn = self.links.get(act.link) if act.link else self.conns.get(act.peer)
            if conn is not None:
                await self.perform(Send(conn, act.frame))
        elif isinstance(act, PuppetDials):
            self.busy[act.peer] = None
            dialled = await self.perform(Dial(act.peer, act.lane, {"puppet": True}))
            if dialled is None or isinstance(dialled, UpgradeRefused):
                self.busy.pop(act.peer, None)
                return
            self.conns[act.peer] = self.links[dialled.name] = dialled
            if act.greets:
                for frame in self.manners.greeting(self):
                    await self.perform(Send(dialled, frame))
            else:
                self.busy.pop(act.peer, None)
        elif isinstance(act, PuppetCloses):
            conn = self.links.get(act.link)
            if conn is not None:
                self._forget(conn)
                await self.perform(Close(conn, act.code, act.reason))
        else:
            self.manners.told(self, act)

    async def on_call(self, caller: str, request: Any) -> Any:
        return NO_ANSWER

    async def on_open(self, conn: Connection) -> None:
        self.conns[conn.peer] = self.links[conn.name] = conn

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        if self.manners.greeted(frame):
            self.busy.pop(conn.peer, None)
        for answer in self.manners.answers(self, frame):
            await self.perform(Send(conn, answer))

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        self._forget(conn)

    def _forget(self, conn: Connection) -> None:
        self.links.pop(conn.name, None)
        if self.conns.get(conn.peer) is conn:
            del self.conns[conn.peer]
            self.busy.pop(conn.peer, None)
