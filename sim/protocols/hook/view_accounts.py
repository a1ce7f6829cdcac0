"""Accounts as the server has stored them, with the step at which it did.

Judges of bindings, settings and group talk ask two questions of it: what is
stored now, and whether something was so before a handler began (its ``cause``).
What a plan binds from the start is stored nowhere and so unknown here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import attrs

from sim.channel.api import PersonSaid, SignedIn
from sim.core.event import CallIssued, Erased, Saved
from sim.protocols.hook.machine import CONFIRMED
from sim.protocols.hook.server.accounts.rows import (
    BehaviorRow,
    PickerRow,
    ProviderAttemptRow,
    ProviderBindingRow,
    SlackAttemptRow,
    SlackBindingRow,
)

if TYPE_CHECKING:
    from sim.protocols.hook.view import HookView

SLACK = "slack"
ATTEMPTS = ("slack-attempt/", "provider-attempt/")
ACTIVATION = "activation/"
KINDS = frozenset(
    (
        BehaviorRow, PickerRow, ProviderAttemptRow, ProviderBindingRow, SlackAttemptRow,
        SlackBindingRow, str,
    )
)  # fmt: skip


@attrs.define(eq=False)
class AttemptView:
    """A sign-in link. ``row`` is its newest; ``n`` and ``cause`` are of the first one.

    ``over`` is the step at which it was replaced or erased, ``used`` and
    ``used_us`` those of its first use; -1: not (yet).
    """

    provider: str
    row: Any
    n: int
    cause: int
    over: int = -1
    used: int = -1
    used_us: int = -1


@attrs.define(eq=False)
class BindingView:
    """A binding. ``row`` is the newest, of step ``n`` and time ``at`` (µs)."""

    row: Any
    n: int
    at: int

    @property
    def is_confirmed(self) -> bool:
        return bool(self.row.state == CONFIRMED)


class AccountsView:
    """The fold of the server's rows about accounts.

    ``slack`` are bindings by (team, person), ``neutral`` by bindingId,
    ``attempts`` sign-ins by link, ``overrides`` and ``groups`` the behaviour by
    bindingId, ``pickers`` the server's own cards by the event that asked for them.
    """

    __slots__ = (
        "_at", "_newest", "_whose", "attempts", "groups", "neutral", "overrides", "pickers",
        "slack", "view",
    )  # fmt: skip

    def __init__(self, view: HookView) -> None:
        self.view = view
        self.slack: dict[tuple[str, str], BindingView] = {}
        self.neutral: dict[str, BindingView] = {}
        self.attempts: dict[str, AttemptView] = {}
        self.overrides: dict[str, BehaviorRow] = {}
        self.groups: dict[str, dict[str, str]] = {}
        self.pickers: dict[str, PickerRow] = {}
        self._newest: dict[tuple[str, str], AttemptView] = {}
        # the confirmed ones by (channel, device): theirs is asked about at each message
        self._at: dict[tuple[str, str], dict[Any, BindingView]] = {}
        # all on neutral channels by (channel, person)
        self._whose: dict[tuple[str, str], dict[Any, BindingView]] = {}

    # -- questions ---------------------------------------------------------------

    def of_device(self, device: str) -> Iterator[BindingView]:
        """The stored confirmed Slack bindings of a device."""
        yield from tuple(self._at.get((SLACK, device), {}).values())

    def neutral_of(self, provider: str, device: str) -> BindingView | None:
        """The stored confirmed binding of a device on a neutral channel."""
        return next(self.neutrals_of(provider, device), None)

    def neutrals_of(self, provider: str, device: str) -> Iterator[BindingView]:
        """All of these: there are two while one of them is being superseded."""
        yield from tuple(self._at.get((provider, device), {}).values())

    def may_ask(self, lane: str, team: str, person: str, device: str) -> bool:
        """Whether somebody's messages go to this device, as far as that is stored."""
        if lane == SLACK:
            found = self.slack.get((team, person))
            return found is None or (found.is_confirmed and found.row.device == device)
        mine = self._whose.get((lane, person), {}).values()
        return not mine or any(b.is_confirmed and b.row.device == device for b in mine)

    # -- the fold ----------------------------------------------------------------

    def saved(self, event: Saved) -> None:
        """A row that is not about a task."""
        row = event.value
        kind = type(row)
        if kind not in KINDS:
            return
        if kind is SlackBindingRow:
            self._bound(self.slack, (row.team, row.person), SLACK, event)
        elif kind is ProviderBindingRow:
            self._bound(self.neutral, row.binding, row.provider, event)
        elif kind is SlackAttemptRow:
            self._attempt(SLACK, event)
        elif kind is ProviderAttemptRow:
            self._attempt(row.provider, event)
        elif kind is PickerRow:
            self.pickers[row.event] = row
        elif kind is BehaviorRow:
            binding = event.key.partition("/")[2]
            self.overrides[binding] = row
        elif kind is str and event.key == "account":
            self.view.desktops.of(event.host).account = row
        elif kind is str and event.key.startswith(ACTIVATION):
            _, binding, chat = event.key.split("/", 2)
            self.groups.setdefault(binding, {})[chat] = row

    def _bound(self, book: dict[Any, BindingView], key: Any, provider: str, event: Saved) -> None:
        place = (provider, event.value.device)
        found = book.get(key)
        if found is None:
            found = book[key] = BindingView(event.value, event.n, event.at)
        else:
            before, person = (provider, found.row.device), found.row.person
            if book is self.neutral and person != event.value.person:
                self._whose[provider, person].pop(key, None)
            found.row, found.n, found.at = event.value, event.n, event.at
            if before != place or not found.is_confirmed:
                self._at.get(before, {}).pop(key, None)
        if found.is_confirmed:
            self._at.setdefault(place, {})[key] = found
        if book is self.neutral:
            self._whose.setdefault((provider, found.row.person), {})[key] = found

    def _attempt(self, provider: str, event: Saved) -> None:
        row = event.value
        known = self.attempts.get(row.link)
        if known is not None:
            known.row = row
            return
        older = self._newest.get((provider, row.device))
        if older is not None and older.over < 0:
            older.over = event.n
        attempt = AttemptView(provider, row, event.n, event.cause)
        self.attempts[row.link] = self._newest[provider, row.device] = attempt

    def erased(self, event: Erased) -> None:
        """An attempt is over; a group needs a mention again."""
        key = event.key
        if key.startswith(ATTEMPTS):
            words = key.split("/")
            place = (SLACK, words[1]) if len(words) == 2 else (words[1], words[2])
            attempt = self._newest.get(place)
            if attempt is not None and attempt.over < 0:
                attempt.over = event.n
        elif key.startswith(ACTIVATION):
            _, binding, chat = key.split("/", 2)
            self.groups.get(binding, {}).pop(chat, None)

    def heard(self, event: CallIssued) -> None:
        """Somebody opens a link: on a page, or by ``/start``."""
        if not self.attempts:
            return
        request = event.request
        link = ""
        if type(request) is SignedIn:
            link = request.link
        elif type(request) is PersonSaid and request.text.startswith("/start"):
            link = request.text.partition(" ")[2].strip()
        attempt = self.attempts.get(link)
        if attempt is not None and attempt.used < 0:
            attempt.used, attempt.used_us = event.n, event.at
