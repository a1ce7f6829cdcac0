"""From events to rows: what is worth showing, between whom, in which words.

A row is drawn either as an arrow from one lifeline to another or as a mark on
one of them. Nothing here knows a screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import attrs

from sim.cli.drawing import calls
from sim.cli.drawing.plain import plain
from sim.cli.drawing.telling import Names, tell
from sim.core import event as events
from sim.core.http import untold
from sim.core.invariant import Violation
from sim.core.trace import Trace
from sim.protocols.register import told

Shape = Literal["frame", "call", "person", "link", "lost", "mark", "banner", "gap"]
Effect = Literal["", "down", "up"]


@attrs.frozen
class Row:
    """One line of the drawing.

    ``n`` and ``at`` are those of the event; ``label`` may stand on the arrow,
    ``detail`` stands beside it. ``effect``: the source goes down or comes up.
    ``call`` is the number of the call that the row belongs to.
    """

    n: int
    at: int
    shape: Shape
    source: str
    target: str
    label: str
    detail: str = ""
    effect: Effect = ""
    call: int = -1
    settles: bool = False


HEARTBEATS = ("ping", "pong")


def rows_of(
    trace: Trace,
    *,
    names: tuple[tuple[str, str], ...] = (),
    violations: Sequence[Violation] = (),
    every: bool = False,
) -> list[Row]:
    """The rows of a run; ``every`` keeps what is usually left out."""
    teller = _Teller(Names(names), every, frozenset(_unheard(trace)))
    rows = [row for event in trace.events for row in teller.of(event)]
    if not every:
        rows = _merge_files(_merge_calls(_merge_heartbeats(rows)))
    return _with_violations(rows, violations, teller.names)


def _unheard(trace: Trace) -> Iterator[int]:
    """The calls whose answers never reached who had asked."""
    for event in trace.events:
        if type(event) is events.CallLost or (
            type(event) is events.CallAnswered and calls.unreached(event.reply)
        ):
            yield event.call


class _Teller:
    """Finds the words for each kind of event; remembers what later events refer to."""

    def __init__(self, names: Names, every: bool, unheard: frozenset[int]) -> None:
        self.names = names
        self.every = every
        self._unheard = unheard
        self._frames: dict[int, Any] = {}
        self._arrived: dict[int, None] = {}
        self._ends: dict[str, tuple[str, str]] = {}
        self._requests: dict[int, Any] = {}
        self._tell: dict[type[events.Event], Callable[[Any], Row | None]] = {
            events.ConnectionOpened: self._opened,
            events.ConnectionRefused: self._refused,
            events.ConnectionClosed: self._closed,
            events.FrameSent: self._sent,
            events.FrameDelivered: self._delivered,
            events.FrameLost: self._lost,
            events.BadFrame: self._bad,
            events.CallIssued: self._issued,
            events.CallApplied: self._applied,
            events.CallAnswered: self._answered,
            events.CallLost: self._call_lost,
            events.Acted: self._acted,
            events.Noted: self._noted,
            events.FaultInjected: self._fault,
            events.HostStarted: self._started,
            events.HostCrashed: self._crashed,
        }

    def of(self, event: events.Event) -> Iterable[Row]:
        """The row of an event, if it gets one."""
        tell = self._tell.get(type(event))
        row = tell(event) if tell is not None else None
        if row is None and self.every and type(event) in _INNER:
            row = _inner(event, self.names)
        return () if row is None else (row,)

    # -- connections -----------------------------------------------------------

    def _opened(self, e: events.ConnectionOpened) -> Row:
        self._ends[e.link] = (e.client, e.server)
        return Row(e.n, e.at, "link", e.client, e.server, "connects", e.link)

    def _refused(self, e: events.ConnectionRefused) -> Row:
        why = f"refused: {e.status}" if e.status else "refused"
        return Row(e.n, e.at, "lost", e.client, e.server, "connects", f"{e.link} {why}")

    def _closed(self, e: events.ConnectionClosed) -> Row:
        reason = f" {e.reason}" if e.reason else ""
        return Row(e.n, e.at, "mark", e.host, e.host, "closed", f"{e.link} {e.code}{reason}")

    # -- frames ----------------------------------------------------------------

    def _sent(self, e: events.FrameSent) -> Row | None:
        self._frames[e.n] = frame = plain(e.frame)
        if not self.every:
            return None
        label, _ = told(frame, "?")
        return Row(e.n, e.at, "mark", e.sender, e.sender, f"sends {label}")

    def _words(self, sent: int, type_name: str) -> tuple[str, str]:
        """The nearest name of a frame, and its telling fields."""
        label, fields = told(self._frames.get(sent, {}), type_name)
        return label, tell(label, fields, self.names)

    def _delivered(self, e: events.FrameDelivered) -> Row:
        label, words = self._words(e.sent, e.type)
        if e.sent in self._arrived:
            words = f"(again) {words}"
        self._arrived[e.sent] = None
        return Row(e.n, e.at, "frame", e.sender, e.receiver, label, words)

    def _lost(self, e: events.FrameLost) -> Row:
        label, words = self._words(e.sent, e.type)
        return Row(e.n, e.at, "lost", e.sender, e.receiver, label, f"lost: {e.why}  {words}")

    def _bad(self, e: events.BadFrame) -> Row:
        where = f"{e.path}: " if e.path else ""
        return Row(e.n, e.at, "mark", e.host, e.host, "drops a bad frame", where + e.error)

    # -- calls -----------------------------------------------------------------

    def _issued(self, e: events.CallIssued) -> Row:
        self._requests[e.n] = request = plain(e.request)
        label, detail = calls.asked(request, self.names)
        shape: Shape = "person" if calls.is_of_person(request) else "call"
        return Row(e.n, e.at, shape, e.caller, e.callee, label, detail, call=e.n)

    def _applied(self, e: events.CallApplied) -> Row | None:
        told = calls.outcome(plain(e.request), plain(e.reply), self.names)
        if told is None and not self.every:
            return None
        label, detail = told or ("done", "")
        # An answer that crosses a network says for whom it is: several may be waiting.
        goes_back = calls.is_http(e.request) and e.call not in self._unheard
        shape: Shape = "call" if goes_back else "mark"
        target = e.caller if goes_back else e.callee
        return Row(e.n, e.at, shape, e.callee, target, label, detail, call=e.call, settles=True)

    def _answered(self, e: events.CallAnswered) -> Row | None:
        why = calls.unreached(e.reply)
        if why:
            return Row(e.n, e.at, "lost", e.callee, e.caller, why, "", call=e.call)
        if not self.every:
            return None
        label, _ = calls.asked(self._requests.get(e.call, {}), self.names)
        return Row(e.n, e.at, "mark", e.caller, e.caller, f"answer to {label}", "", call=e.call)

    def _call_lost(self, e: events.CallLost) -> Row:
        label, detail = calls.asked(self._requests.get(e.call, {}), self.names)
        words = f"{e.why}  {detail}".rstrip()
        if e.why.startswith("answer"):
            return Row(e.n, e.at, "lost", e.callee, e.caller, label, words)
        return Row(e.n, e.at, "lost", e.caller, e.callee, label, words)

    # -- people, agents, faults ------------------------------------------------

    def _acted(self, e: events.Acted) -> Row | None:
        act = plain(e.act)
        if calls.speaks_for_itself(act) and not self.every:
            return None
        label, detail = calls.act(act, self.names)
        return Row(e.n, e.at, "mark", e.host, e.host, label, detail)

    def _noted(self, e: events.Noted) -> Row | None:
        if e.what not in calls.TOLD_NOTES and not self.every:
            return None
        label, detail = calls.note(e.what, plain(e.data), self.names)
        return Row(e.n, e.at, "mark", e.host, e.host, label, detail)

    def _fault(self, e: events.FaultInjected) -> Row:
        words = untold(e.fault.replace(f" {e.target}", "", 1))
        source, target = self._ends.get(e.target, (e.target, e.target))
        effect: Effect = "down" if words == "crash" else "up" if words == "restart" else ""
        detail = e.target if source != target else ""
        shape: Shape = "lost" if source != target else "mark"
        return Row(e.n, e.at, shape, source, target, f"⚡ {words}", detail, effect)

    def _started(self, e: events.HostStarted) -> Row | None:
        if not self.every and (e.at == 0 or e.epoch > 1):
            return None
        return Row(e.n, e.at, "mark", e.host, e.host, "starts", "", "up")

    def _crashed(self, e: events.HostCrashed) -> Row | None:
        return Row(e.n, e.at, "mark", e.host, e.host, "is down", "") if self.every else None


_INNER = (events.TimerFired, events.Saved, events.Erased)


def _inner(event: Any, names: Names) -> Row:
    """What a host does on its own: timers and its store."""
    if isinstance(event, events.TimerFired):
        label, detail = f"timer {event.timer}", event.key
    else:
        label = "saves" if isinstance(event, events.Saved) else "erases"
        detail = names.within(event.key)
    return Row(event.n, event.at, "mark", event.host, event.host, label, detail)


def _merge_heartbeats(rows: list[Row]) -> list[Row]:
    """Pings and pongs in a row become one line with their number."""
    merged: list[Row] = []
    beats: list[Row] = []
    for row in [*rows, None]:
        if row is not None and row.shape == "frame" and row.label in HEARTBEATS:
            beats.append(row)
            continue
        if len(beats) > 2:
            first, last = beats[0], beats[-1]
            detail = f"{len(beats)} heartbeat frames until {last.at / 1e6:.3f} s"
            merged.append(attrs.evolve(last, at=first.at, shape="gap", label="", detail=detail))
        else:
            merged += beats
        beats = []
        if row is not None:
            merged.append(row)
    return merged


def _merge_calls(rows: list[Row]) -> list[Row]:
    """A call that is applied before anything else happens is one row."""
    merged: list[Row] = []
    for row in rows:
        last = merged[-1] if merged else None
        if row.settles and last is not None and last.call == row.call and not last.settles:
            after = f"{row.label} after {(row.at - last.at) / 1000:.0f} ms"
            detail = f"{last.detail} · {after}" if last.detail else after
            merged[-1] = attrs.evolve(last, detail=detail)
        else:
            merged.append(row)
    return merged


def _merge_files(rows: list[Row]) -> list[Row]:
    """What one process does with files at one go is one row: read, write, put in place."""
    merged: list[Row] = []
    for row in rows:
        last = merged[-1] if merged else None
        is_file = row.shape == "call" and row.label in calls.FILE_OPS
        if is_file and last is not None and _goes_on(last, row):
            detail = f"{last.detail}, {calls.FILE_OPS[row.label]}"
            merged[-1] = attrs.evolve(last, detail=detail)
        elif is_file:
            merged.append(attrs.evolve(row, label="file", detail=calls.FILE_OPS[row.label]))
        else:
            merged.append(row)
    return merged


def _goes_on(last: Row, row: Row) -> bool:
    return (last.shape, last.label) == ("call", "file") and (last.source, last.target) == (
        row.source,
        row.target,
    )


def _with_violations(rows: list[Row], violations: Sequence[Violation], names: Names) -> list[Row]:
    """Put each violation behind what broke it."""
    for broken in sorted(violations, key=lambda v: v.step):
        place = sum(row.n <= broken.step for row in rows)
        at = rows[place - 1].at if place else 0
        text = f"{broken.invariant}: {names.within(broken.text)}"
        rows.insert(place, Row(broken.step, at, "banner", "", "", "✗", text))
    return rows
