"""The one module that owns randomness and wall time.

Everything random in a run comes from the run's seed, through named
:class:`Stream` objects: a stream's draws depend only on the seed and on the
stream's own name, so that a new timer or a new frame type in one place does
not shift the draws of another. Wall time and real entropy are handed out here
too, for code that runs outside a simulation; nothing else in ``sim`` may ask
for them (a test greps).
"""

from __future__ import annotations

import hashlib
import time
import uuid

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def mix64(z: int) -> int:
    """The splitmix64 finaliser: 64 well mixed bits out of 64."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def origin(seed: int, name: str) -> int:
    """Where the named sequence of this seed starts."""
    digest = hashlib.blake2b(f"{seed}/{name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def nth_between(start: int, nth: int, low: int, high: int) -> int:
    """The ``nth`` draw, from ``low`` to ``high``, of the sequence that starts there.

    Stateless on purpose: ten thousand idle connections keep one int each, and
    dropping a frame does not shift the latencies of another direction.
    """
    if low == high:
        return low
    z = (start + nth * _GOLDEN) & _MASK  # mix64, which this calls too often to call it
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return low + (z ^ (z >> 31)) % (high - low + 1)


class Stream:
    """A named sequence of pseudo-random draws (splitmix64), one int of state."""

    __slots__ = ("_state",)

    def __init__(self, seed: int, name: str) -> None:
        self._state = origin(seed, name)

    def draw64(self) -> int:
        """The next 64-bit integer."""
        self._state = (self._state + _GOLDEN) & _MASK
        return mix64(self._state)

    def between(self, low: int, high: int) -> int:
        """An integer from ``low`` to ``high``, both included."""
        return low + self.draw64() % (high - low + 1)

    def fraction(self) -> float:
        """A float in [0, 1)."""
        return (self.draw64() >> 11) / (1 << 53)

    def uuid4(self) -> str:
        """A version 4 UUID, lower case with hyphens, 122 random bits."""
        high = self.draw64()
        low = self.draw64()
        high = (high & ~0xF000) | 0x4000
        low = (low & ~(0xC << 60)) | (0x8 << 60)
        text = f"{high:016x}{low:016x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def wall_ms() -> int:
    """Unix milliseconds of the real clock. Only live mode and tools may ask."""
    return time.time_ns() // 1_000_000


def steady_s() -> float:
    """Seconds of a real clock that nobody sets: for time budgets and progress of tools."""
    return time.monotonic()


def real_uuid4() -> str:
    """A UUID from the operating system's entropy, for use outside a run."""
    return str(uuid.uuid4())
