"""Answers at the door of a WebSocket follow HTTP, whatever was asked."""

from __future__ import annotations

from typing import Any

import h11
import pytest
import trio
import trio.testing

from sim.core.http import HttpResponse
from sim.drivers.plain_http import answer_of
from sim.drivers.upgrade import Answer, Head, ReadBefore, path_of, read_head

HOST = b" HTTP/1.1\r\nHost: h\r\n"


def door(method: str, path: str) -> Answer | None:
    return None if method == "GET" else Answer(405, "no", (("Allow", "GET"),))


async def met(request: bytes) -> Any:
    """What a server reads of it; paths below ``/api/`` are for plain requests."""
    ours, theirs = trio.testing.memory_stream_pair()
    await theirs.send_all(request)
    stream: Any = ours
    return await read_head(stream, door, "/api/")


def heard(request: bytes, answer: bytes) -> tuple[int, bytes]:
    """Status and body as a client reads them, for whom nothing may be left over."""
    client = h11.Connection(h11.CLIENT)
    method, target = request.split()[:2]
    client.send(h11.Request(method=method, target=target, headers=[("Host", "h")]))
    client.send(h11.EndOfMessage())
    client.receive_data(answer)
    client.receive_data(b"")
    status, body = 0, b""
    while not isinstance(event := client.next_event(), h11.EndOfMessage):
        if isinstance(event, h11.Response):
            status = event.status_code
        if isinstance(event, h11.Data):
            body += event.data
    assert client.trailing_data[0] == b""
    return status, body


@pytest.mark.trio
@pytest.mark.parametrize(
    ("request_line", "status", "has_body"),
    [
        (b"HEAD /a", 405, False),
        (b"BREW /a", 405, True),
        (b"OPTIONS *", 405, True),
        (b"CONNECT h:80", 405, True),
        (b"GET /a", 426, True),
        (b"GET http://h/a", 426, True),
    ],
)
async def test_who_wants_no_websocket_is_told_so_as_http_has_it(
    request_line: bytes, status: int, has_body: bool
) -> None:
    answer = await met(request_line + HOST + b"\r\nGET /behind HTTP/1.1\r\n\r\n")
    assert isinstance(answer, Answer)
    assert answer.is_head is not has_body
    said = heard(request_line, answer.encode())
    assert (said[0], bool(said[1])) == (status, has_body)
    assert (b"Upgrade: websocket" in answer.encode()) is (status == 426)
    assert (b"Connection: close, Upgrade" in answer.encode()) is (status == 426)


@pytest.mark.trio
async def test_an_unreadable_head_is_answered_without_a_body_too() -> None:
    answer = await met(b"HEAD /a" + HOST + b"no header\r\n\r\n")
    assert isinstance(answer, Answer)
    assert heard(b"HEAD /a", answer.encode()) == (400, b"")


@pytest.mark.parametrize("status", [204, 304])
def test_a_status_without_a_body_has_none_and_a_204_no_length(status: int) -> None:
    said = answer_of(HttpResponse(status, {"ok": True}), "GET").encode()
    assert heard(b"GET /a", said) == (status, b"")
    assert b"Content-Length" not in said
    assert b"Allow" not in said


def test_a_method_that_a_path_does_not_take_is_told_which_it_takes() -> None:
    assert b"\r\nAllow: GET, HEAD\r\n" in answer_of(HttpResponse(405, {}), "GET, HEAD").encode()


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("/a?b=1", "/a?b=1"),
        ("http://h:80/a?b=1", "/a?b=1"),
        ("HTTP://h", "/"),
        ("http://h?role=node", "/?role=node"),
        ("/a://b", "/a://b"),
        ("*", "*"),
    ],
)
def test_a_request_may_name_the_server_before_the_path(target: str, path: str) -> None:
    assert path_of(target) == path


@pytest.mark.trio
async def test_a_plain_head_is_a_request_of_its_own() -> None:
    head = await met(b"HEAD http://h/api/a?x" + HOST + b"\r\n")
    assert isinstance(head, Head)
    assert (head.plain, head.path, head.query) == ("HEAD", "/api/a", "x")


class Taken:
    """A stream that another task has in its hands."""

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        raise trio.BusyResourceError("another task is currently receiving")

    async def send_all(self, data: bytes) -> None:
        raise trio.BusyResourceError("another task is currently sending")


@pytest.mark.trio
async def test_a_reply_to_a_close_that_crosses_our_own_is_no_defect_of_ours() -> None:
    stream: Any = Taken()
    ours = ReadBefore(stream, Head("/", {}, b"GET"))
    assert await ours.receive_some() == b"GET"
    ours.answered()
    with pytest.raises(trio.BrokenResourceError):
        await ours.send_all(b"a Close frame")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ours.receive_some)
        await trio.testing.wait_all_tasks_blocked()
        assert nursery.child_tasks
        nursery.cancel_scope.cancel()
