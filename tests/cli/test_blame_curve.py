"""The curve of blame: one column per point, folded to the width, steep places named."""

from __future__ import annotations

import pytest

from sim.cli.exploring.curve import EIGHTHS, HEIGHT, MARGIN, tell_curve, to_json
from sim.explore.blame import Blamed

STEPS = [
    *(Blamed(f"line {n}", 0.0) for n in range(1, 10)),
    Blamed("cut D.slack#1 rst", 0.5),
    Blamed("close D.slack#1 S>D", 1.0),
    Blamed("deliver D.slack#1 D>S hello", 1.0),
]


def drawn(curve: list[Blamed], width: int = 80, *, unicode: bool = True) -> list[str]:
    return [line.plain for line in tell_curve(curve, width, unicode=unicode)]


def test_each_point_has_a_column_as_high_as_its_chance() -> None:
    rows = [line[MARGIN:] for line in drawn(STEPS)[1 : HEIGHT + 1]]
    assert [row[0] for row in rows] == [" "] * HEIGHT
    assert [row[9] for row in rows] == [" ", " ", "▄", "█", "█"]
    assert [row[11] for row in rows] == ["█"] * HEIGHT


def test_steep_places_have_letters_under_them_and_are_told() -> None:
    lines = drawn(STEPS)
    marks = lines[HEIGHT + 1][MARGIN:]
    assert marks.rstrip() == " " * 9 + "ab"
    told = [line for line in lines if line.startswith(("    a", "    b"))]
    assert "point 10: 0 % → 50 %  once line 9 of the diagram is carried out" in told[0]
    assert "point 11: 50 % → 100 %" in told[1]


def test_what_is_too_long_for_a_line_hangs_below_its_beginning() -> None:
    name = "apply IM.edit S @D.on_frame/12"
    curve = [Blamed(name, 0.0), Blamed("line 2", 0.5), Blamed("line 3", 0.5)]
    lines = drawn(curve, 60)
    start = next(n for n, line in enumerate(lines) if line.startswith("    a"))
    hung = lines[start + 1 :]
    assert hung
    assert all(line.startswith(" " * lines[start].index("once")) for line in hung)
    assert max(map(len, lines[start:])) <= 60


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_long_run_is_folded_to_the_width(width: int) -> None:
    curve = [Blamed(f"line {n}", 1.0 if n > 700 else 0.0) for n in range(1_000)]
    lines = drawn(curve, width)
    assert max(map(len, lines[1 : HEIGHT + 3])) <= width
    assert "to a column" in lines[HEIGHT + 2]
    assert lines[1].count("█") > 5


def test_a_peak_is_never_folded_away() -> None:
    curve = [Blamed(f"line {n}", 1.0 if n == 500 else 0.0) for n in range(1_000)]
    assert lines_with(drawn(curve, 60), "█") == HEIGHT


def lines_with(lines: list[str], sign: str) -> int:
    return sum(sign in line[MARGIN:] for line in lines[1 : HEIGHT + 1])


def test_a_terminal_without_blocks_gets_plain_signs() -> None:
    rows = drawn(STEPS, unicode=False)[1 : HEIGHT + 1]
    assert not any(sign in row for row in rows for sign in EIGHTHS[1:])
    assert "#" in rows[0]


def test_a_flat_curve_says_that_nothing_decides() -> None:
    assert "no point decides it" in drawn([Blamed("start", 1.0), Blamed("line 1", 1.0)])[-1]


def test_the_curve_is_given_point_by_point() -> None:
    assert to_json(STEPS)[9] == {"at": "cut D.slack#1 rst", "chance": 0.5}
