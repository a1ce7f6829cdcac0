"""Queues of tabs: order, limits, budgets, and the loss of either side."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sim.core.errors import SimInternalError
from sim.protocols.relay import machine
from sim.protocols.relay.relay.work import Job, Work


def job(
    id: str, tab: str | None = "T1", *, by: str = "A", node: str = "N", until: int = 1000
) -> Job:
    return Job(id, by, f"ctl_{by}", node, tab, until)


def filled(work: Work, *ids: str, tab: str = "T1", by: str = "A") -> list[Job]:
    jobs = [job(id, tab, by=by) for id in ids]
    for one in jobs:
        work.accept(one)
    return jobs


def expire(work: Work, now: int, *jobs: Job) -> list[Job]:
    """The budgets of those whose time is up end; who that was."""
    due = [one for one in jobs if work.job(one.request_id) is one]
    due = [one for one in due if one.deadline_us <= now and one.state != "OVERDUE"]
    for one in due:
        work.overdue(one)
    return due


def ids(jobs: list[Job]) -> list[str]:
    return [one.request_id for one in jobs]


def test_work_of_one_tab_goes_to_the_node_one_by_one_in_order_over_all_controllers() -> None:
    work = Work()
    one, two, three = job("1", by="A"), job("2", by="B"), job("3", by="A")
    assert [work.accept(each) for each in (one, two, three)] == [True, False, False]
    assert work.depth("N", "T1") == 2
    assert work.answer(one) is two
    assert work.answer(two) is three
    assert work.answer(three) is None
    assert work.depth("N", "T1") == 0
    assert [each.state for each in (one, two, three)] == ["ENDED"] * 3


def test_other_tabs_other_nodes_and_work_in_no_tab_never_wait() -> None:
    work = Work()
    filled(work, "1")
    for other in (job("2", "T2"), job("3", node="N2"), job("4", None), job("5", None)):
        assert work.refusal(other, waits=False) is None
        assert work.accept(other)


def test_a_busy_tab_refuses_who_will_not_wait() -> None:
    work = Work()
    filled(work, "1")
    assert work.refusal(job("2"), waits=False) == "tab_busy"
    assert work.refusal(job("2"), waits=True) is None


def test_the_limit_of_a_tab_does_not_count_who_runs_and_is_asked_first() -> None:
    work = Work(tab_limit=2, session_limit=2)
    filled(work, "1", "2", "3")
    assert work.refusal(job("4", by="B"), waits=True) == "tab_queue_limit_exceeded"
    assert work.refusal(job("4", by="A"), waits=True) == "tab_queue_limit_exceeded"


def test_the_limit_of_a_session_counts_its_waiting_work_over_all_tabs() -> None:
    work = Work(session_limit=2)
    first = filled(work, "1", "2")[0]
    filled(work, "3", "4", tab="T2")
    assert work.refusal(job("5", "T2", by="A"), waits=True) == "controller_queue_limit_exceeded"
    assert work.refusal(job("5", "T2", by="B"), waits=True) is None
    assert work.refusal(job("5", "T3", by="A"), waits=True) is None
    work.answer(first)
    assert work.refusal(job("5", "T2", by="A"), waits=True) is None


def test_the_limits_are_20_and_100_unless_said_otherwise() -> None:
    work = Work()
    filled(work, *(str(n) for n in range(21)))
    assert work.refusal(job("x"), waits=True) == "tab_queue_limit_exceeded"
    assert work.depth("N", "T1") == 20
    for tab in range(5):
        filled(work, *(f"{tab}.{n}" for n in range(21 if tab < 4 else 2)), tab=f"t{tab}")
    assert work.refusal(job("x", "t4"), waits=True) == "controller_queue_limit_exceeded"


@pytest.mark.parametrize(
    "leave",
    [
        lambda work, jobs: work.answer(jobs[0]),
        lambda work, jobs: work.cancel(jobs[1]),
        lambda work, jobs: work.overdue(jobs[1]),
        lambda work, jobs: work.lose_node("N"),
        lambda work, jobs: work.lose_session("A"),
    ],
)
def test_who_leaves_the_queue_in_any_way_counts_no_longer(
    leave: Callable[[Work, list[Job]], object],
) -> None:
    work = Work(session_limit=2)
    jobs = [job("1", by="Z"), job("2", until=50), job("3", "T2", by="Z", node="M")]
    jobs.append(job("4", "T2", node="M"))
    for each in jobs:
        work.accept(each)
    asked = job("x", "T2", node="M")
    assert work.refusal(asked, waits=True) == "controller_queue_limit_exceeded"
    leave(work, jobs)
    waiting = [one for one in jobs if one.session == "A" and one.state == "WAITING"]
    for number in range(2 - len(waiting)):
        assert work.refusal(asked, waits=True) is None
        work.accept(job(f"more {number}", "T2", node="M"))
    assert work.refusal(asked, waits=True) == "controller_queue_limit_exceeded"


def test_a_request_id_is_taken_until_the_node_is_done_with_it() -> None:
    work = Work()
    one = filled(work, "1")[0]
    work.overdue(one)
    assert work.job("1") is one
    with pytest.raises(SimInternalError, match="taken"):
        work.accept(job("1", None))
    work.answer(one)
    assert work.job("1") is None
    assert work.accept(job("1"))


def test_a_budget_that_ends_in_the_queue_ends_the_command_unsent() -> None:
    work = Work()
    one, two, three = job("1", until=9000), job("2", until=50), job("3", until=9000)
    for each in (one, two, three):
        work.accept(each)
    assert work.overdue(two) is None
    assert two.state == "ENDED"
    assert work.job("2") is None
    assert work.answer(one) is three


def test_a_budget_that_ends_at_the_node_keeps_the_tab_until_the_answer() -> None:
    work = Work()
    one, two = job("1", until=50), job("2", until=9000)
    work.accept(one)
    work.accept(two)
    assert work.overdue(one) is None
    assert (one.state, one.is_owed) == ("OVERDUE", False)
    assert two.state == "WAITING"
    assert work.refusal(job("3"), waits=False) == "tab_busy"
    assert work.answer(one) is two


def test_cancelling_takes_waiting_work_away_and_leaves_running_work_at_its_node() -> None:
    work = Work()
    one, two, three = filled(work, "1", "2", "3")
    work.cancel(two)
    work.cancel(one)
    assert (one.state, two.state) == ("RUNNING", "ENDED")
    assert work.job("2") is None
    assert work.answer(one) is three


def test_a_lost_node_ends_what_ran_and_then_what_waited_in_order_of_arrival() -> None:
    work = Work()
    jobs = [
        job("1"),
        job("2"),
        job("3", "T2", by="B"),
        job("4"),
        job("5", None),
        job("6", node="M"),
    ]
    for each in jobs:
        work.accept(each)
    assert ids(work.lose_node("N")) == ["1", "3", "5", "2", "4"]
    assert work.job("6") is jobs[5]
    assert work.lose_node("N") == []
    assert work.accept(job("1"))


def test_a_lost_node_owes_nothing_for_work_that_is_overdue_or_an_orphan() -> None:
    work = Work()
    overdue, waiting = job("1", until=50), job("2")
    orphan = job("3", "T2", by="B")
    for each in (overdue, waiting, orphan):
        work.accept(each)
    work.overdue(overdue)
    work.lose_session("B")
    assert ids(work.lose_node("N")) == ["2"]
    assert work.job("1") is None


def test_a_lost_session_takes_its_waiting_work_along_and_no_place_of_others() -> None:
    work = Work()
    jobs = [job("1", by="A"), job("2", by="B"), job("3", by="A"), job("4", by="C")]
    for each in jobs:
        work.accept(each)
    assert ids(work.lose_session("A")) == ["3"]
    assert (jobs[0].state, jobs[0].is_owed) == ("ORPHANED", False)
    assert work.answer(jobs[0]) is jobs[1]
    assert work.answer(jobs[1]) is jobs[3]


def test_an_orphan_is_stopped_at_its_budget_and_keeps_its_tab() -> None:
    work = Work()
    one, two = job("1", until=50), job("2", by="B", until=99)
    work.accept(one)
    work.accept(two)
    work.lose_session("A")
    assert work.overdue(one) is None
    assert one.state == "OVERDUE"
    assert two.state == "WAITING"
    work.lose_session("A")
    assert work.answer(one) is two


class Queues(RuleBasedStateMachine):
    """Any order of arrivals, answers, cancels, time and losses, against a list per tab."""

    def __init__(self) -> None:
        super().__init__()
        self.work = Work(tab_limit=2, session_limit=3)
        self.now = 0
        self.count = 0
        self.live: list[Job] = []
        self.sent: list[Job] = []
        self.tabs: dict[tuple[str, str], list[Job]] = {}

    def gone(self, one: Job) -> None:
        self.live.remove(one)
        if one.tab is not None:
            self.tabs[one.node, one.tab].remove(one)

    @rule(
        tab=st.sampled_from(["T1", "T2", None]),
        by=st.sampled_from("AB"),
        node=st.sampled_from("MN"),
        budget=st.integers(1, 30),
        waits=st.booleans(),
    )
    def arrive(self, tab: str | None, by: str, node: str, budget: int, waits: bool) -> None:
        self.count += 1
        one = job(str(self.count), tab, by=by, node=node, until=self.now + budget)
        line = self.tabs.setdefault((node, tab), []) if tab is not None else []
        queued = [each for each in self.live if each.session == by and each.state == "WAITING"]
        wanted = None
        if line:
            wanted = "tab_busy" if not waits else None
            if waits and len(line) > 2:
                wanted = "tab_queue_limit_exceeded"
            elif waits and len(queued) >= 3:
                wanted = "controller_queue_limit_exceeded"
        assert self.work.refusal(one, waits) == wanted
        if wanted is None:
            assert self.work.accept(one) is (not line)
            self.live.append(one)
            line.append(one)
            if len(line) == 1 or tab is None:
                self.sent.append(one)

    @precondition(lambda self: any(one.state != "WAITING" for one in self.live))
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        one = data.draw(st.sampled_from([one for one in self.live if one.state != "WAITING"]))
        following = self.work.answer(one)
        self.gone(one)
        line = self.tabs.get((one.node, one.tab), []) if one.tab is not None else []
        assert following is (line[0] if line else None)
        if following is not None:
            self.sent.append(following)

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        one = data.draw(st.sampled_from(self.live))
        waited = one.state == "WAITING"
        self.work.cancel(one)
        assert (one.state == "ENDED") is waited
        if waited:
            self.gone(one)

    @rule(step=st.integers(1, 20))
    def wait(self, step: int) -> None:
        self.now += step
        due = [one for one in self.live if one.deadline_us <= self.now and one.state != "OVERDUE"]
        waited = [one for one in due if one.state == "WAITING"]
        assert expire(self.work, self.now, *self.live) == due
        for one in waited:
            self.gone(one)

    @rule(node=st.sampled_from("MN"))
    def lose_node(self, node: str) -> None:
        lost = [one for one in self.live if one.node == node]
        owed = [one for one in lost if one.state == "RUNNING"]
        owed += [one for one in lost if one.state == "WAITING"]
        assert self.work.lose_node(node) == owed
        for one in lost:
            self.gone(one)

    @rule(by=st.sampled_from("AB"))
    def lose_session(self, by: str) -> None:
        waited = [one for one in self.live if one.session == by and one.state == "WAITING"]
        assert self.work.lose_session(by) == waited
        for one in waited:
            self.gone(one)

    @invariant()
    def each_tab_has_one_at_the_node_and_the_others_wait_in_order(self) -> None:
        for (node, tab), line in self.tabs.items():
            assert [one.state == "WAITING" for one in line] == [n > 0 for n in range(len(line))]
            assert self.work.depth(node, tab) == max(0, len(line) - 1) <= 2

    @invariant()
    def ids_are_taken_exactly_by_who_lives(self) -> None:
        taken = [one for n in range(self.count + 1) if (one := self.work.job(str(n)))]
        assert taken == self.live

    @invariant()
    def nothing_is_sent_twice_or_after_its_end(self) -> None:
        assert len({one.request_id for one in self.sent}) == len(self.sent)
        assert all(one.state != "WAITING" for one in self.sent)


TestQueues = Queues.TestCase
TestQueues.settings = settings(max_examples=30, stateful_step_count=30)


def test_every_row_of_the_tables_of_work_is_used() -> None:
    """A trigger that nobody fires is a line of a diagram that lies."""
    used: dict[str, dict[tuple[str, str], None]] = {}
    for table in (machine.COMMAND, machine.TAB_QUEUE):
        table.used = used[table.role] = {}
    try:
        for number in range(6):
            _go_through(number)
    finally:
        for table in (machine.COMMAND, machine.TAB_QUEUE):
            table.used = None
    for table in (machine.COMMAND, machine.TAB_QUEUE):
        assert [row for row in table.rows() if row not in used[table.role]] == []


def _go_through(number: int) -> None:
    work = Work()
    one, two = job("1", until=50), job("2", by="B", until=60)
    work.accept(one)
    work.accept(two)
    if number == 0:
        work.cancel(one)
        work.overdue(one)
        work.accept(job("3", by="C"))
        work.lose_session("A")
        work.answer(one)
        work.answer(two)
    elif number == 1:
        work.lose_session("A")
        work.overdue(one)
        work.lose_node("N")
    elif number == 2:
        work.lose_session("A")
        work.lose_node("N")
    elif number == 3:
        work.lose_session("A")
        work.cancel(two)
        work.answer(one)
    elif number == 4:
        work.lose_session("B")
        work.overdue(one)
        work.answer(one)
    else:
        work.overdue(one)
        work.overdue(two)
        assert work.job("2") is None
        work.lose_node("N")
        work.accept(job("4"))
        work.lose_node("N")
