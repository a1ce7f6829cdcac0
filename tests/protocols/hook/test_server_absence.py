"""The server twin: desktops that stay away too long, and what they say when they are back."""

import pytest

from sim.protocols.hook import InteractionDecision, TaskCancel, TaskDispatch
from tests.protocols.hook.server_play import Play


def interrupted_task(play, minutes=16.0):
    """D took a task, stayed away too long, and has not come back yet."""
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.cut()
    play.run(minutes * 60)
    assert play.shows(request)[0] == "INTERRUPTED"
    return request


@pytest.mark.parametrize("crash", [False, True])
def test_what_was_interrupted_is_delivered_again_so_that_a_lost_end_is_said_again(crash):
    """hook RC-55"""
    play = Play()
    request = interrupted_task(play)
    if crash:
        play.crash()
        play.restart()
    play.run(22 * 3600)
    play.connect()
    assert [d.request_id for d in play.got(TaskDispatch)] == [request, request]
    play.ack(request)
    play.end(request, "ok", "done")
    assert play.chips(request) == ["WORKING", "INTERRUPTED", "WORKING", "OK"]
    assert play.posts() == 1
    play.cut()
    play.connect()
    assert len(play.got(TaskDispatch)) == 2


def test_what_was_interrupted_runs_again_when_its_desktop_takes_it_again():
    """hook RC-55"""
    play = Play()
    request = interrupted_task(play)
    play.connect()
    play.ack(request, "queued", position=0)
    assert play.shows(request)[0] == "QUEUED"
    play.ack(request)
    play.progress(request, "half")
    assert play.shows(request) == ("WORKING", "half")
    play.say("/stop", thread=play.view.requests[request].thread)
    play.run(1)
    assert [c.request_id for c in play.got(TaskCancel)] == [request]
    play.cut()
    play.run(16 * 60)
    assert play.shows(request)[0] == "INTERRUPTED"


def test_a_rejection_of_what_was_interrupted_changes_nothing():
    play = Play()
    request = interrupted_task(play)
    play.connect()
    play.ack(request, "rejected", reason="invalid")
    assert play.shows(request)[0] == "INTERRUPTED"
    play.end(request, "ok", "done")
    assert play.shows(request) == ("OK", "done")


def test_a_stop_for_an_absent_desktop_outlives_the_interruption():
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.cut()
    play.say("/stop", thread=play.view.requests[request].thread)
    play.run(16 * 60)
    assert play.shows(request)[0] == "INTERRUPTED"
    play.connect()
    assert play.got(TaskCancel) == []
    play.ack(request)
    assert [c.request_id for c in play.got(TaskCancel)] == [request]


@pytest.mark.parametrize("crash", [False, True])
def test_a_stop_that_comes_after_the_interruption_is_told_to_the_desktop_when_it_is_back(crash):
    """HK-65, hook RC-55"""
    play = Play()
    request = interrupted_task(play)
    if crash:
        play.crash()
        play.restart()
    play.say("/stop", thread=play.view.requests[request].thread)
    assert play.shows(request)[0] == "INTERRUPTED"
    play.connect()
    play.ack(request)
    assert [c.request_id for c in play.got(TaskCancel)] == [request]


def test_a_stop_means_what_waits_rather_than_what_was_interrupted():
    """HK-65"""
    play = Play()
    old = interrupted_task(play)
    thread = play.view.requests[old].thread
    new = play.say("b", thread=thread)
    play.say("/stop", thread=thread)
    play.connect()
    play.ack(old)
    play.ack(new)
    assert [c.request_id for c in play.got(TaskCancel)] == [new]


def test_what_was_stopped_a_day_ago_is_found_no_more():
    """hook RC-29"""
    play = Play()
    request = interrupted_task(play)
    memory = play.world.hosts["S"].actor.memory
    task = memory.routes[request]
    assert task.conversation.tasks == {request: task}
    play.run(26 * 3600)
    assert task.conversation.tasks == {}


def test_a_decision_for_an_absent_desktop_outlives_the_interruption():
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.ask(request)
    play.cut()
    play.press("A1", "yes")
    play.run(16 * 60)
    assert play.shows(request)[0] == "INTERRUPTED"
    play.connect()
    assert [d.button_id for d in play.got(InteractionDecision)] == ["yes"]


def test_what_was_interrupted_is_delivered_again_for_a_day_and_no_longer():
    """hook RC-29, RC-55"""
    play = Play()
    interrupted_task(play)
    play.run(23.5 * 3600)
    play.connect()
    assert len(play.got(TaskDispatch)) == 2
    play.cut()
    play.run(3600)
    play.connect()
    assert len(play.got(TaskDispatch)) == 2


def test_what_was_a_day_old_when_it_was_interrupted_is_never_run():
    play = Play()
    play.connect()
    request = play.say("a")
    play.cut()
    play.run(24.5 * 3600)
    assert play.shows(request)[0] == "INTERRUPTED"
    play.connect()
    assert len(play.got(TaskDispatch)) == 1


@pytest.mark.parametrize(("older", "cancels"), [(0, 1), (1, 0)])
def test_the_timer_of_a_stop_on_an_older_connection_sends_nothing(older, cancels):
    """hook RC-26: a cancel that overtakes the ack is lost on the desktop."""
    play = Play()
    play.connect()
    play.cut()
    play.connect()
    request = play.say("a")
    play.say("/stop", thread=play.view.requests[request].thread)
    server = play.world.hosts["S"]
    task = server.actor.memory.routes[request]
    assert task.cancel_sent == -task.desk.socket.serial
    task.cancel_sent += older
    play.world.tell_timer(server, "cancel", request, 1)
    play.run(1)
    assert [c.request_id for c in play.got(TaskCancel)] == [request] * cancels
