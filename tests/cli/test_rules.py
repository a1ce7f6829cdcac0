"""``hooktwin rules`` and ``hooktwin explain`` of rows and mutants."""

from __future__ import annotations

import json

import pytest

from sim.protocols.proven import proven
from tests.cli.screens import Shell

ROWS = sum(len(one.rows) for one in proven())


def test_all_rows_are_listed_with_a_summary(shell: Shell) -> None:
    said = shell("rules")
    assert said.code == 0
    assert "HK-01" in said.out
    assert "HK-204" in said.out
    assert f"of {ROWS} watched" in said.out
    assert "OT-65" in said.out
    assert "switchable" in said.out


def test_rows_are_given_as_json_with_all_fields(shell: Shell) -> None:
    rows = json.loads(shell("rules", "--json").out)
    assert len(rows) == ROWS >= 204 + 65 + 60
    for row in rows:
        assert row["rule"]
        assert row["without"]
        assert row["mutants"] or row["switches"] or row["why_no_mutant"]
        assert row["see_it_broken"].startswith("hooktwin ")


def test_rows_are_found_by_word_id_and_section(shell: Shell) -> None:
    def ids(*arguments: str) -> list[str]:
        return [row["id"] for row in json.loads(shell("rules", *arguments, "--json").out)]

    assert ids("hk-07", "HK-186") == ["HK-07", "HK-186"]
    assert "HK-186" in ids("ownership-at-write")
    assert set(ids("--section", "5.18")) >= {f"HK-{n}" for n in range(169, 201)}
    assert "HK-01" not in ids("--section", "5.18")


def test_an_unknown_row_is_answered_with_near_ones(shell: Shell) -> None:
    said = shell("rules", "HK-9999")
    assert said.code == 2
    assert "HK-" in said.err


def test_unwatched_rows_are_those_that_nothing_can_be_seen_to_watch(shell: Shell) -> None:
    rows = json.loads(shell("rules", "--unwatched", "--json").out)
    assert [row["id"] for row in rows if row["watched"]] == []


def test_the_check_of_a_row_proves_it(shell: Shell) -> None:
    said = shell("rules", "--check", "HK-186", "HK-204")
    assert (said.code, said.err) == (0, "")
    assert "2 of 2 rows proven" in said.out


def test_a_check_without_time_proves_nothing_and_says_so(shell: Shell) -> None:
    said = shell("rules", "--check", "--seconds", 0, "HK-186")
    assert said.code == 1
    assert "not proven yet" in said.out
    assert "were not tried" in said.out


def test_a_check_is_given_as_json(shell: Shell) -> None:
    told = json.loads(shell("rules", "--check", "HK-23", "--json").out)
    [verdict] = told["verdicts"]
    assert (verdict["id"], verdict["state"]) == ("HK-23", "proven")
    assert told["faults"] == {}


def test_seconds_without_a_check_is_a_mistake(shell: Shell) -> None:
    assert shell("rules", "--seconds", 5).code == 2


def test_a_row_is_explained_with_the_command_that_breaks_it(shell: Shell) -> None:
    said = shell("explain", "hk-186")
    for part in (
        "the server obeys", "without it", "close-out-respects-owner", "reopen-teardown",
        "hooktwin run reopen-teardown --without ownership-at-write --seed 1",
        "hooktwin rules --check HK-186",
    ):  # fmt: skip
        assert part in said.out


@pytest.mark.parametrize("each", [11, pytest.param(1, marks=pytest.mark.deep)])
def test_every_row_is_explained(shell: Shell, each: int) -> None:
    for row in json.loads(shell("rules", "--json").out)[::each]:
        said = shell("explain", row["id"], "--json")
        assert said.code == 0
        answer = json.loads(said.out)
        first = answer[0] if isinstance(answer, list) else answer
        assert (first["kind"], first["id"]) == ("row", row["id"])


def test_a_mutant_is_explained_by_its_name(shell: Shell) -> None:
    said = shell("explain", "server-goes-back")
    assert "a mutant of the server" in said.out
    assert "working-text-is-the-owners" in said.out
    assert json.loads(shell("explain", "server-goes-back", "--json").out)["kind"] == "mutant"


def test_an_interrupted_check_reports_what_was_proven(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(mutant: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("sim.cli.proving.mutants.seeds_until_noticed", interrupted)
    said = shell("rules", "--check", "HK-66", "HK-204")
    assert said.code == 130
    assert "2 of 2 rows proven" in said.out  # a tale and a trial come before any storm
    assert "this is what was proven so far" in said.err
    assert "interrupted" in said.err


@pytest.mark.parametrize("columns", ["80", "120"])
def test_names_in_the_table_are_never_broken(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    rows = json.loads(shell("rules", "--json").out)
    monkeypatch.setenv("COLUMNS", columns)
    table = shell("rules").out
    assert max(map(len, table.splitlines())) <= int(columns)
    words = set(table.split())
    for row in rows:
        broken = {*row["invariants"], *row["scenarios"], *row["switches"]} - words
        assert not broken
