"""All frame checks: rows that the parser watches, a frame that it takes and its bad twin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sim.protocols.catalogue import GONE, FrameCheck, Parser
from sim.protocols.relay.frames import DECLARED
from sim.protocols.relay.parse import action_fault, answer_fault, parse_relay_message
from sim.wire.result import ParseResult, Refused

WHEN_MS: Final = 1_760_000_000_000


def frame(kind: str, around: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """The example of a declaration with other fields; ``a__b`` reaches into objects."""
    cls = DECLARED[kind]
    payload = _changed(dict(cls.EXAMPLE), fields)
    return _changed(cls.enclose("f-1", WHEN_MS, payload), around or {})


def _changed(wire: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    for name, value in fields.items():
        first, _, rest = name.partition("__")
        if rest:
            wire[first] = _changed(dict(wire[first]), {rest: value})
        elif value is GONE:
            del wire[first]
        else:
            wire[first] = value
    return wire


def check(row: str, kind: str, path: str, /, *, good: Any = None, **bad: Any) -> FrameCheck:
    """A check of a whole frame, by what is different in the bad one (and in the good one)."""
    made = frame(kind, **(good or {})), frame(kind, **bad)
    return FrameCheck(row, kind, path, *made, parse_relay_message)


def around(row: str, kind: str, path: str, /, *, good: Any = None, **bad: Any) -> FrameCheck:
    """The same for the fields around the payload."""
    made = frame(kind, good or {}), frame(kind, bad)
    return FrameCheck(row, kind, path, *made, parse_relay_message)


def inner(row: str, action: str, path: str, /, *, good: Any = None, **bad: Any) -> FrameCheck:
    """A check of a command's inner payload, which nodes look at."""
    example = dict(DECLARED[action].EXAMPLE)
    made = _changed(dict(example), good or {}), _changed(dict(example), bad)
    return FrameCheck(row, action, path, *made, _within(action_fault, action))


def answer(row: str, action: str, path: str, good: Any, bad: Any) -> FrameCheck:
    """A check of the data of a good result."""
    return FrameCheck(row, action, path, good, bad, _within(answer_fault, action))


def _within(fault_of: Callable[[str, Any], tuple[str, str] | None], action: str) -> Parser:
    """A parser of a part, that says what it finds as the parser of frames does."""

    def parse(wire: Any) -> ParseResult:
        fault = fault_of(action, wire)
        if fault is None:
            return parse_relay_message(frame("ping"))
        return Refused(f"{fault[0]} {fault[1]}", fault[0])

    return parse


_ONE: Final = {"site": "x", "id": "y", "displayName": "Y", "description": "does y"}
_NAMELESS: Final = {"site": "x", "id": "y", "description": "does y"}
_SUB: Final = "listener.subscribe"

CHECKS: Final[tuple[FrameCheck, ...]] = (
    around("OT-01", "ping", "envelope.requestId", requestId=GONE),
    around("OT-01", "ping", "envelope.payload", payload=GONE),
    around("OT-01", "ping", "envelope.timestamp", timestamp=GONE),
    FrameCheck("OT-01", "frame", "envelope", frame("ping"), None, parse_relay_message),
    around("OT-02", "ping", "envelope.protocolVersion",
           good={"protocolVersion": "1.3"}, protocolVersion="2.0"),
    around("OT-03", "ping", "envelope.messageType", messageType="gossip"),
    around("OT-05", "ping", "envelope.timestamp",
           good={"timestamp": "2026-11-30T03:52:20+01:00"}, timestamp="yesterday"),
    around("OT-06", "ping", "envelope.senderRole", senderRole="browser"),
    check("OT-07", "hello", "hello.role", role="relay"),
    check("OT-08", "auth", "auth.accessToken", accessToken=""),
    check("OT-09", "refresh", "refresh.refreshToken", refreshToken=GONE),
    inner("OT-15", _SUB, "listener.subscribe.listener",
          good={"listener": "chat", "options": GONE}, listener=GONE),
    inner("OT-16", "listener.unsubscribe", "listener.unsubscribe.targetRequestId",
          targetRequestId=GONE),
    check("OT-17", "listener_update", "event.updateType", updateType="x" * 121),
    inner("OT-22", _SUB, "listener.subscribe.options.site", options__site=GONE),
    inner("OT-24", _SUB, "listener.subscribe.options.mode",
          good={"options__mode": "hybrid"}, options__mode="debugger"),
    inner("OT-26", _SUB, "listener.subscribe.options.maxBodyBytes",
          good={"options__maxBodyBytes": 1}, options__maxBodyBytes=0),
    check("OT-28", "command", "command.targetNodeId", targetNodeId=GONE),
    check("OT-29", "command", "command.tabSessionId", tabSessionId=GONE),
    check("OT-30", "command", "command.action", action=GONE),
    check("OT-30", "command", "command.payload", payload=[]),
    check("OT-31", "command", "command.replayNonce", replayNonce=GONE),
    check("OT-32", "command", "command.timeoutMs", good={"timeoutMs": None}, timeoutMs="5000"),
    check("OT-33", "command", "command.waitPolicy",
          good={"waitPolicy": "fail_fast"}, waitPolicy="maybe"),
    answer("OT-37", "command.list", "command.list.commands[0].displayName",
           {"commands": [_ONE]}, {"commands": [_NAMELESS]}),
    check("OT-61", "lock_conflict", "event.lockLeaseMs", lockLeaseMs=GONE),
    check("OT-63", "command_cancel", "command_cancel.targetRequestId", targetRequestId=GONE),
)  # fmt: skip
