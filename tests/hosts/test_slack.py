"""Slack: its API, its people, its webhooks and its faults."""

from __future__ import annotations

import pytest

from sim.channel.api import (
    Authorize,
    Button,
    ButtonPressed,
    DeleteMessage,
    Done,
    EditMessage,
    FindMessage,
    MessageRemoved,
    PersonSaid,
    PostMessage,
    Press,
    React,
    Refused,
    Remove,
    Say,
    SignedIn,
)
from sim.channel.history import History
from sim.channel.pace import Pace
from sim.core.op import NO_ANSWER
from sim.hosts.slack import Slack
from tests.hosts.channel_play import SECOND_US, Play


@pytest.fixture
def play() -> Play:
    return Play(lambda port: Slack(port, "S"))


def test_a_message_without_a_thread_starts_one(play):
    play.act("Alice", Say("", "hi"))
    [(_, said)] = play.events
    assert said == PersonSaid(
        "IM-e1", "C1", "m1", "m1", "Alice", "hi", True, "T1", "U1", "alice", "#C1"
    )
    play.act("Alice", Say("", "more", thread="m1"))
    assert play.events[-1][1].thread == "m1"
    assert play.message("m2").text == "more"
    assert [m.id for m in play.history.thread("IM", "C1", "m1")] == ["m1", "m2"]


def test_a_direct_chat_has_no_thread(play):
    play.act("Alice", Say("", "hi", chat="D1"))
    [(_, said)] = play.events
    assert (said.chat, said.thread) == ("D1", None)


def test_post_edit_react_delete(play):
    assert play.call(PostMessage("C1", None, "a", "WORKING", about="R1")) == Done("m1")
    button = Button("y", "Yes")
    edit = EditMessage("m1", "b", "OK", (button,), ("f.png",), by="R1")
    assert play.call(edit) == Done("m1")
    assert play.call(edit) == Done("m1")
    message = play.message("m1")
    assert (message.text, message.state, message.files, message.edits) == ("b", "OK", ("f.png",), 2)
    assert message.visible() == "b\nYes\nf.png"
    assert message.author == "S"
    assert play.call(React("m1", "eyes")) == Done("m1")
    assert play.call(DeleteMessage("m1")) == Done("m1")
    assert message.deleted
    assert play.call(EditMessage("m1", "c")) == Refused("message_not_found")
    assert play.call(EditMessage("m9", "c")) == Refused("message_not_found")
    assert message.in_flight == 0


def test_a_text_has_a_limit_and_people_keep_their_own_messages(play):
    long = "x" * 4_001
    assert play.call(PostMessage("C1", None, long)) == Refused("too_long")
    play.call(PostMessage("C1", None, "a"))
    assert play.call(EditMessage("m1", long)) == Refused("too_long")
    play.act("Alice", Say("", "mine"))
    assert play.call(EditMessage("m2", "theirs")) == Refused("edit_refused")


@pytest.mark.parametrize(
    ("outcome", "reply"),
    [
        ("rate_limited", Refused("rate_limited", 5 * SECOND_US)),
        ("server_error", Refused("server_error")),
        ("message_not_found", Refused("message_not_found")),
        ("edit_refused", Refused("edit_refused")),
    ],
)
def test_a_fault_answers_the_next_such_call_and_no_other(play, outcome, reply):
    play.fault("edit", outcome, 5)
    assert play.call(PostMessage("C1", None, "a")) == Done("m1")
    assert play.call(EditMessage("m1", "b")) == reply
    assert play.call(EditMessage("m1", "c")) == Done("m1")


def test_a_fault_for_all_calls_that_stays(play):
    play.fault("*", "server_error", always=True)
    for _ in range(2):
        assert play.call(PostMessage("C1", None, "a")) == Refused("server_error")
    play.fault("*", "latency", 0)
    assert play.call(PostMessage("C1", None, "a")) == Done("m1")


def test_down_for_a_while(play):
    play.fault("*", "down", 10)
    assert play.call(PostMessage("C1", None, "a")) == Refused("unavailable")
    assert play.call(PostMessage("C1", None, "a"), seconds=10) == Refused("unavailable")
    assert play.call(PostMessage("C1", None, "a")) == Done("m1")


def test_an_answer_with_added_latency_shows_late(play):
    play.fault("post", "latency", 3)
    assert play.call(PostMessage("C1", None, "a"), seconds=2) is None
    assert not play.shows("m1")
    play.act("Alice", Say("", "in between"), 2)
    assert play.message("m1").author == "Alice"
    assert play.message("m2").text == "a"


