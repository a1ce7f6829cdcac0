"""Presses on options: matching, retries, failures, success (§6, §7, DQ-03 … DQ-18)."""

from __future__ import annotations

import itertools

import pytest

from sim.channel.api import ChannelFault
from sim.core.http import HttpRequest
from sim.protocols.question import acts
from tests.protocols.question.listener_play import FAILED, BridgePlay
from tests.protocols.question.question_play import question


def test_a_press_lists_replies_removes_toasts_and_edits_once_in_this_order():
    play = BridgePlay()
    u = play.ask()
    play.press(f"qopt:{u}:1", ms=300)
    assert play.asked() == ["GET list", "POST /que_1/reply"]
    assert play.replies() == [("que_1", "B")]
    assert play.tool("que_1") == "completed"
    assert play.kept() == {}
    assert play.toasts() == ["✅ 已选择：B"]
    assert next(b["text"] for b in play.shown("editMessageText")).endswith("✅ 已选择：B")
    assert play.shown("editMessageReplyMarkup") == play.messages() == []


def test_what_has_no_value_is_answered_by_its_label():
    play = BridgePlay()
    play.ask()
    u, entry = next(iter(play.kept().items()))
    entry["options"] = [{"label": "Yes"}]
    play.act("store", acts.PutEntry(u, entry))
    play.press(f"qopt:{u}:0", ms=300)
    assert play.replies() == [("que_1", "Yes")]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_questions_of_one_session_are_told_apart_by_their_call(order):
    play = BridgePlay()
    us = [play.ask(call="call_A"), play.ask(call="call_B")]
    for n in order:
        play.press(f"qopt:{us[n]}:{n}", ms=300)
    assert sorted(play.replies()) == [("que_1", "A"), ("que_2", "B")]
    assert play.kept() == {}


def test_between_two_questions_without_calls_nothing_is_guessed_until_one_is_closed():
    play = BridgePlay()
    first = play.ask(names_call=False)
    play.ask(names_call=False)
    play.press(f"qopt:{first}:0", ms=6_500)
    assert play.asked() == ["GET list"] * 20
    assert len(play.kept()) == 2
    play.act("opencode", acts.DismissHere("que_2"))
    play.press(f"qopt:{first}:0", ms=300)
    assert play.replies() == [("que_1", "A")]


def test_an_old_button_does_not_answer_a_newer_question_of_its_session():
    play = BridgePlay()
    old = play.ask(call="call_A")
    play.act("opencode", acts.DismissHere("que_1"))
    play.ask(call="call_B")
    play.press(f"qopt:{old}:0", ms=6_500)
    assert play.replies() == []
    assert old in play.kept()
    assert play.toasts() == [FAILED]


def test_by_the_letter_of_the_document_the_only_question_of_the_session_gets_it():
    play = BridgePlay("session-fallback-narrow")
    old = play.ask(call="call_A")
    play.act("opencode", acts.DismissHere("que_1"))
    play.ask(call="call_B", options=("X", "Y"))
    play.press(f"qopt:{old}:0", ms=300)
    assert play.replies() == [("que_2", "A")]


def test_a_question_without_its_call_in_the_list_is_found_by_its_session_and_option():
    play = BridgePlay()
    u = play.ask(call="call_A", shows_tool=False)
    play.press(f"qopt:{u}:0", ms=300)
    assert play.replies() == [("que_1", "A")]


def test_an_option_that_the_only_question_of_the_session_does_not_have_is_no_match():
    play = BridgePlay()
    old = play.ask(names_call=False)
    play.act("opencode", acts.DismissHere("que_1"))
    play.ask(names_call=False, options=("X", "Y"))
    play.press(f"qopt:{old}:0", ms=6_500)
    assert play.replies() == []


def test_no_question_of_another_session_is_ever_answered():
    play = BridgePlay()
    u = play.ask(session="ses_1", names_call=False)
    play.act("opencode", acts.DismissHere("que_1"))
    play.ask(session="ses_2", names_call=False)
    play.press(f"qopt:{u}:0", ms=6_500)
    assert play.replies() == []


@pytest.mark.parametrize(("listed_ms", "tries"), [(0, 2), (1_600, 7), (5_600, 20)])
def test_a_question_that_is_listed_later_is_found_at_the_next_try(listed_ms, tries):
    play = BridgePlay()
    play.act("opencode", acts.Ask("ses_1", listed_after_ms=listed_ms + 100), 30)
    u = next(iter(play.kept()))
    play.press(f"qopt:{u}:0", ms=7_000)
    times = play.times()
    assert len(times) == tries
    gaps = [b - a for a, b in itertools.pairwise(times)]
    assert set(gaps) == {302}  # 300 ms between the end of one and the start of the next
    assert play.replies() == [("que_1", "A")]


