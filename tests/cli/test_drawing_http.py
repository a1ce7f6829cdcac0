"""The words for calls over HTTP, files, toasts: what a row says of them."""

import pytest

from sim.channel.api import Toast
from sim.cli.drawing import calls
from sim.cli.drawing.plain import plain
from sim.cli.drawing.rows import rows_of
from sim.cli.drawing.telling import Names
from sim.core.event import CallAnswered, CallApplied, CallIssued, CallLost, Noted
from sim.core.http import HttpRequest, HttpResponse, Unreached
from sim.core.op import NO_ANSWER
from sim.core.trace import Header, Trace
from sim.protocols.question.store.operations import ReadFile, WriteFile

NAMES = Names((("Q1", "que_1"),))
POST = HttpRequest("POST", "/question/que_1/reply", (("directory", "/p"),), {"answers": [["A"]]})


def asked(request):
    return calls.asked(plain(request), NAMES)


def bot(method, **body):
    return HttpRequest("POST", f"/bot123:secret/{method}", body=body)


def test_a_request_is_called_by_method_and_path_with_the_diagrams_names():
    assert asked(POST) == ("POST /question/Q1/reply", "directory=/p answers=[[A]]")


def test_a_call_of_a_bot_is_called_by_its_method_and_hides_its_token():
    markup = {"inline_keyboard": [[{"text": "A", "callback_data": "d"}], [{"text": "B"}]]}
    told = asked(bot("sendMessage", chat_id="-1", text="Now?", reply_markup=markup))
    assert told == ("sendMessage", '"Now?" [A] [B]')
    told = asked(bot("sendMessage", text="x", reply_markup={"force_reply": True}))
    assert told[1] == '"x" [force_reply]'
    told = asked(bot("editMessageReplyMarkup", message_id=1, reply_markup={"inline_keyboard": 7}))
    assert told == ("editMessageReplyMarkup", "message_id=1 [no keyboard]")


PRESS = {"update_id": 1, "callback_query": {"data": "qopt:k:0"}}
SAID = {"update_id": 2, "message": {"text": "blue"}}


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (HttpResponse(204), "204"),
        (HttpResponse(200, [{"id": "que_1"}, {"id": "que_2"}]), "200 Q1, que_2"),
        (HttpResponse(200, []), "200 0 items"),
        (HttpResponse(200, {"ok": True, "result": []}), "200 no update"),
        (
            HttpResponse(200, {"ok": True, "result": [PRESS, SAID, {"update_id": 3}]}),
            '200 callback_query qopt:k:0, message "blue", update 3',
        ),
        (HttpResponse(200, {"ok": True, "result": {"message_id": 101}}), "200 message 101"),
        (HttpResponse(409, {"ok": False, "description": "Conflict"}), "409 Conflict"),
        (HttpResponse(500, "oops"), "500"),
    ],
)
def test_what_came_back_is_a_status_with_what_one_looks_for(reply, words):
    assert calls.outcome(plain(POST), plain(reply), NAMES) == (words, "")


@pytest.mark.parametrize("reply", [NO_ANSWER, Unreached("reset")])
def test_nothing_came_back_where_the_answer_was_lost(reply):
    assert calls.outcome(plain(POST), plain(reply), NAMES) is None


OK = HttpResponse(200, True)


@pytest.mark.parametrize(
    ("end", "rows"),
    [
        (CallAnswered(5, 9, 4, "L", "OC", 0, OK), [("call", "OC", "L", "200")]),
        (
            CallAnswered(5, 9, 4, "L", "OC", 0, Unreached("reset")),
            [("mark", "OC", "OC", "200"), ("lost", "OC", "L", "reset")],
        ),
        (
            CallLost(5, 9, 4, "L", "OC", 0, "answer lost"),
            [("mark", "OC", "OC", "200"), ("lost", "OC", "L", "POST /question/que_1/reply")],
        ),
    ],
    ids=["arrives", "breaks", "is lost"],
)
def test_an_answer_goes_back_to_who_asked_unless_it_never_gets_there(end, rows):
    events = [
        CallIssued(0, 0, -1, "L", "OC", POST),
        CallIssued(1, 0, -1, "H", "OC", POST),
        CallApplied(4, 9, 0, "L", "OC", 0, POST, OK),
        end,
    ]
    drawn = rows_of(Trace(Header(scenario="x", seed=1), events))
    assert [(row.shape, row.source, row.target, row.label) for row in drawn[2:]] == rows


def drawn(*events, every=False):
    trace = Trace(Header(scenario="x", seed=1), list(events))
    return [(row.label, row.detail) for row in rows_of(trace, every=every)]


def test_what_a_process_does_with_files_at_one_go_is_one_row():
    read, write = ReadFile("/f"), WriteFile("/f", "{}")
    events = [
        CallIssued(0, 0, -1, "hook", "store", read),
        CallIssued(1, 0, -1, "hook", "store", write),
        CallIssued(2, 0, -1, "listener", "store", read),
    ]
    assert drawn(*events) == [("file", "read, write"), ("file", "read")]
    assert [label for label, _ in drawn(*events, every=True)] == [
        "read-file",
        "write-file",
        "read-file",
    ]


def test_a_toast_is_told_with_who_saw_it():
    toast = Noted(0, 0, -1, "telegram", "toasted", {"toast": Toast("Bob", "101", "sent")})
    assert drawn(toast) == [("toast", 'Bob < "sent"')]
