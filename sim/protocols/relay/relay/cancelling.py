"""command_cancel: of what waits, of what runs, of the stream of a test (DR-17, DR-20)."""

from __future__ import annotations

from sim.protocols.relay.frames.events import CancelAck
from sim.protocols.relay.machine import ORPHANED, RUNNING, WAITING
from sim.protocols.relay.parse import Opened
from sim.protocols.relay.relay.commanding import Commanding
from sim.protocols.relay.relay.listening import Stream
from sim.protocols.relay.relay.sessions import Session
from sim.protocols.relay.relay.streaming import Streaming
from sim.protocols.relay.relay.switchboard import Switchboard, passed_on
from sim.protocols.relay.relay.work import Job


class Cancelling:
    """The relay's part that ends commands before their time."""

    __slots__ = ("board", "commanding", "streaming")

    def __init__(self, board: Switchboard, commanding: Commanding, streaming: Streaming) -> None:
        self.board = board
        self.commanding = commanding
        self.streaming = streaming

    def cancel(self, session: Session, opened: Opened) -> None:
        """A controller wants a command or a stream to end."""
        target = opened.wire["payload"]["targetRequestId"]
        books = self.board.books
        job, stream = books.work.job(target), books.streams.get(target)
        if job is not None and job.state not in (WAITING, RUNNING, ORPHANED):
            job = None
        if job is None and stream is None:
            self._unknown(session, opened)
        elif self.board.rules.cancel_by_owner and session.identity != self._owner(job, stream):
            self.board.refuse(session.name, opened.request_id, "command_owner_mismatch")
        elif job is None:
            assert stream is not None
            self.streaming.cancel(stream)
            self._acknowledge(session, opened, "cancelled")
        elif job.state == WAITING:
            self._cancel_waiting(job)
            self._acknowledge(session, opened, "cancelled")
        else:
            self._cancel_running(session, opened, job)
            self._acknowledge(session, opened, "forwarded")

    def _owner(self, job: Job | None, stream: Stream | None) -> str:
        if job is not None:
            return job.identity
        assert stream is not None
        owner = self.board.books.sessions.get(stream.session)
        return owner.identity if owner is not None else ""

    def _unknown(self, session: Session, opened: Opened) -> None:
        if self.board.rules.every_cancel_answered:
            self.board.refuse(session.name, opened.request_id, "command_not_found")

    def _cancel_waiting(self, job: Job) -> None:
        self.board.books.work.cancel(job)
        self.streaming.cancelled(job)
        self.commanding.drop(job, "command_cancelled")

    def _cancel_running(self, session: Session, opened: Opened, job: Job) -> None:
        """Its node is asked to stop; what the node says is the end."""
        self.board.books.work.cancel(job)
        job.cancels[opened.request_id] = session.name
        self.commanding.stop(job, opened.request_id)
        if not self.board.rules.one_terminal_at_cancel:
            self.board.fail(job, "command_cancelled")

    def _acknowledge(self, session: Session, opened: Opened, status: str) -> None:
        target = opened.wire["payload"]["targetRequestId"]
        body = CancelAck(target_request_id=target, status=status)
        self.board.tell(session.name, body, opened.request_id)

    def rejected(self, session: Session, opened: Opened) -> None:
        """A node goes on with what was to be cancelled: that is for the canceller (DR-19)."""
        job = self.board.books.work.job(opened.wire["payload"]["targetRequestId"])
        if job is not None and job.node == session.name:
            canceller = job.cancels.get(opened.request_id)
            if canceller is not None:
                self.board.forward(canceller, passed_on(opened))
