"""Acks, progress, ends, cancels and absence on the server: what each guard is for."""

from __future__ import annotations

from typing import Any

import pytest

from sim.channel.api import Done
from sim.core.event import Saved
from sim.core.op import Save, Spawn, StopTimer
from sim.protocols.hook import TaskAck, TaskCancel, TurnReopen
from sim.protocols.hook.machine import PROBING
from sim.protocols.hook.server import Limits
from sim.protocols.hook.server.line import Picture
from tests.protocols.hook.by_hand import ByHand
from tests.protocols.hook.delivery_play import LanePlay
from tests.protocols.hook.server_books import imbalances
from tests.protocols.hook.server_play import SECOND_US, Play


def server(play: Play) -> Any:
    return play.world.hosts["S"].actor


def by_hand(play: Play, run: Any, *answers: Any) -> ByHand:
    return ByHand(play.world, "S", run, *answers)


def task_of(play: Play, request: str) -> Any:
    return server(play).memory.routes[request]


def socket_of(play: Play) -> Any:
    return server(play).memory.desks[play.plan.channels["IM"], "D"].socket


def acking(play: Play, request: str, result: str = "accepted", **more: Any) -> ByHand:
    """The handler of an ack, not begun."""
    fields: dict[str, Any] = {"reason": None, "session_id": "s-1", "queue_position": None}
    body = TaskAck(request_id=request, result=result, **{**fields, **more})
    return by_hand(play, server(play)._requests.ack(socket_of(play), body))


def rejecting(play: Play, request: str) -> ByHand:
    return acking(play, request, "rejected", reason="invalid", session_id=None)


# -- acks ---------------------------------------------------------------------------------


def test_a_refused_task_is_not_stopped_besides() -> None:
    play = Play()
    play.connect()
    request = play.say("go", thread="t1")
    play.say("/stop", thread="t1")
    play.ack(request, "rejected", reason="invalid")
    play.run(10)
    assert play.got(TaskCancel) == []


def test_the_ack_of_what_runs_already_shows_no_placeholder() -> None:
    play = Play()
    play.connect()
    request = play.say("go")
    play.ack(request)
    play.progress(request, "half")
    play.crash()
    play.restart()
    play.connect()
    play.ack(request)
    assert play.shows(request) == ("WORKING", "half")


def test_a_snapshot_that_came_while_the_ack_was_stored_stays() -> None:
    play = Play()
    play.connect()
    request = play.say("go")
    run = acking(play, request).behind(Save)
    play.progress(request, "half")
    run.finish()
    play.run(1)
    assert play.shows(request) == ("WORKING", "half")


def test_a_place_in_the_queue_that_is_out_of_date_is_not_shown() -> None:
    play = Play()
    play.connect()
    request = play.say("go")
    run = acking(play, request, "queued", queue_position=3).behind(Save)
    play.ack(request)
    run.finish()
    play.run(1)
    assert play.shows(request)[0] == "WORKING"


def test_what_was_refused_and_runs_after_all_is_not_shown_as_refused() -> None:
    """hook RC-36"""
    play = Play()
    play.connect()
    request = play.say("go")
    run = rejecting(play, request).behind(Save, "request/")
    play.ack(request)
    run.finish()
    play.run(1)
    assert play.shows(request)[0] == "WORKING"


def test_an_end_that_came_while_a_refusal_was_stored_is_what_is_shown() -> None:
    play = Play()
    play.connect()
    request = play.say("go")
    run = rejecting(play, request).behind(Save, "request/")
    play.end(request, "ok", "done")
    run.finish()
    play.run(1)
    assert play.chips(request) == ["WORKING", "OK"]


def test_a_refusal_that_an_end_may_need_the_post_of_waits() -> None:
    """hook RC-36"""
    play = LanePlay("x")
    play.connect()
    request = play.say("go")
    play.cut()
    play.connect()
    play.ack(request, "rejected", reason="invalid")
    play.run(60)
    assert play.posted() == []
    play.end(request, "ok", "done")
    play.run(20 * 60)
    assert [post.state for post in play.posted()] == ["OK"]


def test_a_refusal_at_the_first_dispatch_does_not_wait() -> None:
    play = LanePlay("x")
    play.connect()
    request = play.say("go")
    play.ack(request, "rejected", reason="invalid")
    play.run(1)
    assert [post.state for post in play.posted()] == ["REJECTED"]


def test_a_late_refusal_is_written_once_it_is_sure() -> None:
    play = LanePlay("x", limits=Limits(absent_us=60 * SECOND_US))
    play.connect()
    request = play.say("go")
    play.cut()
    play.connect()
    play.ack(request, "rejected", reason="invalid")
    play.run(70)
    assert [post.state for post in play.posted()] == ["REJECTED"]


def test_a_late_refusal_that_is_out_of_date_is_written_by_nobody() -> None:
    play = LanePlay("slack")
    request = play.task()
    task = task_of(play, request)
    picture = Picture(task, "refused", "REJECTED", final=True)
    run = by_hand(play, server(play)._requests.reject_later(task, picture))
    play.end(request, "ok", "done")
    run.finish()
    play.run(1)
    assert play.shows(request) == ("OK", "done")


