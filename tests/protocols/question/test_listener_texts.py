"""Custom answers: prompts, replies to them, plain text, whose it is (§4.1, DQ-01, DQ-02)."""

from __future__ import annotations

import pytest

from sim.channel.api import ChannelFault, Say
from sim.protocols.question import acts
from sim.protocols.question.constants import STORE_FILE
from tests.protocols.question.listener_play import FAILED, BridgePlay

CLOSED_PROMPT = "该提示已失效：对应的问题已结束或已重新提问"


def asked_to_type(play: BridgePlay, person: str = "Alice", **ask: object) -> tuple[str, int]:
    """A question whose custom button was pressed: its uniqueId, and the prompt's message."""
    u = play.ask(**ask)
    play.press(f"qcustom:{u}", person=person)
    return u, play.kept()[u]["customPromptMessageId"]


def test_the_custom_button_marks_the_entry_then_asks_then_tells_and_advises():
    play = BridgePlay()
    u, prompt = asked_to_type(play)
    entry = play.kept()[u]
    assert entry["awaitingText"] is True
    assert (entry["expectedUserId"], entry["chatId"], entry["messageId"]) == (
        7001,
        -4200000001,
        101,
    )
    assert "claimedBy" not in entry
    sent = play.shown("sendMessage")
    assert sent[0]["reply_markup"] == {"force_reply": True, "selective": False}
    assert "回复" in sent[0]["text"]
    assert "Deploy now?" in sent[0]["text"]
    assert len(sent) == 2
    assert play.toasts() == ["请回复提示消息输入答案"]
    marked = next(n for n, text in enumerate(play.states()) if '"awaitingText":true' in text)
    assert f'"customPromptMessageId":{prompt}' not in play.states()[marked]


def test_a_reply_to_the_prompt_is_the_answer_and_the_four_log_lines_tell_of_it_in_order():
    play = BridgePlay()
    u, prompt = asked_to_type(play)
    play.say("use blue", reply_to=prompt, ms=300)
    assert play.replies() == [("que_1", "use blue")]
    assert play.kept() == {}
    assert [b["message_id"] for b in play.shown("editMessageReplyMarkup")] == [101]
    assert play.messages()[2] == "✅ 已提交：use blue\n❓ Deploy now?"
    lines = [line for line in play.logs() if line.startswith("[PermListener]")]
    assert lines == [
        f"[PermListener] 📥 收到 callback_query: data=qcustom:{u}",
        f"[PermListener] 📋 getPending({u}): type=question",
        f"[PermListener] 📨 收到 message: chat=-4200000001 from=7001 message=104 replyTo={prompt}",
        "[PermListener] ✅ question 已回传 OpenCode: requestID=que_1",
    ]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("use green", "use green"),
        ("@perm_bot  use green", "use green"),
        ("@Alice yes", "yes"),
        ("@napsta_bot do this", None),
        ("/status", None),
        ("@perm_bot", "@perm_bot"),
    ],
)
def test_plain_text_is_an_answer_unless_it_speaks_to_another_bot_or_is_a_command(text, answer):
    play = BridgePlay()
    u, _ = asked_to_type(play)
    play.say(text, ms=300)
    assert play.replies() == ([("que_1", answer)] if answer and answer != "@perm_bot" else [])
    assert (u in play.kept()) is (play.replies() == [])


def test_text_before_any_press_on_the_custom_button_is_no_answer():
    play = BridgePlay()
    play.ask()
    play.say("blue")
    play.say("blue", reply_to=101)
    assert play.asked() == []
    assert play.messages() == []


def test_of_two_waiting_questions_plain_text_goes_to_the_one_asked_for_last_then_to_the_other():
    play = BridgePlay()
    asked_to_type(play, session="ses_2", call="call_B")
    asked_to_type(play, session="ses_1", call="call_A")
    play.say("newest", ms=300)
    play.say("the other", ms=300)
    play.say("nobody's", ms=300)
    assert play.replies() == [("que_2", "newest"), ("que_1", "the other")]


def test_it_is_the_press_that_counts_not_when_the_question_was_asked():
    play = BridgePlay()
    older, _ = asked_to_type(play, call="call_A")
    asked_to_type(play, call="call_B")
    play.press(f"qcustom:{older}")
    play.say("mine", ms=300)
    assert play.replies() == [("que_1", "mine")]


def test_a_reply_says_which_of_two_waiting_questions_is_meant():
    play = BridgePlay()
    _, first = asked_to_type(play, call="call_A")
    asked_to_type(play, call="call_B")
    play.say("for the first", reply_to=first, ms=300)
    assert play.replies() == [("que_1", "for the first")]


def test_what_others_wait_for_is_no_candidate_and_their_prompts_are_not_mine_to_answer():
    play = BridgePlay()
    _, prompt = asked_to_type(play)
    play.say("bob says", person="Bob")
    play.say("bob replies", reply_to=prompt, person="Bob")
    play.say("bob replies", reply_to=101, person="Bob")
    assert play.asked() == []
    assert len(play.messages()) == 2
    play.say("alice says", ms=300)
    assert play.replies() == [("que_1", "alice says")]


