"""Sessions and the strangers who come to them, for the tests of live mode."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import httpx
import trio
from trio_websocket import WebSocketConnection, open_websocket_url

from sim.core.event import Event
from sim.core.trace import read_trace
from sim.live.holding import Stop, Summary
from sim.live.house import Plan
from sim.live.serving import Address, Opened, serve
from sim.live.session import Running

SLACK = ("multi-team", "session-picker-v1")
PATIENCE_S = 60.0


@attrs.define
class Served:
    """A session of ``serve`` that is going on."""

    opened: Opened
    log: list[str]
    stop: Stop
    summary: Summary | None = None

    @property
    def slack(self) -> str:
        return self.opened.urls["slack"]

    @property
    def port(self) -> int:
        return self.port_of("slack")

    def port_of(self, lane: str) -> int:
        return int(self.opened.urls[lane].split(":")[2].split("/")[0])

    async def get(self, path: str) -> Any:
        async with httpx.AsyncClient() as client:
            return (await client.get(self.opened.control + path)).json()

    async def post(self, path: str, **body: Any) -> Any:
        async with httpx.AsyncClient() as client:
            answer = await client.post(self.opened.control + path, json=body)
            return {"status": answer.status_code, **answer.json()}


@asynccontextmanager
async def served(
    plan: Plan | None = None,
    token: str = "",
    record: Path | None = None,
    speed: float = 1.0,
    within_s: float = PATIENCE_S,
) -> AsyncIterator[Served]:
    """Serve in this process until the block ends."""
    plan = plan or Plan(running=Running(record, speed))
    log: list[str] = []
    box: list[Opened] = []
    ready = trio.Event()
    stop = Stop()

    def opened(where: Opened) -> None:
        box.append(where)
        ready.set()

    with trio.fail_after(within_s):
        async with trio.open_nursery() as nursery:
            done = trio.Event()
            session: list[Served] = []

            async def run() -> None:
                summary = await serve(plan, Address(token=token), opened, log.append, stop)
                session[0].summary = summary
                done.set()

            nursery.start_soon(run)
            await ready.wait()
            session.append(Served(box[0], log, stop))
            try:
                yield session[0]
            finally:
                stop.now()
                with trio.CancelScope(shield=True, deadline=trio.current_time() + 5):
                    await done.wait()
                nursery.cancel_scope.cancel()


class Stranger:
    """A desktop that does just what it is told."""

    def __init__(self, socket: WebSocketConnection, device: str) -> None:
        self.socket = socket
        self.device = device
        self.count = 0

    async def send(self, type: str, **payload: Any) -> None:
        self.count += 1
        frame = {"v": 1, "type": type, "id": f"x{self.count}", "ts": 1, "payload": payload}
        await self.socket.send_message(json.dumps(frame))

    async def hello(self, features: tuple[str, ...] = SLACK) -> dict[str, Any]:
        """Say hello; gives the welcome's payload."""
        await self.send(
            "hello", protocolVersion=1, deviceId=self.device, deviceName=self.device,
            workspaces=["chat"], agents=["claude-code"], features=list(features),
        )  # fmt: skip
        return await self.hear("welcome")

    async def hear(self, type: str) -> dict[str, Any]:
        """The payload of the next frame of this type."""
        while True:
            frame = json.loads(await self.socket.get_message())
            if frame["type"] == type:
                payload: dict[str, Any] = frame["payload"]
                return payload

    async def take(self) -> dict[str, Any]:
        """The next task, accepted."""
        task = await self.hear("task.dispatch")
        await self.send(
            "task.ack", requestId=task["requestId"], result="accepted", sessionId="s1",
            queuePosition=None, reason=None,
        )  # fmt: skip
        return task

    async def end(self, task: dict[str, Any], text: str) -> None:
        await self.send(
            "turn.end", requestId=task["requestId"], externalKey=task["externalKey"],
            sessionId="s1", status="ok", finalText=text, errorMessage=None, attachments=[],
            usage={"durationMs": 5},
        )  # fmt: skip


@asynccontextmanager
async def stranger(url: str, device: str = "device-1", token: str = "") -> AsyncIterator[Stranger]:
    """Somebody who is connected, and hangs up at the end of the block."""
    headers = [(b"authorization", f"Bearer {token}".encode())] if token else None
    # With a full queue the library's reader would never come to the Close frame.
    async with open_websocket_url(url, extra_headers=headers, message_queue_size=1_000) as socket:
        try:
            yield Stranger(socket, device)
        finally:
            await socket.aclose()
            await trio.aclose_forcefully(socket._stream)  # the library leaves it open


def upgrade(path: str, **headers: str) -> bytes:
    """The request for a WebSocket; ``headers`` replace or add to the usual ones."""
    usual = {
        "host": "localhost",
        "upgrade": "websocket",
        "connection": "Upgrade",
        "sec_websocket_key": "dGhlIHNhbXBsZSBub25jZQ==",
        "sec_websocket_version": "13",
    }
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in {**usual, **headers}.items()]
    return "\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode()


async def status_of(port: int, request: bytes) -> tuple[int, str]:
    """(HTTP status, the whole answer) to a request that is turned away; 0: no answer."""
    heard = (await raw(port, request)).decode()
    return (int(heard.split(" ", 2)[1]) if heard else 0), heard


async def eventually(ask: Any, within_s: float = 30.0) -> Any:
    """The first true answer of an async question."""
    with trio.fail_after(within_s):
        while True:
            answer = await ask()
            if answer:
                return answer
            await trio.sleep(0.02)


async def raw(port: int, data: bytes, *, then_wait: bool = True) -> bytes:
    """Send bytes, and read until the other side hangs up."""
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        await stream.send_all(data)
        heard = b""
        while then_wait:
            try:
                more = await stream.receive_some(65_536)
            except trio.BrokenResourceError:
                break
            if not more:
                break
            heard += more
        return heard


def events(path: Path, kind: type[Event]) -> list[Any]:
    """The events of one kind in a recording."""
    return [event for event in read_trace(path).events if isinstance(event, kind)]
