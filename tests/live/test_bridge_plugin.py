"""The plugin that hands questions to a bridge, run by Node as OpenCode would run it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

import sim.live
from sim.core.http import HttpRequest, HttpResponse
from sim.drivers.http_asking import Endpoint
from sim.drivers.http_serving import Conversation, Reply
from sim.live.gate import abort

NODE = shutil.which("node")
PLUGIN = Path(sim.live.__file__).parent / "bridge_plugin.js"
HOST = Path(__file__).parents[2] / "docs" / "examples" / "plugin-host.mjs"
INPUT = {"tool": "question", "sessionID": "ses_1", "callID": "call_1"}
QUESTIONS = {"questions": [{"question": "Deploy?", "options": [{"label": "да"}]}]}
WITHOUT_FETCH = "--import=data:text/javascript,globalThis.fetch=null"
"""OpenCode's own goes to 127.0.0.1 by the environment's proxy, where nobody knows a bridge."""

pytestmark = [pytest.mark.trio, pytest.mark.skipif(NODE is None, reason="there is no Node here")]


@asynccontextmanager
async def hosted(bridge: str, directory: Path) -> AsyncIterator[Endpoint]:
    """The plugin in a process of its own, as the twin's OpenCode reaches it."""
    module = directory / "plugin.mjs"  # as .js it would need a package.json that says "module"
    module.write_bytes(PLUGIN.read_bytes())
    command = [str(NODE), str(HOST), str(module), "0"]
    env = {"HERMES_BRIDGE_URL": bridge, "NODE_OPTIONS": WITHOUT_FETCH}
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            start = partial(trio.run_process, command, stdout=subprocess.PIPE, env=env, check=False)
            process = await nursery.start(start)
            url = (await process.stdout.receive_some()).decode().strip()
            endpoint = Endpoint(url.removesuffix("/tool.execute.before"))
            yield endpoint
            await endpoint.close()
            nursery.cancel_scope.cancel()


def _before(input: dict[str, Any]) -> HttpRequest:
    body = {"input": input, "args": QUESTIONS, "directory": "/proj"}
    return HttpRequest("POST", "/tool.execute.before", (), body)


async def test_the_plugin_posts_questions_only_and_never_throws(tmp_path: Path) -> None:
    asked: list[HttpRequest] = []
    replies: list[Reply] = [HttpResponse(200, {}), HttpResponse(500)]

    async def ask(request: HttpRequest) -> Reply:
        asked.append(request)
        return replies[len(asked) - 1]

    async def visit(stream: trio.SocketStream) -> None:
        await Conversation(stream, ask, abort).run()

    module = PLUGIN.read_text()
    assert "LIMIT_MS = 5000" in module
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    bridge = f"http://127.0.0.1:{listeners[0].socket.getsockname()[1]}"
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, visit, listeners)
        async with hosted(bridge, tmp_path) as plugin:
            told = [await plugin.ask(_before({**INPUT, "tool": "bash"}))]
            told += [await plugin.ask(_before(INPUT)) for _ in range(2)]
        nursery.cancel_scope.cancel()
    assert told == [HttpResponse(200, {"threw": None})] * 3
    said = {"input": INPUT, "args": QUESTIONS, "directory": "/proj"}
    assert asked == [HttpRequest("POST", "/tool.execute.before", (), said)] * 2


async def test_without_a_bridge_the_plugin_lets_the_question_go_on(tmp_path: Path) -> None:
    async with hosted("http://127.0.0.1:9", tmp_path) as plugin:
        assert await plugin.ask(_before(INPUT)) == HttpResponse(200, {"threw": None})
