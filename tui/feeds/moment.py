"""The world at a step: run again to there, and looked at from inside.

A trace does not say what could happen next, nor on which line a handler waits;
the run is deterministic, so going there again tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

import attrs

from sim.drivers.step import StepDriver
from sim.play import open_run
from sim.scenario.playing.play import Run
from sim.world.activity import Activity
from sim.world.fault import CUTS
from sim.world.helm import PATIENCE_US
from sim.world.link import FrameFlight
from sim.world.world import World
from tui.feeds.runner import Deeds
from tui.feeds.schedules import steered
from tui.session import Session


@attrs.frozen
class Waiting:
    """A handler that stands in an await: where its code is and what it waits for."""

    host: str
    handler: str
    path: str
    line: int
    function: str
    code: CodeType | None = None


@attrs.frozen
class Wish:
    """A fault that could strike now; ``why`` says why not, "" if it can."""

    group: str
    subject: str
    verb: str
    fault: str
    why: str = ""


@attrs.frozen
class Turn:
    """Something that can happen next. ``key`` is its name in schedules, ``before`` are those
    of what is due earlier; ``why`` says why it cannot go before them, "" if it can.
    """

    name: str
    key: str
    before: tuple[str, ...]
    why: str = ""


@attrs.frozen
class LinkState:
    """A connection from inside: ``queued`` frames per direction, held or silent."""

    name: str
    client: str
    server: str
    to_server: int
    to_client: int
    state: str


@attrs.frozen
class Moment:
    """Everything that a trace does not tell of one step."""

    step: int
    at: int
    turns: tuple[Turn, ...]
    wishes: tuple[Wish, ...]
    waiting: tuple[Waiting, ...]
    timers: tuple[tuple[str, str, int], ...]
    links: tuple[LinkState, ...]
    up: dict[str, bool]

    @property
    def enabled(self) -> tuple[str, ...]:
        """The names of what can happen next, but for the lines of the diagram."""
        return tuple(turn.name for turn in self.turns)


def moment_of(session: Session, step: int) -> Moment:
    """The world when step ``step`` has happened. Slow for far steps: call it in a thread.

    Raises UsageError when the session cannot be run again.
    """
    scenario = session.scenario
    assert scenario is not None
    header = session.trace.header
    run = open_run(scenario, seed=header.seed, without=header.without, steer=steered)
    deeds = Deeds(run, (deed for deed in session.deeds if deed.step < step))
    try:
        StepDriver(run.world).run(lambda: deeds.over() or len(run.world.events) > step)
        return _look(run, step)
    finally:
        run.world.close()


def _look(run: Run, step: int) -> Moment:
    world = run.world
    return Moment(
        step=step,
        at=world.now,
        turns=tuple(_turns(run)),
        wishes=tuple(_wishes(world)),
        waiting=tuple(_waiting(world)),
        timers=tuple(
            (host.name, " ".join(key).rstrip(), item.due)
            for host in world.hosts.values()
            for key, item in host.timers.items()
        ),
        links=tuple(_links(world)),
        up={name: host.up for name, host in world.hosts.items()},
    )


# -- what comes next -----------------------------------------------------------------------


def _turns(run: Run) -> Iterator[Turn]:
    helm = run.helm
    assert helm is not None
    before: list[str] = []
    first = 0
    for choice in run.world.enabled():
        if choice.item is None:
            continue  # no handler can go on while one looks
        key, due = helm.key(choice.item), max(choice.item.due, run.world.now)
        first = first if before else due
        if not choice.name.startswith("line "):
            yield Turn(choice.name, key, tuple(before), _too_far(before, due - first))
        before.append(key)


def _too_far(before: list[str], by_us: int) -> str:
    if not before:
        return "it happens next by itself"
    if by_us > PATIENCE_US:
        return f"{by_us / 1e6:,.0f} s after what is due first: nothing waits that long"
    return ""


# -- what could be done --------------------------------------------------------------------


def _wishes(world: World) -> Iterator[Wish]:
    for link in world.links.values():
        closed = "" if link.client.is_open and link.server.is_open else "it is not open"
        for how in CUTS:
            yield Wish("link", link.name, f"cut {how}", f"cut {link.name} {how}", closed)
        silent = "" if link.silent else "it is not silent"
        yield Wish("link", link.name, "heal", f"heal {link.name}", silent)
        for end in link.ends():
            way = f"{end.host}>{end.other.host}"
            held = "is held already" if end.held else closed
            yield Wish("link", link.name, f"hold {way}", f"hold {link.name} {way}", held)
            free = "" if end.held else "nothing is held"
            yield Wish("link", link.name, f"release {way}", f"release {link.name} {way}", free)
    yield from _frames(world)
    for host in world.hosts.values():
        if host.kind == "person":
            continue
        down = "" if host.up else "it is down"
        yield Wish("host", host.name, "crash", f"crash {host.name}", down)
        up = "it is up" if host.up else ""
        yield Wish("host", host.name, "restart", f"restart {host.name}", up)
        yield Wish("host", host.name, "sleep 60 s", f"sleep {host.name} 60000000us", down)
        yield Wish("host", host.name, "clock +70 s", f"skew {host.name} 70000000us", down)


def _frames(world: World) -> Iterator[Wish]:
    for link in world.links.values():
        for end in link.ends():
            for item in end.flight:
                if not isinstance(item, FrameFlight):
                    continue
                place = item.name()[8:]
                what = f"{item.frame.type} {place}"
                again = "it is a copy" if item.again else ""
                yield Wish("frame", what, "lose", f"lose {place}", again)
                yield Wish("frame", what, "duplicate", f"duplicate {place}", again)
                yield Wish("frame", what, "delay 2 s", f"delay {place} 2000000us")


def _links(world: World) -> Iterator[LinkState]:
    for link in world.links.values():
        state = "silent" if link.silent else "open"
        if not (link.client.is_open and link.server.is_open):
            state = "half closed" if link.client.is_open or link.server.is_open else "closed"
        elif link.client.held or link.server.held:
            state = "held"
        queued = [sum(isinstance(i, FrameFlight) for i in end.flight) for end in link.ends()]
        yield LinkState(link.name, link.client.host, link.server.host, queued[0], queued[1], state)


# -- where handlers wait -------------------------------------------------------------------


def _waiting(world: World) -> Iterator[Waiting]:
    for host in world.hosts.values():
        for activity in host.waiting or ():
            frame = _innermost(activity)
            if frame is None:
                continue
            code = frame.f_code
            yield Waiting(
                host.name, activity.name, code.co_filename, frame.f_lineno, code.co_name, code
            )


_PLUMBING = ("ask", "call", "_call", "publish", "perform")
"""Functions that only pass on what a handler wants of a channel."""


def _innermost(activity: Activity) -> FrameType | None:
    """The deepest frame of a handler that wants something, not one that passes it on."""
    found: FrameType | None = None
    awaitable: Any = activity.coro
    while awaitable is not None:
        frame = getattr(awaitable, "cr_frame", None)
        if frame is None:
            break
        if found is None or frame.f_code.co_name not in _PLUMBING:
            found = frame
        awaitable = getattr(awaitable, "cr_await", None)
    return found
