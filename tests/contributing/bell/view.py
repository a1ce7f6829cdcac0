"""What a run has shown so far: knocks, and when each was answered. Oracles ask it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from sim.protocols.bell.parse import parse_bell_message

from sim.channel.moments import MessageAt
from sim.core.event import Event, FrameSent
from sim.core.op import OpaqueFrame
from sim.view.changes import Timeline


class BellView:
    """``knocks``: (µs of the knock, µs of the answer or None), by id."""

    kinds = (FrameSent,)

    def __init__(self) -> None:
        self.knocks: dict[str, tuple[int, int | None]] = {}
        self.now = 0

    def on(self, event: Event) -> None:
        """The next event."""
        self.now = event.at
        if not isinstance(event, FrameSent):
            return
        payload = event.frame.wire.get("payload")
        knock = str(payload.get("knockId")) if isinstance(payload, dict) else ""
        if event.frame.type == "knock":
            self.knocks.setdefault(knock, (event.at, None))
        elif event.frame.type == "open" and knock in self.knocks:
            self.knocks[knock] = (self.knocks[knock][0], event.at)


def typed(event: Event) -> Event:
    """An event of a file as it was in the run."""
    if not isinstance(event, FrameSent) or not isinstance(event.frame, dict):
        return event
    verdict = parse_bell_message(event.frame)
    frame = verdict.message or OpaqueFrame(str(event.frame), verdict.error or "", verdict.path)
    return msgspec.structs.replace(event, frame=frame)


class BellChronicle:
    """The same for screens: it forgets nothing."""

    def __init__(self, surroundings: Any = None) -> None:
        self.steps = 0
        self.connections: dict[str, Timeline] = {}
        self.view = BellView()

    def on(self, plain: Event) -> None:
        self.steps += 1
        self.view.on(typed(plain))

    def messages(self, n: int) -> Iterator[MessageAt]:
        return iter(())

    def owner_since(self, channel: str, message: str, n: int) -> int | None:
        return None

    def rows_of(self, host: str, n: int) -> Iterator[tuple[str, Any, int]]:
        return iter(())

    def standing(self, host: str, n: int) -> Iterable[Any]:
        return ()
