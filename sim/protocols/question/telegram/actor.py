"""Telegram as a host: the Bot API over HTTP on one side, people on the other.

A bot asks ``GET`` or ``POST /bot<token>/METHOD`` with its parameters in the query or the
JSON body (``HttpRequest``). People act on it through :mod:`sim.channel.api` (``Say``,
``Press``, ``Reword``, ``Remove``), by ``Call`` of a person's host or as the scenario's act.
What readers see of all that is in notes that ``sim.channel.history`` reads; a press is
noted as ``pressed``, with the event that the bot is told of.

``ChannelFault`` directs what it does wrong: ops ``post`` (sendMessage), ``edit`` (both
edits), ``delete``, ``answer`` (answerCallbackQuery), ``poll`` (getUpdates), ``me``
(getMe), ``*`` (all that write; an outage concerns polls, too), ``event`` (updates).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from sim.channel.api import ChannelFault, Press, Remove, Reword, Say
from sim.channel.faults import EVENT, Faults
from sim.core.actor import Actor, Port
from sim.core.http import HttpRequest, HttpResponse
from sim.core.op import NO_ANSWER, Note, Sleep, Spawn, Wait, Wake
from sim.protocols.question.telegram import objects, refusals
from sim.protocols.question.telegram.parameters import Parameters
from sim.protocols.question.telegram.people import Doing
from sim.protocols.question.telegram.plan import BotApiPlan
from sim.protocols.question.telegram.refusals import Refusal
from sim.protocols.question.telegram.standing import put_standing
from sim.protocols.question.telegram.state import Bot, Delivery, Outcome, State
from sim.protocols.question.telegram.updates import LONGEST_POLL_S, MOST, Update
from sim.protocols.question.telegram.writing import Writing

LATE_US: Final = 10_000_000
AGAIN_US: Final = 1_000_000
GET_UPDATES: Final = "getupdates"
NEWS: Final = "news"
CONFLICT: Final = "conflict"

_WRITES: Final[Mapping[str, tuple[str, Callable[[Writing], Outcome]]]] = MappingProxyType(
    {
        "sendmessage": ("post", Writing.send),
        "editmessagetext": ("edit", Writing.edit_text),
        "editmessagereplymarkup": ("edit", Writing.edit_markup),
        "deletemessage": ("delete", Writing.delete),
        "answercallbackquery": ("answer", Writing.answer),
    }
)
_READS: Final = ("getme", "deletewebhook", "getwebhookinfo")


class BotApi(Actor):
    """Telegram with the bots, chats and people of a plan.

    One deed is one step: nothing happens between a change and the note that tells it.
    ``state``: what it knows already, from an earlier life; None: it begins.
    """

    __slots__ = ("_held", "_polls", "faults", "state")

    ONE_AT_A_TIME = True

    def __init__(self, port: Port, plan: BotApiPlan, state: State | None = None) -> None:
        super().__init__(port)
        self.state = State(plan) if state is None else state
        self.faults = Faults()
        self._held: list[Delivery] = []
        self._polls = 0

    async def on_start(self) -> None:
        if self.port.epoch > 1:
            for bot in self.state.bots:
                bot.inbox.pollers.clear()  # their calls went down with the last life
        else:
            await self._tell(put_standing(self.state, self._date_s()))

    async def on_call(self, caller: str, request: Any) -> Any:
        if type(request) is not HttpRequest:
            return await self._person_does(request)
        try:
            return await self._method(caller, request)
        except Refusal as refusal:
            return refusal.response()

    async def on_act(self, act: Any) -> None:
        if type(act) is ChannelFault:
            self.faults.add(act, self.port.now_us())
        else:
            await self._person_does(act)

    def _date_s(self) -> int:
        return self.port.now_ms() // 1000

    async def _tell(self, notes: Any) -> None:
        for what, data in notes:
            await self.perform(Note(what, data))

    # -- bots ----------------------------------------------------------------------------

    async def _method(self, caller: str, request: HttpRequest) -> Any:
        bot, method = self._route(request.path)
        asked = Parameters(request)
        if method == GET_UPDATES:
            lost = await self._misled("poll", "")
            found = await self._get_updates(bot, asked)
            return NO_ANSWER if lost else _ok(found)
        if method in _READS:
            lost = await self._misled("me", "")
            return NO_ANSWER if lost else _ok(self._read(bot, method))
        op, deed = _WRITES[method]
        lost = await self._misled(op, asked.text("chat_id"))
        done = deed(Writing(self.state, bot, asked, caller, self.port.now_us(), self._date_s()))
        await self._tell(done.notes)
        return NO_ANSWER if lost else _ok(done.result)

    def _route(self, path: str) -> tuple[Bot, str]:
        token, slash, method = path.removeprefix("/bot").partition("/")
        bot = self.state.bot_of(token)
        if not path.startswith("/bot") or not slash:
            raise Refusal(404, refusals.NOT_FOUND)
        if bot is None:
            raise Refusal(401, refusals.UNAUTHORIZED)
        name = method.lower()
        if name not in (GET_UPDATES, *_READS, *_WRITES):
            raise Refusal(404, refusals.NOT_FOUND)
        return bot, name

    async def _misled(self, op: str, chat: str) -> bool:
        """What a scenario wants of this call. → whether its answer gets lost."""
        named = op in ("poll", "me")
        fault = self.faults.take(op, chat, self.port.now_us(), named)
        if fault is None:
            return False
        if fault.outcome == "latency":
            await self.perform(Sleep(fault.for_us))
            return False
        if fault.outcome == "unknown":
            return True
        raise refusals.directed(fault, op)

    def _read(self, bot: Bot, method: str) -> Any:
        if method == "getme":
            hears_all = bot.account.privacy == "off"
            return {**objects.bot_user(bot), "can_read_all_group_messages": hears_all}
        return True if method == "deletewebhook" else {"url": "", "pending_update_count": 0}

    # -- updates -------------------------------------------------------------------------

    async def _get_updates(self, bot: Bot, asked: Parameters) -> list[dict[str, Any]]:
        """Those that are there; else whatever comes within ``timeout`` seconds."""
        inbox = bot.inbox
        inbox.listen(asked.structure("allowed_updates"))
        inbox.confirm(asked.number("offset", 0))
        limit = asked.number("limit", MOST)
        timeout_s = min(max(asked.number("timeout", 0), 0), LONGEST_POLL_S)
        if self.state.plan.conflicts:
            await self._wake(bot, CONFLICT)
        found = inbox.take(limit, self.port.now_us())
        if found or not timeout_s:
            return found
        self._polls += 1
        key = f"{bot.name} poll {self._polls}"
        inbox.pollers.append(key)
        word = await self.perform(Wait(key, timeout_s * 1_000_000))
        if key in inbox.pollers:
            inbox.pollers.remove(key)
        if word == CONFLICT:
            raise Refusal(409, refusals.CONFLICT)
        return inbox.take(limit, self.port.now_us())

    async def _wake(self, bot: Bot, word: str) -> None:
        """All calls that wait for this bot's updates go on."""
        pollers, bot.inbox.pollers = bot.inbox.pollers, []
        for key in pollers:
            await self.perform(Wake(key, word))

    # -- people --------------------------------------------------------------------------

    async def _person_does(self, act: Any) -> Any:
        doing = Doing(self.state, self.port.now_us(), self._date_s())
        if type(act) is Say:
            outcome, told = doing.say(act)
        elif type(act) is Press:
            outcome, told = doing.press(act)
        elif type(act) is Reword:
            outcome, told = doing.reword(act)
        elif type(act) is Remove:
            outcome, told = doing.remove(act)
        else:
            raise LookupError(f"{self.port.name} has no API for {act!r}")
        await self._tell(outcome.notes)
        for delivery in told:
            await self._deliver(delivery)
        return outcome.result

    async def _deliver(self, delivery: Delivery) -> None:
        fault = self.faults.take(EVENT, delivery.chat, self.port.now_us())
        if fault is None:
            await self._arrive(delivery)
        elif fault.outcome == "repeated":
            update = await self._arrive(delivery)
            if update is not None:
                run = self._again(delivery.bot, update, fault.for_us or AGAIN_US)
                await self.perform(Spawn(f"update {update.id} again", run))
        else:
            if fault.outcome == "reordered":
                self._held.append(delivery)
            await self.perform(Spawn("late update", self._late(delivery, fault)))

    async def _arrive(self, delivery: Delivery) -> Update | None:
        """The bot can be told now, and of what this has overtaken, too."""
        inbox = delivery.bot.inbox
        update = inbox.add(delivery.kind, delivery.content, self.port.now_us())
        held, self._held = self._held, []
        for one in held:
            one.bot.inbox.add(one.kind, one.content, self.port.now_us())
        for bot in dict.fromkeys(one.bot for one in (delivery, *held)):
            await self._wake(bot, NEWS)
        return update

    async def _late(self, delivery: Delivery, fault: ChannelFault) -> None:
        reordered = fault.outcome == "reordered"
        await self.perform(Sleep(fault.for_us or LATE_US))
        if reordered and delivery not in self._held:
            return
        self._held = [one for one in self._held if one is not delivery]
        await self._arrive(delivery)

    async def _again(self, bot: Bot, update: Update, after_us: int) -> None:
        await self.perform(Sleep(after_us))
        bot.inbox.repeat(update)
        await self._wake(bot, NEWS)


def _ok(result: Any) -> HttpResponse:
    return HttpResponse(200, {"ok": True, "result": result})
