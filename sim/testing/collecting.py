"""Diagrams as pytest's items: one file is one test, played by the Trio driver."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sim.core.errors import ScenarioError, UsageError
from sim.play import load, open_run, play
from sim.scenario.lexer import decode
from sim.scenario.markdown import WANTED, first_diagram
from sim.scenario.playing.play import rules_off
from sim.scenario.syntax import Scenario
from sim.testing.naming import typed
from sim.testing.plugin import MARKER

if TYPE_CHECKING:
    from sim.scenario.playing.result import Result

DRIVER = "trio"
WIDTH = 100


class ScenarioFailed(Exception):
    """A scenario was played and did not hold."""

    def __init__(self, scenario: Scenario, result: Result) -> None:
        super().__init__(repr(result))
        self.scenario = scenario
        self.result = result


class ScenarioFile(pytest.File):
    """One file with one diagram. A mistake in it is an error of the collection."""

    def collect(self) -> Iterator[pytest.Item]:
        try:
            scenario = load(self.path)
            open_run(scenario).world.close()  # what cannot be played is a mistake, too
        except UsageError as error:
            raise self.CollectError(str(error)) from error
        yield ScenarioItem.from_parent(self, name=scenario.name, scenario=scenario)


class ScenarioItem(pytest.Item):
    """Plays its scenario; what is reported is the verdict of ``hooktwin run``."""

    def __init__(self, *, scenario: Scenario, **place: Any) -> None:
        super().__init__(**place)
        self.scenario = scenario
        self.add_marker(MARKER)

    def runtest(self) -> None:
        result = play(self.scenario, driver=DRIVER)
        if not result.ok:
            raise ScenarioFailed(self.scenario, result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any) -> Any:
        """The verdict with line numbers; a traceback where hooktwin itself failed."""
        error = excinfo.value
        if isinstance(error, ScenarioFailed):
            return verdict(error.scenario, error.result)
        return super().repr_failure(excinfo, *args)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"scenario: {self.name}"


def verdict(scenario: Scenario, result: Result) -> str:
    """What ``hooktwin run`` says at the end, without colours."""
    from rich.console import Console
    from rich.text import Text

    from sim.cli.report.verdict import Asked, tell_verdict

    written = StringIO()
    screen = Console(file=written, width=WIDTH, color_system=None, markup=False, emoji=False)
    header = result.trace.header
    own = rules_off(scenario, frozenset())
    asked = Asked(
        typed(scenario), header.driver, tuple(one for one in header.without if one not in own)
    )
    for line in tell_verdict(result, scenario, asked, WIDTH):
        # Commands are to be copied: they stay in one line.
        screen.print(line, soft_wrap=isinstance(line, Text), highlight=False)
    return "\n".join(line.rstrip() for line in written.getvalue().rstrip().split("\n"))


def shows_a_sequence(path: Path) -> bool:
    """Whether a Markdown file's first diagram is a sequence diagram.

    A fence that is never closed counts as one: its author shall hear of it.
    """
    try:
        text = decode(path.read_bytes(), str(path))
    except (ScenarioError, OSError):
        return False  # no text, so no diagram
    try:
        return "sequenceDiagram" in first_diagram(text, str(path)).text
    except ScenarioError as error:
        return error.allowed != WANTED
