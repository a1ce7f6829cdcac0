"""``hooktwin explore``: what it prints, writes and answers."""

from __future__ import annotations

import io
import json
import re
import shlex
import signal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from sim.core.errors import UsageError
from sim.explore.search import Search
from sim.play import load
from tests.cli.screens import ROOT, Said, Shell

RACE = ("reopen-teardown", "--without", "ownership-at-write")
BROKEN = "close-out-respects-owner"
TINY = """\
sequenceDiagram
    actor U as Alice
    participant IM as Slack
    participant S as hook server
    participant D as desktop
    U->>IM: message "hi"
    S->>D: task.dispatch (requestId=R1)
"""


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A scenario in which little can happen."""
    path = tmp_path / "tiny.mmd"
    path.write_text(TINY, encoding="utf-8")
    return path


def found(said: Said) -> dict[str, Any]:
    """The one object on stdout."""
    [line] = said.out.splitlines()
    answer: dict[str, Any] = json.loads(line)
    return answer


def commands_in(text: str) -> list[list[str]]:
    """What the report says to paste, without the program's name."""
    return [shlex.split(one)[1:] for one in re.findall(r"hooktwin (?:replay|explain|run) .*", text)]


def test_the_way_to_a_race_names_the_requests_and_not_each_operation_on_a_file(
    shell: Shell,
) -> None:
    off = ("--without", "session-fallback-narrow", "--max-schedules", "1")
    said = shell("explore", "race-old-button", *off)
    way = said.out.partition("what led to it")[2].partition("replay:")[0]
    assert "OC → L  200 que_2" in way
    assert "L → P  file  create, read, write, rename, remove" in way
    assert "write-file" not in way
    assert "events more" not in way


def test_a_race_is_found_shrunk_explained_and_can_be_pasted(shell: Shell) -> None:
    said = shell("explore", *RACE)
    assert said.code == 1
    for part in (
        f"breaks {BROKEN} at step",
        "A close-out is written only while",
        "HK-186",
        "Who owns the message is checked when the close-out is really written",
        "shrunk with",
        "what led to it",
        "edit m2",
        "INTERRUPTED by close-out of K1",
        "passes if",
        "hooktwin replay reopen-teardown/ownership-at-write/",
        "hooktwin explain HK-186",  # the sentence of the invariant stands there already
        "1 finding in",
    ):
        assert part in said.out, part
    assert re.search(r"\d+ schedules?, [\d,]+/s, 1 found, \d+ situations", said.err)


def test_what_is_to_be_pasted_does_what_it_says(shell: Shell) -> None:
    said = shell("explore", *RACE)
    pasted = commands_in(said.out)
    assert [words[0] for words in pasted] == ["replay", "explain"]
    assert [shell(*words).code for words in pasted] == [1, 0]


def test_json_is_one_object_with_the_promised_members(shell: Shell) -> None:
    said = shell("explore", *RACE, "--json")
    assert said.code == 1
    answer = found(said)
    assert list(answer)[:3] == ["schedules", "complete", "findings"]
    assert answer["schedules"] >= 1
    assert answer["complete"] is False
    [finding] = answer["findings"]
    assert list(finding)[:4] == ["token", "invariant", "step", "choices"]
    assert finding["invariant"] == BROKEN
    assert finding["token"].startswith("reopen-teardown/ownership-at-write/")
    assert len(finding["token"]) <= 80
    assert finding["chain"][-1] == finding["step"]
    assert "HK-186" in finding["catalogue"]
    assert answer["without"] == ["ownership-at-write"]


def test_the_choices_of_a_finding_are_written_as_a_scenario_writes_them(shell: Shell) -> None:
    asked = ("cut-redelivers", "--without", "redelivery", "--faults", "cut:1")
    [finding] = found(shell("explore", *asked, "--json", "--seconds", "50"))["findings"]
    assert finding["choices"]
    assert all(re.fullmatch(r'@(late|strike) "[^"]+" .*', one) for one in finding["choices"])
    assert len(finding["choices"]) == len(finding["schedule"]["steps"])


def test_nothing_found_is_told_with_how_to_go_on(shell: Shell) -> None:
    said = shell("explore", "typical", "--max-schedules", 4)
    assert said.code == 0
    assert "nothing found in 4 schedules" in said.out
    assert "--max-schedules 4 is used up" in said.out
    assert "hooktwin explore typical --seed 2 --max-schedules 4" in said.out


def test_a_bounded_search_says_that_all_schedules_are_checked(shell: Shell, tiny: Path) -> None:
    bounded = ("--strategy", "exhaustive", "--deviations", 1)
    said = shell("explore", tiny, *bounded)
    assert said.code == 0
    assert re.search(r"all \d+ schedules checked", said.out)
    answer = found(shell("explore", tiny, *bounded, "--json"))
    assert answer["complete"] is True
    assert answer["findings"] == []
    cut_off = found(shell("explore", tiny, *bounded, "--json", "--max-schedules", 3))
    assert (cut_off["complete"], cut_off["schedules"]) == (False, 3)


