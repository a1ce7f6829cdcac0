"""Diagrams as tests in a user's own project."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import entry_points

import pytest

from tests.architecture.source import ROOT
from tests.testing import diagrams
from tests.testing.conftest import Run

OPT_IN = "[pytest]\nhooktwin_scenarios = true\n"


def write(project: pytest.Pytester, **texts: str) -> None:
    for name, text in texts.items():
        stem, _, suffix = name.rpartition("_")
        (project.path / f"{stem}.{suffix}").write_text(text, encoding="utf-8")


def test_nobody_gets_scenarios_as_tests_unasked(project: pytest.Pytester, run: Run) -> None:
    write(project, report_mmd=diagrams.FAILS)
    project.makepyfile("def test_one(): pass")
    run().assert_outcomes(passed=1)


@pytest.mark.parametrize("by_option", [True, False])
def test_each_diagram_is_a_test_where_it_is_asked_for(
    project: pytest.Pytester, run: Run, by_option: bool
) -> None:
    write(project, good_mmd=diagrams.HOLDS, bad_mmd=diagrams.FAILS, read_md=diagrams.MARKDOWN)
    if not by_option:
        project.makeini(OPT_IN)
    run(*(["--hooktwin"] if by_option else [])).assert_outcomes(passed=1, failed=1)


def test_a_failed_diagram_is_reported_as_hooktwin_run_does(
    project: pytest.Pytester, run: Run
) -> None:
    write(project, report_mmd=diagrams.FAILS)
    said = run("--hooktwin")
    said.stdout.fnmatch_lines(
        [
            "*scenario: report*",
            "✗ report  1 expectation failed; no invariant broken",
            "  seed 1 · trio · * steps · * s virtual",
            '  line 9: %% @final R1 OK "Here it was."',
            '*happened  OK "Here it is."',
            "  reproduce with: hooktwin run report.mmd --seed 1",
        ]
    )
    said.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.parametrize(
    ("text", "place"),
    [(diagrams.MISTYPED, "bad.mmd:8:12: unknown frame 'turn.edn'"),
     (diagrams.UNPLAYABLE, "bad.mmd:10:*no frame follows in this diagram"),
     ("", "bad.mmd:1:1: the file is empty")],
)  # fmt: skip
def test_a_mistake_in_a_diagram_is_an_error_of_the_collection_with_its_place(
    project: pytest.Pytester, run: Run, text: str, place: str
) -> None:
    write(project, bad_mmd=text, good_mmd=diagrams.HOLDS)
    said = run("--hooktwin", "--continue-on-collection-errors")
    said.assert_outcomes(passed=1, errors=1)
    said.stdout.fnmatch_lines(["*ERROR collecting bad.mmd*", f"*{place}*"])
    said.stdout.no_fnmatch_line("*Traceback*")


def test_a_diagram_that_says_what_it_breaks_passes(project: pytest.Pytester, run: Run) -> None:
    write(project, race_mmd=diagrams.with_a_race())
    run("--hooktwin").assert_outcomes(passed=1)


def test_scenarios_are_chosen_by_word_by_mark_and_by_node(
    project: pytest.Pytester, run: Run
) -> None:
    write(project, one_mmd=diagrams.HOLDS, two_mmd=diagrams.HOLDS)
    project.makepyfile(test_code="def test_three(): pass")
    project.makeini(OPT_IN)
    run("-k", "two").assert_outcomes(passed=1, deselected=2)
    run("-m", "hooktwin", "--strict-markers").assert_outcomes(passed=2, deselected=1)
    run("-m", "not hooktwin").assert_outcomes(passed=1, deselected=2)
    run("two.mmd::two").assert_outcomes(passed=1)


def test_markdown_is_read_only_when_asked_and_only_for_sequences(
    project: pytest.Pytester, run: Run
) -> None:
    write(project, read_md=diagrams.MARKDOWN, parts_md=diagrams.FLOWCHART, plain_md="# Words\n")
    (project.path / "latin.md").write_bytes(b"caf\xe9")
    write(project, one_mmd=diagrams.HOLDS)
    project.makeini(OPT_IN)
    run().assert_outcomes(passed=1)
    project.makeini(OPT_IN + "hooktwin_markdown = true\n")
    run().assert_outcomes(passed=2)


def test_a_fence_that_is_never_closed_is_an_error_of_the_collection(
    project: pytest.Pytester, run: Run
) -> None:
    write(project, read_md=diagrams.UNCLOSED)
    said = run("--hooktwin", "-o", "hooktwin_markdown=true")
    said.assert_outcomes(errors=1)
    said.stdout.fnmatch_lines(["*read.md:3:1: the mermaid fence that starts here is never closed*"])


def test_the_plugin_costs_the_start_of_pytest_nothing() -> None:
    script = "import sys, pytest, sim.testing.plugin; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    heavy = {"hypothesis", "trio", "msgspec", "attrs", "rich", "sim.play", "sim.core.errors"}
    assert heavy & set(done.stdout.split()) == set()


def test_pytest_finds_the_plugin_where_the_package_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["entry-points"]["pytest11"] == {"hooktwin": "sim.testing.plugin"}
    installed = [one for one in entry_points(group="pytest11") if one.name == "hooktwin"]
    assert [one.value for one in installed] in ([], ["sim.testing.plugin"])


def test_our_own_tests_collect_no_scenario_of_the_tree(request: pytest.FixtureRequest) -> None:
    found = [one.nodeid for one in request.session.items if one.path.suffix != ".py"]
    assert found == []
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "hooktwin_scenarios" not in settings["tool"]["pytest"]["ini_options"]