def test_what_is_never_listed_gets_twenty_tries_and_keeps_its_buttons():
    play = BridgePlay()
    play.act("opencode", acts.Ask("ses_1", listed_after_ms=60_000), 30)
    u = next(iter(play.kept()))
    play.press(f"qopt:{u}:0", ms=8_000)
    assert len(play.times()) == 20
    assert play.times()[-1] - play.times()[0] == 19 * 302
    assert play.toasts() == [FAILED]
    assert play.messages()[0].startswith(FAILED + "\n")
    assert list(play.kept()) == [u]
    assert "claimedBy" not in play.kept()[u]


@pytest.mark.parametrize("outcome", ["500", "404", "reset", "refused", "lost"])
def test_a_list_that_fails_ends_the_attempt_at_once(outcome):
    play = BridgePlay()
    u = play.ask()
    play.fail("listener>opencode", "GET:/question", outcome)
    play.press(f"qopt:{u}:0", ms=5_500)
    assert play.asked() == ["GET list"]
    assert play.toasts() == [FAILED]
    assert any("OpenCode GET /question" in line for line in play.logs())
    play.press(f"qopt:{u}:0", ms=300)
    assert play.replies() == [("que_1", "A")]


@pytest.mark.parametrize("outcome", ["500", "404", "400", "refused"])
def test_a_reply_that_is_refused_keeps_everything_and_the_next_press_works(outcome):
    play = BridgePlay()
    u = play.ask()
    before = play.kept()[u]
    play.fail("listener>opencode", "POST:/question/*/reply", outcome)
    play.press(f"qopt:{u}:0", ms=300)
    assert play.kept()[u] == {**before, "requestID": "que_1"}
    assert play.shown("editMessageText") == []
    play.press(f"qopt:{u}:1", ms=300)
    assert play.asked() == ["GET list", "POST /que_1/reply"] * 2
    assert play.replies() == [("que_1", "B")]
    assert play.toasts() == [FAILED, "✅ 已选择：B"]


def test_a_reply_whose_answer_was_lost_is_settled_by_the_next_press_without_a_second_post():
    play = BridgePlay()
    u = play.ask(call="call_A")
    play.fail("listener>opencode", "POST:/question/*/reply", "broken")
    play.press(f"qopt:{u}:0", ms=300)
    play.ask(call="call_B")
    play.press(f"qopt:{u}:0", ms=300)
    assert play.replies() == [("que_1", "A")]
    assert play.asked() == ["GET list", "POST /que_1/reply", "GET list"]
    assert play.toasts() == [FAILED, "该问题已被回答或已关闭"]
    assert u not in play.kept()
    assert len(play.shown("editMessageReplyMarkup")) == 1


@pytest.mark.parametrize("late", ["4900000us", "4750000us"])  # no time left for a pause
def test_a_slow_opencode_is_waited_for_five_seconds_per_call_and_twenty_in_all(late):
    play = BridgePlay()
    play.act("opencode", acts.Ask("ses_1", listed_after_ms=60_000), 30)
    play.fail("listener>opencode", "GET:/question", late, "9x")
    u = next(iter(play.kept()))
    play.press(f"qopt:{u}:0", ms=30_000)
    assert len(play.times()) == 4
    done = next(e for e in play.world.events if "answerCallback" in str(getattr(e, "request", "")))
    assert done.at // 1000 - play.times()[0] <= 20_100


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("qopt:dead0000:0", "该问题已过期或已回答"),
        ("qcustom:dead0000", "该问题已过期或已回答"),
        ("qopt:{u}", "无效的数据"),
        ("qopt:{u}:x", "无效的数据"),
        ("qopt:{u}:2", "无效的数据"),
        ("qopt:{u}:-1", "无效的数据"),
        ("qopt:{u}:99999999999999999999", "无效的数据"),
        ("qopt::0", "无效的数据"),
        ("qcustom:", "无效的数据"),
        ("qopt:pppp0001:0", "无效的数据"),
        ("qopt:junk0001:0", "无效的数据"),
        ("zzz", "无效的数据"),
        ("", "无效的数据"),
    ],
)
def test_bad_data_is_told_by_a_toast_and_nothing_else(data, told):
    play = BridgePlay()
    u = play.ask()
    play.act("store", acts.PutEntry("pppp0001", {"type": "permission"}))
    play.act("store", acts.PutEntry("junk0001", {"type": "question", "options": 7}))
    before = play.kept()
    play.press(data.format(u=u), message=101)
    assert play.asked() == []
    assert play.toasts() == [told]
    assert play.kept() == before


