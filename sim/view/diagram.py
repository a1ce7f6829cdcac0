"""One row per step: from whom to whom, how its arrow looks, which words belong to it.

A row is made from its own event and from those that it refers to, so that any
part of a trace can be drawn without the rest. The words come from the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Literal

import attrs

from sim.core import event as events
from sim.core.event import Event
from sim.core.http import untold
from sim.view.scene import kind_of
from sim.view.tracefile import TraceFile

Arrow = Literal["frame", "again", "call", "answer", "lost", "link", "fault", "mark", "through"]
LOCAL: tuple[type[Event], ...] = (
    events.FrameSent,
    events.CallAnswered,
    events.TimerFired,
    events.Saved,
    events.Erased,
    events.HostCrashed,
)
"""Steps that are merged with their neighbours unless somebody wants to see all of them."""

LOOKS_BACK = 500
"""Steps within which a second arrival of a frame is recognised."""

FARTHEST = 200
"""Causes that are followed, at most, to see what went through a hidden lane."""

_QUIET_REPLIES = ("seen",)
_QUIET_REQUESTS = ("read-file", "create-file", "write-file", "remove-file", "is-alive")
"""What a process asks of its disk on the way to a change: only the renaming is told."""
_DONE_FILES = ("file-done", "no-file")
_PUT = "rename-file"
"""What puts a new content in a file's place."""


@attrs.frozen
class Row:
    """A step as a line of the diagram.

    ``source`` equal to ``target``: a mark on one lane. ``refers`` is the step that
    this one answers or completes (a frame's sending, a call), -1 for none.
    """

    n: int
    at: int
    arrow: Arrow
    source: str
    target: str
    label: str
    detail: str = ""
    refers: int = -1
    cause: int = -1

    @property
    def text(self) -> str:
        """Everything that is visible of it."""
        return f"{self.source} {self.target} {self.label} {self.detail}".strip()


@attrs.frozen
class Words:
    """Where the words of a row come from: (label, detail) each.

    ``frame`` of a decoded frame and its type, ``label`` its nearest name, ``asked`` of a
    call's request, ``done`` of a request and its reply, ``act`` and ``note`` of what
    somebody did or told.
    """

    frame: Callable[[str, Any], str] = lambda type_name, frame: ""
    label: Callable[[str, Any], str] = lambda type_name, frame: type_name
    asked: Callable[[Any], tuple[str, str]] = lambda request: (kind_of(request), "")
    done: Callable[[Any, Any], tuple[str, str]] = lambda request, reply: (kind_of(reply), "")
    act: Callable[[Any], tuple[str, str]] = lambda act: (kind_of(act), "")
    note: Callable[[str, Any], tuple[str, str]] = lambda what, data: (what, str(data))


