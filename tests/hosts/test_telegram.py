"""Telegram: its chats, its Bot API, its updates and its faults."""

from __future__ import annotations

from typing import Any

import pytest

from sim.channel.api import (
    Authorize,
    Button,
    ButtonPressed,
    DeleteMessage,
    Done,
    EditMessage,
    FindMessage,
    PersonSaid,
    PostMessage,
    Press,
    React,
    Refused,
    Remove,
    Say,
    SignedIn,
    is_direct,
)
from sim.core.op import NO_ANSWER
from sim.hosts.telegram import PACE, Telegram
from sim.world import fault
from tests.hosts.channel_play import HOUR_US, SECOND_US, Play

ALICE = "10001"
GROUP = "-1001"


def made(**how: Any) -> Play:
    return Play(lambda port: Telegram(port, "S", people=("Alice", "Bob"), **how), "telegram")


@pytest.fixture
def play() -> Play:
    return made()


# -- chats and people ------------------------------------------------------------------


def test_a_message_to_the_bot_stands_in_the_direct_chat(play):
    play.act("Alice", Say("", "hi"))
    [(_, said)] = play.events
    assert said == PersonSaid(
        "IM-e1", ALICE, None, "t1", "Alice", "hi", True, None, ALICE, "alice", ""
    )
    play.act("Bob", Say("", "ho"))
    assert play.events[-1][1].chat == "10002"


def test_other_messages_stand_in_the_group_and_open_no_thread(play):
    play.act("Alice", Say("", "hi all", to_bot=False))
    [(_, said)] = play.events
    assert (said.chat, said.thread, said.to_bot) == (GROUP, None, False)
    assert said.chat_name == "Group -1001"


def test_a_topic_is_a_thread_of_its_group(play):
    play.act("Alice", Say("", "hi", thread="7"))
    play.act("Alice", Say("", "hi", thread="7", chat="-1002"))
    places = [(said.chat, said.thread) for _, said in play.events]
    assert places == [(GROUP, "7"), ("-1002", "7")]
    assert play.call(PostMessage("-1002", "7", "answer")) == Done("t3")
    assert [m.id for m in play.history.thread("IM", "-1002", "7")] == ["t2", "t3"]


def test_a_handle_has_latin_letters_only():
    play = Play(lambda port: Telegram(port, "S"), "telegram")
    play.act("Alice", Say("王芳", "hi"))
    play.act("Alice", Say("Bob Q. Smith", "hi"))
    handles = [(said.user, said.username) for _, said in play.events]
    assert handles == [("10001", ""), ("10002", "bobqsmith")]


@pytest.mark.parametrize(
    ("chat", "direct"),
    [("D1", True), ("T2.D1", True), (ALICE, True), (GROUP, False), ("C1", False), ("٣", False)],
)
def test_the_id_of_a_chat_tells_its_kind(chat, direct):
    assert is_direct(chat) is direct


@pytest.mark.parametrize("chat", ["-01", "0", "C1", "", "-", "1.5"])
def test_there_is_no_chat_with_a_crooked_id(play, chat):
    assert play.call(PostMessage(chat, None, "a")) == Refused("chat_not_found")


# -- the API ---------------------------------------------------------------------------


def test_post_edit_react_delete(play):
    keyboard = (Button("y", "Yes"), Button("n", "No"))
    post = PostMessage(ALICE, None, "a?", about="A1", role="card", buttons=keyboard)
    assert play.call(post) == Done("t1")
    card = play.message("t1")
    assert (card.buttons, card.visible()) == (keyboard, "a?\nYes\nNo")
    assert play.call(EditMessage("t1", "a: yes")) == Done("t1")
    assert (card.buttons, card.text, card.edits) == ((), "a: yes", 1)
    assert play.call(React("t1", "👀")) == Done("t1")
    assert play.call(React("t1", "👍")) == Done("t1")
    assert card.reaction == "👍"
    assert play.call(DeleteMessage("t1")) == Done("t1")
    assert card.deleted
    assert play.call(EditMessage("t1", "b")) == Refused("message_not_found")
    assert play.call(DeleteMessage("t1")) == Refused("message_not_found")


def test_an_answer_can_quote_what_it_answers(play):
    play.act("Alice", Say("", "hi"))
    play.call(PostMessage(ALICE, None, "ho", reply_to="t1"))
    assert play.message("t2").reply_to == "t1"
    play.act("Alice", Remove("", "t1"))
    assert play.call(PostMessage(ALICE, None, "still", reply_to="t1")) == Done("t3")


