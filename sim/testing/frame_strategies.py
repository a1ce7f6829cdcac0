"""Strategies for frames of the protocols, made from the declarations of their messages."""

from __future__ import annotations

from collections.abc import Iterable

from sim.testing import extra  # isort: skip  # says what is missing, before Hypothesis is imported

from hypothesis import strategies as st

from sim.core.errors import UsageError
from sim.protocols import register
from sim.scenario.source import all_of, close_to, near
from sim.testing.mistakes import told_at_the_call
from sim.wire import strategies as wire
from sim.wire.declare import Body
from sim.wire.encode import encode_json
from sim.wire.linkage import JsonObject
from sim.wire.message import Message

__all__ = ["extra", "frames", "messages", "texts"]


@told_at_the_call
def frames(*types: str, protocol: str | None = None) -> st.SearchStrategy[JsonObject]:
    """Decoded frames that the parser accepts; of these types (``"turn.end"``), or of all.

    Without ``protocol`` a type is sought in all protocols, the hook protocol first, and
    all types are those of the hook protocol. Raises UsageError for an unknown name.
    """
    return wire.frames(_classes(types, protocol))


@told_at_the_call
def messages(*types: str, protocol: str | None = None) -> st.SearchStrategy[Message]:
    """The same as :class:`sim.wire.message.Message` objects with typed bodies."""
    return wire.messages(_classes(types, protocol))


@told_at_the_call
def texts(*types: str, protocol: str | None = None) -> st.SearchStrategy[str]:
    """The same as they go over a socket."""
    return messages(*types, protocol=protocol).map(lambda message: encode_json(message.wire))


def _classes(types: Iterable[str], protocol: str | None) -> list[type[Body]]:
    wanted = list(types)
    if not wanted:
        return list(register.protocol(protocol or register.DEFAULT_PROTOCOL).messages.values())
    known = register.declared(protocol)
    for name in wanted:
        if name not in known:
            offered = ", ".join(near(name, known))
            told = "did you mean" if close_to(name, known) else "some of them"
            listed = all_of(name, known, "hooktwin explain --all")
            raise UsageError(f"unknown frame {name!r}; {told}: {offered}{listed}")
    return [known[name] for name in wanted]