def test_no_time_is_one_schedule_and_no_more(shell: Shell) -> None:
    answer = found(shell("explore", "typical", "--seconds", 0, "--json"))
    assert answer["schedules"] == 1
    assert "the time is over" in shell("explore", "typical", "--seconds", 0).out


def test_the_same_search_in_two_processes_finds_the_same(shell: Shell) -> None:
    asked = ("cut-redelivers", "--without", "redelivery", "--faults", "cut:1", "--seed", 3)
    few = ("--max-schedules", 150, "--json", "--all")
    serial, parallel = (found(shell("explore", *asked, *few, "--jobs", n)) for n in (1, 2))
    for answer in (serial, parallel):
        del answer["seconds"]
    assert serial == parallel
    assert serial["findings"]


def test_several_files_give_a_line_each_and_share_the_time(shell: Shell, tiny: Path) -> None:
    said = shell("explore", tiny, *RACE, "--json", "--max-schedules", 3, "--seconds", 50)
    assert said.code == 1
    first, second = map(json.loads, said.out.splitlines())
    assert (first["scenario"], first["findings"]) == (str(tiny), [])
    assert (second["scenario"], len(second["findings"])) == ("reopen-teardown", 1)


def test_one_unusable_file_does_not_hide_what_the_others_show(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "a-bad.mmd").write_text("flowchart TD\n", encoding="utf-8")
    (tmp_path / "tiny.mmd").write_text(TINY, encoding="utf-8")
    said = shell("explore", tmp_path, "--json", "--max-schedules", 2)
    assert said.code == 2
    bad, good = map(json.loads, said.out.splitlines())
    assert bad["ok"] is False
    assert bad["error"]["line"] == 1
    assert good["schedules"] == 2


