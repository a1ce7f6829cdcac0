"""The activities of a run: what a host did because of one thing that reached it.

A trace says of each event what caused it. All that a host did of one cause is one activity,
until its last event; the answer of a call goes on with the activity that asked. Activities of
a host that overlap have threads of their own.
"""

from __future__ import annotations

from typing import Any, Final

import attrs

from sim.core import event as events
from sim.core.event import Event
from sim.core.http import untold
from sim.protocols import register
from sim.view.tracefile import TraceFile

SHORTEST_US: Final = 1
"""What happens in no virtual time at all still has to be seen."""


@attrs.define(eq=False)
class Activity:
    """``began`` and ``ended`` in µs of the run; ``thread`` counts from 1 within its host."""

    host: str
    name: str
    began: int
    ended: int
    first: int
    thread: int = 0


def host_of(event: Any) -> str:
    """At whose place it happened; "" for what happens to the world (a fault)."""
    match event:
        case events.FrameSent() | events.FrameLost():
            return str(event.sender)
        case events.FrameDelivered():
            return str(event.receiver)
        case events.CallIssued() | events.CallAnswered() | events.CallLost():
            return str(event.caller)
        case events.CallApplied():
            return str(event.callee)
        case events.ConnectionOpened():
            return str(event.server)
        case events.ConnectionRefused():
            return str(event.client)
    return str(getattr(event, "host", ""))


def name_of(event: Any) -> str:
    """What happened, in a few words."""
    match event:
        case events.FrameSent():
            return f"sends {_called(event.frame, 'a frame')}"
        case events.FrameDelivered():
            return str(event.type)
        case events.FrameLost():
            return f"{event.type} is lost: {event.why}"
        case events.CallIssued():
            return f"asks {event.callee}: {_called(event.request, 'a call')}"
        case events.CallApplied():
            return _called(event.request, "a call")
        case events.CallAnswered():
            return f"{event.callee} answers"
        case events.TimerFired():
            return f"timer {event.timer} {event.key}".rstrip()
        case events.Acted():
            return f"act: {_called(event.act, 'an act')}"
        case events.Noted():
            return str(event.what)
        case events.Saved() | events.Erased():
            verb = "saves" if isinstance(event, events.Saved) else "erases"
            return f"{verb} {event.key}"
        case events.ConnectionOpened() | events.ConnectionRefused() | events.ConnectionClosed():
            words = {"ConnectionOpened": "opens", "ConnectionRefused": "is refused"}
            return f"{event.link} {words.get(type(event).__name__, 'is closed')}"
        case events.FaultInjected():
            return untold(str(event.fault))
        case events.BadFrame():
            return f"bad frame: {event.error}"
        case events.HostStarted():
            return f"starts, life {event.epoch}"
        case events.HostCrashed():
            return f"crashes, life {event.epoch}"
    return type(event).__name__


def _called(value: Any, otherwise: str) -> str:
    """The name that people are told, else the value's own word."""
    name, _ = register.told(value, "")
    if name:
        return name
    word = value.get("is") if isinstance(value, dict) else None
    return str(word) if word else otherwise


class Activities:
    """All activities of a run; ``of`` gives that of an event by its number."""

    def __init__(self, trace: TraceFile) -> None:
        self.every: list[Activity] = []
        self._of: dict[int, Activity] = {}
        self._by_cause: dict[tuple[str, int], Activity] = {}
        self._trace = trace
        for n in range(trace.count):
            self._take(trace.event(n))
        self._give_threads()

    def of(self, n: int) -> Activity | None:
        """None for what no host did."""
        return self._of.get(n)

    def _take(self, event: Event) -> None:
        host = host_of(event)
        if not host:
            return
        activity = self._going_on(event, host)
        if activity is None:
            activity = Activity(host, self._stimulus(event), event.at, event.at, event.n)
            self.every.append(activity)
            if not isinstance(event, events.TimerFired):
                self._by_cause[host, event.cause] = activity
        if not isinstance(event, events.FrameLost):  # which is nothing that the sender does
            activity.ended = max(activity.ended, event.at + SHORTEST_US)
        self._of[event.n] = activity

    def _stimulus(self, event: Any) -> str:
        """What has reached the host: a call is heard of by its first effect."""
        if 0 <= event.cause < event.n and not isinstance(event, events.TimerFired):
            cause = self._trace.event(event.cause)
            if isinstance(cause, events.CallIssued):
                return _called(cause.request, "a call")
        return name_of(event)

    def _going_on(self, event: Any, host: str) -> Activity | None:
        """The activity that an event belongs to, where there is one already."""
        if isinstance(event, events.TimerFired) or event.cause < 0:
            return None
        if isinstance(event, events.CallAnswered | events.CallLost):
            asked = self._of.get(event.call)
            return asked if asked is not None and asked.host == host else None
        before = self._of.get(event.cause)
        if before is not None and before.host == host:
            return before
        return self._by_cause.get((host, event.cause))

    def _give_threads(self) -> None:
        """The lowest thread of the host that is free, in order of beginning."""
        free_at: dict[str, list[int]] = {}
        for one in sorted(self.every, key=lambda a: (a.began, a.first)):
            threads = free_at.setdefault(one.host, [])
            place = next((n for n, free in enumerate(threads) if free <= one.began), len(threads))
            threads[place : place + 1] = [one.ended]
            one.thread = place + 1

    def threads(self) -> tuple[tuple[str, int], ...]:
        """(host, number) of each thread, those of a host together."""
        most: dict[str, int] = {}
        for one in self.every:
            most[one.host] = max(most.get(one.host, 0), one.thread)
        return tuple((host, n) for host, count in most.items() for n in range(1, count + 1))
