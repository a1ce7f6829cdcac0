"""The command line as a process: streams, locales, colours, completion."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from sim import __version__
from tests.cli.screens import ROOT, process

MODULE = [sys.executable, "-m", "sim"]


def test_both_entry_points_answer_with_the_version() -> None:
    assert process("--version").out == f"hooktwin {__version__}\n"
    script = Path(sys.executable).with_name("hooktwin")
    if not script.exists():
        pytest.skip("the package is not installed here")
    out = subprocess.run([script, "--version"], capture_output=True, text=True, check=True).stdout
    assert out.startswith("hooktwin ")


@pytest.mark.parametrize(
    "command",
    [
        "run",
        "verify",
        "diagram",
        "parse",
        "scenarios",
        "explain",
        "schema",
        "rules",
        "states",
        "explore",
        "replay",
        "mutants",
    ],
)
def test_every_help_teaches_by_example(command: str) -> None:
    said = process(command, "--help")
    assert said.code == 0
    assert "Example" in said.out
    assert f"hooktwin {command}" in said.out


def test_help_imports_nothing_heavy() -> None:
    loaded = process("--help", PYTHONPROFILEIMPORTTIME="1").err
    modules = {line.rpartition("|")[2].strip() for line in loaded.splitlines()}
    assert "typer" in modules
    heavy = {"trio", "msgspec", "can_ada", "hypothesis", "sim.play", "sim.protocols.hook"}
    assert modules & heavy == set()


def test_a_reader_that_goes_away_is_no_error_message() -> None:
    with subprocess.Popen(
        [*MODULE, "rules", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as running:
        assert running.stdout
        assert running.stderr
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 141


@pytest.mark.parametrize(
    "command", [("rules",), ("run", "typical"), ("explore", "typical", "--max-schedules", "2")]
)
def test_no_command_takes_a_reader_that_goes_away_for_a_failure(command: tuple[str, ...]) -> None:
    with subprocess.Popen(
        [*MODULE, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as running:
        assert running.stdout
        assert running.stderr
        running.stdout.close()
        said = running.stderr.read().decode()
    assert running.returncode == 141
    assert [line for line in said.splitlines() if "schedules," not in line] == []


def test_a_closed_stdout_is_no_traceback() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"exec {sys.executable} -m sim run typical >&-"],
        capture_output=True,
        cwd=ROOT,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_named() -> None:
    searched = ("explore", "heartbeat", "--max-schedules", "2")
    for command in (("rules",), ("rules", "--json"), searched, ("run", "typical")):
        with open("/dev/full", "w") as full:
            said = process(*command, stdout=full.fileno())
        assert said.code == 2, command  # 1 would be a finding
        assert "the output is not whole: No space left" in said.err
        assert "Traceback" not in said.err


def test_an_ascii_terminal_gets_the_same_drawing_in_plain_signs() -> None:
    said = process("run", "typical", PYTHONIOENCODING="ascii", COLUMNS="100")
    assert said.code == 0
    assert said.out.isascii()
    assert "|------" in said.out
    assert "ok: typical" in said.out


def test_the_c_locale_is_enough() -> None:
    said = process("run", "typical", LC_ALL="C", LANG="C")
    assert said.code == 0
    assert "typical" in said.out


def test_hash_seeds_change_nothing() -> None:
    runs = {process("run", "typical", "--json", PYTHONHASHSEED=seed).out for seed in ("1", "77")}
    assert len(runs) == 1


def on_a_terminal(*arguments: str, **env: str) -> str:
    """What a command prints on a terminal of its own."""
    parent, child = pty.openpty()
    done = subprocess.Popen(
        [*MODULE, *arguments],
        stdin=child,
        stdout=child,
        stderr=child,
        cwd=ROOT,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **env},
    )
    os.close(child)
    said = b""
    while True:
        try:
            chunk = os.read(parent, 65536)
        except OSError:
            break
        if not chunk:
            break
        said += chunk
    done.wait()
    os.close(parent)
    return said.decode()


def test_colours_are_used_on_a_terminal_and_nowhere_else() -> None:
    assert "\x1b[" in on_a_terminal("run", "typical")
    assert "\x1b[" not in process("run", "typical").out


def test_no_color_is_respected() -> None:
    assert "\x1b[" not in on_a_terminal("run", "typical", NO_COLOR="1")


def test_names_and_words_are_completed() -> None:
    for words, found in (
        ("hooktwin run typ", "typical"),
        ("hooktwin run scen", "scenarios/"),
        ("hooktwin run x --without owner-c", "owner-check"),
        ("hooktwin explain turn.en", "turn.end"),
        ("hooktwin schema turn.en", "turn.end"),
        ("hooktwin states roun", "round"),
        ("hooktwin explore typ", "typical"),
        ("hooktwin explore x --strategy exh", "exhaustive"),
        ("hooktwin mutants server-goes", "server-goes-back"),
    ):
        said = process(
            _HOOKTWIN_COMPLETE="complete_bash",
            COMP_WORDS=words,
            COMP_CWORD=str(len(words.split()) - 1),
        )
        assert found in said.out.split(), said
