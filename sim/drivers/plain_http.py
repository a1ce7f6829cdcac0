"""A plain HTTP request in a place where WebSockets live: its body, and its JSON answer."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec
import trio

from sim.core.http import HttpRequest, HttpResponse
from sim.drivers.upgrade import Answer, Head

BODY_BYTES: Final = 64 << 10
BODY_S: Final = 10.0
JSON: Final = (("Content-Type", "application/json"),)
KEPT_HEADERS: Final = ("authorization",)
"""What a twin looks at; the rest is nobody's business."""


async def read_request(stream: trio.SocketStream, head: Head) -> HttpRequest | Answer | None:
    """The whole request; what is wrong with it; or None: its client went away."""
    length = head.headers.get("content-length", "0")
    if "transfer-encoding" in head.headers:
        return Answer(411, "give the body's Content-Length")
    if not length.isascii() or not length.isdigit():
        return Answer(400, "Content-Length has to be a number of bytes")
    if len(length) > 9 or int(length) > BODY_BYTES:
        return Answer(413, f"a body of more than {BODY_BYTES} bytes is not read")
    data = bytearray(head.early)
    try:
        with trio.fail_after(BODY_S):
            while len(data) < int(length):
                more = await stream.receive_some(4096)
                if not more:
                    return None
                data += more
    except trio.TooSlowError:
        return Answer(408, f"the body did not come within {BODY_S:g} s")
    except trio.BrokenResourceError:
        return None
    try:
        body = msgspec.json.decode(data[: int(length)]) if int(length) else None
    except (ValueError, RecursionError) as error:
        return Answer(400, f"the body is no JSON: {error}")
    headers = tuple((one, head.headers[one]) for one in KEPT_HEADERS if one in head.headers)
    query = tuple(parse_qsl(head.query, keep_blank_values=True))
    return HttpRequest(head.plain, head.path, query, body, headers)


def answer_of(response: HttpResponse, allow: str = "") -> Answer:
    """A twin's response, as it is written. ``allow``: the methods that its path takes."""
    allowed = (("Allow", allow),) if response.status == 405 and allow else ()
    return Answer(response.status, _json(response.body), (*JSON, *allowed))


def _json(body: Any) -> str:
    return "" if body is None else msgspec.json.encode(body).decode()
