"""What can be asked of a running proxy over HTTP and JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sim.live.control import (
    ControlError,
    answer,
    body_as,
    ending,
    fields_of,
    guarded,
    json_app,
    number_of,
)
from sim.live.proxy import Proxy
from sim.live.proxy_book import finding_json
from sim.live.proxy_director import RuleDirector, find_links
from sim.live.proxy_faults import NoSuchWord, Strike, parse_rule
from sim.live.proxy_link import Link
from sim.world.fault import CUTS

MOST = 1_000


class FaultBody(msgspec.Struct, forbid_unknown_fields=True):
    """``fault`` as on the command line: ``lose:turn.end#1``; counted from now."""

    fault: str


class CutBody(msgspec.Struct, forbid_unknown_fields=True):
    """``link``: ``D.slack#1``, ``D.slack``, ``D``, ``newest`` or ``all``."""

    link: str = "newest"
    how: str = "fin"


class WayBody(msgspec.Struct, forbid_unknown_fields=True):
    """``way``: what stays in flight, ``D->S`` or ``S->D``, or what a host sends (``sender``);
    without both, both directions."""

    link: str = "newest"
    way: str = ""
    sender: str = ""


class LinkBody(msgspec.Struct, forbid_unknown_fields=True):
    """A connection, see :class:`CutBody`."""

    link: str = "newest"


