"""turn.delivery on the server twin: receipts, retries, replays, crashes (HK-70 ... HK-84)."""

import random

import pytest

from sim.channel.faults import REFUSALS
from sim.core.event import CallAnswered, CallIssued, FrameSent, Saved
from sim.core.fence import fenced
from sim.protocols.hook import InteractionDecision, TaskDispatch, TurnDelivery, Welcome
from sim.protocols.hook.server import Limits
from tests.protocols.hook.delivery_play import DELIVERY, LanePlay

TERMINAL = ("delivered", "failed")


def in_order(told: list[tuple[str, int]]) -> bool:
    """No state behind a terminal one but itself, and attempts never fall (HK-80, HK-83)."""
    states = [state for state, _ in told]
    over = next((i for i, state in enumerate(states) if state in TERMINAL), len(states))
    rest = set(states[over:])
    attempts = [attempt for _, attempt in told]
    return len(rest) <= 1 and attempts == sorted(attempts)


# -- who is told -----------------------------------------------------------------------


def test_the_feature_is_offered_only_to_a_hello_that_asked():
    """hook RC-50, HK-70, HK-71"""
    play = LanePlay("slack", wants=())
    request = play.task()
    play.end(request, "ok", "done")
    assert DELIVERY not in play.got(Welcome)[0].features
    assert play.told(request) == []
    play.hello(features=(DELIVERY,))
    assert DELIVERY in play.got(Welcome)[1].features


def test_without_that_rule_everybody_is_told():
    play = LanePlay("slack", wants=(), off=("delivery_where_asked",))
    request = play.task()
    play.end(request, "ok", "done")
    assert DELIVERY in play.got(Welcome)[0].features
    assert play.states(request) == ["accepted", "delivered"]


def test_a_feature_that_the_next_hello_withdraws_is_gone_and_the_end_stays_one():
    """hook RC-51"""
    play = LanePlay()
    request = play.task()
    play.end(request, "ok", "done")
    play.hello(features=())
    before = play.told(request)
    play.end(request, "ok", "done")
    play.end(request, "ok", "done")
    assert play.told(request) == before
    assert len(play.posted()) == 1


def test_a_server_without_the_feature_publishes_and_says_nothing():
    """HK-70"""
    play = LanePlay(features=("turn-reopen-v1",))
    request = play.task()
    play.end(request, "ok", "done")
    assert play.told(request) == []
    assert play.shows(request) == ("OK", "done")


# -- the ordinary course ------------------------------------------------------------------


@pytest.mark.parametrize("lane", ["x", "telegram", "slack"])
def test_an_end_is_accepted_then_delivered(lane):
    """HK-73, HK-78, HK-79, HK-83"""
    play = LanePlay(lane)
    request = play.task()
    play.channel("*", "latency", 3)
    play.end(request, "ok", "done", wait=1)
    assert play.told(request) == [("accepted", 0)]
    play.run(10)
    assert play.told(request) == [("accepted", 0), ("delivered", 1)]
    assert all(f.error is None and f.retry_at is None for f in play.got(TurnDelivery))
    assert [m.text for m in play.answers(request)] == ["done"]


def test_the_result_is_stored_before_it_is_accepted():
    """hook RC-48, HK-73"""
    play = LanePlay()
    request = play.task()
    play.end(request, "ok", "done")
    stored = next(
        e.n for e in play.events(Saved) if e.key == f"request/{request}" and e.value.final
    )
    sent = next(e.n for e in play.events(FrameSent) if e.frame.type == "turn.delivery")
    assert stored < sent


@pytest.mark.parametrize("lane", ["x", "telegram", "slack"])
@pytest.mark.parametrize("kind", [Saved, FrameSent, CallIssued, CallAnswered])
@pytest.mark.parametrize("nth", range(1, 6))
def test_what_was_accepted_is_published_once_wherever_the_server_crashes(lane, kind, nth):
    """hook RC-48, RC-101, HK-73, HK-74, HK-82"""
    play = LanePlay(lane)
    request = play.task()
    play.crash_behind(kind, nth)
    play.end(request, "ok", "done", wait=10)
    accepted = "accepted" in play.states(request)
    if accepted:
        play.run(600)  # without the desktop
        # Telegram cannot tell what it has: there an edit of the progress message may double it.
        texts = [m.text for m in play.answers(request)]
        assert texts == ["done"] or (lane == "telegram" and texts == ["done"] * 2)
    if not play.puppet().conns[-1].is_open:
        play.connect()
    play.end(request, "ok", "done", wait=600)
    assert [m.text for m in play.answers(request)][:1] == ["done"]
    if lane != "telegram":
        assert len(play.answers(request)) == 1
    assert play.states(request)[-1] == "delivered"
    assert in_order(play.told(request))


