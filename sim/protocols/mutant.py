"""Named ways to break each side, without touching the source.

A mutant is a switched-off rule, or a change of what an endpoint asks of the
world (its ops) or of what reaches it (frames). Each names the invariant that
must notice it; a run with the mutant in it that breaks nothing shows an oracle
that cannot fail. ``mutated`` applies one to a twin's class.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, TypeAlias

import attrs

from sim.channel.api import Done
from sim.core.actor import Actor
from sim.core.http import HttpRequest, HttpResponse
from sim.core.op import Call, Connection, Frame, Op, Save, Send
from sim.wire.message import Message

Ops: TypeAlias = Callable[[Any, Any], Iterable[Op[Any]]]
Frames: TypeAlias = Callable[[Any, Connection, Frame], Iterable[Frame]]
Which: TypeAlias = str | Callable[[Any], bool]
"""A type of frame that is written, or whether an op is meant."""


@attrs.frozen
class Mutant:
    """One way to be wrong.

    ``side`` is the kind of host that it breaks, ``caught_by`` the invariant that
    must notice, ``what`` what is wrong; ``rule`` is switched off, ``ops`` replaces an
    op by others, ``frames`` a received frame by others, ``refuses`` says with which
    HTTP status a dial is refused, ``replies`` (actor, request, reply) what is answered to a
    call instead. ``seeds`` bounds the storms
    that it may take; ``needs`` names a surrounding, or a story, without which it
    does nothing.
    """

    name: str
    side: str
    caught_by: str
    what: str
    seeds: int = 60
    needs: str = ""
    rule: str = ""
    ops: Ops | None = None
    frames: Frames | None = None
    refuses: Callable[[Any, Connection], int] | None = None
    replies: Callable[[Any, Any, Any], Any] | None = None


def off(rule: str, side: str, caught_by: str, *, seeds: int = 60, needs: str = "") -> Mutant:
    """A mutant that ignores a rule."""
    what = f"The rule {rule} is not obeyed."
    return Mutant(f"without-{rule}", side, caught_by, what, seeds, needs, rule)


def reframed(op: Send, **changes: Any) -> Send:
    """The same frame with other fields."""
    frame = op.frame
    body = attrs.evolve(frame.body, **changes)
    return Send(op.conn, Message(frame.type, frame.id, frame.ts, body))


def sends(op: Any, kind: str) -> bool:
    """Whether an op writes a frame of this type."""
    return type(op) is Send and op.frame.type == kind


def calls(op: Any, kind: type[Any]) -> bool:
    """Whether an op calls a channel with this kind of request."""
    return type(op) is Call and type(op.request) is kind


def saves(op: Any, kind: type[Any]) -> bool:
    """Whether an op stores this kind of row."""
    return type(op) is Save and type(op.value) is kind


def drops(which: Which) -> Ops:
    """What such ops ask for is never done."""
    is_meant = _asks(which)

    def ops(actor: Any, op: Any) -> Iterator[Op[Any]]:
        if not is_meant(op):
            yield op

    return ops


def twice(which: Which) -> Ops:
    """What such ops ask for is done twice."""
    is_meant = _asks(which)

    def ops(actor: Any, op: Any) -> Iterator[Op[Any]]:
        yield op
        if is_meant(op):
            yield op

    return ops


def frames_with(which: Which, **changes: Any) -> Ops:
    """Such frames are written with other fields."""
    is_meant = _asks(which)

    def ops(actor: Any, op: Any) -> Iterator[Op[Any]]:
        yield reframed(op, **changes) if is_meant(op) else op

    return ops


def _asks(which: Which) -> Callable[[Any], bool]:
    return (lambda op: sends(op, which)) if isinstance(which, str) else which


def _pretended(op: Op[Any]) -> Any:
    """What the endpoint is told of an op that was dropped: that it worked."""
    if type(op) is Send:
        return True
    if type(op) is not Call:
        return None
    is_http = type(op.request) is HttpRequest
    return HttpResponse(200, {"ok": True, "result": {}}) if is_http else Done("nowhere")


def mutated(twin: type[Actor], mutant: Mutant) -> type[Actor]:
    """The twin's class with this mutant in it. Its actors have a ``notes`` dict for it."""

    class Mutated(twin):  # type: ignore[valid-type, misc]
        """A twin that is wrong."""

        def __init__(self, *facts: Any) -> None:
            self.notes: dict[Any, Any] = {}
            super().__init__(*facts)

        def refusal_of(self, conn: Connection) -> int:
            status: int = super().refusal_of(conn)
            return status if mutant.refuses is None else mutant.refuses(self, conn)

        @types.coroutine
        def perform(self, op: Op[Any]) -> Generator[Op[Any], Any, Any]:
            if mutant.ops is None:
                return (yield op)
            results = []
            for changed in mutant.ops(self, op):
                results.append((yield changed))
            return results[0] if results else _pretended(op)

        async def on_call(self, caller: str, request: Any) -> Any:
            reply = await super().on_call(caller, request)
            return reply if mutant.replies is None else mutant.replies(self, request, reply)

        async def on_frame(self, conn: Connection, frame: Frame) -> None:
            for changed in (frame,) if mutant.frames is None else mutant.frames(self, conn, frame):
                await super().on_frame(conn, changed)

    return Mutated
