"""One attempt to bring an answer to OpenCode: list, match, remember, reply (§4 steps 6-7, §6)."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from sim.core.op import Sleep
from sim.protocols.question.listener import texts
from sim.protocols.question.listener.desk import Desk
from sim.protocols.question.listener.hold import Hold
from sim.protocols.question.listener.jobs import Job
from sim.protocols.question.listener.matching import Listed, match, of_id
from sim.protocols.question.listener.questions import ApiTrouble


@attrs.frozen
class Settled:
    """A 2xx: it is answered. ``question`` is its text, "" where it is not known."""

    request_id: str
    question: str


@attrs.frozen
class Failed:
    """It is not answered, as far as is known; ``cause`` for people and the log."""

    cause: str


@attrs.frozen
class Closed:
    """A known question is open no more: somebody else has closed it (DQ-03)."""


@attrs.frozen
class Lost:
    """The entry went, or another handler took it, in the middle; nothing was sent."""


Result = Settled | Failed | Closed | Lost
Pick = Callable[[list[Listed]], Listed | None]


@attrs.frozen
class Answer:
    """What is to be sent; ``label`` is that of the pressed option, None for a text."""

    value: str
    label: str | None = None


class Attempt:
    """One answer on its way. Raises StoreTrouble where the match cannot be remembered."""

    __slots__ = ("_answer", "_desk", "_hold", "_job", "_until_us")

    def __init__(self, desk: Desk, job: Job, hold: Hold, answer: Answer) -> None:
        self._desk = desk
        self._job = job
        self._hold = hold
        self._answer = answer
        self._until_us = desk.actor.port.now_us() + desk.plan.attempt_ms * 1_000

    async def run(self) -> Result:
        """Until it is settled, has failed, or turns out to be nobody's business."""
        entry, rules = self._hold.entry, self._desk.rules
        known = entry.request_id if type(entry.request_id) is str else ""
        if known and rules.cached_id_counts:
            found = await self._check(known) if rules.cached_id_checked else _unseen(known)
        else:
            found = await self._search()
        if not isinstance(found, Listed):
            return found
        self._job.step("match")
        if not await self._hold.put(request_id=found.id):
            return Lost()
        return await self._reply(found)

    async def _list(self) -> list[Listed] | ApiTrouble:
        self._job.step("list")
        return await self._desk.questions.listed(self._hold.entry.directory, self._left_ms())

    def _left_ms(self) -> int:
        return max(0, self._until_us - self._desk.actor.port.now_us()) // 1_000

    async def _check(self, known: str) -> Listed | Result:
        """One look whether a known question is still open (DQ-03)."""
        if not self._desk.rules.closed_is_told_at_once:
            return await self._again(lambda listed: of_id(known, listed))
        items = await self._list()
        if isinstance(items, ApiTrouble):
            return await self._failed(items)
        return of_id(known, items) or Closed()

    async def _search(self) -> Listed | Result:
        entry, rules = self._hold.entry, self._desk.rules
        labels = () if self._answer.label is None else (self._answer.label,)
        return await self._again(
            lambda items: match(entry.call_id, entry.sid, labels, items, rules)
        )

    async def _again(self, pick: Pick) -> Listed | Result:
        """List until it is there, 20 times at most, 300 ms apart (§6); a list that fails
        ends it (DQ-11)."""
        plan, rules = self._desk.plan, self._desk.rules
        tries = 0
        while True:
            items = await self._list()
            tries += 1
            if isinstance(items, ApiTrouble):
                if rules.failed_list_ends_it:
                    return await self._failed(items)
            else:
                found = pick(items)
                if found is not None:
                    return found
            is_last = tries >= plan.tries and rules.tries_are_counted
            if is_last or not rules.retry_20x300 or self._left_ms() <= plan.pause_ms:
                return Failed(texts.CAUSE_NO_MATCH)
            await self._desk.actor.perform(Sleep(plan.pause_ms * 1_000))

    async def _reply(self, found: Listed) -> Result:
        if not self._left_ms():
            return Failed(texts.CAUSE_NO_MATCH)
        if not self._desk.rules.claim_before_get:
            return await self._replied(found)
        closing = self._desk.closing
        if not closing.begin(found.id):
            # Through another entry, which seems to be about this question, too.
            return Failed(texts.IN_PROGRESS)
        result: Result | None = None
        try:
            result = await self._replied(found)
        finally:
            closing.end(found.id, closed=isinstance(result, Settled))
        return result

    async def _replied(self, found: Listed) -> Result:
        self._job.step("reply")
        trouble = await self._post(found.id)
        if trouble is not None and trouble.is_unknown and not self._desk.rules.no_second_post:
            trouble = await self._post(found.id)
        if trouble is not None:
            return await self._failed(trouble)
        self._job.step("settle")
        await self._desk.logs.settled(found.id)
        return Settled(found.id, found.title)

    async def _post(self, request_id: str) -> ApiTrouble | None:
        directory = self._hold.entry.directory
        questions = self._desk.questions
        return await questions.reply(request_id, directory, self._answer.value, self._left_ms())

    async def _failed(self, trouble: ApiTrouble) -> Failed:
        await self._desk.logs.trouble("OpenCode", trouble.what, trouble.why, "error")
        return Failed(str(trouble))


def _unseen(request_id: str) -> Listed:
    return Listed(request_id, "", None, "", ())
