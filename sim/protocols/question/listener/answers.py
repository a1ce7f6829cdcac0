"""Texts: answers to a question that waits for one, or none of the bridge's business (§4.1)."""

from __future__ import annotations

from sim.protocols.question.listener import texts
from sim.protocols.question.listener.attempt import Answer
from sim.protocols.question.listener.desk import Desk
from sim.protocols.question.listener.handling import Handling, message_of
from sim.protocols.question.listener.jobs import Job, Lanes
from sim.protocols.question.listener.notices import tell, tell_failed
from sim.protocols.question.listener.routing import Answers, Nothing, Route, ToDeadPrompt, route
from sim.protocols.question.listener.updates import Said, addressed
from sim.protocols.question.store.trouble import StoreTrouble


class Texts:
    """What a listener does about a text."""

    __slots__ = ("_desk", "_handling", "_lanes")

    def __init__(self, desk: Desk, handling: Handling, lanes: Lanes) -> None:
        self._desk = desk
        self._handling = handling
        self._lanes = lanes

    def is_answer(self, said: Said) -> bool:
        """Whether a text can be an answer at all, whoever waits for one."""
        text, other_bot = addressed(said.text, self._desk.username)
        if not text or text.startswith("/"):
            return False
        return not other_bot or said.reply_to is not None

    async def lane(self, said: Said, own: str = "") -> str | None:
        """The lane in which a text has to wait its turn; None: it is nobody's business.

        Raises StoreTrouble.
        """
        found = await self._route(said)
        if isinstance(found, Answers) and found.surely:
            return found.unique_id
        # In an older press's lane a newer one could overtake it, and take its question away.
        since = found.since if isinstance(found, Answers) else -1
        before = self._lanes.lane_before(said, own, since)
        if before:
            return before
        if isinstance(found, Answers):
            return found.unique_id
        return own or f"#{said.update_id}" if isinstance(found, ToDeadPrompt) else None

    async def _route(self, said: Said) -> Route:
        desk = self._desk
        return route(said, await desk.open_questions(), desk.prompts, desk.rules)

    async def handle(self, job: Job, said: Said) -> None:
        """The turn of a text has come in its question's lane. Raises no StoreTrouble."""
        try:
            found = await self._route(said)
        except StoreTrouble as trouble:
            await self._unread(job, said, trouble)
            return
        try:
            if isinstance(found, ToDeadPrompt):
                await tell(self._desk, said, texts.DEAD_PROMPT)
            elif not isinstance(found, Nothing):
                await self._answer(job, said, found.unique_id)
        except StoreTrouble as trouble:
            await self._handling.store_failed(job, trouble)

    async def _unread(self, job: Job, said: Said, trouble: StoreTrouble) -> None:
        """Nobody can say whose answer it is; who has asked to give one hears of it."""
        if self._desk.prompts.may_type(said.chat, said.sender.id):
            await self._handling.store_failed(job, trouble)
        else:
            await self._desk.logs.trouble("store", "pending", str(trouble), "error")

    async def _answer(self, job: Job, said: Said, unique_id: str) -> None:
        desk = self._desk
        hold = await self._handling.hold(job, unique_id)
        if hold is None:
            return
        now = route(said, {unique_id: hold.entry}, desk.prompts, desk.rules)
        if not isinstance(now, Answers):
            # Between the look and the claim another listener has ended the wait.
            await hold.let_go()
            return
        text, _ = addressed(said.text, desk.username)
        settled = await self._handling.attempt(job, hold, Answer(text))
        if settled is None:
            return
        if desk.rules.edit_on_success:
            await self._handling.drop_buttons(*message_of(job, hold.entry))
        told = await tell(desk, said, texts.submitted(text, settled.question))
        if not told.is_ok and not desk.rules.telegram_trouble_is_none:
            await tell_failed(desk, said, told.why)