def test_the_last_who_pressed_owns_the_wait_and_the_older_prompt_is_dead():
    play = BridgePlay()
    u, alices = asked_to_type(play)
    play.press(f"qcustom:{u}", person="Bob")
    bobs = play.kept()[u]["customPromptMessageId"]
    assert bobs != alices
    assert play.kept()[u]["expectedUserId"] == 7002
    play.say("alice", reply_to=alices)
    assert play.messages()[-1] == CLOSED_PROMPT
    play.say("alice")
    play.say("bob", reply_to=bobs, person="Bob", ms=300)
    assert play.replies() == [("que_1", "bob")]


def test_an_option_press_ends_the_wait_and_a_late_reply_is_told_so():
    play = BridgePlay()
    u, prompt = asked_to_type(play)
    play.fail("listener>opencode", "POST:/question/*/reply", "500")
    play.press(f"qopt:{u}:1", ms=300)
    assert play.kept()[u]["awaitingText"] is False
    play.say("changed my mind", ms=300)
    play.say("changed my mind", reply_to=prompt, ms=300)
    assert play.messages()[-1] == CLOSED_PROMPT
    assert play.replies() == []
    play.press(f"qopt:{u}:1", ms=300)
    assert play.replies() == [("que_1", "B")]


def test_a_reply_to_a_dead_prompt_or_anything_else_goes_to_no_other_question():
    play = BridgePlay()
    u, dead = asked_to_type(play, call="call_A")
    waiting, _ = asked_to_type(play, call="call_B")
    play.press(f"qopt:{u}:1", ms=300)
    play.say("meant for the first", reply_to=dead, ms=300)
    assert play.messages()[-1] == CLOSED_PROMPT
    play.say("chatter", person="Bob")
    play.say("to bob", reply_to=int(play.notes("said")[-1]["event"].message))
    assert play.replies() == [("que_1", "B")]
    assert waiting in play.kept()


def test_after_a_restart_a_dead_prompt_is_just_any_message_and_a_live_one_still_works():
    play = BridgePlay()
    u, dead = asked_to_type(play)
    play.press(f"qcustom:{u}")
    live = play.kept()[u]["customPromptMessageId"]
    play.crash("listener")
    play.restart("listener")
    play.run_ms(50)
    before = len(play.messages())
    play.say("to the dead one", reply_to=dead)
    assert len(play.messages()) == before
    play.say("to the live one", reply_to=live, ms=300)
    assert play.replies() == [("que_1", "to the live one")]


def test_a_prompt_that_cannot_be_sent_leaves_plain_text_and_a_reply_to_the_question():
    play = BridgePlay()
    u = play.ask()
    play.act("telegram", ChannelFault("post", "server_error"))
    play.press(f"qcustom:{u}")
    entry = play.kept()[u]
    assert (entry["awaitingText"], entry["customPromptMessageId"]) == (True, None)
    assert play.toasts() == ["提示消息发送失败：请回复问题消息，或直接输入文字"]
    play.say("typed anyway", reply_to=101, ms=300)
    assert play.replies() == [("que_1", "typed anyway")]


@pytest.mark.parametrize(
    "fault", ["GET:/question 500", "GET:/question reset", "POST:/question/*/reply 503"]
)
def test_a_failed_custom_answer_is_told_in_the_documents_words_and_keeps_its_context(fault):
    play = BridgePlay()
    u, prompt = asked_to_type(play)
    before = play.kept()[u]
    play.fail("listener>opencode", *fault.split())
    play.say("first try", reply_to=prompt, ms=300)
    assert play.messages()[-1].splitlines()[0] == FAILED
    kept = play.kept()[u]
    kept.pop("requestID", None)
    assert kept == before
    play.say("second try", reply_to=prompt, ms=300)
    assert play.replies()[-1] == ("que_1", "second try")
    assert play.kept() == {}


def test_a_text_and_the_press_before_it_in_one_batch_are_handled_in_their_order():
    play = BridgePlay()
    u = play.ask()
    play.crash("listener")
    play.press(f"qcustom:{u}")
    play.say("in one batch")
    play.restart("listener")
    play.run_ms(300)
    assert play.replies() == [("que_1", "in one batch")]


def test_a_reply_to_a_prompt_whose_number_is_not_known_yet_waits_until_it_is():
    play = BridgePlay()
    first = play.ask(call="call_A")
    second = play.ask(call="call_B")
    play.press(f"qcustom:{second}")
    way_back = play.world.route("telegram", "listener", reply=True)
    way_back.latency = (3_000_000, 3_000_000)
    play.press(f"qcustom:{first}", ms=3_100)
    prompts = [m for m in play.notes("applied") if m["request"].role == "prompt"]
    newest = int(prompts[-1]["reply"].message)
    way_back.latency = (1_000, 1_000)
    play.say("for the slow one", reply_to=newest, ms=10_000)
    assert ("que_1", "for the slow one") in play.replies()


