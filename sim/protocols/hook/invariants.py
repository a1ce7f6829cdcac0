"""The oracles of the hook protocol: all of them, and those that a run can be judged by."""

from __future__ import annotations

from types import ModuleType

from sim.core.invariant import Invariant
from sim.protocols.hook.oracles import (
    agents,
    answers,
    behavior,
    bindings,
    cards,
    channel,
    channels,
    connection,
    delivery,
    dialling,
    dispatch,
    frames,
    gates,
    groups,
    lifecycle,
    lists,
    ownership,
    people,
    preferences,
    provider,
    queries,
    reopen,
    replies,
    sessions,
    tasks,
    tools,
)
from sim.protocols.hook.oracles.oracle import HookInvariant
from sim.protocols.hook.view import HookView


def _in(module: ModuleType) -> tuple[type[HookInvariant], ...]:
    """The invariants of a module in order of declaration; those without a name are patterns."""
    return tuple(
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, HookInvariant)
        and value.__module__ == module.__name__
        and "name" in vars(value)
    )


INVARIANTS: tuple[type[HookInvariant], ...] = tuple(
    invariant
    for module in (
        ownership,
        channel,
        reopen,
        tasks,
        sessions,
        dispatch,
        people,
        cards,
        connection,
        frames,
        agents,
        lists,
        replies,
        gates,
        answers,
        delivery,
        bindings,
        provider,
        preferences,
        behavior,
        tools,
        queries,
        groups,
        lifecycle,
        channels,
        dialling,
    )
    for invariant in _in(module)
)


def invariants_for(view: HookView, twins: frozenset[str]) -> list[Invariant]:
    """All invariants whose obeying side is a twin; puppets are not judged."""
    return [make(view) for make in INVARIANTS if make.obeyed_by in twins]
