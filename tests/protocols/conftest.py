"""What the tests of all protocols' builders share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sim.core.ambient import HOST


class Host:
    """A host whose clock stands at 42 and whose ids count."""

    def __init__(self) -> None:
        self.count = 0

    def now_ms(self) -> int:
        return 42

    def new_frame_id(self) -> str:
        self.count += 1
        return f"f{self.count}"

    def new_id(self) -> str:
        return "id"


@pytest.fixture
def inside() -> Iterator[None]:
    token = HOST.set(Host())
    yield
    HOST.reset(token)
