"""What people do on Telegram and at the desk, and what befalls the store, as acts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import attrs

from sim.channel.api import Button, Press, Remove, Say
from sim.channel.history import History, ShownMessage
from sim.protocols.question import acts
from sim.protocols.question.constants import CUSTOM_PREFIX, OPTION_PREFIX
from sim.protocols.question.telegram.people import DIRECT
from sim.scenario.playing.match import Names
from sim.scenario.playing.stage import Direction, NotYet
from sim.scenario.stages.question_cast import Cast
from sim.scenario.stages.question_ledger import Ledger, Link
from sim.scenario.stages.question_prompts import Prompter
from sim.scenario.syntax import Act, Arrow
from sim.scenario.values import duration_of

CUSTOM: Final = "custom"
"""What the button for a free answer may be called, whatever stands on it."""
MS: Final = 1_000
KILLED: Final = "killed"
"""Who has left a lock behind where nobody says who."""
LABELS: Final = 8
"""So many buttons are named where none is called so."""
ON_TELEGRAM: Final = ("press", "reply", "message", "direct", "delete")


@attrs.define(eq=False)
class People:
    """Turns a person's arrow into the act of a host."""

    cast: Cast
    history: History
    names: Names
    ledger: Ledger
    prompter: Prompter

    def does(self, arrow: Arrow, act: Act) -> Direction | NotYet:
        """The act; NotYet while it is impossible."""
        match act.verb:
            case "quit":
                return Direction(arrow.target, verb="crash")
            case "start":
                return Direction(arrow.target, verb="restart")
            case "question" | "tool":
                assert act.frame is not None  # the parser has seen to it
                return Direction(self.cast.opencode, self.prompter.asks(act.frame))
            case "answer" | "dismiss" | "abort":
                return self._at_the_desk(act)
            case verb if verb in ON_TELEGRAM:
                return self._on_telegram(self.cast.person_of(arrow.source), act)
            case _:
                return Direction(self.cast.store, self._at_the_store(act))

    # -- at the store ------------------------------------------------------------------

    def _at_the_store(self, act: Act) -> acts.Act:
        match act.verb:
            case "break":
                return acts.BreakStore() if act.text is None else acts.BreakStore(act.text)
            case "tear":
                return acts.TearNextWrite()
            case "lock":
                owner, age = (*act.words, "", "")[:2]
                age_ms = duration_of(age) // MS if age else 0
                return acts.LeaveLock(self._process(owner or KILLED), age_ms)
            case "unlock":
                return acts.RemoveLock()
            case verb:
                return acts.DenyStore(on=verb == "deny")

    def _process(self, name: str) -> str:
        """How a lock names the present life of a host; one that is none is dead."""
        host = self.cast.world.hosts.get(name)
        return f"{name}#{1 if host is None else host.epoch}"

    # -- at the desk -------------------------------------------------------------------

    def _at_the_desk(self, act: Act) -> Direction | NotYet:
        link = self._meant(act) if act.name is not None else self.ledger.open_one()
        if isinstance(link, NotYet):
            return link
        if link is None:
            return NotYet("no question is open at the desk")
        if act.verb == "abort":
            return Direction(self.cast.opencode, acts.AbortTool(link.request or link.call))
        if not link.request:
            return NotYet(f"the question of {link.name} is not registered yet")
        if act.verb == "dismiss":
            return Direction(self.cast.opencode, acts.DismissHere(link.request))
        return Direction(self.cast.opencode, acts.AnswerHere(link.request, ((act.word or "",),)))

    def _meant(self, act: Act) -> Link | NotYet:
        name = act.name.text if act.name is not None else ""
        real = self.names.get(name)
        if real is None:
            return NotYet(f"{name} is not bound")
        link = self.ledger.named(real)
        return NotYet(f"no question {name} is known") if link is None else link

    # -- on Telegram -------------------------------------------------------------------

    def _on_telegram(self, person: str, act: Act) -> Direction | NotYet:
        match act.verb:
            case "press":
                return self._press(person, act)
            case "reply":
                return self._reply(person, act)
            case "delete":
                message = self._message(act)
                if isinstance(message, NotYet):
                    return message
                return Direction(person, Remove(person, message.id))
            case "direct":
                return Direction(person, Say(person, act.text or "", chat=DIRECT))
            case _:
                return Direction(person, Say(person, act.text or ""))

    def _press(self, person: str, act: Act) -> Direction | NotYet:
        """A button by its label or data, on the message that is named, else on the newest
        that ever had it: an old client still shows what is gone."""
        messages = list(self._with_buttons())
        if act.name is not None:
            message = self._message(act)
            if isinstance(message, NotYet):
                return message
            messages = [message]
            data = _forged(act.word or "", message)
            if data:
                return Direction(person, Press(person, message.id, data))
        for message in messages:
            button = _chosen(act.word, _buttons_ever(message))
            if button is not None:
                return Direction(person, Press(person, message.id, button.id))
        if act.word is not None and messages:
            labels = dict.fromkeys(b.label for one in messages for b in _buttons_ever(one))
            there = ", ".join(list(labels)[:LABELS])
            return NotYet(f"no message has a button {act.word!r}; there are: {there}")
        return NotYet("no message with buttons shows yet")

    def _with_buttons(self) -> Iterator[ShownMessage]:
        """All of the bot's messages that ever had buttons, newest first."""
        for message in reversed(self.history.messages.values()):
            if message.by_bot and _buttons_ever(message):
                yield message

    def _reply(self, person: str, act: Act) -> Direction | NotYet:
        """To the message that demands it: of the question that is named, else the newest."""
        if act.name is None:
            asking = (m for m in reversed(self.history.messages.values()) if m.forces_reply)
            prompt = next(asking, None)
            if prompt is None:
                return NotYet("no message asks for a reply")
            return Direction(person, Say(person, act.text or "", reply_to=prompt.id))
        message = self._message(act, prompts=True)
        if isinstance(message, NotYet):
            return message
        return Direction(person, Say(person, act.text or "", reply_to=message.id))

    def _message(self, act: Act, *, prompts: bool = False) -> ShownMessage | NotYet:
        """The message that a name means: by its own id, or as that of a question; its
        newest prompt, where one is wanted and there."""
        name = act.name.text if act.name is not None else ""
        real = self.names.get(name)
        if real is None:
            return NotYet(f"{name} is not bound")
        own = self.history.get(self.cast.telegram, str(real))
        if own is not None:
            return own
        link = self.ledger.named(real)
        if link is None:
            return NotYet(f"no question or message {name} is known")
        if prompts and link.prompts:
            found = self.history.get(self.cast.telegram, link.prompts[-1])
        else:
            found = self.message_of(link)
        return NotYet(f"no message of {name} shows yet") if found is None else found

    def message_of(self, link: Link) -> ShownMessage | None:
        """The message with the buttons of a question: it shows before the store knows it."""
        if not link.unique_id:
            return None
        for message in self._with_buttons():
            if any(is_button_of(button, link.unique_id) for button in _buttons_ever(message)):
                return message
        return None


