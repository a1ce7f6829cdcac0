"""Every mutant is noticed by the invariant that it names, within its budget."""

from __future__ import annotations

import pytest

from sim.cli.proving.mutants import LESSONS, seeds_until_noticed
from sim.core.invariant import Monitor
from sim.protocols.hook import QueryRequest, QueryResponse
from sim.protocols.hook.invariants import invariants_for
from sim.protocols.hook.mutants import Mutant, all_mutants
from tests.protocols.hook.server_play import Play, failed_task

QUICK = 60
"""A budget of more storms than these belongs to the deep tests."""
STORMY = [
    pytest.param(m, id=m.name, marks=pytest.mark.deep if m.seeds > QUICK else ())
    for m in all_mutants()
    if m.needs not in LESSONS
]
TAUGHT = [m for m in all_mutants() if m.needs in LESSONS]


@pytest.mark.parametrize("mutant", STORMY)
def test_a_mutant_is_noticed_in_a_storm(mutant: Mutant) -> None:
    assert seeds_until_noticed(mutant), f"{mutant.caught_by} did not notice: {mutant.what}"


# -- what takes a desktop that breaks the protocol on purpose ---------------------------


def lesson(name: str, *off: str) -> Monitor:
    """A short story with desktops held by hand; only the server is judged."""
    play = Play(off=off)
    monitor = Monitor(invariants_for(play.view, frozenset({"server"})))
    monitor.attach(play.world.watch)
    stories = (
        colliding_reopen, foreign_frames, reopened_after_a_cut, late_answer, half_open_session,
        slow_event,
    )  # fmt: skip
    dict(zip(LESSONS, stories, strict=True))[name](play)
    play.run(20)
    monitor.finish(len(play.world.events) - 1)
    return monitor


def colliding_reopen(play: Play) -> None:
    """A desktop reopens a failed message under the id of a task that still runs."""
    failed = failed_task(play)
    running = play.say("another")
    play.ack(running)
    play.reopen(running, failed)
    play.progress(running, "of the wrong task")


def foreign_frames(play: Play) -> None:
    """Bob's desktop reports on a task of Alice's."""
    play.connect()
    play.connect("D2")
    request = play.say("mine")
    play.ack(request)
    play.progress(request, "not yours", who="D2")


def reopened_after_a_cut(play: Play) -> None:
    """The classic race: a slow channel, a cut, and another retry at once."""
    failed = failed_task(play)
    play.reopen("K1", failed)
    play.channel("edit", "latency", 3)
    play.progress("K1", "p", wait=0.3)
    play.cut(wait=0.3)
    play.connect()
    play.reopen("K2", failed)
    play.end("K2", "ok", "the answer")


def late_answer(play: Play) -> None:
    """A desktop answers a question when another one is asked already."""
    play.connect()
    play.say("/bind")
    first = play.got(QueryRequest)[0]
    play.run(12)
    play.say("/bind")
    answer = QueryResponse(
        query_id=first.query_id, kind=first.kind, ok=True, error=None, workspaces=("web",)
    )
    play.send(answer)


def half_open_session(play: Play) -> None:
    """The socket of a round dies silently, and its device connects anew."""
    failed = failed_task(play)
    play.reopen("K1", failed)
    play.progress("K1", "p")
    play.cut(how="silent")
    play.connect()
    play.run(20)


def slow_event(play: Play) -> None:
    """A channel says an event again when its own patience is long over."""
    play.connect()
    play.channel("event", "repeated", 20)
    request = play.say("once")
    play.end(request, "ok", "done")
    play.run(20)


@pytest.mark.parametrize("mutant", TAUGHT, ids=lambda m: m.name)
def test_a_mutant_is_noticed_in_its_lesson(mutant: Mutant) -> None:
    broken = [v.invariant for v in lesson(mutant.needs, mutant.rule.replace("-", "_")).violations]
    assert mutant.caught_by in broken


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_breaks_nothing_while_the_rules_are_on(name: str) -> None:
    assert lesson(name).violations == []
