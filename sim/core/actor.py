"""The one shape of everything that behaves: handlers over a port.

A handler is an ``async def`` that awaits nothing but ``self.perform(op)``.
Each call of a handler is an *activity*; several activities of one actor may
be waiting at once, so whatever a handler read before an ``await`` may be stale
after it. That gap is the simulator's subject: never paper over it with a
buffer. No ``finally`` of a handler may await (a crash drops the handler).
"""

from __future__ import annotations

import types
from collections.abc import Generator
from typing import Any, ClassVar, Protocol, TypeVar

from sim.core.op import Connection, Frame, Op

R = TypeVar("R")


class Store(Protocol):
    """The durable part of a host, readable at once; writes go through ``Save``."""

    def get(self, key: str) -> Any:
        """The value last saved under ``key``, or None."""

    def items(self, prefix: str) -> list[tuple[str, Any]]:
        """All (key, value) whose key starts with ``prefix``, in order of first saving."""


class Port(Protocol):
    """What a host lends to its actor."""

    @property
    def name(self) -> str:
        """The host's name, unique in the world."""

    @property
    def epoch(self) -> int:
        """Which life of the host this is, from 1."""

    @property
    def store(self) -> Store:
        """What survived, and what will survive."""

    def now_ms(self) -> int:
        """Unix milliseconds on this host's own clock (it may be skewed)."""

    def now_us(self) -> int:
        """Microseconds since the start of the run, never skewed (monotonic)."""

    def new_id(self) -> str:
        """A collision-resistant id in UUID v4 form, from the run's seed."""

    def new_frame_id(self) -> str:
        """An id for a frame, unique in the run."""

    def draw(self, low: int, high: int) -> int:
        """A random integer, both ends included, from the run's seed (for jitter)."""


class CloseReason(Protocol):
    """Why a connection ended."""

    @property
    def code(self) -> int:
        """WebSocket close code; 1006 when the connection broke without one."""

    @property
    def reason(self) -> str:
        """The text beside the code."""


class Actor:
    """Base of every behaviour; override the handlers that matter."""

    __slots__ = ("port",)

    # Whether it takes texts as they are: then no text is a bad frame to it.
    READS_TEXT: ClassVar[bool] = False
    # Whether it deals with one input at a time: what a handler does up to its next wait
    # is one step, and no search can let anything else happen between two ops of it.
    ONE_AT_A_TIME: ClassVar[bool] = False

    def __init__(self, port: Port) -> None:
        self.port = port

    @types.coroutine
    def perform(self, op: Op[R]) -> Generator[Op[R], Any, R]:
        """Ask the driver for ``op`` and give back its result.

        Raises HostDown inside a handler whose host crashed meanwhile.
        """
        result: R = yield op
        return result

    async def on_start(self) -> None:
        """The host came up (again); ``port.store`` holds what survived."""

    def refusal_of(self, conn: Connection) -> int:
        """The HTTP status with which a client's dial is refused; 0: it is accepted.

        A look at ``conn.info`` and no more: there is no connection yet.
        """
        return 0

    async def on_open(self, conn: Connection) -> None:
        """A client connected to this host (the dialling side learns from ``Dial``)."""

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        """A frame arrived; it may be one that the protocol's parser refuses."""

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        """The connection is gone, by the peer's doing or the network's."""

    async def on_timer(self, kind: str, key: str) -> None:
        """A timer set by ``StartTimer`` is due."""

    async def on_call(self, caller: str, request: Any) -> Any:
        """Another host calls this one's API; what is returned is the reply.

        Returning NO_ANSWER means that the answer gets lost on the way.
        """
        raise LookupError(f"{self.port.name} has no API for {request!r} from {caller}")

    async def on_act(self, act: Any) -> None:
        """The scenario directs this person or agent."""