def is_button_of(button: Button, unique_id: str) -> bool:
    """Whether this button answers the question of an entry."""
    return button.id == CUSTOM_PREFIX + unique_id or button.id.startswith(
        f"{OPTION_PREFIX}{unique_id}:"
    )


def _chosen(word: str | None, buttons: tuple[Button, ...]) -> Button | None:
    """By label or data; ``custom`` is the one for a free answer; the first for no word."""
    if word is None:
        return next(iter(buttons), None)
    meant = (b for b in buttons if word in (b.id, b.label))
    custom = (b for b in buttons if word == CUSTOM and b.id.startswith(CUSTOM_PREFIX))
    return next(meant, next(custom, None))


def _forged(word: str, message: ShownMessage) -> str:
    """Data that no button has: ``qopt:*:9``, where ``*`` is the uniqueId of the message's own."""
    if not word.startswith((OPTION_PREFIX, CUSTOM_PREFIX)) or "*" not in word:
        return ""
    own = next((b.id for b in _buttons_ever(message) if b.id.startswith(OPTION_PREFIX)), "")
    return word.replace("*", own.split(":")[1]) if own.count(":") > 1 else ""


def _buttons_ever(message: ShownMessage) -> tuple[Button, ...]:
    """The newest buttons that it has had."""
    return next((look.buttons for look in reversed(message.versions) if look.buttons), ())
