"""What the server makes of events that are repeated, and of commands: a story for each guard."""

from __future__ import annotations

import pytest

from sim.protocols.hook import Session, SessionArchive, TaskCancel, TaskDispatch
from tests.protocols.hook.accounts_play import GROUP, AccountsPlay
from tests.protocols.hook.server_play import Play

HOUR = 3_600
FORGETFUL = ("dedupe_outlives_repeats",)


@pytest.mark.parametrize(
    ("off", "after", "tasks"), [((), 5, 1), ((), 20, 1), (FORGETFUL, 5, 1), (FORGETFUL, 20, 2)]
)
def test_an_event_that_comes_again_is_known_for_as_long_as_the_rule_says(
    off: tuple[str, ...], after: float, tasks: int
) -> None:
    """hook RC-105"""
    play = Play(off=off)
    play.connect()
    play.channel("event", "repeated", after)
    play.say("go")
    play.run(after + 5)
    assert len({task.request_id for task in play.got(TaskDispatch)}) == tasks


def test_a_session_is_taken_over_once_even_if_the_server_dies_in_between() -> None:
    """HK-14"""
    play = AccountsPlay(bound=True)
    play.join("telegram")
    play.types("/session", channel="TG")
    session = Session(id="s-9", title="build", workspace="web", last_active_at=1)
    play.answer(sessions=(session,))
    play.presses("build")
    play.types("one", channel="TG")
    play.ack(play.dispatched()[-1].request_id)
    play.restart_server()
    play.join("telegram")
    play.types("two", channel="TG")
    taken = {task.prompt: task.session_id for task in play.dispatched()}
    assert taken == {"one": "s-9", "two": None}


def test_in_a_group_new_is_no_command() -> None:
    play = AccountsPlay(bound=True)
    play.join("telegram")
    for text in ("@bot one", "/new", "@bot two"):
        play.types(text, channel="TG", chat=GROUP)
    assert not play.got(SessionArchive)
    assert len({task.external_key for task in play.dispatched()}) == 1


def test_stop_stops_what_runs_and_not_what_came_first() -> None:
    """HK-65"""
    play = Play()
    play.connect()
    first = play.say("one", thread="t1")
    second = play.say("two", thread="t1")
    play.ack(first, "queued", position=1)
    play.ack(second)
    play.say("/stop", thread="t1")
    assert [frame.request_id for frame in play.got(TaskCancel)] == [second]
    play.end(second, "cancelled")
    play.say("/stop", thread="t1")
    assert [frame.request_id for frame in play.got(TaskCancel)] == [second, first]


def test_a_task_that_ended_a_second_time_is_kept_for_a_day_from_then() -> None:
    play = Play()
    play.connect()
    request = play.say("go")
    play.ack(request)
    play.cut()
    play.run(30 * 60)
    assert play.shows(request)[0] == "INTERRUPTED"
    play.run(HOUR)
    play.connect()
    play.end(request, "ok", "done", wait=3)
    assert play.shows(request) == ("OK", "done")
    store = play.world.hosts["S"].store
    play.run(23.9 * HOUR)
    assert store.get(f"request/{request}") is not None
    play.run(4 * HOUR)
    assert store.get(f"request/{request}") is None
