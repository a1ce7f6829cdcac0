"""No escape sequence of a frame, a scenario, a name or a token reaches the terminal.

Every command that shows what others wrote is given texts that try to clear the screen, to
set its title, to ring, to go back, to turn the reading direction round.
"""

from __future__ import annotations

import io
import json
import re
import shutil
from pathlib import Path

import pytest

from sim.core.trace import write_trace
from sim.play import play
from tests.cli.hostile import write_hostile
from tests.cli.screens import ROOT, Said, Shell

ATTACKS = (
    "\x1b[2J\x1b[H", "\x1b]0;owned\x07", "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "\x9b31m", "\x90q\x9c", "a\rb", "a\bb", "\x7f", "\u202eetihw\u202c", "\u2028", "\x1bc",
    "\nOWNED: all is well",
)  # fmt: skip
EVERYTHING = " ".join(ATTACKS)
HARMFUL = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
OWNED = re.compile("^OWNED", re.MULTILINE)
DIAGRAM = """sequenceDiagram
    %% @protocol hook
    actor U as Alice
    participant IM as Slack
    participant S as hook server
    participant D as desktop
    U->>IM: message {text}
    S->>D: task.dispatch (requestId=R1)
    D->>S: task.ack (accepted, requestId=R1)
    D->>S: turn.end (ok, requestId=R1, finalText={text})
    %% @final R1 OK "something else"
"""


