"""Commands on their way: taken in, sent to their node, answered, or out of time."""

from __future__ import annotations

from typing import Any

from sim.protocols.relay.constants import OWNER_FIELD
from sim.protocols.relay.frames import CommandCancel
from sim.protocols.relay.frames.commands import TAB_OPEN
from sim.protocols.relay.frames.events import DuplicateIgnored, LockConflict, Queued, Routed
from sim.protocols.relay.machine import OVERDUE, RUNNING, WAITING
from sim.protocols.relay.parse import Opened
from sim.protocols.relay.relay.errands import Errands
from sim.protocols.relay.relay.ingress import Admitted, Duplicate, Moment, Turned, command_verdict
from sim.protocols.relay.relay.locks import Lease
from sim.protocols.relay.relay.sessions import Session
from sim.protocols.relay.relay.streaming import Streaming
from sim.protocols.relay.relay.switchboard import Switchboard, passed_on, wired
from sim.protocols.relay.relay.work import Job
from sim.wire.absent import ABSENT
from sim.wire.linkage import JsonObject
from sim.wire.message import Message

BUDGET = "budget"
_PLACELESS = ("node_offline",)
_ABOUT = (
    "forbidden_action",
    "acl_missing_node_grant",
    "listener_not_found",
    "listener_owner_mismatch",
    "listener_node_mismatch",
    "request_id_in_use",
    "node_offline",
    "tab_locked",
    "tab_busy",
    "tab_queue_limit_exceeded",
    "controller_queue_limit_exceeded",
)
"""Refusals that say which action at which node and tab is meant."""


