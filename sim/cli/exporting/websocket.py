"""WebSocket and HTTP as bytes (RFC 6455, RFC 9112): what a capture shows of frames and calls."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import struct
from collections.abc import Iterable, Mapping
from http.client import responses
from typing import Any, Final
from urllib.parse import quote, urlencode

from sim.wire.encode import encode_json

TEXT, BINARY, CLOSE = 1, 2, 8
GUID: Final = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
BINARY_MARK: Final = "data:application/octet-stream;base64,"
"""How a recording, which is text, writes binary messages."""

NO_CODE: Final = 1005
_BREAKS = re.compile("[\r\n\0]")
_LONE = re.compile("[\ud800-\udfff]")


def _digest(seed: str, size: int) -> bytes:
    return hashlib.blake2b(seed.encode("utf-8", "replace"), digest_size=size).digest()


# -- WebSocket -----------------------------------------------------------------------------------


def upgrade(host: str, lane: str, seed: str) -> tuple[bytes, bytes]:
    """The request for an upgrade and its answer; ``seed`` decides the key."""
    key = base64.b64encode(_digest(seed, 16)).decode()
    accept = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
    path = "/" + quote(lane, safe="", errors="replace")
    asked = _head(
        f"GET {path} HTTP/1.1",
        ("Host", host), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
        ("Sec-WebSocket-Key", key), ("Sec-WebSocket-Version", "13"),
    )  # fmt: skip
    answered = _head(
        "HTTP/1.1 101 Switching Protocols",
        ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept),
    )  # fmt: skip
    return asked, answered


def message(frame: Any, mask_seed: str) -> bytes:
    """A frame of a trace as a message; ``mask_seed``: by a client, which masks. "": by a server."""
    kind, payload = _content(frame)
    return _frame(kind, payload, mask_seed)


def close(code: int, reason: str, mask_seed: str) -> bytes:
    """The frame that ends a connection."""
    payload = b""
    if code != NO_CODE:
        told = reason.encode("utf-8", "replace")[:123].decode("utf-8", "ignore").encode()
        payload = struct.pack(">H", code & 0xFFFF) + told
    return _frame(CLOSE, payload, mask_seed)


def _content(frame: Any) -> tuple[int, bytes]:
    """What a real program wrote; what was no frame stands in a recording as its text."""
    if isinstance(frame, Mapping) and set(frame) == {"type", "text"} and frame["type"] == "(bad)":
        text = str(frame["text"])
        if text.startswith(BINARY_MARK):
            try:
                return BINARY, base64.b64decode(text[len(BINARY_MARK) :], validate=True)
            except ValueError:
                pass
        return TEXT, text.encode("utf-8", "replace")
    return TEXT, json_bytes(frame)


def json_bytes(value: Any) -> bytes:
    """JSON as JavaScript writes it; what UTF-8 cannot hold is escaped."""
    try:
        text = encode_json(value)
    except (TypeError, ValueError):
        text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), default=str)
    except RecursionError:
        text = '"(nested too deeply)"'
    return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


def _frame(kind: int, payload: bytes, mask_seed: str) -> bytes:
    masked = 0x80 if mask_seed else 0
    size = len(payload)
    if size < 126:
        head = struct.pack(">BB", 0x80 | kind, masked | size)
    elif size < 1 << 16:
        head = struct.pack(">BBH", 0x80 | kind, masked | 126, size)
    else:
        head = struct.pack(">BBQ", 0x80 | kind, masked | 127, size)
    if not mask_seed:
        return head + payload
    mask = _digest(mask_seed, 4)
    return head + mask + unmasked(payload, mask)


def unmasked(payload: bytes, mask: bytes) -> bytes:
    """Masked or unmasked: the same operation is its own reverse."""
    whole = (mask * (len(payload) // 4 + 1))[: len(payload)]
    mixed = int.from_bytes(payload, "big") ^ int.from_bytes(whole, "big")
    return mixed.to_bytes(len(payload), "big")


# -- HTTP ----------------------------------------------------------------------------------------


def request(plain: Mapping[str, Any], host: str) -> bytes:
    """A request as a trace has it (``{"is": "http", "method", "path", "query", "body", …}``)."""
    target = quote(str(plain.get("path", "/")), safe="/%:@!$&'()*+,;=~", errors="replace")
    asked = [(str(name), str(value)) for name, value in _pairs(plain.get("query"))]
    query = urlencode(asked, errors="replace")
    line = f"{plain.get('method', 'GET')} {target}{'?' if query else ''}{query} HTTP/1.1"
    headers = [("Host", host), *_pairs(plain.get("headers")), ("Connection", "close")]
    return _with_body(line, headers, plain.get("body"))


def response(status: int, body: Any) -> bytes:
    """An answer; the connection ends with it."""
    line = f"HTTP/1.1 {status} {responses.get(status, 'Status')}"
    return _with_body(line, [("Connection", "close")], body, always=True)


def _pairs(value: Any) -> list[tuple[Any, Any]]:
    found = value if isinstance(value, list | tuple) else []
    return [(one[0], one[1]) for one in found if isinstance(one, list | tuple) and len(one) == 2]


def _with_body(
    line: str, headers: Iterable[tuple[Any, Any]], body: Any, *, always: bool = False
) -> bytes:
    if body is None and not always:
        return _head(line, *headers)
    content = b"" if body is None else json_bytes(body)
    kind = [] if body is None else [("Content-Type", "application/json")]
    return _head(line, *headers, *kind, ("Content-Length", len(content))) + content


def _head(line: str, *headers: tuple[Any, Any]) -> bytes:
    """The lines before the body; no value may begin a line of its own."""
    lines = [line, *(f"{name}: {value}" for name, value in headers)]
    harmless = (_BREAKS.sub(" ", one) for one in lines)
    return ("\r\n".join(harmless) + "\r\n\r\n").encode("utf-8", "replace")
