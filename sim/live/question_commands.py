"""What can be done to a served OpenCode and Telegram: agents, people, network and machines."""

from __future__ import annotations

from typing import Any

import attrs
import msgspec

from sim.channel.api import ChannelFault, Press, Remove, Reword, Say
from sim.channel.history import ShownMessage
from sim.core.errors import UsageError
from sim.live.commands import EVENT_OUTCOMES, MOST_TIMES, Did, Machines, Table
from sim.live.control import ControlError
from sim.live.meaning import DAY_S, Meaning, one_of, within
from sim.live.orders import OfHost, Sleep
from sim.live.question_house import QuestionHouse
from sim.live.question_orders import (
    ActOn,
    AnswerAtDesk,
    AskQuestion,
    CallTool,
    CloseAtDesk,
    HttpFault,
    OnTelegram,
    PressKey,
    RemoveText,
    ReplyText,
    RewordText,
    TelegramFault,
    WriteText,
)
from sim.protocols.question import acts
from sim.protocols.question.constants import VISITOR
from sim.protocols.question.telegram.people import DIRECT
from sim.scenario.playing.directing import CHANNEL_OUTCOMES
from sim.scenario.playing.match import Names
from sim.scenario.playing.stage import NotYet
from sim.scenario.syntax import Act, Arrow, Name
from sim.world import http_fault

OPS = ("post", "edit", "delete", "answer", "poll", "me", "*", "event")


class QuestionMeaning(Meaning):
    """Looks words up in a served question world."""

    house: QuestionHouse

    def person(self, wanted: str) -> str:
        """A person; "" is the first one."""
        known = self.house.cast.persons
        return one_of("person", wanted or known[0], known)

    def channel(self, wanted: str) -> str:
        """The one channel."""
        telegram = self.house.cast.telegram
        return one_of("channel", wanted or telegram, (telegram,))

    def messages(self) -> dict[str, ShownMessage]:
        """What stands, or has stood, on Telegram, by id."""
        return {one.id: one for one in self.house.stage.history.messages.values()}

    def message(self, wanted: str) -> str:
        """A message."""
        return one_of("message", wanted, self.messages())

    def buttons(self) -> list[str]:
        """All that can be pressed."""
        shown = self.messages().values()
        return list(dict.fromkeys(button.label for one in shown for button in one.buttons))

    def request(self, wanted: str) -> str:
        """A question by requestID or callID; "" is the newest that is open."""
        ledger = self.house.stage.ledger
        if not wanted:
            link = ledger.open_one()
            if link is None:
                raise ControlError("no question is open", status=409, allowed=["/ask"])
            return link.name
        known = [name for link in ledger.links for name in (link.request, link.call) if name]
        return one_of("question", wanted, known)


