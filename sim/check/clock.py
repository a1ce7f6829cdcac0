"""Times of logs: seconds, milliseconds, microseconds, nanoseconds or ISO 8601, to microseconds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

import msgspec

# By size, a time since 1970 gives its unit away; each is (smallest value, microseconds).
_EPOCHS: Final = ((1e17, 1e-3), (1e14, 1.0), (1e11, 1e3), (1e8, 1e6))
SECONDS: Final = 1e6
_UNITS: Final = (1e6, 1e3, 1.0, 1e-3)
_DAY_S: Final = 86_400


def read_time(value: object) -> float | None:
    """A time as a number: epochs and ISO texts in microseconds, others as they are.

    None for what is no time.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        number = float(value) if abs(value) < 1e300 else math.inf
        return number if math.isfinite(number) else None
    if isinstance(value, str):
        return _read_text(value.strip())
    return None


def _read_text(text: str) -> float | None:
    try:
        return read_time(msgspec.json.decode(text)) if text[:1] not in ('"', "") else None
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        pass
    try:
        moment = datetime.fromisoformat(text.replace(",", "."))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return float((since.days * _DAY_S + since.seconds) * 1_000_000 + since.microseconds)


def is_iso(value: object) -> bool:
    """Whether it is a date, whose number is in microseconds already."""
    return isinstance(value, str) and "-" in value[1:] and ":" in value


def unit_of(times: Iterable[float], pairs: Iterable[tuple[float, float]]) -> float:
    """How many microseconds the log's unit is.

    ``times`` are some of its numbers. Where they are no epochs, ``pairs`` decide: (time of
    the log, milliseconds of the sender's clock) of one sender's frames in order.
    """
    known = list(times)
    for smallest, unit in _EPOCHS:
        if known and min(known) >= smallest:
            return unit
    ratios = sorted(_ratios(pairs))
    if ratios:
        middle = ratios[len(ratios) // 2]
        return min(_UNITS, key=lambda unit: abs(math.log(middle / unit)))
    return SECONDS


def _ratios(pairs: Iterable[tuple[float, float]]) -> Iterable[float]:
    before: tuple[float, float] | None = None
    for now in pairs:
        if before is not None:
            log, sender_us = now[0] - before[0], (now[1] - before[1]) * 1_000
            if log > 0 and sender_us > 0:
                yield sender_us / log
        before = now
