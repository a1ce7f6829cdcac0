"""Small worlds made by chance: wandering hosts, and a script of faults.

A plan is plain data, so that Hypothesis can shrink it; ``build`` makes the
world of a plan. The same plan is the same world.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import attrs
from hypothesis import strategies as st

from sim.core import op
from sim.core.actor import Actor
from sim.drivers.step import StepDriver
from sim.world import fault
from sim.world.link import FrameFlight
from sim.world.world import World
from tests.world.play import Word

HOSTS = ("A", "B", "C")
NEVER_UP = "nobody"
WISHES = (
    "send", "send", "send", "reply", "dial", "dial", "close", "call", "save", "erase", "timer",
    "restart timer", "stop timer", "sleep", "acquire", "release", "wait", "wake", "spawn", "note",
)  # fmt: skip
VERBS = (
    "fin", "rst", "silent", "heal", "hold", "release", "lose", "duplicate", "delay", "crash",
    "restart", "skew", "sleep", "act",
)  # fmt: skip
MOST_OPS = 40


@attrs.frozen
class Plan:
    """``wishes``: for each host what it does next, whoever calls; ``script``: (ms, verb, pick)."""

    seed: int
    wishes: tuple[tuple[tuple[str, int], ...], ...]
    script: tuple[tuple[int, str, int], ...]


def plans() -> st.SearchStrategy[Plan]:
    """Worlds of three hosts with a few faults."""
    wish = st.tuples(st.sampled_from(WISHES), st.integers(0, 3))
    line = st.tuples(st.integers(0, 400), st.sampled_from(VERBS), st.integers(0, 3))
    wishes = st.tuples(*[st.lists(wish, min_size=1, max_size=12).map(tuple) for _ in HOSTS])
    scripts = st.lists(line, max_size=8).map(tuple)
    return st.builds(Plan, st.integers(0, 9), wishes, scripts)


class Wanderer(Actor):
    """Takes the next wishes of its host's list in each handler."""

    __slots__ = ("conns", "inside", "left", "wishes")

    def __init__(self, port: Any, wishes: tuple[tuple[str, int], ...], left: list[int]) -> None:
        super().__init__(port)
        self.wishes = wishes
        self.left = left  # shared by all lives of the host, so that a run ends
        self.conns: list[Any] = []
        self.inside: list[str] = []

    async def wander(self, steps: int = 3, conn: Any = None) -> None:
        for _ in range(steps):
            if self.left[0] == 0:
                return
            nth = MOST_OPS - self.left[0]
            self.left[0] -= 1
            await self.wish(*self.wishes[nth % len(self.wishes)], conn)

    async def wish(self, what: str, pick: int, conn: Any) -> None:
        wish = getattr(self, f"_{what.replace(' ', '_')}", None)
        if wish is not None:
            await wish(pick, conn)
        else:
            await self.perform(self.simple(what, pick))

    def simple(self, what: str, pick: int) -> op.Op[Any]:
        key = f"k{pick % 2}"
        simple: dict[str, Callable[[], op.Op[Any]]] = {
            "save": lambda: op.Save(key, pick),
            "erase": lambda: op.Erase(key),
            "timer": lambda: op.StartTimer("t", key, pick * 30_000),
            "restart timer": lambda: op.StartTimer("t", "k0", 50_000, background=pick == 1),
            "stop timer": lambda: op.StopTimer("t", key),
            "sleep": lambda: op.Sleep(pick * 20_000),
            "wake": lambda: op.Wake(key, pick),
            "spawn": lambda: op.Spawn("spawned", self.wander(2)),
            "note": lambda: op.Note("fact", pick),
        }
        return simple[what]()

    async def _send(self, pick: int, conn: Any) -> None:
        if self.conns:
            await self.perform(op.Send(self.conns[pick % len(self.conns)], Word(f"w{pick}")))

    async def _reply(self, pick: int, conn: Any) -> None:
        if conn is not None:
            await self.perform(op.Send(conn, Word(f"r{pick}")))

    async def _dial(self, pick: int, conn: Any) -> None:
        others = [name for name in (*HOSTS, NEVER_UP) if name != self.port.name]
        dialled = await self.perform(op.Dial(others[pick % len(others)], f"l{pick % 2}"))
        if dialled is not None:
            self.conns.append(dialled)

    async def _close(self, pick: int, conn: Any) -> None:
        if self.conns:
            await self.perform(op.Close(self.conns[pick % len(self.conns)], 1000 + pick))

    async def _call(self, pick: int, conn: Any) -> None:
        others = [name for name in HOSTS if name != self.port.name]
        timeout = (30_000, 90_000, 200_000, 10_000_000)[pick]
        await self.perform(op.Call(others[pick % 2], f"q{pick}", timeout_us=timeout))

    async def _acquire(self, pick: int, conn: Any) -> None:
        await self.perform(op.Acquire("door"))
        await self.perform(op.Sleep(10_000))
        await self.perform(op.Release("door"))

    _release = _acquire

    async def _wait(self, pick: int, conn: Any) -> None:
        waits: Any = self.port
        if f"k{pick % 2}" not in (waits.waits or {}):
            await self.perform(op.Wait(f"k{pick % 2}", 60_000))

    async def on_start(self) -> None:
        await self.wander(6)

    async def on_open(self, conn: Any) -> None:
        self.conns.append(conn)
        await self.wander(2, conn)

    async def on_frame(self, conn: Any, frame: Any) -> None:
        await self.wander(2, conn)

    async def on_close(self, conn: Any, close: Any) -> None:
        await self.wander(2)

    async def on_timer(self, kind: str, key: str) -> None:
        await self.wander(2)

    async def on_act(self, act: Any) -> None:
        await self.wander(3)

    async def on_call(self, caller: str, request: Any) -> Any:
        await self.wander(1)
        return op.NO_ANSWER if request == "q3" else request


