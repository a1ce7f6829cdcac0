"""The ledger's rows: which of them make room, for whom, and which never do."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

import msgspec
import pytest

from sim.core.op import Erase, Save
from sim.protocols.hook.desktop.ledger import mark_sent, record
from sim.protocols.hook.desktop.records import LedgerRow, Work
from sim.protocols.hook.desktop.settings import DesktopSettings
from sim.world.store import DurableStore

NOW_MS = 100 * 3_600_000
DAY_MS = 24 * 3_600_000
BARE = LedgerRow("R", "k", "accepted", None, "s", None, "ok", "", None, None, NOW_MS, True)
LENGTH = 100
SIZE = BARE.size + LENGTH


class Port:
    """A disk, and a clock that stands still."""

    def __init__(self) -> None:
        self.store = DurableStore()

    def now_ms(self) -> int:
        return NOW_MS


class Desk:
    """All of a desktop that its ledger touches; what it asks for is done at once."""

    def __init__(self, rows: int = 3, sizes: int = 9) -> None:
        self.settings = DesktopSettings(
            ledger_rows=rows, ledger_bytes=sizes * SIZE, ledger_row_bytes=2 * SIZE
        )
        self.work = Work()
        self.port = Port()

    async def perform(self, op: Save | Erase) -> None:
        if isinstance(op, Save):
            self.port.store.put(op.key, op.value)
        else:
            self.port.store.drop(op.key)

    def keep(self, *keys: str, length: int = LENGTH, sent: bool = True, age_ms: int = 0) -> None:
        """Write rows of this length and age."""
        for key in keys:
            facts = {"text": "x" * length, "sent": sent, "done_ms": NOW_MS - age_ms}
            run(record(self.itself, key, msgspec.structs.replace(BARE, **facts)))

    @property
    def itself(self) -> Any:
        """As the ledger's functions take it."""
        return self

    def kept(self) -> list[str]:
        """What is kept, which must be the same in memory and on disk."""
        rows = dict(self.port.store.items(""))
        assert {key: row.sent for key, row in rows.items()} == self.work.ledger
        assert self.work.ledger_bytes == sum(row.size for row in rows.values())
        return list(self.work.ledger)


def run(coroutine: Coroutine[Any, Any, None]) -> None:
    """Nothing waits here."""
    with pytest.raises(StopIteration):
        coroutine.send(None)


def test_a_new_row_takes_the_place_of_the_oldest() -> None:
    desk = Desk(rows=3)
    desk.keep("a", "b", "c")
    assert desk.kept() == ["a", "b", "c"]
    desk.keep("d")
    assert desk.kept() == ["b", "c", "d"]


def test_a_row_that_is_written_again_needs_no_place() -> None:
    desk = Desk(rows=3)
    desk.keep("a", "b", "c")
    desk.keep("a", sent=False)
    assert desk.kept() == ["a", "b", "c"]
    assert not desk.port.store.get("a").sent


def test_a_row_that_grows_makes_others_go_and_never_itself() -> None:
    desk = Desk(sizes=3)
    desk.keep("a", "b", "c")
    desk.keep("a", length=LENGTH + 1)
    assert desk.kept() == ["a", "c"]


def test_room_is_made_for_bytes_too_as_much_as_is_needed() -> None:
    desk = Desk(rows=9, sizes=4)
    desk.keep("a", "b", "c", "d")
    desk.keep("e", length=LENGTH + SIZE)
    assert desk.kept() == ["c", "d", "e"]
    desk.keep("c", length=LENGTH - 1)
    assert desk.kept() == ["c", "d", "e"]


@pytest.mark.parametrize(("more", "kept"), [(0, ["a"]), (1, [])])
def test_a_row_that_is_too_long_is_not_kept(more: int, kept: list[str]) -> None:
    desk = Desk()
    desk.keep("a", length=LENGTH + SIZE + more)
    assert desk.kept() == kept


@pytest.mark.parametrize(
    ("age_ms", "kept"), [(0, ["a", "b"]), (DAY_MS, ["a", "b"]), (DAY_MS + 1, ["b", "c"])]
)
def test_what_is_not_handed_in_makes_room_only_when_nobody_wants_it_any_more(
    age_ms: int, kept: list[str]
) -> None:
    """section 6"""
    desk = Desk(rows=2)
    desk.keep("a", sent=False, age_ms=age_ms)
    desk.keep("b", sent=False)
    desk.keep("c")
    assert desk.kept() == kept


def test_a_sent_row_behind_an_unsent_one_makes_room() -> None:
    desk = Desk(rows=2)
    desk.keep("a", sent=False)
    desk.keep("b", "c")
    assert desk.kept() == ["a", "c"]


def test_once_it_is_sent_a_row_makes_room_like_others() -> None:
    desk = Desk(rows=2)
    desk.keep("a", "b", sent=False)
    run(mark_sent(desk.itself, "a"))
    run(mark_sent(desk.itself, "nobody"))
    desk.keep("c")
    assert desk.kept() == ["b", "c"]
