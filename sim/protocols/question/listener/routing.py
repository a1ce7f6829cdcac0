"""Whose answer a text is (§4.1, DQ-01, DQ-02)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import attrs

from sim.protocols.question.listener.updates import Said
from sim.protocols.question.rules import QuestionRules
from sim.protocols.question.store.entry import PendingQuestion

REMEMBERED: Final = 1_000
ANYBODY: Final = 0
"""Of an entry that waits without a name; nobody at Telegram has that number."""


class Prompts:
    """The prompts that this life of a listener has sent, and to whom.

    Which of them still counts is the store's business; all others are dead (DQ-02).
    """

    __slots__ = ("_owners", "_typing")

    def __init__(self) -> None:
        self._owners: dict[tuple[str, int], int] = {}
        self._typing: dict[tuple[str, int], None] = {}

    def remember(self, chat: int | str, message_id: int, owner: int) -> None:
        """A prompt was sent."""
        self._owners[str(chat), message_id] = owner
        if len(self._owners) > REMEMBERED:
            del self._owners[next(iter(self._owners))]

    def wants_to_type(self, chat: int | str, user: int) -> None:
        """This person has pressed a custom button."""
        self._typing[str(chat), user] = None
        if len(self._typing) > REMEMBERED:
            del self._typing[next(iter(self._typing))]

    def saw(self, entries: Iterable[PendingQuestion]) -> None:
        """The store has these: whose text they wait for has pressed a custom button, perhaps
        in another life of the listener."""
        for entry in entries:
            if _is_waiting(entry):
                user = entry.expected_user_id
                self.wants_to_type(entry.chat, user if type(user) is int else ANYBODY)

    def may_type(self, chat: int | str, user: int) -> bool:
        """Whether this person has pressed a custom button there, as far as is known."""
        return any((str(chat), one) in self._typing for one in (user, ANYBODY))

    def was_for(self, chat: int | str, message_id: int, user: int) -> bool:
        """Whether that message was a prompt for this person."""
        return self._owners.get((str(chat), message_id)) == user


@attrs.frozen
class Answers:
    """The text is an answer to this entry. ``surely``: a reply relation says so; else the
    entry waits since the press in the update ``since``, -1 where it does not say so."""

    unique_id: str
    surely: bool
    since: int = -1


@attrs.frozen
class ToDeadPrompt:
    """A reply to a prompt of this bridge that counts no more."""


@attrs.frozen
class Nothing:
    """A text that is none of the bridge's business."""


Route = Answers | ToDeadPrompt | Nothing


def route(
    said: Said, entries: Mapping[str, PendingQuestion], prompts: Prompts, rules: QuestionRules
) -> Route:
    """Decide by the store's entries of now. The reply relation goes first (§4.1 step 4)."""
    if said.reply_to is None or not rules.reply_before_fallback:
        return _fallback(said, entries, rules)
    for by in (_prompt_of, _message_of):
        found = [name for name, entry in entries.items() if by(entry, said)]
        if found:
            mine = [name for name in found if _may_answer(entries[name], said)]
            return Answers(mine[-1], True) if mine else Nothing()
    if not rules.dead_prompt_is_no_fallback:
        return _fallback(said, entries, rules)
    dead = prompts.was_for(said.chat, said.reply_to, said.sender.id)
    return ToDeadPrompt() if dead else Nothing()


def _prompt_of(entry: PendingQuestion, said: Said) -> bool:
    return _is_waiting(entry) and (entry.chat, entry.custom_prompt_message_id) == (
        str(said.chat),
        said.reply_to,
    )


def _message_of(entry: PendingQuestion, said: Said) -> bool:
    where = (entry.chat, entry.message_id) == (str(said.chat), said.reply_to)
    return where and _was_awaited(entry, said)


def _was_awaited(entry: PendingQuestion, said: Said) -> bool:
    """Whether it waited before the text came; an entry that does not say since when did."""
    since = entry.awaiting_update
    return _is_waiting(entry) and (type(since) is not int or since < said.update_id)


def _is_waiting(entry: PendingQuestion) -> bool:
    return entry.awaiting_text is True


def _may_answer(entry: PendingQuestion, said: Said) -> bool:
    """Whether the entry waits for this person; one without a name waits for anybody."""
    expected = entry.expected_user_id
    return type(expected) is not int or expected == said.sender.id


def _fallback(said: Said, entries: Mapping[str, PendingQuestion], rules: QuestionRules) -> Route:
    """The question of this person and chat that was asked for last (DQ-01), before the text:
    meanwhile another one may have been asked for, to which it is no answer."""
    waiting = [
        (_since(entry), name)
        for name, entry in entries.items()
        if entry.chat == str(said.chat)
        and (_was_awaited(entry, said) or not rules.text_only_when_awaited)
        and (_may_answer(entry, said) or not rules.fallback_is_personal)
    ]
    if not waiting or (len(waiting) > 1 and not rules.newest_wait_wins):
        return Nothing()
    name = max(waiting)[1]
    since = entries[name].awaiting_update
    return Answers(name, False, since if type(since) is int else -1)


def _since(entry: PendingQuestion) -> int:
    """When it was asked for; of an entry that does not say so, when it was written."""
    return entry.awaiting_since if type(entry.awaiting_since) is int else entry.timestamp
