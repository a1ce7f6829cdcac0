"""The listener as a host: it polls for ever, and sees that each update is handled once."""

from __future__ import annotations

from typing import Any, Final

from sim.core.actor import Actor, Port
from sim.core.errors import HooktwinError
from sim.core.op import Note, Sleep, Spawn, StartTimer, Wait, Wake
from sim.protocols.question.listener.answers import Texts
from sim.protocols.question.listener.bot import BotReply
from sim.protocols.question.listener.desk import Desk
from sim.protocols.question.listener.expiry import Expiry
from sim.protocols.question.listener.handling import Handling
from sim.protocols.question.listener.jobs import Job, Lanes
from sim.protocols.question.listener.leading import TIMER as LEASE
from sim.protocols.question.listener.leading import Leading
from sim.protocols.question.listener.ledger import Ledger
from sim.protocols.question.listener.plan import ListenerPlan
from sim.protocols.question.listener.presses import Presses, lane_of
from sim.protocols.question.listener.updates import Other, Press, Said, update_of
from sim.protocols.question.machine_updates import HANDLED, HANDLES
from sim.protocols.question.store.trouble import StoreTrouble

CLEAN: Final = "clean"
_IDLE: Final = "idle"
_PATIENCE: Final = 5
"""After so many failed polls in a row the pauses do not keep a run from settling."""


