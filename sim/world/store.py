"""The durable part of a host: what a crash leaves standing."""

from __future__ import annotations

from typing import Any


class DurableStore:
    """Key-value rows that survive crashes. Reads are free, writes are ops."""

    __slots__ = ("_rows",)

    def __init__(self) -> None:
        self._rows: dict[str, Any] | None = None

    def get(self, key: str) -> Any:
        """The value last saved under ``key``, or None."""
        return None if self._rows is None else self._rows.get(key)

    def items(self, prefix: str) -> list[tuple[str, Any]]:
        """All rows under ``prefix``, in the order in which the keys were first saved."""
        if self._rows is None:
            return []
        return [row for row in self._rows.items() if row[0].startswith(prefix)]

    def put(self, key: str, value: Any) -> None:
        """Write a row. Only the world calls this, when it performs ``Save``."""
        if self._rows is None:
            self._rows = {}
        self._rows[key] = value

    def drop(self, key: str) -> None:
        """Remove a row. Only the world calls this, when it performs ``Erase``."""
        if self._rows is not None:
            self._rows.pop(key, None)
