"""OpenCode's HTTP API as far as questions go (§3): which request asks what."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import unquote

from sim.core.http import HttpRequest, HttpResponse
from sim.protocols.question.constants import REPLY
from sim.protocols.question.opencode.parts import answers_of
from sim.protocols.question.opencode.sessions import Sessions

DIRECTORY_HEADER: Final = "x-opencode-directory"
HTTP: Final = "http"


class Api:
    """Answers requests; ``directory`` is the project of those that name none."""

    __slots__ = ("_directory", "_sessions")

    def __init__(self, sessions: Sessions, directory: str) -> None:
        self._sessions = sessions
        self._directory = directory

    async def answer(self, request: HttpRequest) -> HttpResponse:
        """The response: 404 for a path that is none, 405 for another method, 400 for a
        body that is none. A reply or reject of an unknown id is a 200 (DQ-27)."""
        match [unquote(part) for part in request.path.split("/")[1:]]:
            case ["question"]:
                return _got(request) or self._list(request)
            case ["question", id, "reply" | "reject" as how]:
                return _posted(request) or await self._close(request, id, how)
            case ["session"]:
                named = self._named(request)
                return _got(request) or HttpResponse(200, self._sessions.sessions(named))
            case ["session", id, "message"]:
                return _got(request) or HttpResponse(200, self._sessions.messages(id))
        return HttpResponse(404, _error("NotFoundError", f"nothing is at {request.path}"))

    def _list(self, request: HttpRequest) -> HttpResponse:
        return HttpResponse(200, [part.item for part in self._sessions.listed(self._at(request))])

    async def _close(self, request: HttpRequest, id: str, how: str) -> HttpResponse:
        directory = self._at(request)
        if how != REPLY:
            await self._sessions.reject(id, directory, HTTP)
            return HttpResponse(200, True)
        answers = answers_of(request.body)
        if answers is None:
            told = 'the body is {"answers": [["…"]]}: one row of texts per question'
            return HttpResponse(400, _error("BadRequest", told))
        await self._sessions.reply(id, directory, answers, HTTP)
        return HttpResponse(200, True)

    def _at(self, request: HttpRequest) -> str:
        """The project that a request is about."""
        return self._named(request) or self._directory

    def _named(self, request: HttpRequest) -> str | None:
        in_header = next((v for key, v in request.headers if key == DIRECTORY_HEADER), None)
        return request.asked("directory") or (in_header and unquote(in_header))


def _got(request: HttpRequest) -> HttpResponse | None:
    return None if request.method == "GET" else _wrong_method(request, "GET")


def _posted(request: HttpRequest) -> HttpResponse | None:
    return None if request.method == "POST" else _wrong_method(request, "POST")


def _wrong_method(request: HttpRequest, right: str) -> HttpResponse:
    return HttpResponse(405, _error("MethodNotAllowed", f"{request.path} takes {right}"))


def _error(name: str, message: str) -> dict[str, Any]:
    return {"name": name, "data": {"message": message}}
