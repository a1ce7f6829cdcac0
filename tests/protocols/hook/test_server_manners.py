"""How channels want to be written to: lengths, pieces, patience, quotes, tokens."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sim.channel.weight import LIMIT
from sim.protocols.hook.server.manners import (
    MOST_PIECES,
    SLACK,
    TELEGRAM,
    TELEGRAM_CHARS,
    X,
    cut_utf16,
    manners_of,
    utf16,
)
from sim.protocols.hook.server.memory import is_bad_token
from sim.protocols.hook.server.pace import PROGRESS_WAITS_US, Pace
from sim.protocols.hook.server.quoting import quote_mode
from sim.protocols.hook.server.texts import CUT_MARK

HIGH = "\U0001f600"
EDGE = "\uffff"


# -- lengths -------------------------------------------------------------------


def test_a_letter_beyond_the_first_plane_counts_twice_and_no_other() -> None:
    assert (utf16(""), utf16("ab"), utf16(EDGE), utf16(f"a{HIGH}")) == (0, 2, 1, 3)


@pytest.mark.parametrize(
    ("text", "units", "cut"),
    [
        ("abcd", 4, "abcd"),
        ("abcde", 4, "abc" + CUT_MARK),
        (HIGH * 2, 4, HIGH * 2),
        (HIGH * 2 + "a", 4, HIGH + CUT_MARK),
        ("a" + HIGH * 2, 4, "a" + HIGH + CUT_MARK),
        (EDGE * 5, 4, EDGE * 3 + CUT_MARK),
    ],
)
def test_a_text_is_cut_to_what_fits_with_its_mark(text: str, units: int, cut: str) -> None:
    assert cut_utf16(text, units) == cut
    assert utf16(cut) <= units


@pytest.mark.parametrize(
    ("length", "count"),
    [
        (0, 1),
        (TELEGRAM_CHARS, 1),
        (TELEGRAM_CHARS + 1, 2),
        (2 * TELEGRAM_CHARS - 1, 2),
        (2 * TELEGRAM_CHARS, 3),
        (50 * TELEGRAM_CHARS, MOST_PIECES),
    ],
)
def test_a_long_answer_is_divided_and_nothing_of_it_is_lost(length: int, count: int) -> None:
    text = "".join(chr(97 + n % 26) for n in range(length))
    pieces = TELEGRAM.pieces(text)
    assert len(pieces) == count
    assert all(utf16(piece) <= TELEGRAM_CHARS for piece in pieces)
    assert all(piece.endswith(CUT_MARK) for piece in pieces[:-1])
    together = "".join(piece.removesuffix(CUT_MARK) for piece in pieces)
    assert text.startswith(together)
    assert (together == text) is (count < MOST_PIECES)
    assert TELEGRAM.first(text) == pieces[0]
    assert TELEGRAM.fit_final(text) == text


def test_only_telegram_divides_an_answer() -> None:
    text = "x" * 20_000
    for manners in (SLACK, X, manners_of("slack", 100)):
        assert manners.first(text) == text
        assert manners.pieces(text) == [manners.fit(text)] == [manners.fit_final(text)]
    assert TELEGRAM.fit(text) != text


def test_the_servers_own_limit_counts_where_a_channel_has_none() -> None:
    chars = {lane: manners_of(lane, 100).chars for lane in ("slack", "telegram", "x", "new")}
    assert chars == {"slack": 100, "telegram": TELEGRAM_CHARS, "x": LIMIT, "new": 100}


# -- patience ------------------------------------------------------------------


def test_a_channel_that_asks_for_patience_gets_it_to_the_microsecond() -> None:
    """RC-99"""
    pace = Pace()
    assert not pace.is_asked_for
    assert pace.hold("IM", "C1", 1_000)
    assert not pace.hold("IM", "C1", 1_000)
    assert not pace.hold("IM", "C1", 900)
    assert pace.hold("IM", "C1", 2_000)
    assert pace.is_asked_for
    assert pace.rest_us("IM", "C2", 0, final=True) == 0
    assert pace.rest_us("IM", "C1", 500, final=True) == 1_500
    assert pace.rest_us("IM", "C1", 500, final=False) == 1_500 + PROGRESS_WAITS_US
    assert pace.rest_us("IM", "C1", 2_000, final=True) == 0
    last = 2_000 + PROGRESS_WAITS_US
    assert pace.rest_us("IM", "C1", last - 1, final=False) == 1
    assert pace.is_asked_for
    assert pace.rest_us("IM", "C1", last, final=False) == 0
    assert not pace.is_asked_for


# -- quotes and tokens ---------------------------------------------------------


@pytest.mark.parametrize(
    ("lane", "chat", "mode"),
    [
        ("telegram", "10001", "off"),
        ("telegram", "-1001", "first"),
        ("slack", "C1", "off"),
        ("slack", "-1001", "off"),
    ],
)
def test_answers_quote_where_a_group_has_to_know_what_is_meant(
    lane: str, chat: str, mode: str
) -> None:
    """HK-132"""
    task: Any = SimpleNamespace(conversation=SimpleNamespace(lane=lane, chat=chat))
    assert quote_mode(task) == mode


@pytest.mark.parametrize(
    ("info", "bad"),
    [
        (None, False),
        ("Bearer x", False),
        ({}, False),
        ({"authorization": "Bearer alice"}, False),
        ({"authorization": "Bearer "}, True),
        ({"authorization": "Bearer"}, True),
        ({"authorization": "Basic alice"}, True),
        ({"authorization": None}, True),
    ],
)
def test_a_token_that_names_nobody_is_bad_and_none_is_not(info: Any, bad: bool) -> None:
    assert is_bad_token(info) is bad
