"""Which words a protocol knows; the parser asks, it knows no protocol itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from attrs import frozen


class FrameVocabulary(Protocol):
    """What the declarations of a protocol's frames tell the parser."""

    def frame_types(self) -> Collection[str]:
        """All wire types."""

    def fields(self, frame_type: str, /) -> Collection[str]:
        """Payload fields of a type; nested ones, in lists too, as ``usage.durationMs``."""

    def enum_values(self, frame_type: str, /) -> Mapping[str, Collection[str]]:
        """The enum fields of a type with their values."""

    def direction(self, frame_type: str, /) -> str:
        """``desktop>server`` (any two kinds), several with ``|`` between them, or ``both``."""


@frozen
class Vocabulary:
    """All words of one protocol. None in a place: those words are not checked."""

    frames: FrameVocabulary | None = None
    rules: Collection[str] | None = None
    features: Collection[str] | None = None
    invariants: Collection[str] | None = None


Vocabularies = Vocabulary | Mapping[str, Vocabulary]
"""One vocabulary for whatever protocol, or one per protocol name."""
