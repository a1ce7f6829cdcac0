"""What could be different in a run: the children of a schedule in a bounded search.

A variation adds one deviation: something waits until a later thing that it
raced with, a handler stops between two ops until a later thing that reaches
its host, or a fault strikes. Only places where it can matter are given: a
fault of a host or connection right after each thing that its hosts saw.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sim.explore.menu import (
    FRAME_FAULTS,
    OPS,
    OUTCOMES,
    Purse,
    frame_fault,
    http_fault_of,
    may_crash,
)
from sim.explore.track import REACH_US, Track
from sim.world import http_fault
from sim.world.fault import CUTS
from sim.world.helm import LATE, UNTIL, Step

if TYPE_CHECKING:
    from sim.explore.schedule import Case, Schedule
    from sim.scenario.playing.play import Run

Variation = tuple[Step, ...]
AT_ONCE = f"{LATE}0us"


def variations(case: Case, track: Track, run: Run, schedule: Schedule) -> Iterator[Variation]:
    """In canonical order, the likely ones first: races, faults, places between ops."""
    names = [one.key for one in track.happened]
    for i, j in track.races():
        yield (Step(names[i], UNTIL + names[j]),)
    for i, timer in track.missed:
        yield (Step(names[i], UNTIL + timer),)
    for i, by_us in track.calls:
        yield (Step(names[i], f"{LATE}{by_us}us"),)
    purse = Purse.of(case.faults)
    for step in schedule.steps:
        if step.is_fault:
            purse.pay(step.do)
    yield from _faults(track, run, purse)
    yield from _places(track)
    if purse.left["crash"]:
        for number, one in enumerate(track.happened):
            for place, host in one.places:
                yield (Step(place, AT_ONCE), Step(names[number], f"crash {host}"))


def _places(track: Track) -> Iterator[Variation]:
    pasts = track.pasts()
    happened = track.happened
    for i, one in enumerate(happened):
        for place, host in one.places:
            for j in range(i + 1, len(happened)):
                later = happened[j]
                if later.at - one.at > REACH_US:
                    break
                past = pasts[later.planned_by] if later.planned_by >= 0 else 0
                if host in later.hosts and not past >> i & 1:
                    yield (Step(place, UNTIL + later.key),)


def _faults(track: Track, run: Run, purse: Purse) -> Iterator[Variation]:
    left = purse.left
    kinds = {host.name: host.kind for host in run.world.hosts.values()}
    channels = run.stage.channels()
    lanes: dict[str, tuple[str, str]] = {}
    for one in track.happened:
        words = one.key.split(" ")
        if words[0] in ("dial", "close") or words[0] in ("deliver", "accept"):
            _learn(lanes, words, one.hosts)
        if left["cut"]:
            for link, ends in lanes.items():
                if not one.hosts.keys().isdisjoint(ends):
                    yield from ((Step(one.key, f"cut {link} {how}"),) for how in CUTS)
        for host in one.hosts:
            if left["crash"] and may_crash(kinds.get(host, "person")):
                yield (Step(one.key, f"crash {host}"),)
            if left["channel"] and host in channels:
                yield from (
                    (Step(one.key, f"channel {host} {op} {word}"),)
                    for op in OPS
                    for word in OUTCOMES
                )
    for kind in FRAME_FAULTS:
        if left[kind]:
            yield from _frames(track, kind)
    if left["http"]:
        yield from _requests(track)


def _learn(lanes: dict[str, tuple[str, str]], words: list[str], hosts: dict[str, None]) -> None:
    """Which hosts stand at the ends of a connection, as far as the names tell."""
    link = words[1]
    if words[0] == "deliver":
        sender, _, receiver = words[2].partition(">")
        lanes[link] = (sender, receiver)
    elif words[0] == "close":
        lanes.pop(link, None)
    elif link not in lanes and hosts:
        lanes[link] = (link.partition(".")[0], next(iter(hosts)))


def _requests(track: Track) -> Iterator[Variation]:
    """Whatever may become of each HTTP request, right after whatever sent it."""
    for one in track.happened:
        if http_fault.is_request(one.key):
            planner = track.happened[one.planned_by].key if one.planned_by >= 0 else "start"
            for outcome in http_fault.MENU:
                yield (Step(planner, http_fault_of(one.key, outcome)),)


def _frames(track: Track, kind: str) -> Iterator[Variation]:
    before = "start"
    for one in track.happened:
        if one.key.startswith("deliver "):
            planner = track.happened[one.planned_by].key if one.planned_by >= 0 else before
            yield (Step(planner, frame_fault(kind, one.key)),)
        before = one.key
