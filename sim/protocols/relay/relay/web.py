"""The two requests over HTTP that a command-line controller makes of a relay.

Pairing, the registry of clients and logs are out of scope (DR-27).
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

from sim.core.http import HttpRequest, HttpResponse
from sim.protocols.relay.relay.switchboard import Switchboard
from sim.protocols.relay.relay.tokens import Tokens

CONNECTED: Final = "/api/nodes/connected"
REFRESH: Final = "/api/auth/refresh"
PATHS: Final = MappingProxyType({CONNECTED: "GET, HEAD", REFRESH: "POST"})
"""Which methods each path takes."""


class Web:
    """Answers them."""

    __slots__ = ("_answers", "_board", "_tokens")

    def __init__(self, board: Switchboard, tokens: Tokens) -> None:
        self._board = board
        self._tokens = tokens
        self._answers: dict[str, Callable[[HttpRequest], HttpResponse]] = {
            CONNECTED: self._connected,
            REFRESH: self._refresh,
        }

    def answer(self, request: HttpRequest) -> HttpResponse:
        """The response, with an error's ``code`` in its body where it is none of 2xx."""
        answer = self._answers.get(request.path)
        if answer is None:
            return _refused(404, "not_found", f"nothing is at {request.path}")
        if request.method not in PATHS[request.path].split(", "):
            told = f"{request.path} takes {PATHS[request.path]}"
            return _refused(405, "method_not_allowed", told)
        return answer(request)

    def _connected(self, request: HttpRequest) -> HttpResponse:
        """The nodes that commands can be sent to, and that the token's grant reaches."""
        grant = self._tokens.access(request.bearer) if request.bearer else None
        if grant is None or not grant.is_good_at(self._board.port.now_ms()):
            code = "invalid_access_token" if request.bearer else "missing_access_token"
            return _refused(401, code, "show an access token: Authorization: Bearer …")
        nodes = (session.identity for session in self._board.books.sessions.nodes())
        reached = [{"nodeId": node} for node in nodes if grant.reaches(node)]
        return HttpResponse(200, {"nodes": reached})

    def _refresh(self, request: HttpRequest) -> HttpResponse:
        """A new access token. The refresh token stays what it is, as on the WebSocket (DR-26)."""
        shown = _text_in(request.body, "refreshToken")
        if not shown:
            return _refused(400, "missing_refresh_token", 'the body is {"refreshToken": …}')
        token = self._tokens.refreshed(shown)
        if token is None:
            return _refused(401, "invalid_refresh_token", "this refresh token is not good")
        return HttpResponse(200, {"accessToken": token, "refreshToken": shown})


def _refused(status: int, code: str, message: str) -> HttpResponse:
    return HttpResponse(status, {"error": code, "message": message})


def _text_in(body: Any, key: str) -> str:
    value = body.get(key) if isinstance(body, dict) else None
    return value if isinstance(value, str) else ""
