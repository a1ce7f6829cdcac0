"""What can be asked of a running proxy over HTTP and JSON."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sim.core.errors import UsageError
from sim.live.control import ControlError, answer, body_as, guarded, json_app
from sim.live.proxy import Proxy
from sim.live.proxy_book import finding_json
from sim.live.proxy_director import RuleDirector, find_links
from sim.live.proxy_faults import parse_rule, strike_of_link
from sim.live.proxy_link import Link
from sim.protocols.hook.frames import MESSAGES

MOST = 1_000


class FaultBody(msgspec.Struct, forbid_unknown_fields=True):
    """``fault`` as on the command line: ``lose:turn.end#1``; counted from now."""

    fault: str


class CutBody(msgspec.Struct, forbid_unknown_fields=True):
    """``link``: ``D.slack#1``, ``D.slack``, ``D``, ``newest`` or ``all``."""

    link: str = "newest"
    how: str = "fin"


class WayBody(msgspec.Struct, forbid_unknown_fields=True):
    """``way``: whose frames stay in flight; "" is both."""

    link: str = "newest"
    way: str = ""


class LinkBody(msgspec.Struct, forbid_unknown_fields=True):
    """A connection, see :class:`CutBody`."""

    link: str = "newest"


class Control:
    """The handlers."""

    def __init__(self, proxy: Proxy, director: RuleDirector) -> None:
        self._proxy = proxy
        self._director = director

    def app(self) -> Starlette:
        """All of them by path."""
        gets = {
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
        return json_app(
            [
                *(Route(path, guarded(do), methods=["GET"]) for path, do in gets.items()),
                *(Route(path, guarded(do), methods=["POST"]) for path, do in posts.items()),
            ]
        )

    async def links(self, request: Request) -> Response:
        """The open connections, oldest first."""
        return answer({"links": [link_json(link) for link in self._proxy.links]})

    async def frames(self, request: Request) -> Response:
        """``?after=N&limit=M``: the frames behind event N that are still kept."""
        after, limit = _number(request, "after", -1), _number(request, "limit", MOST)
        book = self._proxy.book
        oldest = book.frames[0].n if book.frames else None
        return answer({"frames": book.frames_after(after, min(limit, MOST)), "oldest": oldest})

    async def findings(self, request: Request) -> Response:
        """``?after=N``: what is wrong; ``broken`` counts all there ever were, by rule."""
        after, book = _number(request, "after", -1), self._proxy.book
        found = [finding_json(one) for one in book.findings if one.n > after]
        return answer({"findings": found, "broken": dict(book.broken)})

    async def faults(self, request: Request) -> Response:
        """The rules in force, and how often faults struck."""
        told = [{"fault": rule.text, "seen": rule.counts} for rule in self._director.rules.rules]
        return answer({"rules": told, "struck": dict(self._proxy.book.faults)})

    async def fault(self, request: Request) -> Response:
        """One more rule."""
        body = await body_as(request, FaultBody)
        try:
            self._director.rules.add(parse_rule(body.fault, MESSAGES))
        except UsageError as error:
            raise ControlError(str(error)) from None
        return answer({"ok": True, "fault": body.fault})

    async def cut(self, request: Request) -> Response:
        """Cut connections: ``fin``, ``rst``, or ``silent``, which is half-open."""
        body = await body_as(request, CutBody)
        return self._strike(body.link, [f"cut:{body.how}"])

    async def heal(self, request: Request) -> Response:
        """Half-open connections carry again."""
        body = await body_as(request, LinkBody)
        return self._strike(body.link, ["heal"])

    async def hold(self, request: Request) -> Response:
        """Keep frames in flight."""
        body = await body_as(request, WayBody)
        return self._strike(body.link, _both("hold", body.way))

    async def release(self, request: Request) -> Response:
        """Let them go."""
        body = await body_as(request, WayBody)
        return self._strike(body.link, _both("release", body.way))

    def _strike(self, wanted: str, deeds: list[str]) -> Response:
        try:
            strikes = [strike_of_link(one, *one.partition(":")[::2]) for one in deeds]
            meant = find_links(self._proxy.links, wanted)
        except UsageError as error:
            raise ControlError(str(error), status=409 if "no connection" in str(error) else 400,
                               ) from None  # fmt: skip
        for link in meant:
            for strike in strikes:
                link.strike(strike)
        return answer({"ok": True, "links": [link.named.link for link in meant]})


def link_json(link: Link) -> dict[str, Any]:
    """A connection for programs; ``waiting`` are frames that came in and are not passed on."""
    named = link.named
    return {
        "link": named.link,
        "client": named.client,
        "lane": named.lane,
        "half_open": link.is_silent,
        "held": {"D->S": link.up.is_held, "S->D": link.down.is_held},
        "waiting": {"D->S": link.up.waiting, "S->D": link.down.waiting},
    }


def _both(verb: str, way: str) -> list[str]:
    return [f"{verb}:{one}" for one in ((way,) if way else ("D->S", "S->D"))]


def _number(request: Request, name: str, otherwise: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return otherwise
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 15):
        raise ControlError(f"{name}={text!r}: give a whole number")
    return int(text)
