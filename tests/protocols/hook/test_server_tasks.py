"""The server twin: a task from webhook to final answer."""

import pytest

from sim.channel.api import ButtonPressed, EditMessage, PostMessage, Remove
from sim.core.event import FrameSent
from sim.protocols.hook import (
    InteractionDecision,
    SessionArchive,
    TaskCancel,
    TaskDispatch,
    Welcome,
)
from sim.protocols.hook.server import Limits
from tests.protocols.hook.server_play import MINUTE_US, Play


def test_a_message_is_dispatched_shown_as_working_and_finally_answered():
    play = Play()
    play.connect()
    request = play.say("fix it")
    [dispatch] = play.got(TaskDispatch)
    assert dispatch.request_id == request
    assert dispatch.external_key == "slack:T1:C1:m1"
    assert (dispatch.workspace, dispatch.session_id, dispatch.prompt) == ("chat", None, "fix it")
    assert play.shows(request)[0] == "WORKING"
    play.ack(request)
    play.progress(request, "p1")
    play.progress(request, "p2")
    assert play.shows(request) == ("WORKING", "p2")
    play.end(request, "ok", "done", files=("a.png",))
    assert play.shows(request) == ("OK", "done")
    message = play.message(request)
    assert message.files == ("a.png",)
    assert (message.thread, message.role, play.posts()) == ("m1", "request", 1)
    assert play.view.requests[request].ended == "ok"


def test_identical_snapshots_cost_no_edit():
    play = Play()
    play.connect()
    request = play.say("x")
    play.ack(request)
    play.progress(request, "same")
    edits = len(play.calls(EditMessage))
    play.progress(request, "same")
    play.progress(request, "")
    assert len(play.calls(EditMessage)) == edits


def test_an_end_that_arrives_before_the_placeholder_is_posted_makes_one_message():
    """hook RC-73"""
    play = Play()
    play.connect()
    play.channel("post", "latency", 2)
    request = play.say("x", wait=0.5)
    play.ack(request)
    play.progress(request, "p", wait=0.1)
    play.end(request, "ok", "done", wait=4)
    assert play.shows(request) == ("OK", "done")
    assert play.posts() == 1


def test_a_task_for_an_offline_desktop_waits_and_is_sent_after_welcome():
    play = Play()
    request = play.say("x")
    assert play.shows(request)[0] == "QUEUED"
    play.connect()
    kinds = [type(body) for _, _, body in play.received]
    assert kinds == [Welcome, TaskDispatch]
    play.ack(request)
    assert play.shows(request)[0] == "WORKING"


def test_everything_unended_is_redelivered_under_its_old_id_after_each_welcome():
    """hook RC-31"""
    play = Play()
    play.connect()
    first = play.say("x")
    second = play.say("y")
    play.ack(first)
    play.cut()
    play.connect()
    again = [d.request_id for d in play.got(TaskDispatch, link="D.slack#2")]
    assert again == [first, second]
    play.hello(workspaces=("chat",))
    assert len(play.got(TaskDispatch, link="D.slack#2")) == 4
    play.ack(first)
    play.end(first, "ok", "done")
    assert play.shows(first) == ("OK", "done")
    assert play.posts() == 2


def test_without_redelivery_an_acked_task_is_not_sent_again():
    play = Play(off=("redelivery",))
    play.connect()
    request = play.say("x")
    play.ack(request)
    play.cut()
    play.connect()
    assert len(play.got(TaskDispatch)) == 1


def test_a_late_ack_before_welcome_counts():
    """hook RC-32"""
    play = Play()
    play.connect()
    request = play.say("x")
    play.cut(how="silent")
    play.dial()
    play.hello(wait=0.2)
    play.ack(request, "queued", position=0)
    assert not play.got(Welcome, link="D.slack#2")
    assert play.shows(request) == ("QUEUED", "Queued: next in line")


def test_an_end_without_an_ack_is_fine():
    """hook RC-35"""
    play = Play()
    play.connect()
    request = play.say("x")
    play.end(request, "ok", "done")
    assert play.shows(request) == ("OK", "done")
    play.cut()
    play.connect()
    assert len(play.got(TaskDispatch)) == 1


