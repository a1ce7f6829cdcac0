"""``turn.delivery``: telling a desktop what became of its ``turn.end`` (§5).

A receipt belongs to an ordinary task whose end came over a connection on which
both sides announced the feature. It is stored in the task's own row, so one
write makes the result and the responsibility for it durable; only then is it
``accepted`` (HK-73). Every publish attempt counts, failures are told with the
time of the next try, the end state stays (HK-80). Whoever repeats an end gets
the latest state and nothing else (HK-76). Rounds have no receipt (HK-84).

The words on the wire are ours alone: what a channel answered is translated to
a known code (HK-81).
"""

from __future__ import annotations

from collections import deque
from typing import Any

from sim.core.actor import Actor
from sim.core.op import Save, Send
from sim.protocols.hook.constants import HOOK_FEATURE_TURN_DELIVERY
from sim.protocols.hook.frames import DeliveryError, TurnDelivery
from sim.protocols.hook.intake import made
from sim.protocols.hook.machine import ACCEPTED, DELIVERED, DELIVERY, ENDED, FAILED, RETRYING
from sim.protocols.hook.server.line import ENDS
from sim.protocols.hook.server.memory import Memory, Socket
from sim.protocols.hook.server.plan import ServerPlan
from sim.protocols.hook.server.stored import ReceiptRow
from sim.protocols.hook.server.tasks import Task
from sim.protocols.hook.server.texts import DELIVERY_TEXTS

OTHER = "channel_error"
SUPERSEDED = "superseded"


class Receipt:
    """How far one result has come.

    ``durable``: its first state is stored, so that it may be told; ``untold``
    are the states still to be sent, in order; ``telling``: a handler does so;
    ``silent``: nobody has asked for it.
    """

    __slots__ = (
        "attempt", "code", "durable", "retry_at_ms", "silent", "state", "telling", "untold",
    )  # fmt: skip

    def __init__(self, row: ReceiptRow | None = None) -> None:
        self.state = DELIVERY.initial if row is None else row.state
        self.attempt = 0 if row is None else row.attempt
        self.retry_at_ms = 0 if row is None else row.retry_at_ms
        self.code = "" if row is None else row.code
        self.durable = row is not None
        self.telling = self.silent = False
        self.untold: deque[ReceiptRow] = deque()

    @property
    def is_over(self) -> bool:
        return self.state in (DELIVERED, FAILED)

    def step(self, trigger: str) -> bool:
        """Go on, if that is still possible."""
        if not DELIVERY.can(self.state, trigger):
            return False
        self.state = DELIVERY.step(self.state, trigger)
        if self.state != ACCEPTED:
            self.attempt = max(1, self.attempt)
        self.retry_at_ms = 0
        return True

    def row(self) -> ReceiptRow:
        """The durable form, as of now."""
        return ReceiptRow(self.state, self.attempt, self.retry_at_ms, self.code)


