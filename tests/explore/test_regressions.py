"""Fifty stored failures: they fail today, and nearly all of them after an unrelated change.

Each file of ``tests/data/regressions`` is what ``hooktwin explore NAME --without RULE
--save tests/data/regressions`` writes: a shipped scenario, a rule that is off, and the
named choices that break an invariant. Some are as the search found them, before they
were shrunk: the more choices, the more that could miss its place.

One that passes because the twins were mended has done its duty: store another in its place.
One that passes because its names no longer fit is a defect of the names.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.core.event import FrameSent, TimerFired
from sim.explore.schedule import Case, Schedule
from sim.explore.store import read_stored
from sim.explore.trial import judged, still_fails
from sim.play import play
from tests.architecture.source import ROOT
from tests.explore.newer_code import StatusReport, change_the_twins

FOLDER = ROOT / "tests" / "data" / "regressions"
STORED = sorted(FOLDER.glob("*.json"))
ENOUGH = 0.8
NEW = StatusReport.TYPE


def test_there_are_fifty_of_many_scenarios_and_rules() -> None:
    stored = [read_stored(path) for path in STORED]
    assert len(stored) == 50
    assert len({case.scenario.name for case, _, _ in stored}) >= 20
    assert len({rule for case, _, _ in stored for rule in case.without}) >= 12
    assert len({invariant for _, _, invariant in stored}) >= 12
    assert sum(len(schedule.steps) >= 10 for _, schedule, _ in stored) >= 10


def test_each_needs_its_choices_and_its_rule_off() -> None:
    for path in STORED:
        case, schedule, invariant = read_stored(path)
        assert schedule.steps, path.name
        bare = Schedule(schedule.seed, (), schedule.dropped, schedule.flat)
        assert still_fails(case, bare, invariant) is None, path.name
        assert not judged(Case(case.scenario), schedule).failed, path.name


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_a_stored_failure_still_fails(path: Path) -> None:
    assert still_fails(*read_stored(path)), f"hooktwin replay {path.relative_to(ROOT)}"


@pytest.mark.parametrize("name", ["typical", "cut-redelivers", "server-crash", "ask-and-press"])
def test_the_changed_twins_say_and_do_more_and_break_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = play(name, driver="step")
    change_the_twins(monkeypatch)
    after = play(name, driver="step")
    assert after.violations == ()
    assert after.digest != before.digest
    events = after.trace.events
    kinds = dict(after.trace.header.hosts)
    told = {kinds[e.sender] for e in events if isinstance(e, FrameSent) and e.frame.type == NEW}
    assert told == {"server", "desktop"}
    assert any(isinstance(event, TimerFired) and event.timer == "tidy" for event in events)
    assert not any(getattr(event, "what", "") == "bad-frame" for event in events)


def test_most_stored_failures_survive_another_message_type_and_another_timer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stored = {path.stem: read_stored(path) for path in STORED}
    change_the_twins(monkeypatch)
    lost = [name for name, one in stored.items() if still_fails(*one) is None]
    assert len(lost) <= (1 - ENOUGH) * len(stored), lost
