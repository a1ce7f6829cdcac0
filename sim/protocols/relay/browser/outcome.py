"""What an action of the browser comes to: done, failed, or a person's turn."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import attrs

from sim.protocols.relay.codes import ERROR_CODES

VALIDATION_STAGE: Final = "validation"
EXECUTION_STAGE: Final = "execution"


@attrs.frozen
class Done:
    """It was done; ``data`` is that of the result."""

    data: dict[str, Any]

    def payload(self, action: str, duration_ms: int) -> dict[str, Any]:
        """The payload of the result frame."""
        return {
            "ok": True,
            "durationMs": duration_ms,
            "action": action,
            "data": self.data,
            "commandOutcome": "completed",
        }


@attrs.frozen
class Failed:
    """It was not; ``code`` is one of the protocol's, ``hint`` says what would help."""

    code: str
    message: str
    stage: str = EXECUTION_STAGE
    hint: str = ""

    def payload(self, action: str, node_id: str, tab_session_id: str = "") -> dict[str, Any]:
        """The payload of the error frame. Raises KeyError for a code that is not declared."""
        code = ERROR_CODES[self.code]
        wire: dict[str, Any] = {
            "category": code.category,
            "code": code.code,
            "message": self.message,
            "action": action,
            "stage": self.stage,
            "nodeId": node_id,
        }
        if code.retryable:
            wire["retryable"] = True
        if tab_session_id:
            wire["tabSessionId"] = tab_session_id
        if self.hint:
            wire["actionableHint"] = self.hint
        return wire


@attrs.frozen
class HandedOver:
    """A person has to sign in first; the same command, tried again afterwards, goes on."""

    site: str
    tab_session_id: str
    login_url: str


Outcome: TypeAlias = Done | Failed | HandedOver


class Refusal(Exception):
    """Ends an action; within the browser only, outside it is a :class:`Failed`."""

    def __init__(
        self, code: str, message: str, stage: str = EXECUTION_STAGE, hint: str = ""
    ) -> None:
        super().__init__(message)
        self.failed = Failed(code, message, stage, hint)


def invalid(code: str, message: str, hint: str = "") -> Refusal:
    """A refusal before anything was tried."""
    return Refusal(code, message, VALIDATION_STAGE, hint)
