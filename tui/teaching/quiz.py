"""Asks the questions of a quiz, one by one, or prints them all with their key."""

from __future__ import annotations

from collections.abc import Sequence

from tui.plain import sentence
from tui.session import Session
from tui.teaching import rows_about
from tui.teaching.looking import Ask
from tui.teaching.talk import Talk

CONTEXT = 4
"""Steps that are told before a question, the one it is about among them."""


class Quiz:
    """``right`` of ``asked`` answers were right so far."""

    def __init__(self, session: Session, asks: Sequence[Ask], talk: Talk) -> None:
        self.session, self.asks, self.talk = session, asks, talk
        self.asked = self.right = 0

    def hold(self) -> None:
        """Ask all of them. Raises NothingMore where the answers end before the questions."""
        for number, ask in enumerate(self.asks, 1):
            self._put(number, ask)
            answer = self._answer(ask)
            if answer is None:
                return
            self.asked += 1
            self.right += answer == ask.right
            self.talk.say("right" if answer == ask.right else "not right")
            self._explain(ask, tells=answer != ask.right)

    def print(self) -> None:
        """The questions, then the key."""
        for number, ask in enumerate(self.asks, 1):
            self._put(number, ask)
        self.talk.say()
        self.talk.say("The key")
        for number, ask in enumerate(self.asks, 1):
            self.talk.item(f"{number}:", f"{ask.right + 1}  {ask.choices[ask.right]}")
            self._explain(ask, tells=False)
        self._tell_rows()

    def score(self) -> None:
        """How many were right, and where to read on."""
        self.talk.say()
        self.talk.said("{right} of {asked} right", right=self.right, asked=self.asked)
        self._tell_rows()

    def _tell_rows(self) -> None:
        ids = rows_about.of_scenario(self.session.name, self.session.protocol)
        if ids:
            told = ", ".join(ids)
            self.talk.said("this run shows {ids}; hooktwin explain tells each", ids=told)

    def _put(self, number: int, ask: Ask) -> None:
        talk, session = self.talk, self.session
        talk.say()
        talk.said("question {n} of {m}", n=number, m=len(self.asks))
        before = session.diagram.backwards(ask.step - 1)
        shown = [step for step, _ in zip(before, range(CONTEXT - 1), strict=False)]
        for step in (*reversed(shown), ask.step):
            talk.say(sentence(session, step, talk.speech, judged=False), indent=2)
        talk.say(ask.text)
        for place, choice in enumerate(ask.choices, 1):
            talk.item(str(place), choice)

    def _answer(self, ask: Ask) -> int | None:
        """The place of the answer; None when the reader has had enough."""
        numbers = [str(n) for n in range(1, len(ask.choices) + 1)]
        while True:
            told = self.talk.ask(f"1-{len(numbers)}")
            if told == "q":
                return None
            if told in numbers:
                return int(told) - 1
            self.talk.unknown(told, (*numbers, "q"))

    def _explain(self, ask: Ask, *, tells: bool) -> None:
        if tells:
            self.talk.item(str(ask.right + 1), ask.choices[ask.right])
        for because in ask.because:
            self.talk.say(because, indent=5)
        for row in ask.rows:
            self.talk.say(f"{row.id}: {row.rule}", indent=5)
