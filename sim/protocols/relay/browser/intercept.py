"""network.http_intercept: which requests of a page are reported, and how much of each.

Two sources see a page's traffic: the network itself, and a hook around the page's
own ``fetch``. The mode says which of them report. In hybrid mode the hook's sighting
of what the network has just reported is left out.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from math import floor
from typing import Any, Final

import attrs

from sim.protocols.relay.browser.adapters import shared_objects
from sim.protocols.relay.browser.address import host_belongs_to, host_of
from sim.protocols.relay.browser.web import SCRIPTED, Exchange, Page
from sim.protocols.relay.constants import (
    DEFAULT_INTERCEPT_MODE,
    DEFAULT_MAX_BODY_BYTES,
    SENSITIVE_HEADERS,
)
from sim.protocols.relay.frames.listeners import HttpIntercept
from sim.protocols.relay.predicates import iso_timestamp
from sim.wire.absent import ABSENT

NETWORK: Final = "network"
FETCH: Final = "fetch"
HYBRID: Final = "hybrid"
DUPLICATE_WINDOW_MS: Final = 1_200
"""Within this time the hook's sighting counts as the network's, in hybrid mode."""
MOST_BODY_BYTES: Final = 2_000_000
REDACTED: Final = "[redacted]"
RAW_UPDATE: Final = "network.response"

_TEXTUAL: Final = ("text/", "application/json", "application/javascript", "application/xml")


@attrs.frozen
class InterceptOptions:
    """The options in force, defaults filled in."""

    tab_session_id: str
    site: str
    url_patterns: tuple[str, ...] = ()
    request_host_allowlist: tuple[str, ...] = ()
    mode: str = DEFAULT_INTERCEPT_MODE
    include_body: bool = True
    include_headers: bool = False
    max_body_bytes: int = DEFAULT_MAX_BODY_BYTES
    mime_types: tuple[str, ...] = ()
    stream_adapter: str = ""
    self_user_id: str = ""

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> InterceptOptions:
        """From options that their declaration has found good.

        Names of hosts and types are lower-cased, a body limit is a whole number of
        bytes up to 2,000,000; an empty list restricts nothing.
        """
        said = HttpIntercept.from_wire(dict(options))
        given = {
            field.name: getattr(said, field.name)
            for field in attrs.fields(cls)
            if getattr(said, field.name) is not ABSENT
        }
        given["site"] = given["site"].strip().lower()
        for name in ("request_host_allowlist", "mime_types"):
            given[name] = tuple(text.strip().lower() for text in given.get(name, ()))
        limit = given.get("max_body_bytes", DEFAULT_MAX_BODY_BYTES)
        given["max_body_bytes"] = min(floor(limit), MOST_BODY_BYTES)
        return cls(**given)

    def to_wire(self) -> dict[str, Any]:
        """As the result of the subscription tells them; lists and texts that are empty left out."""
        wire: dict[str, Any] = {
            "tabSessionId": self.tab_session_id,
            "site": self.site,
            "mode": self.mode,
            "includeBody": self.include_body,
            "includeHeaders": self.include_headers,
            "maxBodyBytes": self.max_body_bytes,
        }
        lists = {
            "urlPatterns": self.url_patterns,
            "requestHostAllowlist": self.request_host_allowlist,
            "mimeTypes": self.mime_types,
        }
        wire.update({name: list(texts) for name, texts in lists.items() if texts})
        texts = {"streamAdapter": self.stream_adapter, "selfUserId": self.self_user_id}
        wire.update({name: text for name, text in texts.items() if text})
        return wire

    def wants(self, exchange: Exchange) -> bool:
        """Whether host, address and type of an exchange pass the filters."""
        host = host_of(exchange.url)
        if not host_belongs_to(host, self.site) and host not in self.request_host_allowlist:
            return False
        if self.url_patterns and not any(fits(exchange.url, one) for one in self.url_patterns):
            return False
        return not self.mime_types or exchange.mime_type.lower().startswith(self.mime_types)


@attrs.frozen
class Sighting:
    """One source has seen one response, ``at_ms`` in Unix milliseconds.

    ``number`` counts the responses of one load of the page, whoever saw them.
    """

    at_ms: int
    source: str
    number: int
    exchange: Exchange
    turn: int


@attrs.frozen
class Update:
    """One listener update in the making."""

    at_ms: int
    update_type: str
    data: dict[str, Any]

    def payload(self) -> dict[str, Any]:
        """The payload of the event that carries it."""
        return {
            "type": "listener_update",
            "updateType": self.update_type,
            "emittedAt": iso_timestamp(self.at_ms),
            "data": self.data,
        }


def fits(url: str, pattern: str) -> bool:
    """Whether a whole address fits a glob: ``*`` is any text, ``?`` one character.

    Takes no longer than length times length, whatever the pattern: it comes from outside.
    """
    at = place = 0
    star, resumed = -1, 0
    while at < len(url):
        if place < len(pattern) and pattern[place] == "*":
            star, resumed = place, at
            place += 1
        elif place < len(pattern) and pattern[place] in ("?", url[at]):
            at, place = at + 1, place + 1
        elif star >= 0:
            resumed += 1
            at, place = resumed, star + 1
        else:
            return False
    return not pattern[place:].strip("*")


def sightings(page: Page, loaded_at_ms: int) -> list[Sighting]:
    """Everything that both sources see of one load of a page, in order of time."""
    responses = [
        (loaded_at_ms + exchange.at_ms + turn * exchange.every_ms, place, exchange, turn)
        for place, exchange in enumerate((page.document, *page.traffic))
        for turn in range(exchange.times)
    ]
    responses.sort(key=lambda one: one[:2])
    seen = [
        sighting
        for number, (at_ms, _, exchange, turn) in enumerate(responses, start=1)
        for sighting in _seen(at_ms, number, exchange, turn)
    ]
    return sorted(seen, key=lambda one: (one.at_ms, one.number, one.source != NETWORK))


def _seen(at_ms: int, number: int, exchange: Exchange, turn: int) -> Iterator[Sighting]:
    if not exchange.cached:
        yield Sighting(at_ms, NETWORK, number, exchange, turn)
    if exchange.resource in SCRIPTED:
        yield Sighting(at_ms + exchange.hook_lag_ms, FETCH, number, exchange, turn)


def is_reported(options: InterceptOptions, sighting: Sighting, since_ms: int) -> bool:
    """Whether a subscription that began at ``since_ms`` reports a sighting."""
    if options.mode != HYBRID and sighting.source != options.mode:
        return False
    if options.mode == HYBRID and _is_duplicate(sighting, since_ms):
        return False
    return options.wants(sighting.exchange)


def _is_duplicate(sighting: Sighting, since_ms: int) -> bool:
    exchange = sighting.exchange
    if sighting.source == NETWORK or exchange.cached:
        return False
    by_network_at = sighting.at_ms - exchange.hook_lag_ms
    return by_network_at >= since_ms and exchange.hook_lag_ms <= DUPLICATE_WINDOW_MS


def updates_of(options: InterceptOptions, sighting: Sighting, load: int) -> list[Update]:
    """What is sent for a reported sighting: shared objects of an adapter, or the raw response.

    An adapter that is unknown, or that does not understand a body, changes nothing.
    """
    exchange = sighting.exchange
    event_id = f"evt-{load}-{sighting.number}"
    objects = shared_objects(
        options.stream_adapter, exchange.body(sighting.turn), options.self_user_id
    )
    if objects:
        return [
            Update(
                sighting.at_ms,
                one["kind"],
                {"eventId": f"{event_id}-{place}", "sourceUrl": exchange.url, **one},
            )
            for place, one in enumerate(objects, start=1)
        ]
    return [Update(sighting.at_ms, RAW_UPDATE, _raw(options, sighting, event_id))]


def _raw(options: InterceptOptions, sighting: Sighting, event_id: str) -> dict[str, Any]:
    exchange = sighting.exchange
    data: dict[str, Any] = {
        "eventId": event_id,
        "captureSource": sighting.source,
        "tabSessionId": options.tab_session_id,
        "url": exchange.url,
        "method": exchange.method,
        "resourceType": exchange.resource,
        "status": exchange.status,
        "mimeType": exchange.mime_type,
        "durationMs": exchange.duration_ms,
    }
    if options.include_headers:
        data["requestHeaders"] = redacted(exchange.request_headers)
        data["responseHeaders"] = redacted(exchange.response_headers)
    if options.include_body:
        if exchange.request_body:
            sent = exchange.request_body.encode("utf-8", "surrogatepass")
            asked = _limited("text/plain", sent, options.max_body_bytes)
            data.update({f"request{name[0].upper()}{name[1:]}": asked[name] for name in asked})
        data.update(_response_body(exchange, sighting.turn, options.max_body_bytes))
    return data


def redacted(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers as they may leave the node: the values of sensitive ones are gone."""
    return {
        name: REDACTED if name.strip().lower() in SENSITIVE_HEADERS else value
        for name, value in headers.items()
    }


def _response_body(exchange: Exchange, turn: int, limit: int) -> dict[str, Any]:
    body = exchange.body(turn)
    if exchange.base64:
        body = base64.b64decode(body)
    return _limited(exchange.mime_type, body, limit)


def _limited(mime_type: str, body: bytes, limit: int) -> dict[str, Any]:
    """At most ``limit`` bytes of a body, as text without half characters, or in base64."""
    kept = body[:limit]
    if mime_type.lower().startswith(_TEXTUAL):
        wire = {"body": kept.decode("utf-8", "ignore")}
    else:
        wire = {"body": base64.b64encode(kept).decode("ascii"), "bodyEncoding": "base64"}
    return {**wire, "bodyBytes": len(body), "truncated": len(body) > limit}
