"""The fence between simulated code and the real world's clocks, entropy and sockets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def fenced() -> Iterator[None]:
    """Keep simulated code inside until the block ends."""
    yield