@pytest.mark.parametrize("method", ["answer", "edit"])
def test_what_the_chat_cannot_show_of_a_success_is_never_told_as_a_failure(method):
    play = BridgePlay()
    u = play.ask()
    play.act("telegram", ChannelFault(method, "server_error", always=True))
    play.press(f"qopt:{u}:0", ms=300)
    assert play.kept() == {}
    assert FAILED not in "".join(play.toasts() + play.messages())
    assert any("Telegram" in line and "500" in line for line in play.logs())


def test_an_edit_that_comes_too_fast_is_made_once_more_after_its_delay_beside_the_loop():
    play = BridgePlay()
    u = play.ask()
    play.act("telegram", ChannelFault("edit", "rate_limited", 7_000_000))
    play.press(f"qopt:{u}:0", ms=300)
    other = play.ask(session="ses_2")
    play.press(f"qopt:{other}:0", ms=300)
    assert len(play.replies()) == 2
    play.run_ms(7_000)
    edited = [body["message_id"] for body in play.shown("editMessageText")]
    assert edited == [101, 102, 101]


def test_the_delay_of_a_429_is_waited_for_thirty_seconds_at_most_and_only_once():
    play = BridgePlay()
    u = play.ask()
    play.act("telegram", ChannelFault("edit", "rate_limited", 50_000_000, always=True))
    play.press(f"qopt:{u}:0", ms=29_000)
    assert len(play.shown("editMessageText")) == 1
    play.run_ms(2_000)
    assert len(play.shown("editMessageText")) == 2
    play.run_ms(120_000)
    assert len(play.shown("editMessageText")) == 2
    assert any("second try" in line for line in play.logs())


def test_a_failure_whose_toast_fails_is_told_by_a_message_all_the_same():
    play = BridgePlay()
    u = play.ask()
    play.fail("listener>opencode", "GET:/question", "500")
    play.act("telegram", ChannelFault("answer", "server_error"))
    play.press(f"qopt:{u}:0", ms=300)
    assert [text.splitlines()[0] for text in play.messages()] == [FAILED]


def test_a_press_before_the_hook_knows_its_message_works_and_leaves_nothing_behind():
    play = BridgePlay()
    play.steady(200, "hook>telegram")
    play.act("opencode", acts.Ask("ses_1"), 250)
    u = next(iter(play.kept()))
    assert "messageId" not in play.kept()[u]
    play.press(f"qopt:{u}:0", ms=3_000)
    assert play.replies() == [("que_1", "A")]
    assert play.kept() == {}


def test_the_directory_of_the_entry_goes_with_each_call_and_is_left_out_where_there_is_none():
    play = BridgePlay()
    u = play.ask(directory="/other dir")
    play.press(f"qopt:{u}:0", ms=300)
    play.put(aaaa0001=question(directory="", call_id="call_9", timestamp=play.now_ms))
    play.press("qopt:aaaa0001:0", message=101, ms=20)
    queries = [
        e.request.query
        for e in play.world.events
        if type(e).__name__ == "CallIssued" and e.callee == "opencode"
        if isinstance(e.request, HttpRequest)
    ]
    assert queries == [(("directory", "/other dir"),)] * 2 + [()]


def test_a_press_tells_where_the_message_is_while_the_hook_has_not_said_so():
    play = BridgePlay()
    u = play.ask(ms=100)
    where = play.kept()[u]["messageId"]
    play.put(**{u: question(sid="ses_1", call_id="call_1", timestamp=play.now_ms)})
    play.fail("listener>opencode", "GET:/question", "500")
    play.press(f"qopt:{u}:0", message=where, ms=300)
    assert play.kept()[u]["messageId"] == where
    assert str(play.kept()[u]["chatId"]) == "-4200000001"


def test_a_request_id_is_one_part_of_the_path_whatever_is_in_it():
    play = BridgePlay()
    u = play.ask(request="que/1?x=#%")
    play.press(f"qopt:{u}:0", ms=300)
    assert play.asked() == ["GET list", "POST /que%2F1%3Fx%3D%23%25/reply"]
    assert play.tool("que/1?x=#%") == "completed"


def test_a_question_that_two_entries_are_about_is_answered_once_at_a_time():
    play = BridgePlay()
    old = play.ask(names_call=False)
    play.act("opencode", acts.DismissHere("que_1"))
    new = play.ask(names_call=False)
    play.fail("listener>opencode POST:/question/*/reply 1000000us")
    play.press(f"qopt:{old}:0", ms=200)
    play.press(f"qopt:{new}:1", ms=2_000)
    assert play.replies() == [("que_2", "A")]
    assert FAILED in play.toasts()
