"""The private switch of Trio is there, and is put back."""

from __future__ import annotations

import pytest
import trio
from trio._core import _run

from sim.core.errors import SimInternalError
from sim.drivers.trio_determinism import check, deterministic_trio


def test_this_trio_still_has_the_switch() -> None:
    check()


@pytest.mark.parametrize("name", ["_ALLOW_DETERMINISTIC_SCHEDULING", "_r"])
def test_a_renamed_switch_is_reported_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.delattr(_run, name)
    with pytest.raises(SimInternalError, match="look up the new names"):
        check()


def test_trio_is_as_before_after_a_run() -> None:
    before = _run._ALLOW_DETERMINISTIC_SCHEDULING, _run._r
    with pytest.raises(ZeroDivisionError), deterministic_trio(1):
        raise ZeroDivisionError
    assert (_run._ALLOW_DETERMINISTIC_SCHEDULING, _run._r) == before


def order_of_tasks(seed: int) -> list[int]:
    order: list[int] = []

    async def task(number: int) -> None:
        for _ in range(3):
            await trio.lowlevel.checkpoint()
            order.append(number)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for number in range(6):
                nursery.start_soon(task, number)

    with deterministic_trio(seed):
        trio.run(main)
    return order


def test_the_seed_alone_decides_the_order_of_tasks() -> None:
    assert order_of_tasks(5) == order_of_tasks(5)
    assert len({tuple(order_of_tasks(seed)) for seed in range(5)}) == 5