def test_a_rejection_is_shown_with_its_reason_and_ends_the_task():
    play = Play()
    play.connect()
    request = play.say("x")
    play.ack(request, "rejected", reason="unknown_workspace")
    state, text = play.shows(request)
    assert state == "REJECTED"
    assert "unknown_workspace" in text
    play.cut()
    play.connect()
    assert len(play.got(TaskDispatch)) == 1


@pytest.mark.parametrize("running", ["ack", "progress", "queued"])
def test_a_rejection_never_kills_a_task_that_runs(running):
    """hook RC-36"""
    play = Play()
    play.connect()
    request = play.say("x")
    if running == "progress":
        play.progress(request, "p")
    else:
        play.ack(request, "accepted" if running == "ack" else "queued", position=None)
    play.ack(request, "rejected", reason="invalid")
    assert play.shows(request)[0] in ("WORKING", "QUEUED")
    play.end(request, "ok", "done")
    assert play.shows(request) == ("OK", "done")


def test_an_acceptance_and_an_end_overrule_an_early_rejection():
    play = Play()
    play.connect()
    request = play.say("x")
    play.ack(request, "rejected", reason="invalid")
    play.ack(request)
    assert play.shows(request)[0] == "WORKING"
    other = play.say("y")
    play.ack(other, "rejected", reason="invalid")
    play.end(other, "ok", "done")
    assert play.shows(other) == ("OK", "done")


def test_duplicate_ends_and_late_progress_change_nothing():
    """hook RC-69"""
    play = Play()
    play.connect()
    request = play.say("x")
    play.end(request, "ok", "v")
    edits = len(play.calls(EditMessage))
    play.end(request, "error", "other")
    play.progress(request, "old")
    assert play.shows(request) == ("OK", "v")
    assert len(play.calls(EditMessage)) == edits


def test_frames_of_another_device_are_ignored():
    """hook RC-86"""
    play = Play()
    play.connect()
    play.connect("D2")
    request = play.say("x")
    play.ack(request, who="D2")
    play.progress(request, "evil", who="D2")
    play.end(request, "ok", "evil", who="D2")
    play.reopen("K1", request, who="D2")
    assert play.chips(request) == ["WORKING"]
    play.end(request, "ok", "good")
    assert play.shows(request) == ("OK", "good")


def test_without_the_owner_check_another_device_ends_the_task():
    play = Play(off=("owner_check",))
    play.connect()
    play.connect("D2")
    request = play.say("x")
    play.end(request, "ok", "evil", who="D2")
    assert play.shows(request) == ("OK", "evil")


def test_unknown_ids_make_no_message_no_edit_and_no_frame():
    play = Play()
    play.connect()
    before = len(play.received)
    play.progress("R9", "x")
    play.end("R9", "ok", "x")
    play.ack("R9")
    play.ask("R9")
    play.take_back("R9")
    assert not play.calls(PostMessage)
    assert not play.calls(EditMessage)
    assert len(play.received) == before


def test_two_messages_of_a_thread_share_the_key_and_end_in_their_own_messages():
    """hook RC-42"""
    play = Play()
    play.connect()
    first = play.say("a")
    second = play.say("b", thread="m1")
    keys = {d.external_key for d in play.got(TaskDispatch)}
    assert len(keys) == 1
    play.ack(first)
    play.ack(second, "queued", position=0)
    play.end(first, "ok", "1")
    play.end(second, "ok", "2")
    assert (play.shows(first)[1], play.shows(second)[1]) == ("1", "2")


@pytest.mark.parametrize(
    ("hello", "workspace"),
    [
        ({"default_workspace": "web"}, "web"),
        ({"default_workspace": None}, "chat"),
        ({"workspaces": ("web", "api")}, "web"),
    ],
)
def test_a_new_lane_takes_the_default_or_chat(hello, workspace):
    play = Play()
    play.connect(**hello)
    play.say("x")
    assert play.got(TaskDispatch)[0].workspace == workspace


def test_a_lane_keeps_its_directory_unless_the_newest_hello_lacks_it():
    """hook RC-43"""
    play = Play()
    play.connect(default_workspace="web")
    play.say("x")
    play.hello()
    play.say("y", thread="m1")
    assert play.got(TaskDispatch)[-1].workspace == "web"
    play.hello(workspaces=("chat",))
    play.say("z", thread="m1")
    assert play.got(TaskDispatch)[-1].workspace == "chat"


