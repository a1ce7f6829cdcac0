"""Timers, pauses, waits with a limit, clocks that are wrong, lids that are closed."""

import pytest

from sim.core import op
from sim.core.errors import LocalProtocolError
from sim.core.event import TimerFired
from sim.drivers.step import StepDriver
from sim.drivers.trio_turnstile import TrioDriver
from sim.world import agenda, fault
from sim.world.host import START_MS, statistics
from tests.world.play import SECOND, Play, pair


def waking(**scripts):
    """A host D that logs (ms, kind, key) of its timers."""
    play = Play()
    fired = []

    async def on_timer(actor, kind, key):
        fired.append((actor.port.now_us() // 1000, kind, key))

    play.host("D", on_timer=on_timer, **scripts)
    return play, fired


def test_a_timer_fires_once_at_its_time():
    play, fired = waking()
    play.perform("D", op.StartTimer("retry", "m1", 5 * SECOND))
    play.run()
    assert fired == [(5000, "retry", "m1")]


def test_a_timer_started_again_forgets_its_first_time():
    play, fired = waking()
    play.perform("D", op.StartTimer("idle", "", 5 * SECOND))
    play.run(3_000)
    play.perform("D", op.StartTimer("idle", "", 5 * SECOND))
    play.run()
    assert fired == [(8000, "idle", "")]


def test_a_stopped_timer_never_fires():
    play, fired = waking()
    play.perform("D", op.StartTimer("idle", "", 5 * SECOND))
    play.perform("D", op.StopTimer("idle", ""))
    play.run()
    assert fired == []
    assert play.world.settled()


def test_stopping_an_unknown_timer_is_fine():
    play, _fired = waking()
    assert play.perform("D", op.StopTimer("never", "started")) == [None]


def test_timers_of_different_keys_are_independent():
    play, fired = waking()
    play.perform("D", op.StartTimer("retry", "b", 2 * SECOND))
    play.perform("D", op.StartTimer("retry", "a", 1 * SECOND))
    play.run()
    assert [key for _, _, key in fired] == ["a", "b"]


def test_timers_of_one_instant_fire_in_the_order_in_which_they_were_started():
    play, fired = waking()
    for key in "cab":
        play.perform("D", op.StartTimer("t", key, SECOND))
    play.run()
    assert [key for _, _, key in fired] == list("cab")


def test_a_crash_forgets_the_timers_and_a_restart_does_not_bring_them_back():
    play, fired = waking()
    play.perform("D", op.StartTimer("retry", "", SECOND))
    play.crash("D")
    play.restart("D")
    play.run()
    assert fired == []


def test_a_wrong_clock_shows_in_the_time_of_day_only():
    play, fired = waking()
    host = play.world.hosts["D"]
    play.perform("D", op.StartTimer("retry", "", 5 * SECOND))
    fault.skew(play.world, "D", -90 * SECOND)
    assert host.now_ms() == START_MS - 90_000
    assert host.now_us() == 0
    play.run()
    assert fired == [(5000, "retry", "")]
    assert host.now_ms() == START_MS - 85_000


def test_two_skews_of_a_clock_add_up():
    play, _ = waking()
    fault.skew(play.world, "D", 2_000)
    fault.skew(play.world, "D", 3_000)
    assert play.world.hosts["D"].now_ms() == START_MS + 5


def test_timers_of_a_sleeper_are_late_and_fire_when_it_wakes():
    play, fired = waking()
    play.perform("D", op.StartTimer("retry", "a", 2 * SECOND))
    play.perform("D", op.StartTimer("retry", "b", 9 * SECOND))
    play.sleep("D", 5_000)
    play.run()
    assert fired == [(5000, "retry", "a"), (9000, "retry", "b")]


def test_frames_to_a_sleeper_arrive_in_order_when_it_wakes():
    play, end = pair()
    play.sleep("S", 10_000)
    play.say(end, *"abcdef")
    play.run(9_999)
    assert play.heard("S") == []
    play.run()
    assert play.heard("S") == list("abcdef")


def test_a_frame_due_at_the_instant_of_waking_does_not_overtake_the_sleepers_queue():
    play = Play()
    play.steady(20, "D>S")
    play.host("S")
    play.host("D")
    end = play.connect("D", "S")
    play.say(end, "first")
    play.run(10)
    play.say(end, "second")
    play.sleep("S", 20)  # "second" is due exactly then
    play.run()
    assert play.heard("S") == ["first", "second"]


def test_a_close_waits_for_the_sleeper_too():
    play, end = pair()
    play.sleep("S", 10_000)
    play.perform("D", op.Close(end))
    play.run(9_999)
    assert end.other.is_open
    play.run()
    assert not end.other.is_open


def test_a_crash_ends_the_sleep_of_its_host():
    play, fired = waking()
    play.sleep("D", 100_000)
    play.crash("D")
    play.restart("D")
    play.perform("D", op.StartTimer("retry", "", SECOND))
    play.run()
    assert fired == [(1000, "retry", "")]


def test_a_pause_suspends_its_own_handler_only():
    play = Play()
    play.host("D")
    slept = play.perform("D", op.Sleep(3 * SECOND))
    assert play.names() == ["wake D told"]
    assert play.perform("D", op.Save("k", 1)) == [None]
    assert slept == []
    play.run()
    assert slept == [None]
    assert play.world.now == 3 * SECOND


def test_a_pause_of_a_sleeper_ends_when_it_wakes():
    play = Play()
    play.host("D")
    slept = play.perform("D", op.Sleep(SECOND))
    play.sleep("D", 4_000)
    play.run(3_999)
    assert slept == []
    play.run()
    assert slept == [None]


def test_a_pause_of_a_crashed_handler_is_no_choice_any_more():
    play = Play()
    play.host("D")
    play.perform("D", op.Sleep(SECOND))
    play.crash("D")
    assert play.names() == []
    assert play.world.settled()


def test_far_off_and_background_timers_do_not_keep_a_run_from_settling():
    play, _ = waking()
    play.perform("D", op.StartTimer("heartbeat", "", SECOND, background=True))
    play.perform("D", op.StartTimer("far", "", 60 * SECOND + 1))
    play.perform("D", op.Sleep(60 * SECOND + 1))
    assert play.world.settled()
    play.perform("D", op.StartTimer("near", "", 60 * SECOND))
    assert not play.world.settled()
    play.run(60_000)
    assert play.world.settled()


def test_a_handler_that_could_go_on_keeps_a_run_from_settling():
    play = Play()
    play.host("D")
    assert not play.world.settled()
    play.driver.drain()
    assert play.world.settled()


def test_a_timer_has_a_name_without_loose_ends():
    play, _ = waking()
    play.perform("D", op.StartTimer("idle", "", SECOND))
    play.perform("D", op.StartTimer("retry", "m1", SECOND))
    assert play.names() == ["fire D idle", "fire D retry m1"]


def test_statistics_show_what_a_host_is_doing():
    play, _end = pair()
    play.perform("D", op.StartTimer("retry", "m1", SECOND))
    play.perform("D", op.Sleep(SECOND))
    host = play.world.hosts["D"]
    assert statistics(host) == {
        "name": "D",
        "kind": "node",
        "up": True,
        "epoch": 1,
        "waiting": ["told"],
        "timers": ["retry m1"],
        "links": ["D.a#1"],
    }
    assert repr(host) == "<host D up epoch 1>"
    play.crash("D")
    assert repr(host) == "<host D down epoch 1>"
    assert statistics(host)["waiting"] == []


def test_time_limits_end_exactly_there():
    play, _fired = waking()
    play.perform("D", op.StartTimer("t", "", SECOND))
    play.run(250)
    assert play.world.now == 250_000
    play.run(750)
    assert [e.at for e in play.events(TimerFired)] == [SECOND]


def test_a_timer_that_is_started_over_and_over_leaves_no_litter():
    play, fired = waking()
    play.perform("D", op.StartTimer("other", "", 2 * SECOND))

    async def start_over(actor):
        for _ in range(5_000):
            await actor.perform(op.StartTimer("idle", "", SECOND))

    play.tell("D", start_over)
    assert len(play.world._heap) < 200
    play.run()
    assert fired == [(1000, "idle", ""), (2000, "other", "")]
    assert (play.world._heap, play.world._stale) == ([], 0)


@pytest.mark.parametrize("driver", [StepDriver, TrioDriver])
def test_a_host_that_repeats_itself_without_time_passing_is_stopped(monkeypatch, driver):
    monkeypatch.setattr(agenda, "MOST_AT_ONE_MOMENT", 500)
    play = Play()

    async def on_timer(actor, kind, key):
        await actor.perform(op.StartTimer("again", "", 0))

    play.host("D", on_timer=on_timer)
    play.perform("D", op.StartTimer("again", "", 0))
    with pytest.raises(LocalProtocolError, match=r"500 steps, and it is still 0 µs.*again"):
        driver(play.world).run(limit_us=SECOND)
    play.world.close()


def test_many_steps_at_many_moments_are_no_circle(monkeypatch):
    monkeypatch.setattr(agenda, "MOST_AT_ONE_MOMENT", 50)
    play, fired = waking()
    for n in range(200):
        play.perform("D", op.StartTimer("t", str(n), 1 + n))
    play.run()
    assert len(fired) == 200
