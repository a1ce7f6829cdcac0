"""A real relay: where it is, what to show it, and what it answers over HTTP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib import request as http
from urllib.error import HTTPError
from urllib.parse import urlsplit, urlunsplit

import attrs

from sim.core.errors import UsageError

ANSWER_S: Final = 5.0
CONNECTED: Final = "/api/nodes/connected"
REFRESH: Final = "/api/auth/refresh"
UNAUTHORIZED: Final = 401


class TokenRefused(UsageError):
    """The relay does not take the access token; another one may help."""


@attrs.frozen
class Address:
    """Where the relay is, what to show it, and which node is meant ("": the only one).

    Raises UsageError for what is no WebSocket URL.
    """

    url: str
    token: str
    node: str = ""
    refresh_token: str = ""

    def __attrs_post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("ws", "wss") or not parts.hostname:
            raise UsageError(f"{self.url}: give the relay's URL, such as ws://127.0.0.1:8787")

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
    """What the relay answers, decoded. Raises OSError and ValueError."""
    data = None if body is None else json.dumps(body).encode()
    wanted = http.Request(url, data=data, headers=dict(headers))
    try:
        with http.build_opener(http.ProxyHandler({})).open(wanted, timeout=ANSWER_S) as answer:
            return json.loads(answer.read())
    except HTTPError as error:
        error.close()  # it holds the connection
        raise


def connected_nodes(address: Address) -> list[str]:
    """The nodes that are connected, by the relay's own word.

    Raises TokenRefused, and UsageError when it does not tell.
    """
    url = address.web(CONNECTED)
    try:
        told = _asked(url, {"authorization": f"Bearer {address.token}"})
    except (OSError, ValueError) as error:
        text = f"{url}: {error}; name the node with --node"
        is_token = isinstance(error, HTTPError) and error.code == UNAUTHORIZED
        raise (TokenRefused(text) if is_token else UsageError(text)) from error
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
        raise UsageError(f"{found} connected to {address.url}: name one with --node")
    return nodes[0]


def new_token(address: Address) -> str:
    """A new access token for the refresh token. Raises UsageError where there is none."""
    url = address.web(REFRESH)
    try:
        told = _asked(
            url, {"content-type": "application/json"}, {"refreshToken": address.refresh_token}
        )
    except (OSError, ValueError) as error:
        raise UsageError(f"{url}: {error}; sign in anew") from error
    token = told.get("accessToken") if isinstance(told, dict) else None
    if not isinstance(token, str) or not token:
        raise UsageError(f"{url}: the answer has no accessToken; sign in anew")
    return token