def test_nothing_is_dispatched_to_a_desktop_that_offers_no_directory():
    play = Play()
    play.connect(workspaces=())
    play.say("x")
    assert not play.got(TaskDispatch)


def test_a_repeated_event_makes_one_task():
    """hook RC-105"""
    play = Play()
    play.connect()
    play.crash()
    request = play.say("x", wait=2)
    assert request == ""
    play.restart(wait=4)
    play.connect()
    assert len(play.view.requests) == 1
    assert len(play.got(TaskDispatch)) == 1
    play.world.latencies["S", "IM"] = (5_000_000, 5_000_000)  # SEEN comes too late
    play.world._routes.clear()
    play.say("y", wait=15)
    assert len(play.view.requests) == 2


def test_an_unbound_person_gets_a_notice_and_no_task():
    play = Play(bindings={})
    play.say("x", who="Bob")
    assert [post.role for post in play.calls(PostMessage)] == ["notice"]
    assert not play.view.requests


# -- /stop and /new ----------------------------------------------------------------


def test_stop_cancels_the_running_request_of_the_thread():
    play = Play()
    play.connect()
    first = play.say("a")
    other = play.say("b")
    play.ack(first)
    play.ack(other)
    play.say("/stop", thread="m1")
    assert [c.request_id for c in play.got(TaskCancel)] == [first]
    play.end(first, "cancelled")
    assert play.shows(first) == ("CANCELLED", "Cancelled")
    assert play.shows(other)[0] == "WORKING"


def test_stop_waits_for_the_ack_and_no_longer_than_the_limit():
    play = Play()
    play.connect()
    request = play.say("a")
    play.say("/stop", thread="m1")
    assert not play.got(TaskCancel)
    play.ack(request)
    assert len(play.got(TaskCancel)) == 1
    play.say("b")
    play.say("/stop", wait=7)
    assert len(play.got(TaskCancel)) == 2


def test_stop_while_offline_is_sent_after_redelivery_and_ack():
    """hook RC-60"""
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.cut()
    play.say("/stop", thread="m1")
    play.connect()
    assert not play.got(TaskCancel)
    play.ack(request)
    order = [type(b) for _, conn, b in play.received if conn == "D.slack#2"]
    assert order == [Welcome, TaskDispatch, TaskCancel]


def test_a_cancel_that_crosses_a_successful_end_leaves_the_answer():
    """hook RC-57, RC-58"""
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.say("/stop", thread="m1", wait=0.05)
    play.end(request, "ok", "done")
    assert play.shows(request) == ("OK", "done")
    play.cut()
    play.connect()
    assert len(play.got(TaskCancel)) <= 1
    other = play.say("b")
    play.ack(other)
    play.end(other, "cancelled", "half")
    assert play.shows(other) == ("CANCELLED", "half")


def test_new_archives_the_old_generation_and_the_next_task_has_a_new_key():
    play = Play()
    play.connect()
    play.say("a")
    old = play.got(TaskDispatch)[0].external_key
    play.say("/new", thread="m1")
    assert [a.external_key for a in play.got(SessionArchive)] == [old]
    play.say("b", thread="m1")
    assert play.got(TaskDispatch)[-1].external_key == f"{old}:g2"


# -- cards ------------------------------------------------------------------------


def asked(play: Play) -> str:
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.ask(request, wait=1)
    card = play.message("A1")
    assert [b.id for b in card.buttons] == ["yes", "no"]
    assert (card.thread, card.role) == ("m1", "card")
    return request


def test_a_press_becomes_one_decision_and_the_card_shows_it():
    play = Play()
    request = asked(play)
    play.press("A1", "yes")
    [decision] = play.got(InteractionDecision)
    assert (decision.request_id, decision.interaction_id, decision.button_id) == (
        request,
        "A1",
        "yes",
    )
    assert play.message("A1").buttons == ()
    assert "Yes" in play.message("A1").text


def test_two_presses_make_one_decision():
    """hook RC-63"""
    play = Play()
    asked(play)
    play.press("A1", "yes", wait=0.3)
    play.press("A1", "no", who="Bob")
    assert [d.button_id for d in play.got(InteractionDecision)] == ["yes"]
    assert "Yes" in play.message("A1").text