@pytest.mark.parametrize("off", [(), ("durable_acceptance",)])
def test_only_a_durable_acceptance_survives_a_crash_right_behind_it(off):
    """hook RC-48"""
    play = LanePlay(off=off, preempt=True)
    request = play.task()
    play.end(request, "ok", "done", wait=0)
    world = play.world
    with fenced():
        while not any(e.frame.type == "turn.delivery" for e in play.events(FrameSent)):
            if world.ready:
                world.advance(*world.ready.popleft())
            else:
                world.fire_next(None)
    play.crash()
    play.restart(wait=1200)
    assert play.states(request) == ["accepted"]
    assert bool(play.answers(request)) != bool(off)


def test_without_that_rule_it_is_delivered_before_the_channel_has_it():
    play = LanePlay(off=("delivered_after_publish",))
    request = play.task()
    play.channel("*", "down", 600)
    play.end(request, "ok", "done")
    assert play.states(request) == ["accepted", "delivered"]
    assert play.answers(request) == []


# -- trouble ------------------------------------------------------------------------------


def test_a_failure_is_told_with_the_time_of_the_next_try():
    """hook RC-49, HK-77, HK-78"""
    play = LanePlay()
    request = play.task()
    play.channel("post", "server_error")
    play.end(request, "ok", "done", wait=10)
    assert play.told(request) == [("accepted", 0), ("retrying", 1), ("delivered", 2)]
    trouble = play.got(TurnDelivery)[1]
    assert trouble.error.retryable
    assert trouble.error.code == "server_error"
    tries = [e.at for e in play.events(CallIssued) if e.caller == "S" and e.callee == "IM"]
    port = play.world.hosts["S"].actor.port
    start_ms = port.now_ms() - port.now_us() // 1000
    assert abs(trouble.retry_at - start_ms - tries[-1] / 1000) < 50


def test_retrying_needs_no_desktop():
    """HK-74"""
    play = LanePlay()
    request = play.task()
    play.channel("*", "down", 120)
    play.end(request, "ok", "done")
    play.cut(wait=300)
    assert play.shows(request) == ("OK", "done")
    play.connect()
    assert play.states(request)[-1] == "retrying"
    play.end(request, "ok", "done")
    assert play.states(request)[-1] == "delivered"
    assert in_order(play.told(request))


def test_retries_go_on_when_promised_also_after_a_restart():
    """HK-74, HK-77, HK-83, RC-49"""
    play = LanePlay()
    request = play.task()
    play.channel("*", "down", 45)
    play.end(request, "ok", "done", wait=20)
    play.crash()
    play.restart(wait=2)
    play.connect()
    play.run(120)
    play.end(request, "ok", "done")
    assert play.states(request)[-1] == "delivered"
    assert in_order(play.told(request))
    assert len(play.answers(request)) == 1


def test_an_exhausted_quota_fails_for_good():
    """hook RC-101, HK-78, HK-80"""
    play = LanePlay(quota=0)
    request = play.task()
    play.end(request, "ok", "done", wait=100)
    assert play.told(request) == [("accepted", 0), ("failed", 1)]
    last = play.got(TurnDelivery)[-1]
    assert (last.retry_at, last.error.code, last.error.retryable) == (None, "quota_exceeded", False)
    tries = len(play.posted())
    play.end(request, "ok", "done", wait=3600)
    play.crash()
    play.restart(wait=600)
    assert len(play.posted()) == tries == 1
    play.connect()
    play.end(request, "ok", "done")
    assert play.states(request)[-1] == "failed"


def test_what_never_works_is_given_up():
    """hook RC-49, HK-78"""
    play = LanePlay(limits=Limits(publish_us=600 * 1_000_000))
    request = play.task()
    play.channel("post", "server_error", always=True)
    play.end(request, "ok", "done", wait=1800)
    assert play.states(request)[-1] == "failed"
    tries = len(play.posted())
    play.run(3600)
    assert len(play.posted()) == tries
    assert in_order(play.told(request))


@pytest.mark.parametrize("off", [(), ("safe_delivery_error",)])
def test_a_channels_own_words_stay_with_the_server(off, monkeypatch):
    """HK-81"""
    monkeypatch.setitem(REFUSALS, "server_error", "xoxb-1 fix it")
    play = LanePlay(off=off)
    request = play.task()
    play.channel("post", "server_error")
    play.end(request, "ok", "done", wait=10)
    error = play.got(TurnDelivery)[1].error
    assert ("xoxb-1" in f"{error.code} {error.message}") == bool(off)
    assert error.code == "channel_error" or off
    assert play.states(request)[-1] == "delivered"


