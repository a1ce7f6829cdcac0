"""Arrows that a search of the question protocol misses are waited for together."""

from __future__ import annotations

import pytest

from sim.core.event import Acted
from sim.explore.schedule import Case, Schedule
from sim.explore.trial import Try, attempt
from sim.play import load, play
from sim.scenario.playing.play import Run
from tests.explore.cases import written_case

MINUTE_US = 60_000_000
QUIET = """sequenceDiagram
    participant OC as OpenCode
    participant H as hook
    participant P as store
    participant L as listener
    participant TG as Telegram
    actor U as Alice
    OC->>H: tool.execute.before (sessionID=S1, callID=C1)
    H->>P: setPending (uniqueId=K1)
    OC->>OC: question.asked (requestID=Q1)
    OC->>OC: completed (requestID=Q1)
    L->>OC: POST /question/{requestID}/reject (requestID=Q1)
    OC->>OC: completed (requestID=Q1)
"""
PRESS = "    U->>TG: press A\n"
NEVER = "    L->>OC: POST /question/{requestID}/reject (requestID=Q1)\n"


def searched(of: Case) -> Run:
    """The run with which a search begins."""
    runs: list[Run] = []
    attempt(of, Try(0, Schedule(of.seed)), watch=runs.append)
    return runs[0]


def test_a_search_waits_once_for_arrows_that_miss_together_and_two_minutes_at_the_end() -> None:
    of = written_case(QUIET)
    run = searched(of)
    assert len(run.director.findings.failures) == 3
    assert 3 * MINUTE_US < run.world.now < 4 * MINUTE_US
    more = written_case(QUIET + 7 * NEVER)
    assert searched(more).world.now == run.world.now
    assert play(more.scenario, driver="step").virtual_s > 10 * 60


def test_what_somebody_has_set_in_motion_is_waited_for_after_a_wait_in_vain() -> None:
    run = searched(written_case(QUIET + PRESS + NEVER.replace("reject", "reply")))
    assert len(run.director.findings.failures) == 3
    (asked, press) = (one for one in run.world.events if isinstance(one, Acted))
    assert press.at - asked.at > MINUTE_US


@pytest.mark.parametrize("name", ["double-tap", "race-poll-fails", "restart-between"])
def test_the_timed_run_of_a_search_is_the_run_that_is_played(name: str) -> None:
    scenario = load(name)
    assert searched(Case.of(scenario)).world.events == list(
        play(scenario, driver="step").trace.events
    )
