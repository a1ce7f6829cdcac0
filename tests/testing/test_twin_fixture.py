"""The fixture ``twin``: play, explore, replay."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.core.errors import ScenarioError, UsageError
from sim.explore.finding import examine
from sim.explore.schedule import Case, Schedule
from sim.explore.store import save
from sim.explore.trial import judged
from sim.play import load
from sim.testing import Twin
from tests.testing import diagrams
from tests.testing.conftest import Run

RULE = "ownership-at-write"


@pytest.fixture
def twin(tmp_path: Path) -> Twin:
    (tmp_path / "good.mmd").write_text(diagrams.HOLDS, encoding="utf-8")
    (tmp_path / "race.mmd").write_text(diagrams.with_a_race(), encoding="utf-8")
    return Twin(tmp_path)


def test_a_scenario_is_played_by_name_by_path_beside_the_test_or_parsed(twin: Twin) -> None:
    for scenario in ("typical", "good.mmd", Path("good.mmd"), load("typical")):
        result = twin.play(scenario)
        assert result.ok, result


def test_playing_takes_seed_rules_and_driver(twin: Twin) -> None:
    result = twin.play("reopen-teardown", without=RULE, seed=1, driver="step")
    header = result.trace.header
    assert (header.seed, header.driver, header.without) == (1, "step", (RULE,))
    assert not result.ok
    assert twin.failures[0][1] is result


def test_a_search_without_findings_says_how_much_it_tried(twin: Twin) -> None:
    search = twin.explore("typical", faults="cut:1", max_schedules=30)
    assert search.schedules == 30
    assert not search.complete


def test_a_bounded_search_is_complete_when_all_has_been_tried(twin: Twin) -> None:
    search = twin.explore("heartbeat", strategy="exhaustive", deviations=0, max_schedules=1000)
    assert search.complete
    assert search.schedules < 1000


def test_a_finding_fails_the_test_and_its_token_fails_again(twin: Twin) -> None:
    with pytest.raises(AssertionError) as caught:
        twin.explore("reopen-teardown", without=RULE, max_schedules=50)
    told = str(caught.value)
    assert "reopen-teardown: close-out-respects-owner broken at step" in told
    token = re.search(r"hooktwin replay (\S+)", told)
    assert token
    replay = twin.replay(token[1])
    assert not replay.ok
    assert str(replay).startswith("reopen-teardown still breaks close-out-respects-owner at step")
    for form in (str(replay), repr(replay)):
        assert " close-out-respects-owner at step " in form
        assert replay.violations[0].text in form
        assert "choices" in form
        assert f"reproduce with: hooktwin replay {token[1]}" in form


def test_choices_are_told_in_words_and_never_as_raw_names(twin: Twin) -> None:
    with pytest.raises(AssertionError) as caught:
        twin.explore("typical", without="end-replay", faults="cut:1", max_schedules=200)
    told = str(caught.value)
    assert re.search(r"^    1\. after .*: the cut of D\.slack#1", told, re.MULTILINE)
    token = re.search(r"hooktwin replay (\S+)", told)
    assert token
    replay = twin.replay(token[1])
    for form in (told, str(replay), repr(replay)):
        assert "the cut of D.slack#1" in form
        assert "deliver " not in form


def test_what_was_found_without_a_rule_is_replayed_with_all_rules_on(
    twin: Twin, tmp_path: Path
) -> None:
    case = Case.of(load("reopen-teardown"), without=[RULE])
    path, _ = save(tmp_path, case, examine(case, judged(case, Schedule(1))))
    own = Case.of(load(tmp_path / "race.mmd"))  # here the diagram itself says @rule -…
    stored, _ = save(tmp_path, own, examine(own, judged(own, Schedule(1))))
    token = examine(case, judged(case, Schedule(1))).token
    assert token
    assert not twin.replay(path).ok
    for one in (path, token, stored):
        replay = twin.replay(one, all_rules=True)
        assert replay.ok
        assert replay.case.without == frozenset()
        assert "--all-rules" in replay.command


def test_the_token_of_an_own_file_names_it_from_where_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("flows", "tests"):
        (tmp_path / folder).mkdir()
    text = load("reopen-teardown").source_text + "%% our own\n"
    (tmp_path / "flows" / "x.mmd").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError) as caught:
        Twin(tmp_path / "tests").explore("../flows/x.mmd", without=RULE, max_schedules=50)
    token = re.search(r"hooktwin replay (\S+)", str(caught.value))
    assert token
    assert token[1].startswith(f"flows/x.mmd/{RULE}/")
    assert not Twin(tmp_path).replay(token[1]).ok


def test_a_stored_finding_is_replayed_from_its_file(twin: Twin, tmp_path: Path) -> None:
    case = Case.of(load("reopen-teardown"), without=[RULE])
    finding = examine(case, judged(case, Schedule(1)))
    path, _ = save(tmp_path / "regressions", case, finding)
    assert not twin.replay(path).ok
    assert not twin.replay(f"regressions/{path.name}").ok
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(f'"{RULE}"', ""), encoding="utf-8")
    passed = twin.replay(path)
    assert passed.ok
    assert str(passed) == "reopen-teardown passes"


def test_a_breach_that_the_file_announces_is_no_failure_of_a_replay(
    twin: Twin, tmp_path: Path
) -> None:
    case = Case.of(load(tmp_path / "race.mmd"))
    path, _ = save(tmp_path, case, examine(case, judged(case, Schedule(1))))
    assert twin.replay(path).ok


@pytest.mark.parametrize(
    "wrong",
    [lambda twin: twin.play("typicall"), lambda twin: twin.explore("typical", without="pnog"),
     lambda twin: twin.explore("typical", faults="cutt:1"), lambda twin: twin.replay("x"),
     lambda twin: twin.replay("gone.json"), lambda twin: twin.play("typical", without="pnog")],
)  # fmt: skip
def test_what_does_not_exist_is_named(twin: Twin, wrong) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises((ScenarioError, UsageError)):
        wrong(twin)


def test_a_failed_test_shows_the_verdict_of_its_runs(project: pytest.Pytester, run: Run) -> None:
    (project.path / "report.mmd").write_text(diagrams.FAILS, encoding="utf-8")
    project.makepyfile(
        """
        def test_report(twin):
            assert twin.play("typical").ok
            result = twin.play("report.mmd")
            assert result.ok, result
        """
    )
    said = run()
    said.assert_outcomes(failed=1)
    said.stdout.fnmatch_lines(
        ["*<Result report seed 1 fails: line 9>", '  line 9: %% @final R1 OK "Here it was."']
    )
    said.stdout.no_fnmatch_line("*✓ typical*")


def test_a_failed_replay_shows_its_choices_and_a_typing_error_only_its_own_line(
    project: pytest.Pytester, run: Run
) -> None:
    case = Case.of(load("reopen-teardown"), without=[RULE])
    save(project.path, case, examine(case, judged(case, Schedule(1))))
    project.makepyfile(
        """
        from pathlib import Path

        def test_replay(twin):
            [path] = Path(__file__).parent.glob("*.json")
            replay = twin.replay(path)
            assert replay.ok, replay

        def test_scenario(twin):
            twin.play("typicl")

        def test_rule(twin):
            twin.explore("typical", without="ownership-at-writ")

        def test_machine():
            from sim.testing import machine_for
            machine_for("typical", faults="cutt:1")
        """
    )
    said = run("-p", "no:randomly")
    said.assert_outcomes(failed=4)
    said.stdout.fnmatch_lines(
        ["reopen-teardown still breaks * at step *", "  choices (seed 1*", "reproduce with: *.json"]
    )
    places = [line for line in said.outlines if re.match(r"\S+\.py:\d+: ", line)]
    assert len(places) == 4
    assert all(line.startswith("test_a_failed_replay") for line in places)