# -- replays ------------------------------------------------------------------------------


@pytest.mark.parametrize("lane", ["x", "telegram", "slack"])
def test_a_repeated_end_is_answered_with_the_latest_state_and_published_once(lane):
    """hook RC-46, HK-76"""
    play = LanePlay(lane)
    request = play.task()
    play.end(request, "ok", "done")
    for after in (10, 20, 40):
        play.run(after)
        play.end(request, "ok", "done")
    assert play.states(request)[0] == "accepted"
    assert play.told(request)[-3:] == [("delivered", 1)] * 3
    assert len(play.answers(request)) == 1
    assert in_order(play.told(request))


@pytest.mark.parametrize("lane", ["x", "telegram"])
def test_a_repetition_during_the_publication_starts_no_second_one(lane):
    """hook RC-47"""
    play = LanePlay(lane)
    request = play.task()
    play.channel("post", "latency", 12)
    play.end(request, "ok", "done", wait=10)
    play.end(request, "ok", "done", wait=60)
    assert play.told(request) == [("accepted", 0), ("accepted", 0), ("delivered", 1)]
    assert len(play.answers(request)) == 1


def test_without_publish_once_a_repetition_is_a_second_post():
    play = LanePlay(off=("publish_once",))
    request = play.task()
    play.end(request, "ok", "done")
    play.end(request, "ok", "done, again", wait=5)
    assert len(play.answers(request)) == 2


def test_a_receipt_outlives_reconnects_and_restarts_for_a_day_and_no_longer():
    """HK-82"""
    play = LanePlay()
    request = play.task()
    play.end(request, "ok", "done", wait=0.02)
    play.cut(wait=30)
    play.crash()
    play.restart()
    play.connect()
    play.end(request, "ok", "done")
    assert play.told(request)[-1] == ("delivered", 1)
    play.run(26 * 3600)
    told = play.told(request)
    play.connect()
    play.end(request, "ok", "done")
    assert play.told(request) == told
    assert len(play.posted()) == 1


def test_without_receipts_a_desktop_that_was_away_never_learns_it():
    play = LanePlay(off=("delivery_receipts",))
    request = play.task()
    play.channel("post", "latency", 5)
    play.end(request, "ok", "done")
    play.cut(wait=30)
    play.connect()
    play.end(request, "ok", "done")
    assert "delivered" not in play.states(request)


def test_a_desktop_that_learns_the_feature_later_gets_the_state_for_its_repetition():
    play = LanePlay(wants=())
    request = play.task()
    play.end(request, "ok", "done")
    play.hello(features=(DELIVERY,))
    play.end(request, "ok", "done")
    assert play.told(request) == [("delivered", 1)]


def test_another_desktops_repetition_is_not_answered():
    play = LanePlay()
    play.connect("D2")
    request = play.task()
    play.end(request, "ok", "done")
    play.end(request, "ok", "done", who="D2")
    assert play.told(request, "D2") == []


# -- rounds -------------------------------------------------------------------------------


@pytest.mark.parametrize("off", [(), ("no_receipt_for_rounds",)])
def test_rounds_have_no_receipts(off):
    """hook RC-53, HK-84"""
    play = LanePlay("telegram", off=off)
    request = play.task()
    play.end(request, "error", "e1")
    play.reopen("K1", request)
    play.end("K1", "ok", "done")
    play.end("K1", "ok", "done")
    assert bool(play.told("K1")) == bool(off)
    assert play.shows(request) == ("OK", "done")


def test_a_result_that_a_continuation_overtook_has_failed():
    """HK-80"""
    play = LanePlay("telegram")
    request = play.task()
    play.channel("*", "down", 30)
    play.end(request, "error", "e1")
    play.reopen("K1", request)
    play.end("K1", "ok", "done", wait=200)
    assert play.states(request)[-1] == "failed"
    assert play.got(TurnDelivery)[-1].error.code == "superseded"
    play.end(request, "error", "e1")
    assert play.states(request)[-1] == "failed"
    assert play.shows(request) == ("OK", "done")


def test_an_end_behind_its_reopen_gets_a_final_answer():
    """hook RC-19"""
    play = LanePlay("telegram")
    request = play.task()
    play.reopen("K1", request)
    play.end(request, "error", "e1")
    assert play.states(request) == ["failed"]
    assert play.shows(request)[0] == "WORKING"


