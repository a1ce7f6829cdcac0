"""The server twin on X: the one post is not spent on a rejection that may be crossed."""

import pytest

from sim.protocols.hook.server import Limits
from tests.protocols.hook.delivery_play import LanePlay
from tests.protocols.hook.server_play import MINUTE_US


def redelivered(crash=False, **facts):
    """D took a task, its ack was lost, and what was sent again has been rejected."""
    play = LanePlay(**facts)
    play.connect()
    request = play.say("a")
    play.cut()
    if crash:
        play.crash()
        play.restart()
    play.connect()
    play.ack(request, "rejected", reason="invalid")
    return play, request


@pytest.mark.parametrize("crash", [False, True])
def test_an_end_that_crosses_a_rejection_has_the_one_post(crash):
    """hook RC-36"""
    play, request = redelivered(crash)
    play.run(60)
    assert play.posted() == []
    play.ack(request)
    play.end(request, "ok", "done", wait=2)
    assert play.shows(request) == ("OK", "done")
    assert len(play.posted()) == 1


def test_an_end_without_another_ack_has_it_too():
    """hook RC-36"""
    play, request = redelivered()
    play.end(request, "ok", "done", wait=2)
    assert play.shows(request) == ("OK", "done")
    play.run(20 * 60)
    assert len(play.posted()) == 1


def test_a_rejection_that_nothing_crosses_is_posted_in_the_end():
    play, request = redelivered(limits=Limits(absent_us=2 * MINUTE_US))
    play.run(100)
    assert play.posted() == []
    play.run(30)
    assert play.shows(request)[0] == "REJECTED"


def test_a_rejection_that_waits_is_posted_after_a_crash():
    play, request = redelivered(limits=Limits(absent_us=2 * MINUTE_US))
    play.crash()
    play.restart(wait=100)
    assert play.posted() == []
    play.run(30)
    assert play.shows(request)[0] == "REJECTED"


def test_the_only_answer_to_the_only_dispatch_is_posted_at_once():
    play = LanePlay()
    play.connect()
    request = play.say("a")
    play.ack(request, "rejected", reason="invalid")
    play.run(1)
    assert play.shows(request)[0] == "REJECTED"


def test_where_messages_can_be_edited_no_rejection_waits():
    play, request = redelivered(lane="slack")
    play.run(1)
    assert play.shows(request)[0] == "REJECTED"