def test_findings_are_saved_and_fail_again(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "findings"
    said = shell("explore", *RACE, "--save", folder, "--json")
    [finding] = found(said)["findings"]
    document, diagram = finding["files"]
    assert sorted(map(str, folder.iterdir())) == sorted((document, diagram))
    assert shell("replay", document).code == 1
    assert shell("run", diagram, "--quiet").code == 1
    assert f"hooktwin run {diagram}" in shell("explore", *RACE, "--save", folder).out


def test_junit_has_a_failed_case_per_finding(shell: Shell, tmp_path: Path, tiny: Path) -> None:
    report = tmp_path / "races.xml"
    assert shell("explore", tiny, *RACE, "--max-schedules", 2, "--junit", report).code == 1
    root = ElementTree.parse(report).getroot()
    passed, failed = root.findall("testsuite")
    assert (passed.get("name"), passed.get("failures")) == (str(tiny), "0")
    assert passed.find("testcase/failure") is None
    assert (failed.get("tests"), failed.get("failures")) == ("1", "1")
    failure = failed.find("testcase/failure")
    assert failure is not None
    assert failure.get("type") == BROKEN
    assert "hooktwin replay reopen-teardown/" in (failure.text or "")


def test_junit_survives_whatever_a_file_is_called(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "<&\x1b\x07>.mmd"
    path.write_text(TINY, encoding="utf-8")
    report = tmp_path / "races.xml"
    assert shell("explore", path, "--max-schedules", 1, "--junit", report).code == 0
    suite = ElementTree.parse(report).getroot().find("testsuite")
    assert suite is not None
    assert "<&␛␇>.mmd" in (suite.get("name") or "")


def test_sarif_is_valid_and_points_to_the_diagram(shell: Shell, tmp_path: Path, tiny: Path) -> None:
    report = tmp_path / "races.sarif"
    assert shell("explore", tiny, *RACE, "--max-schedules", 2, "--sarif", report).code == 1
    document = json.loads(report.read_text(encoding="utf-8"))
    schema = json.loads((ROOT / "tests/data/sarif-2.1.0.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft4Validator(schema).validate(document)
    [run] = document["runs"]
    [result] = run["results"]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == result["ruleId"] == BROKEN
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("scenarios/hook/reopen-teardown.mmd")
    # Where the diagram stood when the late close-out came.
    line = load("reopen-teardown").source_text.splitlines()[place["region"]["startLine"] - 1]
    assert "turn.reopen (requestId=K2" in line
    fingerprint = result["partialFingerprints"]["hooktwinToken/v1"]
    assert fingerprint == result["properties"]["token"]
    assert f"hooktwin replay {fingerprint}" in result["message"]["text"]


def test_what_has_no_token_is_replayed_from_its_file_and_has_no_fingerprint(
    shell: Shell, tmp_path: Path
) -> None:
    folder = tmp_path / ("long-" * 20)
    folder.mkdir()
    own = folder / "mine.mmd"
    own.write_text(load("reopen-teardown").source_text + "%% mine\n", encoding="utf-8")
    junit, sarif = tmp_path / "races.xml", tmp_path / "races.sarif"
    asked = ("explore", own, "--without", "ownership-at-write", "--junit", junit, "--sarif", sarif)
    for more, says in (
        ((), "hooktwin explore"),
        (("--save", tmp_path / "kept"), f"hooktwin replay {tmp_path / 'kept'}"),
    ):
        assert shell(*asked, *more).code == 1
        failure = ElementTree.parse(junit).getroot().find("testsuite/testcase/failure")
        assert failure is not None
        assert says in (failure.text or "")
        [run] = json.loads(sarif.read_text(encoding="utf-8"))["runs"]
        [result] = run["results"]
        assert "partialFingerprints" not in result
        assert result["properties"]["token"] is None
        assert says in result["message"]["text"]


def test_a_finding_points_to_the_row_that_says_more_than_its_sentence(shell: Shell) -> None:
    said = shell("explore", *RACE)
    assert "explain: hooktwin explain HK-186" in said.out


def test_an_unusable_file_is_in_both_reports(shell: Shell, tmp_path: Path, tiny: Path) -> None:
    bad = tmp_path / "bad.mmd"
    bad.write_text("flowchart TD\n", encoding="utf-8")
    junit, sarif = tmp_path / "races.xml", tmp_path / "races.sarif"
    reports = ("--junit", junit, "--sarif", sarif)
    assert shell("explore", tiny, bad, "--max-schedules", 1, *reports).code == 2
    error = ElementTree.parse(junit).getroot().find("testsuite/testcase/error")
    assert error is not None
    assert "sequenceDiagram" in (error.get("message") or "")
    [run] = json.loads(sarif.read_text(encoding="utf-8"))["runs"]
    assert run["invocations"][0]["executionSuccessful"] is False


def test_blame_is_drawn_and_given_as_json(shell: Shell) -> None:
    said = shell("explore", *RACE, "--blame")
    assert "how likely it still fails" in said.out
    assert "100 %│" in said.out
    [finding] = found(shell("explore", *RACE, "--blame", "--json"))["findings"]
    assert all(0 <= one["chance"] <= 1 for one in finding["blame"])
    assert finding["blame"][-1]["chance"] > 0


def test_a_cluster_that_goes_away_leaves_what_was_found(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Search.run

    def gone(search: Search, tell: Any = lambda _: None) -> None:
        usual(search, tell)
        raise UsageError("the scheduler went away")

    monkeypatch.setattr(Search, "run", gone)
    said = shell("explore", *RACE)
    assert said.code == 2
    assert f"breaks {BROKEN}" in said.out
    assert "the scheduler went away" in said.err


def test_an_unmet_arrow_is_no_finding(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "unmet.mmd"
    path.write_text(TINY + '    %% @final R1 OK "never said"\n', encoding="utf-8")
    assert shell("run", path, "--quiet").code == 1
    assert shell("explore", path, "--max-schedules", 2).code == 0


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_of_a_report_is_wider_than_the_screen_but_commands(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = shell("explore", *RACE, "--blame").out.splitlines()
    assert [one for one in lines if len(one) > width and "hooktwin " not in one] == []


def test_a_wait_for_something_that_never_comes_has_a_token_too(shell: Shell) -> None:
    asked = ("two-presses", "--without", "pong", "--strategy", "exhaustive", "--deviations", 1)
    [finding] = found(shell("explore", *asked, "--json"))["findings"]
    assert finding["token"] is not None
    assert all("until" not in choice for choice in finding["choices"])
    assert shell("replay", finding["token"], "--quiet").code == 1


def test_a_diagram_from_standard_input_is_kept_as_a_file_and_has_no_token(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "scenarios/hook/reopen-teardown.mmd").read_bytes()
    for arguments in ((), ("--save", tmp_path)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
        said = shell("explore", "-", *RACE[1:], *arguments)
        assert said.code == 1
        assert "hooktwin replay -/" not in said.out
    assert "hooktwin explore - --without ownership-at-write --save findings" not in said.out
    [document] = tmp_path.glob("*.json")
    assert shell("replay", document, "--quiet").code == 1


def test_ctrl_c_while_shrinking_keeps_the_smallest_so_far(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(watcher: object, shrinker: Any) -> None:
        if shrinker.replays == 5:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("sim.cli.exploring.watching.Watcher.shrinking", pressed)
    said = shell("explore", *RACE, "--json")
    assert said.code == 130
    answer = found(said)
    assert answer["interrupted"] is True
    assert [one["invariant"] for one in answer["findings"]] == [BROKEN]
    assert answer["findings"][0]["replays"] < 10


def test_ctrl_c_while_searching_reports_what_was_tried(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(watcher: object, search: Search) -> None:
        if search.schedules == 3:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("sim.cli.exploring.watching.Watcher.searching", pressed)
    said = shell("explore", "typical", "reopen-teardown")
    assert said.code == 130
    assert "nothing found in 3 schedules" in said.out
    assert "hooktwin explore typical --seed 2" in said.out
    assert "reopen-teardown" not in said.out
