"""What the server must not do: each guard has a story in which it is needed."""

from __future__ import annotations

from itertools import pairwise

import pytest

from sim.channel.api import EditMessage, PostMessage, Say
from sim.core.event import CallIssued
from sim.protocols.hook import TaskDispatch, TurnDelivery
from sim.protocols.hook.server import Limits
from sim.protocols.hook.server.texts import cut
from tests.protocols.hook.delivery_play import LanePlay
from tests.protocols.hook.server_play import SECOND_US, Play, failed_task

HOUR_S = 3_600


# -- rounds -------------------------------------------------------------------------------


def test_an_end_before_its_reopen_spoils_no_other_round():
    """hook RC-17"""
    play = Play()
    failed = failed_task(play)
    play.end("K1", "ok", "too early")
    play.reopen("K1", failed)
    assert play.shows(failed) == ("FAILED", "e1")
    play.reopen("K2", failed)
    play.end("K2", "ok", "done")
    assert play.shows(failed) == ("OK", "done")


def test_of_the_ends_that_came_too_early_the_last_64_are_remembered():
    play = Play()
    failed = failed_task(play)
    for n in range(65):
        play.end(f"K{n}", "ok", "too early", wait=0.1)
    play.reopen("K1", failed)
    assert play.shows(failed) == ("FAILED", "e1")
    play.reopen("K0", failed)
    assert play.shows(failed)[0] == "WORKING"


def test_a_round_id_for_another_message_is_a_collision():
    """HK-182, HK-183"""
    play = Play()
    first = failed_task(play)
    second = play.say("another", thread="t2")
    play.ack(second)
    play.end(second, "error", "e2")
    play.reopen("K1", first)
    play.reopen("K1", second)
    assert [note["request"] for note in play.notes("reopen-refused")] == ["K1"]
    play.end("K1", "ok", "whose?")
    assert play.shows(first)[0] == "WORKING"
    assert play.shows(second) == ("FAILED", "e2")


def test_another_device_that_repeats_a_reopen_word_for_word_is_refused():
    """HK-182"""
    play = Play()
    failed = failed_task(play)
    play.connect("D2")
    play.reopen("K1", failed)
    play.reopen("K1", failed, who="D2")
    assert len(play.notes("reopen-refused")) == 1


@pytest.mark.parametrize("ending", [False, True])
def test_a_round_belongs_to_the_connection_that_opened_it(ending):
    """hook RC-86"""
    play = Play()
    failed = failed_task(play)
    play.connect("D2")
    play.reopen("K1", failed)
    play.progress("K1", "mine")
    if ending:
        play.end("K1", "ok", "not yours", who="D2")
    else:
        play.progress("K1", "not yours", who="D2")
    assert play.shows(failed) == ("WORKING", "mine")


def test_progress_behind_the_end_of_its_round_is_ignored():
    """HK-179"""
    play = Play()
    failed = failed_task(play)
    play.reopen("K1", failed)
    play.end("K1", "ok", "done")
    play.progress("K1", "late")
    assert play.shows(failed) == ("OK", "done")
    play.end("K1", "error", "again")
    assert play.shows(failed) == ("OK", "done")


def test_a_message_that_had_no_end_yet_cannot_be_restored():
    play = Play(restore=True)
    play.connect()
    request = play.say("fix it")
    play.ack(request)
    play.reopen("K1", request)
    play.cut(wait=3)
    assert play.shows(request)[0] == "INTERRUPTED"


def test_what_is_restored_is_the_end_of_the_last_round():
    play = Play(restore=True)
    failed = failed_task(play)
    play.reopen("K1", failed)
    play.end("K1", "error", "e2")
    play.reopen("K2", failed)
    play.progress("K2", "p")
    play.cut(wait=3)
    assert play.shows(failed) == ("FAILED", "e2")


def test_after_a_restart_the_newest_round_owns_the_message_whatever_its_name():
    """hook RC-24"""
    play = Play()
    failed = failed_task(play)
    play.reopen("K9", failed)
    play.end("K9", "error", "e9")
    play.channel("edit", "down", 5)
    play.reopen("K1", failed)
    play.end("K1", "ok", "done")
    play.crash()
    play.restart(wait=60)
    assert play.shows(failed) == ("OK", "done")


# -- the pen ------------------------------------------------------------------------------


def test_only_the_first_piece_of_an_answer_quotes_its_question():
    play = LanePlay("telegram")
    play.world.hosts["S"].actor._writing.quotes = lambda task: "first"
    request = play.task()
    play.end(request, "ok", "a" * 10_000, wait=5)
    answers = [post for post in play.calls(PostMessage) if post.text.startswith("a")]
    assert [bool(post.reply_to) for post in answers] == [True, False, False]


def test_an_edit_of_unknown_outcome_leaves_nothing_that_is_known_to_be_shown():
    play = Play()
    play.connect()
    request = play.say("fix it")
    play.ack(request)
    play.progress(request, "first")
    play.channel("edit", "unknown")
    play.progress(request, "second", wait=0.5)
    play.progress(request, "first", wait=60)
    assert play.shows(request) == ("WORKING", "first")


