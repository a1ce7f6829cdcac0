"""The server twin: crashes between any two writes, forgetting, and rarer gaps."""

import pytest

from sim.channel.api import EditMessage, PostMessage
from sim.core.event import Saved
from sim.protocols.hook import InteractionDecision, SessionArchive, TaskDispatch, Welcome
from sim.protocols.hook.server import Limits
from sim.world import fault
from tests.protocols.hook.server_play import Play, failed_task


def crash_after(play: Play, saves: int) -> None:
    """The server dies right behind its n-th write from now on and comes back 2 s later."""
    left = [saves]

    def count(event: Saved) -> None:
        if event.host == "S":
            left[0] -= 1
            if not left[0]:
                play.world.at(play.world.now, "crash", crash)

    def crash() -> None:
        fault.crash(play.world, "S")
        play.world.at(play.world.now + 2_000_000, "restart", lambda: fault.restart(play.world, "S"))

    play.world.watch(Saved, count)


@pytest.mark.parametrize("saves", range(1, 12))
def test_a_task_reaches_its_answer_wherever_the_server_crashes(saves):
    """hook RC-104"""
    play = Play()
    play.connect()
    crash_after(play, saves)
    request = play.say("fix", wait=8)
    assert request
    for _ in range(6):
        if not play.puppet().conns[-1].is_open:
            play.connect()
        if any(d.request_id == request for d in play.got(TaskDispatch)):
            play.ack(request)
            play.end(request, "ok", "done", wait=3)
    play.run(100)
    assert play.shows(request) == ("OK", "done")
    assert [m.state for m in play.view.history.by_about[request]].count("OK") == 1


@pytest.mark.parametrize("saves", range(1, 7))
def test_a_round_never_works_for_ever_wherever_the_server_crashes(saves):
    """hook RC-24"""
    play = Play()
    request = failed_task(play)
    crash_after(play, saves)
    play.reopen("K1", request)
    play.progress("K1", "p")
    play.reopen("K2", request)
    if saves % 2:
        play.end("K2", "ok", "done")
    play.cut(0, wait=100)
    assert play.shows(request)[0] in ("INTERRUPTED", "OK", "FAILED")
    assert play.posts() == 1


def test_a_superseded_round_stays_dead_when_the_newest_one_is_forgotten():
    play = Play(limits=Limits(mapping_us=3600 * 1_000_000))
    request = failed_task(play)
    play.reopen("K1", request)
    play.reopen("K2", request)
    play.end("K2", "ok", "done")
    play.crash()
    play.restart()
    play.run(3500)
    play.crash()
    play.restart(wait=500)
    play.crash()
    play.restart(wait=100)
    assert play.shows(request) == ("OK", "done")


def test_old_rounds_cards_and_events_are_forgotten_with_their_request():
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.ask(request, wait=1)
    play.end(request, "error", "e")
    play.say("/stop", thread="m1")
    play.run(20 * 3600)
    play.reopen("K1", request)
    play.end("K1", "ok", "done")
    play.run(8 * 3600)
    store = play.world.hosts["S"].store
    assert [key for key, _ in store.items("card/") + store.items("event/")] == ["card/A1"]
    assert store.items("request/")
    play.run(48 * 3600)
    rest = [key for kind in ("request", "round", "card", "event") for key, _ in store.items(kind)]
    assert rest == []
    assert play.shows(request) == ("OK", "done")


def test_an_archive_for_an_offline_desktop_is_kept_even_through_a_crash():
    play = Play()
    play.connect()
    play.say("a")
    old = play.got(TaskDispatch)[0].external_key
    play.cut()
    play.say("/new", thread="m1")
    play.crash()
    play.restart()
    play.connect()
    assert [a.external_key for a in play.got(SessionArchive)] == [old]
    play.cut()
    play.connect()
    assert len(play.got(SessionArchive)) == 1


def test_new_and_stop_without_any_conversation_do_nothing():
    play = Play()
    play.connect()
    play.say("/new")
    play.say("/stop")
    play.say("   ")
    assert [type(b) for _, _, b in play.received] == [Welcome]
    assert not play.calls(PostMessage)


