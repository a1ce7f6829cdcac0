"""What is read and written: standard input, shadowed names, mistakes as JSON, ``parse --json``."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from sim.play import load
from tests.cli.screens import Shell

TYPICAL = load("typical").source_text


class Stdin:
    """Standard input with these bytes."""

    def __init__(self, text: str) -> None:
        self.buffer = io.BytesIO(text.encode())


@pytest.mark.parametrize("text", [TYPICAL, f"# A page\n\n```mermaid\n{TYPICAL}```\n"])
def test_a_dash_reads_standard_input(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr("sys.stdin", Stdin(text))
    said = shell("run", "-", "-q")
    assert said.code == 0, said
    assert said.out.startswith("✓ -")
    monkeypatch.setattr("sys.stdin", Stdin(text))
    assert shell("parse", "-").code == 0


def test_a_mistake_on_standard_input_has_its_place(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Stdin(TYPICAL.replace("task.ack", "task.akc", 1)))
    said = shell("run", "-", "--json")
    assert said.code == 2
    answer = json.loads(said.out)
    assert answer["ok"] is False
    assert answer["scenario"] == "-"
    error = answer["error"]
    assert list(error) == ["path", "line", "column", "text", "allowed"]
    assert error["line"] > 1
    assert "task.ack" in error["allowed"]
    assert f"-:{error['line']}:{error['column']}" in said.err


def test_empty_standard_input_is_a_mistake(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Stdin(" \n"))
    said = shell("run", "-")
    assert said.code == 2
    assert "standard input is empty" in said.err


@pytest.mark.parametrize(
    "arguments",
    [("nosuch",), ("typical", "--without", "nosuch"), ("typical", "--speed", 3)],
)
def test_programs_get_an_object_for_an_input_that_cannot_be_used(
    shell: Shell, arguments: tuple[object, ...]
) -> None:
    said = shell("run", *arguments, "--json")
    assert said.code == 2
    answer = json.loads(said.out)
    assert answer["ok"] is False
    assert answer["error"]["text"] in said.err


def test_an_unknown_scenario_gets_near_names_and_never_a_wall(shell: Shell) -> None:
    said = shell("run", "typicl")
    assert "(allowed here: typical)" in said.err
    said = shell("run", "qqqqqq")
    assert "hooktwin scenarios lists the names" in said.err
    assert len(said.err) < 200


def test_a_file_that_hides_a_shipped_scenario_is_mentioned(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("typical").write_text(TYPICAL, encoding="utf-8")
    said = shell("run", "typical", "-q")
    assert said.code == 0
    assert "the file in this folder, not the shipped scenario" in said.err


def test_files_that_were_written_are_named(shell: Shell, tmp_path: Path) -> None:
    trace, picture, again = tmp_path / "t.jsonl", tmp_path / "t.svg", tmp_path / "again.mmd"
    said = shell("run", "typical", "-q", "--trace", trace, "--svg", picture)
    assert said.err.splitlines() == [f"hooktwin: wrote {trace}", f"hooktwin: wrote {picture}"]
    assert shell("diagram", trace, "--out", again).err == f"hooktwin: wrote {again}\n"
    assert shell("schema", "ping", "--out", again).err == f"hooktwin: wrote {again}\n"


def test_parse_tells_programs_what_stands_in_a_file(shell: Shell, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.mmd"
    wrong.write_text(TYPICAL.replace("task.ack", "task.akc", 1), encoding="utf-8")
    said = shell("parse", "typical", wrong, "--json")
    assert said.code == 2
    good, bad = (json.loads(line) for line in said.out.splitlines())
    assert good["ok"] is True
    assert good["participants"][0] == {"id": "D", "kind": "desktop", "puppet": False}
    assert bad["ok"] is False
    assert bad["error"]["path"] == str(wrong)
    assert "task.ack" in bad["error"]["allowed"]
