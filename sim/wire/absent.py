"""The value of a field that is not there, as opposed to a field that is null."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Absent(Enum):
    """Type of :data:`ABSENT`; an enum of one so that mypy narrows ``is ABSENT``."""

    ABSENT = "ABSENT"

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent.ABSENT
"""Falsy singleton: the key is missing on the wire. ``None`` means an explicit null."""
