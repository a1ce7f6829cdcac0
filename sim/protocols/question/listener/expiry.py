"""Questions that are too old: removed, rejected, their buttons taken away (§5, DQ-10, DQ-12)."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from sim.core.op import Sleep
from sim.protocols.question.listener.bot import Chat
from sim.protocols.question.listener.desk import Desk
from sim.protocols.question.listener.matching import match, of_id
from sim.protocols.question.listener.questions import ApiTrouble
from sim.protocols.question.listener.routing import REMEMBERED
from sim.protocols.question.store.entry import PendingQuestion, kept
from sim.protocols.question.store.pending import Entries
from sim.protocols.question.store.trouble import StoreTrouble
from sim.wire.absent import ABSENT


@attrs.frozen
class Over:
    """An entry that has expired, and where its message is (0 and "": nobody knows)."""

    unique_id: str
    entry: PendingQuestion
    chat: Chat
    message_id: int

    @classmethod
    def of(cls, unique_id: str, entry: PendingQuestion) -> Over:
        """By what the entry says."""
        known = entry.message_id if type(entry.message_id) is int else 0
        chat = "" if entry.chat_id is ABSENT else entry.chat_id
        return cls(unique_id, entry, chat, known)


class Expiry:
    """The cleaning of one listener. ``is_busy`` tells whether a question is being handled
    here; ``is_dead`` is set where a failed reject has stopped everything (QT-44)."""

    __slots__ = ("_desk", "_is_busy", "_is_cleaning", "_rejected", "is_dead")

    def __init__(self, desk: Desk, is_busy: Callable[[str], bool]) -> None:
        self._desk = desk
        self._is_busy = is_busy
        self._is_cleaning = False
        self._rejected: dict[str, None] = {}
        self.is_dead = False

    async def turn(self) -> None:
        """One cleaning turn, beside the handlers. A turn under way is enough."""
        if self._is_cleaning:
            return
        self._is_cleaning = True
        try:
            gone = await self._collect()
        except StoreTrouble as trouble:
            await self._desk.logs.trouble("store", "cleaning", str(trouble))
            gone = []
        finally:
            self._is_cleaning = False
        await self._desk.tell_broken()
        for over in gone:
            await self.close(over)

    async def _collect(self) -> list[Over]:
        """Remove all that is too old in one change. → what was removed."""
        desk = self._desk
        now_ms = desk.actor.port.now_ms()
        old = {
            name: entry
            for name, entry in (await desk.open_questions()).items()
            if desk.is_expired(entry.age_ms(now_ms)) and not self._is_spared(name)
        }
        free = [name for name, entry in old.items() if await self._is_free(entry)]
        if not free:
            return []

        def remove(entries: Entries) -> list[Over]:
            gone: list[Over] = []
            for name in free:
                found = kept(entries.get(name))
                if not isinstance(found, PendingQuestion):
                    continue
                is_same = found.claimed_by == old[name].claimed_by
                if is_same and desk.is_expired(found.age_ms(now_ms)):
                    gone.append(Over.of(name, found))
                    if desk.rules.rejected_once:
                        del entries[name]
            return gone

        return await desk.store.change(remove)

    def _is_spared(self, unique_id: str) -> bool:
        return self._desk.rules.expiry_spares_handling and self._is_busy(unique_id)

    async def _is_free(self, entry: PendingQuestion) -> bool:
        """Whether nobody is at it: what began in time goes on to its end (DQ-09)."""
        if not self._desk.rules.expiry_spares_handling:
            return True
        return await self._desk.claims.is_void(entry)

    async def close(self, over: Over) -> None:
        """Reject the question of an entry that is gone, and remove its buttons (DQ-10)."""
        rules = self._desk.rules
        trouble = await self._reject(over.entry) if rules.reject_at_expiry else ""
        if trouble:
            await self._desk.logs.trouble("OpenCode", "reject at expiry", trouble)
            self.is_dead = not rules.reject_failure_only_warns
        elif not rules.rejected_once:
            await self._forget(over)
        if over.chat and over.message_id:
            await self._desk.bot.drop_buttons(over.chat, over.message_id)

    async def _forget(self, over: Over) -> None:
        try:
            await self._desk.store.remove(over.unique_id)
        except StoreTrouble as trouble:
            await self._desk.logs.trouble("store", "cleaning", str(trouble))

    async def _reject(self, entry: PendingQuestion) -> str:
        """→ why it failed, "" when it did not (a question that is not listed is closed)."""
        desk, plan = self._desk, self._desk.plan
        known = entry.request_id if type(entry.request_id) is str else ""
        for nth in range(plan.expiry_tries):
            if nth:
                await desk.actor.perform(Sleep(plan.expiry_pause_ms * 1_000))
            items = await desk.questions.listed(entry.directory, plan.opencode_ms)
            if isinstance(items, ApiTrouble):
                return str(items)
            if known and desk.rules.cached_id_counts:
                found = of_id(known, items)
            else:
                labels = [option.label for option in entry.options]
                found = match(entry.call_id, entry.sid, labels, items, desk.rules)
            if found is not None:
                return await self._reject_once(found.id, entry.directory)
        return ""

    async def _reject_once(self, request_id: str, directory: str) -> str:
        """Two entries may be about one question, where the list names no call: the second
        is no second try (DQ-10)."""
        desk = self._desk
        if request_id in self._rejected and desk.rules.rejected_once:
            return ""
        if not desk.closing.begin(request_id):
            return ""  # it is answered through another entry, whose turn comes if that fails
        self._rejected[request_id] = None
        if len(self._rejected) > REMEMBERED:
            del self._rejected[next(iter(self._rejected))]
        refused = await desk.questions.reject(request_id, directory, desk.plan.opencode_ms)
        desk.closing.end(request_id, closed=refused is None)
        return "" if refused is None else str(refused)
