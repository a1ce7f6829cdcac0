"""Traces for the tests of views: small real runs, and large made-up ones."""

from __future__ import annotations

from collections.abc import Iterator
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
    """Tasks of four frames each, one after the other; one fault in the middle."""
    return Trace(MADE_UP, list(made_up_events(frames)))


MADE_UP = Header(scenario="made-up", protocol="hook", hosts=HOSTS[2:])
KINDS = ("task.dispatch", "task.ack", "turn.progress", "turn.end")


def made_up_events(frames: int) -> Iterator[events.Event]:
    """The events of such a trace, one at a time: a million need no memory."""
    yield events.HostStarted(0, 0, -1, "S", 1)
    yield events.HostStarted(1, 0, -1, "D", 1)
    yield events.ConnectionOpened(2, 10, -1, "D.slack#1", "D", "S", "slack")
    n = 3
    for nth in range(frames):
        at, kind = 1000 * nth + 20, KINDS[nth % 4]
        ends = ("S", "D") if kind == "task.dispatch" else ("D", "S")
        payload = {"requestId": f"r{nth // 4}"}
        frame = {"v": 1, "type": kind, "id": f"f-{nth}", "ts": at, "payload": payload}
        yield events.FrameSent(n, at, -1, "D.slack#1", *ends, nth + 1, frame)
        yield events.FrameDelivered(n + 1, at + 500, n, "D.slack#1", *ends, n, kind)
        n += 2
        if nth == frames // 2:
            yield events.FaultInjected(n, at + 600, -1, "hold D.slack#1 D>S", "D")
            n += 1
