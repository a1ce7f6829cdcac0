"""HTTP/1.1 on a real socket: what a twin is asked, and what its client gets."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from sim.core.http import HttpRequest, HttpResponse, Unreached
from sim.core.op import NO_ANSWER
from sim.drivers import http_serving
from sim.drivers.http_asking import Endpoint
from sim.drivers.http_serving import Conversation, Reply
from sim.drivers.listening import checked_base
from sim.live.gate import abort

pytestmark = pytest.mark.trio


class Server:
    """Keeps what it is asked, and answers what the test wants."""

    def __init__(self) -> None:
        self.asked: list[HttpRequest] = []
        self.reply: Reply = HttpResponse(200, {"ok": True})
        self.port = 0
        self.is_silent = trio.Event()

    async def ask(self, request: HttpRequest) -> Reply:
        self.asked.append(request)
        if self.reply is NO_ANSWER:
            self.is_silent.set()
        return self.reply

    def judge(self, headers: Mapping[str, str]) -> HttpResponse | None:
        return HttpResponse(403, "no pages") if "origin" in headers else None

    async def visit(self, stream: trio.SocketStream) -> None:
        await Conversation(stream, self.ask, abort, self.judge).run()


@asynccontextmanager
async def serving() -> AsyncIterator[Server]:
    server = Server()
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    server.port = listeners[0].socket.getsockname()[1]
    with trio.fail_after(10):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.serve_listeners, server.visit, listeners)
            yield server
            nursery.cancel_scope.cancel()


async def said(server: Server, *parts: bytes) -> bytes:
    """What is answered until the connection ends."""
    async with await trio.open_tcp_stream("127.0.0.1", server.port) as stream:
        for part in parts:
            await stream.send_all(part)
            await trio.testing.wait_all_tasks_blocked(0.002)
        await stream.send_eof()
        return b"".join([more async for more in stream])


def _request(target: str, body: bytes = b"", *headers: str, method: str = "POST") -> bytes:
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost", *headers]
    if body and not any(one.startswith("Transfer-Encoding") for one in headers):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


async def test_one_connection_carries_several_requests_even_those_that_do_not_wait() -> None:
    async with serving() as server:
        heard = await said(server, _request("/a?x=1&y=") + _request("/b", b"[1]"))
    assert heard.count(b"HTTP/1.1 200") == 2
    assert server.asked == [
        HttpRequest("POST", "/a", (("x", "1"), ("y", ""))),
        HttpRequest("POST", "/b", (), [1]),
    ]


async def test_a_body_may_come_in_chunks_and_wait_for_a_word_to_go_on() -> None:
    chunked = b"3\r\n[1,\r\n2\r\n2]\r\n0\r\n\r\n"
    headers = ("Transfer-Encoding: chunked", "Expect: 100-continue")
    async with serving() as server:
        head = _request("/a", b"", *headers)
        heard = await said(server, head, chunked)
    assert heard.startswith(b"HTTP/1.1 100")
    assert b"HTTP/1.1 200" in heard
    assert server.asked[0].body == [1, 2]


async def test_the_fields_of_a_form_are_parameters() -> None:
    form = "Content-Type: application/x-www-form-urlencoded; charset=utf-8"
    async with serving() as server:
        await said(server, _request("/a?x=1", b"chat_id=-42&text=%E4%BD%A0+b", form))
    assert server.asked[0].query == (("x", "1"), ("chat_id", "-42"), ("text", "你 b"))


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/x.y+json"])
async def test_a_body_that_calls_itself_json_is_read(kind: str) -> None:
    async with serving() as server:
        await said(server, _request("/a", b"[1]", f"Content-Type: {kind}"))
    assert server.asked[0].body == [1]


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"what?\r\n\r\n", 400),
        (_request("/a", b"{no"), 400),
        (_request("/a", b"", f"X: {'y' * 3 * http_serving.HEAD_BYTES}"), 431),
        (_request("/a", b"", "Content-Length: 9999999") + b" " * (1 << 20) + b" ", 413),
        (_request("/a", b"--x", "Content-Type: multipart/form-data; boundary=x"), 415),
        (_request("/a", b"{}", "Content-Type: text/plain;charset=UTF-8"), 415),
        (_request("/a", b"", "Origin: https://example.com"), 403),
        (_request("host:1", method="CONNECT"), 405),
    ],
)
async def test_what_cannot_be_asked_is_answered_and_asked_of_nobody(
    request_: bytes, status: int
) -> None:
    async with serving() as server:
        heard = await said(server, request_)
    assert heard.startswith(f"HTTP/1.1 {status} ".encode())
    assert not server.asked
    json.loads(heard.partition(b"\r\n\r\n")[2])


async def test_the_head_of_an_answer_is_as_long_as_the_answer_and_has_no_body() -> None:
    async with serving() as server:
        heard = await said(server, _request("/a", method="HEAD"))
    assert b"Content-Length: 12\r\n" in heard
    assert heard.endswith(b"\r\n\r\n")


@pytest.mark.parametrize(
    ("first", "statuses"),
    [
        (_request("/a", method="HEAD") + b"what?\r\n\r\n", [200, 400]),
        (_request("/a", method="HEAD") + _request("/b"), [200, 200]),
        (_request("/a", b"", "Origin: https://example.com", method="HEAD"), [403]),
        (_request("/a", b"{no", method="HEAD"), [400]),
    ],
)
async def test_only_the_answer_to_a_head_has_no_body(first: bytes, statuses: list[int]) -> None:
    async with serving() as server:
        heard = await said(server, first)
    heads = [one.partition(b"\r\n\r\n") for one in heard.split(b"HTTP/1.1 ")[1:]]
    assert [int(head[:3]) for head, _, _ in heads] == statuses
    assert not heads[0][2]
    assert all(json.loads(body) for _, _, body in heads[1:])


@pytest.mark.parametrize("status", [204, 304])
async def test_a_status_that_has_no_body_is_said_without_one(status: int) -> None:
    async with serving() as server:
        server.reply = HttpResponse(status, {"ok": True})
        heard = await said(server, _request("/a") + _request("/b"))
    assert heard.count(f"HTTP/1.1 {status} ".encode()) == 2
    assert b"ok" not in heard
    assert (b"Content-Length" in heard) is (status == 304)


async def test_an_endpoint_gets_what_the_server_says() -> None:
    async with serving() as server:
        endpoint = Endpoint(checked_base(f"http://127.0.0.1:{server.port}/", "OPENCODE"))
        request = HttpRequest("POST", "/a", (("directory", "/a b&c"),), {"answers": [["ключ"]]})
        replies: dict[str, Any] = {}
        for status in (200, 404):
            server.reply = HttpResponse(status, [status])
            replies[str(status)] = await endpoint.ask(request)
        server.reply = HttpResponse(204)
        replies["204"] = await endpoint.ask(request)
        server.reply = Unreached("reset")
        replies["reset"] = await endpoint.ask(request)
        server.reply = NO_ANSWER
        async with trio.open_nursery() as waiting:
            waiting.start_soon(endpoint.ask, request)
            await server.is_silent.wait()
            await trio.sleep(0.02)
            assert waiting.child_tasks
            waiting.cancel_scope.cancel()
        await endpoint.close()
    assert server.asked == [request] * 5
    assert replies == {
        "200": HttpResponse(200, [200]),
        "404": HttpResponse(404, [404]),
        "204": HttpResponse(204),
        "reset": Unreached("reset"),
    }
    gone = Endpoint(f"http://127.0.0.1:{server.port}")
    assert await gone.ask(request) == Unreached("refused")
    await gone.close()
