"""A small desktop of somebody else's, written with plain trio-websocket.

It knows nothing of hooktwin: ``main`` talks over one connection, and leaves with
ConnectionClosed when that is over. The same class is tested in the simulation,
under faults, and over a real socket: see ``test_third_party.py``.
"""

from __future__ import annotations

import json
from typing import Any, Protocol

import trio
from trio_websocket import ConnectionClosed, wrap_client_stream

HEARTBEAT_S = 25
FEATURES = ("multi-team", "session-picker-v1")


class WebSocket(Protocol):
    """What it needs of a ``trio_websocket.WebSocketConnection``."""

    async def send_message(self, message: str) -> None: ...
    async def get_message(self) -> str | bytes: ...


class ShoutingDesktop:
    """Its agent answers every prompt in capital letters.

    ``results`` survive a reconnect, and a restart too if somebody keeps them: a task
    that is sent again is not done again.
    """

    def __init__(self, device: str, results: dict[str, dict[str, Any]] | None = None) -> None:
        self.device = device
        self.results = {} if results is None else results
        self.runs = 0
        self._begun: set[str] = set()
        self._serial = 0

    async def main(self, connection: WebSocket) -> None:
        """One connection, from hello to its end."""
        await self._send(
            connection, "hello", protocolVersion=1, deviceId=self.device,
            deviceName="shouting", workspaces=["chat"], agents=["shouter"],
            features=list(FEATURES),
        )  # fmt: skip
        self._begun.clear()  # what an earlier connection had begun has ended with it
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._heartbeat, connection)
            while True:
                frame = json.loads(await connection.get_message())
                if frame["type"] == "ping":
                    await self._send(connection, "pong")
                elif frame["type"] == "welcome":
                    for end in list(self.results.values()):
                        await self._send(connection, "turn.end", **end)
                elif frame["type"] == "task.dispatch":
                    await self._take(connection, nursery, frame["payload"])

    async def _take(
        self, connection: WebSocket, nursery: trio.Nursery, task: dict[str, Any]
    ) -> None:
        request = task["requestId"]
        await self._send(
            connection, "task.ack", requestId=request, result="accepted", reason=None,
            sessionId=f"session-{task['externalKey']}", queuePosition=None,
        )  # fmt: skip
        if request in self.results:
            await self._send(connection, "turn.end", **self.results[request])
        elif request not in self._begun:  # the simulation found the bug without this line
            self._begun.add(request)
            nursery.start_soon(self._work, connection, task)

    async def _work(self, connection: WebSocket, task: dict[str, Any]) -> None:
        request, key = task["requestId"], task["externalKey"]
        await self._send(
            connection, "turn.progress", requestId=request, externalKey=key,
            sessionId=f"session-{key}", text="Clearing my throat",
        )  # fmt: skip
        await trio.sleep(0.5)
        self.runs += 1
        self.results[request] = {
            "requestId": request, "externalKey": key, "sessionId": f"session-{key}",
            "status": "ok", "finalText": task["prompt"].upper(), "errorMessage": None,
            "usage": {"durationMs": 500},
        }  # fmt: skip
        await self._send(connection, "turn.end", **self.results[request])

    async def _heartbeat(self, connection: WebSocket) -> None:
        while True:
            await trio.sleep(HEARTBEAT_S)
            await self._send(connection, "ping")

    async def _send(self, connection: WebSocket, type: str, **payload: Any) -> None:
        self._serial += 1
        frame = {"v": 1, "type": type, "id": f"{self.device}-{self._serial}", "ts": 0}
        await connection.send_message(json.dumps({**frame, "payload": payload}))


async def run(desktop: ShoutingDesktop, host: str, port: int, path: str) -> None:
    """How it runs in earnest: connect, and again a second after each end."""
    while True:
        try:
            async with (
                await trio.open_tcp_stream(host, port) as stream,
                trio.open_nursery() as nursery,
            ):
                connection = await wrap_client_stream(nursery, stream, host, path)
                await desktop.main(connection)
        except* (ConnectionClosed, OSError):
            pass
        await trio.sleep(1)
