"""``hooktwin run``: drawing, channel, verdict, files, exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from sim.core.errors import LocalProtocolError, SimInternalError, UsageError
from sim.drivers.step import StepDriver
from sim.world.world import World
from tests.cli.screens import Shell

WRONG = """\
sequenceDiagram
    participant D as desktop
    participant S as hook server
    D->>S: hello
    S->>D: task.ack (accepted)
"""
RIGHT = WRONG.replace("    S->>D: task.ack (accepted)\n", "    S->>D: welcome\n")
RUDE = """\
sequenceDiagram
    actor U as 小明
    participant IM as Slack
    participant S as hook server
    participant D as desktop
    D->>S: hello
    S->>D: welcome
    U->>IM: message "你好 \\u001b[31m👋 \\u202eevil \\u0007"
    S->>D: task.dispatch
    D->>S: turn.end (ok, finalText="完成 \\u009b2J")
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "mine.mmd"
    path.write_text(RIGHT, encoding="utf-8")
    return path


def test_a_run_shows_the_diagram_the_channel_and_the_verdict(shell: Shell) -> None:
    said = shell("run", "typical")
    assert said.code == 0, said
    assert said.err == ""
    for part in ("desktop", "task.dispatch", "turn.end", "▶", "OK", "✓ typical", "digest"):
        assert part in said.out


