"""The chat services that hosts stand for: whoever adds one begins here."""

from __future__ import annotations

from typing import Final

SERVICES: Final = ("slack", "telegram", "x")
