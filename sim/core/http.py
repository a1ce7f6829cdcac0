"""HTTP between hosts, whatever the protocol: what a ``Call`` asks, and what comes back.

An actor asks with ``Call(to, HttpRequest(...))`` and gets one of

- :class:`HttpResponse`, of any status: the other side has answered;
- :class:`Unreached`: the connection was refused (certainly not applied) or broke (nobody
  knows whether it was applied);
- ``NO_ANSWER``: its own time-out ended the wait (nobody knows, either).

The callee's ``on_call`` gets the request and returns the response.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

import msgspec

REFUSED: Final = "refused"
RESET: Final = "reset"
_CREDENTIAL: Final = re.compile(r"/bot[^/\s]*[-:][^/\s]*/")


class HttpRequest(msgspec.Struct, frozen=True, gc=False, tag_field="is", tag="http"):
    """One request: method, path as it stands in the request line (without the query),
    query in order, the decoded JSON body (None: no body), and the headers that matter,
    their names in lower case."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: Any = None
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def word(self) -> str:
        """Its kind, as schedules and faults name it: ``POST:/question/*/reply``.

        A part of the path with a digit in it is an id, of which a name tells nothing.
        """
        return _word(self.method, self.path)

    @property
    def bearer(self) -> str:
        """The token of ``Authorization: Bearer``, "" without one."""
        shown = next((value for key, value in self.headers if key == "authorization"), "")
        scheme, _, token = shown.partition(" ")
        return token.strip() if scheme.lower() == "bearer" else ""

    def asked(self, name: str) -> str | None:
        """The first value of a query parameter, None without one."""
        return next((value for key, value in self.query if key == name), None)


class HttpResponse(msgspec.Struct, frozen=True, gc=False, tag_field="is", tag="http-response"):
    """A status (100 … 599) and the decoded JSON body (None: no body)."""

    status: int
    body: Any = None

    @property
    def is_ok(self) -> bool:
        """Whether it is a 2xx."""
        return 200 <= self.status < 300


class Unreached(msgspec.Struct, frozen=True, gc=False, tag_field="is", tag="unreached"):
    """No response: ``why`` is ``refused`` (nobody listens) or ``reset`` (it broke)."""

    why: str

    @property
    def is_unapplied(self) -> bool:
        """Whether the request had certainly no effect."""
        return self.why == REFUSED


def untold(text: str) -> str:
    """A text for people, without the credentials that stand in paths: ``/bot…/getMe``."""
    return _CREDENTIAL.sub("/bot…/", text) if "/bot" in text else text


@lru_cache(maxsize=4_096)
def _word(method: str, path: str) -> str:
    parts = path.split("/")
    return f"{method}:" + "/".join("*" if _is_id(part) else part for part in parts)


def _is_id(part: str) -> bool:
    return any(mark.isdigit() for mark in part)