def test_a_text_has_4096_units(play):
    assert play.call(PostMessage(ALICE, None, "x" * 4_096)) == Done("t1")
    assert play.call(PostMessage(ALICE, None, "x" * 4_097)) == Refused("too_long")
    assert play.call(PostMessage(ALICE, None, "😀" * 2_049)) == Refused("too_long")
    assert play.call(EditMessage("t1", "界" * 4_096)) == Done("t1")
    assert play.call(EditMessage("t1", "x" * 4_097)) == Refused("too_long")


def test_an_edit_must_change_something(play):
    play.call(PostMessage(ALICE, None, "a", "WORKING"))
    assert play.call(EditMessage("t1", "a", "WORKING")) == Refused("not_modified")
    assert play.call(EditMessage("t1", "a", "OK")) == Done("t1")
    assert play.call(EditMessage("t1", "a", "OK", (Button("y", "Yes"),))) == Done("t1")
    assert play.call(EditMessage("t1", "a", "OK", (Button("y", "Yes"),))) == Refused("not_modified")
    assert (play.message("t1").edits, play.message("t1").in_flight) == (2, 0)


def test_after_an_unknown_edit_the_same_again_is_not_modified(play):
    play.call(PostMessage(ALICE, None, "a"))
    play.fault("edit", "unknown")
    assert play.call(EditMessage("t1", "b"), seconds=11) is NO_ANSWER
    assert play.call(EditMessage("t1", "b")) == Refused("not_modified")


def test_people_keep_their_messages_and_old_ones_stay_as_they_are(play):
    play.act("Alice", Say("", "mine"))
    assert play.call(EditMessage("t1", "theirs")) == Refused("edit_refused")
    play.call(PostMessage(ALICE, None, "a"))
    play.wait(47 * 3_600)
    assert play.call(EditMessage("t2", "b")) == Done("t2")
    play.wait(3_600)
    assert play.world.now > 48 * HOUR_US
    assert play.call(EditMessage("t2", "c")) == Refused("edit_refused")
    assert play.call(DeleteMessage("t2")) == Refused("delete_refused")
    assert play.call(React("t2", "👍")) == Done("t2")


def test_nothing_can_be_searched_for(play):
    play.call(PostMessage(ALICE, None, "a", key="k1"))
    assert play.call(FindMessage(ALICE, "k1")) == Refused("unsupported")


# -- pace ------------------------------------------------------------------------------


def test_a_bot_may_be_as_fast_as_it_likes_unless_limits_are_on(play):
    for n in range(30):
        assert play.call(PostMessage(GROUP, None, str(n)), 0.6) == Done(f"t{n + 1}")


def test_one_write_per_second_and_chat():
    play = made(pace=PACE)
    play.world.latencies["S", "IM"] = (0, 0)
    assert play.call(PostMessage(ALICE, None, "a"), 0.5) == Done("t1")
    assert play.call(EditMessage("t1", "b"), 0.2) == Refused("rate_limited", SECOND_US)
    assert play.call(PostMessage("10002", None, "other"), 0.4) == Done("t2")
    assert play.call(EditMessage("t1", "b"), 0.2) == Done("t1")
    assert play.message("t1").text == "b"


def test_twenty_writes_per_minute_in_a_group():
    play = made(pace=PACE)
    for n in range(20):
        assert play.call(PostMessage(GROUP, None, str(n)), 1.5) == Done(f"t{n + 1}")
    refused = play.call(PostMessage(GROUP, None, "more"), 1.5)
    assert refused.code == "rate_limited"
    assert 29 * SECOND_US <= refused.retry_after_us <= 31 * SECOND_US
    for n in range(21):
        assert play.call(PostMessage(ALICE, None, str(n)), 1.5).message
    play.wait(1)
    assert play.call(PostMessage(GROUP, None, "more")) == Done("t42")


def test_what_is_refused_does_not_count():
    play = made(pace=PACE)
    assert play.call(PostMessage(ALICE, None, "x" * 5_000), 0.5) == Refused("too_long")
    assert play.call(PostMessage(ALICE, None, "x"), 0.5) == Done("t1")


# -- faults of calls -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "reply"),
    [
        ("rate_limited", Refused("rate_limited", 5 * SECOND_US)),
        ("server_error", Refused("server_error")),
        ("message_not_found", Refused("message_not_found")),
        ("edit_refused", Refused("edit_refused")),
        ("down", Refused("unavailable")),
    ],
)
def test_a_fault_answers_the_call(play, outcome, reply):
    play.call(PostMessage(ALICE, None, "a"))
    play.fault("edit", outcome, 5)
    assert play.call(EditMessage("t1", "b")) == reply
    assert play.message("t1").text == "a"
    play.wait(5)
    assert play.call(EditMessage("t1", "b")) == Done("t1")


