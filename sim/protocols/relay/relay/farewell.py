"""How sessions end, and what ends with them (DR-04, DR-14, DR-15, DR-16)."""

from __future__ import annotations

from typing import Final

from sim.protocols.relay.constants import CONTROLLER, NODE
from sim.protocols.relay.machine import ENDED
from sim.protocols.relay.relay.commanding import Commanding
from sim.protocols.relay.relay.errands import Errands
from sim.protocols.relay.relay.ingress import Moment
from sim.protocols.relay.relay.locking import Locking
from sim.protocols.relay.relay.sessions import Session
from sim.protocols.relay.relay.streaming import Streaming
from sim.protocols.relay.relay.switchboard import Switchboard

SESSION_TIMER: Final = "session"
SILENT_CODE: Final = 1001
NO_AUTH_CODE: Final = 1008
DISPLACED_CODE: Final = 4001
POISON_CODE: Final = 1011


class Farewell:
    """The relay's part that notices the end of sessions and clears up after them."""

    __slots__ = ("board", "commanding", "errands", "locking", "streaming")

    def __init__(
        self,
        board: Switchboard,
        commanding: Commanding,
        errands: Errands,
        locking: Locking,
        streaming: Streaming,
    ) -> None:
        self.board = board
        self.commanding = commanding
        self.errands = errands
        self.locking = locking
        self.streaming = streaming

    def watch(self, session: Session) -> None:
        """From now on the session ends by itself when nothing comes."""
        self.board.alarm(SESSION_TIMER, session.name, session.ends_at(), background=True)

    def due(self, session: Session, now: Moment) -> None:
        """The timer of a session: its time is up, or more has come since it was set."""
        if session.is_ready and session.role == NODE and not self.board.rules.nodes_are_watched:
            return
        if session.ends_at() > now.us:
            self.watch(session)
        elif not session.is_ready:
            self.close(session, "deadline", NO_AUTH_CODE, "no auth")
        elif self.board.rules.heartbeat_cleans_at_once:
            self.close(session, "silence", SILENT_CODE, "silent")
        else:
            self.board.hang_up(session, SILENT_CODE, "silent")

    def close(self, session: Session, trigger: str, code: int, reason: str) -> None:
        """The relay ends a session."""
        self.board.hang_up(session, code, reason)
        self.end(session, trigger)

    def displace(self, older: Session) -> None:
        """A newer session has proved to be this node (DR-10)."""
        self.close(older, "displace", DISPLACED_CODE, "displaced")
        if not self.board.rules.old_close_means_nothing:
            self.board.books.sessions.unseat(older.identity)

    def end(self, session: Session, trigger: str) -> None:
        """A session is over, with all that belongs to it; nobody waits for anything."""
        was_ready = session.is_ready
        self.board.books.sessions.end(session, trigger)
        self.board.conns.pop(session.name, None)
        self.board.calm(SESSION_TIMER, session.name)
        if was_ready:
            self.clear(session, is_displaced=trigger == "displace")

    def clear(self, session: Session, is_displaced: bool = False) -> None:
        """What follows from the end of an authenticated session."""
        if session.role == CONTROLLER:
            self._lose_controller(session)
        elif not is_displaced or self.board.rules.displaced_work_ends:
            self._lose_node(session)

    def _lose_node(self, session: Session) -> None:
        work = self.board.books.work
        its = work.at_node(session.name)
        owed = work.lose_node(session.name)
        for job in its:
            if job.state == ENDED:
                self.commanding.drop(job)
        for job in owed:
            self.board.fail(job, "node_disconnected")
        self.streaming.lose_node(session.name)
        self.errands.lose_node(session.name)

    def _lose_controller(self, session: Session) -> None:
        books, board = self.board.books, self.board
        for job in books.work.lose_session(session.name):
            self.commanding.drop(job)
        self.locking.lose_session(session)
        self.streaming.lose_session(session.name)
        online = [node.identity for node in books.sessions.nodes()]
        told = board.owners.session_ended(session.identity, online)
        if told or not board.rules.cleanup_after_last_session:
            for node in books.sessions.nodes():
                self.errands.close_owned(node, session.identity)
