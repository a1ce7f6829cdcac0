"""What people and agents do in a diagram of the question protocol.

The words on an arrow from a person to such a lifeline, or from OpenCode or the store to
itself. On Telegram: ``press [Q1] LABEL``, ``reply [Q1] "text"``, ``message "text"`` (in
the group, no reply), ``direct "text"`` (to the bot alone), ``delete Q1``. At OpenCode:
``question (items)``, ``tool (items)``, ``answer [Q1] LABEL``, ``dismiss [Q1]``,
``abort [Q1]``. At the store: ``break ["text"]``, ``tear``, ``lock [OWNER] [AGE]``,
``unlock``, ``deny``, ``allow``. Everywhere ``quit`` and ``start``. Anything else is free
text; a text that *begins* with one of these words must be such an act.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from attrs import frozen

from sim.core.errors import ScenarioError
from sim.scenario.acts import FIRST_WORD
from sim.scenario.items import read_frame
from sim.scenario.slips import refuse_slip
from sim.scenario.source import Span
from sim.scenario.syntax import Act, FreeText, Name
from sim.scenario.values import DURATION, NAME, read_duration, read_name, read_string
from sim.scenario.vocabulary import FrameVocabulary

ANYWHERE: Final = {"quit": "quit", "start": "start"}
USAGES: Final[Mapping[str, Mapping[str, str]]] = {
    "telegram": {
        "press": "press [Q1] LABEL",
        "reply": 'reply [Q1] "text"',
        "message": 'message "text"',
        "direct": 'direct "text"',
        "delete": "delete Q1",
    },
    "opencode": {
        "question": 'question (sessionID=S1, options=["A","B"])',
        "tool": "tool (tool=bash, sessionID=S1)",
        "answer": "answer [Q1] LABEL",
        "dismiss": "dismiss [Q1]",
        "abort": "abort [Q1]",
    },
    "store": {
        "break": 'break ["text"]',
        "tear": "tear",
        "lock": "lock [OWNER] [AGE]",
        "unlock": "unlock",
        "deny": "deny",
        "allow": "allow",
    },
    "hook": {},
    "listener": {},
}
"""Verbs by the kind of the lifeline, with how they are written."""
OWN_KINDS: Final = tuple(USAGES)


@frozen
class _Reading:
    """One act while it is read: its verb and what follows it."""

    at: Span
    verb: str
    rest: Span
    frames: FrameVocabulary | None

    def act(
        self,
        text: str | None = None,
        name: Name | None = None,
        word: str | None = None,
        words: tuple[str, ...] = (),
    ) -> Act:
        return Act(self.at.line, self.at.column, self.verb, text, name, word, words)

    def split(self) -> tuple[Name | None, Span]:
        """A name in front, where one stands there, and what is behind it."""
        words = self.rest.words()
        if not words or NAME.fullmatch(words[0].text) is None:
            return None, self.rest
        return read_name(words[0]), self.rest.cut(len(words[0].text)).strip()


def read_question_act(at: Span, kind: str, frames: FrameVocabulary | None) -> Act | FreeText:
    """What is done at a lifeline of this kind; ScenarioError for a known word misused."""
    usages = {**USAGES[kind], **ANYWHERE}
    first = FIRST_WORD.match(at.text)
    verb = first.group() if first else ""
    if verb not in usages:
        read = partial(read_question_act, kind=kind, frames=frames)
        refuse_slip(at, usages, read, is_chat=kind == "telegram")
        return FreeText(at.line, at.column, at.text)
    rest = at.cut(len(verb)).strip()
    try:
        return _READERS.get(verb, _nothing)(_Reading(at, verb, rest, frames))
    except ScenarioError as wrong:
        allowed = (usages[verb], "free text that begins with another word")
        raise rest.fail(f"after {verb!r}: {wrong.text}", allowed) from None


def _nothing(one: _Reading) -> Act:
    if one.rest.text:
        raise one.rest.fail("nothing may follow")
    return one.act()


def _label(one: _Reading) -> Act:
    """``[Q1] LABEL``: a name, a label (in quotes or not), or both."""
    name, rest = one.split()
    if not rest.text:
        if name is None:
            raise rest.fail("which one?")
        return one.act(name=name)
    word = read_string(rest) if rest.text.startswith('"') else rest.text
    return one.act(name=name, word=word)


def _text(one: _Reading) -> Act:
    return one.act(text=read_string(one.rest))


def _named_text(one: _Reading) -> Act:
    name, rest = one.split()
    return one.act(text=read_string(rest), name=name)


def _maybe_text(one: _Reading) -> Act:
    return one.act(text=read_string(one.rest) if one.rest.text else None)


def _name(one: _Reading) -> Act:
    return one.act(name=read_name(one.rest))


def _maybe_name(one: _Reading) -> Act:
    return one.act(name=read_name(one.rest) if one.rest.text else None)


def _called(one: _Reading) -> Act:
    """``question (items)``: an agent's call, with the fields that an arrow would name."""
    frame = read_frame(one.at, one.frames, literal=False)
    return Act(one.at.line, one.at.column, one.verb, frame=frame)


def _lock(one: _Reading) -> Act:
    words = one.rest.words()
    if len(words) > 2:
        raise words[2].fail("an owner and an age are all that may follow")
    if len(words) == 1 and DURATION.fullmatch(words[0].text):
        return one.act(words=("", words[0].text))
    if len(words) == 2:
        read_duration(words[1])
    return one.act(words=tuple(word.text for word in words))


_READERS: Final[Mapping[str, Callable[[_Reading], Act]]] = {
    "press": _label,
    "answer": _label,
    "reply": _named_text,
    "message": _text,
    "direct": _text,
    "delete": _name,
    "question": _called,
    "tool": _called,
    "dismiss": _maybe_name,
    "abort": _maybe_name,
    "break": _maybe_text,
    "lock": _lock,
}