def test_a_slow_call_shows_late(play):
    play.fault("post", "latency", 3)
    assert play.call(PostMessage(ALICE, None, "a"), seconds=2) is None
    assert not play.shows("t1")
    play.wait(2)
    assert play.message("t1").text == "a"


def test_a_limit_of_one_chat(play):
    play.fault("*", "rate_limited", 9, always=True, chat=GROUP)
    assert play.call(PostMessage(GROUP, None, "a")) == Refused("rate_limited", 9 * SECOND_US)
    assert play.call(PostMessage(ALICE, None, "a")) == Done("t1")


def test_an_unknown_post_stands_there_all_the_same(play):
    play.fault("post", "unknown")
    assert play.call(PostMessage(ALICE, None, "a", about="R1"), seconds=11) is NO_ANSWER
    assert play.history.about("R1") is play.message("t1")


# -- updates ---------------------------------------------------------------------------


def test_an_update_is_offered_until_it_is_confirmed_and_the_next_ones_wait(play):
    play.deaf = True
    play.act("Alice", Say("", "one"), 1)
    play.act("Bob", Say("", "two"), 120)
    assert len(play.events) > 4
    assert set(play.said()) == {"one"}
    assert {event.event for _, event in play.events} == {"IM-e1"}
    play.deaf = False
    play.wait(120)
    assert play.said()[-2:] == ["one", "two"]
    assert play.message("t2").text == "two"


def test_what_waits_behind_another_update_shows_at_once(play):
    play.deaf = True
    play.act("Alice", Say("", "one"), 1)
    play.act("Bob", Say("", "two"), 1)
    assert play.message("t2").author == "Bob"


def test_updates_survive_a_server_that_is_down(play):
    fault.crash(play.world, "S")
    play.act("Alice", Say("", "one"), 100)
    play.act("Alice", Say("", "two"), 100)
    assert play.events == []
    fault.restart(play.world, "S")
    play.wait(200)
    assert play.said() == ["one", "two"]


def test_updates_are_kept_for_a_day(play):
    play.deaf = True
    play.act("Alice", Say("", "old"), 25 * 3_600)
    play.deaf = False
    play.act("Alice", Say("", "new"), 3_600)
    assert play.said()[-1] == "new"
    tries = len(play.said())
    play.act("Alice", Say("", "newer"))
    assert play.said()[tries:] == ["newer"]


def test_an_update_may_be_repeated(play):
    play.fault("event", "repeated", 2)
    play.act("Alice", Say("", "one"), 1)
    play.act("Alice", Say("", "two"), 5)
    assert play.said() == ["one", "one", "two"]


def test_a_late_update_delays_the_next_ones(play):
    play.fault("event", "latency", 5)
    play.act("Alice", Say("", "one"), 1)
    play.act("Alice", Say("", "two"), 2)
    assert play.said() == []
    play.wait(5)
    assert play.said() == ["one", "two"]


def test_updates_out_of_order(play):
    play.fault("event", "reordered")
    play.act("Alice", Say("", "one"), 1)
    play.act("Alice", Say("", "two"), 1)
    assert play.said() == ["two", "one"]
    play.fault("event", "reordered", 3)
    play.act("Alice", Say("", "three"), 4)
    assert play.said() == ["two", "one", "three"]


def test_a_deletion_shows_but_the_bot_is_not_told(play):
    play.act("Alice", Say("", "hi"))
    play.call(PostMessage(ALICE, None, "a"))
    play.act("Alice", Remove("", "t2"))
    assert play.message("t2").deleted
    assert play.said() == ["hi"]
    assert play.call(EditMessage("t2", "b")) == Refused("message_not_found")


def test_a_press_names_the_button_even_if_it_is_gone(play):
    play.call(PostMessage(ALICE, None, "?", buttons=(Button("y", "Yes"),)))
    play.call(EditMessage("t1", "closed"))
    play.act("Alice", Press("", "t1", "y"))
    play.act("Alice", Press("", "t9", "y"))
    assert [event for _, event in play.events] == [
        ButtonPressed("IM-e1", ALICE, "t1", "y", "Alice")
    ]


def test_a_deep_link_makes_the_person_say_start(play):
    play.act("Alice", Authorize("", "secret"))
    play.act("Bob", Authorize("", "secret", decline=True))
    said, refused = (event for _, event in play.events)
    assert (said.text, said.chat, said.to_bot) == ("/start secret", ALICE, True)
    assert refused == SignedIn("IM-e2", "secret", "Bob", declined=True)
