"""``hooktwin states`` as pictures: whole, readable, and the same each time."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sim.cli import words
from sim.cli.drawing.tables import LINE, SIGN, draw_table, picture_of
from sim.core.table import Table
from tests.cli.screens import ROOT, Shell

SVG = "{http://www.w3.org/2000/svg}"
TABLES = words.tables()


def texts(picture: str) -> list[tuple[float, float, str]]:
    """(x, y, text) of all labels and names."""
    root = ElementTree.fromstring(picture)
    return [
        (float(t.attrib["x"]), float(t.attrib["y"]), "".join(t.itertext()))
        for t in root.iter(f"{SVG}text")
    ]


@pytest.mark.parametrize("role", TABLES)
def test_a_picture_shows_every_state_and_trigger_and_no_text_covers_another(role: str) -> None:
    table = TABLES[role]
    picture = picture_of(table)
    root = ElementTree.fromstring(picture)
    ways = {(t.attrib["data-state"], t.attrib["data-trigger"]) for t in root.iter(f"{SVG}tspan")}
    assert ways == set(table.rows())
    told = texts(picture)
    assert set(table.states) <= {text for _, _, text in told}
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for x, y, text in told:
        half = len(text) * SIGN / 2
        assert x - half >= 0
        assert x + half <= width, text
        assert LINE / 2 <= y <= height, text
    covered = [
        (a[2], b[2])
        for a, b in combinations(told, 2)
        if abs(a[1] - b[1]) < LINE - 3 and abs(a[0] - b[0]) < (len(a[2]) + len(b[2])) * SIGN / 2
    ]
    assert covered == []


def test_ways_between_the_same_states_are_drawn_on_tracks_of_their_own() -> None:
    table = Table("t", "A", {"A": {"go": "B", "leap": "C"}, "B": {"go": "C", "back": "A"}, "C": {}})
    paths = re.findall(r'<g class="way[^"]*" data-from="(\w)" data-to="(\w)"><path d="([^"]*)"',
                       draw_table(table))  # fmt: skip
    levels = {(a, b): float(re.search(r"V([\d.-]+)q", d)[1]) for a, b, d in paths}  # type: ignore[index]
    assert levels["A", "C"] < levels["A", "B"] == levels["B", "C"]
    assert levels["B", "A"] > max(levels["A", "B"], levels["A", "C"])


def test_one_table_is_written_where_it_is_wanted_and_all_into_a_folder(
    shell: Shell, tmp_path: Path
) -> None:
    assert shell("states", "round", "--out", tmp_path / "round.svg").code == 0
    written = (tmp_path / "round.svg").read_text(encoding="utf-8")
    assert written == picture_of(TABLES["round"])
    assert shell("states", "round", "--format", "svg").out == written
    assert shell("states", "-f", "svg", "--protocol", "relay", "-o", tmp_path / "all").code == 0
    names = sorted(path.name for path in (tmp_path / "all").iterdir())
    assert len(names) == len(words.tables("relay"))
    assert "tab-lock.svg" in names
    assert shell("states", "round", "--out", tmp_path / "round.mmd").code == 0
    assert (tmp_path / "round.mmd").read_text(encoding="utf-8").startswith("stateDiagram-v2")


def test_pictures_of_all_tables_on_stdout_are_refused_with_the_remedy(shell: Shell) -> None:
    said = shell("states", "--format", "svg")
    assert (said.code, said.out) == (2, "")
    assert "need a folder: --format svg --out DIR" in said.err


def test_the_picture_in_the_docs_is_the_one_that_is_drawn() -> None:
    shown = (ROOT / "docs" / "images" / "request.svg").read_text(encoding="utf-8")
    assert shown == picture_of(TABLES["request"]), (
        "draw it again: hooktwin states request -o docs/images/request.svg"
    )
