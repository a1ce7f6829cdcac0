"""Presses on buttons: an option is the answer, the custom button asks for one (§4, §4.1)."""

from __future__ import annotations

from typing import Any

from sim.protocols.question.listener import texts
from sim.protocols.question.listener.attempt import Answer
from sim.protocols.question.listener.desk import Desk
from sim.protocols.question.listener.handling import Handling, message_of
from sim.protocols.question.listener.hold import Hold
from sim.protocols.question.listener.jobs import Job
from sim.protocols.question.listener.notices import tell, tell_failed
from sim.protocols.question.listener.updates import CustomPressed, OptionPressed, Press, pressed
from sim.protocols.question.store.entry import PendingQuestion
from sim.protocols.question.store.trouble import StoreTrouble
from sim.wire.absent import ABSENT


class Presses:
    """What a listener does about a press. Nothing here raises StoreTrouble."""

    __slots__ = ("_desk", "_handling")

    def __init__(self, desk: Desk, handling: Handling) -> None:
        self._desk = desk
        self._handling = handling

    async def handle(self, job: Job, press: Press) -> None:
        """The turn of a press has come in its question's lane."""
        asked = pressed(press.data)
        if asked is None:
            await tell(self._desk, press, texts.INVALID)
            return
        if isinstance(asked, CustomPressed):
            self._desk.prompts.wants_to_type(press.chat, press.sender.id)
        if not self._desk.rules.one_toast:
            await tell(self._desk, press, texts.RECEIVED)
        try:
            hold = await self._handling.hold(job, asked.unique_id)
            if hold is None:
                return
            if isinstance(asked, OptionPressed):
                await self._option(job, press, asked.index, hold)
            else:
                await self._custom(job, press, hold)
        except StoreTrouble as trouble:
            await self._handling.store_failed(job, trouble, asked.unique_id)

    # -- an option

    async def _option(self, job: Job, press: Press, index: int, hold: Hold) -> None:
        answer = self._answer(hold.entry, index)
        if answer is None:
            await hold.let_go()
            await tell(self._desk, press, texts.INVALID)
            return
        changes = self._changes(press, hold.entry)
        if changes:
            await hold.put(**changes)
        rules = self._desk.rules
        if not rules.edit_after_success_only:
            await self._show_choice(job, press, hold, answer)
        settled = await self._handling.attempt(job, hold, answer)
        if settled is None:
            return
        told = await tell(self._desk, press, texts.chosen(answer.label or answer.value))
        if not told.is_ok and not rules.telegram_trouble_is_none:
            await tell_failed(self._desk, press, told.why)
        elif rules.edit_on_success:
            await self._show_choice(job, press, hold, answer)

    def _answer(self, entry: PendingQuestion, index: int) -> Answer | None:
        """The pressed option's value, and its label where there is none (QT-09)."""
        if index < len(entry.options):
            option = entry.options[index]
            return Answer(option.answer, option.label)
        if self._desk.rules.index_checked:
            return None
        invented = f"选项 {index + 1}"
        return Answer(invented, invented)

    def _changes(self, press: Press, entry: PendingQuestion) -> dict[str, Any]:
        """An option press ends a wait for text (DQ-06); a message that the hook has not
        heard of yet is this one."""
        changes: dict[str, Any] = {}
        if entry.awaiting_text is True and self._desk.rules.option_ends_wait:
            changes.update(awaiting_text=False, custom_prompt_message_id=None)
        if entry.message_id is ABSENT and press.message_id:
            changes.update(chat_id=press.chat, message_id=press.message_id)
        return changes

    async def _show_choice(self, job: Job, press: Press, hold: Hold, answer: Answer) -> None:
        """One edit that says what was chosen and takes the buttons away (DQ-17)."""
        chat, message_id = message_of(job, hold.entry)
        if press.text and chat and message_id:
            text = texts.with_choice(press.text, answer.label or answer.value)
            await self._desk.bot.edit(chat, message_id, text)
        else:
            await self._handling.drop_buttons(chat, message_id)

    # -- the custom button

    async def _custom(self, job: Job, press: Press, hold: Hold) -> None:
        desk, rules = self._desk, self._desk.rules
        wait: dict[str, Any] = {"awaiting_text": True, "awaiting_since": job.stamp}
        wait["awaiting_update"] = press.update_id
        is_owned = hold.entry.awaiting_text is True and not rules.last_press_owns_wait
        if not is_owned:
            wait |= {"expected_user_id": press.sender.id, "custom_prompt_message_id": None}
        if press.message_id:
            wait |= {"chat_id": press.chat, "message_id": press.message_id}
        if not await hold.put(**wait):
            await tell(desk, press, texts.EXPIRED)
            return
        sent = await desk.bot.prompt(press.chat, texts.prompt(press.text))
        number = sent.message_id if rules.prompt_is_remembered else None
        if number is not None:
            desk.prompts.remember(press.chat, number, press.sender.id)
        is_known = await self._keep_prompt(
            hold, {} if is_owned else {"custom_prompt_message_id": number}
        )
        replies = is_known and sent.is_ok
        await tell(desk, press, texts.ASK_REPLY if replies else texts.ASK_TEXT)
        await desk.bot.message(press.chat, texts.ADVICE)

    async def _keep_prompt(self, hold: Hold, fields: dict[str, Any]) -> bool:
        """→ whether a reply to the prompt will be understood; plain text will in any case."""
        try:
            return await hold.let_go(**fields)
        except StoreTrouble as trouble:
            await self._desk.logs.trouble("store", "prompt", str(trouble), "error")
            return False


def lane_of(press: Press) -> str:
    """The question that a press is about, "" for none."""
    asked = pressed(press.data)
    return asked.unique_id if isinstance(asked, OptionPressed | CustomPressed) else ""