class Commanding:
    """The relay's part that has to do with the family ``command`` and its terminal frames."""

    __slots__ = ("board", "errands", "streaming")

    def __init__(self, board: Switchboard, errands: Errands, streaming: Streaming) -> None:
        self.board = board
        self.errands = errands
        self.streaming = streaming

    # -- in --------------------------------------------------------------------

    def command(self, session: Session, opened: Opened, now: Moment) -> None:
        """A command of a controller."""
        verdict = command_verdict(self.board.books, session, opened, now)
        if isinstance(verdict, Turned):
            self._turn(session, opened, verdict)
        elif isinstance(verdict, Duplicate):
            self._again(session, opened, verdict.job)
        else:
            self._take(verdict, opened)

    def _turn(self, session: Session, opened: Opened, turned: Turned) -> None:
        facts = _facts_of(opened.wire["payload"]) if turned.code in _ABOUT else {}
        if turned.code in _PLACELESS:
            facts = {"node_id": facts["node_id"]}
        if turned.code == "acl_missing_node_grant":
            facts |= {"client_id": session.identity, "actionable_hint": turned.text}
        self.board.refuse(session.name, opened.request_id, turned.code, turned.text, **facts)
        if turned.lease is not None and self.board.rules.conflict_is_told:
            self.board.tell(session.name, conflict(turned.lease), opened.request_id)

    def _again(self, session: Session, opened: Opened, job: Job) -> None:
        """A requestId that is taken: by the same session's command, unless a rule is off."""
        if job.session == session.name and self.board.rules.duplicate_runs_once:
            self.board.tell(session.name, DuplicateIgnored(), opened.request_id)
            return
        self.board.books.work.hand_over(job, session.name, session.identity)
        self.board.forward(job.node, self._owned(job, opened))
        self._say_routed(job, opened.wire["payload"].get("tabSessionId"))

    def _take(self, admitted: Admitted, opened: Opened) -> None:
        job, board = admitted.job, self.board
        job.frame = self._owned(job, opened)
        goes_now = board.books.work.accept(job)
        board.alarm(BUDGET, job.request_id, job.deadline_us)
        self.streaming.asked(job, opened.wire["payload"]["payload"])
        if goes_now:
            self._send(job, opened.wire["payload"].get("tabSessionId"))
            return
        assert job.tab is not None
        depth = board.books.work.depth(job.node, job.tab)
        body = Queued(target_node_id=job.node_id, tab_session_id=job.tab, queue_depth=depth)
        board.tell(job.session, body, job.request_id)

    def _owned(self, job: Job, opened: Opened) -> Message:
        """The frame for the node: as it came, but the relay names the owner of a new tab."""
        if job.action != TAB_OPEN or not self.board.rules.relay_names_the_owner:
            return passed_on(opened)
        original = opened.original
        wire = original.wire if type(original) is Message else opened.wire
        payload = wire["payload"]
        inner = {**payload["payload"], OWNER_FIELD: job.identity}
        return wired(opened, {**wire, "payload": {**payload, "payload": inner}})

    # -- to the node ------------------------------------------------------------

    def _send(self, job: Job, tab: str | None) -> None:
        """``tab`` is told to the controller, as far as it has named it beside the action."""
        self.board.forward(job.node, job.frame)
        if job.action == TAB_OPEN:
            self.board.owners.tab_opened(job.identity, job.node_id)
        self._say_routed(job, tab)

    def _say_routed(self, job: Job, tab: str | None) -> None:
        told = ABSENT if tab is None else tab
        body = Routed(target_node_id=job.node_id, tab_session_id=told)
        self.board.tell(job.session, body, job.request_id)

    def send_next(self, job: Job | None) -> None:
        """The next of a tab's queue, if there is one, has its turn."""
        if job is None:
            return
        if not self.board.rules.one_budget:
            job.deadline_us = self.board.port.now_us() + job.budget_us
            self.board.alarm(BUDGET, job.request_id, job.deadline_us)
        self._send(job, None)

    # -- back --------------------------------------------------------------------

    def answer(self, session: Session, opened: Opened) -> None:
        """A result or an error of a node: the terminal frame of the command, if it may be."""
        board, books = self.board, self.board.books
        if self.errands.answered(session, opened.request_id):
            return
        job = books.work.job(opened.request_id)
        foreign = job is not None and job.node != session.name
        forged = foreign and board.rules.only_executing_node_answers
        if job is None or job.state == WAITING or forged:
            board.note("answer-dropped", requestId=opened.request_id, session=session.name)
            return
        late = job.state == OVERDUE and not board.rules.late_answer_dropped
        if job.state == RUNNING or late:
            board.forward(job.session, passed_on(opened))
        board.calm(BUDGET, job.request_id)
        self.streaming.answered(job, opened)
        self.send_next(books.work.answer(job))

    def progress(self, session: Session, opened: Opened) -> None:
        """Any other event of a node: for the owner of what runs there (DR-19)."""
        job = self.board.books.work.job(opened.request_id)
        if job is None or job.node != session.name or job.state != RUNNING:
            return
        if self.board.rules.progress_to_owner:
            self.board.forward(job.session, passed_on(opened))

    # -- out of time --------------------------------------------------------------

    def due(self, request_id: str, now: Moment) -> None:
        """The budget of a command has ended (DR-12, DR-13)."""
        board = self.board
        job = board.books.work.job(request_id)
        if job is None or job.deadline_us > now.us:
            return  # it has ended meanwhile, or the requestId is another command's now
        state = job.state
        following = board.books.work.overdue(job)
        if state == WAITING:
            board.fail(job, "queue_wait_timed_out")
        elif state == RUNNING:
            board.fail(job, "command_timed_out")
        self.streaming.out_of_time(job)
        if state != WAITING and board.rules.cancel_at_timeout:
            self.stop(job, board.own_id())
        self.send_next(following)

    def stop(self, job: Job, request_id: str) -> None:
        """Ask the node to end a command that it is at."""
        body = CommandCancel(
            target_request_id=job.request_id, node_id=job.node_id, action=job.action
        )
        self.board.tell(job.node, body, request_id)

    def drop(self, job: Job, code: str = "") -> None:
        """A command is in the books no more; its controller is told the code, if there is one."""
        self.board.calm(BUDGET, job.request_id)
        if code:
            self.board.fail(job, code)


def conflict(lease: Lease) -> LockConflict:
    """Who holds the tab, and until when."""
    return LockConflict(**lease.facts())


def _facts_of(payload: JsonObject) -> dict[str, Any]:
    names = {"action": "action", "targetNodeId": "node_id", "tabSessionId": "tab_session_id"}
    return {fact: payload.get(name) for name, fact in names.items()}
