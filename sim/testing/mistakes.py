"""Mistakes of who writes a test: told at their line, without the inside of hooktwin."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from sim.core.errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")


def told_at_the_call(function: Callable[P, R]) -> Callable[P, R]:
    """A UsageError seems to come from the line that calls ``function``.

    What is no mistake of the caller keeps its traceback: it is a defect to be looked into.
    """

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except UsageError as error:
            raise error.with_traceback(None) from None

    return called
