"""Events of a trace file with their values as in the run: frames, requests, rows, acts.

A decoded event holds plain JSON where the run had typed values. ``typed`` puts
them back, so that :class:`~sim.protocols.hook.view.HookView` folds a file as it
folds a run. What is unknown (a newer trace, a puppet's nonsense) stays plain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec

from sim.channel.api import Record
from sim.channel.recorded import below
from sim.core import event as events
from sim.core.event import Event
from sim.core.op import NO_ANSWER, OpaqueFrame
from sim.core.plain import as_struct
from sim.protocols.hook.acts import Act
from sim.protocols.hook.desktop.group_window import GroupRow
from sim.protocols.hook.desktop.records import LedgerRow, SessionRow
from sim.protocols.hook.desktop.ties import BindingRow
from sim.protocols.hook.frames import MESSAGES
from sim.protocols.hook.parse import parse_hook_message
from sim.protocols.hook.server.stored import Row
from sim.wire.message import Message


def typed(event: Event) -> Event:
    """The event as it was in the run; the same object where nothing is to be done."""
    convert = _CONVERTERS.get(type(event))
    return event if convert is None else convert(event)


def frame_of(wire: Any) -> Any:
    """A frame by its JSON, good or bad: a message, an opaque frame where it was no JSON."""
    if not isinstance(wire, dict):
        return wire
    kind = str(wire.get("type"))
    if kind == "(bad)" and isinstance(wire.get("text"), str):
        verdict = parse_hook_message(wire["text"])
        return OpaqueFrame(wire["text"], verdict.error or "refused", verdict.path)
    verdict = parse_hook_message(wire)
    if verdict.message is not None:
        return verdict.message
    return Message(kind, str(wire.get("id")), wire.get("ts", 0), None, wire, MESSAGES.get(kind))


def value_of(plain: Any) -> Any:
    """A request, reply, row or act by its JSON."""
    if not isinstance(plain, Mapping):
        return plain
    if plain.get("type") == "no-answer":
        return NO_ANSWER
    for field in ("is", "type"):
        cls = _classes().get((field, str(plain.get(field))))
        if cls is not None:
            return as_struct(plain, cls)
    return plain


@cache
def _classes() -> dict[tuple[str, Any], type]:
    roots = (Record, Row, Act)
    found: list[Any] = [one for root in roots for one in below(root)]
    found += [SessionRow, LedgerRow, BindingRow, GroupRow]
    configs = ((one.__struct_config__, one) for one in found)
    return {(str(config.tag_field), config.tag): one for config, one in configs if config.tag}


def _noted(event: events.Noted) -> Event:
    data = event.data
    if event.what == "agent" or not isinstance(data, Mapping):
        return event
    return msgspec.structs.replace(event, data={k: value_of(v) for k, v in data.items()})


_CONVERTERS: dict[type[Event], Callable[[Any], Event]] = {
    events.FrameSent: lambda e: msgspec.structs.replace(e, frame=frame_of(e.frame)),
    events.CallIssued: lambda e: msgspec.structs.replace(e, request=value_of(e.request)),
    events.CallApplied: lambda e: msgspec.structs.replace(
        e, request=value_of(e.request), reply=value_of(e.reply)
    ),
    events.CallAnswered: lambda e: msgspec.structs.replace(e, reply=value_of(e.reply)),
    events.Saved: lambda e: msgspec.structs.replace(e, value=value_of(e.value)),
    events.Acted: lambda e: msgspec.structs.replace(e, act=value_of(e.act)),
    events.Noted: _noted,
}
