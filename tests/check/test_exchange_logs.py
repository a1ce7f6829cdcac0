"""Records of calls over HTTP, and traces of runs without frames, are judged by their calls."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from sim.check.checking import check_file
from sim.check.wanted import Wanted
from sim.core.errors import UsageError
from sim.core.event import CallIssued
from sim.core.trace import Trace, write_trace
from sim.play import load, play

GOLDEN = Path(__file__).parents[1] / "data" / "question" / "golden"
FILES = sorted(GOLDEN.glob("*.jsonl"))
FAULTS = {
    "04": {"entries-copy-the-call"},
    "13": {"entries-do-not-vanish"},
    "36": {"settled-is-never-failed", "presses-are-answered-once"},
    "43": {"replies-go-to-the-question", "other-calls-are-others"},
    "50": {
        "calls-have-a-reason",
        "texts-find-their-question",
        "nothing-is-shown-before",
        "entries-do-not-vanish",
    },
}
"""What the recorded program does wrong, by its recordings; nothing else in them is."""


def test_all_recordings_are_there() -> None:
    assert len(FILES) == 33


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_recording_shows_the_faults_of_the_program_and_no_other(path: Path) -> None:
    report = check_file(str(path), Wanted())
    assert report.form == "calls"
    assert report.is_readable
    assert report.bad == ()
    assert {one.finding.rule for one in report.found} == FAULTS.get(path.name[:2], set())


def test_a_finding_names_its_line_and_the_section_of_the_document() -> None:
    [path] = GOLDEN.glob("43-*")
    first = check_file(str(path), Wanted()).found[0]
    line = json.loads(path.read_text().splitlines()[first.line - 1])
    assert line["request"]["path"] == "/question/que_2/reply"
    assert "6.3" in first.sections
    assert first.finding.side == "listener"


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda line: _asked(line, "GET", "/question")["query"].clear(), "requests-name"),
        (lambda line: _asked(line, "POST", "/reply")["body"].update(answers=["A"]), "one-value"),
        (lambda line: _asked(line, "POST", "/reply")["body"].update(answers=[["C"]]), "was-chosen"),
    ],
)
def test_a_changed_call_is_found(tmp_path: Path, change, rule: str) -> None:
    [path] = GOLDEN.glob("01-*")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        change(line)
    changed = tmp_path / "changed.jsonl"
    changed.write_text("\n".join(map(json.dumps, lines)))
    found = {one.finding.rule for one in check_file(str(changed), Wanted()).found}
    assert any(rule in name for name in found)


def _asked(line: dict, method: str, end: str) -> dict:
    request = line.get("request", {})
    is_it = request.get("method") == method and request["path"].endswith(end)
    return request if is_it else {"query": {}, "body": {}}


def test_a_torn_line_is_named_and_the_rest_is_judged(tmp_path: Path) -> None:
    [path] = GOLDEN.glob("43-*")
    torn = tmp_path / "torn.jsonl"
    torn.write_text(path.read_text() + '{"at_ms": 9000, "from": "listener", "to":')
    report = check_file(str(torn), Wanted())
    assert [one.line for one in report.bad] == [report.lines]
    assert {one.finding.rule for one in report.found} == FAULTS["43"]


@pytest.mark.parametrize(
    ("without", "rules"),
    [((), set()), (("edit-on-success",), {"settled-is-shown"})],
)
def test_a_trace_is_judged_as_its_run_was(tmp_path: Path, without, rules: set[str]) -> None:
    run = play(load("answer-from-the-phone"), seed=1, without=list(without), driver="step")
    path = tmp_path / "run.jsonl"
    write_trace(path, run.trace)
    report = check_file(str(path), Wanted())
    assert report.form == "trace"
    assert report.is_readable
    assert {one.finding.rule for one in report.found} == rules


def test_a_real_listener_is_not_judged_by_what_it_does_with_a_file_that_nobody_sees(
    tmp_path: Path,
) -> None:
    run = play(load("answer-from-the-phone"), seed=1, driver="step")
    unseen = {
        one.n
        for one in run.trace.events
        if type(one) is CallIssued and (one.caller, one.callee) == ("L", "P")
    }
    seen = [
        one
        for one in run.trace.events
        if one.n not in unseen and one.cause not in unseen and getattr(one, "call", 0) not in unseen
    ]
    header = msgspec.structs.replace(run.trace.header, outside=("listener", "store"))
    path = tmp_path / "served.jsonl"
    write_trace(path, Trace(header, seen))
    report = check_file(str(path), Wanted())
    assert report.found == ()
    assert (
        "of real programs (listener and store) only what they asked for was judged" in report.notes
    )
    shown = {one.rule for one in report.rules}
    assert "claims-come-first" not in shown
    assert shown > {"replies-hold-one-value", "written-before-sent", "answers-complete-the-tool"}


def test_rules_are_chosen_by_name_or_row_and_unknown_ones_refused() -> None:
    [path] = GOLDEN.glob("43-*")
    named = check_file(str(path), Wanted("question", ("other-calls-are-others",)))
    assert [one.rule for one in named.rules] == ["other-calls-are-others"]
    by_row = check_file(str(path), Wanted(None, ("QT-35",)))
    assert {one.finding.rule for one in by_row.found} == FAULTS["43"]
    with pytest.raises(UsageError, match="no rule"):
        check_file(str(path), Wanted("question", ("QT-99",)))


def test_calls_whose_clock_was_set_back_end_when_they_began(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in FILES[0].read_text().splitlines()]
    for line in lines:
        if "done_ms" in line:
            line["done_ms"] = 0
    path = tmp_path / "back.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    assert check_file(str(path), Wanted()).is_readable
