"""Whoever gives an input that cannot be used gets one message, and exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.bad_inputs import BAD_SCENARIOS, BAD_TRACES, Bad
from tests.cli.screens import Said, Shell


def is_one_message(said: Said) -> bool:
    """One line on stderr that says who speaks; nothing on stdout; no traceback."""
    lines = said.err.splitlines()
    return (
        said.code == 2
        and said.out == ""
        and len(lines) == 1
        and lines[0].startswith("hooktwin: ")
        and "Traceback" not in said.err
    )


@pytest.mark.parametrize("bad", BAD_SCENARIOS, ids=lambda bad: bad.name)
@pytest.mark.parametrize("command", ["run", "parse", "verify", "explore"])
def test_a_bad_scenario_gets_one_message_with_place_and_remedy(
    shell: Shell, tmp_path: Path, bad: Bad, command: str
) -> None:
    path = tmp_path / "bad.mmd"
    path.write_bytes(bad.content)
    said = shell(command, path)
    assert is_one_message(said), said
    assert str(path) in said.err
    assert [word for word in bad.says if word not in said.err] == []


@pytest.mark.parametrize("bad", BAD_TRACES, ids=lambda bad: bad.name)
def test_a_bad_trace_gets_one_message_with_place_and_remedy(
    shell: Shell, tmp_path: Path, bad: Bad
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(bad.content)
    said = shell("diagram", path)
    assert is_one_message(said), said
    assert [word for word in (str(path), *bad.says) if word not in said.err] == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("run", "/no/such/file.mmd"), "no such file"),
        (("run", "typcal"), "typical"),
        (("run", ""), "empty"),
        (("run", "a\0b"), "no file name"),
        (("run", "x" * 5000), "no shipped scenario"),
        (("run", "/dev/zero"), "device"),
        (("diagram", "/dev/zero"), "device"),
        (("parse", "/dev/zero"), "device"),
        (("run", "typical", "--without", "owner-chek"), "owner-check"),
        (("run", "typical", "typical", "--trace", "x.jsonl"), "single scenario"),
        (("run", "typical", "--trace", "/no/such/folder/x.jsonl"), "/no/such/folder"),
        (("run", "typical", "--svg", "/no/such/folder/x.svg"), "/no/such/folder"),
        (("verify", "typical", "--drivers", "lively"), "live, step, trio"),
        (("diagram", "/no/such/trace.jsonl"), "No such file"),
        (("explain", "turn.edn"), "turn.end"),
        (("explain",), "--all"),
        (("explain", "HK-9999"), "HK-"),
        (("schema", "turn"), "turn.end"),
        (("schema", "--out", "/no/such/folder/x"), "/no/such/folder"),
        (("states", "round", "--out", "/no/such/folder/x"), "there is no folder"),
        (("states", "round", "--out", "/tmp"), "this is a folder"),
        (("export", "openapi", "--out", "/tmp"), "this is a folder"),
        (("export", "openapi", "--out", "n" * 300), "name too long"),
        (("report", "/tmp", "--format", "md"), "a directory"),
        (("quiz", "/dev/null", "--print"), "a device"),
        (("states", "rond"), "round"),
        (("explore", "/no/such/file.mmd"), "no such file"),
        (("explore", "typcal"), "typical"),
        (("explore", "typical", "--without", "owner-chek"), "owner-check"),
        (("explore", "typical", "--strategy", "portfolo"), "portfolio"),
        (("explore", "typical", "--faults", "cutt:1"), "cut, crash, channel"),
        (("explore", "typical", "--faults", "cut:x"), "WORD:COUNT"),
        (("explore", "typical", "--faults", "cut:-1"), "WORD:COUNT"),
        (("explore", "typical", "--save", "/proc/nothing"), "/proc/nothing"),
        (("explore", "typical", "--save", "/dev/null"), "/dev/null"),
        (("explore", "typical", "--junit", "/no/such/folder/x.xml"), "/no/such/folder"),
        (("explore", "typical", "--sarif", "/no/such/folder/x"), "/no/such/folder"),
        (("explore", "typical", "--junit", "/tmp"), "a folder"),
        (("explore", "typical", "--junit", "/tmp/x", "--sarif", "/tmp/x"), "another name"),
        (("explore", "typical", "--engine", "dusk://a:1"), "dask://HOST:PORT"),
        (("explore", "typical", "--engine", "dask://a:1", "--jobs", "2"), "give one of them"),
        (("mutants", "without-pnog"), "without-pong"),
    ],
)
def test_a_word_that_nobody_knows_is_answered_with_those_that_are_known(
    shell: Shell, arguments: tuple[str, ...], says: str
) -> None:
    said = shell(*arguments)
    assert is_one_message(said), said
    assert says in said.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("run",),
        ("run", "--foo"),
        ("run", "typical", "--seed", "x"),
        ("run", "typical", "--seed", "-1"),
        ("run", "typical", "--driver", "asyncio"),
        ("run", "typical", "--speed", "0"),
        ("run", "typical", "--show", "some"),
        ("verify", "typical", "--seeds", "0"),
        ("explore",),
        ("explore", "typical", "--jobs", "0"),
        ("explore", "typical", "--jobs", "many"),
        ("explore", "typical", "--seconds", "-1"),
        ("explore", "typical", "--seconds", "nan"),
        ("mutants", "--seconds", "nan"),
        ("explore", "typical", "--max-schedules", "0"),
        ("explore", "typical", "--deviations", "4"),
        ("explore", "typical", "--seed", "-1"),
        ("replay",),
        ("replay", "a/b/c", "--driver", "live"),
        ("mutants", "--seconds", "soon"),
        ("nonsense",),
        ("--nonsense",),
    ],
)
def test_a_bad_command_line_is_exit_code_2_and_names_the_help(
    shell: Shell, arguments: tuple[str, ...]
) -> None:
    said = shell(*arguments)
    assert said.code == 2
    assert said.out == ""
    assert "--help" in said.err
    assert "Traceback" not in said.err


def test_no_arguments_at_all_print_the_help(shell: Shell) -> None:
    said = shell()
    assert said.code == 2
    assert "Commands" in said.out + said.err


def test_a_folder_without_scenarios_is_named(shell: Shell, tmp_path: Path) -> None:
    said = shell("run", tmp_path)
    assert is_one_message(said)
    assert str(tmp_path) in said.err


def test_a_name_that_is_bound_twice_fails_the_run_or_is_refused(
    shell: Shell, tmp_path: Path
) -> None:
    path = tmp_path / "twice.mmd"
    path.write_text(
        "sequenceDiagram\n    participant D as desktop\n    participant D as desktop\n"
        "    participant S as server\n    D->>S: hello\n"
    )
    said = shell("run", path)
    assert is_one_message(said), said
    assert ":3:" in said.err


def test_an_unreadable_file_says_why(shell: Shell, tmp_path: Path) -> None:
    said = shell("run", "/proc/self/mem")
    assert is_one_message(said), said


ESCAPE = "\x1b[31mred\x1b]0;title\x07\x9b2J\u202e"


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", ESCAPE),
        ("run", f"./{ESCAPE}.mmd"),
        ("run", "typical", "--without", ESCAPE),
        ("run", f"--{ESCAPE}"),
        (ESCAPE,),
        ("explain", ESCAPE),
        ("schema", ESCAPE),
        ("states", ESCAPE),
        ("diagram", f"/tmp/{ESCAPE}"),
        ("verify", "typical", "--drivers", ESCAPE),
        ("explore", ESCAPE),
        ("explore", "typical", "--strategy", ESCAPE),
        ("explore", "typical", "--faults", ESCAPE),
        ("explore", "typical", "--engine", ESCAPE),
        ("replay", ESCAPE),
        ("replay", f"{ESCAPE}/{ESCAPE}/{ESCAPE}"),
        ("mutants", ESCAPE),
    ],
)
def test_no_control_character_of_an_argument_reaches_the_terminal(
    shell: Shell, arguments: tuple[str, ...]
) -> None:
    said = shell(*arguments)
    assert said.code == 2
    assert [c for c in said.out + said.err if c in "\x1b\x07\x9b\u202e"] == []


@pytest.mark.parametrize(
    ("arguments", "lists"),
    [
        (("run", "typical", "--without", "zzzz"), "hooktwin rules --switches"),
        (("mutants", "zzzz"), "hooktwin rules --json"),
        (("schema", "zzzz"), ""),
    ],
)
def test_of_a_long_list_without_a_near_word_a_few_are_told_and_where_all_are(
    shell: Shell, arguments: tuple[str, ...], lists: str
) -> None:
    said = shell(*arguments)
    assert said.code == 2
    assert lists in said.err
    assert 3 <= said.err.count(", ") < 12


def test_an_unknown_frame_is_answered_with_a_few_and_where_all_are(
    shell: Shell, tmp_path: Path
) -> None:
    path = tmp_path / "x.mmd"
    lines = ("sequenceDiagram", "participant S as hook server", "participant D as desktop")
    path.write_text("\n".join([*lines, "D->>S: zzzzz"]), encoding="utf-8")
    said = shell("run", path)
    assert "'hooktwin explain --all' lists all" in said.err
    assert said.err.count(", ") < 12


def test_a_link_that_leads_nowhere_is_a_scenario_that_cannot_be_read(
    shell: Shell, tmp_path: Path
) -> None:
    (tmp_path / "gone.mmd").symlink_to(tmp_path / "nowhere.mmd")
    (tmp_path / "round.mmd").symlink_to(tmp_path / "round.mmd")
    said = shell("review", tmp_path, "--schedules", 1)
    assert said.code == 1
    assert "0 of 2 scenarios hold" in said.out
    assert shell("run", tmp_path).code == 2


def test_a_path_that_does_not_exist_is_not_called_a_folder_without_scenarios(
    shell: Shell, tmp_path: Path
) -> None:
    for command in ("run", "explore", "verify"):
        for path in ("/nonexistent", tmp_path / "gone.mmd", tmp_path / "gone" / "deeper"):
            said = shell(command, path)
            assert said.code == 2
            assert "there is no such file" in said.err
            assert "no scenario" not in said.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("explore", "typical", "--save", ""),
        ("explore", "typical", "--junit", ""),
        ("run", "typical", "--trace", " "),
        ("schema", "--out", ""),
    ],
)
def test_an_empty_name_of_a_result_is_not_the_folder_one_is_in(
    shell: Shell, arguments: tuple[str, ...]
) -> None:
    said = shell(*arguments)
    assert said.code == 2
    assert said.out == ""
    assert "the name is empty" in said.err


def test_a_fault_that_is_counted_twice_is_refused(shell: Shell) -> None:
    said = shell("explore", "typical", "--faults", "cut:1,lose:1,cut:2")
    assert is_one_message(said)
    assert "cut is counted already" in said.err
