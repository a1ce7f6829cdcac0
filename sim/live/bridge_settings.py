"""What ``hooktwin bridge`` reads from its environment, and what is wrong with it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import attrs

from sim.core.errors import UsageError
from sim.drivers.listening import checked_base
from sim.live.bridge_variables import (
    BOT_TOKEN,
    BRIDGE_PORT,
    CHAT,
    HOOK_TOKEN,
    OPENCODE_PORT,
    OPENCODE_URL,
    STORE_FILE_MODE,
    STORE_LOCK_WAIT,
    STORE_NAME,
    STORE_PATH,
    TELEGRAM_URL,
    USUAL_BRIDGE_PORT,
    USUAL_OPENCODE_PORT,
    USUAL_TELEGRAM,
    VARIABLES,
)
from sim.live.disk import unfit
from sim.protocols.question.constants import LOCK_WAIT_MS, STORE_MODE

_TOKEN: Final = re.compile(r"[!-.0-~]+")  # what a path can carry as it is, no slash
_CHAT: Final = re.compile(r"-?[0-9]{1,20}")
_OCTAL: Final = re.compile(r"(0o)?[0-7]{3,4}")


@attrs.frozen(kw_only=True)
class BridgeSettings:
    """Where a bridge works: base URLs without a slash at the end, secrets, the pending file.

    ``token`` is the listener's bot, ``hook_token`` the one that asks. ``port``: of the
    bridge itself, for the plugin (0: any free one).
    """

    token: str = attrs.field(repr=False)
    hook_token: str = attrs.field(repr=False)
    chat: str
    opencode: str = f"http://127.0.0.1:{USUAL_OPENCODE_PORT}"
    telegram: str = USUAL_TELEGRAM
    store: str = ""
    mode: int = STORE_MODE
    lock_wait_ms: int = LOCK_WAIT_MS
    port: int = USUAL_BRIDGE_PORT


def settings_from(environment: Mapping[str, str]) -> BridgeSettings:
    """The settings. Raises UsageError that names the variable, never its value."""
    known = {name: environment.get(name, "").strip() for name in VARIABLES}
    missing = [name for name in (BOT_TOKEN, CHAT) if not known[name]]
    if missing:
        told = "; ".join(f"{name}: {VARIABLES[name]}" for name in missing)
        raise UsageError(f"the environment lacks {told}")
    token = _matched(known, BOT_TOKEN, _TOKEN, "the token as BotFather gives it")
    port = _number(known, OPENCODE_PORT, USUAL_OPENCODE_PORT, 1, 65_535)
    opencode = known[OPENCODE_URL] or f"http://127.0.0.1:{port}"
    mode = _matched(known, STORE_FILE_MODE, _OCTAL, "an octal mode such as 600", "600")
    return BridgeSettings(
        token=token,
        hook_token=_matched(known, HOOK_TOKEN, _TOKEN, "the token as BotFather gives it", token),
        chat=_matched(known, CHAT, _CHAT, "the chat's number, such as -1001234567890"),
        opencode=checked_base(opencode, OPENCODE_URL),
        telegram=checked_base(known[TELEGRAM_URL] or USUAL_TELEGRAM, TELEGRAM_URL),
        store=_store(known[STORE_PATH]),
        mode=int(mode.removeprefix("0o"), 8),
        lock_wait_ms=_number(known, STORE_LOCK_WAIT, LOCK_WAIT_MS, 0, 600_000),
        port=_number(known, BRIDGE_PORT, USUAL_BRIDGE_PORT, 0, 65_535),
    )


def _matched(
    known: Mapping[str, str], name: str, form: re.Pattern[str], wanted: str, usual: str = ""
) -> str:
    value = known[name] or usual
    if not form.fullmatch(value):
        raise UsageError(f"{name}: give {wanted}")
    return value


def _number(known: Mapping[str, str], name: str, usual: int, low: int, high: int) -> int:
    text = known[name] or str(usual)
    if not (text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high):
        raise UsageError(f"{name}: give a whole number from {low} to {high}")
    return int(text)


def _store(wanted: str) -> str:
    """The file's whole path. Raises UsageError where its directory is none."""
    path = Path(wanted or Path(tempfile.gettempdir()) / STORE_NAME)
    with suppress(OSError, ValueError, RuntimeError):  # the home of nobody
        path = path.expanduser().absolute()
    why = unfit(path)
    if why:
        raise UsageError(f"{STORE_PATH}: {path} {why}")
    return str(path)
