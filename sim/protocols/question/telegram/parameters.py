"""The parameters of one call of the Bot API, from its query and its body.

Values of a query are texts, JSON where they are not flat; those of a JSON body are typed.
Both are read alike, as Telegram does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from sim.core.http import HttpRequest
from sim.protocols.question.telegram.refusals import bad

_TRUE = ("true", "True", "1")


class Parameters:
    """What a bot has asked for; each reader raises a 400 for what it cannot take."""

    __slots__ = ("_values",)

    def __init__(self, request: HttpRequest) -> None:
        values: dict[str, Any] = dict(request.query)
        if isinstance(request.body, Mapping):
            values.update(request.body)
        self._values = values

    def text(self, name: str) -> str:
        """A text; "" without one."""
        value = self._values.get(name)
        if value is None:
            return ""
        if isinstance(value, (Mapping, list, tuple)):
            raise bad(f"Bad Request: {name} must be a string")
        return str(value)

    def number(self, name: str, default: int) -> int:
        """A whole number."""
        value = self._values.get(name)
        if value is None or value == "":
            return default
        try:
            return int(str(value))
        except ValueError:
            raise bad(f"Bad Request: {name} must be an integer") from None

    def flag(self, name: str) -> bool:
        """A yes or no; no without one."""
        value = self._values.get(name)
        return value is True or str(value) in _TRUE

    def structure(self, name: str) -> Any:
        """An object or a list, JSON in a text too; None without one."""
        value = self._values.get(name)
        if not isinstance(value, str):
            return value
        if not value:
            return None
        try:
            return msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            raise bad(f"Bad Request: can't parse {name} JSON object") from None
