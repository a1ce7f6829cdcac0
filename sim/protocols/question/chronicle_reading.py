"""Events of a trace file with their values as in the run: requests, answers, acts.

What is unknown (a newer trace, nonsense) stays plain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

import msgspec

from sim.channel.recorded import noted, record_of
from sim.core import event as events
from sim.core.event import Event
from sim.core.http import HttpRequest, HttpResponse, Unreached
from sim.core.op import NO_ANSWER
from sim.core.plain import as_tagged
from sim.protocols.question.acts import Act
from sim.protocols.question.before import BeforeTool, HookReturned
from sim.protocols.question.store import operations

_ANSWERS: Final = (HttpResponse, Unreached, HookReturned)
_OUTCOMES: Final = (
    operations.Content,
    operations.NoFile,
    operations.Done,
    operations.NotHeld,
    operations.Failed,
)


def typed(event: Event) -> Event:
    """The event as it was in the run; the same object where nothing is to be done."""
    convert = _CONVERTERS.get(type(event))
    return event if convert is None else convert(event)


def request_of(plain: Any) -> Any:
    """What was asked: over HTTP, of a hook, of a disk, or by a person on Telegram."""
    made = as_tagged(plain, _requests())
    return record_of(made) if made is plain else made


def answer_of(plain: Any) -> Any:
    """An answer over HTTP, or a hook's; ``done`` may be a disk's or a channel's and stays."""
    if isinstance(plain, Mapping) and plain.get("type") == "no-answer":
        return NO_ANSWER
    return as_tagged(plain, _by_tag(_ANSWERS))


def act_of(plain: Any) -> Any:
    """What somebody was told to do."""
    made = as_tagged(plain, _acts())
    return record_of(made) if made is plain else made


def _applied(event: events.CallApplied) -> Event:
    request = request_of(event.request)
    if isinstance(request, operations.FileOperation):
        reply = as_tagged(event.reply, _by_tag(_OUTCOMES))
    else:
        reply = answer_of(event.reply)
        reply = record_of(reply) if reply is event.reply else reply
    return msgspec.structs.replace(event, request=request, reply=reply)


@cache
def _by_tag(classes: tuple[Any, ...]) -> dict[str, type]:
    return {str(one.__struct_config__.tag): one for one in classes}


@cache
def _requests() -> dict[str, type]:
    return _by_tag((HttpRequest, BeforeTool, *operations.FileOperation.__subclasses__()))


@cache
def _acts() -> dict[str, type]:
    return _by_tag(tuple(Act.__subclasses__()))


_CONVERTERS: Final[dict[type[Event], Callable[[Any], Event]]] = {
    events.CallIssued: lambda e: msgspec.structs.replace(e, request=request_of(e.request)),
    events.CallApplied: _applied,
    events.CallAnswered: lambda e: msgspec.structs.replace(e, reply=answer_of(e.reply)),
    events.Acted: lambda e: msgspec.structs.replace(e, act=act_of(e.act)),
    events.Noted: noted,
}
