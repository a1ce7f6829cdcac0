"""Requests of a twin over real HTTP: what comes of them, in the words of :mod:`sim.core.http`."""

from __future__ import annotations

from typing import Any, Final

import httpx
import msgspec
import trio

from sim.core.errors import UsageError
from sim.core.http import REFUSED, RESET, HttpRequest, HttpResponse, Unreached
from sim.drivers.listening import is_this_machine

CONNECT_S: Final = 10.0
LEAVE_S: Final = 1.0
ANSWER_BYTES: Final = 64 << 20
"""Of an answer, unpacked: what is more is not kept."""


class Endpoint:
    """One real HTTP server. The environment's proxies are used for other machines only.

    Raises UsageError where the environment names a proxy that cannot be used.
    """

    def __init__(self, base: str) -> None:
        self._base = base
        try:
            self._client = httpx.AsyncClient(
                timeout=httpx.Timeout(None, connect=CONNECT_S),
                trust_env=not is_this_machine(base),
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=8),
            )
        except (ValueError, ImportError, OSError) as error:
            raise UsageError(f"the proxy or certificates of the environment: {error}") from error

    async def close(self) -> None:
        """Let go of its connections."""
        await self._client.aclose()

    async def closed_at_the_end(self) -> None:
        """Wait until cancelled, then let go of its connections."""
        try:
            await trio.sleep_forever()
        finally:
            with trio.move_on_after(LEAVE_S, shield=True):
                await self.close()

    async def ask(self, request: HttpRequest) -> HttpResponse | Unreached:
        """Send it and wait for the answer, without a limit of time: the caller has one.

        Refused means that nothing of the request was sent.
        """
        body = None if request.body is None else msgspec.json.encode(request.body)
        headers = {**dict(request.headers), "accept": "application/json"}
        if body is not None:
            headers["content-type"] = "application/json"
        try:
            wanted = self._client.build_request(
                request.method,
                self._base + request.path,
                params=list(request.query) or None,
                content=body,
                headers=headers,
            )
            response = await self._client.send(wanted, stream=True)
            content = await _within(response)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError):
            return Unreached(REFUSED)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError):
            return Unreached(RESET)
        if content is None:
            return Unreached(RESET)
        return HttpResponse(response.status_code, _decoded(content))


async def _within(response: httpx.Response) -> bytes | None:
    """The whole body; None when it is longer than an answer may be.

    What is too much is thrown away, not broken off: the caller's limit of time ends it.
    """
    content, size = bytearray(), 0
    try:
        async for chunk in response.aiter_bytes():
            size += len(chunk)
            if size <= ANSWER_BYTES:
                content += chunk
    finally:
        with trio.move_on_after(LEAVE_S, shield=True):
            await response.aclose()
    return bytes(content) if size <= ANSWER_BYTES else None


def _decoded(content: bytes) -> Any:
    """JSON; anything else as the text that it is."""
    if not content:
        return None
    try:
        return msgspec.json.decode(content)
    except (ValueError, RecursionError):
        return content.decode(errors="replace")