def test_without_one_decision_both_presses_are_passed_on():
    play = Play(off=("one_decision",))
    asked(play)
    play.press("A1", "yes")
    play.press("A1", "no", who="Bob")
    assert [d.button_id for d in play.got(InteractionDecision)] == ["yes", "no"]


def test_a_button_that_is_not_on_the_card_decides_nothing():
    """hook RC-66"""
    play = Play()
    asked(play)
    play.press("A1", "maybe")
    assert not play.got(InteractionDecision)
    assert play.message("A1").buttons


def test_a_press_on_a_closed_card_decides_nothing():
    """hook RC-62"""
    play = Play()
    request = asked(play)
    play.take_back(request, reason="timed out")
    assert play.message("A1").buttons == ()
    assert "timed out" in play.message("A1").text
    edits = len(play.calls(EditMessage))
    play.press("A1", "yes")
    play.take_back(request)
    assert not play.got(InteractionDecision)
    assert len(play.calls(EditMessage)) == edits


def test_a_repeated_question_makes_no_second_card():
    """hook RC-67"""
    play = Play()
    request = asked(play)
    play.ask(request)
    assert len([p for p in play.calls(PostMessage) if p.role == "card"]) == 1


def test_the_end_of_the_task_retires_its_open_cards():
    """hook RC-64, RC-68"""
    play = Play()
    request = asked(play)
    play.end(request, "cancelled", wait=1)
    assert play.message("A1").buttons == ()
    play.press("A1", "yes")
    assert not play.got(InteractionDecision)


def test_a_card_survives_a_reconnect_and_a_press_while_offline_is_kept():
    """hook RC-65"""
    play = Play()
    asked(play)
    play.cut()
    play.press("A1", "yes")
    assert not play.got(InteractionDecision)
    play.connect()
    order = [type(b) for _, conn, b in play.received if conn == "D.slack#2"]
    assert order == [Welcome, TaskDispatch, InteractionDecision]


def test_a_press_that_is_faster_than_the_answer_to_the_post_is_not_lost():
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.world.latencies["IM", "S"] = (1_000_000, 1_000_000)
    play.world._routes.clear()
    play.ask(request, wait=0.5)
    play.press("A1", "yes", wait=8)
    assert [d.button_id for d in play.got(InteractionDecision)] == ["yes"]
    events = {p.event for p in play.calls(ButtonPressed)}
    assert len(events) == 1


# -- time bounds --------------------------------------------------------------------


def test_an_acked_task_whose_desktop_stays_away_is_interrupted_and_a_late_end_wins():
    """hook RC-37, RC-55"""
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.cut()
    play.run(14 * 60)
    assert play.shows(request)[0] == "WORKING"
    play.run(2 * 60)
    assert play.shows(request)[0] == "INTERRUPTED"
    play.connect()
    play.progress(request, "late")
    assert play.shows(request)[0] == "INTERRUPTED"
    play.end(request, "ok", "done")
    assert play.shows(request) == ("OK", "done")
    assert play.posts() == 1


def test_a_desktop_that_comes_back_in_time_keeps_its_task():
    play = Play(limits=Limits(absent_us=MINUTE_US))
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.cut()
    play.run(30)
    play.connect()
    play.run(90)
    assert play.shows(request)[0] == "WORKING"


def test_a_task_that_was_never_acked_goes_on_waiting_until_it_is_a_day_old():
    """hook RC-40"""
    play = Play()
    play.connect()
    request = play.say("a")
    play.cut()
    play.run(20 * 60)
    assert play.shows(request)[0] == "QUEUED"
    play.run(24 * 3600)
    assert play.shows(request)[0] == "INTERRUPTED"


def test_what_ended_a_day_ago_is_forgotten():
    """hook RC-29"""
    play = Play()
    play.connect()
    request = play.say("a")
    play.end(request, "error", "e")
    play.run(26 * 3600)
    assert play.world.hosts["S"].store.items("request/") == []
    play.connect()
    play.reopen("K1", request)
    assert play.shows(request)[0] == "FAILED"


# -- channel faults -------------------------------------------------------------------


