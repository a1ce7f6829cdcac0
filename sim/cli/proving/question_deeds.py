"""What agents, people, the network and the disk do in a storm around a question bridge."""

from __future__ import annotations

from typing import Any, Final

from sim.channel.api import Press, Say
from sim.cli.proving.draw import Draw
from sim.core.event import Event
from sim.core.http import HttpResponse
from sim.protocols.question import acts
from sim.protocols.question.constants import HOOK, OPENCODE, STORE, TELEGRAM
from sim.protocols.question.oracles.oracle import buttons_of, forces_reply
from sim.protocols.question.view import QuestionView
from sim.protocols.question.view_calls import CallView, result_of
from sim.world import http_fault
from sim.world.world import World

FIRST: Final = "listener"
SECOND: Final = "listener-2"
PEOPLE: Final = ("Alice", "Alice", "Bob")
SESSIONS: Final = ("ses_1", "ses_1", "ses_2", "ses_3")
PROJECTS: Final = {"ses_1": "/proj", "ses_2": "/proj", "ses_3": "/other"}
OUTCOMES: Final = ("refused", "reset", "lost", "broken", "broken", "unanswered", "500", "404")
ROUTES: Final = (
    (FIRST, OPENCODE, "GET:/question"),
    (FIRST, OPENCODE, "POST:/question/*/reply"),
    (FIRST, OPENCODE, "POST:/question/*/reply"),
    (FIRST, OPENCODE, "POST:/question/*/reject"),
    (FIRST, TELEGRAM, "*"),
    (HOOK, TELEGRAM, "*"),
)
TTL_MS: Final = 1_800_000
SECOND_MS: Final = 1_000