def build(plan: Plan, *, preempt: bool = False) -> World:
    """The world of a plan, with all hosts up and the script planned."""
    world = World(plan.seed, preempt=preempt)
    for name, wishes in zip(HOSTS, plan.wishes, strict=True):
        left = [MOST_OPS]
        world.add_host(name, "node", partial(Wanderer, wishes=wishes, left=left))
        world.boot(name)
    world.add_host(NEVER_UP, "node", Actor)
    for nth, (ms, verb, pick) in enumerate(plan.script):
        world.at(ms * 1000, f"script {nth}", partial(meddle, world, verb, pick))
    return world


def meddle(world: World, verb: str, pick: int) -> None:
    """One line of the script: a fault on whatever is there to be picked."""
    name = HOSTS[pick % len(HOSTS)]
    links = list(world.links.values())
    on_hosts: dict[str, Callable[[], None]] = {
        "crash": lambda: fault.crash(world, name),
        "restart": lambda: fault.restart(world, name),
        "skew": lambda: fault.skew(world, name, 1_000),
        "sleep": lambda: fault.sleep(world, name, 40_000),
        "act": lambda: world.act(name, pick),
    }
    if verb in on_hosts:
        on_hosts[verb]()
    elif links:
        meddle_with_link(world, verb, links[pick % len(links)], pick)


def meddle_with_link(world: World, verb: str, link: Any, pick: int) -> None:
    end = link.ends()[pick % 2]
    frames = [flight for flight in end.flight if isinstance(flight, FrameFlight)]
    if verb in fault.CUTS:
        fault.cut(world, link, verb)
    elif verb == "heal":
        fault.heal(world, link)
    elif verb in ("hold", "release"):
        getattr(fault, verb)(world, end)
    elif frames:
        frame = frames[pick % len(frames)]
        after = {"lose": (), "duplicate": (pick * 10_000,), "delay": (pick * 10_000,)}[verb]
        getattr(fault, verb)(world, frame, *after)


def timed_run(plan: Plan) -> World:
    """The plan's world after its timed run."""
    world = build(plan)
    StepDriver(world).run()
    return world
