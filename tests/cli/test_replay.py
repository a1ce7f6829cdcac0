"""``hooktwin replay``: a finding is played again, by its token or its file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sim.core.trace import read_trace
from tests.cli.screens import Said, Shell

RACE = ("reopen-teardown", "--without", "ownership-at-write")
BROKEN = "close-out-respects-owner"


def is_one_message(said: Said) -> bool:
    """One line on stderr, nothing on stdout, exit code 2."""
    return said.code == 2 and said.out == "" and len(said.err.splitlines()) == 1


@pytest.fixture
def saved(shell: Shell, tmp_path: Path) -> tuple[str, Path]:
    """A finding's token and the file that it was kept in."""
    said = shell("explore", *RACE, "--save", tmp_path / "kept", "--json")
    [finding] = json.loads(said.out)["findings"]
    return finding["token"], Path(finding["files"][0])


def test_a_token_names_scenario_and_rules_and_still_fails(
    shell: Shell, saved: tuple[str, Path]
) -> None:
    said = shell("replay", saved[0])
    assert said.code == 1
    for part in (
        "reopen-teardown  rules off: ownership-at-write",
        "choices (seed 1",
        "not needed of the diagram: lines",
        "task.dispatch",
        "INTERRUPTED",
        "it still fails",
        f"{BROKEN} broken at step",
        f"reproduce with: hooktwin replay {saved[0]}",
    ):
        assert part in said.out, part


def test_every_driver_and_form_plays_the_same_run(shell: Shell, saved: tuple[str, Path]) -> None:
    runs = [
        json.loads(shell("replay", one, "--driver", driver, "--json").out)
        for one in saved
        for driver in ("step", "trio")
    ]
    assert len({run["digest"] for run in runs}) == 1
    assert [run["still_fails"] for run in runs] == [True] * 4
    assert {run["violations"][0]["invariant"] for run in runs} == {BROKEN}
    assert runs[0]["failures"] == []


def test_a_finding_that_passes_now_is_exit_code_0(shell: Shell, saved: tuple[str, Path]) -> None:
    document = json.loads(saved[1].read_text(encoding="utf-8"))
    saved[1].write_text(json.dumps({**document, "without": []}), encoding="utf-8")
    said = shell("replay", saved[1])
    assert said.code == 0
    assert "all rules on" in said.out
    assert "it passes now" in said.out
    assert "reproduce with" not in said.out


def test_with_all_rules_on_the_same_choices_show_whether_the_protocol_holds(
    shell: Shell, saved: tuple[str, Path]
) -> None:
    for one in saved:
        said = shell("replay", one, "--all-rules", "--quiet")
        assert said.code == 0
        assert "all rules on" in said.out
        assert "it passes now" in said.out
    document = json.loads(shell("replay", saved[1], "--all-rules", "--json").out)
    assert document["without"] == []
    assert not document["still_fails"]


def test_all_rules_are_on_though_the_diagram_itself_switches_one_off(
    shell: Shell, saved: tuple[str, Path], tmp_path: Path
) -> None:
    diagram = saved[1].with_suffix(".mmd")
    assert "@rule -ownership-at-write" in diagram.read_text(encoding="utf-8")
    found = json.loads(shell("explore", diagram, "--save", tmp_path / "two", "--json").out)
    [finding] = found["findings"]
    again = finding["files"][0]
    assert shell("replay", again).code == 1
    assert shell("replay", again, "--all-rules").code == 0


def test_it_is_written_as_a_trace_and_as_a_scenario(
    shell: Shell, saved: tuple[str, Path], tmp_path: Path
) -> None:
    trace, diagram = tmp_path / "race.jsonl", tmp_path / "race.mmd"
    said = shell("replay", saved[0], "--trace", trace, "--write", diagram, "--quiet")
    assert said.code == 1
    assert "task.dispatch" not in said.out
    assert read_trace(trace).header.without == ("ownership-at-write",)
    assert BROKEN in diagram.read_text(encoding="utf-8")
    again = shell("run", diagram, "--json")
    assert json.loads(again.out)["violations"][0]["invariant"] == BROKEN


def test_blame_of_a_replayed_finding_is_drawn(shell: Shell, saved: tuple[str, Path]) -> None:
    said = shell("replay", saved[0], "--blame", "--quiet")
    assert "how likely it still fails" in said.out
    assert "points 1 to" in said.out


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ("reopen-teardown/ownership-at-write/AwF_F3yx", "damaged"),
        ("reopen-teardown/ownership-at-write/A", "damaged"),
        ("no-such-scenario/ownership-at-write/AwF_F3yQ", "no-such-scenario"),
        ("reopen-teardown/owner-chek/AwF_F3yQ", "owner-chek"),
        ("nonsense", "SCENARIO/RULES/CODE"),
        ("", "SCENARIO/RULES/CODE"),
        ("//", "SCENARIO/RULES/CODE"),
        ("/no/such/file.json", "no such file"),
        ("\x1b[31m/\x1b/\x1b", "token"),
        ("/dev/zero", "device"),
        ("typical", "SCENARIO/RULES/CODE"),
    ],
)
def test_what_is_no_finding_gets_one_message(shell: Shell, bad: str, says: str) -> None:
    said = shell("replay", bad)
    assert is_one_message(said), said
    assert says in said.err
    assert "\x1b" not in said.err


@pytest.mark.parametrize(
    "change",
    [
        {"format": 99},
        {"schedule": {"seed": "x", "flat": True, "dropped": [], "steps": []}},
        {"schedule": {"seed": 1, "flat": True, "dropped": [], "steps": [{"at": 1, "do": 2}]}},
        {"schedule": None},
        {"source": "flowchart TD"},
        {"without": ["no-such-rule"]},
        {"without": 7},
    ],
)
def test_a_damaged_file_gets_one_message_that_names_it(
    shell: Shell, saved: tuple[str, Path], change: dict[str, object]
) -> None:
    document = json.loads(saved[1].read_text(encoding="utf-8"))
    saved[1].write_text(json.dumps({**document, **change}), encoding="utf-8")
    said = shell("replay", saved[1])
    assert is_one_message(said), said
    assert str(saved[1]) in said.err


def test_a_file_that_is_cut_off_or_no_finding_at_all_is_named(
    shell: Shell, saved: tuple[str, Path], tmp_path: Path
) -> None:
    half = tmp_path / "half.json"
    half.write_bytes(saved[1].read_bytes()[:150])
    other = tmp_path / "other.json"
    other.write_text("[1, 2, 3]", encoding="utf-8")
    for path in (half, other):
        said = shell("replay", path)
        assert is_one_message(said), said
        assert path.name in said.err


def test_a_result_never_replaces_the_finding(shell: Shell, saved: tuple[str, Path]) -> None:
    before = saved[1].read_bytes()
    assert is_one_message(shell("replay", saved[1], "--write", saved[1]))
    assert is_one_message(shell("replay", saved[1], "--trace", "/no/such/folder/x"))
    assert saved[1].read_bytes() == before


def test_a_kept_scenario_fails_again_though_lines_that_gave_words_their_meaning_are_not_needed(
    shell: Shell, tmp_path: Path
) -> None:
    # In "typical" a free text is a press because of the frame below it, which nothing waits for.
    asked = ("typical", "--without", "end-replay", "--faults", "cut:1", "--save", tmp_path)
    [finding] = json.loads(shell("explore", *asked, "--json").out)["findings"]
    again = json.loads(shell("run", finding["files"][1], "--json").out)
    assert finding["invariant"] in [one["invariant"] for one in again["violations"]]