def test_an_unknown_outcome_was_applied_and_the_trace_shows_it(play):
    play.fault("post", "unknown")
    assert play.call(PostMessage("C1", None, "a", about="R1"), seconds=11) is NO_ANSWER
    assert play.message("m1").text == "a"
    assert play.history.about("R1") is play.message("m1")
    play.fault("edit", "unknown")
    assert play.call(EditMessage("m1", "b"), seconds=11) is NO_ANSWER
    assert (play.message("m1").text, play.message("m1").in_flight) == ("b", 0)


def test_an_event_is_repeated_with_its_id_until_it_is_seen(play):
    play.deaf = True
    play.act("Alice", Say("", "hi"), 4)
    play.deaf = False
    play.act("Alice", Say("", "other"), 30)
    first = [(at, e) for at, e in play.events if e.text == "hi"]
    assert len(first) == 3
    assert {e.event for _, e in first} == {"IM-e1"}
    assert 2_900_000 < first[1][0] - first[0][0] < 3_200_000
    assert len([e for _, e in play.events if e.text == "other"]) == 1
    assert len(play.history.messages) == 2


def test_an_event_is_given_up_after_three_repetitions(play):
    play.deaf = True
    play.act("Alice", Say("", "hi"), 60)
    assert len(play.events) == 4


def test_a_stale_button_can_be_pressed_and_a_message_be_removed(play):
    play.call(PostMessage("C1", None, "card", buttons=(Button("y", "Yes"),)))
    play.call(EditMessage("m1", "closed"))
    play.act("Alice", Press("", "m1", "y"))
    play.act("Alice", Remove("", "m1"))
    play.act("Alice", Remove("", "m1"))
    play.act("Alice", Press("", "m9", "y"))
    kinds = [type(e) for _, e in play.events]
    assert kinds == [ButtonPressed, MessageRemoved]
    assert play.message("m1").deleted
    assert play.history.about("") is None


def test_a_post_is_found_by_its_key_while_it_stands(play):
    assert play.call(FindMessage("C1", "k1")) == Refused("not_found")
    play.fault("post", "unknown")
    assert play.call(PostMessage("C1", None, "a", key="k1"), seconds=11) is NO_ANSWER
    assert play.call(FindMessage("C1", "k1")) == Done("m1")
    play.call(DeleteMessage("m1"))
    assert play.call(FindMessage("C1", "k1")) == Refused("not_found")
    play.fault("*", "server_error")
    assert play.call(FindMessage("C1", "k1")) == Refused("server_error")


def test_a_limit_of_one_chat_leaves_the_others_alone(play):
    play.fault("post", "rate_limited", 5, always=True, chat="C1")
    assert play.call(PostMessage("C1", None, "a")) == Refused("rate_limited", 5 * SECOND_US)
    assert play.call(PostMessage("C2", None, "b")) == Done("m1")
    play.fault("post", "ok", chat="C1")
    assert play.call(PostMessage("C1", None, "a")) == Done("m2")


def test_a_limit_of_one_chat_is_about_its_messages_too(play):
    play.call(PostMessage("C1", None, "a"))
    play.call(PostMessage("C2", None, "b"))
    play.fault("edit", "rate_limited", 5, chat="C2")
    assert play.call(EditMessage("m1", "c")) == Done("m1")
    assert play.call(EditMessage("m2", "c")) == Refused("rate_limited", 5 * SECOND_US)


def test_ok_ends_every_fault(play):
    play.fault("edit", "server_error", always=True)
    play.fault("*", "down")
    play.fault("*", "ok")
    play.call(PostMessage("C1", None, "a"))
    assert play.call(EditMessage("m1", "b")) == Done("m1")


def test_a_fault_that_does_not_exist_fails_the_run(play):
    with pytest.raises(LookupError, match="no outcome 'sulks' of post"):
        play.fault("post", "sulks")
    with pytest.raises(LookupError, match="no outcome 'down' of event"):
        play.fault("event", "down")


def test_an_event_is_delivered_again_although_it_was_seen(play):
    play.fault("event", "repeated", 2)
    play.act("Alice", Say("", "hi"), 5)
    (first, one), (again, two) = play.events
    assert one == two
    assert again - first >= 2 * SECOND_US
    assert len(play.history.messages) == 1


def test_a_late_event_shows_at_once_and_is_told_later(play):
    play.fault("event", "latency", 5)
    play.act("Alice", Say("", "hi"), 4)
    assert play.message("m1").text == "hi"
    assert play.events == []
    play.act("Alice", Say("", "quick"), 4)
    assert play.said() == ["quick", "hi"]
    assert len(play.history.messages) == 2


