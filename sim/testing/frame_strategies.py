"""Strategies for frames of the hook protocol, made from the declarations of its messages."""

from __future__ import annotations

from collections.abc import Iterable

from sim.testing import extra  # isort: skip  # says what is missing, before Hypothesis is imported

from hypothesis import strategies as st

from sim.core.errors import UsageError
from sim.protocols.hook import MESSAGES, serialize_hook_message
from sim.scenario.source import all_of, close_to, near
from sim.testing.mistakes import told_at_the_call
from sim.wire import strategies as wire
from sim.wire.declare import Body
from sim.wire.linkage import JsonObject
from sim.wire.message import Message

__all__ = ["extra", "frames", "messages", "texts"]


@told_at_the_call
def frames(*types: str) -> st.SearchStrategy[JsonObject]:
    """Decoded frames that the parser accepts; of these types (``"turn.end"``), or of all.

    Raises UsageError for an unknown type.
    """
    return wire.frames(_classes(types))


@told_at_the_call
def messages(*types: str) -> st.SearchStrategy[Message]:
    """The same as :class:`sim.wire.message.Message` objects with typed bodies."""
    return wire.messages(_classes(types))


@told_at_the_call
def texts(*types: str) -> st.SearchStrategy[str]:
    """The same as they go over a socket."""
    return messages(*types).map(serialize_hook_message)


def _classes(types: Iterable[str]) -> list[type[Body]]:
    wanted = list(types) or list(MESSAGES)
    for name in wanted:
        if name not in MESSAGES:
            offered = ", ".join(near(name, MESSAGES))
            told = "did you mean" if close_to(name, MESSAGES) else "some of them"
            listed = all_of(name, MESSAGES, "hooktwin explain --all")
            raise UsageError(f"unknown frame {name!r}; {told}: {offered}{listed}")
    return [MESSAGES[name] for name in wanted]