def test_a_refusal_shows_at_once_where_an_end_can_still_replace_it() -> None:
    play = Play()
    play.connect()
    request = play.say("go")
    play.cut()
    play.connect()
    play.ack(request, "rejected", reason="invalid")
    assert play.shows(request)[0] == "REJECTED"
    play.end(request, "ok", "done")
    assert play.shows(request) == ("OK", "done")


def test_an_ack_that_is_repeated_while_it_is_stored_brings_no_placeholder_back() -> None:
    play = Play()
    play.connect()
    request = play.say("go")
    run = acking(play, request).behind(Save)
    play.progress(request, "half")
    play.ack(request)
    run.finish()
    play.run(1)
    assert play.shows(request) == ("WORKING", "half")


def test_whoever_waits_sees_in_which_place() -> None:
    play = Play()
    play.connect()
    requests = [play.say(str(n), thread="t1") for n in range(2)]
    for n, request in enumerate(requests):
        play.ack(request, "queued", position=7 * n)
    texts = [play.shows(request)[1] for request in requests]
    assert texts[0] != texts[1]


# -- progress -----------------------------------------------------------------------------


def test_a_snapshot_of_what_runs_is_shown_and_not_stored() -> None:
    play = Play()
    play.connect()
    request = play.say("go")
    play.ack(request)
    n = len(play.world.events)
    play.progress(request, "half")
    assert play.shows(request) == ("WORKING", "half")
    assert [e for e in play.events(Saved) if e.n >= n] == []


@pytest.mark.parametrize("text", ["", "newer"])
def test_a_snapshot_that_was_overtaken_while_it_was_stored_does_not_count(text: str) -> None:
    play = Play()
    play.connect()
    request = play.say("go")
    task = task_of(play, request)
    run = by_hand(play, server(play)._requests.progress(task, "first")).behind(Save)
    if text:
        play.progress(request, text)
    else:
        play.end(request, "ok", "done")
    assert run.finish().result is None


def test_a_task_whose_message_was_taken_over_makes_no_more_progress() -> None:
    """hook RC-19"""
    play = Play()
    play.connect()
    request = play.say("go")
    play.ack(request)
    body = TurnReopen(
        request_id="K1", reopen_of=request, external_key="k", session_id="s-1",
        reason="user-continued",
    )  # fmt: skip
    reopen = server(play)._frames["turn.reopen"](socket_of(play), body)
    run = by_hand(play, reopen, Done()).behind(Save, "round/")
    task = task_of(play, request)
    assert by_hand(play, server(play)._requests.progress(task, "late")).finish().result is None
    run.finish()


# -- ends ---------------------------------------------------------------------------------


def test_what_ended_does_not_end_again() -> None:
    play = Play()
    play.connect()
    request = play.say("go")
    play.ack(request)
    play.end(request, "ok", "done")
    task = task_of(play, request)
    final = task.final
    picture = Picture(task, "again", "OK", final=True)
    assert by_hand(play, server(play)._requests.end(task, picture)).finish().ops == []
    assert task.final is final


def test_what_ended_is_not_interrupted() -> None:
    play = Play()
    play.connect()
    request = play.say("go")
    play.ack(request)
    play.end(request, "ok", "done")
    run = by_hand(play, server(play)._requests._interrupt(task_of(play, request)))
    assert run.finish().ops == []


def test_with_publish_once_off_a_repeated_end_changes_a_message_that_can_be_changed() -> None:
    """hook RC-46"""
    play = LanePlay("slack", off=("publish_once",))
    request = play.task()
    play.end(request, "ok", "done")
    play.end(request, "ok", "done again")
    assert play.shows(request) == ("OK", "done again")
    assert len(play.posted()) == 1


def test_with_publish_once_off_a_repeated_end_is_a_second_post_elsewhere() -> None:
    """hook RC-46"""
    play = LanePlay("x", off=("publish_once",))
    request = play.task()
    play.end(request, "ok", "done")
    play.end(request, "ok", "done")
    assert len(play.posted()) == 2


@pytest.mark.parametrize("restart", [False, True])
def test_an_end_behind_an_interruption_leaves_the_books_in_order(restart: bool) -> None:
    """hook RC-55"""
    play = Play(limits=Limits(absent_us=60 * SECOND_US))
    play.connect()
    request = play.say("go", thread="t1")
    other = play.say("more", thread="t1")
    play.ack(request)
    play.ack(other, "queued", position=0)
    assert imbalances(server(play)) == []
    play.cut()
    play.run(90)
    assert play.shows(request)[0] == "INTERRUPTED"
    assert imbalances(server(play)) == []
    if restart:
        play.crash()
        play.restart()
    play.connect()
    play.end(request, "ok", "done")
    assert play.shows(request) == ("OK", "done")
    assert imbalances(server(play)) == []
    play.ack(other)
    assert imbalances(server(play)) == []
    play.end(other, "ok", "done")
    assert imbalances(server(play)) == []


