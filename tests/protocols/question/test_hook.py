"""The hook: what it writes and sends, in which order, and that nothing keeps it."""

import pytest

from sim.core.event import CallApplied, CallIssued, Saved
from sim.core.http import HttpResponse
from sim.core.op import NO_ANSWER, Call
from sim.protocols.question import acts
from sim.protocols.question.before import BeforeTool, HookReturned
from sim.protocols.question.constants import STORE_FILE
from sim.protocols.question.hook import texts
from sim.protocols.question.texts import STORE_BROKEN
from sim.world import fault_choice
from tests.protocols.question.question_play import LOCK, QuestionPlay, question

ARGS = {
    "questions": [
        {
            "question": "Deploy now?",
            "header": "Pick",
            "options": [{"label": "A", "description": "A desc"}, {"label": "B"}],
        }
    ]
}
BEFORE = BeforeTool("question", "ses_1", "call_A", ARGS, "/proj")


def hooked(*answers, off=(), **plan):
    play = QuestionPlay(*off)
    play.telegram(*answers)
    play.hook(**plan)
    play.outsider("agent")
    return play


def told(play, before=BEFORE):
    """What the hook returns, and how many milliseconds that took."""
    began = play.world.now
    reply = play.done("agent", lambda actor: actor.perform(Call("hook", before, 10**9)))
    return reply, (play.world.now - began) // 1_000


def the_entry(play):
    ((unique_id, entry),) = play.kept().items()
    return unique_id, entry


# -- the usual way


def test_the_entry_is_written_then_the_message_sent_then_its_id_noted():
    play = hooked()
    assert told(play)[0] == HookReturned()
    _, entry = the_entry(play)
    assert entry == {
        "type": "question",
        "sid": "ses_1",
        "callID": "call_A",
        "directory": "/proj",
        "options": [{"label": "A", "value": "A"}, {"label": "B", "value": "B"}],
        "timestamp": 1_767_225_600_001,
        "chatId": "-4200000001",
        "messageId": 101,
    }
    saved = [e.n for e in play.events(Saved) if e.key == STORE_FILE]
    (sent,) = [e for e in play.events(CallIssued) if e.callee == "telegram"]
    assert saved[0] < sent.n < saved[1]
    assert len(saved) == 2
    assert play.logs() == []


def test_the_message_has_a_button_per_option_in_order_and_one_for_a_free_answer():
    play = hooked()
    told(play)
    (request,) = play.sent
    unique_id, _ = the_entry(play)
    assert (request.method, request.path) == ("POST", "/bottoken-A/sendMessage")
    assert request.body["chat_id"] == "-4200000001"
    assert request.body["parse_mode"] == "Markdown"
    assert request.body["text"] == "❓ *Pick*\nDeploy now?\n• A — A desc"
    assert request.body["reply_markup"]["inline_keyboard"] == [
        [{"text": "A", "callback_data": f"qopt:{unique_id}:0"}],
        [{"text": "B", "callback_data": f"qopt:{unique_id}:1"}],
        [{"text": texts.OWN_ANSWER, "callback_data": f"qcustom:{unique_id}"}],
    ]


def test_other_tools_and_a_hook_without_a_token_do_nothing():
    for before, token in [(BeforeTool("bash", "s", "c", ARGS), "t"), (BEFORE, "")]:
        play = hooked(token=token)
        assert told(play, before)[0] == HookReturned()
        assert (play.file(), play.sent, play.events(CallApplied)[:-1]) == (None, [], [])


def test_two_questions_at_once_have_each_their_entry_and_message():
    play = hooked()
    both = [BEFORE, BeforeTool("question", "ses_2", "call_B", ARGS, "/other")]
    replies = [play.use("agent", lambda actor, b=b: actor.perform(Call("hook", b))) for b in both]
    play.run()
    assert replies == [[HookReturned()], [HookReturned()]]
    entries = {entry["callID"]: entry for entry in play.kept().values()}
    assert [entries[call]["sid"] for call in ("call_A", "call_B")] == ["ses_1", "ses_2"]
    assert {entry["messageId"] for entry in entries.values()} == {101, 102}


# -- what may go wrong


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (HttpResponse(429, {"ok": False, "description": "Too Many Requests"}), "Too Many"),
        (HttpResponse(502), "HTTP 502"),
        (HttpResponse(200, {"ok": False, "description": "no such chat"}), "no such chat"),
    ],
)
def test_a_refused_message_takes_its_entry_with_it(answer, why):
    play = hooked(answer)
    assert told(play)[0] == HookReturned()
    assert play.kept() == {}
    assert len(play.sent) == 1
    (log,) = play.logs()
    assert log.startswith("[HermesHook] call_A: ")
    assert why in log


