"""Accepted commands: in their tabs' queues, at their nodes, and how they end.

One queue per tab of a node over all controllers, first in first out; tabs do not
wait for each other, and work that is in no tab never waits (DR-11). A budget covers
waiting and running (DR-12). What runs over it keeps its tab and its requestId until
the node answers or is lost (DR-08, DR-13).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import attrs

from sim.core.errors import SimInternalError
from sim.protocols.relay.constants import CONTROLLER_QUEUE_LIMIT, TAB_QUEUE_LIMIT
from sim.protocols.relay.machine import (
    ACCEPTED,
    BUSY,
    COMMAND,
    ENDED,
    IDLE,
    OVERDUE,
    RUNNING,
    TAB_QUEUE,
    WAITING,
)
from sim.protocols.relay.rules import RelayRules

TAB_BUSY: Final = "tab_busy"
TAB_FULL: Final = "tab_queue_limit_exceeded"
CONTROLLER_FULL: Final = "controller_queue_limit_exceeded"


@attrs.define(eq=False)
class Job:
    """One command. ``session`` is the controller's, ``node`` the node session's name.

    ``deadline_us`` is when its budget of ``budget_us`` ends; ``state`` is moved by
    :class:`Work` alone. ``frame`` is what goes to the node ``node_id``, ``action`` what it
    asks for; ``waited`` whether it stood in a queue. ``cancels``: who asked for its end
    while it ran, session by the requestId of the command_cancel.
    """

    request_id: str
    session: str
    identity: str
    node: str
    tab: str | None
    deadline_us: int
    budget_us: int = 0
    action: str = ""
    frame: Any = None
    node_id: str = ""
    state: str = ACCEPTED
    waited: bool = False
    cancels: dict[str, str] = attrs.field(factory=dict)

    @property
    def is_owed(self) -> bool:
        """Whether its controller still waits for a terminal frame."""
        return self.state in (ACCEPTED, WAITING, RUNNING)


@attrs.define(eq=False)
class _Tab:
    """A tab's queue: who is at the node, who waits."""

    running: Job
    waiting: list[Job] = attrs.field(factory=list)
    state: str = BUSY


