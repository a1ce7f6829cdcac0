"""A JSON array whose elements are what the lines of a log are otherwise."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from sim.check.entry import BadLine, Entry
from sim.check.lines import LineReader, Parse

_START: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{\s*\"")
_BETWEEN: Final = re.compile(r"[\s,]*")


def is_array(data: bytes) -> bool:
    """Whether a file's first bytes look like an array of objects."""
    return _START.match(data) is not None


def read_array(data: bytes, parse: Parse) -> Iterator[Entry | BadLine]:
    """Each element with the line on which it begins, as far as the array is whole."""
    text = data.decode("utf-8-sig", errors="replace")
    reader, decoder = LineReader(parse), json.JSONDecoder()
    place, line, counted = text.index("[") + 1, 1, 0
    while True:
        match = _BETWEEN.match(text, place)
        place = place if match is None else match.end()
        line, counted = line + text.count("\n", counted, place), place
        if text[place : place + 1] == "]":
            return
        try:
            end = decoder.raw_decode(text, place)[1]
        except (ValueError, RecursionError):
            column = place - text.rfind("\n", 0, place)
            yield BadLine(line, column, "the array is not whole from here on")
            return
        entry = reader.read(line, text[place:end].encode(errors="replace"))
        if entry is not None:
            yield entry
        place = end