def test_nobody_listens_at_telegram():
    play = hooked()
    play.crash("telegram")
    reply, took_ms = told(play)
    assert (reply, play.kept()) == (HookReturned(), {})
    assert took_ms < 10


@pytest.mark.parametrize(
    ("fault", "applied", "took_ms"),
    [("broken", 1, 5), ("reset", 0, 5), ("lost", 0, 4_502), ("unanswered", 1, 4_502)],
)
def test_an_entry_is_kept_when_nobody_knows_whether_the_message_is_there(fault, applied, took_ms):
    play = hooked()
    assert fault_choice.strike(play.world, f"http hook>telegram * {fault}")
    reply, took = told(play)
    assert (reply, took, len(play.sent)) == (HookReturned(), took_ms, applied)
    assert "messageId" not in the_entry(play)[1]
    play.run_ms(60_000)
    assert len(play.sent) == applied  # nothing is sent again


def test_an_answer_that_says_nothing_leaves_the_entry():
    for body in (None, {"ok": True}, {"ok": True, "result": True}, [1]):
        play = hooked(HttpResponse(200, body))
        assert told(play)[0] == HookReturned()
        assert "messageId" not in the_entry(play)[1]


def test_a_lock_that_is_held_makes_the_hook_give_up_after_two_seconds():
    play = hooked()
    play.act("store", acts.LeaveLock(owner="agent#1"))
    reply, took_ms = told(play)
    assert reply == HookReturned()
    assert 2_000 <= took_ms < 2_050
    assert (play.sent, play.file()) == ([], None)
    assert "is held" in play.logs()[0]


def test_a_disk_that_refuses_makes_the_hook_give_up():
    play = hooked()
    play.act("store", acts.DenyStore())
    assert told(play)[0] == HookReturned()
    assert (play.sent, play.file()) == ([], None)


@pytest.mark.parametrize("slow_ms", [4_400, 4_600, 9_000])
@pytest.mark.parametrize("lock", [False, True])
def test_it_returns_within_five_seconds_however_slow_the_others_are(slow_ms, lock):
    play = hooked(slow_ms)
    reply = play.use("agent", lambda actor: actor.perform(Call("hook", BEFORE, 10**9)))
    play.run_ms(1_000)
    if lock:
        play.act("store", acts.LeaveLock(owner="agent#1"), ms=0)
    play.run_ms(4_003)
    assert reply == [HookReturned()]
    assert ("messageId" in the_entry(play)[1]) is (slow_ms < 4_500 and not lock)


def test_a_slow_disk_is_no_reason_to_stay_either():
    play = hooked()
    for way in (("hook", "store"), ("store", "hook")):
        play.world.latencies[way] = (400_000, 400_000)
    reply, took_ms = told(play)
    assert reply == HookReturned()
    assert took_ms <= 5_002


def test_a_message_for_whose_answer_no_time_is_left_is_not_sent_and_its_entry_goes_later():
    play = hooked()
    for way in (("hook", "store"), ("store", "hook")):
        play.world.latencies[way] = (460_000, 460_000)
    reply, took_ms = told(play)
    assert (reply, play.sent) == (HookReturned(), [])
    assert took_ms <= 5_002
    assert len(play.kept()) == 1
    play.run_ms(6_000)
    assert play.kept() == {}
    assert any("once more" in text for text in play.logs())


def test_what_cannot_be_done_later_either_is_logged_and_left_to_the_ttl():
    play = hooked(HttpResponse(500))
    play.use("agent", lambda actor: actor.perform(Call("hook", BEFORE, 10**9)))
    while not play.sent:
        play.step()
    play.act("store", acts.LeaveLock(owner="agent#1"), ms=5_000)
    assert len(play.kept()) == 1
    levels = [note["level"] for note in play.notes("log")]
    assert sorted(levels) == ["error", "error", "warn"]


def test_the_message_is_noted_later_where_the_lock_was_held_too_long():
    play = hooked()
    play.use("agent", lambda actor: actor.perform(Call("hook", BEFORE, 10**9)))
    while not play.sent:
        play.step()
    play.act("store", acts.LeaveLock(owner="agent#1"), ms=3_000)
    assert "messageId" not in the_entry(play)[1]
    play.act("store", acts.RemoveLock(), ms=100)
    assert the_entry(play)[1]["messageId"] == 101


def test_the_late_write_brings_no_answered_question_back():
    play = hooked(300)
    reply = play.use("agent", lambda actor: actor.perform(Call("hook", BEFORE)))
    play.run_ms(100)
    assert len(play.kept()) == 1
    play.put()
    play.run()
    assert (reply, play.kept()) == ([HookReturned()], {})


