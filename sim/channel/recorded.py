"""Values of :mod:`sim.channel.api` as a trace file has them, put back into what they were.

For any protocol's reader of files: its own values it knows itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import msgspec

from sim.channel.api import Record
from sim.core.event import Noted
from sim.core.plain import as_tagged


def record_of(plain: Any) -> Any:
    """A request, reply, act or event of a channel by its JSON; anything else as it is."""
    return as_tagged(plain, _classes())


def noted(event: Noted) -> Noted:
    """A note whose data holds such values."""
    data = event.data
    if not isinstance(data, Mapping):
        return event
    return msgspec.structs.replace(event, data={k: record_of(v) for k, v in data.items()})


@cache
def _classes() -> dict[str, type[Record]]:
    return {str(one.__struct_config__.tag): one for one in below(Record)}


def below(root: Any) -> Iterator[Any]:
    """All classes that come from this one."""
    for one in root.__subclasses__():
        yield one
        yield from below(one)
