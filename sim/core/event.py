"""What has happened: the whole vocabulary of a trace.

Events are frozen, in the past tense, and know their cause: ``cause`` is the
number of the event without which this one would not be (-1: nothing). ``n``
is the event's position in the trace, ``at`` virtual microseconds since the
start of the run. The counterpart, what may be asked for, is
:mod:`sim.core.op`.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Event(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag=True, array_like=False):
    """The part that every event has."""

    n: int
    at: int
    cause: int


class HostStarted(Event, frozen=True, gc=False, tag=True):
    """A life of a host began; ``epoch`` counts them from 1."""

    host: str
    epoch: int


class HostCrashed(Event, frozen=True, gc=False, tag=True):
    """A life of a host ended: what was not saved is gone."""

    host: str
    epoch: int


class ConnectionOpened(Event, frozen=True, gc=False, tag=True):
    """The server side accepted a connection; the client learns it a latency later."""

    link: str
    client: str
    server: str
    lane: str


class ConnectionRefused(Event, frozen=True, gc=False, tag=True):
    """A dial came to nothing: nobody listens there, or the way is cut (``status`` 0),
    or the server answered with an HTTP status."""

    link: str
    client: str
    server: str
    lane: str
    status: int = 0


class ConnectionClosed(Event, frozen=True, gc=False, tag=True):
    """One end stopped believing in a connection; each end has its own event."""

    link: str
    host: str
    peer: str
    code: int
    reason: str
    by: str


class FrameSent(Event, frozen=True, gc=False, tag=True):
    """A frame was written; ``nth`` counts the frames of this direction from 1."""

    link: str
    sender: str
    receiver: str
    nth: int
    frame: Any


class FrameDelivered(Event, frozen=True, gc=False, tag=True):
    """``sent`` is the number of the FrameSent event."""

    link: str
    sender: str
    receiver: str
    sent: int
    type: str


class FrameLost(Event, frozen=True, gc=False, tag=True):
    """A frame will never arrive; ``why``: lost, reset, cut or closed."""

    link: str
    sender: str
    receiver: str
    sent: int
    type: str
    why: str


class BadFrame(Event, frozen=True, gc=False, tag=True):
    """A received frame that its parser refused; it was dropped."""

    link: str
    host: str
    sent: int
    error: str
    path: str | None


class CallIssued(Event, frozen=True, gc=False, tag=True):
    """A request set out; the number of this event names the call from now on."""

    caller: str
    callee: str
    request: Any


class CallApplied(Event, frozen=True, gc=False, tag=True):
    """The callee dealt with the call numbered ``call`` and gave this reply."""

    caller: str
    callee: str
    call: int
    request: Any
    reply: Any


class CallAnswered(Event, frozen=True, gc=False, tag=True):
    """The caller got its answer (or NO_ANSWER, when it gave up)."""

    caller: str
    callee: str
    call: int
    reply: Any


class CallLost(Event, frozen=True, gc=False, tag=True):
    """A call's request or answer is gone; the caller learns it at its deadline only."""

    caller: str
    callee: str
    call: int
    why: str


class TimerFired(Event, frozen=True, gc=False, tag=True):
    """The host's timer ``(timer, key)`` was due."""

    host: str
    timer: str
    key: str


class Saved(Event, frozen=True, gc=False, tag=True):
    """A row became durable."""

    host: str
    key: str
    value: Any


class Erased(Event, frozen=True, gc=False, tag=True):
    """A row was removed from the durable store."""

    host: str
    key: str


class Acted(Event, frozen=True, gc=False, tag=True):
    """A person or a scripted agent did something, as the scenario directed."""

    host: str
    act: Any


class Noted(Event, frozen=True, gc=False, tag=True):
    """A host tells a fact of its own (its protocol knows what it means)."""

    host: str
    what: str
    data: Any


class FaultInjected(Event, frozen=True, gc=False, tag=True):
    """``fault`` is the imperative name, as a schedule writes it: ``cut D.slack#1 rst``."""

    fault: str
    target: str


AnyEvent = (
    HostStarted
    | HostCrashed
    | ConnectionOpened
    | ConnectionRefused
    | ConnectionClosed
    | FrameSent
    | FrameDelivered
    | FrameLost
    | BadFrame
    | CallIssued
    | CallApplied
    | CallAnswered
    | CallLost
    | TimerFired
    | Saved
    | Erased
    | Acted
    | Noted
    | FaultInjected
)
