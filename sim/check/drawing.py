"""What a diagram of frames must know of a protocol: who is who, what answers what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from sim.check.protocols import Judged, judged

Answers = Mapping[str, tuple[str, str, str]]


@attrs.frozen(eq=False)
class Drawing:
    """One protocol, as far as lifelines and notes are concerned.

    ``centre`` is the name of the lifeline in the middle, ``firsts`` by kind of client that of
    the first of them; ``lane`` is that of a connection that does not say what it is for,
    ``draws_lanes``: the channels are lifelines of their own, unless this is the only one.
    ``facts`` of a decoded frame are what it says; ``answers`` by type of answer: its question,
    the question's field and the answer's that must be equal; ``names``: fields that name
    something (who repeats a name has heard it); ``letters`` those of them that notes tell,
    with the letter that stands for them. ``type_of`` gives a decoded frame's type.
    """

    record: Judged
    centre: str
    firsts: Mapping[str, str]
    lane: str
    draws_lanes: bool
    facts: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    answers: Answers
    names: tuple[str, ...]
    letters: Mapping[str, str]
    type_of: Callable[[Mapping[str, Any]], Any]


def _payload(wire: Mapping[str, Any]) -> Mapping[str, Any]:
    payload = wire.get("payload")
    return payload if isinstance(payload, dict) else {}


def _with_request(wire: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**_payload(wire), "requestId": wire.get("requestId")}


_ANSWERS: Final[Answers] = {
    "welcome": ("hello", "", ""),
    "lifecycle.preference": ("welcome", "", ""),
    "pong": ("ping", "", ""),
    "task.ack": ("task.dispatch", "requestId", "requestId"),
    "query.response": ("query.request", "queryId", "queryId"),
    "prefs.state": ("prefs.get", "requestId", "replyTo"),
    "tool.response": ("tool.request", "requestId", "replyTo"),
    "provider.prefs.state": ("provider.prefs.get", "requestId", "replyTo"),
    "provider.behavior.state": ("provider.behavior.get", "requestId", "replyTo"),
    "turn.delivery": ("turn.end", "requestId", "requestId"),
}


def _hook() -> Drawing:
    return Drawing(
        record=judged("hook"),
        centre="S",
        firsts={"desktop": "D"},
        lane="slack",
        draws_lanes=True,
        facts=_payload,
        answers=_ANSWERS,
        names=("requestId", "reopenOf", "interactionId", "queryId", "replyTo", "requestIds"),
        letters={"requestId": "R", "reopenOf": "R", "interactionId": "A"},
        type_of=lambda wire: wire.get("type"),
    )


def _relay() -> Drawing:
    return Drawing(
        record=judged("relay"),
        centre="R",
        firsts={"controller": "A", "node": "N"},
        lane="controller",
        draws_lanes=False,
        facts=_with_request,
        answers={},
        names=("requestId",),
        letters={"requestId": "Q"},
        type_of=lambda wire: wire.get("messageType"),
    )


_MAKERS: Final[Mapping[str, Callable[[], Drawing]]] = {"hook": _hook, "relay": _relay}


def drawing_of(protocol: str) -> Drawing:
    """How frames of a protocol are drawn. Raises UsageError for one that nobody judges."""
    return _MAKERS[judged(protocol).name]()
