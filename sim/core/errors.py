"""Exceptions, told apart by who must act.

A peer's bad frame is no exception at all: it is a value with a field path and
an event in the trace. What is raised is ours: the actor's author, the
scenario's author or the simulator's author has to do something, and the
message says what.
"""

from __future__ import annotations


class HooktwinError(Exception):
    """Root of everything that hooktwin raises on purpose."""


class LocalProtocolError(HooktwinError):
    """An actor of ours did something that its own transition table forbids."""


class HostDown(HooktwinError):
    """The host crashed while one of its handlers was waiting.

    Raised by ``perform`` inside the dropped handler; never caught by actors.
    """


class FenceError(HooktwinError):
    """Simulated code asked the real world (clock, socket, entropy, sleep)."""


class SimInternalError(HooktwinError):
    """The simulator contradicts itself: a bug to report, with the schedule."""


class UsageError(HooktwinError):
    """The user's input cannot be used; the message names place and remedy."""


class TraceError(UsageError):
    """A trace file cannot be read: place in the file and what to do."""


class ScenarioError(UsageError):
    """A scenario file cannot be run.

    ``line`` and ``column`` count from 1; ``allowed`` lists the words that
    would have been understood at that place.
    """

    def __init__(
        self,
        text: str,
        *,
        path: str = "",
        line: int = 0,
        column: int = 0,
        allowed: tuple[str, ...] = (),
    ) -> None:
        self.text = text
        self.path = path
        self.line = line
        self.column = column
        self.allowed = allowed
        super().__init__(str(self))

    def __str__(self) -> str:
        place = ":".join(str(p) for p in (self.path, self.line, self.column) if p)
        words = f" (allowed here: {', '.join(self.allowed)})" if self.allowed else ""
        return f"{place}: {self.text}{words}" if place else f"{self.text}{words}"
