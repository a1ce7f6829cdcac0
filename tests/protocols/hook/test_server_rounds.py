"""The server twin: continuations, ownership of the message, close-out."""

import pytest

from sim.channel.api import EditMessage, Remove
from sim.protocols.hook import TaskCancel, TaskDispatch
from tests.protocols.hook.server_play import DELAYS, Play, failed_task, slow_edit_in_front

BROKEN = ("INTERRUPTED", "Continuation interrupted")


def test_a_reopened_message_works_again_and_is_finished_in_place():
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    assert play.shows(request)[0] == "WORKING"
    play.progress("K1", "p")
    play.end("K1", "ok", "done")
    assert play.shows(request) == ("OK", "done")
    assert play.chips(request) == ["WORKING", "FAILED", "WORKING", "OK"]
    assert play.posts() == 1
    play.cut()
    play.run(5)
    assert play.shows(request) == ("OK", "done")


def test_a_disconnect_closes_the_round_out_and_its_id_is_dead():
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    play.cut(wait=1)
    assert play.shows(request) == BROKEN
    play.connect()
    play.progress("K1", "late")
    play.end("K1", "ok", "late")
    play.reopen("K1", request)
    play.reopen("K2", "K1")
    assert play.shows(request) == BROKEN
    play.reopen("K3", request)
    assert play.shows(request)[0] == "WORKING"


def test_restoring_the_old_final_is_a_setting():
    play = Play(restore=True)
    request = failed_task(play)
    play.reopen("K1", request)
    play.cut(wait=1)
    assert play.shows(request) == ("FAILED", "e1")


def test_the_original_request_stays_one_shot():
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    play.end(request, "error", "again")
    play.progress(request, "again")
    assert play.shows(request)[0] == "WORKING"
    play.end("K1", "ok", "done")
    play.end(request, "error", "again")
    assert play.shows(request) == ("OK", "done")


def test_a_half_open_socket_that_is_replaced_is_torn_down_once():
    """hook RC-03"""
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    play.cut(how="silent")
    play.dial()
    play.hello(wait=7)
    assert play.shows(request) == BROKEN
    play.progress("K1", "late")
    play.cut(0, wait=1)
    assert [e.by for e in play.calls(EditMessage) if "close-out" in e.by] == [
        "close-out of K1 on D.slack#1"
    ]


def test_the_newest_reopen_owns_the_message():
    """hook RC-06"""
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    play.progress("K1", "a")
    play.reopen("K2", request)
    play.progress("K2", "b")
    play.progress("K1", "a2")
    play.end("K1", "error", "x")
    assert play.shows(request) == ("WORKING", "b")
    play.end("K2", "ok", "y")
    assert play.shows(request) == ("OK", "y")
    assert play.view.rounds["K1"].state == "SUPERSEDED"


def test_rounds_chain_one_to_the_next():
    """hook RC-07"""
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    play.end("K1", "error", "e2")
    play.reopen("K2", "K1")
    play.end("K2", "error", "e3")
    play.reopen("K3", "K2")
    play.end("K1", "error", "e2")
    play.end("K3", "ok", "done")
    assert play.shows("K3") == play.shows(request) == ("OK", "done")
    assert play.posts() == 1


def test_a_reopen_may_skip_a_link():
    """hook RC-08"""
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    play.end("K1", "error", "e2")
    play.reopen("K2", request)
    play.end("K2", "ok", "y")
    assert play.shows(request) == ("OK", "y")


def test_a_request_id_of_another_task_is_refused_and_silenced_on_that_connection():
    """hook RC-10"""
    play = Play()
    request = failed_task(play)
    done = play.say("other")
    play.end(done, "ok", "fine")
    running = play.say("third")
    play.ack(running)
    play.reopen(done, request)
    play.reopen(running, request)
    assert play.shows(request) == ("FAILED", "e1")
    play.progress(running, "hijack")
    play.end(running, "ok", "hijack")
    play.end(done, "error", "hijack")
    assert play.shows(running)[0] == "WORKING"
    assert play.shows(done) == ("OK", "fine")
    play.cut()
    play.connect()
    play.end(running, "ok", "genuine")
    assert play.shows(running) == ("OK", "genuine")


def test_without_quarantine_the_refused_round_writes_the_other_message():
    play = Play(off=("quarantine",))
    request = failed_task(play)
    running = play.say("third")
    play.ack(running)
    play.reopen(running, request)
    play.end(running, "ok", "hijack")
    assert play.shows(running) == ("OK", "hijack")


def test_without_refusal_a_bound_id_is_taken_away_from_its_task():
    play = Play(off=("refuse_bound_id",))
    request = failed_task(play)
    running = play.say("third")
    play.ack(running)
    play.reopen(running, request)
    play.end(running, "ok", "swapped")
    assert play.message(request).text == "swapped"
    assert play.message(running).state == "WORKING"


def test_another_devices_round_id_is_refused_and_silenced():
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    play.connect("D2")
    play.reopen("K1", request, who="D2")
    play.end("K1", "ok", "evil", who="D2")
    assert play.shows(request)[0] == "WORKING"
    play.end("K1", "ok", "good")
    assert play.shows(request) == ("OK", "good")


def test_an_unknown_reopen_of_changes_nothing_at_all():
    """hook RC-11, RC-16"""
    play = Play()
    request = failed_task(play)
    edits, frames = len(play.calls(EditMessage)), len(play.received)
    play.reopen("K1", "never-seen", key="slack:T1:C1:m1")
    play.progress("K1", "x")
    play.end("K1", "ok", "x")
    assert play.shows(request) == ("FAILED", "e1")
    assert (len(play.calls(EditMessage)), len(play.received)) == (edits, frames)