def test_a_write_of_unknown_outcome_is_told_under_that_name():
    """HK-81"""
    play = LanePlay("slack")
    request = play.task()
    play.channel("edit", "unknown")
    play.end(request, "ok", "done", wait=60)
    troubled = [f.error.code for f in play.got(TurnDelivery) if f.state == "retrying"]
    assert troubled == ["outcome_unknown"]


def test_trouble_with_one_message_holds_up_no_other():
    """hook RC-99: only a 429 is about everybody."""
    play = LanePlay("slack")
    one, two = play.task("a"), play.task("b")
    play.channel("edit", "server_error")
    play.progress(one, "p1", wait=0.3)
    before = play.world.now
    play.progress(two, "p2", wait=0.6)
    assert play.world.now - before < SECOND_US
    assert play.shows(two) == ("WORKING", "p2")


def pauses(play: Play, seconds: float) -> list[int]:
    """The whole seconds between the edits that are tried from now on."""
    start = len(play.world.events)
    play.run(seconds)
    tried = [
        event.at
        for event in play.world.events[start:]
        if type(event) is CallIssued and type(event.request) is EditMessage
    ]
    return [round((b - a) / SECOND_US) for a, b in pairwise(tried)]


def test_the_pauses_between_tries_grow_and_begin_anew_after_a_success():
    play = Play()
    play.connect()
    request = play.say("fix it")
    play.ack(request)
    play.channel("edit", "server_error", always=True)
    play.progress(request, "p1", wait=0)
    assert pauses(play, 20)[:3] == [1, 2, 4]
    play.channel("edit", "ok", always=True)
    play.run(60)
    assert play.shows(request) == ("WORKING", "p1")
    play.channel("edit", "server_error", always=True)
    play.progress(request, "p2", wait=0)
    assert pauses(play, 20)[:3] == [1, 2, 4]


def test_a_limit_without_a_time_costs_the_usual_pause():
    play = Play()
    play.connect()
    request = play.say("fix it")
    play.ack(request)
    play.channel("edit", "rate_limited", 0)
    play.progress(request, "p1", wait=0)
    assert pauses(play, 5) == [1]


@pytest.mark.parametrize(("outcome", "edits"), [("ok", 1), ("unknown", 3)])
def test_an_answer_is_said_once_more_only_where_that_may_be_needed(outcome, edits):
    play = Play()
    play.connect()
    request = play.say("fix it")
    play.ack(request)
    play.channel("edit", outcome)
    play.end(request, "ok", "done", wait=600)
    assert len([e for e in play.calls(EditMessage) if e.state == "OK"]) == edits


def test_a_text_that_just_fits_is_not_cut():
    assert cut("abcd", 4) == "abcd"
    assert cut("abcde", 4).endswith("…")


# -- conversations and dispatches -----------------------------------------------------------


def test_the_keys_of_conversations_name_the_place():
    """HK-08"""
    play = Play()
    play.connect()
    play.say("in a thread", thread="t1")
    play.say("directly")
    keys = [task.external_key for task in play.got(TaskDispatch)]
    assert keys[0].endswith(":t1")
    assert len(set(keys)) == 2


def test_two_accounts_in_a_group_have_a_session_each():
    play = LanePlay("telegram")
    play.connect()
    play.connect("D2")
    for who in ("Alice", "Bob"):
        play.world.act(who, Say("", "fix it", None, True, "-1001"))
        play.run(1)
    keys = [t.external_key for who in ("D", "D2") for t in play.got(TaskDispatch, who)]
    assert keys == ["telegram:group:Alice:-1001:", "telegram:group:Bob:-1001:"]


@pytest.mark.parametrize("restart", [False, True])
def test_the_first_account_that_takes_a_waiting_task_keeps_it(restart):
    """hook RC-44"""
    play = LanePlay("slack")
    request = play.say("fix it")
    play.account = "A"
    play.connect()
    assert [t.request_id for t in play.got(TaskDispatch)] == [request]
    play.cut()
    if restart:
        play.crash()
        play.restart()
    play.account = "B"
    play.connect()
    assert len(play.got(TaskDispatch)) == 1
    play.cut()
    play.account = "A"
    play.connect()
    assert [t.request_id for t in play.got(TaskDispatch)] == [request, request]


def test_a_folder_that_nobody_chose_is_chat_even_where_it_is_not_listed_first():
    """HK-53"""
    play = Play()
    play.connect(workspaces=("web", "chat"))
    play.say("fix it")
    assert play.got(TaskDispatch)[0].workspace == "chat"


def test_what_waited_for_a_day_is_not_dispatched_by_a_server_that_was_down_meanwhile():
    """hook RC-29"""
    play = Play(limits=Limits(absent_us=2 * HOUR_S * SECOND_US))
    request = play.say("fix it")
    play.run(23 * HOUR_S)
    play.crash()
    play.run(2 * HOUR_S)
    play.restart(wait=1)
    play.connect()
    assert play.got(TaskDispatch) == []
    assert play.shows(request)[0] == "INTERRUPTED"
