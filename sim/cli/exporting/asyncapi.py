"""AsyncAPI 3 of a protocol of frames, as the program at its centre sees it.

The centre (hook: the server; relay: the relay) is the application: it receives what others
send to it and sends what is meant for them. Everything comes from the declarations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sim import __version__
from sim.cli.exporting.components import (
    PLACE,
    component_name,
    components_of,
    everything_declared,
    sentences_of,
)
from sim.core.errors import UsageError
from sim.protocols import register
from sim.protocols.played import played
from sim.wire.declare import Body, summary
from sim.wire.linkage import JsonObject

FRAMED: Final = ("hook", "relay")
"""The protocols that have frames; what a protocol of requests is says OpenAPI."""

EXAMPLE_ID, EXAMPLE_TS = "f-1", 1_760_000_000_000
BOTH: Final = "both"


def asyncapi_of(protocol: str) -> JsonObject:
    """The whole document. Raises UsageError for a protocol that has no frames."""
    if protocol not in FRAMED:
        register.protocol(protocol)
        raise UsageError(
            f"AsyncAPI is about frames, and the {protocol} protocol has requests; "
            f"give --protocol {' or '.join(FRAMED)}, or export openapi"
        )
    spoken, centre = register.protocol(protocol), played(protocol).centre
    messages = spoken.messages
    names = {name: component_name(name) for name in messages}
    return {
        "asyncapi": "3.0.0",
        "info": _info(protocol, centre),
        "defaultContentType": "application/json",
        "servers": {
            "twin": {
                "host": "127.0.0.1:8787",
                "protocol": "ws",
                "description": f"hooktwin serve --protocol {protocol} --port 8787",
            }
        },
        "channels": {
            protocol: {
                "description": "One WebSocket connection; every frame is one text message.",
                "servers": [{"$ref": "#/servers/twin"}],
                "messages": {
                    made: {"$ref": f"#/components/messages/{made}"} for made in names.values()
                },
            }
        },
        "operations": dict(_operations(protocol, centre)),
        "components": {
            "messages": {names[name]: _message(name, cls) for name, cls in messages.items()},
            "schemas": components_of(everything_declared(protocol).values()),
        },
    }


def _info(protocol: str, centre: str) -> JsonObject:
    return {
        "title": f"{protocol}, seen from the {centre}",
        "version": __version__,
        "description": (
            f"All message types of the {protocol} protocol, made by hooktwin from their "
            "declarations. Rules between fields stand in the descriptions."
        ),
        "license": {"name": "MIT"},
    }


def _message(name: str, cls: type[Body]) -> JsonObject:
    example = cls.enclose(EXAMPLE_ID, EXAMPLE_TS, cls.EXAMPLE)
    return {
        "name": name,
        "title": name,
        "summary": summary(cls),
        "description": sentences_of(cls),
        "payload": {"$ref": PLACE + component_name(name)},
        "examples": [{"name": "valid", "payload": example}],
    }


def _operations(protocol: str, centre: str) -> Iterator[tuple[str, JsonObject]]:
    """One operation per way and side: ``receive-from-desktop``, ``send-to-node``."""
    ways: dict[tuple[str, str], list[str]] = {}
    sides = _sides(protocol, centre)
    for name, cls in register.protocol(protocol).messages.items():
        for action, side in _ways(cls.DIRECTION, centre, sides):
            ways.setdefault((action, side), []).append(component_name(name))
    for (action, side), names in sorted(ways.items()):
        preposition = "from" if action == "receive" else "to"
        yield (
            f"{action}-{preposition}-{side}",
            {
                "action": action,
                "channel": {"$ref": f"#/channels/{protocol}"},
                "summary": f"The {centre} {action}s {preposition} a {side}.",
                "messages": [{"$ref": f"#/channels/{protocol}/messages/{name}"} for name in names],
            },
        )


def _sides(protocol: str, centre: str) -> tuple[str, ...]:
    """Who is there besides the centre; ``peer`` stands for all of them."""
    words = {
        word
        for cls in register.protocol(protocol).messages.values()
        for word in cls.DIRECTION.split(">")
    }
    return tuple(sorted(words - {BOTH, centre, "peer"}))


def _ways(direction: str, centre: str, sides: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """What the centre does with such a message, and with whom."""
    if direction == BOTH:
        for side in sides:
            yield "receive", side
            yield "send", side
        return
    source, _, target = direction.partition(">")
    if source != centre:
        yield from (("receive", one) for one in (sides if source == "peer" else (source,)))
    if target != centre:
        yield from (("send", one) for one in (sides if target == "peer" else (target,)))
