"""How a protocol's frames are spoken of: by which names, and where their fields stand."""

from __future__ import annotations

from typing import Any, Protocol

from sim.core.op import Frame
from sim.scenario.playing.match import Names, fits
from sim.scenario.syntax import FrameText


class Wording(Protocol):
    """What arrows and counts ask about a frame."""

    def called(self, frame: Frame) -> tuple[str, ...]:
        """The names of a frame; the first is its wire type."""

    def place(self, type: str, path: str, /) -> str:
        """Where a field that an arrow names stands in the decoded frame."""


class PayloadWording:
    """A frame is called by its wire type, and all that is said of it stands in its payload."""

    def called(self, frame: Frame) -> tuple[str, ...]:
        """Its wire type alone."""
        return (frame.type,)

    def place(self, type: str, path: str) -> str:
        """Within the payload."""
        return f"payload.{path}"


def is_called(frame: Frame, name: str, wording: Wording) -> bool:
    """Whether an arrow of this type may mean this frame."""
    return frame.type == name or name in wording.called(frame)


def nearest_name(frame: Frame, wording: Wording) -> str:
    """The name that says most of a frame."""
    return wording.called(frame)[-1]


def fits_frame(
    text: FrameText, frame: Frame, names: Names, wording: Wording
) -> dict[str, Any] | str | None:
    """New bindings if the frame is what the text says; a sentence about the first item that
    does not hold; None for a frame of another name."""
    if not is_called(frame, text.type, wording):
        return None
    return fits(text.items, frame.wire, names, lambda path: wording.place(text.type, path))
