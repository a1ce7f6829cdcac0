"""What an action of the browser comes to: done, failed, or a person's turn."""

from __future__ import annotations

from typing import Any, TypeAlias

import attrs

VALIDATION_STAGE = "validation"
EXECUTION_STAGE = "execution"


@attrs.frozen
class Done:
    """It was done; ``data`` is that of the result."""

    data: dict[str, Any]


@attrs.frozen
class Failed:
    """It was not; ``code`` is one of the protocol's, ``hint`` says what would help."""

    code: str
    message: str
    stage: str = EXECUTION_STAGE
    hint: str = ""


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