# -- accounts -----------------------------------------------------------------------------


def test_another_account_on_the_same_device_touches_nothing():
    """hook RC-44"""
    play = LanePlay("slack")
    play.account = "X"
    request = play.task()
    play.cut()
    play.account = "Y"
    play.connect()
    assert len(play.got(TaskDispatch)) == 1
    play.progress(request, "theirs")
    play.end(request, "ok", "theirs")
    assert play.shows(request)[0] == "WORKING"
    play.run(16 * 60)
    assert play.shows(request)[0] == "INTERRUPTED"
    play.reopen("K1", request)
    assert play.shows(request)[0] == "INTERRUPTED"
    play.cut()
    play.account = "X"
    play.connect()
    play.end(request, "ok", "mine")
    assert play.shows(request) == ("OK", "mine")
    assert play.posts() == 1
    assert not play.got(InteractionDecision)


def test_the_account_is_remembered_through_a_restart():
    """hook RC-44"""
    play = LanePlay("slack")
    play.account = "X"
    request = play.task()
    play.crash()
    play.account = "Y"
    play.restart()
    play.connect()
    assert [d.request_id for d in play.got(TaskDispatch)] == [request]
    play.account = "X"
    play.cut()
    play.connect()
    assert [d.request_id for d in play.got(TaskDispatch)] == [request] * 2


def test_without_the_boundary_the_next_account_gets_the_work():
    play = LanePlay("slack", off=("account_boundary",))
    play.account = "X"
    request = play.task()
    play.cut()
    play.account = "Y"
    play.connect()
    assert [d.request_id for d in play.got(TaskDispatch)] == [request] * 2


# -- many schedules -----------------------------------------------------------------------


@pytest.mark.parametrize("lane", ["x", "telegram", "slack"])
@pytest.mark.parametrize("seed", range(25))
def test_in_any_weather_states_stay_in_order_and_the_answer_stands_once(lane, seed):
    """hook RC-46, RC-47, RC-49, RC-100, RC-101"""
    draw = random.Random(seed)
    play = LanePlay(lane, seed=seed, preempt=seed % 2 == 0)
    request = play.task()
    play.end(request, "ok", "done", wait=draw.random())
    for _ in range(12):
        roll = draw.randrange(7)
        if roll == 0:
            play.channel("post", draw.choice(["server_error", "unknown", "rate_limited"]), 2)
        elif roll == 1:
            play.channel("edit", draw.choice(["server_error", "unknown", "rate_limited"]), 2)
        elif roll == 2:
            play.channel("*", draw.choice(["down", "latency"]), draw.randrange(1, 9))
        elif roll == 3 and play.puppet().conns[-1].is_open:
            play.cut(wait=draw.random())
        elif roll == 4:
            play.crash()
            play.restart(wait=draw.random())
        elif play.puppet().conns[-1].is_open:
            play.end(request, "ok", "done", wait=draw.random())
        else:
            play.connect()
        play.run(draw.randrange(8))
    play.channel("*", "ok")
    play.run(900)
    if not play.puppet().conns[-1].is_open:
        play.connect()
    play.end(request, "ok", "done", wait=900)
    assert in_order(play.told(request))
    assert play.states(request)[-1] == "delivered"
    answers = play.answers(request)
    assert {m.text for m in answers} == {"done"}
    assert len(answers) == 1 or lane == "telegram"


@pytest.mark.parametrize("lane", ["slack", "telegram", "x"])
def test_an_answer_that_is_the_first_post_is_in_doubt_through_a_crash(lane: str) -> None:
    """The placeholder was refused, the answer's own outcome is unknown: it is not posted again."""
    play = LanePlay(lane)
    play.connect()
    play.channel("post", "rate_limited", 3)
    request = play.say("fix it")
    play.ack(request)
    play.channel("post", "unknown")
    play.end(request, "ok", "done", wait=0.2)
    play.run(4)
    play.crash()
    play.restart(wait=400)
    assert len(play.answers(request)) == 1


@pytest.mark.parametrize("lane", ["slack", "telegram", "x"])
def test_an_answer_that_was_refused_before_a_crash_is_posted_after_it(lane: str) -> None:
    """A refusal is no doubt, not even for a server that comes back."""
    play = LanePlay(lane)
    play.connect()
    play.channel("post", "server_error", always=True)
    request = play.say("fix it")
    play.ack(request)
    play.end(request, "ok", "done", wait=4)
    play.crash()
    play.channel("post", "ok")
    play.restart(wait=400)
    assert len(play.answers(request)) == 1
