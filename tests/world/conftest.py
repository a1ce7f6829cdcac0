"""Every play ends with its test."""

import pytest

from tests.world.play import Play


@pytest.fixture(autouse=True)
def curtain():
    yield
    while Play.on_stage:
        Play.on_stage.pop().world.close()
