"""What an extraction has come to, for programs."""

from __future__ import annotations

from typing import Any

from sim.protocols.relay.controller.errand import Extracted, NotExtracted

Told = dict[str, Any]


def json_of(end: Extracted | NotExtracted) -> Told:
    """What ``--json`` prints, and what the tool's structured answer holds."""
    if isinstance(end, Extracted):
        told: Told = {"ok": True, "format": end.format, "tabSessionId": end.tab_session_id}
        if end.url:
            told["url"] = end.url
        return {**told, "content": end.content}
    error = {"message": end.message}
    if end.code:
        error["code"] = end.code
    if end.hint:
        error["actionableHint"] = end.hint
    return {"ok": False, "error": error}
