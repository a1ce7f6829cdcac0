"""Desktops that are wrong in one way each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sim.core.op import Connection, Frame, Note, Op, Send
from sim.protocols.hook.frames import Button, TurnProgress
from sim.protocols.hook.mutants import Mutant, reframed, sends
from sim.protocols.mutant import drops, frames_with, twice
from sim.wire.message import Message


def _again(actor: Any, op: Any, **changes: Any) -> Send:
    """The same frame once more, under an id of its own."""
    sent = reframed(op, **changes)
    frame = sent.frame
    return Send(op.conn, Message(frame.type, actor.port.new_frame_id(), frame.ts, frame.body))


def _mute(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if not sends(op, "task.ack") and not sends(op, "turn.progress") and not sends(op, "turn.end"):
        yield op


def _other_session(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "task.ack") and op.frame.body.session_id is not None:
        request = op.frame.body.request_id
        times = actor.notes[request] = actor.notes.get(request, 0) + 1
        yield op if times == 1 else reframed(op, session_id=f"s-{times}")
    else:
        yield op


def _ghost(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield op
    if sends(op, "task.ack"):
        yield _again(actor, op, request_id="ghost")


def _other_key(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "turn.end"):
        yield reframed(op, external_key=op.frame.body.external_key.upper())
    else:
        yield op


def _other_result(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "turn.end"):
        request = op.frame.body.request_id
        times = actor.notes[request] = actor.notes.get(request, 0) + 1
        text = op.frame.body.final_text
        yield op if times == 1 else reframed(op, final_text=f"{text} (again)")
    else:
        yield op


def _afterthought(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield op
    if sends(op, "turn.end"):
        body = TurnProgress(request_id=op.frame.body.request_id, text="wait")
        port = actor.port
        yield Send(op.conn, Message("turn.progress", port.new_frame_id(), port.now_ms(), body))


def _deaf_to_cancel(actor: Any, conn: Connection, frame: Frame) -> Iterable[Frame]:
    return () if frame.type == "task.cancel" else (frame,)


def _deaf_to_dispatch(actor: Any, conn: Connection, frame: Frame) -> Iterable[Frame]:
    return () if frame.type == "task.dispatch" else (frame,)


def _chat_last(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "hello"):
        yield reframed(op, workspaces=op.frame.body.workspaces[::-1])
    else:
        yield op


def _one_hello(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "hello"):
        if op.conn.name in actor.notes:
            return
        actor.notes[op.conn.name] = True
    yield op


def _stutters(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield op
    if sends(op, "turn.progress"):
        yield _again(actor, op)


def _counts_rounds(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "turn.reopen"):
        actor.notes["rounds"] = actor.notes.get("rounds", 0) + 1
        yield reframed(op, request_id=f"round-{actor.notes['rounds']}")
    else:
        yield op


def _second_round_end(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield op
    if sends(op, "turn.reopen"):
        actor.notes[op.frame.body.request_id] = True
    if sends(op, "turn.end") and op.frame.body.request_id in actor.notes:
        yield _again(actor, op)


def _many_buttons(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "interaction.request"):
        buttons = tuple(Button(id=f"b{n}", label="b", style="default") for n in range(25))
        yield reframed(op, buttons=buttons)
    else:
        yield op


def _same_buttons(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "interaction.request"):
        first = op.frame.body.buttons[0]
        yield reframed(op, buttons=(first, first))
    else:
        yield op


def _one_frame_id(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if type(op) is Send:
        frame = op.frame
        yield Send(op.conn, Message(frame.type, "D-1", frame.ts, frame.body))
    else:
        yield op


def _m(name: str, caught_by: str, what: str, ops: Any, **more: Any) -> Mutant:
    return Mutant(f"desktop-{name}", "desktop", caught_by, what, ops=ops, **more)


MUTANTS: tuple[Mutant, ...] = (
    _m("no-ack", "ack-comes-first", "Tasks run without an ack.", drops("task.ack")),
    _m("mute", "dispatches-are-acked", "Nobody hears of any task.", _mute),
    _m("deaf-to-dispatch", "dispatches-are-acked", "Dispatches are dropped.", None,
       frames=_deaf_to_dispatch),
    _m("other-session", "acks-are-repeated", "A repeated ack names another session.",
       _other_session),
    _m("misplaced", "acks-fit-their-result", "An accepted task has a place in the queue.",
       frames_with(lambda op: sends(op, "task.ack") and op.frame.body.result == "accepted",
                   queue_position=0)),
    _m("ghost", "speaks-of-its-own-turns", "Tasks are acked that nobody sent.", _ghost),
    _m("other-key", "the-key-comes-back", "Keys come back in capitals.", _other_key),
    _m("other-result", "ends-do-not-differ", "A result that is sent again is another.",
       _other_result),
    _m("afterthought", "nothing-after-the-end", "Progress follows the end.", _afterthought),
    _m("cheerful", "cancel-ends-the-turn", "Cancelled turns end ok.",
       frames_with(lambda op: sends(op, "turn.end") and op.frame.body.status == "cancelled",
                   status="ok"), seeds=150),
    _m("contradictory", "ends-fit-their-status", "Results are ok and have an error.",
       frames_with(lambda op: sends(op, "turn.end") and op.frame.body.status == "ok",
                   error_message="all is well")),
    _m("keeps-results", "results-are-handed-in", "Results are never sent.", drops("turn.end")),
    _m("deaf-to-cancel", "cancel-ends-the-turn", "Cancels are dropped.", None,
       frames=_deaf_to_cancel, seeds=300),
    _m("no-hello", "hello-comes-first", "Connections begin without hello.", drops("hello")),
    _m("chat-last", "chat-is-first", "chat is the last folder.", _chat_last),
    _m("one-hello", "changes-are-announced", "New folders are not announced.", _one_hello,
       seeds=150),
    _m("stutters", "progress-is-throttled", "Each snapshot is sent twice.", _stutters),
    _m("counts-rounds", "round-ids-are-fresh", "Rounds are numbered.", _counts_rounds),
    _m("one-round-id", "round-ids-are-fresh", "All rounds have one id.",
       frames_with("turn.reopen", request_id="00000000-0000-4000-8000-000000000000"),
       seeds=150),
    _m("no-reopen", "speaks-of-its-own-turns", "Rounds are reported without a reopen.",
       drops("turn.reopen")),
    _m("second-round-end", "rounds-are-never-replayed", "A round ends twice.",
       _second_round_end),
    _m("many-buttons", "buttons-fit", "Cards have 25 buttons.", _many_buttons),
    _m("same-buttons", "buttons-fit", "Two buttons of a card have one id.", _same_buttons),
    _m("answers-twice", "a-card-is-answered-once", "A card is answered twice.",
       twice(lambda op: type(op) is Note and op.what == "agent"
             and op.data.get("did") == "answered")),
    _m("leaves-cards", "cards-are-taken-back", "Cards stay open behind the end.",
       drops("interaction.cancel")),
    _m("one-frame-id", "desktop-frame-ids-are-unique", "All frames have one id.",
       _one_frame_id),
    _m("nameless", "desktop-frames-pass-the-parser", "The hello has no name.",
       frames_with("hello", device_name="")),
)  # fmt: skip
