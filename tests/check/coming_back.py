"""A recording, its diagram, and the run of that: what every host has seen, in order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sim.check.diagram import all_seen_in, scenario_of
from sim.core.event import ConnectionClosed, ConnectionOpened, FrameDelivered, FrameLost, FrameSent
from sim.core.trace import read_trace
from sim.play import play, vocabularies
from sim.scenario.parse import parse_scenario

Seen = dict[str, list[tuple[str, ...]]]


def ranks(events: Any) -> dict[str, str]:
    """By connection: its lane, and the how manieth of the lane that came about it is."""
    counts: dict[str, int] = {}
    made: dict[str, str] = {}
    for event in events:
        if isinstance(event, ConnectionOpened):
            lane = event.link.rpartition("#")[0]
            counts[lane] = counts.get(lane, 0) + 1
            made[event.link] = f"{lane} no. {counts[lane]}"
    return made


def seen_by_hosts(events: Any) -> Seen:
    """By host: which frames it wrote and got, on which connection, in order."""
    hosts: Seen = {}
    texts: dict[int, str] = {}
    names = ranks(events)
    for event in events:
        if isinstance(event, FrameSent):
            frame = getattr(event.frame, "wire", event.frame)
            texts[event.n] = json.dumps(frame, sort_keys=True)
            seen = (names[event.link], "writes", texts[event.n])
            hosts.setdefault(event.sender, []).append(seen)
        elif isinstance(event, FrameDelivered):
            seen = (names[event.link], "gets", texts[event.sent])
            hosts.setdefault(event.receiver, []).append(seen)
    return hosts


def lost(events: Any) -> list[tuple[str, str]]:
    """Frames, or copies, that never arrived."""
    names = ranks(events)
    return sorted((names[e.link], e.type) for e in events if isinstance(e, FrameLost))


def closings(events: Any) -> dict[str, int]:
    """By connection: the code with which the first of its ends was closed."""
    names = ranks(events)
    codes: dict[str, int] = {}
    for event in events:
        if isinstance(event, ConnectionClosed):
            codes.setdefault(names[event.link], event.code)
    return codes


def drawn(path: Path) -> str:
    seen, bad = all_seen_in(str(path))
    assert bad == []
    return scenario_of(seen.conns, path.name, seen.others, seen.protocol.name)


def comes_back(path: Path) -> list[Any]:
    """Play the diagram of a recording: each host writes and gets the same, in the same order.

    Gives the events of the run.
    """
    result = play(parse_scenario(drawn(path), "again.mmd", vocabularies()), driver="step")
    assert (result.failures, result.extra) == ((), ())
    first, again = read_trace(path).events, result.trace.events
    assert seen_by_hosts(again) == seen_by_hosts(first)
    assert closings(again) == closings(first)
    return list(again)
