"""What docs/testing.md shows is run, as a user would: each Python block is a test file."""

from __future__ import annotations

import re

import pytest

import sim.testing
from tests.architecture.source import ROOT
from tests.testing import diagrams
from tests.testing.conftest import Run

PAGE = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
PYTHON = [block["body"] for block in BLOCK.finditer(PAGE) if block["kind"] == "python"]


@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_each_python_block_is_a_test_file_that_passes(
    project: pytest.Pytester, run: Run, number: int
) -> None:
    project.makepyfile(PYTHON[number])
    said = run("-p", "no:randomly")
    assert said.ret == 0
    counts = said.parseoutcomes()
    assert counts.get("passed", 0) + counts.get("skipped", 0) >= 1


def test_the_settings_and_the_verdict_are_as_shown(project: pytest.Pytester, run: Run) -> None:
    (project.path / "report.mmd").write_text(diagrams.FAILS, encoding="utf-8")
    project.makeini(next(b["body"] for b in BLOCK.finditer(PAGE) if b["kind"] == "ini"))
    shown = next(b["body"] for b in BLOCK.finditer(PAGE) if "✗ report" in b["body"])
    run().stdout.fnmatch_lines(shown.splitlines())


def test_the_mistake_is_told_as_shown(project: pytest.Pytester, run: Run) -> None:
    (project.path / "report.mmd").write_text(diagrams.MISTYPED, encoding="utf-8")
    quoted = re.search(r"`(report\.mmd:8:12: unknown frame 'turn\.edn' .*turn\.end)", PAGE)
    assert quoted
    run("--hooktwin").stdout.fnmatch_lines([f"*{quoted[1]}*"])


def test_the_page_names_everything_that_can_be_imported() -> None:
    missing = [name for name in sim.testing.__all__ if name not in PAGE]
    assert missing in ([], ["Twin"], ["Twin", "WorldMachine"], ["WorldMachine"])