def assert_harmless(said: Said) -> None:
    """Nothing but printable texts and ends of lines, which are all ours."""
    found = HARMFUL.search(said.out + said.err)
    assert found is None, repr((said.out + said.err)[max(0, found.start() - 90) :][:180])
    assert not OWNED.search(said.out + said.err), "a newline of theirs says something of its own"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scenario whose texts attack, its trace, a log, a trace in which everything attacks."""
    place = tmp_path_factory.mktemp("hostile")
    text = json.dumps(EVERYTHING).replace(";", "\\u003b")  # it would end the statement
    (place / "evil.mmd").write_text(DIAGRAM.format(text=text), "utf-8")
    write_trace(place / "evil.jsonl", play(place / "evil.mmd", driver="step").trace)
    write_hostile(place / "worse.jsonl")
    frame = {"v": 1, "type": EVERYTHING, "id": EVERYTHING, "ts": 1, "payload": {EVERYTHING: text}}
    end = {"v": 1, "type": "turn.end", "id": "e", "ts": 1, "payload": {"status": EVERYTHING}}
    lines = [
        json.dumps({"ts": 1, "dir": "in", "conn": EVERYTHING, "raw": json.dumps(one)})
        for one in (frame, end)
    ]
    (place / "evil.log").write_text("\n".join([*lines, EVERYTHING, ""]), "utf-8")
    return place


def test_the_attacks_are_in_the_run(folder: Path) -> None:
    """Else nothing below would be tested."""
    text = (folder / "evil.jsonl").read_text("utf-8")
    assert json.dumps(EVERYTHING, ensure_ascii=False)[1:30] in text or "\\u001b[2J" in text


SHOWN = [
    *(["run", "evil.mmd", *more] for more in ([], ["--show", "all"], ["--json"], ["--seeds", "2"])),
    ["diagram", "evil.jsonl"], ["diagram", "worse.jsonl"], ["diagram", "evil.log"],
    ["check", "evil.log"], ["check", "evil.jsonl"], ["check", "worse.jsonl"],
    ["check", "evil.log", "--json"],
    ["explore", "evil.mmd", "--max-schedules", "3"],
    ["quiz", "evil.mmd", "--print"], ["quiz", "evil.jsonl", "--print"],
    ["quiz", "worse.jsonl", "--print"],
    *(["report", name, "--format", form]
      for name in ("evil.mmd", "worse.jsonl") for form in ("md", "mermaid", "svg")),
    ["review", ".", "--out", "review.html", "--schedules", "2"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", SHOWN, ids=" ".join)
def test_what_a_command_shows_of_others_is_harmless(
    arguments: list[str], folder: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    said = shell(*arguments)
    assert said.out + said.err
    assert "internal error" not in said.err, said.err
    assert_harmless(said)


ASKED = [
    ["run", EVERYTHING], ["parse", EVERYTHING], ["explain", EVERYTHING], ["schema", EVERYTHING],
    ["rules", EVERYTHING], ["states", EVERYTHING], ["run", "typical", "--without", EVERYTHING],
    ["replay", f"{EVERYTHING}//x"], ["replay", f"typical/{EVERYTHING}/x"], ["check", EVERYTHING],
    ["explore", EVERYTHING], ["explore", "typical", "--faults", EVERYTHING],
    ["diagram", EVERYTHING], ["mutants", EVERYTHING], ["report", EVERYTHING],
    ["review", EVERYTHING], ["quiz", EVERYTHING],
    ["learn", EVERYTHING], ["scenarios", "--protocol", EVERYTHING], ["verify", EVERYTHING],
    ["connect", EVERYTHING], ["proxy", "--upstream", EVERYTHING], [EVERYTHING],
]  # fmt: skip


@pytest.mark.parametrize("arguments", ASKED, ids=lambda words: words[0].strip("\x1b"))
def test_a_mistake_is_repeated_without_its_escape_sequences(
    arguments: list[str], shell: Shell
) -> None:
    said = shell(*arguments)
    assert said.code == 2
    assert said.out + said.err
    assert_harmless(said)


def test_what_is_typed_into_a_lesson_or_a_quiz_is_harmless(
    shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in (["learn", "1"], ["quiz", str(folder / "evil.jsonl")]):
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{EVERYTHING}\n" * 3))
        assert_harmless(shell(*words))


def test_a_file_s_name_is_harmless(folder: Path, shell: Shell, tmp_path: Path) -> None:
    name = EVERYTHING.replace("/", "")[:80]
    for suffix, commands in (
        (".mmd", ("run", "parse", "report")),
        (".jsonl", ("check", "diagram")),
    ):
        path = tmp_path / f"{name}{suffix}"
        shutil.copy(folder / f"evil{suffix}", path)
        for command in commands:
            more = ["--format", "md"] if command == "report" else []
            assert_harmless(shell(command, path, *more))


NAME = EVERYTHING.replace("/", "")[:90]
WRITTEN = [
    ["run", "evil.mmd", "--trace", f"{NAME}.jsonl"], ["run", "evil.mmd", "--svg", f"{NAME}.svg"],
    ["diagram", "evil.jsonl", "--out", f"{NAME}.mmd"],
    *(["check", "evil.log", option, f"{NAME}.x"] for option in ("--junit", "--sarif")),
    *(["explore", "evil.mmd", "--max-schedules", "2", option, f"{NAME}.x"]
      for option in ("--junit", "--sarif", "--save")),
    *(["report", "evil.mmd", "--out", f"{NAME}{end}"] for end in (".html", ".md", ".svg")),
    *(["review", "some", "--schedules", "1", "--out", f"{NAME}{end}"] for end in (".html", ".md")),
    ["review", "some", "--schedules", "1", "--save", NAME],
    ["schema", "hello", "--out", NAME], ["states", "round", "--out", f"{NAME}.svg"],
    ["states", "--format", "svg", "--out", NAME], ["export", "asyncapi", "--out", NAME],
    ["export", "perfetto", "evil.jsonl", "--out", NAME], ["bridge", "plugin", NAME],
    ["learn", "own", "--write", f"{NAME}.mmd"], ["tui", "evil.mmd", "--out", f"{NAME}.txt"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", WRITTEN, ids=lambda words: " ".join(words[:-1]))
def test_the_name_of_a_result_is_harmless_written_or_not(
    arguments: list[str],
    folder: Path,
    tmp_path: Path,
    shell: Shell,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.copytree(folder, tmp_path / "here")
    (tmp_path / "here" / "some").mkdir()
    shutil.copy(folder / "evil.mmd", tmp_path / "here" / "some" / f"{NAME}.mmd")
    monkeypatch.chdir(tmp_path / "here")
    for name in (arguments[-1], f"no {NAME}/{arguments[-1]}"):
        said = shell(*arguments[:-1], name)
        assert said.out + said.err
        assert "internal error" not in said.err, said.err
        assert_harmless(said)
    assert not any(OWNED.search(one.read_text("utf-8")) for one in Path().rglob("*.md"))


def test_the_screens_of_shipped_scenarios_are_as_harmless_as_their_files() -> None:
    """What is shipped is no exception that somebody could hide in."""
    found = [
        path.name
        for path in sorted((ROOT / "scenarios").rglob("*.mmd"))
        if HARMFUL.search(path.read_text("utf-8"))
    ]
    assert found == []
