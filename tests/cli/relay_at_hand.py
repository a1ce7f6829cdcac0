"""A relay of somebody else's, for tests: it speaks real WebSocket and knows one node."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import trio
from trio_websocket import ConnectionClosed, WebSocketRequest, serve_websocket

TOKEN = "token-A"


class RelayAtHand:
    """Answers hello, auth and the commands of an extraction; ``heard`` is what came.

    ``fails`` has the code of an error by action; ``mute`` actions are not answered;
    ``drops`` ones end the connection.
    """

    def __init__(self) -> None:
        self.url = ""
        self.heard: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.fails: dict[str, str] = {}
        self.drops: list[str] = []
        self.data: dict[str, Any] = {
            "primitive.tab.open": {"tabSessionId": "tab_x", "url": "https://page.example/"},
            "primitive.dom.extract_markdown": {"tabSessionId": "tab_x", "markdown": "# Page"},
            "primitive.tab.close": {"tabSessionId": "tab_x", "closed": True},
        }

    def actions(self) -> list[str]:
        return [w["payload"]["action"] for w in self.heard if w["messageType"] == "command"]

    async def _meet(self, request: WebSocketRequest) -> None:
        self.paths.append(request.path)
        socket = await request.accept()
        with suppress(ConnectionClosed):
            while True:
                frame = json.loads(await socket.get_message())
                self.heard.append(frame)
                action = frame["payload"].get("action")
                if action in self.drops:
                    await socket.aclose()
                for family, payload in self._answers(frame):
                    told = {**frame, "messageType": family, "payload": payload}
                    await socket.send_message(json.dumps({**told, "senderRole": "relay"}))

    def _answers(self, frame: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        family, payload = frame["messageType"], frame["payload"]
        if family == "hello":
            return [("hello_ack", {"accepted": True, "heartbeatIntervalMs": 8000})]
        if family == "auth":
            if payload["accessToken"] != TOKEN:
                return [("error", _error("auth", "invalid_access_token"))]
            who = {"role": "controller", "controllerId": "ctl_1", "scopes": ["*"]}
            return [("auth_ack", {"accepted": True, **who})]
        if family != "command":
            return []
        action = payload["action"]
        if action in self.fails:
            return [("error", _error("execution", self.fails[action]))]
        routed = {"type": "routed", "targetNodeId": payload["targetNodeId"]}
        result = {"ok": True, "durationMs": 5, "action": action, "data": self.data[action]}
        return [("event", routed), ("result", result)]


def _error(category: str, code: str) -> dict[str, Any]:
    return {"category": category, "code": code, "message": f"no: {code}"}


@asynccontextmanager
async def relay_at_hand() -> AsyncIterator[RelayAtHand]:
    """Listen on a free port of this machine."""
    relay, failure = RelayAtHand(), None
    async with trio.open_nursery() as nursery:
        serve = partial(serve_websocket, relay._meet, "127.0.0.1", 0, ssl_context=None)
        server = await nursery.start(serve)
        relay.url = f"ws://127.0.0.1:{server.port}"
        try:
            yield relay
        except Exception as error:  # raised again outside, where the nursery cannot wrap it
            failure = error
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure
