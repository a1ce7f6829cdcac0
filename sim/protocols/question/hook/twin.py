"""The hook as the world sees it: told before a tool runs, through within five seconds."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Final

import attrs

from sim.core.actor import Actor, Port
from sim.core.http import REFUSED, HttpRequest, HttpResponse, Unreached
from sim.core.op import Call, Note, Sleep, Spawn
from sim.protocols.question.before import BeforeTool, HookReturned
from sim.protocols.question.constants import (
    OPENCODE_TIMEOUT_MS,
    QUESTION,
    SESSION_PATH,
    TELEGRAM_TIMEOUT_MS,
)
from sim.protocols.question.hook import texts
from sim.protocols.question.hook.asked import Asked, first_of
from sim.protocols.question.hook.plan import HookPlan
from sim.protocols.question.hook.sending import (
    SEND,
    SendOutcome,
    SendRefused,
    SendUnknown,
    Sent,
    method,
    outcome,
    question_body,
)
from sim.protocols.question.store.entry import Kept, PendingQuestion
from sim.protocols.question.store.pending import PendingStore
from sim.protocols.question.store.trouble import StoreTrouble
from sim.protocols.question.texts import STORE_BROKEN
from sim.wire.absent import ABSENT, Absent

RESERVE_MS: Final = 500
"""Kept for the store when Telegram takes its time."""
LOOK_MS: Final = 1_000


Change = Callable[[PendingStore], Coroutine[Any, Any, Any]]


class HookTrouble(Exception):
    """Why the phone is not told; the desk can answer all the same (QT-04)."""


@attrs.frozen
class Errand:
    """One call of the question tool: what is asked, and until when (run time, µs)."""

    before: BeforeTool
    asked: Asked
    store: PendingStore
    until_us: int


class Hook(Actor):
    """The plugin: ``Hook(port, plan)``. It writes the entry, sends, notes the message.

    It returns within its limit whatever has happened, and never an exception (§8.1).
    """

    ONE_AT_A_TIME = True

    __slots__ = ("pending", "plan")

    def __init__(self, port: Port, plan: HookPlan) -> None:
        super().__init__(port)
        self.plan = plan
        self.pending = PendingStore(self, plan.pending, plan.rules)

    async def on_call(self, caller: str, request: Any) -> HookReturned:
        """``tool.execute.before``."""
        if not isinstance(request, BeforeTool):
            raise LookupError(f"{self.port.name} has no API for {request!r} from {caller}")
        try:
            await self._before(request)
        except (StoreTrouble, HookTrouble) as trouble:
            await self._log("error", f"{request.call or request.session}: {trouble}")
            if self.pending.broken:
                # The tool does not wait for it: its time may be over.
                await self.perform(Spawn("broken", self._tell_broken(self._soon_us())))
            if not self.plan.rules.hook_never_throws:
                return HookReturned(str(trouble))
        return HookReturned()

    async def _before(self, before: BeforeTool) -> None:
        plan = self.plan
        if not plan.token or (before.tool != QUESTION and plan.rules.questions_only):
            return
        asked = first_of(before.args)
        if asked is None and before.tool != QUESTION:
            asked = Asked(before.tool)  # only without questions_only
        if asked is None:
            raise HookTrouble("the tool's arguments hold no question")
        until_us = self.port.now_us() + plan.limit_ms * 1_000
        errand = Errand(before, asked, self.pending.until(until_us), until_us)
        if plan.rules.write_before_send:
            unique_id = await errand.store.add(await self._entry(errand))
            await self._settle(errand, unique_id, await self._send(errand, unique_id))
        else:
            unique_id = errand.store.drawn({})
            sent = await self._send(errand, unique_id)
            await errand.store.add(await self._entry(errand), unique_id)
            await self._settle(errand, unique_id, sent)
        if not plan.rules.hook_never_blocks:
            await self._wait_for_answer(unique_id)

    async def _entry(self, errand: Errand, message_id: int | Absent = ABSENT) -> PendingQuestion:
        before = errand.before
        session = before.session
        if not self.plan.rules.ids_from_input:
            session = await self._first_session() or session
        return PendingQuestion(
            type=QUESTION,
            sid=session,
            call_id=before.call,
            directory=before.directory,
            options=tuple(option.entry for option in errand.asked.options),
            timestamp=self.port.now_ms(),
            chat_id=ABSENT if message_id is ABSENT else self.plan.chat,
            message_id=message_id,
        )

    async def _send(self, errand: Errand, unique_id: str) -> SendOutcome:
        body = question_body(self.plan.chat, unique_id, errand.asked, self.plan.rules)
        return outcome(await self._telegram(SEND, body, errand.until_us - RESERVE_MS * 1_000))

    async def _settle(self, errand: Errand, unique_id: str, sent: SendOutcome) -> None:
        """What the entry becomes after the send; then the chat learns of a broken file."""
        match sent:
            case Sent():
                await self._note_message(errand, unique_id, sent.message_id)
            case SendRefused():
                if self.plan.rules.drop_on_refused_send:
                    await self._change(errand, lambda store: store.remove(unique_id))
                raise HookTrouble(f"sendMessage refused: {sent.why}")
            case SendUnknown():
                if not self.plan.rules.keep_on_unknown_send:
                    await self._change(errand, lambda store: store.remove(unique_id))
                raise HookTrouble(f"sendMessage, outcome unknown: {sent.why}")
        await self._tell_broken(errand.until_us)

    async def _change(self, errand: Errand, change: Change) -> Any:
        """Change the entry; what there is no time for goes on when the tool has its way."""
        try:
            return await change(errand.store)
        except StoreTrouble as trouble:
            await self._log("warn", f"{errand.before.call}: once more: {trouble}")
            await self.perform(Spawn("store", self._later(change)))
            return None

    async def _later(self, change: Change) -> None:
        try:
            await change(self.pending)
        except StoreTrouble as trouble:
            await self._log("error", str(trouble))
        await self._tell_broken(self._soon_us())

    def _soon_us(self) -> int:
        """By when a call has ended that no tool waits for."""
        return self.port.now_us() + TELEGRAM_TIMEOUT_MS * 1_000

    async def _note_message(self, errand: Errand, unique_id: str, message_id: int) -> None:
        """The late write: an entry that is gone stays gone (DQ-21)."""
        chat = self.plan.chat

        async def note(store: PendingStore) -> Kept | None:
            found = await store.update(unique_id, chat_id=chat, message_id=message_id)
            if found is None and not self.plan.rules.late_write_changes_only:
                await store.add(await self._entry(errand, message_id), unique_id)
            return found

        await self._change(errand, note)

    async def _tell_broken(self, until_us: int) -> None:
        broken = self.pending.broken
        while broken:
            path = broken.pop()
            await self._log("error", f"store unreadable, moved to {path}")
            body = {"chat_id": self.plan.chat, "text": STORE_BROKEN}
            sent = outcome(await self._telegram(SEND, body, until_us))
            if isinstance(sent, SendRefused):
                broken.append(path)  # the next question says it
                return

    async def _telegram(self, name: str, body: dict[str, Any], until_us: int) -> Any:
        request = method(self.plan.token, name, body)
        left_us = until_us - self.port.now_us()
        if left_us <= 0:
            return Unreached(REFUSED)  # nothing is sent whose answer nobody will hear
        limit_us = min(left_us, TELEGRAM_TIMEOUT_MS * 1_000)
        return await self.perform(Call(self.plan.telegram, request, limit_us))

    async def _first_session(self) -> str:
        """What the recorded program takes for its session (DQ-05: wrong)."""
        request = HttpRequest("GET", SESSION_PATH)
        limit_us = OPENCODE_TIMEOUT_MS * 1_000
        reply = await self.perform(Call(self.plan.opencode, request, limit_us))
        if not isinstance(reply, HttpResponse) or not isinstance(reply.body, list):
            return ""
        return str(reply.body[0].get("id", "")) if reply.body else ""

    async def _wait_for_answer(self, unique_id: str) -> None:
        """What a hook does that holds the tool up until somebody has answered."""
        while unique_id in await self.pending.entries():
            await self.perform(Sleep(LOOK_MS * 1_000))

    async def _log(self, level: str, text: str) -> None:
        told = {"level": level, "text": f"{texts.PREFIX} {text}"}
        await self.perform(Note("log", told))