class Listener(Actor):
    """Polls Telegram, and brings what people press and write to OpenCode's questions.

    Updates of different questions are handled side by side, those of one in order; the
    offset passes an update when its handling has ended (DQ-14). Notes: ``handles`` and
    ``handled`` with the number of an update, ``log``.
    """

    # A single thread of JavaScript: up to its next wait a handler is one step.
    ONE_AT_A_TIME = True

    __slots__ = (
        "_desk",
        "_expiry",
        "_failures",
        "_is_stopped",
        "_lanes",
        "_ledger",
        "_presses",
        "_stamp",
        "_texts",
        "leading",
        "plan",
    )

    def __init__(self, port: Port, plan: ListenerPlan) -> None:
        super().__init__(port)
        self.plan = plan
        self._desk = Desk(self, plan)
        self._ledger = Ledger(plan.rules.offset_after_handling)
        self._lanes = Lanes()
        self._expiry = Expiry(self._desk, self._lanes.is_busy)
        handling = Handling(self._desk, self._expiry)
        self._presses = Presses(self._desk, handling)
        self._texts = Texts(self._desk, handling, self._lanes)
        self.leading = Leading(self._desk)
        self._stamp = 0
        self._failures = 0
        self._is_stopped = False

    # -- handlers

    async def on_start(self) -> None:
        """Wait for the lease, learn the bot's name, clean, and poll for ever."""
        await self.perform(Spawn("poll", self._serve()))

    async def on_timer(self, kind: str, key: str) -> None:
        """``clean`` and ``lease``."""
        if kind == LEASE:
            await self.leading.refresh()
        elif kind == CLEAN:
            await self._clean()

    # -- the loop

    async def _serve(self) -> None:
        await self.leading.be_first()
        await self._learn_name()
        await self._clean()
        while not self._is_stopped and not self._expiry.is_dead:
            await self.leading.be_first()
            began_us = self.port.now_us()
            reply = await self._desk.bot.updates(self._ledger.offset)
            if type(reply.result) is not list:
                await self._poll_failed(reply)
                continue
            if not self.leading.is_first:  # whoever has the lease gets these updates, too
                await self._rest(began_us, nothing_new=True)
                continue
            self._failures = 0
            fresh = [raw for raw in reply.result if await self._take(raw)]
            if fresh or not reply.result:
                await self._clean()
            await self._rest(began_us, nothing_new=bool(reply.result) and not fresh)

    async def _learn_name(self) -> None:
        while True:
            reply = await self._desk.bot.me()
            if reply.is_ok:
                name = reply.result.get("username") if type(reply.result) is dict else None
                self._desk.username = name if type(name) is str else ""
                self._failures = 0
                return
            await self._desk.logs.trouble("Telegram", "getMe", reply.why)
            await self._pause()

    async def _poll_failed(self, reply: BotReply) -> None:
        """Whatever it was: wait, and ask again from the same offset (DQ-15)."""
        why = reply.why or "the result is no list"
        await self._desk.logs.trouble("Telegram", "getUpdates", why)
        self._is_stopped = not self.plan.rules.poll_goes_on
        await self._pause()

    async def _pause(self) -> None:
        self._failures += 1
        pause_us = self.plan.poll_retry_ms * 1_000
        patient = self._failures > _PATIENCE
        await self.perform(Wait("retry", pause_us) if patient else Sleep(pause_us))

    async def _rest(self, began_us: int, nothing_new: bool) -> None:
        """While something is being handled, or what came is all known, poll every 300 ms at
        most; else at once."""
        rest_us = began_us + self.plan.busy_poll_ms * 1_000 - self.port.now_us()
        if (self._ledger.is_busy or nothing_new) and rest_us > 0:
            await self.perform(Wait(_IDLE, rest_us))

    async def _clean(self) -> None:
        period_us = self.plan.cleaning_ms * 1_000
        await self.perform(StartTimer(CLEAN, "", period_us, background=True))
        await self.perform(Spawn(CLEAN, self._turn()))

    async def _turn(self) -> None:
        """A turn that raises has ended, too; the next one comes."""
        try:
            await self._expiry.turn()
        except HooktwinError:
            raise
        except Exception as error:
            await self._desk.logs.write("error", f"❌ cleaning: {type(error).__name__}: {error}")

    # -- updates

    async def _take(self, raw: Any) -> bool:
        """Queue an update behind those of its question. → False: it is none, or known."""
        update = update_of(raw)
        if update is None:
            self._is_stopped = not self.plan.rules.bad_update_is_skipped
            return False
        if not self._ledger.take(update.update_id):
            return False
        if isinstance(update, Other):
            await self._end(update.update_id)
            return True
        self._stamp = max(self.port.now_ms(), self._stamp + 1)
        job = Job(update, self._stamp)
        lane = await self._lane(update)
        if lane is None:
            job.step("ignore")
            await self._end(update.update_id)
            return True
        await self._queue(lane, job)
        return True

    async def _lane(self, update: Press | Said) -> str | None:
        """Where an update has to wait its turn; None: it is nobody's business."""
        logs, rules = self._desk.logs, self.plan.rules
        if isinstance(update, Press):
            await logs.pressed(update)
        else:
            await logs.heard(update)
        is_ours = str(update.chat) == self.plan.chat and not update.sender.is_bot
        if rules.only_this_chat and not is_ours:
            return None
        if isinstance(update, Press):
            return self._named(lane_of(update) or f"#{update.update_id}")
        if not self._texts.is_answer(update):
            return None
        try:
            lane = await self._texts.lane(update)
        except StoreTrouble:
            lane = f"#{update.update_id}"  # its handler will tell
        return None if lane is None else self._named(lane)

    def _named(self, lane: str) -> str:
        return lane if self.plan.rules.handlers_side_by_side else "all"

    async def _queue(self, lane: str, job: Job) -> None:
        job.step("queue" if job.began_ms < 0 else "move")
        if self._lanes.put(lane, job):
            await self.perform(Spawn(f"handle {lane}", self._work(lane)))

    async def _work(self, lane: str) -> None:
        """Handle what waits in a lane, one after the other."""
        while (job := self._lanes.head(lane)) is not None:
            elsewhere = await self._handled(lane, job)
            self._lanes.advance(lane)
            if elsewhere:
                await self._queue(elsewhere, job)
            else:
                await self._end(job.update.update_id)
            await self._desk.tell_broken()

    async def _handled(self, lane: str, job: Job) -> str:
        """→ the lane that it belongs in, where it is not this one; "" when it has ended.

        A handler that raises has ended, too: one bad update cannot stop the loop.
        """
        job.step("begin")
        job.began_ms = self.port.now_ms()
        await self.perform(Note(HANDLES, job.update.update_id))
        try:
            update = job.update
            if isinstance(update, Press):
                await self._presses.handle(job, update)
            else:
                elsewhere = await self._elsewhere(lane, update)
                if elsewhere:
                    return elsewhere
                await self._texts.handle(job, update)
        except HooktwinError:
            raise  # a fault of this program or of a test, not of an update
        except Exception as error:
            text = f"❌ update {job.update.update_id}: {type(error).__name__}: {error}"
            await self._desk.logs.write("error", text)
            self._is_stopped = not self.plan.rules.bad_update_is_skipped
        if job.hold is not None:
            await job.hold.abandon()
        job.step("end")
        await self.perform(Note(HANDLED, job.update.update_id))
        return ""

    async def _elsewhere(self, lane: str, said: Said) -> str:
        try:
            now = await self._texts.lane(said, lane)
        except StoreTrouble:
            return ""
        return "" if now is None or self._named(now) == lane else self._named(now)

    async def _end(self, update_id: int) -> None:
        self._ledger.end(update_id)
        if not self._ledger.is_busy:
            await self.perform(Wake(_IDLE))
