"""What is too large, too deep, packed too well or without an end is refused, with the remedy."""

from __future__ import annotations

import gzip
import json
import os
import threading
from pathlib import Path

import pytest
import trio

from sim.check import source
from sim.core import trace
from sim.core.errors import ScenarioError, TraceError, UsageError
from sim.core.http import RESET, HttpRequest, HttpResponse, Unreached
from sim.drivers import http_asking
from sim.explore import store
from sim.scenario.load import load_scenario
from sim.scenario.parse import LARGEST_BYTES
from sim.view.tracefile import TraceFile
from tests.cli.screens import Shell

HEADER = b'{"hooktwin":1,"scenario":"x"}\n'


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A pipe into which somebody writes as long as somebody reads."""
    path = tmp_path / "endless.jsonl"
    os.mkfifo(path)

    def write() -> None:
        try:
            with path.open("wb", buffering=0) as file:
                file.write(HEADER)
                while True:
                    file.write(b"x" * 65_536)
        except OSError:
            pass

    threading.Thread(target=write, daemon=True).start()
    return path


@pytest.mark.parametrize("read", [trace.read_trace, TraceFile.open], ids=["events", "viewer"])
def test_a_trace_without_an_end_is_given_up(
    read, endless: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace, "LARGEST_BYTES", 1 << 20)
    with pytest.raises(TraceError, match="more than 1 MiB; record a shorter run"):
        read(endless)


@pytest.mark.parametrize("read", [trace.read_trace, TraceFile.open, store.read_stored])
def test_a_device_is_no_trace_and_no_finding(read) -> None:
    with pytest.raises(UsageError, match=r"/dev/zero: .*this is a device"):
        read(Path("/dev/zero"))


def test_a_finding_without_an_end_is_given_up(
    endless: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "LARGEST_BYTES", 1 << 20)
    with pytest.raises(UsageError, match="more than 1 MiB"):
        store.read_stored(endless)


def test_a_scenario_without_an_end_is_given_up(endless: Path) -> None:
    with pytest.raises(ScenarioError, match=f"{LARGEST_BYTES >> 20} MiB|{LARGEST_BYTES}|large"):
        load_scenario(endless)


def test_a_log_that_is_a_gzip_bomb_is_given_up_long_before_its_end(
    tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "BOMB_BYTES", 1 << 20)
    path = tmp_path / "bomb.log.gz"
    path.write_bytes(gzip.compress(b"0" * (12 << 20), mtime=0))
    said = shell("check", path)
    assert said.code == 2
    assert f"unpacks to more than {source.BOMB_TIMES} times its size" in said.err


def test_a_packed_log_of_equal_lines_is_no_bomb(tmp_path: Path, shell: Shell) -> None:
    line = json.dumps({"v": 1, "type": "ping", "id": "a", "ts": 1, "payload": {}}) + "\n"
    path = tmp_path / "quiet.log.gz"
    path.write_bytes(gzip.compress(line.encode() * 5_000, mtime=0))
    assert "unpacks" not in shell("check", path).err


@pytest.mark.parametrize("depth", [2_000, 20_000])
@pytest.mark.parametrize("suffix", ["jsonl", "har", "json"])
def test_a_log_that_is_nested_without_measure_is_a_finding_and_no_failure(
    tmp_path: Path, shell: Shell, depth: int, suffix: str
) -> None:
    path = tmp_path / f"deep.{suffix}"
    path.write_text('{"v":1,"type":' + '{"a":' * depth + "1" + "}" * depth + "}\n", "utf-8")
    assert shell("check", path).code in (1, 2)


async def _serve(body: bytes, headers: bytes, listener: trio.SocketListener) -> None:
    async def one(stream: trio.SocketStream) -> None:
        await stream.receive_some(4096)
        try:
            head = b"HTTP/1.1 200 OK\r\n" + headers + b"\r\n\r\n"
            await stream.send_all(head + body)
            await stream.aclose()
        except trio.BrokenResourceError:
            pass

    await trio.serve_listeners(one, [listener])


def _asked(body: bytes, headers: bytes) -> HttpResponse | Unreached:
    async def main() -> HttpResponse | Unreached:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        endpoint = http_asking.Endpoint(f"http://127.0.0.1:{listener.socket.getsockname()[1]}")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_serve, body, headers, listener)
            with trio.fail_after(20):
                answered = await endpoint.ask(HttpRequest("GET", "/"))
            await endpoint.close()
            nursery.cancel_scope.cancel()
        return answered

    return trio.run(main)


def test_an_answer_that_unpacks_to_too_much_is_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_asking, "ANSWER_BYTES", 1 << 16)
    packed = gzip.compress(b"[" + b"0," * (1 << 20) + b"0]")
    coded = b"Content-Encoding: gzip\r\nContent-Length: " + str(len(packed)).encode()
    assert _asked(packed, coded) == Unreached(RESET)
    assert _asked(b'{"ok":true}', b"Content-Length: 11") == HttpResponse(200, {"ok": True})
