"""The pytest plugin: the fixture ``twin``, and diagrams as tests.

pytest loads this module at every start (entry point ``hooktwin``), so it
imports nothing of the simulator before somebody asks for it.

- ``def test_x(twin): result = twin.play("typical"); assert result.ok, result``
- ``pytest --hooktwin``, or ``hooktwin_scenarios = true`` in the settings: each
  ``.mmd`` file is a test. ``hooktwin_markdown = true``: each ``.md`` file whose
  first diagram is a sequence diagram, too.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from sim.testing.twin import Twin

MARKER = "hooktwin"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options and settings, all off by default."""
    group = parser.getgroup("hooktwin", "sequence diagrams that hooktwin plays")
    group.addoption(
        "--hooktwin",
        action="store_true",
        default=False,
        help="collect .mmd files: each scenario is a test",
    )
    parser.addini(
        "hooktwin_scenarios", "collect .mmd files, as --hooktwin does", type="bool", default=False
    )
    parser.addini(
        "hooktwin_markdown",
        "collect .md files with a sequence diagram too, where .mmd files are collected",
        type="bool",
        default=False,
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark that each collected scenario bears."""
    config.addinivalue_line(
        "markers", f"{MARKER}: a scenario that was collected from a diagram (pytest -m {MARKER})"
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A collector for a diagram, where diagrams are wanted."""
    config = parent.config
    suffix = file_path.suffix.lower()
    if suffix not in (".mmd", ".md"):
        return None
    if not (config.getoption("--hooktwin") or config.getini("hooktwin_scenarios")):
        return None
    if suffix == ".md" and not config.getini("hooktwin_markdown"):
        return None
    from sim.testing.collecting import ScenarioFile, shows_a_sequence

    if suffix == ".md" and not shows_a_sequence(file_path):
        return None
    collector: pytest.Collector = ScenarioFile.from_parent(parent, path=file_path)
    return collector


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that failed shows the verdicts of the runs that did not hold."""
    report = yield
    module = sys.modules.get("sim.testing.twin")
    if report.failed and call.when == "call" and module is not None:
        used = getattr(item, "funcargs", {}).get("twin")
        if isinstance(used, module.Twin):
            from sim.testing.collecting import verdict

            for scenario, result in used.failures:
                report.sections.append(("hooktwin", verdict(scenario, result)))
            for replay in used.broken:
                report.sections.append(("hooktwin", str(replay)))
    return report


@pytest.fixture
def twin(request: pytest.FixtureRequest) -> Twin:
    """Plays, explores and replays scenarios; relative paths are looked up beside the test."""
    from sim.testing.twin import Twin

    return Twin(request.path.parent)
