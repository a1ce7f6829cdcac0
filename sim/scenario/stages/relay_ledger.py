"""Which frames wait for what, as far as a puppet that answers them must know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from sim.core.event import FrameDelivered, FrameSent
from sim.world.world import World

Wire = Mapping[str, Any]

ANSWERS: Mapping[str, tuple[str, ...]] = {
    "hello_ack": ("hello",),
    "auth_ack": ("auth",),
    "refresh_ack": ("refresh",),
    "pong": ("ping",),
    "result": ("command",),
    "error": ("command", "tab_lock", "tab_unlock", "command_cancel", "hello", "auth", "refresh"),
    "event": ("command", "tab_lock", "tab_unlock", "command_cancel"),
}
"""Family of an answer to the families that it answers."""


@attrs.define(eq=False)
class Ledger:
    """``arrived``: by host, the frames that have reached it, oldest first, with their senders."""

    arrived: dict[str, list[tuple[str, Wire]]] = attrs.field(factory=dict)
    answered: dict[tuple[str, str, str], None] = attrs.field(factory=dict)
    _flying: dict[int, Wire] = attrs.field(factory=dict)

    def attach(self, world: World) -> None:
        """Watch the frames of a run."""
        world.watch(FrameSent, self._on_sent)
        world.watch(FrameDelivered, self._on_delivered)

    def asked(self, host: str, peer: str, answer: str) -> Wire | None:
        """The frame that an answer of this family is to: the newest that is unanswered yet.

        Where all are answered, the newest of them; ``peer`` "" is anybody.
        """
        families = ANSWERS.get(answer, ())
        fitting = [
            (sender, wire)
            for sender, wire in self.arrived.get(host, ())
            if peer in ("", sender) and wire.get("messageType") in families
        ]
        for sender, wire in reversed(fitting):
            if (host, sender, str(wire.get("requestId"))) not in self.answered:
                return wire
        return fitting[-1][1] if fitting else None

    def named(self, host: str, request: str) -> Wire | None:
        """The command of this requestId that has reached a host."""
        for _, wire in reversed(self.arrived.get(host, [])):
            if wire.get("requestId") == request and wire.get("messageType") == "command":
                return wire
        return None

    def _on_sent(self, event: FrameSent) -> None:
        wire = event.frame.wire
        if not isinstance(wire, Mapping):
            return
        self._flying[event.n] = wire
        if wire.get("messageType") in ("result", "error", "pong", "hello_ack", "auth_ack"):
            self.answered[event.sender, event.receiver, str(wire.get("requestId"))] = None

    def _on_delivered(self, event: FrameDelivered) -> None:
        wire = self._flying.pop(event.sent, None)
        if wire is not None:
            self.arrived.setdefault(event.receiver, []).append((event.sender, wire))
