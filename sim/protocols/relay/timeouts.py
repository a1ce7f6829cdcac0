"""How long a command may take: the author's hint, the user's word, the relay's bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from sim.protocols.relay.constants import (
    DEFAULT_TIMEOUT_MS,
    LEAST_TIMEOUT_MS,
    MOST_TIMEOUT_MS,
)
from sim.wire.javascript import SAFE_INTEGER, as_double


def resolved_timeout_ms(
    policy: Mapping[str, Any] | None,
    inputs: Mapping[str, Any],
    explicit_ms: float | None = None,
    fallback_ms: int = DEFAULT_TIMEOUT_MS,
) -> float:
    """The ``timeoutMs`` that a controller sends for a command.

    ``policy`` is the decoded timeoutPolicy of its descriptor, ``inputs`` the input of
    this call. What the user asked for always wins, whatever it is. Otherwise: the
    default of the policy or else ``fallback_ms``; base plus so much per unit where
    the scaling input is a finite number (below 0 counts as 0); then raised to minMs,
    cut to maxMs (which wins), whole, and at least 1000. Milliseconds throughout.
    """
    if explicit_ms is not None:
        return explicit_ms
    if policy is None:
        return fallback_ms
    timeout = _amount(policy.get("defaultMs"))
    timeout = fallback_ms if timeout is None else timeout
    scaling = policy.get("scaling")
    if isinstance(scaling, Mapping):
        timeout = _scaled(timeout, scaling, inputs)
    return math.floor(min(max(timeout, LEAST_TIMEOUT_MS), SAFE_INTEGER))


def _scaled(timeout: float, scaling: Mapping[str, Any], inputs: Mapping[str, Any]) -> float:
    field, per_unit = scaling.get("inputField"), _amount(scaling.get("perUnitMs"))
    units = _amount(inputs.get(field)) if isinstance(field, str) else None
    if per_unit and units is not None:
        base = _amount(scaling.get("baseMs"))
        timeout = (timeout if base is None else base) + max(0.0, units) * per_unit
    least, most = _amount(scaling.get("minMs")), _amount(scaling.get("maxMs"))
    if least is not None:
        timeout = max(timeout, least)
    return timeout if most is None else min(timeout, most)


def _amount(value: Any) -> float | None:
    """A finite number, or None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    number = as_double(value)
    return number if math.isfinite(number) else None


def budget_ms(
    timeout_ms: float | None,
    default_ms: int = DEFAULT_TIMEOUT_MS,
    least_ms: int = LEAST_TIMEOUT_MS,
    most_ms: int = MOST_TIMEOUT_MS,
) -> int:
    """The budget that the relay gives for a command's ``timeoutMs``, waiting and running.

    Null and absent mean ``default_ms``; below ``least_ms`` is raised, above ``most_ms``
    is cut, fractions too.
    """
    if timeout_ms is None:
        return default_ms
    return math.floor(min(max(timeout_ms, least_ms), most_ms))
