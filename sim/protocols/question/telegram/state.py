"""All that Telegram knows: bots, people, chats, messages, presses, updates."""

from __future__ import annotations

from typing import Any, Final

import attrs

from sim.channel.accounts import Account, Accounts
from sim.channel.api import is_direct
from sim.channel.pace import Clocked, Pace
from sim.protocols.question.telegram.board import Board
from sim.protocols.question.telegram.plan import (
    FIRST_BOT,
    FIRST_PERSON,
    BotAccount,
    BotApiPlan,
)
from sim.protocols.question.telegram.queries import Queries
from sim.protocols.question.telegram.refusals import CHAT_NOT_FOUND, bad
from sim.protocols.question.telegram.updates import Inbox

MOST_DIGITS: Final = 19
"""Of an account's number."""


@attrs.frozen(eq=False)
class Bot:
    """A bot with what belongs to it alone. ``number`` is its user id."""

    account: BotAccount
    number: int
    inbox: Inbox
    pace: Clocked

    @property
    def name(self) -> str:
        """Its username."""
        return self.account.username


class State:
    """One Telegram."""

    __slots__ = ("accounts", "board", "bots", "groups", "plan", "queries")

    def __init__(self, plan: BotApiPlan) -> None:
        self.plan = plan
        self.accounts = Accounts(plan.people, FIRST_PERSON)
        self.board = Board(plan.chat)
        self.queries = Queries(plan.press_valid_us)
        pace = Pace(per_minute_in_groups=plan.writes_per_minute)
        self.bots = tuple(
            Bot(account, FIRST_BOT + place, Inbox(), Clocked(pace))
            for place, account in enumerate(plan.bots)
        )
        self.groups = tuple(one for one in (plan.chat, *plan.groups) if not is_direct(one))

    def bot_of(self, token: str) -> Bot | None:
        """The bot with this token."""
        return next((bot for bot in self.bots if bot.account.token == token), None)

    def bot_called(self, username: str) -> Bot | None:
        """The bot with this username."""
        return next((bot for bot in self.bots if bot.name == username), None)

    def person_in(self, chat: str) -> Account | None:
        """Whose direct chat this is; None for a group."""
        number = chat.partition("@")[0]
        is_number = number.isascii() and number.isdigit() and len(number) <= MOST_DIGITS
        return self.accounts.numbered(int(number)) if is_number else None

    def direct(self, number: int, bot: Bot) -> str:
        """The direct chat of a person with a bot."""
        return str(number) if bot is self.bots[0] else f"{number}@{bot.name}"

    def chat_for(self, bot: Bot, chat_id: str) -> str:
        """The chat that a bot means by an id. Raises a 400 for one that it is not in."""
        if chat_id in self.groups:
            return chat_id
        person = None if "@" in chat_id else self.person_in(chat_id)
        if person is None:
            raise bad(CHAT_NOT_FOUND)
        return self.direct(person.number, bot)


@attrs.frozen
class Outcome:
    """What a deed has brought: its result, and notes (what, data) for the trace."""

    result: Any
    notes: tuple[tuple[str, dict[str, Any]], ...] = ()


@attrs.frozen(eq=False)
class Delivery:
    """Something of which a bot is told: the kind of update, and its content."""

    bot: Bot
    chat: str
    kind: str
    content: dict[str, Any]
