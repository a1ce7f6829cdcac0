"""Stories in which the server's guards of cards, hellos and commands are needed."""

from __future__ import annotations

from sim.channel.api import ButtonPressed, Press
from sim.core.event import CallIssued
from sim.protocols.hook import InteractionDecision, TaskCancel, TaskDispatch
from tests.protocols.hook.server_play import Play, failed_task

HOUR_S = 3_600


# -- rounds -------------------------------------------------------------------------------


def decisions(play: Play) -> list[str]:
    """The buttons that the desktop was told of."""
    return [body.button_id for body in play.got(InteractionDecision)]


def test_a_card_that_stands_can_be_pressed_while_another_is_still_being_posted():
    play = Play()
    play.connect()
    request = play.say("fix it")
    play.ack(request)
    play.ask(request, "A1", wait=2)
    play.channel("post", "latency", 20)
    play.ask(request, "A2", wait=0.5)
    play.press("A1", "yes", wait=1)
    assert decisions(play) == ["yes"]


def test_a_press_on_what_is_no_card_is_settled_at_once():
    play = Play()
    play.connect()
    request = play.say("fix it")
    play.world.act("Alice", Press("", play.message(request).id, "yes"))
    play.run(20)
    presses = [e for e in play.events(CallIssued) if type(e.request) is ButtonPressed]
    assert len(presses) == 1
    assert decisions(play) == []


def test_a_cancel_of_a_card_must_name_its_request():
    """HK-144"""
    play = Play()
    play.connect()
    request = play.say("fix it")
    other = play.say("another", thread="t2")
    play.ack(request)
    play.ack(other)
    play.ask(request, wait=2)
    play.take_back(other)
    play.press("A1", "no")
    assert decisions(play) == ["no"]


def test_a_card_tells_who_pressed_what():
    play = Play()
    play.connect()
    request = play.say("fix it")
    play.ack(request)
    play.ask(request, wait=2)
    play.press("A1", "yes", wait=2)
    card = play.view.card_of("A1")
    assert card is not None
    assert card.text.endswith("\nYes (Alice)")


def test_a_device_whose_socket_went_to_another_one_is_offline():
    """HK-50"""
    play = Play()
    play.connect()
    play.hello(device_id="D2")
    request = play.say("x")
    assert play.shows(request)[0] == "QUEUED"


def test_a_hello_for_another_device_closes_the_rounds_of_the_old_one_out():
    """HK-184"""
    play = Play()
    failed = failed_task(play)
    play.reopen("K1", failed)
    play.hello(device_id="D2", wait=3)
    assert play.shows(failed)[0] == "INTERRUPTED"


def test_stop_finds_the_persons_latest_conversation_from_another_thread():
    """HK-65"""
    play = Play()
    play.connect()
    request = play.say("fix it", thread="t1")
    play.ack(request)
    play.say("/stop", thread="t9")
    assert [body.request_id for body in play.got(TaskCancel)] == [request]


def test_stop_where_nothing_runs_stops_nothing_elsewhere():
    play = Play()
    play.connect()
    idle = play.say("one", thread="t1")
    play.ack(idle)
    play.end(idle, "ok", "done")
    running = play.say("two", thread="t2")
    play.ack(running)
    play.say("/stop", thread="t1")
    assert play.got(TaskCancel) == []


def test_a_new_that_the_channel_repeats_after_a_crash_counts_once():
    """HK-137"""
    play = Play()
    play.connect()
    play.say("a")
    play.world.latencies["S", "IM"] = (5_000_000, 5_000_000)
    play.world._routes.clear()
    play.say("/new", thread="m1", wait=2)
    play.crash()
    play.restart(wait=20)
    play.connect()
    play.say("b", thread="m1", wait=20)
    keys = list(dict.fromkeys(d.external_key for d in play.got(TaskDispatch)))
    assert keys[1] == f"{keys[0]}:g2"


def test_blanks_are_no_task():
    play = Play()
    play.connect()
    assert play.say("   ") == ""