def test_a_final_waits_as_long_as_the_channel_says():
    """hook RC-99"""
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.channel("edit", "rate_limited", 5)
    play.progress(request, "p1")
    play.end(request, "ok", "done", wait=3)
    assert play.shows(request)[0] == "WORKING"
    play.run(4)
    assert play.shows(request) == ("OK", "done")
    assert "p1" not in [v.text for v in play.message(request).versions]


def test_progress_is_throttled_by_the_speed_of_the_channel_and_the_newest_wins():
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.channel("edit", "latency", 2)
    for n in range(5):
        play.progress(request, f"p{n}", wait=0.3)
    play.run(3)
    assert [v.text for v in play.message(request).versions][1:] == ["p0", "p4"]


def test_an_edit_of_unknown_outcome_is_repeated_a_post_is_not():
    """hook RC-100"""
    play = Play()
    play.connect()
    request = play.say("a")
    play.channel("edit", "unknown")
    play.end(request, "ok", "done", wait=90)
    finals = [e for e in play.calls(EditMessage) if e.state == "OK"]
    assert len(finals) >= 2
    assert play.shows(request) == ("OK", "done")
    play.channel("post", "unknown")
    other = play.say("b", wait=90)
    assert len([p for p in play.calls(PostMessage) if p.about == other]) == 1
    play.end(other, "ok", "done")
    assert play.shows(other) == ("OK", "done")
    assert len([p for p in play.calls(PostMessage) if p.about == other]) == 1


@pytest.mark.parametrize("op", ["post", "edit"])
def test_a_channel_that_is_down_gets_everything_later(op):
    play = Play()
    play.connect()
    play.channel(op, "down", 120)
    request = play.say("a")
    play.end(request, "ok", "done", wait=200)
    assert play.shows(request) == ("OK", "done")
    assert play.posts() == 1


def test_the_answer_of_a_deleted_placeholder_is_posted_anew_once():
    """hook RC-98"""
    play = Play()
    play.connect()
    request = play.say("a")
    first = play.message(request).id
    play.world.act("Alice", Remove("", first))
    play.run(1)
    play.progress(request, "p1")
    play.progress(request, "p2")
    play.end(request, "ok", "done")
    play.end(request, "ok", "done")
    assert play.shows(request) == ("OK", "done")
    assert play.message(request).id != first
    assert play.posts() == 2


def test_a_text_that_is_too_long_is_cut():
    """hook RC-72"""
    play = Play()
    play.connect()
    request = play.say("a")
    play.progress(request, "x" * 10_000)
    play.end(request, "ok", "y" * 10_000)
    state, text = play.shows(request)
    assert state == "OK"
    assert len(text) <= 3_900
    assert text.endswith("…")


# -- crashes ----------------------------------------------------------------------------


def test_a_restarted_server_goes_on_with_its_tasks_and_cards():
    """hook RC-104"""
    play = Play()
    request = asked(play)
    play.say("/stop", thread="m1")
    play.crash()
    play.run(1)
    play.restart()
    play.press("A1", "yes")
    play.connect()
    play.ack(request)
    order = [type(b) for _, conn, b in play.received if conn == "D.slack#2"]
    assert order == [Welcome, TaskDispatch, InteractionDecision, TaskCancel]
    play.end(request, "ok", "done", wait=1)
    assert play.shows(request) == ("OK", "done")
    assert play.posts() == 1


def test_a_restarted_server_interrupts_what_never_comes_back():
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.crash()
    play.restart()
    play.run(16 * 60)
    assert play.shows(request)[0] == "INTERRUPTED"


def test_an_end_that_was_stored_is_shown_after_a_crash():
    play = Play()
    play.connect()
    request = play.say("a")
    play.channel("edit", "server_error")
    play.end(request, "ok", "done", wait=0.5)
    play.crash()
    play.run(1)
    play.restart(wait=40)
    assert play.shows(request) == ("OK", "done")
    edits = len(play.calls(EditMessage))
    play.crash()
    play.restart(wait=60)
    assert len(play.calls(EditMessage)) == edits


def test_every_frame_of_the_server_names_a_frame_id_once():
    play = Play()
    asked(play)
    ids = [e.frame.id for e in play.events(FrameSent) if e.sender == "S"]
    assert len(ids) == len(set(ids))
