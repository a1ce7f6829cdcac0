"""Traces for the tests of views: small real runs, and large made-up ones."""

from __future__ import annotations

from functools import cache

from sim.core import event as events
from sim.core.trace import Header, Trace
from sim.play import load, play
from sim.view.tracefile import TraceFile

HOSTS = (("U", "person"), ("IM", "slack"), ("S", "server"), ("D", "desktop"))


@cache
def result_of(name: str, without: tuple[str, ...] = ()):
    """A run of a shipped scenario."""
    return play(load(name), driver="step", without=without)


def file_of(name: str, without: tuple[str, ...] = ()) -> TraceFile:
    """The same as bytes."""
    return TraceFile.of_trace(result_of(name, without).trace, name)


def made_up(frames: int) -> Trace:
    """Tasks of four frames each, two of them at the same time; one fault in the middle."""
    kinds = ("task.dispatch", "task.ack", "turn.progress", "turn.end")
    told: list[events.Event] = [
        events.HostStarted(0, 0, -1, "S", 1),
        events.HostStarted(1, 0, -1, "D", 1),
        events.ConnectionOpened(2, 10, -1, "D.slack#1", "D", "S", "slack"),
    ]
    for nth in range(frames):
        n, at = len(told), 1000 * nth + 20
        kind = kinds[nth % 4]
        ends = ("S", "D") if kind == "task.dispatch" else ("D", "S")
        frame = {
            "v": 1,
            "type": kind,
            "id": f"f-{nth}",
            "ts": at,
            "payload": {"requestId": f"r{nth // 4}"},
        }
        told.append(events.FrameSent(n, at, -1, "D.slack#1", *ends, nth + 1, frame))
        told.append(events.FrameDelivered(n + 1, at + 500, n, "D.slack#1", *ends, n, kind))
        if nth == frames // 2:
            told.append(events.FaultInjected(n + 2, at + 600, -1, "hold D.slack#1 D>S", "D"))
    return Trace(Header(scenario="made-up", protocol="hook", hosts=HOSTS[2:]), told)
