"""What presses and texts have in common: from the claim to the end (DQ-13, DQ-17, DQ-18)."""

from __future__ import annotations

from sim.protocols.question.listener import texts
from sim.protocols.question.listener.attempt import Answer, Attempt, Closed, Lost, Result, Settled
from sim.protocols.question.listener.bot import Chat
from sim.protocols.question.listener.desk import Desk
from sim.protocols.question.listener.expiry import Expiry, Over
from sim.protocols.question.listener.hold import Hold
from sim.protocols.question.listener.jobs import Job
from sim.protocols.question.listener.notices import tell, tell_failed
from sim.protocols.question.listener.updates import Press
from sim.protocols.question.store.claims import Busy
from sim.protocols.question.store.entry import Foreign, PendingQuestion
from sim.protocols.question.store.trouble import StoreTrouble


class Handling:
    """How a claim is had and given up."""

    __slots__ = ("_desk", "_expiry")

    def __init__(self, desk: Desk, expiry: Expiry) -> None:
        self._desk = desk
        self._expiry = expiry

    async def hold(self, job: Job, unique_id: str) -> Hold | None:
        """The entry in this handler's hands; None: there is none, and the user is told.

        Raises StoreTrouble.
        """
        desk = self._desk
        found = await Hold.take(desk, unique_id)
        if isinstance(job.update, Press):
            await desk.logs.looked_up(unique_id, _type_of(found))
        if not isinstance(found, Hold):
            await tell(desk, job.update, _why_not(found))
            return None
        job.step("claim")
        job.hold = found
        age_ms = found.entry.age_ms(job.began_ms)
        if desk.rules.age_at_handling and desk.is_expired(age_ms):
            await self._expire(job, found)
            return None
        return found

    async def _expire(self, job: Job, hold: Hold) -> None:
        """Too late: the entry ends there and then (DQ-09)."""
        await hold.remove()
        await tell(self._desk, job.update, texts.EXPIRED)
        await self._expiry.close(Over(hold.unique_id, hold.entry, *message_of(job, hold.entry)))

    async def attempt(self, job: Job, hold: Hold, answer: Answer) -> Settled | None:
        """Bring the answer to OpenCode; of all but success the user is told here."""
        try:
            result: Result = await Attempt(self._desk, job, hold, answer).run()
        except StoreTrouble as trouble:
            await hold.finish(gone=False)
            await self.store_failed(job, trouble)
            return None
        if isinstance(result, Settled):
            self._desk.settled.add(hold.unique_id)
            await hold.finish(gone=self._desk.rules.remove_on_success)
            return result
        if isinstance(result, Closed):
            await self._closed(job, hold)
        elif isinstance(result, Lost):
            await tell(self._desk, job.update, texts.EXPIRED)
        else:
            await hold.finish(gone=not self._desk.rules.remove_after_success_only)
            await tell_failed(self._desk, job.update, result.cause)
        return None

    async def store_failed(self, job: Job, trouble: StoreTrouble, unique_id: str = "") -> None:
        """The store is locked or refuses (DQ-23); what this process has settled itself is
        no failure all the same."""
        await self._desk.logs.trouble("store", "pending", str(trouble), "error")
        if unique_id in self._desk.settled:
            await tell(self._desk, job.update, texts.EXPIRED)
        else:
            await tell_failed(self._desk, job.update, texts.CAUSE_STORE)

    async def _closed(self, job: Job, hold: Hold) -> None:
        """Closed elsewhere: no reply, the buttons and the entry go (DQ-03)."""
        self._desk.settled.add(hold.unique_id)
        await hold.finish(gone=True)
        await tell(self._desk, job.update, texts.CLOSED)
        await self.drop_buttons(*message_of(job, hold.entry))

    async def drop_buttons(self, chat: Chat, message_id: int) -> None:
        """Of a question's message, as far as it is known."""
        if chat and message_id:
            await self._desk.bot.drop_buttons(chat, message_id)


def message_of(job: Job, entry: PendingQuestion) -> tuple[Chat, int]:
    """Where the question's message is: the pressed one, else the one that the entry knows."""
    update = job.update
    if isinstance(update, Press) and update.message_id:
        return update.chat, update.message_id
    known = entry.message_id if type(entry.message_id) is int else 0
    return entry.chat, known


def _type_of(found: Hold | Busy | Foreign | None) -> str:
    if found is None:
        return "undefined"
    return found.type if isinstance(found, Foreign) else "question"


def _why_not(found: Busy | Foreign | None) -> str:
    if found is None:
        return texts.EXPIRED
    return texts.INVALID if isinstance(found, Foreign) else texts.IN_PROGRESS