class Work:
    """All commands between acceptance and their end, in order of arrival."""

    def __init__(
        self,
        tab_limit: int = TAB_QUEUE_LIMIT,
        session_limit: int = CONTROLLER_QUEUE_LIMIT,
        rules: RelayRules | None = None,
    ) -> None:
        self.tab_limit = tab_limit
        self.session_limit = session_limit
        self.rules = rules or RelayRules()
        self._jobs: dict[str, Job] = {}
        self._of_session: dict[str, dict[str, Job]] = {}
        self._tabs: dict[tuple[str, str], _Tab] = {}
        self._depths: dict[str, int] = {}

    def job(self, request_id: str) -> Job | None:
        """The command that has this requestId, while the id is taken."""
        return self._jobs.get(request_id)

    def depth(self, node: str, tab: str) -> int:
        """How many wait for a tab."""
        found = self._tabs.get(self._place(node, tab))
        return len(found.waiting) if found else 0

    def refusal(self, job: Job, waits: bool) -> str | None:
        """The code that a command is refused with now, None when it would be accepted.

        ``waits`` is the wait policy: whether it may stand in a queue.
        """
        found = self._tab_of(job)
        if found is None:
            return None
        if not waits:
            return TAB_BUSY
        if len(found.waiting) >= self.tab_limit and self.rules.tab_queue_limit:
            return TAB_FULL
        full = self._depth_of(job) >= self.session_limit and self.rules.controller_queue_limit
        return CONTROLLER_FULL if full else None

    def accept(self, job: Job) -> bool:
        """Take a command in: True when it goes to its node at once, False when it waits.

        Raises SimInternalError when its requestId is taken; ask :meth:`refusal` and
        :meth:`job` first.
        """
        if job.request_id in self._jobs:
            raise SimInternalError(f"requestId {job.request_id} is taken; look before accepting")
        self._enter(job)
        found = self._tab_of(job)
        if found is not None:
            found.state = TAB_QUEUE.step(found.state, "wait")
            job.state = COMMAND.step(job.state, "wait")
            job.waited = True
            found.waiting.append(job)
            self._count_in(job)
            return False
        job.state = COMMAND.step(job.state, "send")
        if job.tab is not None:
            self._tabs[self._place(job.node, job.tab)] = _Tab(
                job, state=TAB_QUEUE.step(IDLE, "send")
            )
        return True

    def answer(self, job: Job) -> Job | None:
        """The node is done with a command; the next one of its tab, which goes there now."""
        job.state = COMMAND.step(job.state, "answer")
        self._strike(job)
        return self._advance(job)

    def cancel(self, job: Job) -> None:
        """A cancel: a waiting command ends, a running one goes on until its node answers."""
        if job.state == WAITING:
            self._leave(job, "cancel")
        elif job.state == RUNNING:
            job.state = COMMAND.step(job.state, "cancel")

    def overdue(self, job: Job) -> Job | None:
        """The budget of a command has ended; the one that goes to its tab now, if any.

        If it waited, it has ended and is never sent. If not, it is with its node still,
        which must be told to stop, and keeps its tab.
        """
        if job.state == WAITING:
            if self.rules.queue_timeout_is_final:
                self._leave(job, "budget ends")
            return None
        job.state = COMMAND.step(job.state, "budget ends")
        found = self._tab_of(job)
        if found is None:
            return None
        found.state = TAB_QUEUE.step(found.state, "budget ends")
        return None if self.rules.tab_waits_for_late_answer else self._advance(job)

    def running(self, node: str, tab: str) -> Job | None:
        """The command that is at a node for this tab."""
        found = self._tabs.get(self._place(node, tab))
        return found.running if found else None

    def at_node(self, node: str) -> list[Job]:
        """All commands of a node session, in order of arrival."""
        return [job for job in self._jobs.values() if job.node == node]

    def lose_node(self, node: str) -> list[Job]:
        """End all work of a node session: what its controllers must be told of, in order.

        First what was at the node, then what waited, each in order of arrival.
        """
        lost = [job for job in self.at_node(node) if self._ends_with_node(job)]
        waiting = [job for job in lost if job.state == WAITING]
        owed = [job for job in lost if job.is_owed and job.state != WAITING]
        for job in waiting:
            self._leave(job, "node lost")
        self._end((job for job in lost if job.state != ENDED), "node lost")
        for place in [place for place in self._tabs if place[0] == node]:
            found = self._tabs[place]
            if found.running.state == ENDED and not found.waiting:
                found.state = TAB_QUEUE.step(found.state, "node lost")
                del self._tabs[place]
        return owed + waiting

    def _ends_with_node(self, job: Job) -> bool:
        if job.state == WAITING:
            return self.rules.node_loss_ends_waiting
        return self.rules.node_loss_ends_running

    def lose_session(self, session: str) -> list[Job]:
        """A controller session is over: its waiting commands, which are never sent now.

        What is at a node goes on for nobody.
        """
        its = list(self._of_session.get(session, {}).values())
        waiting = [job for job in its if job.state == WAITING and self.rules.purge_waiting]
        for job in waiting:
            self._leave(job, "controller lost")
        for job in its:
            if job.state in (RUNNING, OVERDUE):
                job.state = COMMAND.step(job.state, "controller lost")
        return waiting

    def hand_over(self, job: Job, session: str, identity: str) -> None:
        """A command is somebody else's from now on."""
        self._strike(job)
        if job.state == WAITING:
            self._count_out(job)
        job.session, job.identity = session, identity
        if job.state == WAITING:
            self._count_in(job)
        self._enter(job)

    def _enter(self, job: Job) -> None:
        self._jobs[job.request_id] = job
        self._of_session.setdefault(job.session, {})[job.request_id] = job

    def _strike(self, job: Job) -> None:
        del self._jobs[job.request_id]
        its = self._of_session[job.session]
        del its[job.request_id]
        if not its:
            del self._of_session[job.session]

    def _place(self, node: str, tab: str) -> tuple[str, str]:
        return node, tab if self.rules.tabs_in_parallel else ""

    def _tab_of(self, job: Job) -> _Tab | None:
        return None if job.tab is None else self._tabs.get(self._place(job.node, job.tab))

    def _depth_of(self, job: Job) -> int:
        return self._depths.get(job.session, 0)

    def _advance(self, job: Job) -> Job | None:
        found = self._tab_of(job)
        if found is None or found.running is not job:
            return None
        if not found.waiting:
            found.state = TAB_QUEUE.step(found.state, "answer")
            assert job.tab is not None
            del self._tabs[self._place(job.node, job.tab)]
            return None
        found.state = TAB_QUEUE.step(found.state, "next")
        following = found.running = found.waiting.pop(0 if self.rules.fifo_per_tab else -1)
        self._count_out(following)
        following.state = COMMAND.step(following.state, "send")
        return following

    def _leave(self, job: Job, trigger: str) -> None:
        """A waiting command ends without having been sent."""
        found = self._tab_of(job)
        assert found is not None
        found.waiting.remove(job)
        self._end((job,), trigger)

    def _end(self, jobs: Iterable[Job], trigger: str) -> None:
        for job in jobs:
            if job.state == WAITING:
                self._count_out(job)
            job.state = COMMAND.step(job.state, trigger)
            self._strike(job)

    def _count_in(self, job: Job) -> None:
        self._depths[job.session] = self._depth_of(job) + 1

    def _count_out(self, job: Job) -> None:
        left = self._depth_of(job) - 1
        if left:
            self._depths[job.session] = left
        else:
            del self._depths[job.session]
