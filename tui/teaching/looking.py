"""What questions are made with: a run, a language, a draw of lots, and the words for steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs

from sim.core import event as events
from sim.core.entropy import Stream
from sim.core.event import Event
from sim.view.scene import Flight, Scene
from tui.language import Speech
from tui.plain import sentence
from tui.session import Session
from tui.teaching.rows_about import Told

MOST_CHOICES = 4
AHEAD = 400
"""Steps behind a question in which its answer is looked for."""

LONG = 4_000
"""Of a trace with more steps only some are looked at for questions ..."""

LOOKED_AT = 600
"""... and so many of them."""


@attrs.frozen
class Ask:
    """One question, asked after ``step``. ``because`` explains the answer, ``rows`` are rows
    of the catalogue about it; no two questions of a quiz have the same ``topic``."""

    step: int
    text: str
    choices: tuple[str, ...]
    right: int
    because: tuple[str, ...]
    rows: tuple[Told, ...]
    topic: str

    def to_json(self) -> dict[str, Any]:
        """For programs: answers are counted from 1."""
        return {
            "step": self.step,
            "question": self.text,
            "choices": list(self.choices),
            "answer": self.right + 1,
            "because": list(self.because),
            "rules": [{"id": one.id, "rule": one.rule} for one in self.rows],
        }


class Looking:
    """A run that is asked about."""

    def __init__(self, session: Session, speech: Speech, seed: int) -> None:
        self.session, self.speech = session, speech
        self.lots = Stream(seed, "quiz")
        self.deeds: dict[tuple[str, int], dict[str, bool]] = {}
        """What kinds of hosts do, by the part of the run: read once."""

    # -- lots ----------------------------------------------------------------------------------

    def shuffled(self, things: Iterable[Any]) -> list[Any]:
        """In an order that the seed decides."""
        left = list(things)
        return [left.pop(self.lots.between(0, len(left) - 1)) for _ in range(len(left))]

    def steps(self) -> list[int]:
        """The steps to look at, in an order that the seed decides; of a long trace, some."""
        count = self.session.count
        if count <= LONG:
            return self.shuffled(range(count))
        drawn = (self.lots.between(0, count - 1) for _ in range(LOOKED_AT))
        return list(dict.fromkeys(drawn))

    def ask(
        self,
        step: int,
        text: str,
        right: str,
        wrong: Sequence[str],
        because: Iterable[str],
        rows: Iterable[Told],
        topic: str,
    ) -> Ask | None:
        """The question with its answers in an order that the seed decides; None where there is
        nothing to choose from."""
        others = [one for one in dict.fromkeys(wrong) if one != right][: MOST_CHOICES - 1]
        if len(others) < 2:
            return None
        choices = self.shuffled((right, *others))
        return Ask(
            step, text, tuple(choices), choices.index(right), tuple(because), tuple(rows), topic
        )

    # -- what there is -------------------------------------------------------------------------

    def behind(self, step: int) -> Iterator[Event]:
        """The events behind a step, as far as one looks."""
        session = self.session
        for n in range(step + 1, min(step + 1 + AHEAD, session.count)):
            yield session.event(n)

    def heads(self, scene: Scene) -> dict[int, Flight]:
        """What can arrive next: of each direction of a connection the first frame, and every
        call that is under way. By the number of the event that sent it."""
        firsts: dict[tuple[str, str], int] = {}
        for n, flight in scene.frames.items():
            firsts.setdefault((flight.link, flight.source), n)
        found = {n: scene.frames[n] for n in firsts.values()}
        return found | scene.calls

    # -- words ---------------------------------------------------------------------------------

    def says(self, template: str, **parts: object) -> str:
        """A sentence of ours in the reader's language."""
        return self.speech(template).format(**parts)

    def sentence(self, step: int) -> str:
        """A step of the run as a sentence."""
        return sentence(self.session, step, self.speech)

    def what(self, step: int) -> str:
        """The name of a frame, or what a call is for, by the event that sent or brought it."""
        event = self.session.event(step)
        if isinstance(event, events.CallIssued):  # drawings have shorter words for files
            return str(self.session.diagram.words.asked(event.request)[0])
        label = self.session.diagram.row(step).label
        return label.removeprefix("sends ")

    def deed(self, event: Event) -> str:
        """What a host did: ``it sends S: task.ack``; "" for what nobody else sees."""
        what = self.what(event.n)
        match event:
            case events.FrameSent():
                return self.says("it sends {to}: {what}", to=event.receiver, what=what)
            case events.CallIssued():
                return self.says("it asks {to}: {what}", to=event.callee, what=what)
        return ""

    def is_dealt_with(self, call: int, step: int) -> bool:
        """Whether a call has come to its callee, so that only its answer is under way."""
        return any(
            isinstance(event, events.CallApplied) and event.call == call and event.n <= step
            for event in self.behind(call)
        )

    def arrival(self, sent: int, flight: Flight, step: int = -1) -> str:
        """Something that is, or will be, under way after a step, as what may happen next."""
        if not flight.link and step >= 0 and self.is_dealt_with(sent, step):
            return self.says(
                "{source} hears from {target} about its {what}",
                what=self.what(sent), source=flight.source, target=flight.target,
            )  # fmt: skip
        return self.says(
            "{what} from {source} arrives at {target}",
            what=self.what(sent), source=flight.source, target=flight.target,
        )  # fmt: skip
