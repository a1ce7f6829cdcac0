"""A load for the benchmarks: desktops with tasks that go the whole way.

One task is a message, a dispatch, an ack, two progress frames, a card with a
decision, and an end: seven frames, plus heartbeats. The twins are the shipped
ones; only the people and agents are a script here.
"""

from __future__ import annotations

from collections.abc import Iterable

from sim.channel.api import PostMessage, Press, Say
from sim.core.event import CallApplied, CallIssued, FrameDelivered, FrameSent
from sim.core.invariant import Monitor
from sim.hosts.person import Person
from sim.hosts.slack import Slack
from sim.protocols.hook.acts import AgentAsks, AgentEnds, AgentProgresses
from sim.protocols.hook.desktop import Desktop, DesktopConfig
from sim.protocols.hook.invariants import invariants_for
from sim.protocols.hook.server import Server, ServerPlan
from sim.protocols.hook.view import HookView
from sim.world.world import World

TWINS = frozenset({"server", "desktop", "slack"})
BUTTONS = (("perm:allow", "Allow", "primary"), ("perm:deny", "Deny", "danger"))
SECOND = 1_000_000


class Load:
    """A world with ``desktops`` desktops, ``tasks`` tasks each, all oracles on.

    ``frames`` counts the frames that were sent.
    """

    def __init__(self, desktops: int, tasks: int, *, seed: int = 1, judged: bool = True) -> None:
        self.world = world = World(seed)
        self.desktops = desktops
        self.tasks = tasks
        self.frames = 0
        self.done = 0
        self.left = [tasks] * desktops
        self.waiting: dict[str, str] = {}
        names = [f"D{n}" for n in range(desktops)]
        bindings = {("slack", f"U{n}"): f"device-D{n}" for n in range(desktops)}
        plan = ServerPlan(channels={"IM": "slack"}, bindings=bindings)
        world.add_host("IM", "slack", lambda port: Slack(port, "S"), latency=(80_000, 250_000))
        world.add_host("S", "server", lambda port: Server(port, plan))
        for n, name in enumerate(names):
            if tasks:
                world.add_host(f"U{n}", "person", lambda port: Person(port, "IM"))
                world.latencies[f"U{n}", "IM"] = (0, 0)
            config = DesktopConfig(device_id=f"device-{name}", device_name=name)
            world.add_host(name, "desktop", lambda port, config=config: Desktop(port, config))
        self.monitor = Monitor([])
        if judged:
            view = HookView(keep_versions=2)
            for kind in view.kinds:
                world.watch(kind, view.on)
            self.monitor = Monitor(invariants_for(view, TWINS))
            self.monitor.attach(world.watch)
        world.watch(FrameSent, self._count)
        world.watch(FrameDelivered, self._agent)
        world.watch(CallApplied, self._person)

    def boot(self, names: Iterable[str] = ()) -> None:
        """Start all hosts; each desktop's first message comes after a second."""
        world = self.world
        for name in names or list(world.hosts):
            world.boot(name)
        for n in range(self.desktops if self.tasks else 0):
            world.at(SECOND + n, "speak", lambda n=n: self._speak(n))

    def messages(self) -> int:
        """Frames, API requests and replies: everything that went from host to host."""
        calls = sum(type(event) in (CallIssued, CallApplied) for event in self.world.events)
        return self.frames + calls

    def over(self) -> bool:
        """All tasks have ended."""
        return self.done == self.desktops * self.tasks

    def _speak(self, n: int) -> None:
        self.left[n] -= 1
        self.world.act(f"U{n}", Say(f"U{n}", "do it"))

    def _count(self, event: FrameSent) -> None:
        self.frames += 1

    def _agent(self, event: FrameDelivered) -> None:
        kind = event.type
        if kind == "task.dispatch":
            desktop = event.receiver
            frame = self.world.events[event.sent].frame  # type: ignore[attr-defined]
            request = frame.body.request_id
            self._later(SECOND // 2, desktop, AgentProgresses("Step one", request))
            self._later(3 * SECOND, desktop, AgentProgresses("Step two", request))
            asks = AgentAsks(title="Go on?", buttons=BUTTONS, request=request)
            self._later(5 * SECOND, desktop, asks)
            self.waiting[desktop] = request
        elif kind == "interaction.decision":
            request = self.waiting[event.receiver]
            self._later(SECOND, event.receiver, AgentEnds("ok", "Finished.", request=request))
        elif kind == "turn.end":
            self.done += 1
            n = int(event.sender[1:])
            if self.left[n]:
                self.world.at(self.world.now + SECOND, "speak", lambda: self._speak(n))

    def _person(self, event: CallApplied) -> None:
        request = event.request
        if type(request) is PostMessage and request.role == "card":
            message = event.reply.message
            press = Press("U0", message, "perm:allow")
            self._later(SECOND, "U0", press)

    def _later(self, after_us: int, host: str, act: object) -> None:
        self.world.at(self.world.now + after_us, "act", lambda: self.world.act(host, act))