class QuestionCommands(Machines):
    """The commands, each a method."""

    house: QuestionHouse
    mean: QuestionMeaning

    def __init__(self, house: QuestionHouse) -> None:
        super().__init__(house)
        self.cast = house.cast
        self.mean = QuestionMeaning(house)

    # -- people on Telegram ------------------------------------------------------------------

    def message(self, c: WriteText) -> Did:
        """Somebody writes."""
        chats = ("", DIRECT, *self.cast.telegram_plan().groups, self.cast.telegram_plan().chat)
        if not c.chat.startswith("@"):
            one_of("chat", c.chat, chats)
        person = self._who(c)
        return self._act(person, Say(person, c.text, chat=c.chat))

    def reply(self, c: ReplyText) -> Did:
        """Somebody replies."""
        person = self._who(c)
        if not c.message:
            return self._does(person, Act(0, 0, "reply", text=c.text))
        message = self.mean.message(c.message)
        return self._act(person, Say(person, c.text, reply_to=message))

    def press(self, c: PressKey) -> Did:
        """Somebody presses a button."""
        person, word = self._who(c), c.button or None
        if not c.message:
            return self._does(person, Act(0, 0, "press", word=word))
        message = self.mean.message(c.message)
        if ":" in c.button:  # data, which need not be that of any button
            return self._press(Press(person, message, c.button))
        return self._does(person, Act(0, 0, "press", word=word, name=Name(message)))

    def reword(self, c: RewordText) -> Did:
        """Somebody changes what they wrote."""
        person = self._who(c)
        return self._act(person, Reword(person, self.mean.message(c.message), c.text))

    def delete(self, c: RemoveText) -> Did:
        """Somebody deletes a message."""
        person = self._who(c)
        return self._act(person, Remove(person, self.mean.message(c.message)))

    def _who(self, c: OnTelegram) -> str:
        self.mean.channel(c.channel)
        return self.mean.person(c.person)

    def _does(self, person: str, act: Act) -> Did:
        arrow = Arrow(0, 0, person, self.cast.telegram, False, act, act.verb)
        names = Names()
        if act.name is not None:
            names.bind({act.name.text: act.name.text})
        done = attrs.evolve(self.house.stage.people, names=names).does(arrow, act)
        if isinstance(done, NotYet):
            told = f"{person} cannot {act.verb}: {done.why}"
            raise ControlError(told, status=409, allowed=self.mean.buttons())
        return self._press(done.act) if isinstance(done.act, Press) else self._act(person, done.act)

    def _press(self, press: Press) -> Did:
        """By the button's label: in another run the data is another."""
        return self._act(press.person, msgspec.structs.replace(press, button=self._label(press)))

    def _label(self, press: Press) -> str:
        """What stands on a button; its data where several have that label."""
        looks = self.mean.messages()[press.message].versions
        buttons = next((one.buttons for one in reversed(looks) if one.buttons), ())
        label = next((one.label for one in buttons if one.id == press.button), press.button)
        return label if [one.label for one in buttons].count(label) == 1 else press.button

    # -- agents and the desk -----------------------------------------------------------------

    def ask(self, c: AskQuestion) -> Did:
        """An agent asks."""
        within("listed_after_s", c.listed_after_s, 0, DAY_S)
        if not c.options or any(not one for one in c.options):
            raise ControlError("options are one text or more, none of them empty")
        given = {name: getattr(c, name) for name in c.__struct_fields__ if name != "listed_after_s"}
        return self._act(
            self.cast.opencode, acts.Ask(**given, listed_after_ms=round(c.listed_after_s * 1_000))
        )

    def tool(self, c: CallTool) -> Did:
        """An agent calls a tool."""
        return self._act(
            self.cast.opencode, acts.RunTool(c.session, c.tool, c.call, c.directory, c.args)
        )

    def answer(self, c: AnswerAtDesk) -> Did:
        """Somebody answers at the desk."""
        request = self.mean.request(c.request)
        return self._act(self.cast.opencode, acts.AnswerHere(request, c.answers))

    def dismiss(self, c: CloseAtDesk) -> Did:
        """Somebody dismisses a question at the desk."""
        return self._act(self.cast.opencode, acts.DismissHere(self.mean.request(c.request)))

    def abort(self, c: CloseAtDesk) -> Did:
        """A session is interrupted."""
        return self._act(self.cast.opencode, acts.AbortTool(self.mean.request(c.request)))

    def act(self, c: ActOn) -> Did:
        """Anything else that a host can be told."""
        host = self.mean.host(c.host)
        if host in self.cast.outsiders() or host == VISITOR:
            raise ControlError(f"{host} is an outside program: do it there", status=409)
        try:
            made = self.house.stage.read_act(host, c.act)
        except UsageError as error:
            raise ControlError(str(error)) from None
        return self._act(host, made)

    # -- what goes wrong ---------------------------------------------------------------------

    def http(self, c: HttpFault) -> Did:
        """The next requests meet with a fault."""
        servers = (self.cast.opencode, self.cast.telegram)
        to = one_of("server", c.to, servers)
        callers = (*self.cast.listeners, self.cast.hook, VISITOR)
        caller = one_of("caller", c.caller or callers[0], callers)
        if not http_fault.is_outcome(c.outcome):
            raise ControlError(f"no outcome is called {c.outcome!r}", allowed=http_fault.MENU)
        within("times", c.times, 1, MOST_TIMES)
        word = self._word(c.request)
        return self._now(
            lambda: http_fault.strike_next(self.world, caller, to, word, c.outcome, c.times)
        )

    def _word(self, request: str) -> str:
        if request == http_fault.ANY:
            return request
        word = self.cast.http_word(request)
        if not word.partition(":")[2].startswith("/"):
            allowed = ["*", "GET /question", "POST /question/*/reply", "sendMessage", "getUpdates"]
            raise ControlError(f"no request is called {request!r}", allowed=allowed)
        return word

    def fault(self, c: TelegramFault) -> Did:
        """Telegram misbehaves."""
        self.mean.channel(c.channel)
        outcomes = {**CHANNEL_OUTCOMES, **{word: word for word in EVENT_OUTCOMES}}
        outcome = outcomes[one_of("outcome", c.outcome, tuple(outcomes))]
        within("for_s", c.for_s, 0, DAY_S)
        op = one_of("op", c.op, OPS)
        act = ChannelFault(op, outcome, round(c.for_s * 1_000_000), c.always, c.chat)
        return self._act(self.cast.telegram, act)


def question_table(house: QuestionHouse) -> Table:
    """What can be done in a served question world."""
    do = QuestionCommands(house)
    return {
        "/ask": (AskQuestion, do.ask),
        "/tool": (CallTool, do.tool),
        "/answer": (AnswerAtDesk, do.answer),
        "/dismiss": (CloseAtDesk, do.dismiss),
        "/abort": (CloseAtDesk, do.abort),
        "/press": (PressKey, do.press),
        "/reply": (ReplyText, do.reply),
        "/message": (WriteText, do.message),
        "/reword": (RewordText, do.reword),
        "/delete": (RemoveText, do.delete),
        "/http": (HttpFault, do.http),
        "/fault": (TelegramFault, do.fault),
        "/act": (ActOn, do.act),
        "/crash": (OfHost, do.crash),
        "/restart": (OfHost, do.restart),
        "/sleep": (Sleep, do.sleep),
    }


def questions_of(house: QuestionHouse) -> list[dict[str, Any]]:
    """All questions of the session: their ids, how they stand, what came of them."""
    return [
        {
            "session": link.session,
            "call": link.call,
            "request": link.request,
            "options": msgspec.to_builtins(link.options),
            "state": link.state,
            "output": link.output,
        }
        for link in house.stage.ledger.links
    ]
