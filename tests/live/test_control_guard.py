"""What the control API of both live sessions refuses before it looks at a command."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sim.live.control import answer, guarded, json_app, number_of
from tests.live.strangers import served

pytestmark = pytest.mark.trio

Ask = Callable[..., Awaitable[httpx.Response]]


async def fine(request: Request) -> Response:
    return answer({"after": number_of(request, "after", -1, -1)})


async def broken(request: Request) -> Response:
    raise RuntimeError("Bearer secret")


def an_app() -> Starlette:
    routes = [
        Route("/events", guarded(fine, ("after",)), methods=["GET"]),
        Route("/broken", guarded(broken), methods=["GET"]),
    ]
    return json_app(routes)


async def asked(path: str, host: str = "127.0.0.1:80") -> tuple[int, dict[str, Any]]:
    transport = httpx.ASGITransport(app=an_app(), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        said = await client.get(path, headers={"host": host})
    return said.status_code, json.loads(said.content)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8788", "[::1]:8788", "LOCALHOST"])
async def test_this_machine_is_answered(host: str) -> None:
    assert (await asked("/events", host))[0] == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "[::1", "evil.example@127.0.0.1", "127.0.0.1/@evil.example", "localhost.evil",
     "127.0.0.1:80:80", "", "127.0.0.1 evil"],
)  # fmt: skip
async def test_a_host_header_that_is_another_machine_or_none_is_refused(host: str) -> None:
    status, said = await asked("/events", host)
    assert (status, said["allowed"]) == (403, ["127.0.0.1", "localhost"])


@pytest.mark.parametrize("query", ["afetr=1", "after=1&after=2", "after=1&x=", "after=1_0"])
async def test_a_query_that_says_nothing_is_refused(query: str) -> None:
    status, said = await asked(f"/events?{query}")
    assert (status, said["ok"]) == (400, False)
    assert said["allowed"][0].startswith("after")


async def test_our_own_mistakes_are_told_as_json_and_quote_nothing() -> None:
    status, said = await asked("/broken")
    assert (status, said["ok"]) == (500, False)
    assert "RuntimeError" in said["error"]
    assert "secret" not in said["error"]


async def test_a_path_with_a_slash_too_many_leads_nowhere() -> None:
    status, said = await asked("/events/")
    assert (status, said["error"]) == (404, "nothing is at /events/")


async def test_a_thread_that_nobody_has_begun_is_no_thread() -> None:
    async with served() as session:
        wrong = await session.post("/message", text="x", thread="m9")
        assert (wrong["status"], wrong["error"]) == (404, "no thread in slack is called 'm9'")
        await session.post("/message", text="first")
        assert (await session.post("/message", text="second", thread="m1"))["status"] == 200
