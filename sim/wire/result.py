"""What a parser answers. A bad frame is a value, never an exception."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from sim.wire.message import Message


class Accepted:
    """The frame is good."""

    __slots__ = ("message",)

    ok: ClassVar[Literal[True]] = True
    error: ClassVar[None] = None
    path: ClassVar[None] = None

    def __init__(self, message: Message) -> None:
        self.message = message

    def __repr__(self) -> str:
        return f"Accepted({self.message!r})"


class Refused:
    """The frame is bad: ``error`` says why, ``path`` where (None: the frame as a whole)."""

    __slots__ = ("error", "path")

    ok: ClassVar[Literal[False]] = False
    message: ClassVar[None] = None

    def __init__(self, error: str, path: str | None) -> None:
        self.error = error
        self.path = path

    @classmethod
    def at(cls, path: str, text: str) -> Refused:
        """A refusal whose error begins with the path."""
        return cls(f"{path} {text}", path)

    def __repr__(self) -> str:
        return f"Refused({self.error!r}, path={self.path!r})"


ParseResult: TypeAlias = Accepted | Refused
