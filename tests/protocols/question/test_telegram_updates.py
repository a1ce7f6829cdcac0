"""getUpdates: offsets, long polls, two pollers, repeated and late updates."""

import pytest

from sim.core.http import HttpRequest, Unreached
from sim.core.invariant import Monitor
from sim.core.trace import digest_of
from sim.protocols.question.invariants import invariants_for
from sim.protocols.question.telegram import BotAccount
from sim.protocols.question.view import QuestionView
from sim.world import fault
from tests.protocols.question.telegram_play import ASKED, TelegramPlay

PERMITTED = ["callback_query", "message"]


def ids(updates):
    return [one["update_id"] for one in updates]


def said(*texts):
    play = TelegramPlay()
    for text in texts:
        play.say(text)
    return play


def test_updates_come_again_until_a_later_offset_confirms_them():
    play = said("one", "two", "three")
    assert ids(play.poll()) == ids(play.poll(9001)) == [9001, 9002, 9003]
    assert ids(play.poll(9002)) == [9002, 9003]
    assert ids(play.poll(0)) == [9002, 9003]
    assert play.poll(9004) == []
    play.say("four")
    assert ids(play.poll(9004)) == [9004]


def test_a_negative_offset_keeps_only_the_last():
    play = said("one", "two", "three")
    assert ids(play.poll(-1)) == [9003]
    assert ids(play.poll()) == [9003]


@pytest.mark.parametrize(("limit", "many"), [(2, 2), (0, 100), (101, 100), (100, 100)])
def test_a_poll_gives_a_hundred_updates_at_most(limit, many):
    play = said(*map(str, range(102)))
    assert ids(play.poll(limit=limit)) == list(range(9001, 9001 + many))


def test_updates_are_forgotten_after_a_day():
    play = said("one")
    play.wait(86_399)
    play.say("two")
    assert ids(play.poll()) == [9001, 9002]
    play.wait(2)
    assert ids(play.poll()) == [9002]


def test_a_bot_gets_only_the_kinds_that_it_has_asked_for_last():
    play = TelegramPlay(standing=(ASKED,))
    play.poll(allowed_updates='["callback_query"]')
    play.say("unheard")
    play.press("A")
    assert [list(one)[1] for one in play.poll()] == ["callback_query"]
    play.poll(allowed_updates=[])
    play.say("heard")
    assert [list(one)[1] for one in play.poll()] == PERMITTED
    assert play.refused("getUpdates", allowed_updates={})[0] == 400


def test_a_long_poll_is_answered_when_something_happens_and_with_nothing_at_its_end():
    play = TelegramPlay()
    play.ask("getUpdates", timeout=30)
    play.wait(12)
    assert play.answers == []
    play.say("hello")
    play.wait(0.02)
    assert ids(play.answers[0][1].body["result"]) == [9001]
    play.ask("getUpdates", offset=9002, timeout=30)
    play.wait(29.9)
    assert len(play.answers) == 1
    play.wait(0.2)
    assert play.answers[1][1].body == {"ok": True, "result": []}


@pytest.mark.parametrize(("timeout", "seconds"), [(-1, 0.3), (0, 0.3), (99, 50.1)])
def test_a_long_poll_has_fifty_seconds_at_most(timeout, seconds):
    play = TelegramPlay()
    query = (("timeout", str(timeout)),)
    play.world.act("B", HttpRequest("GET", "/bottoken-A/getUpdates", query))
    play.wait(seconds - 0.2)
    assert len(play.answers) == (timeout < 1)
    play.wait(0.3)
    assert play.answers[0][1].body == {"ok": True, "result": []}


def test_the_second_of_two_pollers_ends_the_first():
    play = TelegramPlay()
    play.ask("getUpdates", "B", timeout=30)
    play.ask("getUpdates", "C", timeout=30)
    assert [(who, answer.status) for who, answer in play.answers] == [("B", 409)]
    assert "terminated by other getUpdates" in play.answers[0][1].body["description"]
    play.say("hello")
    play.wait(0.02)
    assert [(who, answer.status) for who, answer in play.answers[1:]] == [("C", 200)]


def test_a_poll_that_is_answered_at_once_ends_a_waiting_one_too():
    play = TelegramPlay()
    play.ask("getUpdates", "B", timeout=30)
    play.ask("getUpdates", "C")
    assert sorted((who, answer.status) for who, answer in play.answers) == [("B", 409), ("C", 200)]


def test_bots_have_their_own_pollers_and_updates():
    play = TelegramPlay(bots=(BotAccount(), BotAccount("token-B", "napsta_bot")))
    play.ask("getUpdates", "B", timeout=30)
    play.ask("getUpdates", "C", "token-B", timeout=30)
    assert play.answers == []
    play.say("for B", chat="direct")
    play.wait(0.02)
    assert [who for who, _ in play.answers] == ["B"]


