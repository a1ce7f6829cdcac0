"""``hooktwin check``: what a person, an editor and a program get."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from tests.check.logs import Story, written
from tests.cli.screens import ROOT, Shell

SCHEMA = Path(__file__).parents[1] / "data" / "sarif-2.1.0.schema.json"


def wrong() -> Story:
    story = Story().greet().dispatch()
    story.up("turn.progress", requestId="R1", text="too early")
    return story.ack().up("turn.progress", requestId="R1", text=7).end()


def test_findings_stand_as_compilers_write_them(shell: Shell, tmp_path):
    path = written(tmp_path, wrong().lines())
    told = shell("check", path)
    assert told.code == 1
    lines = told.out.splitlines()
    assert lines[0].startswith(
        f"{path}:4: ack-comes-first (desktop): d-1 sends turn.progress of R1"
    )
    assert "HK-02 HK-06" in lines[1]
    assert "§" in lines[1]
    assert lines[2].startswith(
        f"{path}:6: desktop-frames-pass-the-parser (desktop): turn.progress."
    )
    assert "field turn.progress.text" in lines[3]
    assert "1 wire fault, 1 finding of other rules, 2 rules broken" in told.out
    assert [line.split()[:4] for line in lines if line.startswith("✗  ack")] == [
        ["✗", "ack-comes-first", "desktop", "broken"]]  # fmt: skip


def test_a_clean_log_is_code_0(shell: Shell, tmp_path):
    told = shell("check", written(tmp_path, Story().greet().task().lines()))
    assert (told.code, told.err) == (0, "")
    assert "✓  ack-comes-first" in told.out
    assert "no rule broken" in told.out


def test_what_cannot_be_read_is_code_2_and_the_rest_is_judged(shell: Shell, tmp_path):
    good = written(tmp_path, Story().greet().task().lines())
    told = shell("check", str(tmp_path / "missing.log"), good)
    assert told.code == 2
    assert "missing.log" in told.err
    assert "✓" in told.out
    assert shell("check", written(tmp_path, b"rubbish\n", "rubbish")).code == 2


def test_all_files_of_a_folder_are_checked_each_for_itself(shell: Shell, tmp_path):
    (tmp_path / "logs").mkdir()
    for name in ("b.log", "a.log"):
        written(tmp_path / "logs", Story().greet().task().lines(), name)
    told = shell("check", "-q", str(tmp_path / "logs"))
    assert told.code == 0
    assert [Path(line.split()[1]).name for line in told.out.splitlines()] == ["a.log", "b.log"]
    (tmp_path / "none").mkdir()
    assert shell("check", str(tmp_path / "none")).code == 2


def test_standard_input_is_read(shell: Shell, monkeypatch):
    data = "".join(f"{line}\n" for line in wrong().lines()).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))
    told = shell("check", "-")
    assert told.code == 1
    assert told.out.startswith("-:4: ack-comes-first")


def test_only_the_form_only_the_rules_one_rule(shell: Shell, tmp_path):
    path = written(tmp_path, wrong().lines())
    assert "ack-comes-first" not in shell("check", "--only", "wire", path).out
    assert "frames-pass" not in shell("check", "--only", "rules", path).out
    told = shell("check", "--rule", "the-key-comes-back", path)
    assert told.code == 0
    assert "ack-comes-first" not in told.out
    unknown = shell("check", "--rule", "no-such-rule", path)
    assert (unknown.code, unknown.out) == (2, "")


def test_json_has_all_of_it_in_one_object(shell: Shell, tmp_path):
    path = written(tmp_path, [*wrong().lines(), "oops"])
    told = json.loads(shell("check", "--json", path).out)
    assert (told["ok"], told["frames"]) == (False, 7)
    first = told["findings"][0]
    assert (first["file"], first["line"], first["rule"], first["kind"]) == (
        path, 4, "ack-comes-first", "rule")  # fmt: skip
    assert (first["catalogue"], first["connection"]) == (["HK-02", "HK-06"], "c1")
    assert told["findings"][1]["path"] == "turn.progress.text"
    assert told["bad_lines"] == [
        {"file": path, "line": 8, "column": 1, "error": "no JSON"}]  # fmt: skip
    verdicts = {rule["rule"]: (rule["verdict"], rule["broken"]) for rule in told["rules"]}
    assert verdicts["ack-comes-first"] == ("broken", 1)
    assert verdicts["queries-are-new"] == ("not seen", 0)


def test_many_findings_of_a_rule_are_counted(shell: Shell, tmp_path):
    story = Story().greet()
    for number in range(9):
        story.up("turn.progress", requestId=f"R{number}", text="of nobody")
    path = written(tmp_path, story.lines())
    told = shell("check", path)
    assert told.out.count(": speaks-of-its-own-turns (") == 3
    assert "6 more of speaks-of-its-own-turns" in told.out
    every = shell("check", "--all", path)
    assert every.out.count(": speaks-of-its-own-turns (") == 9


@pytest.mark.parametrize("data", [b"", b"\n\n", b"rubbish\n", b'{"level":"info","msg":"x"}\n'])
def test_where_nothing_could_be_judged_it_is_code_2_and_no_tick(shell: Shell, tmp_path, data):
    told = shell("check", written(tmp_path, data))
    assert told.code == 2
    assert "✓" not in told.out
    assert "nothing could be judged" in told.out


def test_lines_that_hold_no_frame_are_capped_and_counted(shell: Shell, tmp_path):
    others = ['{"level":"info","msg":"x"}'] * 9 + ["rubbish"] * 8
    path = written(tmp_path, [*Story().greet().task().lines(), *others])
    told = shell("check", path)
    assert told.code == 0
    assert [told.out.count(what) for what in (": no frame in it", ": cannot be read")] == [3, 3]
    for line in ("6 more lines without a frame", "5 more lines that cannot be read",
                 "9 lines without a frame: not judged", "8 lines cannot be read"):  # fmt: skip
        assert line in told.out
    every = shell("check", "--all", path).out
    assert [every.count(what) for what in (": no frame in it", ": cannot be read")] == [9, 8]


def test_machines_get_junit_and_sarif(shell: Shell, tmp_path):
    path = written(tmp_path, wrong().lines())
    junit, sarif = tmp_path / "out.xml", tmp_path / "out.sarif"
    assert shell("check", path, "--junit", str(junit), "--sarif", str(sarif)).code == 1
    suite = ElementTree.parse(junit).getroot()[0]
    assert (suite.get("failures"), suite.get("name")) == ("2", path)
    document = json.loads(sarif.read_text(encoding="utf-8"))
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))
    results = document["runs"][0]["results"]
    lines = [one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in results]
    assert lines == [4, 6]


def test_escape_sequences_in_frames_do_not_reach_the_terminal(shell: Shell, tmp_path):
    story = Story().greet().up("turn.progress", requestId="\x1b[2Jgone", text="x")
    told = shell("check", written(tmp_path, [*story.lines(), "\x1b[31m"]))
    assert "\x1b" not in told.out


def test_a_growing_log_is_followed_until_ctrl_c(tmp_path):
    path = tmp_path / "live.log"
    lines = wrong().lines()
    path.write_text("\n".join(lines[:3]) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "sim", "check", "-f", str(path)]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        # What runs in a shell's background is deaf to Ctrl-C: not so this.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None,
        env={**os.environ, "COLUMNS": "100"},
    )
    with process:
        assert process.stdout is not None
        with path.open("a", encoding="utf-8") as file:
            file.write("\n".join(lines[3:]) + "\n")
        first = [process.stdout.readline() for _ in range(4)]
        assert first[0].startswith(f"{path}:4: ack-comes-first")
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert process.returncode == 1
    assert "2 rules broken" in rest


@pytest.mark.parametrize("arguments", [("-f", "a", "b"), ("--protocol", "smtp", "x")])
def test_what_cannot_be_wanted_is_refused(shell: Shell, arguments):
    assert shell("check", *arguments).code == 2