def test_a_line_that_fails_in_each_turn_of_a_loop_is_told_once(
    shell: Shell, scenario: Path
) -> None:
    turn = '    loop 3 times\n    S->>D: welcome (serverName~"none")\n    end\n'
    scenario.write_text(RIGHT + turn, encoding="utf-8")
    said = shell("run", str(scenario), "--driver", "step")
    assert "3 expectations failed" in said.out
    assert said.out.count("line 7") == 1
    assert "again     2 times" in said.out


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_no_line_is_wider_than_the_terminal(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    drawn = shell("run", "typical", "--show", "all").out.split("✓ typical")[0]
    assert [line for line in drawn.splitlines() if cell_len(line) > width] == []


def test_lifelines_stand_in_the_same_column_whatever_the_texts_are(
    shell: Shell, tmp_path: Path
) -> None:
    path = tmp_path / "rude.mmd"
    path.write_text(RUDE, encoding="utf-8")
    said = shell("run", path)
    drawn = said.out.split("\n\n")[0].splitlines()[2:]
    columns = {tuple(n for n, sign in enumerate(line[:40]) if sign in "│●") for line in drawn}
    widest = max(columns, key=len)
    assert len(widest) >= 3
    assert [row for row in columns if not set(row) <= set(widest) | {row[0]}] == []


def test_what_people_write_cannot_command_the_terminal(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "rude.mmd"
    path.write_text(RUDE, encoding="utf-8")
    for extra in ((), ("--show", "all"), ("--json",), ("--quiet",)):
        said = shell("run", path, *extra)
        assert [c for c in said.out + said.err if c in "\x1b\x07\x9b\u202e"] == []


def test_json_is_one_object_with_the_agreed_keys(shell: Shell) -> None:
    said = shell("run", "typical", "--json")
    assert said.err == ""
    result = json.loads(said.out)
    assert list(result) == [
        "ok", "scenario", "seed", "digest", "steps", "virtual_s",
        "failures", "violations", "extra", "messages", "driver", "without", "names",
    ]  # fmt: skip
    assert result["ok"] is True


def test_a_failure_shows_the_line_what_was_expected_and_what_to_paste(
    shell: Shell, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.mmd"
    path.write_text(WRONG)
    path.write_text(WRONG.replace("S->>D: task.ack (accepted)", "D->>S: task.ack (accepted)"))
    said = shell("run", path, "--seed", 3)
    assert said.code == 1
    for part in ("line 5: D->>S: task.ack (accepted)", "expected", "happened"):
        assert part in said.out
    assert f"reproduce with: hooktwin run {path} --seed 3" in said.out


def test_quiet_prints_only_the_verdict(shell: Shell) -> None:
    said = shell("run", "typical", "--quiet")
    assert said.out.startswith("✓ typical")
    assert len(said.out.splitlines()) < 6


def test_the_drivers_give_the_same_run(shell: Shell) -> None:
    runs = [
        json.loads(shell("run", "typical", "--json", "--driver", d).out) for d in ("step", "trio")
    ]
    assert [run.pop("driver") for run in runs] == ["step", "trio"]
    assert runs[0] == runs[1]


def test_another_seed_is_another_run(shell: Shell) -> None:
    digests = {
        json.loads(shell("run", "typical", "--json", "--seed", n).out)["digest"] for n in (1, 2)
    }
    assert len(digests) == 2


def test_all_shows_more_than_frames(shell: Shell) -> None:
    few, all_of_it = shell("run", "typical").out, shell("run", "typical", "--show", "all").out
    assert "saves" not in few
    assert "saves" in all_of_it
    assert len(all_of_it.splitlines()) > len(few.splitlines())


def test_a_trace_is_written_and_can_be_written_back(shell: Shell, tmp_path: Path) -> None:
    trace, again = tmp_path / "run.jsonl", tmp_path / "again.mmd"
    first = json.loads(shell("run", "typical", "--json", "--trace", trace).out)
    assert trace.read_bytes().startswith(b'{"hooktwin":1,')
    assert shell("diagram", trace, "--out", again).code == 0
    assert json.loads(shell("run", again, "--json").out)["digest"] == first["digest"]


def test_a_picture_is_written_that_loads_nothing(shell: Shell, tmp_path: Path) -> None:
    from xml.etree import ElementTree

    picture = tmp_path / "run.svg"
    assert shell("run", "typical", "--svg", picture).code == 0
    drawn = picture.read_text(encoding="utf-8")
    ElementTree.fromstring(drawn)
    assert "task.dispatch" in drawn
    assert "url(" not in drawn
    assert drawn.count("http") == 1  # the namespace


def test_several_files_are_a_table_with_the_worst_exit_code(
    shell: Shell, scenario: Path, tmp_path: Path
) -> None:
    (tmp_path / "wrong.mmd").write_text(WRONG.replace("S->>D: task", "D->>S: task"))
    said = shell("run", scenario, tmp_path / "wrong.mmd")
    assert said.code == 1
    assert "1 of 2 scenarios hold" in said.out
    (tmp_path / "broken.mmd").write_text("sequenceDiagram\n  nonsense\n")
    said = shell("run", tmp_path)
    assert said.code == 2
    assert "broken.mmd:2:" in said.err
    assert "1 of 3 scenarios hold" in said.out


def test_a_folder_is_searched_for_diagrams_only(
    shell: Shell, scenario: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes.md").write_text("# No diagram\n")
    (tmp_path / "README.md").write_text("```mermaid\nflowchart TD\n```\n")
    hidden = tmp_path / ".hidden"
    hidden.mkdir()
    (hidden / "old.mmd").write_text("nonsense")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "told.md").write_text(f"# Told\n\n```mermaid\n{RIGHT}```\n")
    said = shell("run", tmp_path, "--json")
    assert [json.loads(line)["scenario"] for line in said.out.splitlines()] == ["told", "mine"]


def test_what_is_written_back_is_harmless_and_the_same_run(shell: Shell, tmp_path: Path) -> None:
    path, trace, again = tmp_path / "rude.mmd", tmp_path / "rude.jsonl", tmp_path / "again.mmd"
    path.write_text(RUDE.replace('    D->>S: turn.end (ok, finalText="完成 \\u009b2J")\n', ""))
    first = json.loads(shell("run", path, "--json", "--trace", trace).out)
    printed = shell("diagram", trace).out
    assert [c for c in printed if c in "\x1b\x07\x9b\u202e"] == []
    again.write_text(printed, encoding="utf-8")
    assert json.loads(shell("run", again, "--json").out)["digest"] == first["digest"]


def test_json_of_several_files_is_one_object_per_line(shell: Shell, scenario: Path) -> None:
    said = shell("run", scenario, "typical", "--json")
    names = [json.loads(line)["scenario"] for line in said.out.splitlines()]
    assert names == ["mine", "typical"]


def test_a_rule_that_is_off_is_named(shell: Shell) -> None:
    said = shell("run", "typical", "--without", "progress-throttle")
    assert "rules off: progress-throttle" in said.out


def test_markdown_scenarios_count_the_lines_of_the_file(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "told.md"
    wrong = WRONG.replace("S->>D: task", "D->>S: task")
    path.write_text(f"# Title\n\nProse.\n\n```mermaid\n{wrong}```\n")
    said = shell("run", path)
    assert "line 10: D->>S: task.ack (accepted)" in said.out


class Impatient:
    """A driver whose user presses Ctrl-C after a few events."""

    def __init__(self, world: World) -> None:
        self.world = world

    def run(self, until: Callable[[], bool], *, limit_us: int | None = None) -> None:
        def until_ctrl_c() -> bool:
            if len(self.world.events) > 12:
                raise KeyboardInterrupt
            return until()

        StepDriver(self.world).run(until_ctrl_c)


def test_ctrl_c_shows_what_happened_until_then(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, scenario: Path
) -> None:
    monkeypatch.setattr("sim.play.make_driver", lambda name, world, **_: Impatient(world))
    said = shell("run", "typical")
    assert said.code == 130
    assert "welcome" in said.out
    assert "the run was interrupted" in said.out
    several = shell("run", "typical", scenario)
    assert several.code == 130
    assert "0 of 1 scenarios hold" in several.out


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (SimInternalError("heap is upside down"), 1, "report"),
        (LocalProtocolError("desktop in state X cannot 'y'"), 1, "report"),
        (ZeroDivisionError("division by zero"), 1, "internal error: ZeroDivisionError"),
        (UsageError("not like this"), 2, "not like this"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_errors_are_told_apart_by_who_must_act(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, says: str
) -> None:
    def play(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("sim.play.play", play)
    said = shell("run", "typical", "--seed", 5)
    assert said.code == code
    assert said.out == ""
    assert says in said.err
    if says == "report":
        assert "hooktwin run typical --seed 5" in said.err


def test_a_result_never_replaces_what_is_read(shell: Shell, scenario: Path, tmp_path: Path) -> None:
    linked = tmp_path / "link.jsonl"
    linked.symlink_to(scenario)
    for option in (("--trace", scenario), ("--svg", scenario), ("--trace", linked)):
        said = shell("run", scenario, *option)
        assert (said.code, "is what is read" in said.err) == (2, True), said
    assert scenario.read_text(encoding="utf-8") == RIGHT
    both = tmp_path / "both"
    said = shell("run", scenario, "--trace", both, "--svg", both)
    assert (said.code, "is written already" in said.err) == (2, True), said
    trace = tmp_path / "run.jsonl"
    assert shell("run", scenario, "--trace", trace).code == 0
    before = trace.read_bytes()
    assert shell("diagram", trace, "--out", trace).code == 2
    assert trace.read_bytes() == before


def test_a_scenario_whose_name_is_not_utf8_can_be_recorded(shell: Shell, tmp_path: Path) -> None:
    odd = tmp_path / "odd\udcff.mmd"
    try:
        odd.write_text(RIGHT, encoding="utf-8")
    except (OSError, UnicodeEncodeError):
        pytest.skip("this file system wants UTF-8")
    trace = tmp_path / "run.jsonl"
    assert shell("run", odd, "--quiet", "--trace", trace).code == 0
    assert shell("diagram", trace).code == 0