def test_the_late_write_keeps_what_the_listener_has_put_in_meanwhile():
    play = hooked(300)
    play.use("agent", lambda actor: actor.perform(Call("hook", BEFORE)))
    play.run_ms(100)
    (unique_id,) = play.kept()
    play.put(**{unique_id: question(request_id="que_1", awaiting_text=True)})
    play.run()
    entry = play.kept()[unique_id]
    assert (entry["requestID"], entry["awaitingText"], entry["messageId"]) == ("que_1", True, 101)


@pytest.mark.parametrize("down", [False, True])
def test_a_broken_store_is_put_aside_and_the_chat_told_once(down):
    play = hooked(None, HttpResponse(500) if down else None)
    play.act("store", acts.BreakStore())
    assert told(play)[0] == HookReturned()
    assert [request.body["text"] for request in play.sent][1:] == [STORE_BROKEN]
    assert "moved to" in play.logs()[0]
    assert len(play.kept()) == 1
    told(play)
    said = [request.body["text"] for request in play.sent]
    assert said.count(STORE_BROKEN) == (2 if down else 1)


def test_a_crash_between_write_and_send_leaves_the_entry_and_no_message():
    play = hooked()
    play.use("agent", lambda actor: actor.perform(Call("hook", BEFORE)))
    while not play.kept():
        play.step()
    play.crash("hook")
    play.run()
    assert (len(play.kept()), play.sent) == (1, [])
    play.restart("hook")
    assert told(play)[0] == HookReturned()
    assert len(play.kept()) == 2
    assert LOCK not in play.files()


def test_what_is_not_told_before_a_tool_is_no_call_of_the_hook():
    play = hooked()
    with pytest.raises(LookupError, match="no API for 5"):
        play.tell("hook", lambda actor: actor.on_call("agent", 5))


# -- without the rules


def test_without_the_rules_it_throws_what_went_wrong():
    play = hooked(HttpResponse(500), off=("hook-never-throws",))
    assert "sendMessage refused: HTTP 500" in told(play)[0].threw
    play = hooked(off=("hook-never-throws",))
    play.act("store", acts.DenyStore())
    assert "no space" in told(play)[0].threw


def test_without_the_rule_the_tool_waits_until_the_question_is_gone():
    play = hooked(off=("hook-never-blocks",))
    reply = play.use("agent", lambda actor: actor.perform(Call("hook", BEFORE, 10**10)))
    play.run_ms(60_000)
    assert reply == []
    play.put()
    play.run_ms(1_100)
    assert reply == [HookReturned()]


def test_without_the_rule_other_tools_are_asked_about_too():
    play = hooked(off=("questions-only",))
    told(play, BeforeTool("bash", "s", "c", {"command": "ls"}))
    assert play.sent[0].body["text"] == "❓ bash"
    assert the_entry(play)[1]["options"] == []


def test_without_the_rule_the_message_is_there_before_the_entry():
    play = hooked(100, off=("write-before-send",))
    play.use("agent", lambda actor: actor.perform(Call("hook", BEFORE)))
    play.run_ms(50)
    assert (len(play.sent), play.file()) == (1, None)
    play.run()
    unique_id, entry = the_entry(play)
    assert play.sent[0].body["reply_markup"]["inline_keyboard"][0][0]["callback_data"] == (
        f"qopt:{unique_id}:0"
    )
    assert entry["messageId"] == 101


def test_without_the_rules_entries_stay_or_go_the_wrong_way_round():
    play = hooked(HttpResponse(500), off=("drop-on-refused-send",))
    told(play)
    assert len(play.kept()) == 1
    play = hooked(NO_ANSWER, off=("keep-on-unknown-send",))
    told(play)
    assert play.kept() == {}
    play = hooked(300, off=("late-write-changes-only",))
    play.use("agent", lambda actor: actor.perform(Call("hook", BEFORE)))
    play.run_ms(100)
    play.put()
    play.run()
    entry = the_entry(play)[1]
    assert (entry["messageId"], entry["chatId"]) == (101, "-4200000001")


def test_without_the_rules_there_is_no_custom_button_and_the_wrong_session():
    play = hooked(off=("custom-button", "ids-from-input"))
    play.opencode(sessions={"ses_9": "/x", "ses_1": "/proj"})
    told(play)
    assert len(play.sent[0].body["reply_markup"]["inline_keyboard"]) == 2
    assert the_entry(play)[1]["sid"] == "ses_9"


def test_a_broken_store_is_told_of_also_where_the_question_itself_was_refused():
    play = hooked(HttpResponse(500), None)
    play.act("store", acts.BreakStore())
    told(play)
    play.run()
    assert [request.body["text"] for request in play.sent][1:] == [STORE_BROKEN]
