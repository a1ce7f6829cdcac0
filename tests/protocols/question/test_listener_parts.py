"""The listener's pure parts: ledger, lanes, updates, matching, routing, texts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.op import Save
from sim.protocols.question.constants import MESSAGE_CHARS, TOAST_CHARS
from sim.protocols.question.listener import texts
from sim.protocols.question.listener.bot import reply_of
from sim.protocols.question.listener.jobs import Job, Lanes
from sim.protocols.question.listener.ledger import REMEMBERED, Ledger
from sim.protocols.question.listener.matching import listed_in, match
from sim.protocols.question.listener.routing import (
    Answers,
    Nothing,
    Prompts,
    ToDeadPrompt,
    route,
)
from sim.protocols.question.listener.updates import (
    Other,
    Press,
    Said,
    Sender,
    addressed,
    pressed,
    update_of,
)
from sim.protocols.question.store.entry import PendingQuestion, kept
from sim.protocols.question.telegram.entities import units
from sim.wire.strategies import json_values
from tests.protocols.question.listener_play import BridgePlay
from tests.protocols.question.question_play import LEASE, question, rules

CHAT = -4200000001
ALL = rules()


# -- the ledger


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=30))
def test_the_offset_never_passes_an_update_that_is_open_and_none_is_taken_twice(steps):
    ledger, taken, open_now = Ledger(), set(), []
    for number, begins in steps:
        if begins or not open_now:
            assert ledger.take(number) is (number not in taken)
            if number not in taken:
                taken.add(number)
                open_now.append(number)
        else:
            ledger.end(open_now.pop(number % len(open_now)))
        assert ledger.offset == (min(open_now) if open_now else max(taken) + 1)
        assert ledger.is_busy is bool(open_now)


def test_a_ledger_forgets_old_updates_only():
    ledger = Ledger()
    for number in range(REMEMBERED + 2):
        assert ledger.take(number)
        ledger.end(number)
    assert not ledger.take(REMEMBERED + 1)
    assert ledger.take(0)


def test_without_the_rule_the_offset_runs_ahead():
    ledger = Ledger(waits=False)
    ledger.take(7)
    assert ledger.offset == 8


# -- updates


@given(json_values)
def test_whatever_is_decoded_is_an_update_or_none_and_never_raises(value):
    found = update_of(value)
    assert found is None or isinstance(found, Press | Said | Other)
    wrapped = update_of({"update_id": 1, "callback_query": value, "message": value})
    assert wrapped is not None


@given(st.text(max_size=20))
def test_pressed_data_is_read_or_refused_and_never_raises(data):
    asked = pressed(data)
    if asked is not None:
        index = getattr(asked, "index", None)
        prefix = "qcustom:" if index is None else "qopt:"
        assert data.startswith(prefix + asked.unique_id)
        assert index is None or int(data.rpartition(":")[2]) == index


@pytest.mark.parametrize("data", ["qopt:a:٣", "qopt:a:²", "qopt:a:+1", "qopt:a:1:", "qcustom:a:b"])
def test_an_index_is_plain_digits_and_an_id_has_no_colon(data):
    assert pressed(data) is None


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ({"update_id": 1}, Other),
        ({"update_id": 1, "message": {"text": "x", "chat": {"id": 1}}}, Other),
        ({"update_id": 1, "callback_query": {"id": "q", "from": {"id": 1}, "data": "x"}}, Other),
        ({"update_id": "1"}, type(None)),
        ({"update_id": True}, type(None)),
    ],
)
def test_what_lacks_a_sender_a_chat_or_a_number_is_nothing_to_the_bridge(raw, kind):
    assert type(update_of(raw)) is kind


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("  plain ", ("plain", "")),
        ("@Perm_Bot yes", ("yes", "")),
        ("@carol yes", ("yes", "")),
        ("@napsta_bot do", ("do", "napsta_bot")),
        ("@ x", ("@ x", "")),
        ("a@b c", ("a@b c", "")),
    ],
)
def test_the_name_in_front_of_a_text_is_taken_off(text, read):
    assert addressed(text, "perm_bot") == read


# -- matching


def item(id: str, session: str = "ses_1", call: str | None = None, *labels: str) -> Any:
    options = [{"label": label} for label in labels or ("A", "B")]
    listed = {"id": id, "sessionID": session, "questions": [{"question": "?", "options": options}]}
    return listed if call is None else {**listed, "tool": {"callID": call}}


@pytest.mark.parametrize(
    ("call", "labels", "items", "found"),
    [
        ("c1", "A", [item("q1", call="c1"), item("q2", call="c2")], "q1"),
        ("c1", "A", [item("q1", "ses_9", "c1")], "q1"),
        ("c1", "A", [item("q1", "ses_9", "c1"), item("q2", "ses_1", "c1")], "q2"),
        ("c1", "A", [item("q1", "ses_8", "c1"), item("q2", "ses_9", "c1")], None),
        ("c1", "A", [item("q2", call="c2")], None),
        ("c1", "A", [item("q2")], "q2"),
        ("c1", "Z", [item("q2")], None),
        ("c1", "", [item("q2")], "q2"),
        ("", "A", [item("q2", call="c2")], "q2"),
        ("", "A", [item("q2"), item("q3")], None),
        ("", "A", [item("q2"), item("q3", "ses_2")], "q2"),
        ("", "A", [item("q3", "ses_2")], None),
        ("", "A", [], None),
        ("c1", "AB", [item("q2")], "q2"),
        ("c1", "AZ", [item("q2")], None),
    ],
)
def test_the_call_decides_then_the_only_question_of_the_session(call, labels, items, found):
    matched = match(call, "ses_1", labels, listed_in(items, ALL) or [], ALL)
    assert (matched and matched.id) == found


@given(json_values)
def test_whatever_opencode_lists_is_read_without_raising(value):
    for body in (value, [value], [{"id": "q", "sessionID": "s", "questions": value}]):
        found = listed_in(body, ALL)
        assert found is None or match("c", "s", ("A",), found, ALL) is None or len(found) == 1


# -- routing


def waiting(**fields: Any) -> PendingQuestion:
    usual = {"chat_id": str(CHAT), "message_id": 101, "awaiting_text": True}
    return question(**{**usual, "expected_user_id": 7001, "timestamp": 5, **fields})


def said(reply_to: int | None = None, user: int = 7001, number: int = 1) -> Said:
    return Said(number, 200, Sender(user, False), CHAT, "text", reply_to)


@pytest.mark.parametrize(
    ("of", "to"),
    [
        (said(), Answers("b", False)),
        (said(301), Answers("a", True)),
        (said(302), Answers("b", True)),
        (said(101), Answers("a", True)),
        (said(102), Answers("b", True)),
        (said(301, user=7002), Nothing()),
        (said(101, user=7002), Nothing()),
        (said(user=7002), Nothing()),
        (said(103), Nothing()),
        (said(999), Nothing()),
        (said(300), ToDeadPrompt()),
        (said(300, user=7002), Nothing()),
    ],
)
def test_a_reply_goes_by_its_relation_and_plain_text_to_the_last_asked(of, to):
    prompts = Prompts()
    for number in (300, 301, 302):
        prompts.remember(CHAT, number, 7001)
    entries = {
        "b": waiting(custom_prompt_message_id=302, message_id=102, awaiting_since=9),
        "a": waiting(custom_prompt_message_id=301, awaiting_since=8),
        "c": question(chat_id=CHAT, message_id=103, timestamp=99),
        "d": waiting(chat_id="-77", awaiting_since=99),
    }
    assert route(of, entries, prompts, ALL) == to


# -- lanes


def test_a_lane_is_worked_on_by_one_and_forgotten_when_it_is_through():
    lanes, jobs = Lanes(), [Job(said(number=n), n) for n in (1, 2)]
    assert [lanes.put("q", job) for job in jobs] == [True, False]
    assert lanes.head("q") is jobs[0]
    lanes.advance("q")
    assert lanes.head("q") is jobs[1]
    lanes.advance("q")
    assert not lanes.is_busy("q")
    assert lanes.head("q") is None


def test_what_comes_from_another_lane_is_handled_before_what_came_after_it():
    lanes, jobs = Lanes(), [Job(said(number=n), n) for n in (2, 1, 4, 5, 3)]
    for job in jobs:
        lanes.put("q", job)
    order = []
    while (head := lanes.head("q")) is not None:
        order.append(head.stamp)
        lanes.advance("q")
    assert order == [2, 1, 3, 4, 5]


def test_who_works_on_a_lane_owns_it_until_he_has_looked_again_though_it_is_empty_meanwhile():
    lanes, jobs = Lanes(), [Job(said(number=n), n) for n in (1, 2, 3)]
    assert lanes.put("q", jobs[0])
    lanes.advance("q")
    assert not lanes.put("q", jobs[1])
    assert lanes.head("q") is jobs[1]
    lanes.advance("q")
    assert lanes.head("q") is None
    assert lanes.put("q", jobs[2])


def test_a_lane_whose_first_job_has_not_begun_takes_an_earlier_one_before_it():
    lanes, jobs = Lanes(), [Job(said(number=n), n) for n in (2, 1)]
    for job in jobs:
        job.step("queue")
        lanes.put("q", job)
    jobs[1].step("begin")
    lanes.put("q", Job(said(number=3), 0))
    assert [lanes.head("q"), len(jobs)] == [jobs[1], 2]


def test_a_text_waits_for_its_writers_own_earlier_presses_on_custom_buttons_only():
    lanes = Lanes()
    for number, user, data in [
        (1, 7001, "qcustom:a"),
        (2, 7001, "qcustom:b"),
        (3, 7002, "qcustom:c"),
        (4, 7001, "qopt:d:0"),
        (9, 7001, "qcustom:e"),
    ]:
        press = Press(number, "q", Sender(user, False), CHAT, 101, "", data)
        lanes.put(data.split(":")[1], Job(press, number))
    assert lanes.lane_before(said(number=5), "") == "b"
    assert lanes.lane_before(said(number=5), "b") == "a"
    assert lanes.lane_before(said(number=5, user=7003), "") == ""
    assert lanes.lane_before(said(number=5), "b", since=5) == ""


# -- texts and answers of Telegram


@given(st.text(max_size=30), st.integers(1, 20))
def test_a_clipped_text_has_at_most_so_many_units(text, most):
    clipped = texts.clipped(text, most)
    assert units(clipped) <= most
    assert clipped == text or clipped.endswith("…")


@given(st.text(max_size=6_000), st.text(max_size=6_000))
def test_whatever_is_answered_fits_into_a_message_or_a_toast(one, other):
    assert units(texts.with_choice(one, other)) <= MESSAGE_CHARS
    assert units(texts.submitted(one, other)) <= MESSAGE_CHARS
    assert units(texts.prompt(one)) <= MESSAGE_CHARS
    assert units(texts.toast(texts.chosen(one))) <= TOAST_CHARS


@given(json_values)
def test_whatever_telegram_answers_is_read_without_raising(body):
    from sim.core.http import HttpResponse

    for status in (200, 400, 429):
        reply = reply_of(HttpResponse(status, body))
        assert reply.is_ok is (status == 200 and type(body) is dict and body.get("ok") is True)
        assert (reply.retry_after_s is not None) is (status == 429)


# -- what is shared with others


def test_a_lease_that_is_this_processes_own_is_taken_again():
    play = BridgePlay()
    signed = json.dumps({"owner": "listener#1", "at": play.now_ms, "id": "lost refresh"})
    play.perform("store", Save(LEASE, signed))
    play.run_ms(6_000)
    u = play.ask()
    play.press(f"qopt:{u}:0", ms=300)
    assert play.replies() == [("que_1", "A")]


def test_an_entry_without_call_or_directory_is_one_with_empty_ones():
    entry = question().to_wire()
    del entry["callID"], entry["directory"]
    found = kept(entry)
    assert isinstance(found, PendingQuestion)
    assert (found.call_id, found.directory) == ("", "")


@pytest.mark.parametrize("index", ["00000", "10000", "9" * 50, "-1", "+1", "٣", "1_0", ""])
def test_an_index_that_no_button_has_is_malformed(index):
    assert pressed(f"qopt:aaaa0001:{index}") is None


@pytest.mark.parametrize("text", [5, None, [], {"a": 1}])
def test_a_message_whose_text_is_no_text_is_nothing_to_this_bridge(text):
    message = {"message_id": 1, "from": {"id": 1}, "chat": {"id": 1}, "text": text}
    assert isinstance(update_of({"update_id": 1, "message": message}), Other)