class Diagram:
    """Rows of one trace."""

    def __init__(self, trace: TraceFile, words: Words | None = None) -> None:
        self.trace = trace
        self.words = words or Words()
        self._rows: dict[int, Row] = {}

    def row(self, n: int) -> Row:
        """The row of a step. Raises IndexError, TraceError like the trace."""
        row = self._rows.get(n)
        if row is None:
            if len(self._rows) > 4096:
                self._rows.clear()
            row = self._rows[n] = self._row(self.trace.event(n))
        return row

    def is_shown(self, event: Event, *, every: bool = False) -> bool:
        """Whether a step gets a row of its own; ``every`` step does if wanted."""
        if every:
            return True
        if isinstance(event, LOCAL):
            return False
        if isinstance(event, events.CallIssued):
            return kind_of(event.request) not in _QUIET_REQUESTS
        if isinstance(event, events.CallApplied):
            if kind_of(event.request) in _QUIET_REQUESTS or kind_of(event.reply) in _DONE_FILES:
                return False
            return kind_of(event.reply) not in _QUIET_REPLIES and not self._is_personal(event)
        if isinstance(event, events.HostStarted):
            return event.epoch == 1 and event.at > 0
        if isinstance(event, events.Noted):
            return event.what != "agent"
        if isinstance(event, events.Acted):
            return not _speaks_for_itself(event.act)
        return True

    def _is_personal(self, event: events.CallApplied) -> bool:
        return kind_of(event.request) in _OF_PEOPLE and kind_of(event.reply) == "done"

    def forwards(self, n: int, *, every: bool = False) -> Iterator[int]:
        """The shown steps at and behind ``n``."""
        for step in range(max(n, 0), self.trace.count):
            if every or self.is_shown(self.trace.event(step)):
                yield step

    def backwards(self, n: int, *, every: bool = False) -> Iterator[int]:
        """The shown steps at and before ``n``, nearest first."""
        for step in range(min(n, self.trace.count - 1), -1, -1):
            if every or self.is_shown(self.trace.event(step)):
                yield step

    def through(self, row: Row, hidden: Collection[str]) -> Row:
        """The row where some lanes are hidden: an arrow out of one of them begins at the
        shown lane from which its cause came ("through"). Other rows stay as they are.
        """
        if row.source not in hidden or row.target in hidden or row.source == row.target:
            return row
        n = row.cause
        for _ in range(FARTHEST):
            if n < 0:
                break
            before = self.row(n)
            if before.source not in hidden and before.target in hidden:
                if before.source == row.target:
                    break  # its own question comes back: that is no way from lane to lane
                return attrs.evolve(row, arrow="through", source=before.source)
            n = before.cause
        return row

    def _row(self, event: Event) -> Row:
        return _ROWS[type(event)](self, event)

    def frame_of(self, sent: int) -> Any:
        """The frame that a delivery, a loss or a refusal speaks of."""
        return getattr(self.trace.event(sent), "frame", None)

    def has_arrived_before(self, event: events.FrameDelivered) -> bool:
        """Whether an earlier step delivered the same frame (as far as one looks back)."""
        return any(
            isinstance(before, events.FrameDelivered) and before.sent == event.sent
            for before in map(
                self.trace.event, range(max(event.sent + 1, event.n - LOOKS_BACK), event.n)
            )
        )

    def _request_of(self, call: int) -> Any:
        return getattr(self.trace.event(call), "request", None)


_OF_PUPPETS = ("puppet-sends", "puppet-dials", "puppet-closes")
_OF_PEOPLE = ("say", "press", "remove", "authorize", *_OF_PUPPETS)


def _speaks_for_itself(act: Any) -> bool:
    return kind_of(act) in _OF_PEOPLE


def _row(event: Event, arrow: Arrow, source: str, target: str, label: str, **rest: Any) -> Row:
    return Row(event.n, event.at, arrow, source, target, label, cause=event.cause, **rest)


def _opened(_: Diagram, e: events.ConnectionOpened) -> Row:
    return _row(e, "link", e.client, e.server, "connects", detail=e.link)


def _refused(_: Diagram, e: events.ConnectionRefused) -> Row:
    return _row(e, "lost", e.client, e.server, "connects", detail=f"{e.link} refused")


def _closed(_: Diagram, e: events.ConnectionClosed) -> Row:
    detail = f"{e.link} {e.code} {e.reason}".rstrip()
    return _row(e, "mark", e.host, e.host, "closed", detail=detail)


def _sent(diagram: Diagram, e: events.FrameSent) -> Row:
    type_name = kind_of(e.frame)
    words = diagram.words.frame(type_name, e.frame)
    label = diagram.words.label(type_name, e.frame)
    return _row(e, "mark", e.sender, e.sender, f"sends {label}", detail=words)


def _delivered(diagram: Diagram, e: events.FrameDelivered) -> Row:
    frame = diagram.frame_of(e.sent)
    words, label = diagram.words.frame(e.type, frame), diagram.words.label(e.type, frame)
    arrow: Arrow = "again" if diagram.has_arrived_before(e) else "frame"
    return _row(e, arrow, e.sender, e.receiver, label, detail=words, refers=e.sent)


