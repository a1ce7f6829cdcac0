"""What the oracles of the question bridge have in common."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, ClassVar, Final

import attrs

from sim.core.event import (
    CallAnswered,
    CallApplied,
    CallIssued,
    Erased,
    Event,
    HostCrashed,
    HostStarted,
    Noted,
    Saved,
)
from sim.core.invariant import Handler, Invariant
from sim.protocols.question.constants import HOOK, LISTENER, OPENCODE, STORE, TELEGRAM
from sim.protocols.question.view import QuestionView
from sim.protocols.question.view_calls import CallView

SECOND_US: Final = 1_000_000
MS_US: Final = 1_000
SOON_US: Final = SECOND_US
"""How long something may take that is done at once: a few calls and a few files."""

_OF_STORE: Final = (Saved, Erased)
WORDS: Final[Mapping[str, tuple[type[Event], ...]]] = {
    "started": (HostStarted,),
    "crashed": (HostCrashed,),
    **dict.fromkeys(("issued", "polled", "file", "before"), (CallIssued,)),
    **dict.fromkeys(("applied", "filed", "returned"), (CallApplied,)),
    **dict.fromkeys(("ended", "update", "settled", "failed"), (CallAnswered,)),
    **dict.fromkeys(("entry", "changed", "gone", "aside", "expired"), _OF_STORE),
    **dict.fromkeys(("broken", "mended"), _OF_STORE),
    **dict.fromkeys(("log", "asked", "closed"), (Noted,)),
}
"""What the view tells of, by the events that it can be new with; ``polled``: a call that asks
for updates was issued, which most of those who judge calls have nothing to say about."""

Judge = Callable[[Any], str | None]


class QuestionInvariant(Invariant):
    """Sees what is new after the view has folded an event.

    A method ``on_WORD`` (a key of ``WORDS``) judges what the view tells by that word.
    ``IN_LOGS``: a record of calls, updates and store states is enough to judge it.
    """

    ALIKE = True
    IN_LOGS: ClassVar[bool] = False
    _words: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._words = tuple(word for word in WORDS if hasattr(cls, f"on_{word}"))

    def __init__(self, view: QuestionView) -> None:
        self.view = view
        self.news = view.news
        self._judges: dict[str, Judge] = {word: getattr(self, f"on_{word}") for word in self._words}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return dict.fromkeys(self.hears_news(), self._look)

    def hears_news(self) -> Mapping[type[Event], Collection[str]]:
        found: dict[type[Event], list[str]] = {}
        for word in self._judges:
            for kind in WORDS[word]:
                found.setdefault(kind, []).append(word)
        return found

    def _look(self, event: Event) -> str | None:
        for word, fact in self.news:
            judge = self._judges.get(word)
            if judge is not None and not self._is_of_visitor(fact):
                text = judge(fact)
                if text is not None:
                    return text
        return None

    def _is_of_visitor(self, fact: Any) -> bool:
        """Whether somebody with curl has done it, who obeys no rule of listeners."""
        visitors = self.view.told.visitors
        if not visitors or self.obeyed_by != LISTENER:
            return False
        return isinstance(fact, CallView) and fact.caller in visitors


@attrs.frozen
class Debt:
    """What a host owes, until when, and what to say where it is not done."""

    host: str
    due_us: int
    text: str


class Owing(QuestionInvariant):
    """Keeps what hosts owe; speaks up when it is late, or never comes while they are up."""

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._owed: dict[Any, Debt] = {}

    def owe(self, key: Any, host: str, text: str, after_us: int = SOON_US) -> None:
        """A host owes something within ``after_us`` from now."""
        if key not in self._owed:
            self._owed[key] = Debt(host, self.view.now + after_us, text)

    def pay(self, key: Any) -> str | None:
        """That is done. → what is wrong with it, if it is late."""
        debt = self._owed.pop(key, None)
        return debt.text if debt is not None and self._is_late(debt) else None

    def forget(self, key: Any) -> None:
        """It is not owed any more."""
        self._owed.pop(key, None)

    def on_crashed(self, host: str) -> str | None:
        """Of a dead host nothing is expected."""
        self.forgive(host)
        return None

    def forgive(self, host: str) -> None:
        """Nothing that a host owes is owed any more."""
        for key in [key for key, debt in self._owed.items() if debt.host == host]:
            del self._owed[key]

    def _is_late(self, debt: Debt) -> bool:
        return self.view.now > debt.due_us + self.view.grace_us(debt.host)

    def at_end(self) -> Iterator[str]:
        late = [debt for debt in self._owed.values() if self._is_late(debt)]
        self.undecided = len(self._owed) - len(late)
        yield from (debt.text for debt in late if debt.host in self.view.up)


class OfHook(QuestionInvariant):
    """Judges hooks."""

    obeyed_by = HOOK


class OfStore(QuestionInvariant):
    """Judges how the store's files are used."""

    obeyed_by = STORE


class OfListener(QuestionInvariant):
    """Judges listeners."""

    obeyed_by = LISTENER


class OfOpenCode(QuestionInvariant):
    """Judges OpenCode."""

    obeyed_by = OPENCODE


class OfTelegram(QuestionInvariant):
    """Judges Telegram's twin."""

    obeyed_by = TELEGRAM


def seconds(us: int) -> str:
    """A span as a violation tells it."""
    return f"{us / SECOND_US:.3f} s"


def buttons_of(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(label, data) of the inline buttons of a message's body, row by row."""
    markup = body.get("reply_markup")
    rows = markup.get("inline_keyboard") if isinstance(markup, Mapping) else None
    return [
        (str(one.get("text", "")), str(one.get("callback_data", "")))
        for row in (rows if isinstance(rows, list) else [])
        for one in (row if isinstance(row, list) else [])
        if isinstance(one, Mapping)
    ]


def forces_reply(body: Mapping[str, Any]) -> bool:
    """Whether a message asks for a reply."""
    markup = body.get("reply_markup")
    return isinstance(markup, Mapping) and markup.get("force_reply") is True


def named_in(data: str) -> str:
    """The uniqueId in a button's data."""
    parts = data.split(":")
    return parts[1] if len(parts) > 1 else ""
