"""The list of frames: one line per frame, request over HTTP or event of a connection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.core import event as events
from sim.core.event import Event
from sim.protocols.register import told
from sim.view.scene import kind_of
from tui.drawing.lines import Line, Span, fit, harmless, pad
from tui.session import Session

HEAD = "     #       T+  link          d  type                size  state"
SHOWN: tuple[type[Event], ...] = (
    events.FrameSent,
    events.FrameLost,
    events.BadFrame,
    events.ConnectionOpened,
    events.ConnectionRefused,
    events.ConnectionClosed,
    events.FaultInjected,
)
KINDS = tuple(one.__name__ for one in SHOWN)


HTTP = "http"
"""The word of a request over HTTP."""


def is_frame(event: Event) -> bool:
    """Whether the list has a line for it."""
    return isinstance(event, SHOWN) or is_request(event)


def is_request(event: Event) -> bool:
    """Whether somebody asks something over HTTP."""
    return isinstance(event, events.CallIssued) and kind_of(event.request) == HTTP


def line_of(session: Session, event: Event, width: int, *, cursor: bool, late: bool) -> Line:
    """A frame as it was sent, or what happened to a connection."""
    what: Any = event
    state, role = _state(session, event)
    sign = "▶" if cursor else "*" if event.n in session.marked else " "
    link = str(getattr(what, "link", getattr(what, "target", "")))
    if is_request(event):
        link = f"{what.caller}>{what.callee}"
    text = (
        f" {sign}{event.n:>5} {event.at / 1e6:>8.3f}  {pad(harmless(link), 13)} "
        f"{_way(session, event)}  {pad(harmless(_type(event)), 18)} {_size(session, event):>5}  "
    )
    room = max(width - len(text), 0)
    base = "cursor" if cursor else "late" if late else ""
    spans = (Span(fit(text, width), base), Span(fit(state, room), base if base else role))
    return Line(tuple(span for span in spans if span.text), event.n)


def signs(session: Session) -> str:
    """What the signs of the list mean."""
    centre = session.record.centre
    if centre == "server":
        return " → to the server   ← to the desktop   · connection   * marked"
    return f" → to the {centre}   ← from it   ? over HTTP   · connection   * marked"


def _way(session: Session, event: Any) -> str:
    """→ to the server side, ← from it, · an event of the connection."""
    if not isinstance(event, events.FrameSent | events.FrameLost):
        return "?" if is_request(event) else "·"
    kinds = dict(session.lanes())
    return "→" if kinds.get(event.receiver) == session.record.centre else "←"


def _type(event: Any) -> str:
    if isinstance(event, events.FrameSent):
        return told(event.frame, kind_of(event.frame))[0]
    if is_request(event):
        return told(event.request, HTTP)[0]
    if isinstance(event, events.FrameLost):
        return f"({event.type} {event.why})"
    if isinstance(event, events.BadFrame):
        return "(refused)"
    if isinstance(event, events.ConnectionOpened):
        return "(opened)"
    if isinstance(event, events.ConnectionClosed):
        return f"(closed {event.code})"
    if isinstance(event, events.FaultInjected):
        return f"({event.fault})"
    return "(refused dial)"


def _id(event: Any) -> str:
    frame = getattr(event, "frame", None)
    return str(frame.get("id", "")) if isinstance(frame, Mapping) else ""


def _size(session: Session, event: Event) -> str:
    if not isinstance(event, events.FrameSent) and not is_request(event):
        return ""
    start, end = session.trace.span(event.n)
    return str(end - start)


def _state(session: Session, event: Event) -> tuple[str, str]:
    """What became of it, as far as the next steps tell."""
    if isinstance(event, events.FrameLost | events.FaultInjected | events.ConnectionRefused):
        return "x", "bad"
    if isinstance(event, events.BadFrame):
        return f"! {event.error}", "bad"
    if isinstance(event, events.CallIssued):
        return _answer(session, event)
    if not isinstance(event, events.FrameSent):
        return "", "dim"
    arrivals, why = fate_of(session, event)
    if why:
        return f"x {why}", "bad"
    if not arrivals:
        return "in flight", "warn"
    delay = (session.event(arrivals[0]).at - event.at) / 1000
    again = f"  arrived {len(arrivals)}x" if len(arrivals) > 1 else ""
    return f"ok {delay:.0f} ms{again}", "warn" if again else "good"


LOOKS_AHEAD = 600


def _answer(session: Session, event: events.CallIssued) -> tuple[str, str]:
    """What came back for a request, and after how long."""
    for n in range(event.n + 1, min(event.n + LOOKS_AHEAD, session.count)):
        later: Any = session.event(n)
        if isinstance(later, events.CallAnswered) and later.call == event.n:
            reply = later.reply if isinstance(later.reply, Mapping) else {}
            status = reply.get("status", reply.get("why", "no answer"))
            good = isinstance(status, int) and 200 <= status < 300
            return f"{status}  {(later.at - event.at) / 1000:.0f} ms", "good" if good else "bad"
    return "under way", "warn"


def fate_of(session: Session, event: events.FrameSent) -> tuple[list[int], str]:
    """(steps of its arrivals, why it is lost) as far as one looks ahead."""
    arrivals, why = [], ""
    for n in range(event.n + 1, min(event.n + LOOKS_AHEAD, session.count)):
        later = session.event(n)
        if isinstance(later, events.FrameDelivered) and later.sent == event.n:
            arrivals.append(n)
        elif isinstance(later, events.FrameLost) and later.sent == event.n:
            why = later.why
        elif isinstance(later, events.BadFrame) and later.sent == event.n:
            why = f"refused: {later.error}"
        if (arrivals and n > arrivals[0] + 60) or why:
            break
    return arrivals, why


def request_of(frame: Any) -> str:
    """The request that a frame is about, "" for none."""
    payload = frame.get("payload") if isinstance(frame, Mapping) else None
    if not isinstance(payload, Mapping):
        return ""
    for field in ("requestId", "interactionId", "queryId", "replyTo"):
        if isinstance(payload.get(field), str):
            return str(payload[field])
    return ""


def same_request(session: Session, request: str, around: int, most: int = 12) -> list[int]:
    """Frames about the same request, as far as one looks around a step."""
    found = []
    for n in range(max(around - 400, 0), min(around + 400, session.count)):
        event = session.event(n)
        if isinstance(event, events.FrameSent) and request_of(event.frame) == request:
            found.append(n)
    return found[:most]