def _lost(diagram: Diagram, e: events.FrameLost) -> Row:
    frame = diagram.frame_of(e.sent)
    words = f"{e.why}  {diagram.words.frame(e.type, frame)}"
    label = diagram.words.label(e.type, frame)
    return _row(e, "lost", e.sender, e.receiver, label, detail=words, refers=e.sent)


def _bad(_: Diagram, e: events.BadFrame) -> Row:
    where = f"{e.path}: " if e.path else ""
    detail = where + e.error
    return _row(e, "mark", e.host, e.host, "drops a bad frame", detail=detail, refers=e.sent)


def _issued(diagram: Diagram, e: events.CallIssued) -> Row:
    label, detail = diagram.words.asked(e.request)
    if label == _PUT and isinstance(e.request, Mapping):
        label, detail = "writes", str(e.request.get("target", "")).rpartition("/")[2]
    return _row(e, "call", e.caller, e.callee, label, detail=detail)


def _applied(diagram: Diagram, e: events.CallApplied) -> Row:
    label, detail = diagram.words.done(e.request, e.reply)
    return _row(e, "answer", e.callee, e.caller, label, detail=detail, refers=e.call)


def _answered(diagram: Diagram, e: events.CallAnswered) -> Row:
    label, _ = diagram.words.asked(diagram._request_of(e.call))
    return _row(e, "mark", e.caller, e.caller, f"hears of {label}", refers=e.call)


def _call_lost(diagram: Diagram, e: events.CallLost) -> Row:
    label, detail = diagram.words.asked(diagram._request_of(e.call))
    source, target = (e.caller, e.callee)
    if e.why.startswith("answer"):
        source, target = target, source
    return _row(e, "lost", source, target, label, detail=f"{e.why}  {detail}", refers=e.call)


def _timer(_: Diagram, e: events.TimerFired) -> Row:
    return _row(e, "mark", e.host, e.host, f"timer {e.timer}", detail=e.key)


def _saved(_: Diagram, e: events.Saved) -> Row:
    state = e.value.get("state", "") if isinstance(e.value, Mapping) else ""
    return _row(e, "mark", e.host, e.host, "saves", detail=f"{e.key} {state}".rstrip())


def _erased(_: Diagram, e: events.Erased) -> Row:
    return _row(e, "mark", e.host, e.host, "erases", detail=e.key)


def _acted(diagram: Diagram, e: events.Acted) -> Row:
    label, detail = diagram.words.act(e.act)
    return _row(e, "mark", e.host, e.host, label, detail=detail)


def _noted(diagram: Diagram, e: events.Noted) -> Row:
    label, detail = diagram.words.note(e.what, e.data)
    return _row(e, "mark", e.host, e.host, label, detail=detail)


def _fault(_: Diagram, e: events.FaultInjected) -> Row:
    source, target = _ends(e.target)
    return _row(e, "fault", source, target or source, untold(e.fault))


def _ends(target: str) -> tuple[str, str]:
    """A fault of a link is drawn on the lane of its client, one of a host on its own."""
    return target.partition(".")[0], ""


def _started(_: Diagram, e: events.HostStarted) -> Row:
    return _row(e, "mark", e.host, e.host, "starts", detail=f"epoch {e.epoch}")


def _crashed(_: Diagram, e: events.HostCrashed) -> Row:
    return _row(e, "mark", e.host, e.host, "is down", detail=f"epoch {e.epoch}")


_ROWS: dict[type[Event], Callable[[Diagram, Any], Row]] = {
    events.ConnectionOpened: _opened,
    events.ConnectionRefused: _refused,
    events.ConnectionClosed: _closed,
    events.FrameSent: _sent,
    events.FrameDelivered: _delivered,
    events.FrameLost: _lost,
    events.BadFrame: _bad,
    events.CallIssued: _issued,
    events.CallApplied: _applied,
    events.CallAnswered: _answered,
    events.CallLost: _call_lost,
    events.TimerFired: _timer,
    events.Saved: _saved,
    events.Erased: _erased,
    events.Acted: _acted,
    events.Noted: _noted,
    events.FaultInjected: _fault,
    events.HostStarted: _started,
    events.HostCrashed: _crashed,
}