class Deeds:
    """Each method is one deed. ``sent``: (message id, buttons) of what the bot has sent."""

    def __init__(self, world: World, draw: Draw, view: QuestionView, *, slow: bool = False) -> None:
        self.outcomes = ("60000000us", "lost") if slow else OUTCOMES
        self.world = world
        self.draw = draw
        self.view = view
        self.keyboards: list[tuple[int, list[str]]] = []
        self.prompts: list[int] = []
        self.written = 0
        for kind in view.kinds:
            world.watch(kind, self._look)

    def _look(self, event: Event) -> None:
        """What people see: messages that Telegram has taken."""
        for word, fact in self.view.news:
            if word == "applied" and fact.what == "sendMessage":
                self._shown(fact)

    def _shown(self, call: CallView) -> None:
        result: Any = result_of(call.reply)
        if not isinstance(call.reply, HttpResponse) or not isinstance(result, dict):
            return
        number = result["message_id"]
        buttons = [data for _, data in buttons_of(call.body)]
        if buttons:
            self.keyboards.append((number, buttons))
        elif forces_reply(call.body):
            self.prompts.append(number)

    # -- agents and the desk

    def asks(self) -> None:
        """An agent asks."""
        draw = self.draw
        session = draw.choice(SESSIONS)
        late = draw.choice((0, 0, 0, 200, 1_650, 4_000, 7_000))
        names = draw.below(8) > 0
        options = draw.choice((("A", "B"), ("A", "B"), ("yes", "no", "later"), ("go_on *now*",)))
        more = ({"question": "And?", "header": "", "options": []},) if not draw.below(12) else ()
        self.world.act(
            OPENCODE,
            acts.Ask(
                session,
                f"Question {len(self.keyboards)}?",
                options,
                directory=PROJECTS[session],
                multiple=not draw.below(15),
                more=more,
                listed_after_ms=late,
                names_call=names,
                shows_tool=draw.below(8) > 0,
            ),
        )

    def runs_a_tool(self) -> None:
        """An agent runs another tool."""
        session = self.draw.choice(SESSIONS)
        self.world.act(OPENCODE, acts.RunTool(session, "bash", args={"command": "ls"}))

    def at_the_desk(self) -> None:
        """Somebody answers, dismisses or interrupts at the terminal."""
        open_ones = [one.id for one in self.view.tools.values() if one.is_open]
        if not open_ones:
            return
        request, how = self.draw.choice(open_ones), self.draw.below(4)
        act: Any = acts.AnswerHere(request, (("A",),))
        if how == 0:
            act = acts.DismissHere(request)
        elif how == 1:
            act = acts.AbortTool(request)
        self.world.act(OPENCODE, act)

    # -- people

    def presses(self) -> None:
        """Somebody presses a button, mostly of a new message; perhaps twice."""
        if not self.keyboards:
            self.asks()
            return
        newest = self.keyboards[-4:] if self.draw.below(5) else self.keyboards
        number, buttons = self.draw.choice(newest)
        button = self.draw.choice(buttons)
        who = self.draw.choice(PEOPLE)
        self.world.act(TELEGRAM, Press(who, str(number), button))
        if not self.draw.below(6):
            again = self.draw.choice((button, self.draw.choice(buttons)))
            after = self.world.now + self.draw.below(400_000)
            self._later(after, Press(self.draw.choice(PEOPLE), str(number), again))

    def _later(self, at: int, act: Any) -> None:
        self.world.at(at, f"again {at} {self.written}", lambda: self.world.act(TELEGRAM, act))
        self.written += 1

    def writes(self) -> None:
        """Somebody presses a custom button, or writes: a reply, or plain text."""
        customs = [(number, data[-1]) for number, data in self.keyboards if data[-1:]]
        who = self.draw.choice(PEOPLE)
        if customs and self.draw.below(5) < 2:
            number, button = self.draw.choice(customs[-3:])
            self.world.act(TELEGRAM, Press(who, str(number), button))
            return
        self.written += 1
        to = ""
        if self.prompts and self.draw.below(5) < 3:
            to = str(self.draw.choice(self.prompts[-3:] if self.draw.below(4) else self.prompts))
        elif self.keyboards and not self.draw.below(5):
            to = str(self.draw.choice(self.keyboards)[0])
        self.world.act(TELEGRAM, Say(who, f"text {self.written}", reply_to=to))

    def oddly(self) -> None:
        """Somebody writes elsewhere, to somebody else, or an old key is pressed."""
        how = self.draw.below(5)
        self.written += 1
        text = f"text {self.written}"
        who = self.draw.choice(PEOPLE)
        if how == 0:
            self.world.act(TELEGRAM, Say(who, text, chat="direct"))
        elif how == 1:
            self.world.act(TELEGRAM, Say(who, f"@napsta_bot {text}"))
        elif how == 2:
            self.world.act(TELEGRAM, Say(who, f"/status {text}"))
        elif self.keyboards:
            number, buttons = self.draw.choice(self.keyboards)
            self.world.act(TELEGRAM, Press(who, str(number), self.draw.choice(buttons)))

    # -- the network, the disk, time

    def network(self) -> None:
        """The next call on some way goes wrong."""
        caller, callee, word = self.draw.choice(ROUTES)
        outcome = self.draw.choice((*self.outcomes, f"{self.draw.below(7_000_000)}us"))
        http_fault.strike_next(self.world, caller, callee, word, outcome)

    def disk(self) -> None:
        """The store's file is broken, locked, or the disk refuses for a second."""
        act: Any = self.draw.choice(
            (
                acts.BreakStore(),
                acts.TearNextWrite(),
                acts.LeaveLock(),
                acts.LeaveLock(age_ms=20_000),
                acts.LeaveLock(owner="hook#1"),
                acts.DenyStore(),
            )
        )
        self.world.act(STORE, act)
        if isinstance(act, acts.DenyStore):
            after = self.world.now + 1_000_000
            self.world.at(after, f"allow {after}", self.clear_up)

    def clear_up(self) -> None:
        """The disk works again."""
        self.world.act(STORE, acts.DenyStore(on=False))

    def time_flies(self) -> None:
        """An entry is nearly, or just, 30 minutes old."""
        entries = list(self.view.attempts.entries())
        idle = [one for one in entries if not one.claim and one.message and one.settled_at < 0]
        if not idle or any(store.lock for store in self.view.stores.values()):
            return
        entry = self.draw.choice(idle)
        fields = {name: value for name, value in entry.fields.items() if name != "timestamp"}
        age = TTL_MS + self.draw.choice((-20, -5, -2, -1, 0, 0, 1, 5)) * SECOND_MS
        self.world.act(STORE, acts.PutEntry(entry.id, fields, age))
