"""Findings of files with odd names, and findings that cannot be kept where they should be."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from sim.cli.exploring import searching
from sim.core.errors import UsageError
from sim.explore.replaying import resolve
from sim.play import load
from tests.cli.screens import Said, Shell

OFF = ("--without", "ownership-at-write")
BROKEN = "close-out-respects-owner"


def explored(shell: Shell, name: str, *options: object) -> Said:
    """A search of the known race, in a file of the current folder that is called so."""
    Path(name).write_text(load("reopen-teardown").source_text, encoding="utf-8")
    return shell("explore", f"./{name}", *OFF, "--max-schedules", 1, *options)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["new\nline\x1b.mmd", os.fsdecode(b"bad\xff.mmd")])
def test_what_a_file_is_called_does_not_spoil_the_saved_scenario(shell: Shell, name: str) -> None:
    answer = json.loads(explored(shell, name, "--save", "kept", "--json").out)
    [finding] = answer["findings"]
    assert finding["token"] is None
    assert shell("run", finding["files"][1], "-q").code == 1
    assert shell("replay", finding["files"][0], "-q").code == 1


def test_a_name_with_a_dash_in_front_is_no_option_of_what_is_to_be_pasted(shell: Shell) -> None:
    answer = json.loads(explored(shell, "-dash.mmd", "--save", ".", "--json").out)
    [finding] = answer["findings"]
    assert finding["token"].startswith("./-dash.mmd/")
    assert shell("replay", finding["token"], "-q").code == 1
    assert shell("run", finding["files"][1], "-q").code == 1


def test_a_scenario_written_by_replay_survives_the_name_of_the_file(shell: Shell) -> None:
    explored(shell, "plain.mmd", "--save", "kept")
    [stored] = Path("kept").glob("*.json")
    odd = stored.rename("two\nlines.json")
    assert shell("replay", odd, "-q", "--write", "again.mmd").code == 1
    assert shell("run", "again.mmd", "-q").code == 1


def test_a_finding_that_cannot_be_saved_is_told_all_the_same(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise UsageError("kept: cannot save the finding: No space left on device")

    monkeypatch.setattr(searching, "save", full)
    said = explored(shell, "plain.mmd", "--save", "kept")
    assert said.code == 2
    assert f"breaks {BROKEN}" in said.out
    assert "No space left on device" in said.err
    token = next(line for line in said.out.splitlines() if "replay:" in line).split("replay: ")[1]
    assert shell(*shlex.split(token)[1:], "-q").code == 1


def test_nothing_half_written_stays_behind_when_saving_fails(shell: Shell) -> None:
    explored(shell, "plain.mmd", "--save", "kept")
    [stored] = Path("kept").glob("*.json")
    stored.unlink()
    stored.mkdir()
    said = explored(shell, "plain.mmd", "--save", "kept")
    assert said.code == 2
    assert f"breaks {BROKEN}" in said.out
    assert not list(Path("kept").glob("*.part"))


def test_a_token_with_a_nul_is_no_token() -> None:
    with pytest.raises(UsageError):
        resolve("reopen-teardown\0/ownership-at-write/AwF_F3yQ")
