"""A run as a trace that ui.perfetto.dev and chrome://tracing open (Trace Event Format, JSON).

Hosts are processes, activities slices on threads, frames and calls flows between them, calls
and connections spans of their own, faults and broken invariants instants over everything.
Virtual microseconds are the time; the same run gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from sim import __version__
from sim.cli.exporting.activities import Activities, Activity, name_of
from sim.cli.exporting.runs import Subject, Tell, silent
from sim.core import event as events
from sim.core.event import Event

Row = dict[str, Any]

WORLD: Final = 1
FIRST_THREAD: Final = 1_000_000
"""Of the threads' numbers, beyond those of processes."""


def perfetto_of(subject: Subject, tell: Tell = silent) -> Iterator[str]:
    """The text: one event of the format per line. ``tell`` hears of progress."""
    header = subject.trace.header
    about = {
        "made_by": f"hooktwin {__version__}",
        "scenario": subject.name,
        "protocol": header.protocol,
        "seed": header.seed,
        "driver": header.driver,
        "without": list(header.without),
    }
    head = {"displayTimeUnit": "ms", "otherData": about}
    yield _json(head)[:-1] + ',"traceEvents":[\n'
    comma = ""
    for row in _Told(subject, tell).rows():
        yield comma + _json(row)
        comma = ",\n"
    yield "\n]}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


class _Told:
    """The rows of a run: first who is there, then what each did, then all that happened."""

    def __init__(self, subject: Subject, tell: Tell) -> None:
        self._subject = subject
        self._tell = tell
        self._trace = subject.trace
        self._kinds = dict(subject.trace.header.hosts)
        self._activities = Activities(subject.trace)
        names = dict.fromkeys([*self._kinds, *(one.host for one in self._activities.every)])
        # Viewers know processes and threads by numbers; 0 is the idle one's, and no number
        # of a thread may occur in two processes.
        self._pids = {name: number for number, name in enumerate(names, WORLD + 1)}
        threads = [
            (name, n) for name, most in self._activities.threads() for n in range(1, most + 1)
        ]
        self._tids = {place: FIRST_THREAD + number for number, place in enumerate(threads)}
        self._open: dict[str, tuple[int, str]] = {}

    def rows(self) -> Iterator[Row]:
        yield from self._processes()
        for one in self._activities.every:
            yield self._row(
                "X", one.name, one.began, one, dur=one.ended - one.began, cat="activity"
            )
        for n in self._subject.steps(self._tell):
            yield from self._of(self._trace.event(n))
        yield from self._left_open()
        for broken in self._subject.violations:
            at = self._trace.event(min(broken.step, self._trace.count - 1)).at
            args = {"step": broken.step, "text": broken.text}
            yield _of_world("invariant", f"✗ {broken.invariant}", at, args)

    def _processes(self) -> Iterator[Row]:
        yield _named("process_name", WORLD, WORLD, "the world")
        for name, pid in self._pids.items():
            kind = self._kinds.get(name, "")
            title = f"{name} ({kind})" if kind not in ("", name) else name
            yield _named("process_name", pid, pid, title)
            sort = {"sort_index": pid}
            yield {"ph": "M", "name": "process_sort_index", "pid": pid, "tid": pid, "args": sort}
        for (name, thread), tid in self._tids.items():
            yield _named("thread_name", self._pids[name], tid, f"activity {thread}")

    def _row(self, phase: str, name: str, at: int, of: Activity, **more: Any) -> Row:
        return {"ph": phase, "name": name, "ts": at, "pid": self._pids[of.host],
                "tid": self._tids[of.host, of.thread], **more}  # fmt: skip

    def _of(self, event: Event) -> Iterator[Row]:
        activity = self._activities.of(event.n)
        args = json.loads(self._trace.line(event.n))
        if activity is None:
            yield _of_world("fault", name_of(event), event.at, args)
            return
        wide = isinstance(event, events.HostCrashed | events.HostStarted)
        scope = "p" if wide else "t"
        kind = type(event).__name__
        yield self._row("i", name_of(event), event.at, activity, s=scope, cat=kind, args=args)
        yield from self._flows(event, activity)
        yield from self._spans(event)

    def _flows(self, event: Any, activity: Activity) -> Iterator[Row]:
        """Arrows: of frames and calls from whom they leave to whom they reach."""
        match event:
            case events.FrameSent():
                yield self._flow("s", "frame", event.n, event.at, activity)
            case events.FrameDelivered() if self._activities.of(event.sent) is not None:
                yield self._flow("f", "frame", event.sent, event.at, activity)
            case events.CallIssued():
                yield self._flow("s", "call", event.n, event.at, activity)
            case events.CallApplied() if self._activities.of(event.call) is not None:
                yield self._flow("f", "call", event.call, event.at, activity)
                yield self._flow("s", "answer", event.n, event.at, activity)
            case events.CallAnswered() if self._applied(event.cause, event.call):
                yield self._flow("f", "answer", event.cause, event.at, activity)

    def _applied(self, n: int, call: int) -> bool:
        """Whether an event is that of the call's being dealt with."""
        if not 0 <= n < self._trace.count:
            return False
        event = self._trace.event(n)
        return isinstance(event, events.CallApplied) and event.call == call

    def _flow(self, phase: str, kind: str, n: int, at: int, activity: Activity) -> Row:
        more = {"bp": "e"} if phase == "f" else {}
        # Numbers: Perfetto takes no other names for flows.
        return self._row(phase, kind, at, activity, id=n + 1, cat=kind, **more)

    def _spans(self, event: Any) -> Iterator[Row]:
        """What lasts: calls until their answer, connections until an end gives them up."""
        match event:
            case events.CallIssued():
                yield from self._begins(f"call {event.n}", name_of(event), event.caller, event.at)
            case events.CallAnswered() | events.CallLost():
                yield from self._ends(f"call {event.call}", event.at)
            case events.ConnectionOpened():
                yield from self._begins(event.link, event.link, event.client, event.at)
            case events.ConnectionClosed():
                yield from self._ends(event.link, event.at)

    def _begins(self, id: str, name: str, host: str, at: int) -> Iterator[Row]:
        if host in self._pids and id not in self._open:
            self._open[id] = self._pids[host], name
            yield _span("b", id, name, self._pids[host], at)

    def _ends(self, id: str, at: int) -> Iterator[Row]:
        known = self._open.pop(id, None)
        if known is not None:
            pid, name = known
            yield _span("e", id, name, pid, at)

    def _left_open(self) -> Iterator[Row]:
        """What the run's end cuts off."""
        if self._trace.count:
            at = self._trace.event(self._trace.count - 1).at
            for id in list(self._open):
                yield from self._ends(id, at)


def _of_world(kind: str, name: str, at: int, args: Any) -> Row:
    """Something over everything."""
    return {"ph": "i", "s": "g", "cat": kind, "name": name, "ts": at, "pid": WORLD,
            "tid": WORLD, "args": args}  # fmt: skip


def _named(what: str, pid: int, tid: int, name: str) -> Row:
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}}


def _span(phase: str, id: str, name: str, pid: int, at: int) -> Row:
    kind = "call" if id.startswith("call ") else "connection"
    return {"ph": phase, "cat": kind, "id": id, "name": name, "pid": pid, "tid": pid, "ts": at}
