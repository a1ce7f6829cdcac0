"""What the bridge reads from its environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.core.errors import UsageError
from sim.live.bridge_settings import BridgeSettings, settings_from
from sim.live.bridge_variables import USUAL_LOCK_WAIT_MS, VARIABLES

LEAST = {"HERMES_PERMISSION_BOT_TOKEN": "7:secret", "HERMES_TELEGRAM_CHANNEL": "-1001"}


def test_a_token_and_a_chat_are_enough(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    assert settings_from(LEAST) == BridgeSettings(
        token="7:secret",
        hook_token="7:secret",
        chat="-1001",
        opencode="http://127.0.0.1:4096",
        telegram="https://api.telegram.org",
        store=str(tmp_path / "hermes-pending.json"),
        mode=0o600,
        lock_wait_ms=2_000,
        port=4097,
    )


def test_the_usual_wait_for_the_lock_is_told_as_it_is() -> None:
    assert settings_from(LEAST).lock_wait_ms == USUAL_LOCK_WAIT_MS
    assert f"default: {USUAL_LOCK_WAIT_MS}" in VARIABLES["HERMES_PENDING_STORE_LOCK_WAIT_MS"]


def test_everything_can_be_set(tmp_path: Path) -> None:
    store = tmp_path / "pending.json"
    given = {
        "HERMES_HOOK_TOKEN": "8:other",
        "HERMES_OPENCODE_URL": "https://desk.example/api/",
        "HERMES_TELEGRAM_URL": "http://127.0.0.1:8081",
        "HERMES_PENDING_STORE_PATH": str(store),
        "HERMES_PENDING_STORE_MODE": "0o640",
        "HERMES_PENDING_STORE_LOCK_WAIT_MS": "500",
        "HERMES_BRIDGE_PORT": "0",
    }
    settings = settings_from({**LEAST, **given})
    assert (settings.hook_token, settings.opencode) == ("8:other", "https://desk.example/api")
    assert (settings.store, settings.mode) == (str(store), 0o640)
    assert (settings.lock_wait_ms, settings.port) == (500, 0)
    assert settings_from({**LEAST, "HERMES_OPENCODE_PORT": "5000"}).opencode.endswith(":5000")


def test_all_that_is_missing_is_named_at_once() -> None:
    with pytest.raises(UsageError) as told:
        settings_from({})
    for name in LEAST:
        assert f"{name}: {VARIABLES[name]}" in str(told.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HERMES_PERMISSION_BOT_TOKEN", "7:sec ret"),
        ("HERMES_HOOK_TOKEN", "7:sec/ret"),
        ("HERMES_TELEGRAM_CHANNEL", "@my_channel"),
        ("HERMES_OPENCODE_PORT", "70000"),
        ("HERMES_OPENCODE_URL", "127.0.0.1:4096"),
        ("HERMES_OPENCODE_URL", "http://[::1"),
        ("HERMES_TELEGRAM_URL", "https://api.telegram.org?x=1"),
        ("HERMES_PENDING_STORE_PATH", "/no/such/directory/pending.json"),
        ("HERMES_PENDING_STORE_PATH", "/"),
        ("HERMES_PENDING_STORE_MODE", "999"),
        ("HERMES_PENDING_STORE_LOCK_WAIT_MS", "-1"),
        ("HERMES_BRIDGE_PORT", "port"),
    ],
)
def test_what_is_wrong_is_named_and_no_secret_repeated(name: str, value: str) -> None:
    with pytest.raises(UsageError) as told:
        settings_from({**LEAST, name: value})
    assert name in str(told.value)
    assert "sec" not in str(told.value)


def test_settings_that_are_shown_show_no_token() -> None:
    assert "secret" not in repr(settings_from(LEAST))