class Delivery:
    """The server's book of receipts."""

    __slots__ = ("actor", "memory", "plan")

    def __init__(self, actor: Actor, memory: Memory, plan: ServerPlan) -> None:
        self.actor = actor
        self.memory = memory
        self.plan = plan

    # -- the course of a result ------------------------------------------------

    async def begin(self, socket: Socket, task: Task) -> None:
        """The first end of a task is here; it is not stored yet.

        Its connection may be gone already: then the next one is told.
        """
        if not self._wanted(socket):
            return
        task.receipt = Receipt()
        if not self.plan.rules.durable_acceptance:
            task.receipt.durable = True
            await self._tell(task)

    async def accepted(self, task: Task) -> None:
        """The result and its receipt are stored: from here on it is ours (HK-73, HK-74)."""
        receipt = task.receipt
        if receipt is None or receipt.durable:
            return
        receipt.durable = True
        await self._tell(task)
        if not self.plan.rules.delivered_after_publish and receipt.step("deliver"):
            await self._tell(task)

    def attempt(self, task: Task) -> None:
        """A call that may publish the result is about to be issued."""
        if task.receipt is not None and not task.receipt.is_over:
            task.receipt.attempt += 1

    async def retry(self, task: Task, reply_code: str, after_us: int) -> None:
        """It did not work; it will be tried again by itself (HK-77)."""
        receipt = task.receipt
        if receipt is None or not receipt.step("retry"):
            return
        port = self.actor.port
        receipt.code = self._code(reply_code)
        receipt.retry_at_ms = port.now_ms() + -(-after_us // 1_000)
        await self.actor.perform(Save(task.row_key, task.row()))
        await self._tell(task)

    def settle(self, task: Task, reply_code: str) -> None:
        """The end of it: ``delivered``, or ``failed`` with a code. The caller stores the row."""
        if task.receipt is None and reply_code:
            # Nobody wants to know, yet: who hands the end in once more may (HK-82).
            task.receipt = Receipt()
            task.receipt.silent = True
        receipt = task.receipt
        if receipt is None or not receipt.step("fail" if reply_code else "deliver"):
            return
        receipt.code = self._code(reply_code) if reply_code else ""

    async def settled(self, task: Task) -> None:
        """That end is stored: tell it."""
        receipt = task.receipt
        if receipt is None:
            return
        receipt.durable = True
        if not receipt.silent:
            await self._tell(task)

    async def overtake(self, task: Task) -> None:
        """A continuation took the message before the result was in it: it never will be."""
        receipt = task.receipt
        if receipt is None or not receipt.step("fail"):
            return
        receipt.code = SUPERSEDED
        await self.actor.perform(Save(task.row_key, task.row()))
        if receipt.durable:  # else it is being stored, and told behind that
            await self._tell(task)

    async def again(self, socket: Socket, task: Task) -> None:
        """The end of a task came once more: the latest state is the answer (HK-76, HK-82)."""
        if task.state != ENDED or not self._agreed(socket):
            return
        if task.receipt is None:
            await self._late(task)
        receipt = task.receipt
        if receipt is None:
            return
        receipt.silent = False
        if not receipt.durable or receipt.untold:
            return  # the state that is asked for is on its way
        if self.plan.rules.delivery_receipts or not receipt.is_over:
            if receipt.state == RETRYING:
                # The attempt that is under way is counted, but not stored: what is told
                # must be known after a crash, too.
                await self.actor.perform(Save(task.row_key, task.row()))
            await self._tell(task)

    async def _late(self, task: Task) -> None:
        """The first end came when nobody wanted a receipt; the desktop has learned to."""
        task.receipt = receipt = Receipt()
        overtaken = task.line.claim is not task and not task.written
        if overtaken or task.final is None or task.final.state not in ENDS:
            receipt.step("fail")
            receipt.code = SUPERSEDED
        elif task.written:
            receipt.step("deliver")
        await self.actor.perform(Save(task.row_key, task.row()))
        receipt.durable = True

    async def of_round(self, socket: Socket, request: str) -> None:
        """With that rule off: receipts even where nothing is ever replayed (HK-84)."""
        if not self.plan.rules.no_receipt_for_rounds and self._agreed(socket):
            body = TurnDelivery(
                request_id=request, state="accepted", attempt=0, retry_at=None, error=None
            )
            await self.actor.perform(Send(socket.conn, made(self.actor.port, body)))

    # -- telling ---------------------------------------------------------------

    def _agreed(self, socket: Any) -> bool:
        """Whether this very connection wants to know (HK-70, HK-71; RC-50, RC-51)."""
        return socket is not None and socket.ready and self._wanted(socket)

    def _wanted(self, socket: Socket) -> bool:
        if socket.hello is None:
            return False
        if not self.plan.rules.delivery_where_asked:
            return HOOK_FEATURE_TURN_DELIVERY in socket.offered
        return bool(socket.agreed(HOOK_FEATURE_TURN_DELIVERY))

    async def _tell(self, task: Task) -> None:
        """Send the states of one request one after the other, never out of order (RC-49)."""
        receipt = task.receipt
        receipt.untold.append(receipt.row())
        if receipt.telling:
            return
        receipt.telling = True
        while receipt.untold:
            # Taken out first: an end that comes while it is being sent gets its own answer.
            await self._send(task, receipt.untold.popleft())
        receipt.telling = False

    async def _send(self, task: Task, row: ReceiptRow) -> None:
        socket = task.desk.socket
        if not self._agreed(socket) or not self.memory.is_of(socket, task):
            return
        troubled = row.state in (RETRYING, FAILED)
        body = TurnDelivery(
            request_id=task.request,
            state=row.state.lower(),
            attempt=0 if row.state == ACCEPTED else row.attempt,
            retry_at=row.retry_at_ms if row.state == RETRYING else None,
            error=self._error(row) if troubled else None,
        )
        await self.actor.perform(Send(socket.conn, made(self.actor.port, body)))

    def _code(self, reply_code: str) -> str:
        if not self.plan.rules.safe_delivery_error:
            return reply_code
        return reply_code if reply_code in DELIVERY_TEXTS else OTHER

    def _error(self, row: ReceiptRow) -> DeliveryError:
        text = DELIVERY_TEXTS.get(row.code, DELIVERY_TEXTS[OTHER])
        if not self.plan.rules.safe_delivery_error:
            text = f"the channel answered: {row.code}"
        return DeliveryError(code=row.code, message=text, retryable=row.state == RETRYING)
