"""The web that the simulated browser can reach: a few pages, and what they ask their servers.

``pages/web.json`` lists the pages, their HTML stands in files beside it. A page has
a latency, may demand a signed-in person, may not load at all (``refused``), or load
with a content script that answers nothing (``crash``). Its ``traffic`` is what its
scripts and images fetch, in milliseconds after it has loaded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import attrs
import msgspec

from sim.protocols.relay.browser.address import host_belongs_to, host_of, normalized, without_query

PAGES: Final = Path(__file__).with_name("pages")
SCRIPTED: Final = ("fetch", "xhr")
"""Resources that a page's own scripts ask for, so that a hook within the page sees them."""


@attrs.frozen
class Exchange:
    """One request of a page and its response.

    ``at_ms`` is when the response is complete, counted from the load of the page; it
    comes again ``times`` times, ``every_ms`` apart, with the next of the ``bodies``.
    ``cached`` never reaches the network: only a hook within the page sees it.
    """

    url: str
    method: str = "GET"
    resource: Literal["document", "script", "image", "fetch", "xhr"] = "fetch"
    status: int = 200
    mime_type: str = "application/json"
    request_headers: dict[str, str] = attrs.field(factory=dict)
    response_headers: dict[str, str] = attrs.field(factory=dict)
    request_body: str = ""
    bodies: list[Any] = attrs.field(factory=list)
    base64: bool = False
    at_ms: int = 0
    duration_ms: int = 20
    every_ms: int = 0
    times: int = 1
    cached: bool = False
    hook_lag_ms: int = 3

    def body(self, turn: int) -> bytes:
        """The response's body the ``turn``-th time, counted from 0."""
        if not self.bodies:
            return b""
        body = self.bodies[turn % len(self.bodies)]
        if isinstance(body, str):
            return body.encode("utf-8", "surrogatepass")
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


@attrs.frozen
class Page:
    """One page of the web. Latencies in milliseconds."""

    url: str
    title: str
    file: str = ""
    latency_ms: int = 100
    status: int = 200
    fails: Literal["", "refused", "crash"] = ""
    needs_login: bool = False
    traffic: list[Exchange] = attrs.field(factory=list)
    text: str | None = None

    @property
    def html(self) -> str:
        """What the server sent."""
        return _file(self.file) if self.text is None else self.text

    @property
    def document(self) -> Exchange:
        """The request of the page itself."""
        return Exchange(
            self.url,
            resource="document",
            status=self.status,
            mime_type="text/html",
            response_headers={"content-type": "text/html; charset=utf-8"},
            bodies=[self.html],
            duration_ms=self.latency_ms,
        )


@cache
def _file(name: str) -> str:
    return (PAGES / name).read_text(encoding="utf-8") if name else ""


@attrs.frozen
class Login:
    """Where a site lets people in."""

    site: str
    url: str


class Web:
    """Pages by their addresses, and the entrances of sites.

    Raises ValueError for a page whose address is no web address, and for two pages
    of one address.
    """

    def __init__(self, pages: list[Page], logins: list[Login] | None = None) -> None:
        self._pages: dict[str, Page] = {}
        self._logins = {login.site: login for login in logins or []}
        for page in pages:
            url = normalized(page.url)
            if url != page.url or url in self._pages:
                raise ValueError(f"page {page.url}: give each page one address, written {url}")
            self._pages[url] = page

    def page(self, url: str) -> Page | None:
        """The page at an address; a query that no page has of its own is overlooked."""
        found = self._pages.get(url)
        return self._pages.get(without_query(url)) if found is None else found

    def login_for(self, host: str) -> Login | None:
        """The entrance of the site that a host belongs to."""
        for login in self._logins.values():
            if host_belongs_to(host, login.site):
                return login
        return None

    def knows_host(self, host: str) -> bool:
        """Whether any page stands at this host."""
        return any(host_of(url) == host for url in self._pages)

    def with_pages(self, pages: list[Page]) -> Web:
        """The same web with more pages. Raises ValueError as the making of a web does."""
        return Web([*self._pages.values(), *pages], list(self._logins.values()))

    def pages(self) -> Mapping[str, Page]:
        """All pages by their addresses."""
        return dict(self._pages)


@attrs.frozen
class _Index:
    pages: list[Page]
    logins: list[Login]


@cache
def built_in_web() -> Web:
    """The pages that come with the program."""
    index = msgspec.json.decode((PAGES / "web.json").read_bytes(), type=_Index)
    return Web(index.pages, index.logins)
