"""Servers that are wrong in one way each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from sim.channel.api import FAILED, OK, WORKING, EditMessage, PostMessage
from sim.core.op import Call, Close, Connection, Frame, Op, Send
from sim.protocols.hook.frames import Ping
from sim.protocols.hook.machine import ENDED
from sim.protocols.hook.mutants import Mutant, calls, reframed, saves, sends
from sim.protocols.hook.oracles.oracle import FINALS
from sim.protocols.hook.server.stored import EventRow, RequestRow, RoundRow
from sim.protocols.mutant import drops, frames_with, twice
from sim.wire.message import Message


def _with(op: Any, **changes: Any) -> Any:
    """The same call with other fields in its request."""
    return Call(op.to, msgspec.structs.replace(op.request, **changes), op.timeout_us)


def _is_card(op: Any) -> bool:
    return calls(op, PostMessage) and op.request.role == "card"


def _is_request(op: Any) -> bool:
    return calls(op, PostMessage) and op.request.role == "request"


def _other_prompt(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "task.dispatch"):
        request = op.frame.body.request_id
        times = actor.notes[request] = actor.notes.get(request, 0) + 1
        yield reframed(op, prompt=f"{op.frame.body.prompt} ({times})")
    else:
        yield op


def _card_in_the_channel(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield _with(op, thread=None) if _is_card(op) else op


def _appends(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if calls(op, EditMessage) and op.request.state == WORKING:
        name = op.request.message
        actor.notes[name] = actor.notes.get(name, "") + op.request.text
        yield _with(op, text=actor.notes[name])
    else:
        yield op


def _goes_back(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if calls(op, EditMessage) and op.request.state == WORKING:
        name = op.request.message
        earlier = actor.notes.setdefault(name, [])
        earlier.append(op.request.text)
        yield _with(op, text=earlier[-3] if len(earlier) > 3 else op.request.text)
    else:
        yield op


def _all_is_well(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield _with(op, state=OK) if calls(op, EditMessage) and op.request.state == FAILED else op


def _back_to_work(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield op
    if calls(op, EditMessage) and op.request.state in FINALS:
        yield _with(op, state=WORKING)


def _stays_interrupted(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if calls(op, EditMessage):
        name = op.request.message
        if op.request.state == "INTERRUPTED":
            actor.notes[name] = True
        elif name in actor.notes:
            return
    yield op


def _decides_twice(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield op
    if sends(op, "interaction.decision"):
        frame = op.frame
        yield Send(op.conn, Message(frame.type, f"{frame.id}b", frame.ts, frame.body))


def _cancels_the_original(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if saves(op, RoundRow):
        actor.notes[op.value.request] = op.value.root
    if sends(op, "task.cancel") and op.frame.body.request_id in actor.notes:
        yield reframed(op, request_id=actor.notes[op.frame.body.request_id])
    else:
        yield op


def _answers_reopen(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield op
    if saves(op, RoundRow) and "conn" in actor.notes:
        frame = Message("ping", actor.port.new_frame_id(), actor.port.now_ms(), Ping())
        yield Send(actor.notes["conn"], frame)


def _remembers_the_connection(actor: Any, conn: Connection, frame: Frame) -> Iterable[Frame]:
    actor.notes["conn"] = conn
    return (frame,)


def _deaf_to_reopen(actor: Any, conn: Connection, frame: Frame) -> Iterable[Frame]:
    return () if frame.type == "turn.reopen" else (frame,)


def _one_frame_id(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if type(op) is Send:
        frame = op.frame
        yield Send(op.conn, Message(frame.type, "S-1", frame.ts, frame.body))
    else:
        yield op


def _other_reason(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield Close(op.conn, 4000, "busy") if type(op) is Close and op.code == 4000 else op


def _shows_no_work(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """A continuation is taken, and its message still shows the failure."""
    if saves(op, RoundRow):
        actor.notes["round"] = True
    working = calls(op, EditMessage) and op.request.state == WORKING
    if not (working and "round" in actor.notes):
        yield op


def _dispatches_for_ever(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """Each welcome is followed by the last task, ended or not."""
    yield op
    if sends(op, "task.dispatch"):
        actor.notes["task"] = op
    elif sends(op, "welcome") and "task" in actor.notes:
        frame = actor.notes["task"].frame
        yield Send(op.conn, Message(frame.type, actor.port.new_frame_id(), frame.ts, frame.body))


def _decides_late(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """A press on a dead card is passed on."""
    yield op
    if sends(op, "interaction.decision"):
        actor.notes["pressed"] = op
    late = actor.notes.get("pressed")
    if late is not None and saves(op, RequestRow) and op.value.state == ENDED:
        frame = late.frame
        if frame.body.request_id == op.value.request:
            again = Message(frame.type, actor.port.new_frame_id(), frame.ts, frame.body)
            yield Send(late.conn, again)


def _hears_no_hello(actor: Any, conn: Connection, frame: Frame) -> Iterable[Frame]:
    """Every third hello is passed over, and its connection left open."""
    if frame.type != "hello":
        return (frame,)
    actor.notes["hellos"] = actor.notes.get("hellos", 0) + 1
    return () if actor.notes["hellos"] % 3 == 0 else (frame,)


def _m(name: str, caught_by: str, what: str, ops: Any, **more: Any) -> Mutant:
    return Mutant(f"server-{name}", "server", caught_by, what, ops=ops, **more)


MUTANTS: tuple[Mutant, ...] = (
    _m("foreign-folder", "only-listed-folders",
       "Tasks go into a folder that nobody offers.",
       frames_with("task.dispatch", workspace="secret")),
    _m("one-key-for-all", "keys-are-threads", "All threads share one session.",
       frames_with("task.dispatch", external_key="slack:one")),
    _m("other-prompt", "redelivery-is-the-same-task",
       "A task that is delivered again asks for something else.", _other_prompt),
    _m("takes-over", "redelivery-is-the-same-task",
       "Ordinary tasks take over a session of the desktop.",
       frames_with("task.dispatch", session_id="s-1")),
    _m("forgets-requests", "tasks-go-to-their-desktop",
       "Tasks are dispatched and not stored.", drops(lambda op: saves(op, RequestRow))),
    _m("forgets-rounds", "stored-before-shown", "Continuations are not stored.",
       drops(lambda op: saves(op, RoundRow))),
    _m("forgets-events", "seen-means-stored",
       "A command is confirmed and not stored.", drops(lambda op: saves(op, EventRow))),
    _m("no-welcome", "tasks-wait-for-welcome", "Tasks flow without a welcome.", drops("welcome")),
    _m("no-pong", "server-answers-pings", "Pings are not answered.", drops("pong")),
    _m("no-archive", "new-archives-the-session",
       "/new leaves the old session in the desktop's list.", drops("session.archive"), seeds=150),
    _m("no-cancel", "stop-reaches-the-task", "/stop is not passed on.",
       drops("task.cancel"), seeds=150),
    _m("second-post", "one-message-per-request", "Each message is posted twice.",
       twice(_is_request)),
    _m("no-post", "requests-are-shown", "No message says that the task has begun.",
       drops(_is_request)),
    _m("second-card", "cards-stand-in-their-thread", "Each card is posted twice.", twice(_is_card)),
    _m("no-card", "cards-are-shown", "Questions never appear.", drops(_is_card)),
    _m("card-in-the-channel", "cards-stand-in-their-thread",
       "Cards are posted outside of their thread.", _card_in_the_channel),
    _m("keeps-buttons", "dead-cards-have-no-buttons",
       "Cards keep their buttons for ever.",
       drops(lambda op: calls(op, EditMessage) and op.request.state == "")),
    _m("appends", "working-text-is-the-owners", "Snapshots pile up.", _appends),
    _m("goes-back", "working-text-is-the-owners", "Old snapshots are shown.", _goes_back),
    _m("all-is-well", "finals-are-the-owners-end", "Failures are shown as OK.", _all_is_well),
    _m("no-final", "shows-final-state", "Answers are not shown.",
       drops(lambda op: calls(op, EditMessage) and op.request.state in FINALS)),
    _m("back-to-work", "finished-stays-finished",
       "A finished message goes back to work.", _back_to_work),
    _m("stays-interrupted", "late-ends-win", "A late answer is not shown.", _stays_interrupted,
       seeds=300, needs="absence"),
    _m("other-button", "decisions-are-presses", "The decision is not what was pressed.",
       frames_with("interaction.decision", button_id="perm:other")),
    _m("decides-twice", "one-decision-per-card", "A press is passed on twice.", _decides_twice),
    _m("cancels-the-original", "cancel-names-what-runs",
       "/stop names the finished task, not its continuation.", _cancels_the_original, seeds=300),
    _m("answers-reopen", "reopen-gets-no-answer", "A reopen is answered by a frame.",
       _answers_reopen, frames=_remembers_the_connection),
    _m("deaf-to-reopen", "reopens-are-taken", "Continuations are ignored.", None,
       frames=_deaf_to_reopen),
    _m("shows-no-work", "reopened-shows-work", "A continued task still looks failed.",
       _shows_no_work, seeds=300),
    _m("dispatches-for-ever", "no-dispatch-after-the-end",
       "Tasks that have ended are dispatched again.", _dispatches_for_ever),
    _m("decides-late", "no-decision-on-a-closed-card", "A dead card is decided.", _decides_late),
    _m("hears-no-hello", "hello-is-welcomed", "A hello stays without an answer.", None,
       frames=_hears_no_hello, seeds=150),
    _m("one-frame-id", "server-frame-ids-are-unique", "All frames have one id.", _one_frame_id),
    _m("nameless", "server-frames-pass-the-parser", "The welcome has no name.",
       frames_with("welcome", server_name="")),
    _m("other-reason", "standby-is-told-exactly",
       "The second socket is sent away with other words.", _other_reason, seeds=150),
)  # fmt: skip
