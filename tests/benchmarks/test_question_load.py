"""The load of the question protocol is one that goes the whole way."""

from __future__ import annotations

import pytest

from sim.core.event import CallIssued, Saved
from sim.drivers.step import StepDriver
from tests.benchmarks.question_load import QuestionLoad
from tests.benchmarks.search import schedules

GAP_US = 2_000_000


def played(sessions: int, questions: int, gap_us: int = GAP_US) -> QuestionLoad:
    load = QuestionLoad(sessions, questions, gap_us=gap_us)
    load.boot()
    StepDriver(load.world).run(load.over)
    return load


def test_a_small_load_of_a_question_bridge_is_complete_and_breaks_nothing() -> None:
    load = played(2, 2)
    assert load.over()
    assert load.monitor.violations == []
    judged = [one.name for one in load.monitor.invariants if one.exercised]
    assert len(judged) > len(load.monitor.invariants) // 2


@pytest.mark.parametrize(("gap_us", "open_at_once"), [(2 * GAP_US, 1), (1_000, 4)])
def test_the_gap_between_sessions_says_how_many_questions_are_open_at_a_time(
    gap_us: int, open_at_once: int
) -> None:
    saved = (one for one in played(4, 1, gap_us).world.events if isinstance(one, Saved))
    files = [str(one.value) for one in saved if one.key.endswith("pending.json")]
    assert max(text.count('"type"') for text in files) == open_at_once


def test_messages_are_requests_and_their_answers() -> None:
    load = played(1, 1)
    issued = sum(isinstance(one, CallIssued) for one in load.world.events)
    assert issued < load.messages <= 2 * issued


def test_the_search_that_is_measured_tries_what_it_may() -> None:
    assert schedules("double-tap", 3) == 3