def test_before_telegram_notices_two_pollers_get_the_same_update():
    play = TelegramPlay(conflicts=False, standing=(ASKED,))
    play.ask("getUpdates", "B", timeout=30)
    play.ask("getUpdates", "C", timeout=30)
    play.press("A")
    play.wait(0.02)
    assert [(who, ids(answer.body["result"])) for who, answer in play.answers] == [
        ("B", [9001]),
        ("C", [9001]),
    ]


def test_an_update_can_be_told_again_although_it_is_confirmed():
    play = TelegramPlay(standing=(ASKED,))
    play.fault("event", "repeated", 2)
    play.press("A")
    assert ids(play.poll()) == [9001]
    assert play.poll(9002) == []
    play.wait(3)
    again = play.poll(9002)
    assert ids(again) == [9001]
    assert again[0]["callback_query"]["id"] == "cbq_1"
    assert play.poll(9002) == []


def test_a_repeated_update_that_nobody_has_confirmed_is_told_once_more_afterwards():
    play = TelegramPlay()
    play.fault("event", "repeated", 1)
    play.say("hello")
    play.wait(2)
    assert ids(play.poll()) == [9001]
    assert ids(play.poll(9002)) == [9001]
    assert play.poll(9002) == []


def test_a_late_update_has_a_late_number_and_an_old_press():
    play = TelegramPlay(standing=(ASKED,))
    play.fault("event", "latency", 15.1)
    play.press("A")
    play.say("meanwhile")
    assert [list(one)[1] for one in play.poll()] == ["message"]
    play.wait(16)
    assert [(one["update_id"], list(one)[1]) for one in play.poll(9002)] == [
        (9002, "callback_query")
    ]
    assert play.refused("answerCallbackQuery", callback_query_id="cbq_1", text="x")[0] == 400


def test_an_update_is_overtaken_by_the_next_or_goes_by_itself():
    play = TelegramPlay()
    play.fault("event", "reordered", 5)
    play.say("first")
    play.say("second")
    assert [one["message"]["text"] for one in play.poll()] == ["second", "first"]
    play.fault("event", "reordered", 5)
    play.say("third")
    assert play.poll(9003) == []
    play.wait(6)
    assert [one["message"]["text"] for one in play.poll(9003)] == ["third"]


@pytest.mark.parametrize(("op", "method"), [("poll", "getUpdates"), ("me", "getMe")])
def test_the_answer_of_a_call_that_reads_can_get_lost_too(op, method):
    play = TelegramPlay()
    play.fault(op, "unknown")
    play.ask(method)
    assert play.answers == []
    assert play.call(method).status == 200


def test_what_is_late_wakes_a_long_poll():
    play = TelegramPlay()
    play.fault("event", "latency", 5)
    play.say("hello")
    play.ask("getUpdates", timeout=30)
    play.wait(6)
    assert ids(play.answers[0][1].body["result"]) == [9001]


def test_an_outage_takes_nothing_from_chats_and_updates():
    play = TelegramPlay(standing=(ASKED,))
    play.press("A")
    play.ask("getUpdates", offset=9002, timeout=30)
    fault.crash(play.world, "telegram")
    play.wait(1)
    assert play.answers == [("B", Unreached("reset"))]
    fault.restart(play.world, "telegram")
    play.wait(1)
    play.say("hello")
    assert ids(play.poll(9002)) == [9002]
    assert play.message("102").text == "hello"
    assert len(play.history.messages) == 2
    assert play.result("answerCallbackQuery", callback_query_id="cbq_1", text="late") is True


def test_one_seed_gives_one_trace():
    digests = set()
    for _ in range(2):
        play = said("one", "two")
        play.poll()
        digests.add(digest_of(play.world.events))
    assert len(digests) == 1


def judged(play):
    """What the oracles say of this Telegram from now on."""
    view = QuestionView()
    monitor = Monitor(invariants_for(view, frozenset({"telegram"})))
    for kind in view.kinds:
        play.world.watch(kind, view.on)
    monitor.attach(play.world.watch)
    return monitor.violations


def test_an_offset_that_telegram_has_never_given_confirms_nothing():
    play = TelegramPlay()
    broken = judged(play)
    play.ask("getUpdates", offset=9_500, timeout=30)
    play.say("hello")
    play.wait(1)
    assert ids(play.answers[-1][1].body["result"]) == [9001]
    assert broken == []


def test_an_update_that_is_told_again_by_a_fault_is_no_finding():
    play = TelegramPlay()
    broken = judged(play)
    play.fault("event", "repeated")
    play.say("hello")
    assert ids(play.poll()) == [9001]
    play.poll(9002)
    play.wait(60)
    assert ids(play.poll(9002)) == [9001]
    assert broken == []
