"""Scenarios from files: Markdown, encodings, names, and what is no file at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.core.errors import ScenarioError
from sim.scenario.load import load_scenario, shipped_folder, shipped_scenarios
from sim.scenario.syntax import Arrow
from tests.scenario.words import HOOK, between

DIAGRAM = between("D->>S: hello")
WRONG = between("D->>S: helo")


def complaint(path: str | Path, shipped: Path | None = None) -> ScenarioError:
    """The error of loading this."""
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path, HOOK, shipped=shipped)
    return caught.value


def write(path: Path, content: str | bytes) -> Path:
    """A file with this content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


def test_a_scenario_is_called_like_its_file(tmp_path: Path) -> None:
    scenario = load_scenario(write(tmp_path / "late-press.mmd", DIAGRAM), HOOK)
    assert scenario.name == "late-press"
    assert scenario.source_text == DIAGRAM


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_first_mermaid_fence_of_markdown_keeps_the_lines_of_the_file(
    tmp_path: Path, fence: str, newline: str
) -> None:
    text = f"# Title\n\n```python\n# x\n```\n\n{fence} mermaid\n{DIAGRAM}{fence}\nafter\n"
    path = write(tmp_path / "a.md", "\ufeff" + text.replace("\n", newline))
    (arrow,) = load_scenario(path, HOOK).body
    assert isinstance(arrow, Arrow)
    assert (arrow.line, arrow.column) == (7 + 6, 1)


def test_a_complaint_in_markdown_names_the_line_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", f"prose\n\n```mermaid\n{WRONG}```\n")
    assert (complaint(path).line, complaint(path).column) == (3 + 6, 8)


def test_front_matter_of_a_fence_starts_on_its_first_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", f"x\n```mermaid\n---\ntitle: x\n---\n{WRONG}```\n")
    assert complaint(path).line == 2 + 3 + 6


def test_a_mermaid_fence_quoted_in_another_fence_is_no_diagram(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "````text\n```mermaid\nx\n```\n````\n")
    assert complaint(path).allowed == ("```mermaid",)


def test_an_open_mermaid_fence_is_refused_at_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", f"x\n  ```mermaid\n{DIAGRAM}")
    error = complaint(path)
    assert "never closed" in error.text
    assert (error.line, error.column) == (2, 3)


def test_an_undecodable_byte_is_named_with_offset_and_line(tmp_path: Path) -> None:
    head = between("U->>IM: 你好")
    error = complaint(write(tmp_path / "a.mmd", head.encode() + b"U->>IM: \xe4\xbd\xff\n"))
    assert f"offset {len(head.encode()) + 8}" in error.text
    assert (error.line, error.column) == (7, 9)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b" \r\n\t\n", "empty"),
        (b"\x89PNG\x00\x01", "binary"),
        (DIAGRAM.encode("utf-16"), "UTF-16"),
        (b"\xef\xbb\xbf", "no statement"),
        (b"x" * (4 * 1024 * 1024 + 1), "4 MiB"),
    ],
)
def test_what_is_no_text_is_refused_by_name(tmp_path: Path, content: bytes, says: str) -> None:
    assert says in complaint(write(tmp_path / "a.mmd", content)).text


def test_a_directory_and_a_missing_file_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path / "reopen-race.mmd", DIAGRAM)
    assert "directory" in complaint(tmp_path).text
    missing = complaint(tmp_path / "reopen-rase.mmd")
    assert "no such file" in missing.text
    assert missing.allowed == ("reopen-race.mmd",)


def test_a_file_below_a_file_cannot_be_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mmd", DIAGRAM)
    assert "cannot be read" in complaint(path / "b.mmd").text


IMPOSSIBLE_NAMES = ["", "a\0b", "a\0b.mmd", "x" * 5000, "x" * 5000 + ".mmd", "\ud800"]


@pytest.mark.parametrize("name", IMPOSSIBLE_NAMES)
def test_a_name_that_no_file_can_have_is_a_scenario_error(name: str) -> None:
    assert complaint(name).text


def test_a_shipped_scenario_is_found_by_its_name_in_any_folder(tmp_path: Path) -> None:
    write(tmp_path / "hook" / "reopen" / "late-teardown.md", f"```mermaid\n{DIAGRAM}```\n")
    write(tmp_path / "README.md", "no diagram here")
    assert load_scenario("late-teardown", HOOK, shipped=tmp_path).name == "late-teardown"
    assert list(shipped_scenarios(tmp_path)) == ["late-teardown"]


def test_an_unknown_name_is_refused_with_the_near_ones(tmp_path: Path) -> None:
    for number in range(30):
        write(tmp_path / f"other-{number}.mmd", DIAGRAM)
    write(tmp_path / "hook" / "late-teardown.mmd", DIAGRAM)
    assert complaint("late-tear-down", shipped=tmp_path).allowed == ("late-teardown",)


def test_a_name_that_two_files_have_is_refused_with_both(tmp_path: Path) -> None:
    write(tmp_path / "hook" / "a.mmd", DIAGRAM)
    write(tmp_path / "relay" / "a.md", DIAGRAM)
    error = complaint("a", shipped=tmp_path)
    assert error.allowed == ("hook/a.mmd", "relay/a.md")


def test_the_shipped_folder_exists_beside_the_package() -> None:
    assert shipped_folder().name in ("scenarios", "shipped")


def test_a_scenario_stands_before_those_whose_names_go_on_from_its_own(tmp_path):
    for name in ("race-b", "race", "race-a"):
        (tmp_path / f"{name}.mmd").write_text("sequenceDiagram\n")
    assert list(shipped_scenarios(tmp_path)) == ["race", "race-a", "race-b"]
