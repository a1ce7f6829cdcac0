import pytest

from sim.channel.history import History
from sim.core.event import FrameSent
from sim.core.op import OpaqueFrame
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_flight import body_of
from sim.protocols.hook.view_legal import legal_here
from sim.protocols.hook.view_reading import frame_of, typed, value_of
from sim.protocols.hook.view_times import Chronicle
from tests.view.traces import file_of, result_of

NAMES = ("reopen-teardown", "ask-and-press", "telegram-answer", "x-failed", "deleted-placeholder")


def chronicle_of(name, upto=None):
    file = file_of(name)
    chronicle = Chronicle()
    for n in range(file.count if upto is None else upto + 1):
        chronicle.on(file.event(n))
    return chronicle


@pytest.mark.parametrize("name", NAMES)
def test_a_file_folds_to_the_same_view_as_the_run(name):
    run, read = HookView(), HookView()
    file = file_of(name)
    for n, event in enumerate(result_of(name).trace.events):
        run.on(event)
        read.on(typed(file.event(n)))
    assert [m.versions for m in run.history.messages.values()] == [
        m.versions for m in read.history.messages.values()
    ]
    assert {r: (v.ended, v.final, v.stored) for r, v in run.requests.items()} == {
        r: (v.ended, v.final, v.stored) for r, v in read.requests.items()
    }
    assert list(run.rounds) == list(read.rounds)


@pytest.mark.parametrize("name", NAMES)
def test_the_channels_at_any_step_are_those_of_a_fold_up_to_there(name):
    whole, file = chronicle_of(name), file_of(name)
    history = History()
    for n in range(file.count):
        history.on(typed(file.event(n)))
        found = {(m.message.channel, m.message.id): m for m in whole.messages(n)}
        assert list(found) == list(history.messages)
        for key, message in history.messages.items():
            at = found[key]
            assert at.versions == tuple(message.versions)
            assert len(at.flying) == message.in_flight
            assert (at.deleted, at.reaction) == (message.deleted, message.reaction)


def test_the_owner_of_a_message_is_that_of_a_fold_up_to_there():
    whole = chronicle_of("reopen-teardown")
    for n in (40, 46, 62, 64, 73, 74, 93, 98):
        then = list(chronicle_of("reopen-teardown", n).messages(n))
        assert [m.owner for m in whole.messages(n)] == [m.owner for m in then]
    late = next(m for m in whole.messages(98) if m.message.about)
    assert (late.owner.link, late.owner.generation, late.owner.state) == ("D.slack#2", 2, "ENDED")
    torn = next(m for m in whole.messages(64) if m.message.about)
    assert (torn.owner.link, torn.owner.state) == ("D.slack#1", "TORN")


def test_stored_rows_at_any_step_are_the_newest_up_to_there():
    whole, file = chronicle_of("reopen-teardown"), file_of("reopen-teardown")
    kept = {}
    for n in range(file.count):
        event = typed(file.event(n))
        if type(event).__name__ == "Saved":
            kept[event.host, event.key] = event.value
        assert {(h, k): whole.row(h, k, n) for h, k in kept} == kept


def test_what_the_parser_refuses_is_a_frame_all_the_same_and_has_no_effect():
    bad = {"v": 1, "type": "turn.end", "id": "x", "ts": 1, "payload": {}}
    frame = frame_of(bad)
    assert (frame.type, frame.id, frame.wire) == ("turn.end", "x", bad)
    assert body_of(frame) is None
    assert isinstance(frame_of({"type": "(bad)", "text": "{"}), OpaqueFrame)
    assert frame_of(7) == 7


def test_unknown_values_stay_plain():
    assert value_of({"is": "something new"}) == {"is": "something new"}
    assert value_of({"is": "post", "chat": 3}) == {"is": "post", "chat": 3}
    assert value_of("alice") == "alice"


def steps(file, type_name):
    events = [file.event(n) for n in range(file.count)]
    return [e.n for e in events if isinstance(e, FrameSent) and e.frame["type"] == type_name]


def test_the_tables_say_what_a_frame_was_before_its_step():
    file, chronicle = file_of("reopen-teardown"), chronicle_of("reopen-teardown")
    n = steps(file, "task.ack")[0]
    event = file.event(n)
    connection, request = legal_here(chronicle, "S", event.link, event.frame, n)
    assert (connection.state, connection.is_legal) == ("READY", True)
    assert (request.state, request.trigger, request.after) == ("WAITING", "accepted", "RUNNING")


def test_an_early_frame_is_illegal_before_the_welcome():
    file, chronicle = file_of("reopen-teardown"), chronicle_of("reopen-teardown")
    n = steps(file, "turn.reopen")[1]  # sent before the welcome of the second connection
    event = file.event(n)
    first = legal_here(chronicle, "S", event.link, event.frame, n)[0]
    assert first.state != "READY"
    assert not first.is_legal
