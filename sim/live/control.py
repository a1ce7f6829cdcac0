"""Control over HTTP and JSON: a small server on Trio, and the manners of its answers.

``serve_http`` runs any Starlette app until it is cancelled. ``json_app`` makes one
whose every answer is JSON, errors too, each with what would have been allowed.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from contextlib import aclosing
from typing import Any, TypeVar

import msgspec
import trio
from hypercorn.config import Config
from hypercorn.trio import serve
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sim.drivers.listening import cannot_listen

BODY_BYTES = 1 << 20
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s\[\]/?#@:]+)(?::\d*)?")
Handler = Callable[[Request], Awaitable[Response]]
T = TypeVar("T")


class ControlError(Exception):
    """An answer that is no success. ``allowed``: what would have been understood."""

    def __init__(self, text: str, *, status: int = 400, allowed: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.text = text
        self.status = status
        self.allowed = list(allowed)


async def serve_http(
    app: Starlette,
    host: str,
    port: int,
    hide: Callable[[bytes], bytes] = bytes,
    task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Run an app; gives the port (0 asks for any free one). ``hide`` gets each answer, and
    gives one of the same length.

    Raises UsageError when the port is taken.
    """
    config = Config()
    config.accesslog = config.errorlog = None
    config.graceful_timeout = 0.2
    config.bind = [f"fd://{_bound(host, port)}"]

    async with trio.open_nursery() as nursery:
        binds = await nursery.start(serve, _plain(app, hide), config)
        task_status.started(int(str(binds[0]).rpartition(":")[2]))


def _plain(app: Starlette, hide: Callable[[bytes], bytes]) -> Any:
    """The app without its life cycle: it has nothing to set up, and a server that is cancelled
    would complain that nobody said goodbye."""

    async def called(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            raise LookupError("no life cycle")

        async def said(message: MutableMapping[str, Any]) -> None:
            if message.get("body"):
                message["body"] = hide(message["body"])
            await send(message)

        await app(scope, receive, said)

    return called


def _bound(host: str, port: int) -> int:
    """The descriptor of a socket with this address; hypercorn takes it over."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as made:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
            return made.detach()
    except (OSError, UnicodeError) as error:
        raise cannot_listen("control", host, port, error) from error


def json_app(routes: Sequence[Route]) -> Starlette:
    """An app whose errors are JSON. Browsers' pages of other sites get nothing from it."""
    listed = {route.path: sorted(route.methods or ()) for route in routes}

    async def failed(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code == 405:
            methods = [m for m in listed.get(request.url.path, []) if m != "HEAD"]
            told = f"{request.method} is not for {request.url.path}"
            said = refused(ControlError(told, status=405, allowed=methods))
            said.headers["Allow"] = ", ".join(listed.get(request.url.path, []))
            return said
        told = f"nothing is at {request.url.path}"
        return refused(ControlError(told, status=error.status_code, allowed=list(listed)))

    async def unusable(request: Request, error: Exception) -> Response:
        assert isinstance(error, ControlError)
        return refused(error)

    async def stumbled(request: Request, error: Exception) -> Response:
        # Not the error's own words: they may quote what was sent.
        told = f"hooktwin stumbled over this request ({type(error).__name__}); please report it"
        return refused(ControlError(told, status=500))

    handlers = {HTTPException: failed, ControlError: unusable, Exception: stumbled}
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.router.redirect_slashes = False
    return app


def guarded(handler: Handler, parameters: Sequence[str] = ()) -> Handler:
    """Refuse what a page in a browser might do here behind its user's back, and each query
    parameter that is none of ``parameters``, or is given twice."""

    async def handle(request: Request) -> Response:
        if "origin" in request.headers:
            raise ControlError("requests of web pages are not taken", status=403)
        host = request.headers.get("host", "")
        if not is_of_this_machine(host, (request.scope.get("server") or ("",))[0]):
            raise ControlError(
                f"Host {_host_in(host)!r} is not this machine",
                status=403,
                allowed=["127.0.0.1", "localhost"],
            )
        _look_at(request, parameters)
        return await handler(request)

    return handle


def is_of_this_machine(header: str, bound: str) -> bool:
    """Whether a Host header names an address, localhost, or what the server is ``bound`` to:
    a name that a web page's own server gives to this machine is none of them."""
    host = _host_in(header)
    return _is_address(host) or host in ("localhost", bound)


def _look_at(request: Request, parameters: Sequence[str]) -> None:
    """Raises ControlError for query parameters that say nothing, or two things."""
    given = [name for name, _ in request.query_params.multi_items()]
    for name in given:
        if name not in parameters:
            raise ControlError(f"no parameter is called {name!r}", allowed=parameters)
        if given.count(name) > 1:
            raise ControlError(f"{name} is given twice", allowed=parameters)


def number_of(request: Request, name: str, default: int, lowest: int) -> int:
    """A number of the query. Raises ControlError for anything else."""
    text = request.query_params.get(name)
    if text is None:
        return default
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 16 and int(text) >= lowest):
        told = f"{name} is a whole number from {lowest} on, not {text!r}"
        raise ControlError(told, allowed=[f"{name}={max(lowest, 0)}"])
    return int(text)


def _host_in(header: str) -> str:
    """The host of a Host header, without its port; "" for what is no such header."""
    found = _HOST.fullmatch(header)
    return found[1].strip("[]").lower() if found else ""


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


async def body_as(request: Request, kind: type[T]) -> T:
    """The JSON body as a struct. Raises ControlError, which lists the fields, for anything else."""
    data = bytearray()
    async with aclosing(request.stream()) as chunks:
        async for chunk in chunks:
            data += chunk
            if len(data) > BODY_BYTES:
                raise ControlError(f"the body is longer than {BODY_BYTES} bytes", status=413)
    try:
        return msgspec.json.decode(bytes(data) or b"{}", type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ControlError(str(error) or "no JSON", allowed=fields_of(kind)) from None


class Empty(msgspec.Struct, forbid_unknown_fields=True):
    """A body without fields."""


def ending(end: Callable[[], None]) -> Route:
    """``POST /end``: the session ends when this was answered."""

    async def handle(request: Request) -> Response:
        await body_as(request, Empty)
        said = answer({"ok": True})

        async def later() -> None:
            end()

        said.background = BackgroundTask(later)
        return said

    return Route("/end", guarded(handle), methods=["POST"])


def fields_of(kind: Any) -> list[str]:
    """``text``, ``chat?``: what a body may have; a question mark where it may be left out."""
    return [
        f.encode_name if f.required else f"{f.encode_name}?" for f in msgspec.structs.fields(kind)
    ]


def answer(value: Any, status: int = 200) -> Response:
    """A JSON answer, one line."""
    return Response(msgspec.json.encode(value) + b"\n", status, media_type="application/json")


def refused(error: ControlError) -> Response:
    """An error as JSON."""
    told: Mapping[str, Any] = {"ok": False, "error": error.text, "allowed": error.allowed}
    return answer(told, error.status)
