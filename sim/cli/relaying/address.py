"""A real relay: where it is, what to show it, and what it answers over HTTP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any, Final
from urllib import request as http
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit, urlunsplit

import attrs

from sim.core.errors import UsageError
from sim.drivers.listening import is_host

ANSWER_S: Final = 5.0
ANSWER_BYTES: Final = 1 << 20
"""No list of nodes is longer; a server that never ends is no relay."""
CONNECTED: Final = "/api/nodes/connected"
REFRESH: Final = "/api/auth/refresh"
UNAUTHORIZED: Final = 401


class TokenRefused(UsageError):
    """The relay does not take the access token; another one may help."""


@attrs.frozen
class Address:
    """Where the relay is, what to show it, and which node is meant ("": the only one).

    Raises UsageError for what is no WebSocket URL, and for a token that no header can hold.
    Neither the token nor what is secret in the URL stands in any message.
    """

    url: str
    token: str
    node: str = ""
    refresh_token: str = ""

    def __attrs_post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            is_good = parts.scheme in ("ws", "wss") and is_host(parts.hostname or "")
            is_good = is_good and parts.port != 0 and parts.username is None
        except ValueError:
            is_good = False
        if not is_good:
            text = "--url: give the relay's URL, such as ws://127.0.0.1:8787, without a user in it"
            raise UsageError(text)
        if any(one < " " or one == "\x7f" for one in self.token):
            raise UsageError("the token has a line break or another control character: mend it")

    @property
    def shown(self) -> str:
        """The URL for messages: a query may hold a secret."""
        return urlunsplit(urlsplit(self.url)._replace(query="", fragment=""))

    def dialled(self) -> str:
        """The URL with the role that the relay is told in it."""
        parts = urlsplit(self.url)
        query = "&".join(one for one in (parts.query, "role=controller") if one)
        return urlunsplit(parts._replace(query=query))

    def web(self, path: str) -> str:
        """The same relay over HTTP."""
        parts = urlsplit(self.url)
        scheme = "https" if parts.scheme == "wss" else "http"
        return urlunsplit((scheme, parts.netloc, path, "", ""))


def _asked(url: str, headers: Mapping[str, str], body: Any = None) -> Any:
    """What the relay answers, decoded. Raises one of _NO_ANSWER."""
    data = None if body is None else json.dumps(body).encode()
    # The bytes of a header are UTF-8 here; urllib takes them as Latin-1.
    as_bytes = {
        name: value.encode(errors="replace").decode("latin-1") for name, value in headers.items()
    }
    wanted = http.Request(url, data=data, headers=as_bytes)
    try:
        with http.build_opener(http.ProxyHandler({})).open(wanted, timeout=ANSWER_S) as answer:
            return json.loads(answer.read(ANSWER_BYTES))
    except HTTPError as error:
        error.close()  # it holds the connection
        raise


_NO_ANSWER: Final = (OSError, HTTPException, ValueError, RecursionError)


def _reason(error: BaseException) -> str:
    """Why there is no answer, without a word of what was sent: that may be a secret."""
    if isinstance(error, HTTPError):
        return f"HTTP {error.code}"
    if isinstance(error, OSError):
        cause = error.reason if isinstance(error, URLError) else error
        return str(getattr(cause, "strerror", None) or cause)
    return "the answer is no " + ("HTTP" if isinstance(error, HTTPException) else "JSON")


def connected_nodes(address: Address) -> list[str]:
    """The nodes that are connected, by the relay's own word.

    Raises TokenRefused, and UsageError when it does not tell.
    """
    url = address.web(CONNECTED)
    try:
        told = _asked(url, {"authorization": f"Bearer {address.token}"})
    except _NO_ANSWER as error:
        if isinstance(error, HTTPError) and error.code == UNAUTHORIZED:
            text = f"{url}: Unauthorized: the relay does not take the token; give another --token"
            raise TokenRefused(text) from error
        raise UsageError(f"{url}: {_reason(error)}; name the node with --node") from error
    nodes = told.get("nodes") if isinstance(told, dict) else None
    listed = nodes if isinstance(nodes, list) else []
    return [str(one["nodeId"]) for one in listed if isinstance(one, dict) and "nodeId" in one]


def node_of(address: Address) -> str:
    """The node that is meant. Raises UsageError where that is not clear."""
    if address.node:
        return address.node
    nodes = connected_nodes(address)
    if len(nodes) != 1:
        found = f"the nodes {', '.join(nodes)} are" if nodes else "no node is"
        raise UsageError(f"{found} connected to {address.shown}: name one with --node")
    return nodes[0]


def new_token(address: Address) -> str:
    """A new access token for the refresh token. Raises UsageError where there is none."""
    url = address.web(REFRESH)
    try:
        told = _asked(
            url, {"content-type": "application/json"}, {"refreshToken": address.refresh_token}
        )
    except _NO_ANSWER as error:
        raise UsageError(f"{url}: {_reason(error)}; sign in anew") from error
    token = told.get("accessToken") if isinstance(told, dict) else None
    if not isinstance(token, str) or not token:
        raise UsageError(f"{url}: the answer has no accessToken; sign in anew")
    return token
