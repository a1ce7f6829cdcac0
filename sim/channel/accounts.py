"""Who people are on a channel: numbers and handles, given in order of appearance."""

from __future__ import annotations

import re
from collections.abc import Iterable

import attrs

_NO_HANDLE = re.compile(r"[^A-Za-z0-9_]")


@attrs.frozen
class Account:
    """``number`` is unique on the channel; ``handle`` may be empty."""

    person: str
    number: int
    handle: str


class Accounts:
    """The accounts of one channel. Whoever was not named in advance gets the next number."""

    __slots__ = ("_by_person", "_next")

    def __init__(self, people: Iterable[str] = (), first: int = 1) -> None:
        self._by_person: dict[str, Account] = {}
        self._next = first
        for person in people:
            self.of(person)

    def of(self, person: str) -> Account:
        """The account of this person."""
        account = self._by_person.get(person)
        if account is None:
            handle = _NO_HANDLE.sub("", person).lower()[:32]
            account = Account(person, self._next, handle)
            self._by_person[person] = account
            self._next += 1
        return account

    def numbered(self, number: int) -> Account | None:
        """The account with this number, if somebody has it."""
        return next((one for one in self._by_person.values() if one.number == number), None)