def test_the_external_key_does_not_matter():
    """hook RC-12"""
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request, key="slack:T1:C1:other")
    assert play.shows(request)[0] == "WORKING"


def test_a_repeated_reopen_has_no_effect():
    """hook RC-13"""
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    play.progress("K1", "p3")
    edits = len(play.calls(EditMessage))
    play.reopen("K1", request)
    assert play.shows(request) == ("WORKING", "p3")
    assert len(play.calls(EditMessage)) == edits
    play.end("K1", "ok", "done")
    play.reopen("K1", request)
    assert play.shows(request) == ("OK", "done")


def test_an_end_before_its_reopen_keeps_the_message_failed():
    """hook RC-17"""
    play = Play()
    request = failed_task(play)
    play.end("K1", "error", "x")
    play.reopen("K1", request)
    assert play.shows(request) == ("FAILED", "e1")


def test_a_reopen_before_the_end_of_its_request_takes_the_message():
    """hook RC-19"""
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.reopen("K1", request)
    play.end(request, "error", "e1")
    assert play.shows(request)[0] == "WORKING"
    play.end("K1", "ok", "done")
    assert play.shows(request) == ("OK", "done")
    play.cut()
    play.connect()
    assert len(play.got(TaskDispatch)) == 1


def test_a_flapping_desktop_gets_one_close_out():
    """hook RC-21"""
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    for _ in range(3):
        play.cut()
        play.connect()
    assert play.shows(request) == BROKEN
    assert len([e for e in play.calls(EditMessage) if "close-out" in e.by]) == 1


def test_a_restarted_server_closes_open_rounds_out():
    """hook RC-24"""
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    play.progress("K1", "p")
    play.crash()
    play.run(1)
    play.restart()
    assert play.shows(request) == BROKEN
    play.connect()
    play.end("K1", "ok", "late")
    play.reopen("K1", request)
    assert play.shows(request) == BROKEN
    play.reopen("K2", request)
    play.end("K2", "ok", "done")
    assert play.shows(request) == ("OK", "done")


def test_an_edit_of_the_former_life_does_not_outlive_the_close_out():
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    play.channel("edit", "latency", 3)
    play.progress("K1", "stale", wait=0.3)
    play.crash()
    play.restart(wait=60)
    assert play.shows(request) == BROKEN


def test_a_new_task_that_takes_the_session_over_gets_its_own_message():
    """hook RC-25"""
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    other = play.say("b", thread="m1")
    play.ack(other)
    play.end("K1", "error", "overtaken")
    play.end(other, "ok", "done")
    assert play.shows(request) == ("FAILED", "overtaken")
    assert play.shows(other) == ("OK", "done")


def test_stop_cancels_the_continuation_by_its_own_id():
    """hook RC-26"""
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    play.say("/stop", thread="m1")
    assert [c.request_id for c in play.got(TaskCancel)] == ["K1"]
    play.end("K1", "cancelled")
    assert play.shows(request)[0] == "CANCELLED"


def test_a_round_gets_no_card():
    """hook RC-27"""
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    play.ask("K1")
    assert play.view.card_of("A1") is None


def test_a_reopened_message_that_is_deleted_stays_silent():
    """hook RC-28"""
    play = Play()
    request = failed_task(play)
    play.world.act("Alice", Remove("", play.message(request).id))
    play.run(1)
    play.reopen("K1", request)
    for n in range(5):
        play.progress("K1", f"p{n}")
    edits = len([e for e in play.calls(EditMessage) if "K1" in e.by])
    play.end("K1", "ok", "done", wait=5)
    assert play.posts() == 1
    assert edits <= 2


def test_a_server_that_did_not_announce_the_feature_ignores_reopen():
    """hook RC-30"""
    play = Play(features=())
    request = failed_task(play)
    play.reopen("K1", request)
    play.end("K1", "ok", "x")
    assert play.shows(request) == ("FAILED", "e1")


def test_a_close_out_outlives_a_long_failure_of_the_channel():
    """hook RC-103"""
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    play.channel("edit", "down", 600)
    play.cut(wait=300)
    assert play.shows(request)[0] == "WORKING"
    play.crash()
    play.restart(wait=400)
    assert play.shows(request) == BROKEN


def test_without_close_out_the_message_works_for_ever():
    play = Play(off=("close_out",))
    request = failed_task(play)
    play.reopen("K1", request)
    play.cut(wait=3600)
    assert play.shows(request)[0] == "WORKING"


# -- the classic race -----------------------------------------------------------------


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize("ended", [False, True])
def test_a_late_close_out_covers_neither_a_newer_round_nor_its_answer(delay, ended):
    """HK-186, HK-187"""
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    delay(play)
    play.connect()
    play.reopen("K2", request)
    if ended:
        play.end("K2", "ok", "answer")
    play.run(10)
    assert play.shows(request)[0] == ("OK" if ended else "WORKING")


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize("ended", [False, True])
def test_without_ownership_at_write_it_covers_both(delay, ended):
    play = Play(off=("ownership_at_write",))
    request = failed_task(play)
    play.reopen("K1", request)
    delay(play)
    play.connect()
    play.reopen("K2", request)
    if ended:
        play.end("K2", "ok", "answer", wait=0.1)
    play.run(10)
    chips = play.chips(request)
    if ended and delay is slow_edit_in_front:
        assert "INTERRUPTED" in chips
    else:
        assert play.shows(request) == BROKEN
