"""Which form a log has, and what its lines say."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import IO, Final

from sim.check.array import is_array, read_array
from sim.check.entry import BadLine, Entry
from sim.check.har import is_har, read_har
from sim.check.lines import LineReader, Parse
from sim.check.recorded import TraceReader, protocol_in
from sim.check.source import CHUNK, LONGEST, cannot_read_on, is_empty, lines_of, open_log
from sim.check.spoken import spoken_in
from sim.core.errors import UsageError
from sim.core.trace import is_trace

FRAMES: Final = "frames"
TRACE: Final = "trace"
HAR: Final = "HAR"
ARRAY: Final = "array"
WHOLE: Final = {HAR: read_har, ARRAY: read_array}
"""By form, who reads a file that is one JSON value."""
HEAD_LINES: Final = 10_000
"""Lines that are looked at for the first frame."""
_EVENT: Final = b'{"kind":"'


def form_of(line: bytes) -> str:
    """The form of a log that begins with this line."""
    is_event = line.startswith(_EVENT) and b'"cause":' in line
    return TRACE if is_trace(line) or is_event else FRAMES


def whole_form(start: bytes) -> str:
    """The form of a file that is one JSON value, by its first bytes; "" for one of lines."""
    if is_har(start):
        return HAR
    return ARRAY if is_array(start) else ""


def reader_of(form: str, parse: Parse) -> LineReader | TraceReader:
    """Who reads such lines."""
    return TraceReader() if form == TRACE else LineReader(parse)


def spoken_of(line: bytes) -> str:
    """The protocol that a line shows: a trace's header, or a frame; "" for neither."""
    return (protocol_in(line) if is_trace(line) else "") or spoken_in(line)


def entries_of(name: str, begin: Callable[[str], Parse]) -> Iterator[tuple[str, Entry | BadLine]]:
    """(form, what a line says) of a whole file.

    ``begin`` is told, before the first, which protocol the file's frames speak ("": it cannot be
    seen), and gives the parser. Raises UsageError where the file cannot be read.
    """
    with open_log(name) as file:
        whole = whole_form(peek(name, file))
        if whole:
            data = all_of(name, file)
            for one in WHOLE[whole](data, begin(spoken_in(data))):
                yield whole, one
            return
        lines = lines_of(name, file)
        spoken, first = "", []
        for number, line in islice(lines, HEAD_LINES):
            first.append((number, line))
            spoken = spoken_of(line)
            if spoken:
                break
        parse = begin(spoken)
        form, reader = "", None
        for number, line in chain(first, lines):
            if reader is None:
                if is_empty(line):
                    continue
                form = form_of(line)
                reader = reader_of(form, parse)
            entry = reader.read(number, line)
            if entry is not None:
                yield form, entry


def peek(name: str, file: IO[bytes]) -> bytes:
    """The first bytes, which will be read again. Raises UsageError where there are none to read."""
    look = getattr(file, "peek", None)
    try:
        return b"" if look is None else bytes(look(CHUNK)[:CHUNK])
    except (OSError, EOFError, zlib.error) as error:
        raise cannot_read_on(name, error) from error


def all_of(name: str, file: IO[bytes]) -> bytes:
    """A whole file. Raises UsageError for one that is too large."""
    data = file.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise UsageError(
            f"{name}: one JSON value of more than {LONGEST >> 20} MiB; "
            "export fewer sockets, or one line for each frame"
        )
    return data
