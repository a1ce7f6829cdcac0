"""Lessons for newcomers: a scenario, a text, and goals that must come true in the run.

A lesson is finished when its goals hold, never by clicking through. Goals ask the
run and the cursor; nothing here draws.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from sim.core import event as events
from tui.session import Deed, Session

Holds = Callable[[Session, int], bool]


@attrs.frozen
class Goal:
    """What the reader shall bring about. ``key`` is the key to press."""

    text: str
    key: str
    holds: Holds


@attrs.frozen
class Question:
    """Asked at the end; ``right`` is the place of the right answer."""

    text: str
    answers: tuple[str, ...]
    right: int


@attrs.frozen
class Lesson:
    """One lesson. ``lanes`` are the kinds of hosts that matter; ``deed`` is what x does."""

    id: str
    title: str
    scenario: str
    read: tuple[str, ...]
    words: tuple[tuple[str, str], ...]
    goals: tuple[Goal, ...]
    question: Question
    hint: str
    lanes: tuple[str, ...] = ("slack", "server", "desktop")
    without: tuple[str, ...] = ()
    deed: Callable[[Session, int], Deed | None] = lambda session, step: None


def reached(type_name: str, nth: int = 1) -> Holds:
    """The cursor is at, or behind, the nth arrival of a frame of this type."""

    def holds(session: Session, step: int) -> bool:
        seen = 0
        for n in range(min(step + 1, session.count)):
            event = session.event(n)
            seen += isinstance(event, events.FrameDelivered) and event.type == type_name
        return seen >= nth

    return holds


def waits(kind: str, what: str = "") -> Holds:
    """A handler of such a host is in an await gap at the cursor."""

    def holds(session: Session, step: int) -> bool:
        scene = session.scene(step)
        hosts = [name for name, one in session.lanes() if one == kind]
        return scene is not None and any(
            scene.calls[n].what.startswith(what) for host in hosts for n in scene.waits(host)
        )

    return holds


def shown(state: str) -> Holds:
    """Some message of a channel has this state at the cursor."""

    def holds(session: Session, step: int) -> bool:
        return session.know(step) and any(
            one.now.state == state for one in session.chronicle.messages(step)
        )

    return holds


def done(verb: str) -> Holds:
    """The reader did this to the run, and the cursor has come to it."""

    def holds(session: Session, step: int) -> bool:
        return any(deed.fault.startswith(verb) for deed in session.deeds)

    return holds


def broken(session: Session, step: int) -> bool:
    """The cursor is where an invariant breaks, or behind."""
    return any(violation.step <= step for violation in session.violations)


def generation(number: int) -> Holds:
    """A connection of this generation is open at the cursor."""

    def holds(session: Session, step: int) -> bool:
        scene = session.scene(step)
        return scene is not None and any(name.endswith(f"#{number}") for name in scene.links)

    return holds


def cut(how: str) -> Callable[[Session, int], Deed | None]:
    """Cut the connection that is open at the cursor."""

    def deed(session: Session, step: int) -> Deed | None:
        scene = session.scene(step)
        for name in () if scene is None else reversed(list(scene.links)):
            return Deed(step, f"cut {name} {how}", fault=f"cut {name} {how}")
        return None

    return deed


LESSONS: tuple[Lesson, ...] = (
    Lesson(
        "way",
        "The way of a message",
        "typical",
        (
            "A person writes in a chat. The chat channel tells our server. The server gives the "
            "task to the person's desktop, where an agent works on it.",
            "Every row is one step. An arrow ─▶ is a frame on the WebSocket between server and "
            "desktop, ╌▶ is a call to the channel. Press n for the next step, N to go back.",
        ),
        (
            ("frame", "one JSON message on the WebSocket"),
            ("dispatch", "the server gives a task to a desktop"),
            ("ack", "the desktop says that it has it"),
        ),
        (
            Goal("step to the task.dispatch", "n", reached("task.dispatch")),
            Goal("see the desktop's answer", "n", reached("task.ack")),
            Goal("see the end of the turn", "n", reached("turn.end")),
            Goal("see the message become OK", "n", shown("OK")),
        ),
        Question(
            "Who edits the message in the channel?",
            ("the desktop", "the server", "the channel by itself"),
            1,
        ),
        "The turn.end goes from the desktop to the server. What does the server do next?",
    ),
    Lesson(
        "hello",
        "Hello and welcome",
        "typical",
        (
            "A connection carries nothing before both sides have spoken: the desktop says hello, "
            "with all that it can do; the server answers welcome, with all that it can do.",
            "What neither side announced must not be used. So old and new versions can work "
            "together. Press 2 to see the frames with all their fields, 7 to come back.",
        ),
        (
            ("feature", "a word that a side announces: I can do this"),
            ("READY", "the state in which a connection carries business"),
        ),
        (
            Goal("step to the hello", "n", reached("hello")),
            Goal("step to the welcome", "n", reached("welcome")),
        ),
        Question(
            "The server sends task.dispatch before its welcome. Is that legal?",
            ("yes, if the desktop is bound", "no, only READY carries business"),
            1,
        ),
        "Look at 'legal here?' on the Frames screen.",
        ("server", "desktop"),
    ),
    Lesson(
        "cut",
        "A connection dies",
        "typical",
        (
            "A laptop's lid closes, a tunnel has no net: connections die all the time, and "
            "nothing of the protocol may depend on the moment.",
            "Go to where the desktop works on the task and press x: it cuts the connection, as a "
            "branch. The old run is kept (^b). Watch the desktop come back: its next connection "
            "has a higher generation, and what was not confirmed is sent again.",
        ),
        (
            ("generation", "how many times this connection has been made: the number behind #"),
            ("branch", "a run that you changed; the run before is kept"),
        ),
        (
            Goal("step to the task.ack", "n", reached("task.ack")),
            Goal("cut the connection", "x", done("cut")),
            Goal("wait until the desktop is back", "n", generation(2)),
            Goal("see that the task ends all the same", "n", shown("OK")),
        ),
        Question(
            "What does the server do with a task whose end it has not seen?",
            ("it gives up", "it dispatches it again after the welcome", "it asks the person"),
            1,
        ),
        "Step on after the cut: hello, welcome, and what comes right behind it?",
        deed=cut("rst"),
    ),
    Lesson(
        "gap",
        "The gap in an await",
        "reopen-teardown",
        (
            "While a program waits, the world moves.",
            "The server asks Slack to edit the message, and waits for the answer. That wait is "
            "the dotted line ┊ on the server's lane. Nothing stops other handlers from running "
            "during the wait.",
            "Here a rule is off: the server does not look again who owns the message before it "
            "writes. Step until the connection is cut while an edit is under way, and on.",
        ),
        (
            ("gap", "the time between asking and hearing back"),
            ("owner", "the connection that may change a message"),
            ("close-out", "the server writes 'interrupted' when a connection dies"),
        ),
        (
            Goal("step to a dotted line", "n", waits("server", "edit")),
            Goal("see the second connection", "n", generation(2)),
            Goal("step to where the invariant breaks", "]", broken),
        ),
        Question(
            "What went wrong?",
            (
                "Slack lost the edit",
                "the desktop connected too soon",
                "the server wrote on behalf of a round that was not the owner any more",
            ),
            2,
        ),
        "Press 3: who owned the message, and who wrote it last?",
        without=("ownership-at-write",),
    ),
    Lesson(
        "rule",
        "What the rule does",
        "reopen-teardown",
        (
            "The same schedule as in the last lesson, with the rule on: before each write the "
            "server asks again who owns the message, at the moment in which the write is issued.",
            "Go to the end and look at the channel (3). Then press 6: both runs side by side, "
            "equal up to the moment in which the rule matters.",
        ),
        (
            ("rule", "a behaviour that the document demands, and that can be switched off here"),
            ("≠", "where two runs begin to differ"),
        ),
        (
            Goal("see the second connection", "n", generation(2)),
            Goal("see the message become OK", "$", shown("OK")),
        ),
        Question(
            "Is it enough to look who owns the message before one asks Slack the first time?",
            ("yes", "no: the edit may wait behind a slow one, and the owner changes meanwhile"),
            1,
        ),
        "In lesson 4 the check had been made too, only too early.",
    ),
)
"""In order."""


@attrs.define(eq=False)
class Progress:
    """How far somebody is in a lesson. Goals stay ticked once they held."""

    lesson: Lesson
    held: list[bool] = attrs.field(factory=list)
    answered: bool = False

    def __attrs_post_init__(self) -> None:
        self.held = [False] * len(self.lesson.goals)

    def look(self, session: Session, step: int) -> None:
        """Tick what holds now; a goal only after the one before it."""
        for place, goal in enumerate(self.lesson.goals):
            if self.held[place]:
                continue
            if not goal.holds(session, step):
                return
            self.held[place] = True

    @property
    def asks(self) -> bool:
        """Whether only the question is left."""
        return all(self.held) and not self.answered

    @property
    def finished(self) -> bool:
        return all(self.held) and self.answered

    def answer(self, place: int) -> bool:
        """Whether the answer is right."""
        self.answered = self.answered or place == self.lesson.question.right
        return place == self.lesson.question.right
