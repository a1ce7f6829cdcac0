"""``hooktwin bridge`` as a process: what it says, what it never says, how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from sim.cli.app import call
from tests.live.test_process import HOOKTWIN, addresses, environment, process

TOKEN = "7:sesame-open"


def _asked(url: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=10) as answer:
        return json.load(answer)


def _until(url: str, mark: str) -> None:
    for _ in range(600):
        if mark in json.dumps(_asked(url)):
            return
        time.sleep(0.05)
    raise AssertionError(f"{url} never showed {mark}: {_asked(url)}")


def test_a_press_goes_through_two_processes_and_ctrl_c_ends_the_bridge(tmp_path: Path) -> None:
    store = tmp_path / "pending.json"
    with process("serve", "--protocol", "question", "--seconds", "60") as serving:
        where = addresses(serving, 3)
        given = {
            "HERMES_PERMISSION_BOT_TOKEN": TOKEN,
            "HERMES_TELEGRAM_CHANNEL": "-4200000001",
            "HERMES_OPENCODE_URL": where["opencode"],
            "HERMES_TELEGRAM_URL": where["telegram"],
            "HERMES_PENDING_STORE_PATH": str(store),
        }
        command = [*HOOKTWIN, "bridge", "--port", "0", "--watch", os.getcwd()]
        with subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env={**environment(), **given}
        ) as bridge:
            try:
                _until(f"{where['control']}/channels/telegram", "Which environment")
                assert len(_asked(f"{where['opencode']}/question?directory={os.getcwd()}")) == 1
                _asked(f"{where['control']}/press", {"button": "staging"})
                _until(f"{where['control']}/questions", '"OK"')
            finally:
                bridge.send_signal(signal.SIGINT)
            told = bridge.communicate(timeout=20)[1]
        _asked(f"{where['control']}/end", {})
        assert serving.wait(20) == 0
    assert bridge.returncode == 130, told
    assert "✅ question 已回传 OpenCode: requestID=que_1" in told
    assert "1 question handed to the hook" in told
    assert "sesame" not in told
    assert sorted(one.name for one in tmp_path.iterdir()) == ["pending.json"]


def test_without_its_environment_the_bridge_says_what_it_needs(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("HERMES_PERMISSION_BOT_TOKEN", "HERMES_TELEGRAM_CHANNEL"):
        monkeypatch.delenv(name, raising=False)
    assert call(["bridge"]) == 2
    told = capfd.readouterr().err
    assert "HERMES_PERMISSION_BOT_TOKEN" in told
    assert "HERMES_TELEGRAM_CHANNEL" in told


def test_a_project_that_is_no_directory_cannot_be_watched(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HERMES_PERMISSION_BOT_TOKEN", TOKEN)
    monkeypatch.setenv("HERMES_TELEGRAM_CHANNEL", "-1")
    assert call(["bridge", "--watch", "/no/such/project"]) == 2
    assert "--watch" in capfd.readouterr().err


def test_the_plugin_is_written_once_and_replaced_only_by_force(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / ".opencode" / "plugin" / "bridge.js"
    assert call(["bridge", "plugin", str(file)]) == 0
    assert call(["bridge", "plugin"]) == 0
    assert capfd.readouterr().out == file.read_text()
    file.write_text("mine")
    assert call(["bridge", "plugin", str(file)]) == 2
    assert file.read_text() == "mine"
    assert call(["bridge", "plugin", str(file), "--force"]) == 0
    assert "tool.execute.before" in file.read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--twin", "opencode"],
        ["--twin", "hook", "--hook-url", "http://127.0.0.1:9/x"],
        ["--hook-url", "nowhere"],
        ["--store", "p.json"],
        ["--scenario", "custom-answer"],
        ["--channel", "slack"],
    ],
)
def test_what_serve_cannot_do_with_questions_is_refused(
    arguments: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert call(["serve", "--protocol", "question", *arguments]) == 2
    assert arguments[0].lstrip("-") in capfd.readouterr().err


def test_what_only_questions_have_is_refused_for_other_protocols(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert call(["serve", "--no-demo"]) == 2
    assert "--protocol question" in capfd.readouterr().err
