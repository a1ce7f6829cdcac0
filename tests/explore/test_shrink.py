"""Shrinking ends in a local minimum; tokens and files lead back to it."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from sim.core.errors import UsageError
from sim.explore.droppable import parts_of
from sim.explore.finding import Finding, examine
from sim.explore.replaying import resolve
from sim.explore.schedule import Case, Schedule
from sim.explore.shrink import shrink
from sim.explore.store import read_stored, save
from sim.explore.token import LONGEST, split_token, token_of
from sim.explore.trial import judged
from sim.explore.written import written
from sim.play import load, play
from tests.explore.cases import EVERY_FAULT, case, searched, walked

RACE = ("reopen-teardown", "ownership-at-write")


@pytest.fixture(scope="module")
def race() -> tuple[Case, Finding]:
    """The classic, found and examined once."""
    of = case(*RACE, faults="cut:1")
    (outcome,) = searched(of, "portfolio", 200).found.values()
    return of, examine(of, outcome)


def _smaller(of: Case, schedule: Schedule) -> list[Schedule]:
    """The schedule with any one thing less."""
    found = [
        attrs.evolve(schedule, steps=(*schedule.steps[:n], *schedule.steps[n + 1 :]))
        for n in range(len(schedule.steps))
    ]
    for line in parts_of(of.scenario).lines:
        if line not in schedule.dropped:
            found.append(attrs.evolve(schedule, dropped=schedule.dropped | {line}))
    return found


def test_removing_any_one_thing_of_a_shrunk_failure_makes_it_pass(
    race: tuple[Case, Finding],
) -> None:
    of, finding = race
    assert judged(of, finding.schedule).violations[0].invariant == finding.invariant
    for smaller in _smaller(of, finding.schedule):
        broken = [one.invariant for one in judged(of, smaller).violations[:1]]
        assert broken != [finding.invariant], smaller


def test_a_wild_failing_walk_shrinks_to_the_same_few_things() -> None:
    of = case(*RACE, faults=EVERY_FAULT)
    failing = [o for d in range(40) if (o := walked(of, "uniform", d)).failed]
    assert failing
    for outcome in failing[:5]:
        small = shrink(of, outcome).best.schedule
        assert len(small.steps) <= 2, small
        assert small.flat


def test_shrinking_takes_few_replays(race: tuple[Case, Finding]) -> None:
    assert race[1].replays <= 150


def test_the_chain_of_causes_ends_at_the_broken_step(race: tuple[Case, Finding]) -> None:
    finding = race[1]
    assert finding.chain[-1] == finding.step
    assert list(finding.chain) == sorted(finding.chain)
    assert len(finding.chain) > 3


def test_a_sentence_says_what_would_have_passed(race: tuple[Case, Finding]) -> None:
    assert race[1].sentence.startswith("passes if ")


def test_a_token_is_short_and_leads_back(race: tuple[Case, Finding]) -> None:
    of, finding = race
    assert finding.token is not None
    assert len(finding.token) <= LONGEST
    again, schedule = resolve(finding.token)
    assert schedule == finding.schedule
    assert (again.scenario, again.without) == (of.scenario, of.without)


@pytest.mark.parametrize("walk", ["uniform", "pct", "timings"])
def test_steps_come_back_from_a_token_by_name(walk: str) -> None:
    of = case("typical", faults=EVERY_FAULT)
    kept = 0
    for draws in range(30):
        schedule = walked(of, walk, draws).schedule
        short = attrs.evolve(schedule, steps=schedule.steps[:4])
        if not judged(of, short).violations and (token := token_of(of, short)) is not None:
            assert resolve(token)[1] == short
            kept += 1
    assert kept > 5


@pytest.mark.parametrize(
    "token",
    ["", "nonsense", "a/b", "reopen-teardown/", "no-such/rule/AwF_F3yQ",
     "reopen-teardown/no-such-rule/AwF_F3yQ", "reopen-teardown/ownership-at-write/AwF_F3y",
     "reopen-teardown/ownership-at-write/AAAA", "reopen-teardown/ownership-at-write/§§§§",
     "missing.json"],
)  # fmt: skip
def test_a_damaged_token_is_an_error_that_says_so(token: str) -> None:
    with pytest.raises(UsageError):
        resolve(token)


def test_a_token_names_scenario_and_rules(race: tuple[Case, Finding]) -> None:
    assert race[1].token is not None
    name, rules, _ = split_token(race[1].token)
    assert (name, *rules) == RACE


@pytest.mark.parametrize("driver", ["step", "trio"])
def test_a_failing_schedule_written_as_a_scenario_fails_again(
    driver: str, race: tuple[Case, Finding], tmp_path: Path
) -> None:
    of, finding = race
    file = tmp_path / "again.mmd"
    file.write_text(written(of, finding.schedule, "found"))
    result = play(load(file), driver=driver)
    assert not result.ok
    assert [one.invariant for one in result.violations] == [finding.invariant]


def test_an_unshrunk_walk_written_as_a_scenario_fails_again(tmp_path: Path) -> None:
    of = case(*RACE, faults=EVERY_FAULT)
    outcome = next(o for d in range(60) if (o := walked(of, "uniform", d)).failed)
    assert outcome.schedule.steps
    file = tmp_path / "again.mmd"
    file.write_text(written(of, outcome.schedule, "found"))
    broken = [one.invariant for one in play(load(file), driver="step").violations]
    assert outcome.violations[0].invariant in broken


def test_a_stored_finding_is_read_back_whole(race: tuple[Case, Finding], tmp_path: Path) -> None:
    of, finding = race
    stored, scenario = save(tmp_path / "new" / "folder", of, finding)
    again, schedule, invariant = read_stored(stored)
    assert (schedule, invariant) == (finding.schedule, finding.invariant)
    assert judged(again, schedule).violations[0].invariant == invariant
    assert not play(load(scenario), driver="step").ok


@pytest.mark.parametrize("text", ["", "{", "[]", '{"kind":"hooktwin finding"}', "\udcff"])
def test_a_damaged_file_of_choices_is_an_error_that_names_it(text: str, tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError, match=r"broken\.json"):
        read_stored(file)


def test_a_folder_that_cannot_be_written_is_an_error(
    race: tuple[Case, Finding], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="another folder"):
        save(tmp_path / "file" / "folder", *race)
