"""Conditions on single texts: the version, and timestamps with what they denote."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from sim.wire.spec import Predicate

_VERSION: Final = re.compile(r"1(\.[0-9]+)*")
_INSTANT: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?"
    r"(?:Z|([+-])([0-9]{2})(?::?([0-9]{2}))?)"
)
_DAY_MS: Final = 86_400_000
_MINUTE_MS: Final = 60_000

LAST_TIMESTAMP_MS: Final = 253_402_300_799_999
"""The last millisecond of the year 9999."""


def is_supported_version(text: str) -> bool:
    """Whether the major version is 1: later minor versions only add."""
    return _VERSION.fullmatch(text) is not None


@lru_cache(maxsize=64)  # a frame's is asked for twice: is it readable, and when is it
def epoch_ms(text: str) -> int | None:
    """The instant that an ISO-8601 date and time denotes, None where it denotes none.

    Unix milliseconds; finer fractions are cut. Without an offset or Z no instant
    is known; days that no calendar has, and leap seconds, are no instants.
    """
    found = _INSTANT.fullmatch(text)
    if found is None:
        return None
    numbers = [int(found[group] or 0) for group in (1, 2, 3, 4, 5, 6, 9, 10)]
    year, month, day, hours, minutes, seconds, off_hours, off_minutes = numbers
    millis = int((found[7] or "")[:3].ljust(3, "0"))
    if not 1 <= month <= 12 or not 1 <= day <= _days_of(year, month):
        return None
    if max(minutes, seconds, off_minutes) > 59 or off_hours > 23:
        return None
    ends_day = not (minutes or seconds or (found[7] or "").strip("0"))
    if hours > 24 or (hours == 24 and not ends_day):
        return None
    time = (hours * 60 + minutes) * _MINUTE_MS + seconds * 1000 + millis
    offset = (off_hours * 60 + off_minutes) * _MINUTE_MS
    instant = _days_before(year, month, day) * _DAY_MS + time
    return instant + offset if found[8] == "-" else instant - offset


def _days_of(year: int, month: int) -> int:
    """How many days a month has."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _days_before(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a day of the Gregorian calendar.

    Years are taken to begin in March, so that the leap day is the last of its year.
    """
    year, month = (year - 1, month + 9) if month < 3 else (year, month - 3)
    leaps = year // 4 - year // 100 + year // 400
    return year * 365 + leaps + (month * 153 + 2) // 5 + day - 1 - 719_468


def _day_after(days: int) -> tuple[int, int, int]:
    """Year, month and day so many days after 1970-01-01: :func:`_days_before` reversed."""
    days += 719_468
    era, rest = divmod(days, 146_097)
    year = (rest - rest // 1_460 + rest // 36_524 - rest // 146_096) // 365
    rest -= year * 365 + year // 4 - year // 100
    month = (rest * 5 + 2) // 153
    day = rest - (month * 153 + 2) // 5 + 1
    year += era * 400
    return (year, month + 3, day) if month < 10 else (year + 1, month - 9, day)


def iso_timestamp(ts: int | float) -> str:
    """Unix milliseconds as the protocol writes them: ``2026-11-30T02:52:20.000Z``.

    Fractions of a millisecond are cut; what lies before 1970 or after the year
    9999 is held at the nearest time between.
    """
    minutes, millis = divmod(min(max(int(ts), 0), LAST_TIMESTAMP_MS), _MINUTE_MS)
    return f"{_minute(minutes)}:{millis // 1000:02d}.{millis % 1000:03d}Z"


@lru_cache(maxsize=1_024)
def _minute(minutes: int) -> str:
    """So many minutes after 1970: ``2026-11-30T02:52``. Most frames share one with another."""
    days, rest = divmod(minutes, _DAY_MS // _MINUTE_MS)
    year, month, day = _day_after(days)
    return f"{year:04d}-{month:02d}-{day:02d}T{rest // 60:02d}:{rest % 60:02d}"


VERSION: Final = Predicate(
    "is_supported_version",
    "a version 1.x",
    is_supported_version,
    ("1.0", "1.0.0", "1.3", "1"),
    r"^1(\.[0-9]+)*(?!\n)$",
)
TIMESTAMP: Final = Predicate(
    "is_timestamp",
    "a date and time of ISO-8601 with its offset",
    lambda text: epoch_ms(text) is not None,
    ("2026-11-30T02:52:20.000Z", "2026-11-30T02:52Z", "2026-11-30T03:52:20+01:00"),
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?"
    r"(Z|[+-][0-9]{2}(:?[0-9]{2})?)(?!\n)$",
)
