"""Listeners: turned on, turned off, and what each of them can be asked for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from sim.protocols.relay.constants import CONTROLLER, HTTP_INTERCEPT, INTERCEPT_MODES, RELAY
from sim.protocols.relay.frames import answers
from sim.protocols.relay.frames.envelope import (
    CONTROLLER_TO_NODE,
    INTERCEPT_SECTION,
    LISTENER_SECTION,
)
from sim.protocols.relay.frames.inner import ActionBody
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import message, wire
from sim.wire.exact import plain_object
from sim.wire.generate import validator
from sim.wire.linkage import Fault, JsonObject, Linkage, Wire
from sim.wire.schema import object_schema
from sim.wire.spec import ANY_TEXT, SOME_TEXT, SOME_TEXTS, AnyObject, Choice, Flag, Number


class ListenerBody(ActionBody):
    """The options of one listener; the command around them is a listener.subscribe."""

    __slots__ = ()

    ANSWER = answers.Subscribed

    @classmethod
    def enclose(cls, id: str, ts: int | float, payload: JsonObject, sender: str = "") -> JsonObject:
        """A whole listener.subscribe with these options."""
        return Subscribe.enclose(id, ts, {"listener": cls.TYPE, "options": payload}, sender)

    @classmethod
    def payload_in(cls, frame: Wire) -> Wire:
        """The options within a decoded listener.subscribe."""
        options: Wire = Subscribe.payload_in(frame)["options"]
        return options

    @classmethod
    def frame_schema(cls, payload: JsonObject) -> JsonObject:
        """JSON Schema of a whole listener.subscribe to this listener."""
        fields = {"listener": {"const": cls.TYPE}, "options": payload}
        return Subscribe.frame_schema(
            {"type": "object", "properties": fields, "required": list(fields)}
        )


@message(
    HTTP_INTERCEPT,
    direction=CONTROLLER_TO_NODE,
    section=INTERCEPT_SECTION,
    example={"tabSessionId": "tab_1", "site": "example.com", "urlPatterns": ["*/api/*"]},
    senders=(CONTROLLER,),
)
class HttpIntercept(ListenerBody):
    """Reports the requests of a page: which of them, and how much of each.

    ``url_patterns`` are globs, ``mime_types`` prefixes; ``max_body_bytes`` is in bytes
    and above 0. Left out they are no restriction, bodies are included up to 256000
    bytes, headers are not, and the mode is network.
    """

    tab_session_id: str = wire(SOME_TEXT)
    site: str = wire(SOME_TEXT)
    url_patterns: tuple[str, ...] | Absent = wire(SOME_TEXTS, default=ABSENT)
    request_host_allowlist: tuple[str, ...] | Absent = wire(SOME_TEXTS, default=ABSENT)
    mode: str | Absent = wire(Choice(INTERCEPT_MODES), default=ABSENT)
    include_body: bool | Absent = wire(Flag(), default=ABSENT)
    include_headers: bool | Absent = wire(Flag(), default=ABSENT)
    max_body_bytes: float | Absent = wire(Number(min=1, finite=True), default=ABSENT)
    mime_types: tuple[str, ...] | Absent = wire(SOME_TEXTS, default=ABSENT)
    stream_adapter: str | Absent = wire(ANY_TEXT, default=ABSENT)
    self_user_id: str | Absent = wire(ANY_TEXT, default=ABSENT)


LISTENERS: Final[Mapping[str, type[ListenerBody]]] = MappingProxyType(
    {HTTP_INTERCEPT: HttpIntercept}
)
"""Declared listeners to their options; a node may have others."""


def _options_fault(payload: Wire) -> Fault | None:
    declared = LISTENERS.get(payload["listener"])
    if declared is None:
        return None
    if "options" not in payload:
        return ".options", "must be given for this listener"
    fault = validator(declared, lenient=True)(plain_object(payload["options"]))
    return None if fault is None else (f".options{fault[0]}", fault[1])


def _options_clause(name: str, declared: type[ListenerBody]) -> JsonObject:
    options = {"options": object_schema(declared)}
    return {
        "if": {"properties": {"listener": {"const": name}}, "required": ["listener"]},
        "then": {"properties": options, "required": ["options"]},
    }


_OPTIONS: Final = Linkage(
    "options_of_the_listener",
    "A declared listener (hooktwin explain network.http_intercept) gets the options it needs.",
    _options_fault,
    {"allOf": [_options_clause(*one) for one in LISTENERS.items()]},
)


@message(
    "listener.subscribe",
    direction=CONTROLLER_TO_NODE,
    section=LISTENER_SECTION,
    example={
        "listener": "network.http_intercept",
        "options": {"tabSessionId": "tab_1", "site": "example.com"},
    },
    senders=(CONTROLLER,),
    rules=(_OPTIONS,),
)
class Subscribe(ActionBody):
    """Turns a listener on. Its updates follow as events under this requestId."""

    ANSWER = answers.Subscribed

    listener: str = wire(SOME_TEXT)
    options: dict[str, Any] | Absent = wire(AnyObject(), default=ABSENT)


@message(
    "listener.unsubscribe",
    direction=CONTROLLER_TO_NODE,
    section=LISTENER_SECTION,
    example={"targetRequestId": "sub-1"},
    senders=(CONTROLLER, RELAY),
)
class Unsubscribe(ActionBody):
    """Turns the listener of a requestId off."""

    ANSWER = answers.Unsubscribed

    target_request_id: str = wire(SOME_TEXT)
