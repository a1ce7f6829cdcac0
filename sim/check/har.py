"""WebSocket messages of HAR files, as browsers and proxies export them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from sim.check.clock import read_time
from sim.check.entry import CLOSED, FRAME, OPENED, BadLine, Entry
from sim.check.lines import Parse, decoded

_START: Final = re.compile(rb'\s*\{\s*"log"\s*:')
_DATA: Final = re.compile(r'(?<!\\)"data"\s*:|(?<!\\)"_webSocketMessages"\s*:')
_TEXT: Final = 1
_CLOSE: Final = 8
_WAYS: Final = {"send": True, "receive": False}


def is_har(data: bytes) -> bool:
    """Whether a file's first bytes look like a HAR."""
    return _START.match(data) is not None


def read_har(data: bytes, parse: Parse) -> Iterator[Entry | BadLine]:
    """Everything that its WebSockets said, in the order of the file; times in microseconds."""
    text = data.decode("utf-8-sig", errors="replace")
    value = decoded(text)
    if isinstance(value, ValueError):
        line = text.count("\n") + 1
        yield BadLine(line, len(text) - text.rfind("\n"), f"the HAR is not whole: {value}")
        return
    places = _places(text)
    log = value.get("log") if isinstance(value, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    for number, entry in enumerate(entries if isinstance(entries, list) else [], 1):
        messages = entry.get("_webSocketMessages") if isinstance(entry, dict) else None
        if isinstance(messages, list):
            yield from _socket(f"socket {number}", entry, messages, places, parse)


def _socket(
    conn: str,
    entry: Mapping[str, Any],
    messages: list[Any],
    places: Callable[[], int],
    parse: Parse,
) -> Iterator[Entry | BadLine]:
    began = read_time(entry.get("startedDateTime"))
    request = entry.get("request")
    url = request.get("url", "") if isinstance(request, dict) else ""
    yield Entry(OPENED, places(), began, conn, facts={"path": str(url)})
    for message in messages:
        line = places() if isinstance(message, dict) and "data" in message else 0
        if not isinstance(message, dict) or not isinstance(message.get("data"), str):
            yield BadLine(line or 1, 1, "a WebSocket message without data")
            continue
        at = read_time(message.get("time"))
        at_us = None if at is None else at * (1 if at > 1e14 else 1e6)
        up, opcode = _WAYS.get(str(message.get("type"))), message.get("opcode", _TEXT)
        if opcode == _CLOSE:
            yield Entry(CLOSED, line, at_us, conn, facts={})
        elif opcode != _TEXT:
            yield BadLine(line, 1, f"a frame of opcode {opcode}: the protocol has text frames only")
        else:
            yield Entry(FRAME, line, at_us, conn, up, message["data"], "", parse(message["data"]))


def _places(text: str) -> Callable[[], int]:
    """A function that gives the line of the next list of messages, or of the next message."""
    found = _DATA.finditer(text)
    state = [0, 1]

    def place() -> int:
        match = next(found, None)
        if match is not None:
            state[1] += text.count("\n", state[0], match.start())
            state[0] = match.start()
        return state[1]

    return place
