"""Everything that an actor may ask for: the whole vocabulary of ``perform``.

Ops are frozen values. The comment behind each class says what ``perform``
returns. An op marked *gap* suspends the handler: other handlers of the same
host run meanwhile, and frames, timers, cuts and crashes land in between. In a
search every op is such a place (``World.preempt``).

The counterpart, what has happened, is in :mod:`sim.core.event`.
"""

from __future__ import annotations

from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Generic, Protocol, TypeVar

import msgspec

R = TypeVar("R")


class Frame(Protocol):
    """What travels on a connection; made by a protocol, opaque to the core.

    Not an attrs class, msgspec struct or dataclass: the trace's encoder would
    write its fields and not its ``wire``.
    """

    @property
    def type(self) -> str:
        """Wire name of the frame's type."""

    @property
    def wire(self) -> Any:
        """The decoded JSON form, for the trace and for real sockets."""


class OpaqueFrame:
    """A text that the protocol's parser refuses, on its way all the same.

    ``error`` and ``path`` are the parser's words. Its arrival is a ``BadFrame``
    in the trace; the actor gets it like any frame, and judges for itself. ``type_key``
    is where the protocol's frames say their type.
    """

    __slots__ = ("error", "path", "text", "type", "wire")

    def __init__(
        self, text: str, error: str, path: str | None = None, type_key: str = "type"
    ) -> None:
        self.text = text
        self.error = error
        self.path = path
        # The parentheses keep it apart from all wire types.
        self.type = "(bad)"
        self.wire: dict[str, Any] = {"type": self.type, "text": text}
        # A text that is nested too deeply is none of ours either.
        with suppress(ValueError, RecursionError):
            decoded = msgspec.json.decode(text)
            if isinstance(decoded, dict) and isinstance(decoded.get(type_key), str):
                self.wire, self.type = decoded, decoded[type_key]

    def __repr__(self) -> str:
        return f"<OpaqueFrame {self.text[:60]!r}: {self.error}>"


class Connection(Protocol):
    """One end of one connection, as an actor sees it. Compare by identity."""

    @property
    def name(self) -> str:
        """Name of the link with its generation: ``D.slack#2``."""

    @property
    def lane(self) -> str:
        """Which of a client's lanes this is: ``slack``."""

    @property
    def peer(self) -> str:
        """Name of the host at the other end."""

    @property
    def info(self) -> Any:
        """What the client said when it dialled (headers, token); may be None."""

    @property
    def is_open(self) -> bool:
        """Whether this end still believes in the connection."""


class Op(msgspec.Struct, Generic[R], frozen=True, gc=False):
    """A request to the driver; ``await self.perform(op)`` gives an ``R``."""


class Send(Op[bool], frozen=True, gc=False):
    """Write a frame. → whether the local write succeeded (not: arrived)."""

    conn: Any
    frame: Any


class Close(Op[None], frozen=True, gc=False):
    """Close this end with a WebSocket close code and reason. → None."""

    conn: Any
    code: int = 1000
    reason: str = ""


class UpgradeRefused(msgspec.Struct, frozen=True, gc=False, tag="upgrade-refused"):
    """A server answered a dial with an HTTP status (401, 503 …) instead of a WebSocket."""

    status: int


class Dial(Op["Connection | UpgradeRefused | None"], frozen=True, gc=False):
    """Connect to a host (gap). → the connection; :class:`UpgradeRefused` when the server
    refused it with a status; None when nobody answered within ``timeout_us`` virtual
    microseconds, or nobody listens there."""

    to: str
    lane: str
    info: Any = None
    timeout_us: int = 15_000_000


class Call(Op[Any], frozen=True, gc=False):
    """Ask another host's API and wait for its reply (gap). → the reply.

    ``timeout_us`` virtual microseconds after the call the answer is
    :data:`NO_ANSWER`: it may or may not have been applied. While it only waits for its
    answer, a ``background`` call (a long poll) does not keep a run from being settled; one
    that may wait for more than a minute never does.
    """

    to: str
    request: Any
    timeout_us: int = 10_000_000
    background: bool = False


class NoAnswer(msgspec.Struct, frozen=True, tag="no-answer"):
    """A call whose outcome is unknown: the request or its answer was lost."""


NO_ANSWER = NoAnswer()


class Save(Op[None], frozen=True, gc=False):
    """Make ``value`` durable under ``key``; it survives a crash. → None."""

    key: str
    value: Any


class Erase(Op[None], frozen=True, gc=False):
    """Remove ``key`` from the durable store. → None."""

    key: str


class StartTimer(Op[None], frozen=True, gc=False):
    """(Re)start the host's timer ``(kind, key)``. → None.

    A ``background`` timer (heartbeat, time limit, TTL) does not keep a run
    from being settled; one that is further away than a minute never does.
    """

    kind: str
    key: str
    after_us: int
    background: bool = False


class StopTimer(Op[None], frozen=True, gc=False):
    """Forget the timer ``(kind, key)``; unknown ones are fine. → None."""

    kind: str
    key: str


class Sleep(Op[None], frozen=True, gc=False):
    """Let virtual time pass in this handler only (gap). → None."""

    for_us: int


class Acquire(Op[None], frozen=True, gc=False):
    """Enter the host's serial section ``key``, first come first served (gap). → None."""

    key: str


class Release(Op[None], frozen=True, gc=False):
    """Leave the serial section ``key``. → None."""

    key: str


class Wait(Op[Any], frozen=True, gc=False):
    """Wait until someone wakes ``key`` (gap). → the value, or NO_ANSWER after the time-out."""

    key: str
    timeout_us: int


class Wake(Op[bool], frozen=True, gc=False):
    """Give ``value`` to the handler that waits for ``key``. → whether one did."""

    key: str
    value: Any = None


class Spawn(Op[None], frozen=True, gc=False):
    """Start another activity of this host, beside this one. → None."""

    name: str
    run: Coroutine[Any, Any, Any]


class Lives(Op[bool], frozen=True, gc=False):
    """What the machine knows of its processes. → whether life ``epoch`` of ``host`` goes on,
    with epoch 0 whether any does.

    For hosts that share a machine (locks that name their owner); unknown ones do not live.
    """

    host: str
    epoch: int


class Note(Op[None], frozen=True, gc=False):
    """Put a fact of the actor's own into the trace, for views and invariants. → None."""

    what: str
    data: Any = None