def test_the_next_event_overtakes_one(play):
    play.fault("event", "reordered")
    play.act("Alice", Say("", "one"), 1)
    play.act("Alice", Say("", "two"), 1)
    play.act("Alice", Say("", "three"), 15)
    assert play.said() == ["two", "one", "three"]


def test_an_event_that_nothing_overtakes_goes_by_itself(play):
    play.fault("event", "reordered", 3)
    play.act("Alice", Say("", "one"), 2)
    assert play.events == []
    play.wait(2)
    assert play.said() == ["one"]


def test_a_deletion_shows_at_once_though_its_event_is_late(play):
    play.call(PostMessage("C1", None, "a"))
    play.fault("event", "latency", 5)
    play.act("Alice", Remove("", "m1"))
    assert play.message("m1").deleted
    assert play.events == []


def test_faults_of_events_leave_calls_alone_and_the_other_way_round(play):
    play.fault("*", "server_error")
    play.fault("event", "latency", 5)
    assert play.call(PostMessage("C1", None, "a")) == Refused("server_error")
    assert play.call(PostMessage("C1", None, "a")) == Done("m1")
    play.act("Alice", Say("", "hi"))
    assert play.events == []


def test_several_workspaces_in_one_slack():
    play = Play(lambda port: Slack(port, "S", people=("Bob", "Alice"), teams=("T2",)))
    play.act("Alice", Say("", "hi", chat="T2.C1"))
    play.act("Alice", Say("", "psst", chat="T2.D1"))
    play.act("Alice", Say("", "home"))
    there, alone, home = (said for _, said in play.events)
    assert (there.team, there.user, there.chat_name) == ("T2", "U2T2", "#C1")
    assert (alone.team, alone.thread, alone.chat_name) == ("T2", None, "")
    assert (home.team, home.user, home.chat) == ("T1", "U2", "C1")
    assert play.call(PostMessage("T2.C1", "m1", "answer")) == Done("m4")
    assert play.call(PostMessage("T3.C1", None, "lost")) == Refused("chat_not_found")


def test_signing_in_tells_who_somebody_is_in_the_workspace(play):
    play.act("Alice", Authorize("", "secret"))
    play.act("Alice", Authorize("", "other", team="T2"))
    play.act("Bob", Authorize("", "third", decline=True))
    assert [event for _, event in play.events] == [
        SignedIn("IM-e1", "secret", "Alice", "T1", "Team T1", "U1", "alice"),
        SignedIn("IM-e2", "other", "Alice", "T2", "Team T2", "U1T2", "alice"),
        SignedIn("IM-e3", "third", "Bob", declined=True),
    ]


def test_a_signing_in_is_repeated_until_it_is_seen(play):
    play.deaf = True
    play.act("Alice", Authorize("", "secret"), 60)
    assert [event.event for _, event in play.events] == ["IM-e1"] * 4


def test_readers_see_reactions_and_quotes(play):
    play.act("Alice", Say("", "hi"))
    play.call(PostMessage("C1", "m1", "a", reply_to="m1"))
    play.call(React("m1", "eyes"))
    assert (play.message("m2").reply_to, play.message("m1").reaction) == ("m1", "eyes")
    play.call(React("m1", ""))
    assert play.message("m1").reaction == ""


def test_a_pace_can_be_set_for_any_channel():
    play = Play(lambda port: Slack(port, "S", pace=Pace(per_minute=2)))
    for name in ("m1", "m2"):
        assert play.call(PostMessage("C1", None, "a")) == Done(name)
    refused = play.call(EditMessage("m1", "b"))
    assert refused.code == "rate_limited"
    assert 0 < refused.retry_after_us <= 60 * SECOND_US
    assert play.call(PostMessage("C2", None, "a")) == Done("m3")


def test_what_nobody_can_ask_for_fails_the_run(play):
    with pytest.raises(LookupError, match="IM has no API for"):
        play.call("nonsense")


def test_only_so_many_versions_are_kept_if_wished(play):
    history = History(keep=2)
    for kind in history.kinds:
        play.world.watch(kind, history.on)
    play.call(PostMessage("C1", None, "0"))
    for n in range(5):
        play.call(EditMessage("m1", str(n)))
    message = history.get("IM", "m1")
    assert message is not None
    assert [v.text for v in message.versions] == ["3", "4"]
    assert message.edits == 5
