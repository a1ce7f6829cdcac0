"""Whatever the text is: a scenario or a ScenarioError with a place inside the text."""

from __future__ import annotations

import contextlib

from hypothesis import example, given, settings
from hypothesis import strategies as st

from sim.core.errors import ScenarioError
from sim.scenario.lexer import decode
from sim.scenario.markdown import first_diagram
from sim.scenario.parse import parse_scenario
from sim.scenario.syntax import Scenario
from tests.scenario.generated import damaged, diagrams
from tests.scenario.words import HOOK, between, read

HEADS = ["D->>S: ", "U->>IM: ", "U->>D: ", "S->>IM: ", "%% @", "D->>D: "]


def outcome(text: str) -> Scenario | ScenarioError:
    """Parse; any other exception fails the test by itself."""
    try:
        return read(text)
    except ScenarioError as error:
        check_place(error, text)
        return error


def check_place(error: ScenarioError, text: str) -> None:
    """The complaint has words, and points into the text or just behind a line of it."""
    lines = text.removeprefix("\ufeff").split("\n")
    assert error.text
    assert 1 <= error.line <= len(lines)
    assert 1 <= error.column <= len(lines[error.line - 1]) + 1


@given(st.text())
@example("sequenceDiagram\n\u2028")
def test_any_text_is_a_scenario_or_a_scenario_error(text: str) -> None:
    outcome(text)


@given(st.lists(st.text(max_size=40), max_size=8))
def test_any_lines_in_a_diagram_are_a_scenario_or_a_scenario_error(lines: list[str]) -> None:
    outcome(between(*lines))


@given(st.text(), st.sampled_from(HEADS))
@example("think ", "D->>D: ")
@example("hello (", "D->>S: ")
def test_any_text_behind_an_arrow_or_an_at_sign_is_judged(text: str, head: str) -> None:
    outcome(between(head + text))


@settings(max_examples=600)
@given(damaged())
def test_a_damaged_diagram_is_a_scenario_or_a_scenario_error(text: str) -> None:
    outcome(text)


@given(diagrams())
def test_a_generated_diagram_parses_the_same_with_windows_line_ends(text: str) -> None:
    plain = outcome(text)
    assert isinstance(plain, Scenario), plain
    windows = outcome("\ufeff" + text.replace("\n", "\r\n"))
    assert isinstance(windows, Scenario)
    assert windows.body == plain.body


@given(st.binary())
def test_any_bytes_are_a_scenario_or_a_scenario_error(data: bytes) -> None:
    with contextlib.suppress(ScenarioError):
        parse_scenario(decode(data, "a.mmd"), "a.mmd", HOOK)


@given(st.text("`~ mermaid\n\r\tx"))
def test_any_markdown_has_a_first_diagram_or_is_a_scenario_error(text: str) -> None:
    try:
        fenced = first_diagram(text, "a.md")
    except ScenarioError:
        return
    assert fenced.text in text
    assert text.split("\n")[fenced.first_line - 2].lstrip(" \t")[:3] in ("```", "~~~")
