"""Tables of a page made square: Markdown knows no cell that spans others."""

from __future__ import annotations

from typing import Final

from turbohtml import Element, Node

_CELLS: Final = ("td", "th")


def square_tables(node: Node) -> None:
    """Give every row of every table the same number of cells, empty ones where others span."""
    for table in list(node.iter_elements("table", include_self=True)):
        _square(table)


def _square(table: Element) -> None:
    rows = [row for row in table.iter_elements("tr") if row.closest("table") == table]
    most = max((len(_cells(row)) for row in rows), default=0)
    spanned: dict[int, int] = {}  # column to the rows that a cell above still covers
    lengths = [_spread(row, spanned, most) for row in rows]
    for row, length in zip(rows, lengths, strict=True):
        row.extend(Element("td") for _ in range(max(lengths) - length))


def _cells(row: Element) -> list[Element]:
    return [one for one in row.children if isinstance(one, Element) and one.tag in _CELLS]


def _spread(row: Element, spanned: dict[int, int], most: int) -> int:
    """Put empty cells where a row's own cells, or those above, span; how many cells it has.

    What a cell claims beyond ``most`` columns is a habit of authors ("span all") and overlooked.
    """
    column = 0
    for cell in _cells(row):
        while spanned.get(column, 0) > 0:
            spanned[column] -= 1
            cell.insert_before(Element("td"))
            column += 1
        wide = max(1, min(_span(cell, "colspan"), most - column))
        high = _span(cell, "rowspan")
        for extra in range(wide):
            spanned[column + extra] = high - 1
        cell.insert_after(*(Element("td") for _ in range(wide - 1)))
        column += wide
    while spanned.get(column, 0) > 0:
        spanned[column] -= 1
        row.append(Element("td"))
        column += 1
    return column


def _span(cell: Element, name: str) -> int:
    said = (cell.attr(name) or "").strip()
    if name in cell.attrs:
        del cell.attrs[name]
    return max(int(said), 1) if said.isdecimal() and len(said) < 6 else 1
