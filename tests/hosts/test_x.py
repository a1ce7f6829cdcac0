"""X: mentions, one billed and unchangeable post at a time, and what a text weighs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.channel.api import (
    Authorize,
    Button,
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
)
from sim.channel.weight import LIMIT, shorten, weight
from sim.core.op import NO_ANSWER
from sim.hosts.x import X
from tests.hosts.channel_play import SECOND_US, Play

URL = "https://example.com/a/very/long/path?with=a&query=of-some-length#and-more"


def made(**how: Any) -> Play:
    return Play(lambda port: X(port, "S", people=("Alice", "Bob"), **how), "x")


@pytest.fixture
def play() -> Play:
    return made()


def answer(text: str, to: str = "x1", **how: Any) -> PostMessage:
    return PostMessage("public", to, text, **how)


def billed(play: Play) -> list[Any]:
    return [data for what, data in play.notes if what == "billed"]


# -- mentions --------------------------------------------------------------------------


def test_a_mention_starts_a_conversation_and_a_reply_goes_on_with_it(play):
    play.act("Alice", Say("", "@bot hi"))
    play.act("Bob", Say("", "@bot and me?", thread="x1"))
    first, second = (said for _, said in play.events)
    assert first == PersonSaid(
        "IM-e1", "public", "x1", "x1", "Alice", "@bot hi", True, None, "20001", "alice", ""
    )
    assert (second.thread, second.message, second.user) == ("x1", "x2", "20002")


def test_the_bot_hears_only_what_mentions_it(play):
    play.act("Alice", Say("", "lovely weather", to_bot=False))
    assert play.events == []
    assert play.message("x1").text == "lovely weather"


# -- posts -----------------------------------------------------------------------------


def test_every_post_is_billed(play):
    play.act("Alice", Say("", "@bot hi"))
    assert play.call(answer("one", reply_to="x1")) == Done("x2")
    assert play.call(answer("two")) == Done("x3")
    assert billed(play) == [{"message": "x2", "posts": 1}, {"message": "x3", "posts": 2}]
    assert (play.message("x2").reply_to, play.message("x2").thread) == ("x1", "x1")


def test_nothing_can_be_changed_but_posts_can_be_deleted(play):
    play.call(answer("a"))
    assert play.call(EditMessage("x1", "b")) == Refused("edit_unsupported")
    assert play.call(React("x1", "👍")) == Refused("unsupported")
    assert play.call(DeleteMessage("x1")) == Done("x1")
    assert play.message("x1").deleted
    assert play.call(EditMessage("x1", "b")) == Refused("message_not_found")


def test_there_are_no_buttons(play):
    asked = answer("?", buttons=(Button("y", "Yes"),))
    assert play.call(asked) == Refused("buttons_unsupported")
    play.act("Alice", Press("", "x1", "y"))
    assert play.events == []
    assert billed(play) == []


def test_a_post_that_is_too_heavy_is_refused_and_costs_nothing(play):
    assert play.call(answer("x" * 280)) == Done("x1")
    assert play.call(answer("x" * 281)) == Refused("too_long")
    assert play.call(answer("界" * 140)) == Done("x2")
    assert play.call(answer("界" * 141)) == Refused("too_long")
    assert len(billed(play)) == 2


def test_the_same_text_under_the_same_post_is_a_duplicate(play):
    play.act("Alice", Say("", "@bot hi"))
    play.act("Bob", Say("", "@bot hi"))
    assert play.call(answer("Done.", "x1", reply_to="x1")) == Done("x3")
    assert play.call(answer("Done.", "x1", reply_to="x1")) == Refused("duplicate")
    assert play.call(answer("Done.", "x2", reply_to="x2")) == Done("x4")
    play.call(DeleteMessage("x3"))
    assert play.call(answer("Done.", "x1", reply_to="x1")) == Done("x5")
    assert len(billed(play)) == 3


def test_the_quota_is_used_up():
    play = made(quota=1)
    assert play.call(answer("a")) == Done("x1")
    assert play.call(answer("b")) == Refused("quota_exceeded")
    assert len(billed(play)) == 1


def test_a_post_of_unknown_outcome_can_be_looked_up(play):
    assert play.call(FindMessage("public", "k1")) == Refused("not_found")
    play.fault("post", "unknown")
    assert play.call(answer("a", key="k1", about="R1"), seconds=11) is NO_ANSWER
    assert play.call(FindMessage("public", "k1")) == Done("x1")
    assert play.call(answer("a", key="k1")) == Refused("duplicate")
    assert play.history.about("R1") is play.message("x1")
    assert len(billed(play)) == 1


def test_a_deleted_mention_cannot_be_answered(play):
    play.act("Alice", Say("", "@bot hi"))
    play.act("Alice", Remove("", "x1"))
    assert play.message("x1").deleted
    assert len(play.events) == 1
    assert play.call(answer("late", reply_to="x1")) == Refused("message_not_found")


@pytest.mark.parametrize(
    ("outcome", "reply"),
    [
        ("rate_limited", Refused("rate_limited", 5 * SECOND_US)),
        ("server_error", Refused("server_error")),
        ("message_not_found", Refused("message_not_found")),
        ("quota_exceeded", Refused("quota_exceeded")),
        ("duplicate", Refused("duplicate")),
        ("down", Refused("unavailable")),
    ],
)
def test_a_fault_answers_the_call_and_costs_nothing(play, outcome, reply):
    play.fault("post", outcome, 5)
    assert play.call(answer("a")) == reply
    assert billed(play) == []
    play.wait(5)
    assert play.call(answer("a")) == Done("x1")


def test_a_slow_post_is_billed_when_it_is_out(play):
    play.fault("post", "latency", 3)
    assert play.call(answer("a"), seconds=2) is None
    assert billed(play) == []
    play.wait(2)
    assert len(billed(play)) == 1


def test_an_edit_fault_is_told(play):
    play.call(answer("a"))
    play.fault("edit", "edit_refused")
    assert play.call(EditMessage("x1", "b")) == Refused("edit_refused")
    assert play.call(EditMessage("x1", "b")) == Refused("edit_unsupported")


def test_a_limit_of_one_chat(play):
    play.fault("post", "rate_limited", 5, chat="public")
    assert play.call(answer("a")) == Refused("rate_limited", 5 * SECOND_US)


def test_events_repeated_late_and_out_of_order(play):
    play.fault("event", "repeated")
    play.act("Alice", Say("", "one"), 5)
    play.fault("event", "latency", 5)
    play.act("Alice", Say("", "two"), 1)
    play.act("Alice", Say("", "three"), 6)
    play.fault("event", "reordered")
    play.act("Alice", Say("", "four"), 1)
    play.act("Alice", Say("", "five"), 1)
    assert play.said() == ["one", "one", "three", "two", "five", "four"]


def test_an_event_is_repeated_until_it_is_seen(play):
    play.deaf = True
    play.act("Alice", Say("", "hi"), 60)
    assert play.said() == ["hi"] * 4


def test_signing_in_reaches_the_server(play):
    play.act("Alice", Authorize("", "secret"))
    play.act("Bob", Authorize("", "secret", decline=True))
    assert [event for _, event in play.events] == [
        SignedIn("IM-e1", "secret", "Alice", user="20001", user_name="alice"),
        SignedIn("IM-e2", "secret", "Bob", declined=True),
    ]


# -- weights ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("", 0),
        ("abc", 3),
        ("Привет", 6),
        ("مرحبا", 5),
        ("“quoted”—…", 11),
        ("你好", 4),
        ("こんにちは", 10),
        ("안녕", 4),
        ("１２", 4),
        ("€", 2),
        ("😀", 2),
        ("👍🏽", 2),
        ("👨‍👩‍👧‍👦", 2),
        ("🇨🇳🇩🇪", 4),
        ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2),
        ("1️⃣", 2),
        ("❤️", 2),
        ("©", 1),
        ("©️", 2),
        ("12#", 3),
        (URL, 23),
        ("http://t.co", 23),
        (f"see {URL}.", 28),
        (f"见{URL}，好", 2 + 23 + 2 + 2),
        ("e\u0301", 1),
    ],
)
def test_what_a_text_weighs(text, units):
    assert weight(text) == units


def test_what_fits_is_not_shortened():
    assert shorten("x" * 280) == "x" * 280
    assert shorten("e\u0301") == "e\u0301"


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("abcdef", 5, "abc…"),
        ("你好吗", 5, "你…"),
        ("你好吗吗", 6, "你好…"),
        ("ab 👨‍👩‍👧‍👦 cd", 6, "ab…"),
        ("ab 👨‍👩‍👧‍👦 cd", 7, "ab 👨‍👩‍👧‍👦…"),
        (f"ab {URL} cd", 27, "ab…"),
        (f"ab {URL} cd", 28, f"ab {URL}…"),
    ],
)
def test_nothing_is_cut_apart(text, limit, short):
    assert shorten(text, limit) == short
    assert weight(short) <= limit


@given(st.text(max_size=400))
def test_what_is_shortened_fits(text):
    assert weight(shorten(text)) <= LIMIT
