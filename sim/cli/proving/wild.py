"""A server that breaks the protocol now and then, for oracles and rules of desktops.

It is the shipped server with a change of what it asks of the world: links of
strangers, snapshots and group talk of other bindings, tasks of other accounts,
long queues, silence, standby, refused dials. Only desktops are judged against it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.core.op import Close, Connection, Op, Send
from sim.protocols.hook.frames import GroupRecipient
from sim.protocols.hook.mutants import Mutant, reframed, sends
from sim.wire.message import Message

OTHER = "b-other"
EVIL = "https://evil.example/start"
QUEUE = 24


def _times(actor: Any, what: str) -> int:
    """How often this has come up, 1 for the first time."""
    count: int = actor.notes.get(what, 0) + 1
    actor.notes[what] = count
    return count


def _also(actor: Any, op: Send, **changes: Any) -> Send:
    """Another frame like this one, with an id of its own."""
    other = reframed(op, **changes)
    frame = other.frame
    return Send(op.conn, Message(frame.type, actor.port.new_frame_id(), frame.ts, frame.body))


def _snapshot(actor: Any, op: Any) -> Iterator[Op[Any]]:
    body = op.frame.body
    times = _times(actor, "snapshot")
    if body.state == "pending" and times % 3 == 0:
        yield reframed(op, connect_url=EVIL)
        return
    yield op
    if body.state == "confirmed" and times % 3 == 0:
        yield _also(actor, op, binding_id=OTHER, principal_id="p-other", reply_to=None)
    elif body.state == "pending" and times % 3 == 1:
        yield _also(actor, op, attempt_id="a-other", reply_to=None)


def _settings(actor: Any, op: Any) -> Iterator[Op[Any]]:
    times = _times(actor, "settings")
    if times % 4 == 0:
        return  # silence
    yield op
    if times % 2 == 0 and getattr(op.frame.body, "binding_id", None) is not None:
        yield _also(actor, op, binding_id=OTHER, reply_to=None)


def _talk(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if _times(actor, "talk") % 2 == 0:
        recipient = GroupRecipient(binding_id=OTHER, principal_id="p-other")
        yield reframed(op, recipient=recipient)
    else:
        yield op


def _task(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield op
    body: Any = op.frame.body
    times = _times(actor, "task")
    if times % 5 == 0:
        words = body.external_key.split(":")
        if words[:2] == ["telegram", "group"]:
            words[2] = "p-other"
        key = ":".join(words)
        yield _also(actor, op, request_id=f"wild-{actor.port.new_id()}", external_key=key)
    if times % 7 == 0:
        for _ in range(QUEUE):
            yield _also(actor, op, request_id=f"wild-{actor.port.new_id()}", session_id=None)


def _accounts(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """The list of workspaces shrinks without a word about the others."""
    yield op
    body: Any = op.frame.body
    if len(body.bindings) > 1 and _times(actor, "accounts") % 2 == 0:
        yield _also(actor, op, bindings=body.bindings[:1])


def _pongs(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if _times(actor, "pongs") % 6 == 0:
        yield Close(op.conn, 4000, "device already connected")
    else:
        yield op


_WAYS = {
    "provider.bind.update": _snapshot,
    "provider.prefs.state": _settings,
    "provider.behavior.state": _settings,
    "prefs.state": _settings,
    "group.message": _talk,
    "task.dispatch": _task,
    "bind.state": _accounts,
    "pong": _pongs,
}


def _wild(actor: Any, op: Any) -> Iterator[Op[Any]]:
    for kind, way in _WAYS.items():
        if sends(op, kind):
            yield from way(actor, op)
            return
    yield op


def _unwelcoming(actor: Any, conn: Connection) -> int:
    """Two dials of a lane in seven show a token that is not taken, one comes at a bad time."""
    turn = _times(actor, f"dials of {conn.peer}.{conn.lane}") % 7
    return 401 if turn in (3, 4) else 503 if turn == 6 else 0


WILD = Mutant(
    "wild-server", "server", "", "A server that breaks the protocol.",
    ops=_wild, refuses=_unwelcoming,
)  # fmt: skip
