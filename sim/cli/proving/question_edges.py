"""Short stories of a question bridge that hardly any storm has: exact times, rare orders.

Each is a function that lets things happen to a world whose ways take constant times. A
mutant that needs one names it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sim.channel.api import Press, Say
from sim.cli.proving.gale import SECOND_US
from sim.cli.proving.question_deeds import FIRST, TTL_MS
from sim.cli.proving.question_storm import QuestionStorm, Weather
from sim.core.invariant import Monitor
from sim.drivers.step import StepDriver
from sim.protocols.question import acts
from sim.protocols.question.constants import HOOK, OPENCODE, STORE, TELEGRAM
from sim.world import fault, http_fault

WAY_US: Final = 50_000
REPLY: Final = "POST:/question/*/reply"
TOAST: Final = "POST:/bottoken-A/answerCallbackQuery"

Story = Callable[["EdgeStorm"], None]


class EdgeStorm(QuestionStorm):
    """A world in which one story happens; from and to Telegram everything takes 50 ms."""

    def __init__(self, story: Story, **how: Any) -> None:
        weather = Weather(deeds=0, elsewhere=story is pressed_elsewhere)
        super().__init__(1, weather=weather, **how)
        self.story = story
        self.driver = StepDriver(self.world)
        for name in (HOOK, FIRST):
            self.world.latencies[name, TELEGRAM] = (WAY_US, WAY_US)
            self.world.latencies[TELEGRAM, name] = (WAY_US, WAY_US)

    def run(self) -> Monitor:
        """Play it to the end."""
        for name in self.world.hosts:
            self.world.boot(name)
        self.wait(2)
        self.story(self)
        self.wait(60)
        self.monitor.finish(len(self.world.events) - 1)
        self.world.close()
        return self.monitor

    def wait(self, seconds: float) -> None:
        """Time passes."""
        self.driver.run(limit_us=self.world.now + round(seconds * SECOND_US))

    def ask(self, **ask: Any) -> str:
        """An agent asks. → the entry's uniqueId."""
        self.world.act(OPENCODE, acts.Ask("ses_1", **ask))
        self.wait(1)
        return next(reversed([one.id for one in self.view.attempts.entries()]), "")

    def press(self, data: str, message: int = 0) -> None:
        """Alice presses a button."""
        self.world.act(TELEGRAM, Press("Alice", str(message or ""), data))

    def ages(self, id: str, age_ms: int, **fields: Any) -> None:
        """An entry gets that age."""
        entry = self.view.attempts.entry(id)
        known = {} if entry is None else dict(entry.fields)
        known.pop("timestamp", None)
        self.world.act(STORE, acts.PutEntry(id, {**known, **fields}, age_ms))

    def strike(self, callee: str, word: str, outcome: str, caller: str = FIRST) -> None:
        """What becomes of the next such call."""
        http_fault.strike_next(self.world, caller, callee, word, outcome)


def pressed_at_the_edge(edge: EdgeStorm) -> None:
    """A press is handled when its question is 30:00.000 old."""
    id = edge.ask()
    edge.ages(id, TTL_MS - WAY_US // 1_000)
    edge.press(f"qopt:{id}:0")


def store_breaks_before_the_late_write(edge: EdgeStorm) -> None:
    """The store is broken and put aside while the hook still waits for its message's id."""
    edge.world.latencies[TELEGRAM, HOOK] = (2 * SECOND_US, 2 * SECOND_US)
    id = edge.ask()
    edge.world.act(STORE, acts.BreakStore())
    edge.press(f"qopt:{id}:0")


def lock_of_the_living(edge: EdgeStorm) -> None:
    """A process that lives keeps the lock."""
    id = edge.ask()
    edge.world.act(STORE, acts.LeaveLock(owner=f"{FIRST}#1"))
    edge.press(f"qopt:{id}:0")


def handled_across_the_edge(edge: EdgeStorm) -> None:
    """A handler that began in time still looks for its question when that gets too old."""
    id = edge.ask(listed_after_ms=30_000)
    edge.ages(id, TTL_MS - 2_000)
    edge.press(f"qopt:{id}:0")
    edge.wait(4)
    edge.world.act(TELEGRAM, Say("Bob", "good morning"))


def garbage_in_the_store(edge: EdgeStorm) -> None:
    """The file is garbage when an agent asks."""
    edge.ask()
    edge.world.act(STORE, acts.BreakStore())
    edge.wait(0.01)
    edge.ask()


def desk_between_list_and_reply(edge: EdgeStorm) -> None:
    """The desk answers while the reply is on its way."""
    id = edge.ask(request="que_9")
    edge.strike(OPENCODE, REPLY, "1000000us")
    edge.press(f"qopt:{id}:0")
    edge.wait(0.5)
    edge.world.act(OPENCODE, acts.AnswerHere("que_9", (("B",),)))


def toast_comes_too_late(edge: EdgeStorm) -> None:
    """Telegram refuses the toast of an answer that was taken."""
    id = edge.ask()
    edge.strike(TELEGRAM, TOAST, "400")
    edge.press(f"qopt:{id}:0")


def response_is_lost(edge: EdgeStorm) -> None:
    """A reply is applied, its response lost; a newer question asks the same; pressed again."""
    id = edge.ask(names_call=False)
    edge.strike(OPENCODE, REPLY, "broken")
    edge.press(f"qopt:{id}:0")
    edge.wait(2)
    edge.ask(names_call=False)
    edge.press(f"qopt:{id}:0")


def option_is_gone(edge: EdgeStorm) -> None:
    """Somebody presses an option that the entry does not have."""
    id = edge.ask()
    edge.ages(id, 1_000, options=[{"label": "A", "value": "A"}])
    edge.press(f"qopt:{id}:1")


def listener_dies_with_a_claim(edge: EdgeStorm) -> None:
    """A listener dies while it looks for a question, and comes back."""
    id = edge.ask(listed_after_ms=60_000)
    edge.press(f"qopt:{id}:0")
    edge.wait(2)
    fault.crash(edge.world, FIRST)
    edge.wait(1)
    fault.restart(edge.world, FIRST)
    edge.wait(2)
    edge.press(f"qopt:{id}:1")


def desk_answers_a_known_question(edge: EdgeStorm) -> None:
    """A reply fails; the desk answers; pressed again."""
    id = edge.ask(request="que_9")
    edge.strike(OPENCODE, REPLY, "500")
    edge.press(f"qopt:{id}:0")
    edge.wait(2)
    edge.world.act(OPENCODE, acts.AnswerHere("que_9", (("B",),)))
    edge.press(f"qopt:{id}:0")


def pressed_elsewhere(edge: EdgeStorm) -> None:
    """The question's message is in another group than the listener's."""
    id = edge.ask()
    edge.press(f"qopt:{id}:0")


def item_without_tool(edge: EdgeStorm) -> None:
    """The list has a question that names no call."""
    id = edge.ask(shows_tool=False)
    edge.press(f"qopt:{id}:0")


STORIES: Final[dict[str, Story]] = {
    one.__name__.replace("_", "-"): one
    for one in (
        pressed_at_the_edge,
        store_breaks_before_the_late_write,
        lock_of_the_living,
        handled_across_the_edge,
        garbage_in_the_store,
        desk_between_list_and_reply,
        toast_comes_too_late,
        response_is_lost,
        option_is_gone,
        listener_dies_with_a_claim,
        desk_answers_a_known_question,
        pressed_elsewhere,
        item_without_tool,
    )
}
"""By the names that mutants need."""