def test_a_repeated_new_counts_once():
    play = Play()
    play.connect()
    play.say("a")
    play.world.latencies["S", "IM"] = (5_000_000, 5_000_000)
    play.world._routes.clear()
    play.say("/new", thread="m1", wait=20)
    play.say("b", thread="m1", wait=20)
    keys = [d.external_key for d in play.got(TaskDispatch)]
    assert keys[1] == f"{keys[0]}:g2"


def test_a_decision_that_may_have_been_lost_is_sent_again():
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.ask(request, wait=1)
    play.cut(how="silent")
    play.press("A1", "yes")
    assert not play.got(InteractionDecision)
    play.dial()
    play.hello(wait=8)
    assert len(play.got(InteractionDecision)) == 1


def test_a_card_that_was_closed_before_a_crash_has_no_buttons_after_it():
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.ask(request, wait=1)
    play.channel("edit", "server_error", always=True)
    play.take_back(request, reason="timed out")
    play.crash()
    play.channel("edit", "latency")
    play.restart(wait=60)
    assert play.message("A1").buttons == ()


def test_a_card_of_a_task_that_ended_just_before_a_crash_is_retired():
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.ask(request, wait=1)
    crash_after(play, 1)
    play.end(request, "ok", "done", wait=60)
    assert play.message("A1").buttons == ()
    assert play.shows(request) == ("OK", "done")


def test_without_retired_cards_the_buttons_outlive_the_task():
    play = Play(off=("retire_cards",))
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.ask(request, wait=1)
    play.end(request, "ok", "done")
    assert play.message("A1").buttons


def test_without_dedupe_a_repeated_event_makes_two_tasks():
    play = Play(off=("webhook_dedupe",))
    play.connect()
    play.world.latencies["S", "IM"] = (5_000_000, 5_000_000)
    play.world._routes.clear()
    play.say("y", wait=15)
    assert len(play.view.requests) > 1


def test_a_slow_channel_delays_neither_the_cancel_nor_the_redelivery():
    play = Play()
    play.connect()
    first, second = play.say("a"), play.say("b")
    play.channel("*", "down", 600)
    play.say("/stop", thread="m1")
    play.ack(first, "queued", position=0)
    assert len([b for _, _, b in play.received if type(b).__name__ == "TaskCancel"]) == 1
    play.run(24 * 3600)
    play.cut()
    play.channel("*", "down", 600)
    play.connect()
    fresh = play.say("c")
    assert fresh not in (first, second)
    assert play.got(TaskDispatch)[-1].request_id == fresh


def test_a_final_that_the_channel_finds_too_long_is_halved():
    play = Play(limits=Limits(text_chars=10_000))
    play.connect()
    request = play.say("a")
    play.end(request, "ok", "y" * 9_000, wait=20)
    state, text = play.shows(request)
    assert (state, text[-1]) == ("OK", "…")


def test_a_post_that_was_refused_is_tried_again_even_when_it_was_the_second():
    """hook RC-98, RC-100"""
    play = Play()
    play.connect()
    request = play.say("a")
    play.channel("edit", "message_not_found")
    play.channel("post", "server_error")
    play.end(request, "ok", "done", wait=20)
    assert play.shows(request) == ("OK", "done")
    assert play.posts() == 2


def test_a_second_post_of_unknown_outcome_is_not_repeated():
    play = Play()
    play.connect()
    request = play.say("a")
    play.channel("edit", "message_not_found")
    play.channel("post", "unknown")
    play.end(request, "ok", "done", wait=200)
    play.crash()
    play.restart(wait=100)
    assert play.posts() == 2
    assert play.shows(request) == ("OK", "done")


def test_an_older_edit_that_lands_after_its_time_out_is_corrected():
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.channel("edit", "latency", 40)
    play.progress(request, "slow", wait=1)
    play.end(request, "ok", "done", wait=120)
    assert play.shows(request) == ("OK", "done")
    assert "slow" in [v.text for v in play.message(request).versions]


def test_a_call_by_somebody_who_is_no_channel_fails_the_run():
    play = Play()
    actor = play.world.hosts["S"].actor
    with pytest.raises(LookupError):
        actor.on_call("Mallory", EditMessage("m1", "x")).send(None)
