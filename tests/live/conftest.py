"""Live sessions take the signals of the process; several in one give them back crosswise."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

TAKEN = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def _signals_as_they_were() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in TAKEN}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