class Control:
    """The handlers."""

    def __init__(self, proxy: Proxy, director: RuleDirector) -> None:
        self._proxy = proxy
        self._director = director

    def app(self, end: Callable[[], None] | None = None) -> Starlette:
        """All of them by path; ``end`` ends the session."""
        gets = {
            "/": self.index,
            "/links": self.links,
            "/frames": self.frames,
            "/findings": self.findings,
            "/faults": self.faults,
        }
        posts = {
            "/fault": self.fault,
            "/cut": self.cut,
            "/heal": self.heal,
            "/hold": self.hold,
            "/release": self.release,
        }
        asked = {"/frames": ("after", "limit"), "/findings": ("after",)}
        routes = [
            *(
                Route(path, guarded(do, asked.get(path, ())), methods=["GET"])
                for path, do in gets.items()
            ),
            *(Route(path, guarded(do), methods=["POST"]) for path, do in posts.items()),
        ]
        return json_app(routes if end is None else [*routes, ending(end)])

    async def index(self, request: Request) -> Response:
        """All routes."""
        book = self._proxy.book
        recording = str(book.recording.path) if book.recording else None
        told = {"upstream": str(self._proxy.upstream), "events": book.events}
        return answer({**told, "recording": recording, "get": READ, "post": DONE})

    async def links(self, request: Request) -> Response:
        """The open connections, oldest first."""
        return answer([link_json(link, self._proxy.book.centre) for link in self._proxy.links])

    async def frames(self, request: Request) -> Response:
        """``?after=N&limit=M``: the frames behind event N that are still kept."""
        after, limit = number_of(request, "after", -1, -1), number_of(request, "limit", MOST, 1)
        book = self._proxy.book
        oldest = book.frames[0].n if book.frames else None
        return answer({"frames": book.frames_after(after, min(limit, MOST)), "oldest": oldest})

    async def findings(self, request: Request) -> Response:
        """``?after=N``: what is wrong; ``broken`` counts all there ever were, by rule."""
        after, book = number_of(request, "after", -1, -1), self._proxy.book
        found = [finding_json(one) for one in book.findings if one.n > after]
        count = sum(book.broken.values())
        return answer({"count": count, "broken": dict(book.broken), "findings": found})

    async def faults(self, request: Request) -> Response:
        """The rules in force, and how often faults struck."""
        told = [{"fault": rule.text, "seen": rule.counts} for rule in self._director.rules.rules]
        return answer({"rules": told, "struck": dict(self._proxy.book.faults)})

    async def fault(self, request: Request) -> Response:
        """One more rule."""
        body = await body_as(request, FaultBody)
        try:
            manner = self._proxy.book.manner
            self._director.rules.add(parse_rule(body.fault, manner.types, manner.ways))
        except NoSuchWord as error:
            raise ControlError(error.what, allowed=error.allowed) from None
        return answer({"ok": True, "fault": body.fault, "after": self._last})

    async def cut(self, request: Request) -> Response:
        """Cut connections: ``fin``, ``rst``, or ``silent``, which is half-open."""
        body = await body_as(request, CutBody)
        if body.how not in CUTS:
            raise ControlError(f"no how is called {body.how!r}", status=404, allowed=CUTS)
        return self._strike(self._meant(body.link), Strike("cut", how=body.how))

    async def heal(self, request: Request) -> Response:
        """Half-open connections carry again."""
        body = await body_as(request, LinkBody)
        return self._strike(self._meant(body.link), Strike("heal"))

    async def hold(self, request: Request) -> Response:
        """Keep frames in flight."""
        return await self._hold(request, "hold")

    async def release(self, request: Request) -> Response:
        """Let them go."""
        return await self._hold(request, "release")

    async def _hold(self, request: Request, verb: Literal["hold", "release"]) -> Response:
        body = await body_as(request, WayBody)
        meant = self._meant(body.link)
        named, centre = self._proxy.book.manner.ways, self._proxy.book.centre
        ways: tuple[bool, ...] = (True, False)
        if body.way and body.sender:
            raise ControlError("give way or sender, not both", allowed=["way", "sender"])
        if body.way:
            if body.way not in named:
                told = f"no way is called {body.way!r}"
                raise ControlError(told, status=404, allowed=list(named))
            way = named[body.way]
            ways = (way.by_client,)
            meant = [one for one in meant if way.lane in ("", one.named.lane)]
        if body.sender:
            senders = [centre, *(link.named.client for link in meant)]
            if body.sender not in senders:
                told = f"no sender is called {body.sender!r}"
                raise ControlError(told, status=404, allowed=list(dict.fromkeys(senders)))
            ways = (body.sender != centre,)
            meant = [one for one in meant if body.sender in (centre, one.named.client)]
        return self._strike(meant, *(Strike(verb, way=way) for way in ways))

    def _meant(self, wanted: str) -> list[Link]:
        try:
            return find_links(self._proxy.links, wanted)
        except NoSuchWord as error:
            raise ControlError(error.what, status=404, allowed=error.allowed) from None

    @property
    def _last(self) -> int:
        """The number of the newest event."""
        return self._proxy.book.events - 1

    def _strike(self, meant: list[Link], *strikes: Strike) -> Response:
        names, after = [link.named.link for link in meant], self._last
        for link in meant:
            for strike in strikes:
                link.strike(strike)
        return answer({"ok": True, "links": names, "after": after})


READ = {
    "/": "what can be asked and done here",
    "/links": "open connections, what is held and waits",
    "/frames": "the newest frames behind event ?after=N, with their fate, at most ?limit=M",
    "/findings": "what is wrong, behind event ?after=N",
    "/faults": "rules in force, and what struck",
}
DONE = {
    "/fault": fields_of(FaultBody),
    "/cut": fields_of(CutBody),
    "/heal": fields_of(LinkBody),
    "/hold": fields_of(WayBody),
    "/release": fields_of(WayBody),
    "/end": [],
}


def link_json(link: Link, centre: str) -> dict[str, Any]:
    """A connection for programs, in the words of ``serve``; ``waiting`` are frames that came in
    and are not passed on, by who sent them."""
    named = link.named
    ways = {named.client: link.up, centre: link.down}
    return {
        "link": named.link,
        "lane": named.lane,
        "client": named.client,
        "server": centre,
        "client_open": not link.up.has_ended.is_set(),
        "server_open": not link.down.has_ended.is_set(),
        "silent": link.is_silent,
        "held": [host for host, way in ways.items() if way.is_held],
        "waiting": {host: way.waiting for host, way in ways.items()},
    }
