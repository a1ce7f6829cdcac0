"""The words of a protocol's frames, for languages and filters that name them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sim.wire.declare import Body, Field, Record
from sim.wire.describe import nested_record
from sim.wire.spec import Choice


class Vocabulary:
    """Types, field names, enum values and directions of a set of message classes.

    Names are the wire's; a field within objects, or within objects of a list,
    is dotted (``usage.durationMs``, ``attachments.name``). Every method that
    takes a type raises KeyError for one that is not in the set.
    """

    def __init__(self, classes: Iterable[type[Body]]) -> None:
        self._classes = {cls.TYPE: cls for cls in classes}
        self._fields = {name: dict(_walk(cls, "")) for name, cls in self._classes.items()}

    def frame_types(self) -> tuple[str, ...]:
        """All message types, in the order of the classes."""
        return tuple(self._classes)

    def fields(self, type: str) -> tuple[str, ...]:
        """All field names of a type, top level and dotted, in declared order."""
        return tuple(self._fields[type])

    def enum_values(self, type: str) -> dict[str, tuple[str, ...]]:
        """The values of each field that has a closed set of them."""
        return {
            name: field.kind.values
            for name, field in self._fields[type].items()
            if isinstance(field.kind, Choice)
        }

    def direction(self, type: str) -> str:
        """Who sends it, as declared (``client>host``, ``both`` …)."""
        return self._classes[type].DIRECTION


def _walk(cls: type[Record], prefix: str) -> Iterator[tuple[str, Field]]:
    for field in cls.FIELDS:
        yield prefix + field.name, field
        inner = nested_record(field.kind)
        if inner is not None:
            yield from _walk(inner, f"{prefix}{field.name}.")
