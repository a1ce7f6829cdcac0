"""One step in words: what happened, who asked for it, what it changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.core import event as events
from sim.view.scene import kind_of
from tui.drawing.lines import Line, facts, line, wrap
from tui.session import Session

Pair = tuple[str, str | tuple[str, str]]


def inspect(session: Session, n: int, width: int) -> list[Line]:
    """The panel beside the diagram."""
    if session.count == 0:
        return [line(("no steps yet", "dim"))]
    event: Any = session.event(n)
    row = session.diagram.row(n)
    pairs: list[Pair] = [("event", type(event).__name__), ("lane", _ends(row.source, row.target))]
    pairs += [(name, value) for name, value in _own(session, event) if value]
    pairs += _cause(session, event)
    lines = facts(pairs, width)
    lines += [line(("  " + part).rstrip()) for part in wrap(row.detail, width - 2, 4) if part]
    lines += _change(session, event, width)
    lines += _subject(session, event, width)
    return lines


def _ends(source: str, target: str) -> str:
    return source if source == target else f"{source} -> {target}"


def _own(session: Session, event: Any) -> Iterator[Pair]:
    yield "link", str(getattr(event, "link", ""))
    match event:
        case events.FrameDelivered() | events.FrameLost():
            yield "frame", event.type
            yield from _asked(session, event.sent, "sent", event)
        case events.CallApplied() | events.CallAnswered() | events.CallLost():
            yield from _asked(session, event.call, "asked", event)
        case events.CallIssued():
            yield "asks", kind_of(event.request)
        case events.ConnectionClosed():
            yield "code", f"{event.code} {event.reason} by {event.by}"
        case events.FaultInjected():
            yield "fault", (event.fault, "bad")
        case events.BadFrame():
            yield "refused", (event.error, "bad")
        case events.Saved() | events.Erased():
            yield "key", event.key
        case events.TimerFired():
            yield "timer", f"{event.timer} {event.key}".rstrip()


def _asked(session: Session, step: int, word: str, event: Any) -> Iterator[Pair]:
    """When it set out, and how much happened in the gap."""
    if not 0 <= step < event.n:
        return
    before = session.event(step)
    seconds = (event.at - before.at) / 1e6
    yield word, f"at step {step}"
    yield "gap", f"{event.n - step} steps, {seconds:.3f} s"


def _cause(session: Session, event: Any) -> list[Pair]:
    if event.cause < 0:
        return []
    cause = session.diagram.row(event.cause)
    return [("cause", f"step {event.cause}  {cause.label}")]


def _change(session: Session, event: Any, width: int) -> list[Line]:
    """Before and after, for steps that change what a channel shows."""
    message = _message_of(event)
    if not message or not session.know(event.n):
        return []
    before = {m.message.id: m for m in session.chronicle.messages(event.n - 1)}.get(message)
    after = {m.message.id: m for m in session.chronicle.messages(event.n)}.get(message)
    if after is None:
        return []
    lines = [line(), line((f"message {message}", "strong"))]
    then = "(not there)" if before is None else f"{before.now.state or '-'} {before.now.text}"
    now = f"{after.now.state or '-'} {after.now.text}"
    lines += facts([("before", then), ("after", now)], width)
    if after.owner is not None:
        told = f"{session.named(after.owner.holder)} on {after.owner.link or '?'}"
        by = session.told(after.now.by) or after.message.author
        lines += facts([("owner", told), ("wrote", by)], width)
    return lines


def _message_of(event: Any) -> str:
    if not isinstance(event, events.CallApplied):
        return ""
    reply = event.reply if isinstance(event.reply, dict) else {}
    request = event.request if isinstance(event.request, dict) else {}
    return str(reply.get("message") or request.get("message") or "")


def _subject(session: Session, event: Any, width: int) -> list[Line]:
    """The telling fields of a frame, a row or a request."""
    subject: Any = None
    if isinstance(event, events.FrameDelivered):
        subject = session.diagram.frame_of(event.sent)
    for field in ("frame", "request", "value", "act", "data"):
        subject = subject if subject is not None else getattr(event, field, None)
    if not isinstance(subject, dict):
        return []
    payload = subject.get("payload")
    fields = payload if isinstance(payload, dict) else subject
    pairs: list[Pair] = [
        (str(name)[:12], _short(session, value))
        for name, value in fields.items()
        if value not in (None, "", [], {}, False)
    ]
    return [line(), *facts(pairs[:14], width)]


def _short(session: Session, value: Any) -> str:
    text = session.told(str(value))
    return text if len(text) <= 160 else text[:159] + "…"


def invariants(session: Session, n: int, width: int) -> list[Line]:
    """What broke, and when; what holds is counted."""
    lines: list[Line] = []
    for violation in session.violations:
        role = "bad" if violation.step <= n else "late"
        lines.append(
            line(
                (f"! {violation.invariant}", role),
                (f"  step {violation.step}", "dim"),
                row=violation.step,
            )
        )
        for part in wrap(session.record.sentence_of(violation.invariant), width - 4, 3):
            lines.append(line("    ", (part, "dim"), row=violation.step))
        for part in wrap(session.told(violation.text), width - 4, 4):
            lines.append(line("    ", part, row=violation.step))
    known = session.result is not None or session.complete
    holding = len(session.record.invariants) - len({v.invariant for v in session.violations})
    if session.unjudged:
        lines.append(line((f"? cannot be judged: {session.unjudged}", "warn")))
    elif known:
        others = f"= {holding} others hold" if lines else f"= {holding} hold"
        lines.append(line((others, "good")))
    else:
        lines.append(line(("? not judged yet", "dim")))
    if session.result is not None and session.result.failures:
        count = len(session.result.failures)
        told = "1 line of the diagram fails" if count == 1 else f"{count} lines of the diagram fail"
        lines.append(line((f"! {told}", "warn")))
        for failure in session.result.failures[:4]:
            told = session.told(f"line {failure.line}: {failure.expected}")
            lines += [line("    ", (part, "warn")) for part in wrap(told, width - 4, 2)]
    return lines


def causes(session: Session, n: int, most: int = 64) -> list[int]:
    """The chain of causes of a step, itself first."""
    found = [n] if session.count else []
    while 0 < len(found) < most:
        event = session.event(found[-1])
        before = event.cause
        for field in ("sent", "call"):
            referred = getattr(event, field, -1)
            if isinstance(referred, int) and 0 <= referred < event.n:
                before = max(before, referred)
        if not 0 <= before < found[-1]:
            break
        found.append(before)
    return found


def consequences(session: Session, n: int, ahead: int = 2000) -> list[int]:
    """The steps that would not be without this one, as far as one looks ahead."""
    found = {n: None}
    for step in range(n + 1, min(n + ahead, session.count)):
        event: Any = session.event(step)
        refers = (event.cause, getattr(event, "sent", -1), getattr(event, "call", -1))
        if any(one in found for one in refers if isinstance(one, int)):
            found[step] = None
    return list(found)
