"""The ground that all modules of the node stand on: its state, and writing answers."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from sim.core.actor import Port
from sim.core.op import Erase, Note, Save, Send
from sim.protocols.relay.browser import PERFORMED, Done, Failed, Order
from sim.protocols.relay.browser.web import built_in_web
from sim.protocols.relay.codes import ERROR_CODES
from sim.protocols.relay.constants import NODE
from sim.protocols.relay.frames import Error, Hello, RelayBody, Result
from sim.protocols.relay.node import keeping
from sim.protocols.relay.node.ledger import Ledger
from sim.protocols.relay.node.plan import NodePlan
from sim.protocols.relay.node.records import BrowserRow, Job
from sim.protocols.relay.peer.actor import MS, Peer
from sim.wire.absent import ABSENT
from sim.wire.message import Message

MOST_UNSENT: Final = 200


class Bench(Peer):
    """State of one life of a node.

    ``node_id`` is what the relay calls it, once it has said so. ``jobs`` are the commands
    at work by their names; ``queues`` those of each tab, the first being at work. ``early``
    counts updates that were sent before their subscribe had its result, ``untold`` are
    listeners that are on, though the result that says so is not out yet. ``slow_ms``,
    ``faults`` and ``hangs`` are by action, "" for all.
    """

    __slots__ = (
        "browser",
        "early",
        "faults",
        "hangs",
        "jobs",
        "kept",
        "ledger",
        "named",
        "node",
        "node_id",
        "queues",
        "rows",
        "slow_ms",
        "stubborn",
        "unsent",
        "untold",
    )

    ROLE: ClassVar[str] = NODE

    def __init__(self, port: Port, plan: NodePlan) -> None:
        super().__init__(port, plan)
        self.node = plan
        self.node_id = plan.node_id
        web = plan.web or built_in_web()
        self.kept: BrowserRow | None = port.store.get(keeping.BROWSER)
        now_ms = port.now_ms()
        if self.kept is None:
            self.browser = keeping.first_browser(plan, web, now_ms)
        else:
            self.browser = keeping.browser_of(self.kept, web)
        self.rows: keeping.TabRows = {}
        self.named = self.kept.named if self.kept is not None else 0
        self.ledger = Ledger(plan.ledger_memory_ms, plan.ledger_entries)
        if self.rules.ledger_outlives_process:
            keeping.recall(self.ledger, port.store, now_ms)
        self.jobs: dict[str, Job] = {}
        self.queues: dict[str, list[Job]] = {}
        self.early: dict[str, int] = {}
        self.untold: dict[str, None] = {}
        self.unsent: list[Message] = []
        self.slow_ms: dict[str, int] = {}
        self.hangs: dict[str, int] = {}
        self.faults: dict[str, list[Failed]] = {}
        self.stubborn = False

    def greeting(self) -> Hello:
        """hello names the node, unless its token alone is to do so."""
        return Hello(
            role=NODE,
            capabilities=self.plan.capabilities or tuple(PERFORMED),
            node_id=self.node.node_id if self.node.names_itself else ABSENT,
        )

    # -- names

    def job_name(self, request_id: str) -> str:
        """A name for a new job: its requestId, with a number where that is at work already."""
        name, turn = request_id, 1
        while name in self.jobs:
            turn += 1
            name = f"{request_id}~{turn}"
        return name

    def job_of(self, request_id: str) -> Job | None:
        """The command of this session with this requestId, None when it has ended."""
        for job in self.jobs.values():
            if job.request_id == request_id and job.conn is self.conn:
                return job
        return None

    def next_tab(self) -> str:
        """What the next tab will be called; no name is given twice."""
        while True:
            self.named += 1
            name = f"tab_{self.named}"
            if name not in self.browser.tabs and name not in self.browser.closed:
                return name

    # -- what outlives the process

    async def keep_browser(self) -> None:
        """Write down what has changed, if anything has; right behind the change."""
        row = keeping.row_of(self.browser, self.named, self.rows)
        if row != self.kept:
            self.kept = row
            await self.perform(Save(keeping.BROWSER, row))

    async def erase_forgotten(self) -> None:
        """Rows of outcomes that the ledger no longer keeps."""
        for key in self.ledger.take_forgotten():
            if key not in self.ledger:
                await self.perform(Erase(keeping.LEDGER + key))

    # -- answers

    def terminal(self, order: Order, end: Done | Failed, begun_us: int) -> RelayBody:
        """The frame that ends a command."""
        if isinstance(end, Done):
            return Result(
                ok=True,
                duration_ms=(self.port.now_us() - begun_us) // MS,
                action=order.action,
                data=end.data,
                command_outcome="completed",
            )
        code = ERROR_CODES[end.code]
        return Error(
            category=code.category,
            code=code.code,
            message=end.message,
            retryable=True if code.retryable else ABSENT,
            action=order.action,
            stage=end.stage,
            node_id=self.node_id,
            tab_session_id=order.tab or ABSENT,
            actionable_hint=end.hint or ABSENT,
        )

    async def answer(self, job: Job, end: Done | Failed, request_id: str = "") -> bool:
        """Write the terminal frame of a command where it is waited for, and nowhere else.

        → whether it could be written. What outlived its session has nobody to be told.
        """
        if job.is_told:
            return False
        body = self.terminal(job.order, end, job.begun_us or self.port.now_us())
        id = request_id or job.request_id
        if self.conn is job.conn:
            return await self.send(body, id, job.conn)
        if not self.rules.answers_stay_in_session:
            await self._send_anywhere(body, id)
            return False
        fact = {"request": id, "action": job.order.action}
        await self.perform(Note("answer-dropped", fact))
        return False

    async def _send_anywhere(self, body: RelayBody, id: str) -> None:
        """What the rule forbids: on whatever session there is, or as soon as there is one."""
        frame = Message(body.family(), id, self.port.now_ms(), body, sender=NODE)
        if self.is_ready and self.conn is not None:
            await self.perform(Send(self.conn, frame))
        else:
            self.unsent.append(frame)
            del self.unsent[:-MOST_UNSENT]

    async def flush(self) -> None:
        """Send what has waited for a session."""
        while self.unsent and self.conn is not None:
            await self.perform(Send(self.conn, self.unsent.pop(0)))

    async def note(self, what: str, **facts: Any) -> None:
        """A fact for views and invariants."""
        await self.perform(Note(what, facts))
