"""Scripted agents: every task that a twin desktop takes gets some progress and an end."""

from __future__ import annotations

from typing import Any

from sim.core.event import FrameSent
from sim.protocols.hook.acts import AgentEnds, AgentProgresses
from sim.protocols.hook.desktop.settings import DesktopSettings
from sim.world.world import World

PROGRESS_US = 300_000
# A snapshot that still waits at the end is dropped: the end comes behind its interval.
END_US = PROGRESS_US + DesktopSettings().progress_interval_us + 300_000
QUOTED = 200


class Agents:
    """Watches for acks and lets the agents of those desktops act, in virtual time.

    ``tasks`` counts the tasks that were begun; one that comes again is no other.
    """

    def __init__(self, world: World) -> None:
        self.tasks = 0
        self._world = world
        self._prompts: dict[str, str] = {}
        self._begun: dict[tuple[str, str], None] = {}
        world.watch(FrameSent, self._sent)

    def _sent(self, event: FrameSent) -> None:
        kind = event.frame.type
        if kind not in ("task.dispatch", "task.ack"):
            return
        wire = event.frame.wire
        payload = wire.get("payload") if isinstance(wire, dict) else None
        if not isinstance(payload, dict):
            return
        request = str(payload.get("requestId"))
        if kind == "task.dispatch":
            self._prompts[request] = str(payload.get("prompt", ""))[:QUOTED]
        elif payload.get("result") == "rejected":
            self._prompts.pop(request, None)
        elif request in self._prompts:
            self._begin(event.sender, request, self._prompts.pop(request))

    def _begin(self, desktop: str, request: str, prompt: str) -> None:
        if (desktop, request) in self._begun:
            return  # the server sent it again
        self._begun[desktop, request] = None
        self.tasks += 1
        quoted = prompt.replace("\n", " ").strip()
        steps = (
            (PROGRESS_US, AgentProgresses(f"Working on it: {quoted}", request)),
            (END_US, AgentEnds("ok", f"Done: {quoted}", request=request)),
        )
        for after_us, act in steps:
            self._plan(desktop, after_us, act)

    def _plan(self, desktop: str, after_us: int, act: Any) -> None:
        world = self._world

        def do() -> None:
            if world.hosts[desktop].up:
                world.act(desktop, act)

        world.at(world.now + after_us, f"agent {desktop}", do)
