"""A frame as the program holds it: envelope fields and a typed body."""

from __future__ import annotations

from typing import Any, Self

from sim.wire.declare import Body
from sim.wire.equality import same_json
from sim.wire.linkage import JsonObject


class Message:
    """One frame. Treat it as immutable.

    It is made either of a typed body (inside a run) or of a decoded object
    (what the parser accepted, or a builder made); the other form is computed
    when somebody asks. Frames are equal when their JSON is. ``verdict`` is what
    its protocol's parser said of ``wire``, once it was asked (several readers
    may have to ask): a ``ParseResult`` or None.
    """

    __slots__ = ("_body", "_shape", "_wire", "id", "sender", "ts", "type", "verdict")

    def __init__(
        self,
        type: str,
        id: str,
        ts: int | float,
        body: Body | None,
        wire: JsonObject | None = None,
        shape: type[Body] | None = None,
        sender: str = "",
    ) -> None:
        """Either ``body`` is given, or ``wire`` and its ``shape``, or all three.

        ``sender`` is the role that the envelope names, empty where it names none.
        """
        self.type = type
        self.id = id
        self.ts = ts
        self.sender = sender
        self._body = body
        self._wire = wire
        self._shape = shape
        self.verdict: Any = None

    @classmethod
    def of_wire(cls, shape: type[Body], wire: JsonObject, id: str, ts: int | float) -> Self:
        """A frame around its decoded object, which is kept as it is, unknown keys included."""
        return cls(shape.family(), id, ts, None, wire, shape)

    @property
    def is_typed(self) -> bool:
        """Whether it was made of a typed body, and so is valid by construction."""
        return self._shape is None and self._body is not None

    @property
    def body(self) -> Body:
        """The payload as an instance of its declared class."""
        body = self._body
        if body is None:
            shape = self._shape
            assert self._wire is not None
            assert shape is not None
            body = self._body = shape.from_wire(shape.payload_in(self._wire))
        return body

    @property
    def wire(self) -> JsonObject:
        """The decoded JSON object of the whole frame."""
        wire = self._wire
        if wire is None:
            body = self._body
            assert body is not None
            payload = body.to_wire()
            wire = self._wire = body.enclose(self.id, self.ts, payload, self.sender)
        return wire

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return same_json(self.wire, other.wire)

    def __hash__(self) -> int:
        return hash((self.type, self.id))

    def __repr__(self) -> str:
        return f"<Message {self.type} {self.id}>"
