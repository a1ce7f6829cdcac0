"""The oracles of the question bridge: all of them, and those that a run can be judged by."""

from __future__ import annotations

from collections.abc import Collection
from types import ModuleType
from typing import Final

from sim.core.invariant import Invariant
from sim.protocols.question.oracles import (
    closing,
    expiry,
    hooks,
    logging,
    matching,
    opencode,
    polling,
    requests,
    stores,
    telegram,
    telling,
    texts,
    trying,
)
from sim.protocols.question.oracles.oracle import QuestionInvariant
from sim.protocols.question.view import QuestionView


def _in(module: ModuleType) -> tuple[type[QuestionInvariant], ...]:
    """The invariants of a module in order of declaration; those without a name are patterns."""
    return tuple(
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, QuestionInvariant)
        and value.__module__ == module.__name__
        and "name" in vars(value)
    )


INVARIANTS: tuple[type[QuestionInvariant], ...] = tuple(
    invariant
    for module in (
        hooks,
        stores,
        requests,
        matching,
        trying,
        closing,
        telling,
        texts,
        expiry,
        polling,
        logging,
        opencode,
        telegram,
    )
    for invariant in _in(module)
)


def invariants_for(view: QuestionView, twins: frozenset[str]) -> list[Invariant]:
    """All invariants whose obeying side is a twin; puppets are not judged."""
    return [make(view) for make in INVARIANTS if make.obeyed_by in twins]


BY_REQUESTS: Final = (
    "hooks-react-to-questions",
    "hooks-return-in-time",
    "hooks-never-throw",
    "replies-hold-one-value",
    "one-reply-at-a-time",
    "reply-or-reject",
    "prompts-recommend-replies",
)
"""Rules that need neither the store of a real program nor what it logs."""


def shown_with(outside: Collection[str]) -> tuple[type[QuestionInvariant], ...]:
    """Those that a recording shows in which hosts of these kinds were real programs.

    What a real program does with its file and its log is not recorded, so of its rules only
    those of ``BY_REQUESTS`` are left.
    """
    return tuple(
        one for one in INVARIANTS if one.obeyed_by not in outside or one.name in BY_REQUESTS
    )
