"""The commands as processes: signals, exit codes, recordings that survive."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import trio
from trio_websocket import open_websocket_url
from typer.testing import CliRunner

from sim.cli.app import app
from sim.cli.living import serve as serve_command
from sim.core.event import ConnectionClosed, FrameSent
from sim.core.trace import read_trace

HOOKTWIN = [sys.executable, "-m", "sim"]
QUICK_S = 30.0


@contextmanager
def process(*arguments: str, **options: object) -> Iterator[subprocess.Popen[str]]:
    """A command that is running; killed at the end if it still is."""
    command = [*HOOKTWIN, *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment()) as one:
        try:
            yield one
        finally:
            one.kill()


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "COLUMNS": "120"}


def addresses(serving: subprocess.Popen[str], count: int) -> dict[str, str]:
    """The lines that serve begins with: where everything is."""
    assert serving.stdout is not None
    lines = (serving.stdout.readline().partition(" ") for _ in range(count))
    return {name: url.strip() for name, _, url in lines}


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 143), pytest.param(signal.SIGINT, 130, marks=pytest.mark.deep)],
)
def test_a_signal_closes_with_1001_and_leaves_a_whole_recording(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    ours, theirs = tmp_path / "serve.jsonl", tmp_path / "connect.jsonl"
    with process("serve", "--channel", "slack", "--record", str(ours)) as serving:
        where = addresses(serving, 2)
        connect = ("connect", where["slack"], "--record", str(theirs), "--seconds", "20")
        with process(*connect) as desktop:
            wait_for(lambda: httpx.get(where["control"] + "/links").json())
            serving.send_signal(number)
            err = serving.communicate(timeout=QUICK_S)[1]
            wait_for(lambda: '"code":1001' in theirs.read_text())
            desktop.send_signal(number)
            told = desktop.communicate(timeout=QUICK_S)[1]
    assert serving.returncode == code
    assert desktop.returncode == code
    assert re.search(r"\d+ frames, \d+ events, 0 findings", err)
    assert "1 connection," in told
    for record in (ours, theirs):
        trace = read_trace(record)
        assert not trace.truncated
        assert [e for e in trace.events if isinstance(e, FrameSent)]
        assert [e for e in trace.events if isinstance(e, ConnectionClosed) and e.code == 1001]


def wait_for(ask: object, within_s: float = QUICK_S) -> None:
    end = time.monotonic() + within_s
    while not ask():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.05)


def test_a_killed_process_has_written_all_that_had_happened(tmp_path: Path) -> None:
    record = tmp_path / "serve.jsonl"
    with process("serve", "--channel", "slack", "--record", str(record)) as serving:
        where = addresses(serving, 2)
        httpx.post(where["control"] + "/message", json={"text": "Hello"})
        wait_for(lambda: httpx.get(where["control"] + "/channels/slack").json()["messages"])
        serving.kill()
        serving.wait()
    assert '"text":"Hello"' in record.read_text()
    assert read_trace(record).events


WRONG_FRAME = '{"v":1,"type":"turn.end","id":"x1","ts":1,"payload":{}}'


@pytest.mark.parametrize(("is_wrong", "code"), [(True, 1), (False, 0)])
def test_a_session_that_is_asked_to_end_says_by_its_code_whether_there_were_findings(
    is_wrong: bool, code: int
) -> None:
    with process("serve", "--channel", "slack", "--seconds", "30") as serving:
        where = addresses(serving, 2)
        if is_wrong:
            trio.run(_say, where["slack"], WRONG_FRAME)
            wait_for(lambda: httpx.get(where["control"] + "/findings").json()["count"])
        assert httpx.post(where["control"] + "/end").json() == {"ok": True}
        told = serving.communicate(timeout=QUICK_S)[1]
    assert serving.returncode == code
    assert ("0 findings" in told) is not is_wrong


async def _say(url: str, text: str) -> None:
    async with open_websocket_url(url) as socket:
        await socket.send_message(text)
        await trio.sleep(0.2)


ENDS = [
    (["serve", "--channel", "x", "--seconds", "0.1"], 0),
    (["serve", "--scenario", "typical", "--seconds", "0.1"], 1),
    (["proxy", "--listen", "0", "--upstream", "ws://127.0.0.1:9", "--seconds", "0.1"], 0),
    (["proxy", "--listen", "0", "--upstream", "ws://127.0.0.1:9", "--seconds", "0.1",
      "--scenario", "typical"], 1),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "code"), ENDS)
def test_a_session_ends_when_its_time_is_up(arguments: list[str], code: int) -> None:
    assert CliRunner().invoke(app, arguments).exit_code == code


USAGE = [
    (("serve", "--channel", "irc"), "slack, telegram, x"),
    (("serve", "--scenario", "typical", "--channel", "x"), "--channel and --scenario"),
    (("serve", "--token", "with space"), "printable ASCII"),
    (("serve", "--record", "/nowhere/run.jsonl"), "there is no folder"),
    (("serve", "--without", "nothing"), "unknown rule"),
    (("serve", "--host", "203.0.113.7"), "an address of this machine"),
    (("serve", "--host", "a b"), "no address"),
    (("connect", "ws://[::1"), "no URL"),
    (("connect", "http://h"), "ws://127.0.0.1"),
    (("connect", "ws://h/ws"), "names no channel"),
    (("connect", "ws://h", "--scenario", "no-such"), "no shipped scenario"),
    (("connect", "ws://h", "--protocol", "question"), "hooktwin bridge"),
]


@pytest.mark.parametrize(("arguments", "told"), USAGE)
def test_what_cannot_be_done_is_said_before_anything_is_opened(
    arguments: tuple[str, ...], told: str
) -> None:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code != 0
    assert told in str(result.exception)


def test_nobody_at_the_address_is_exit_code_1() -> None:
    arguments = ["connect", "ws://127.0.0.1:9", "--channel", "x", "--seconds", "0.3"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1
    assert "0 connections" in result.output
    assert "127.0.0.1:9: connection refused" in result.output


def test_the_session_in_the_help_is_the_one_that_is_tested() -> None:
    told = CliRunner().invoke(app, ["serve", "--help"], env={"COLUMNS": "120"}).output
    for line in serve_command.SESSION:
        assert line in told


@pytest.mark.deep
def test_the_session_in_the_help_works_when_it_is_pasted(tmp_path: Path) -> None:
    script = "\n".join(["set -m", "hooktwin() { " + " ".join(HOOKTWIN) + ' "$@"; }',
                        *serve_command.SESSION])  # fmt: skip
    script = script.replace("8787", "28787").replace("8788", "28788")
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment(),
                          capture_output=True, text=True, timeout=90, check=False)  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith(("{", "["))]
    answers = [json.loads(line) for line in lines]
    assert all(one.get("ok", True) for one in answers if isinstance(one, dict)), answers
    assert any("Done: What is new?" in line for line in lines)
    assert "0 findings" in done.stdout.splitlines()[-1]