def test_words_from_elsewhere_or_of_bots_are_none_of_the_bridges_business():
    play = BridgePlay(telegram={"groups": ("-77",)})
    u, _ = asked_to_type(play)
    play.act("telegram", Say("Alice", "elsewhere", chat="-77"), 50)
    play.act("telegram", Say("Alice", "in private", chat="direct"), 50)
    assert play.asked() == []
    assert u in play.kept()


def test_with_privacy_on_presses_come_texts_do_not_and_nothing_breaks():
    from sim.protocols.question.telegram import BotAccount

    play = BridgePlay(telegram={"bots": (BotAccount(privacy="on"),)})
    u, prompt = asked_to_type(play)
    play.say("unheard", reply_to=prompt, ms=31_000)
    assert play.asked() == []
    assert play.kept()[u]["awaitingText"] is True
    play.press(f"qopt:{u}:0", ms=300)
    assert play.replies() == [("que_1", "A")]


def test_words_while_the_store_cannot_be_read_bother_only_who_was_asked_to_type():
    play = BridgePlay()
    asked_to_type(play)
    play.act("store", acts.DenyStore())
    play.say("chatter", person="Bob")
    assert FAILED not in "".join(play.messages())
    play.say("blue")
    assert play.messages()[-1].splitlines()[0] == FAILED
    play.act("store", acts.DenyStore(on=False))
    play.say("blue", ms=300)
    assert play.replies() == [("que_1", "blue")]
    assert STORE_FILE in play.files()


def test_who_was_asked_to_type_in_an_earlier_life_is_told_too_that_the_store_cannot_be_read():
    play = BridgePlay()
    asked_to_type(play)
    play.crash("listener")
    play.restart("listener")
    play.run_ms(50)
    play.act("store", acts.DenyStore())
    before = len(play.messages())
    play.say("chatter", person="Bob")
    assert len(play.messages()) == before
    play.say("blue")
    assert play.messages()[-1].splitlines()[0] == FAILED


def test_a_text_that_comes_again_after_a_crash_answers_nothing_that_was_asked_for_later():
    play = BridgePlay()
    slow, other = play.ask(listed_after_ms=3_000), play.ask("ses_2")
    play.press(f"qcustom:{slow}", ms=100)
    play.say("for the slow one", ms=100)
    play.press(f"qcustom:{other}", ms=500)
    play.crash("listener")
    play.restart("listener")
    play.run_ms(5_000)
    assert play.replies() == [("que_2", "for the slow one")]
    assert play.kept()[other]["awaitingText"] is True


def test_a_prompt_that_telegram_slows_down_is_not_sent_again_nobody_would_know_its_number():
    play = BridgePlay()
    u = play.ask()
    play.act("telegram", ChannelFault("post", "rate_limited", 1_000_000))
    play.press(f"qcustom:{u}", ms=5_000)
    prompts = [body for body in play.shown("sendMessage") if "reply_markup" in body]
    assert len(prompts) == 1
    assert play.kept()[u]["customPromptMessageId"] is None


def test_a_text_is_for_what_was_pressed_last_before_it_though_older_presses_take_longer():
    play = BridgePlay()
    slow, meant = play.ask(call="call_A"), play.ask(call="call_B")
    play.crash("listener")
    for u in (slow, slow, slow, meant):
        play.press(f"qcustom:{u}")
    play.say("for the second")
    play.press(f"qcustom:{meant}")
    play.restart("listener")
    play.run_ms(1_000)
    assert play.replies() == [("que_2", "for the second")]


def test_a_text_that_had_to_wait_for_another_button_goes_before_presses_that_came_after_it():
    play = BridgePlay()
    u, old = play.ask(listed_after_ms=1_500), play.ask("ses_2")
    play.press(f"qcustom:{u}")
    play.crash("listener")
    play.say("fails")
    for _ in range(3):
        play.press(f"qcustom:{old}")
    play.say("typed first")
    play.press(f"qopt:{u}:0")
    play.act("store", acts.PutEntry(old, {**play.kept()[old], "timestamp": 0}))
    play.fail("listener>opencode", "POST:/question/*/reply", "500")
    play.restart("listener")
    play.run_ms(3_000)
    assert [text for _, text in play.replies()] == ["typed first"]


def test_a_reply_to_a_question_whose_button_is_pressed_after_it_is_no_answer_however_late():
    play = BridgePlay()
    slow, other = play.ask(listed_after_ms=60_000), play.ask("ses_2")
    play.press(f"qopt:{slow}:0")
    play.press(f"qcustom:{slow}")
    play.say("too early", reply_to=play.kept()[other]["messageId"])
    play.press(f"qcustom:{other}", ms=700)
    assert play.kept()[other]["awaitingText"] is True
    play.run_ms(8_000)
    assert play.kept()[slow]["awaitingText"] is True
    assert play.replies() == []
    play.say("in time", reply_to=play.kept()[other]["messageId"], ms=300)
    assert play.replies() == [("que_1", "in time")]
