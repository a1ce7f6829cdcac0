"""Files and streams as numbered lines: of any size, with whatever ends, packed or not."""

from __future__ import annotations

import gzip
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Final

from sim.core.errors import UsageError

STDIN: Final = "-"
CHUNK: Final = 1 << 16
LONGEST: Final = 256 << 20
"""Bytes of a line, at most; a longer one is passed over."""
BOM: Final = b"\xef\xbb\xbf"
BOMB_BYTES: Final = 64 << 20
BOMB_TIMES: Final = 500
"""Deflate gives 1,032 times at most, and logs of equal lines some hundred."""
_PACKED: Final = b"\x1f\x8b"
_WIDE: Final = re.compile(
    rb"\xff\xfe|\xfe\xff|[^\0]\0[^\0]\0|\0[^\0]\0[^\0]|[^\0]\0\0\0|\0\0\0[^\0]"
)

Lines = Iterator[tuple[int, bytes]]


class TooLong(bytes):
    """Stands for a line that is longer than ``LONGEST``."""


def open_log(name: str) -> IO[bytes]:
    """Open a file, or standard input. Raises UsageError with the reason."""
    if name == STDIN:
        if sys.stdin is None:
            raise UsageError("standard input is closed; give the name of a file")
        return sys.stdin.buffer
    try:
        mode = os.stat(name).st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            raise UsageError(f"{name}: this is a device; give a file")
        file = open(name, "rb")  # noqa: SIM115
        start = file.peek(4)[:4]
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{name}: cannot read the file: {reason}") from error
    if _WIDE.match(start):
        file.close()
        raise UsageError(f"{name}: this is UTF-16 or UTF-32; save it as UTF-8")
    if start.startswith(_PACKED):
        file.close()
        return _Unpacked(name)  # type: ignore[return-value]
    return file


class _Unpacked(gzip.GzipFile):
    """A packed log. One that unpacks to far more than a log would is no log, but a bomb."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "rb")
        self._allowed = max(BOMB_BYTES, BOMB_TIMES * os.stat(name).st_size)

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        # A log that grows is unpacked on: what it has now is what counts.
        if self.tell() > self._allowed:
            raise OSError(f"it unpacks to more than {BOMB_TIMES} times its size: no log does")
        return data


def lines_of(name: str, file: IO[bytes]) -> Lines:
    """The lines without their ends, numbered from 1.

    Raises UsageError when reading fails half-way.
    """
    for first, lines in batches_of(name, file):
        yield from enumerate(lines, first)


def batches_of(name: str, file: IO[bytes]) -> Iterator[tuple[int, list[bytes]]]:
    """The same as (number of the first, lines), as many at once as were read at once."""
    split = Splitter()
    while True:
        try:
            data = file.read(CHUNK)
        except (OSError, EOFError, zlib.error) as error:
            raise cannot_read_on(name, error) from error
        if not data:
            break
        yield from split.batches(data)
    yield from ((number, [line]) for number, line in split.end())


def cannot_read_on(name: str, error: Exception) -> UsageError:
    """What is told when reading fails."""
    reason = getattr(error, "strerror", None) or error
    return UsageError(f"{name}: cannot read on: {reason}")


def is_empty(line: bytes) -> bool:
    """Whether nothing stands in a line."""
    return not line.strip() and not isinstance(line, TooLong)


class Splitter:
    """Cuts what was read into lines."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._number = 0

    def feed(self, data: bytes) -> Lines:
        """More bytes. → the lines that are whole now."""
        for first, lines in self.batches(data):
            yield from enumerate(lines, first)

    def batches(self, data: bytes) -> Iterator[tuple[int, list[bytes]]]:
        """More bytes. → the lines that are whole now, with the number of the first."""
        head, newline, rest = data.partition(b"\n")
        self._keep(head)
        if not newline:
            return
        number, line = self._line()
        lines = rest.split(b"\n")
        last = lines.pop()
        lines.insert(0, line)
        self._number += len(lines) - 1
        yield number, lines
        self._keep(last)

    def end(self) -> Lines:
        """No more bytes. → the line that has no end."""
        if self._size:
            yield self._line()

    def _keep(self, data: bytes) -> None:
        self._size += len(data)
        if data and self._size <= LONGEST:
            self._parts.append(data)

    def _line(self) -> tuple[int, bytes]:
        line = b"".join(self._parts) if self._size <= LONGEST else TooLong()
        self._parts.clear()
        self._size = 0
        self._number += 1
        if self._number == 1 and line.startswith(BOM):
            line = line[len(BOM) :]
        return self._number, line


def follow(name: str, wait: Callable[[], None]) -> Iterator[tuple[int, bytes] | None]:
    """The lines of a file that grows, for ever. None: nothing new for the moment.

    ``wait`` passes the time between two looks. A file that shrinks is read from its start,
    and so is the next one of that name, when a log is rotated.
    Raises UsageError as ``open_log`` does, and for a packed file, which does not grow.
    """
    split = Splitter()
    while True:
        with open_log(name) as file:
            if isinstance(file, gzip.GzipFile):
                raise UsageError(f"{name}: a packed log does not grow; check it without --follow")
            while not _is_rotated(name, file):
                if data := file.read(CHUNK):
                    yield from split.feed(data)
                    continue
                yield None
                wait()
                if _has_shrunk(file):
                    file.seek(0)
        yield from split.end()  # of the old file


def _has_shrunk(file: IO[bytes]) -> bool:
    mine = os.fstat(file.fileno())
    return stat.S_ISREG(mine.st_mode) and mine.st_size < file.tell()


def _is_rotated(name: str, file: IO[bytes]) -> bool:
    """Whether there is another file of this name by now, and this one is read to its end."""
    if name == STDIN:
        return False
    mine = os.fstat(file.fileno())
    try:
        now = os.stat(name)
    except OSError:
        return False  # moved away, and the next one is not there yet
    is_other = (now.st_dev, now.st_ino) != (mine.st_dev, mine.st_ino)
    both = stat.S_ISREG(now.st_mode) and stat.S_ISREG(mine.st_mode)
    return is_other and both and file.tell() >= mine.st_size


def stream() -> Lines:
    """The lines of standard input, each as soon as it is there."""
    split = Splitter()
    file = open_log(STDIN)
    while data := file.read1(CHUNK):  # type: ignore[attr-defined]
        yield from split.feed(data)
    yield from split.end()


def files_in(name: str) -> list[str]:
    """A file as it is, a folder as all its files, sorted. Raises UsageError for an empty one."""
    path = Path(name)
    if name == STDIN or not path.is_dir():
        return [name]
    try:
        found = sorted(str(one) for one in path.rglob("*") if one.is_file())
    except OSError as error:
        raise UsageError(f"{name}: cannot list the folder: {error.strerror}") from error
    if not found:
        raise UsageError(f"{name}: there are no files in this folder")
    return found