def test_what_is_a_day_old_when_it_is_interrupted_is_not_kept_for_its_desktop() -> None:
    play = Play()
    play.connect()
    request = play.say("go")
    play.ack(request)
    task = task_of(play, request)
    task.created_us -= 24 * 3_600 * SECOND_US
    play.cut()
    play.run(16 * 60)
    assert play.shows(request)[0] == "INTERRUPTED"
    assert not task.desk.interrupted


# -- cancels ------------------------------------------------------------------------------


def test_a_stop_is_not_passed_on_to_another_accounts_desktop() -> None:
    """hook RC-44"""
    play = LanePlay("slack")
    play.account = "A"
    request = play.task(thread="t1")
    play.cut()
    play.account = "B"
    play.connect()
    play.say("/stop", thread="t1")
    play.run(10)
    assert task_of(play, request).cancel
    assert play.got(TaskCancel) == []


def test_a_stop_is_passed_on_once_per_welcome() -> None:
    play = Play()
    play.connect()
    request = play.say("go", thread="t1")
    play.ack(request)
    play.say("/stop", thread="t1")
    play.say("/stop", thread="t1")
    assert [c.request_id for c in play.got(TaskCancel)] == [request]


def test_what_is_over_is_not_cancelled() -> None:
    play = Play()
    play.connect()
    request = play.say("go")
    play.ack(request)
    play.end(request, "ok", "done")
    run = by_hand(play, server(play)._requests.send_cancel(task_of(play, request)))
    assert run.finish().ops == []


def test_a_desktop_that_is_away_is_told_nothing() -> None:
    play = Play()
    play.connect()
    request = play.say("go")
    play.ack(request)
    play.cut()
    task = task_of(play, request)
    assert by_hand(play, server(play)._requests.send_cancel(task)).finish().ops == []


def test_an_interruption_is_no_stop() -> None:
    play = Play(limits=Limits(absent_us=60 * SECOND_US))
    play.connect()
    request = play.say("go")
    play.ack(request)
    play.cut()
    play.run(130)
    assert play.shows(request)[0] == "INTERRUPTED"
    play.connect()
    play.ack(request)
    play.run(10)
    assert play.got(TaskCancel) == []


def test_what_is_over_is_not_to_be_stopped_any_more() -> None:
    play = Play()
    play.connect()
    request = play.say("go", thread="t1")
    play.ack(request)
    play.say("/stop", thread="t1")
    assert task_of(play, request).cancel
    play.end(request, "cancelled")
    assert not task_of(play, request).cancel


def test_a_desktop_that_is_not_welcomed_yet_is_told_nothing_and_counts_as_away() -> None:
    play = Play()
    play.connect()
    request = play.say("go")
    play.ack(request)
    task, socket = task_of(play, request), socket_of(play)
    ready, socket.state = socket.state, PROBING
    assert by_hand(play, server(play)._requests.send_cancel(task)).finish().ops == []
    assert server(play)._requests._of_the_absent(task.desk) == [task]
    socket.state = ready
    assert server(play)._requests._of_the_absent(task.desk) == []


# -- absence ------------------------------------------------------------------------------


def test_a_desktop_without_tasks_is_not_missed() -> None:
    play = Play()
    play.connect()
    play.cut()
    assert ("absent", "slack/D") not in play.world.hosts["S"].timers


def test_a_desktop_that_comes_back_keeps_what_was_not_interrupted_yet() -> None:
    play = Play()
    play.connect()
    requests = [play.say(text, thread=text) for text in ("one", "two")]
    for request in requests:
        play.ack(request)
    play.cut()
    by_hand(play, server(play).perform(StopTimer("absent", "slack/D"))).finish()
    play.run(16 * 60)
    desk = task_of(play, requests[0]).desk
    run = by_hand(play, server(play)._requests.absent(desk)).behind(Spawn)
    play.connect()
    run.finish()
    play.run(1)
    assert [play.shows(request)[0] for request in requests] == ["INTERRUPTED", "WORKING"]


def test_who_only_waits_for_what_was_taken_is_asked_about_no_more() -> None:
    """Only a task that nobody has taken keeps the timer going."""
    play = Play(limits=Limits(absent_us=60 * SECOND_US))
    play.connect()
    request = play.say("go")
    play.ack(request)
    play.cut()
    play.run(70)
    assert play.shows(request)[0] == "INTERRUPTED"
    assert ("absent", "slack/D") not in play.world.hosts["S"].timers


def test_a_task_that_nobody_has_taken_waits_a_day() -> None:
    play = Play(limits=Limits(absent_us=3_600 * SECOND_US))
    request = play.say("go")
    play.run(2 * 3_600)
    assert play.shows(request)[0] == "QUEUED"
    play.run(23 * 3_600)
    assert play.shows(request)[0] == "INTERRUPTED"


def test_nothing_is_done_about_a_desktop_that_never_had_a_task() -> None:
    play = Play()
    desk = server(play).memory.desk("slack", "D9")
    assert by_hand(play, server(play)._requests.absent(desk)).finish().ops == []
