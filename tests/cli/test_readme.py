"""Everything that the README shows is run: its commands, its files, its code."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from tests.cli.screens import ROOT, Said, Shell

README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCE = re.compile(r"(?P<before>[^\n]*)\n\n```(?P<kind>\w+)\n(?P<body>.*?)```\n", re.DOTALL)
SAVE = re.compile(r"Save this as `(?P<name>[^`]+)`:$")
FROM = re.compile(r"From `(?P<name>[^`]+)`:$")
EXIT = re.compile(r"\s+# exit code (\d)$")


@frozen
class Shown:
    """A command of the README with the lines that it shows of the answer."""

    command: str
    code: int
    lines: tuple[str, ...]


def commands(body: str) -> list[Shown]:
    """The ``$`` lines of a console block, each with what stands below it."""
    found: list[Shown] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            code = EXIT.search(line)
            found.append(Shown(EXIT.sub("", line[2:]), int(code[1]) if code else 0, ()))
        else:
            last = found.pop()
            found.append(Shown(last.command, last.code, (*last.lines, line)))
    return found


def test_every_command_and_code_block_of_the_readme_works(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = 0
    for block in FENCE.finditer(README):
        saved = SAVE.search(block["before"])
        if saved:
            Path(saved["name"]).write_text(block["body"], encoding="utf-8")
        elif block["kind"] == "python":
            run_code(block)
            ran += 1
        elif block["kind"] == "console":
            for shown in commands(block["body"]):
                check(shell, shown)
                ran += 1
    assert ran > 15


def run_code(block: re.Match[str]) -> None:
    """Run a block and the tests in it; a part of a file must stand there as it is shown."""
    taken_from = FROM.search(block["before"])
    if taken_from:
        assert block["body"] in (ROOT / taken_from["name"]).read_text(encoding="utf-8")
        return
    names: dict[str, Any] = {}
    exec(compile(block["body"], "README.md", "exec"), names)
    for name, value in names.items():
        if name.startswith("test_"):
            value(1)


def run_program(shell: Shell, path: str) -> Said:
    """A Python file of the repository, as the main program."""
    shell.captured.readouterr()
    runpy.run_path(str(ROOT / path), run_name="__main__")
    return Said(0, *shell.captured.readouterr())


def check(shell: Shell, shown: Shown) -> None:
    """The exit code, and all words of each shown line, are those of the answer."""
    program, *arguments = shlex.split(shown.command)
    assert program in ("hooktwin", "python")
    said = shell(*arguments) if program == "hooktwin" else run_program(shell, *arguments)
    assert said.code == shown.code, (shown, said)
    for line in shown.lines:
        assert [word for word in line.split() if word not in said.out] == [], (line, said.out)


def test_the_readme_s_mistake_is_answered_as_it_says(shell: Shell, tmp_path: Path) -> None:
    quoted = re.search(
        r"`report\.mmd:(10:12: unknown frame 'turn\.edn' \(allowed here: turn\.end)", README
    )
    assert quoted
    diagram = next(b["body"] for b in FENCE.finditer(README) if b["kind"] == "mermaid")
    path = tmp_path / "report.mmd"
    path.write_text(diagram.replace("turn.end", "turn.edn"), encoding="utf-8")
    assert quoted[1] in shell("run", path).err


def test_the_test_command_is_the_one_that_ci_runs() -> None:
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "'.[dev]' && .venv/bin/pytest\n" in README
    assert "'.[dev]'" in ci
    assert "\npytest | tee" in ci


def test_every_place_that_the_readme_names_exists() -> None:
    places = re.findall(r"`((?:sim|tests|scenarios|docs|\.ci)(?:/[\w./-]+)?)`", README)
    assert len(places) > 15
    assert [place for place in places if not (ROOT / place).exists()] == []
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README)
    assert [one for one in pictures if not (ROOT / one).is_file()] == []


def test_the_pictures_are_drawn_by_hooktwin_itself(shell: Shell, tmp_path: Path) -> None:
    picture = tmp_path / "typical.svg"
    shell("run", "typical", "--svg", picture)
    shipped = (ROOT / "docs" / "images" / "typical.svg").read_text(encoding="utf-8")
    style = re.compile(r"<style>.*?</style>", re.DOTALL)
    drawn = picture.read_text(encoding="utf-8")
    assert style.findall(shipped) == style.findall(drawn)
    assert "<title>typical: a run with seed 1</title>" in shipped
