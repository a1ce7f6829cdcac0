"""Small diagrams, played with the real words of the hook protocol."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sim.core.event import Acted, CallIssued, FrameSent
from sim.play import play, vocabularies
from sim.scenario.parse import parse_scenario
from sim.scenario.playing.result import Result
from sim.scenario.syntax import Scenario

PEOPLE = (
    "actor U as Alice",
    "participant IM as Slack",
    "participant S as hook server",
    "participant D as desktop",
)
CONNECTED = (*PEOPLE, "D->>S: hello", "S->>D: welcome")
ASKED = (
    *CONNECTED,
    'U->>IM: message "Do it"',
    "S->>D: task.dispatch (requestId=R1)",
    "D->>S: task.ack (accepted, requestId=R1)",
)
PUPPET_DESKTOP = (*PEOPLE, "%% @puppet D handshake pong")
# Every frame of it is drawn: a puppet without features is told of its binding and then pinged.
STRICT = (
    "%% @strict", *PEOPLE, "%% @puppet D pong", "%% @reconnect D", "D->>S: hello (features=[])",
    "S->>D: welcome", "S->>D: bind.update",
)  # fmt: skip
PUPPET_SERVER = (*PEOPLE[2:], "%% @puppet S handshake pong", "D->>S: hello")


def read(lines: Iterable[str]) -> Scenario:
    """Parse these lines below ``sequenceDiagram``, which is line 1."""
    return parse_scenario(text_of(lines), "test.mmd", vocabularies())


def text_of(lines: Iterable[str]) -> str:
    """The file."""
    return "\n".join(["sequenceDiagram", *lines, ""])


def run(*lines: str, after: Iterable[str] = (), **how: Any) -> Result:
    """Play ``after`` and then these lines, on the fast driver unless told otherwise."""
    return play(read((*after, *lines)), **{"driver": "step", "seed": 1, **how})


def passes(*lines: str, after: Iterable[str] = (), **how: Any) -> Result:
    """It must pass. → the result"""
    result = run(*lines, after=after, **how)
    assert result.failures == ()
    assert result.violations == ()
    assert result.ok
    return result


def fails(*lines: str, after: Iterable[str] = (), **how: Any) -> list[tuple[int, str]]:
    """It must fail. → (place among ``lines``, from 1; what happened) of each failure"""
    before = len(tuple(after)) + 1
    result = run(*lines, after=after, **how)
    assert not result.ok
    return [(max(f.line - before, 0), f.happened) for f in result.failures]


def frames(result: Result, *types: str) -> list[str]:
    """``D>S turn.end`` of all frames (of these types), in order of sending."""
    return [
        f"{event.sender}>{event.receiver} {event.frame.type}"
        for event in result.trace.events
        if isinstance(event, FrameSent) and (not types or event.frame.type in types)
    ]


def payloads(result: Result, kind: str) -> list[Any]:
    """The payloads of all frames of a type."""
    return [
        event.frame.wire["payload"]
        for event in result.trace.events
        if isinstance(event, FrameSent) and event.frame.type == kind
    ]


def acts(result: Result) -> list[tuple[str, Any]]:
    """(host, act) of everything that was directed."""
    return [(e.host, e.act) for e in result.trace.events if isinstance(e, Acted)]


def calls(result: Result, kind: type[Any]) -> list[Any]:
    """All requests of a kind, in order of issuing."""
    return [
        event.request
        for event in result.trace.events
        if isinstance(event, CallIssued) and isinstance(event.request, kind)
    ]


def shown(result: Result) -> list[tuple[str, str]]:
    """(state, text) of each request's message at the end."""
    return [(one.state, one.text) for one in result.messages]
