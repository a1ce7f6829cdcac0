"""``hooktwin proxy`` on a command line: what it prints, and how it ends."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

from sim.cli.app import call
from sim.core.trace import read_trace
from sim.drivers.websocket import bind
from sim.drivers.websocket_peer import Ended, Upgrade, reach
from tests.live.proxying import HELLO, Server, frame, hear, run

SECRET = "do-not-tell"


@contextmanager
def started(*arguments: str, **how: Any) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The command in a process of its own, and its port."""
    command = [sys.executable, "-m", "sim", "proxy", "--listen", "0", *arguments]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes, **how) as process:
        try:
            assert process.stdout is not None
            found = re.match(r"proxy +ws://127\.0\.0\.1:(\d+) ", process.stdout.readline())
            assert found is not None, process.stderr and process.stderr.read()
            yield process, int(found[1])
        finally:
            process.kill()


def test_a_signal_closes_with_1001_keeps_the_recording_and_tells_what_there_was(
    tmp_path: Path,
) -> None:
    file = tmp_path / "run.jsonl"

    async def play() -> None:
        real = Server()
        async with trio.open_nursery() as nursery:
            real.port, listeners = await bind(0, "the server")
            nursery.start_soon(real.serve, listeners)
            url = f"ws://127.0.0.1:{real.port}"
            with started("--upstream", url, "--record", str(file), "--fault", "lose:ping") as (
                process, port,
            ):  # fmt: skip
                stream = await trio.open_tcp_stream("127.0.0.1", port)
                headers = ((b"authorization", f"Bearer {SECRET}".encode()),)
                client = await reach(stream, "h", Upgrade(f"/slack?t={SECRET}", headers))
                server = await real.peer()
                for text in [HELLO, frame("ping"), frame("task.ack")]:
                    await client.send(text)
                assert [await hear(server), await hear(server)] == [HELLO, frame("task.ack")]
                process.send_signal(signal.SIGTERM)
                for peer in (client, server):
                    ended = await hear(peer)
                    assert isinstance(ended, Ended)
                    assert ended.code == 1001
                    await peer.close(1001, "")
                    await peer.hang_up()
                out, err = await trio.to_thread.run_sync(process.communicate)
                assert process.returncode == 143
                _check_told(out, err, file)
            nursery.cancel_scope.cancel()

    run(play)
    kinds = [type(event).__name__ for event in read_trace(file).events]
    assert kinds.count("FrameSent") == 3
    assert kinds.count("FrameLost") == 1
    assert kinds[-2:] == ["ConnectionClosed"] * 2
    assert SECRET not in file.read_text()


def _check_told(out: str, err: str, file: Path) -> None:
    assert "D->S  hello 1, ping 1, task.ack 1" in out
    assert "faults  lose 1" in out
    assert f"recorded in {file}" in out
    assert re.search(r"^#\d+ .* D\.slack#1: desktop-frames-pass-the-parser", err, re.M)
    assert SECRET not in out + err


def test_keys_strike_and_the_terminal_is_as_it_was_after() -> None:
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    try:
        with started("--upstream", "ws://127.0.0.1:1", "--keys", stdin=slave) as (process, _):
            assert termios.tcgetattr(slave)[3] & termios.ICANON == 0
            os.write(master, b"c?")
            assert process.stderr is not None
            assert "no connection is open" in process.stderr.readline()
            assert "cut the newest connection" in process.stderr.readline()
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 130
        assert termios.tcgetattr(slave) == before
    finally:
        os.close(master)
        os.close(slave)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--upstream", "http://h"], "--upstream"),
        (["--upstream", "ws://h", "--fault", "lose:turn.ends"], "turn.end"),
        (["--upstream", "ws://h", "--scenario", "no-such"], "no-such"),
        (["--upstream", "ws://h", "--record", "/no/such/folder/f"], "/no/such/folder"),
        (["--upstream", "ws://h", "--keys"], "terminal"),
        (["--upstream", "ws://h", "--host", "203.0.113.1"], "203.0.113.1"),
    ],
)
def test_what_cannot_be_used_ends_with_2_and_a_sentence(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["proxy", "--listen", "0", *arguments]) == 2
    assert told in capsys.readouterr().err


def test_a_port_that_is_taken_is_told_and_no_recording_is_begun(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import socket

    file = tmp_path / "run.jsonl"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code = call(["proxy", "--listen", str(port), "--upstream", "ws://h", "--record", str(file)])
    assert code == 2
    assert str(port) in capsys.readouterr().err
    assert not file.exists()
