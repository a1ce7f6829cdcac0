"""Rotated logs: ``app.log.2.gz``, ``app.log.1`` and ``app.log`` are one log, oldest first."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import attrs

from sim.check.entry import BadLine
from sim.check.reading import TRACE, form_of, peek, whole_form
from sim.check.source import STDIN, open_log
from sim.core.errors import UsageError

_ROTATED: Final = re.compile(
    r"(?P<log>.+?)(?:[.-](?:(?P<number>\d{1,4})|(?P<date>\d{4}-?\d\d-?\d\d(?:[-_T]?[\d:-]+)?)))?"
    r"(?P<packed>\.gz)?"
)
NEWEST: Final = (2, 0, "")


@attrs.frozen
class BadLineOf(BadLine):
    """A line of which nothing can be made, in one of several files that are one log."""

    file: str = ""


def joined(names: Iterable[str]) -> list[list[str]]:
    """The files in groups that are one log, each oldest first, in order of their first names.

    The higher its number, the older a file is; of dates the earlier; the one without either is
    the newest. Only files of one folder are joined, and only logs of lines.
    """
    groups: dict[tuple[str, str], list[tuple[tuple[int, int, str], str]]] = {}
    for name in dict.fromkeys(names):
        log, age = _read_name(name)
        groups.setdefault((str(Path(name).parent), log), []).append((age, name))
    made: list[list[str]] = []
    for members in groups.values():
        ordered = [name for _, name in sorted(members)]
        if len(ordered) > 1 and all(map(_has_lines, ordered)):
            made.append(ordered)
        else:
            made += [[name] for _, name in members]
    return made


def _read_name(name: str) -> tuple[str, tuple[int, int, str]]:
    """The name of the log that a file is a part of, and what sorts the parts by age."""
    found = None if name == STDIN else _ROTATED.fullmatch(Path(name).name)
    if found is None:
        return name, NEWEST
    number, date = found["number"], found["date"]
    if number is not None:
        return found["log"], (1, -int(number), "")
    return found["log"], NEWEST if date is None else (0, 0, date)


def _has_lines(name: str) -> bool:
    """Whether a file has lines about frames: no HAR, no array, no trace, which begin anew."""
    try:
        with open_log(name) as file:
            start = peek(name, file)
    except UsageError:
        return True  # reading will say what is wrong
    return not whole_form(start) and form_of(start.lstrip().partition(b"\n")[0]) != TRACE


class Places:
    """Where the lines of a log stand that were read from several files, one after the other."""

    def __init__(self, name: str) -> None:
        self._starts = [0]
        self._names = [name]

    @property
    def several(self) -> list[str]:
        """The files, if there is more than one."""
        return self._names if len(self._names) > 1 else []

    def next_file(self, before: int, name: str) -> None:
        """Another file follows after ``before`` lines."""
        if before == self._starts[-1]:
            self._names[-1] = name  # nothing was read yet
        else:
            self._starts.append(before)
            self._names.append(name)

    def of(self, line: int) -> tuple[str, int]:
        """(file, line in it)."""
        place = max(bisect_right(self._starts, line - 1) - 1, 0)
        return self._names[place], line - self._starts[place]

    def located(self, bad: BadLine) -> BadLine:
        """The same, told by its file, if there are several."""
        if len(self._names) == 1:
            return bad
        file, line = self.of(bad.line)
        return BadLineOf(line, bad.column, bad.error, bad.kind, file)
