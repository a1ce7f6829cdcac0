"""What holds in every world, shown on worlds made by chance."""

from collections import defaultdict
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core.event import CallAnswered, CallIssued, FrameDelivered, FrameLost, FrameSent
from sim.core.trace import digest_of, first_difference
from sim.drivers.step import StepDriver
from sim.world.choice import named
from tests.world.random_worlds import build, plans, timed_run


def drain(world):
    StepDriver(world).drain()


def assert_kept_in_order(world):
    """The plan's own bookkeeping agrees with the plain definition of it."""
    planned = [item for _, seq, item in world._heap if item.seq == seq]
    assert world.pending == sum(item.foreground for item in planned)
    assert world._stale == len(world._heap) - len(planned)
    for link in world.links.values():
        for end in link.ends():
            places = [(item.due, item.seq) for item in end.flight]
            if end.held:
                assert all(seq == -1 for _, seq in places)
            else:
                assert places == sorted(places)


@given(plans())
def test_the_first_enabled_choice_is_what_the_timed_run_takes(plan):
    world = build(plan)
    drain(world)
    while choices := world.enabled():
        assert choices[0].item is world.next_item()
        assert_kept_in_order(world)
        world.apply(choices[0])
        drain(world)
    timed = timed_run(plan)
    assert first_difference(world.events, timed.events) is None


@given(plans())
def test_preempting_and_always_taking_the_first_choice_is_the_timed_run(plan):
    world = build(plan, preempt=True)
    while choices := world.enabled():
        world.apply(choices[0])
    assert first_difference(world.events, timed_run(plan).events) is None


@given(plans())
def test_the_same_plan_is_the_same_run(plan):
    assert digest_of(timed_run(plan).events) == digest_of(timed_run(plan).events)


@given(plans(), st.data(), st.booleans())
def test_whatever_is_chosen_the_world_keeps_its_order(plan, data, preempt):
    world = build(plan, preempt=preempt)
    with closing(world):
        for _ in range(150):
            if not preempt:
                drain(world)
            choices = world.enabled()
            if not choices:
                break
            assert len(named(choices)) == len(choices)
            assert_kept_in_order(world)
            world.apply(choices[data.draw(st.integers(0, min(len(choices) - 1, 5)))])
        assert_tells_the_truth(world)


@given(plans())
def test_every_timed_run_ends_and_its_trace_tells_the_truth(plan):
    world = timed_run(plan)
    assert world.settled()
    assert_tells_the_truth(world)
    world.close()


@pytest.mark.deep
@settings(max_examples=2_000)
@given(plans())
def test_a_long_search_finds_no_run_that_differs_when_it_is_taken_step_by_step(plan):
    world = build(plan, preempt=True)
    while choices := world.enabled():
        assert_kept_in_order(world)
        world.apply(choices[0])
    timed = timed_run(plan)
    assert first_difference(world.events, timed.events) is None
    assert_tells_the_truth(timed)


def assert_tells_the_truth(world):
    """Numbers, times, causes; FIFO per direction; each frame and each call ends once."""
    now = 0
    delivered = defaultdict(list)
    ends = defaultdict(int)
    answered = defaultdict(int)
    for n, event in enumerate(world.events):
        assert event.n == n
        assert -1 <= event.cause < n
        assert event.at >= now
        now = event.at
        if isinstance(event, FrameDelivered):
            delivered[event.link, event.sender].append(event.sent)
        if isinstance(event, FrameDelivered | FrameLost):
            ends[event.sent] += 1
            assert isinstance(world.events[event.sent], FrameSent)
        if isinstance(event, CallAnswered):
            answered[event.call] += 1
            assert isinstance(world.events[event.call], CallIssued)
    again = any(getattr(e, "fault", "").startswith("duplicate") for e in world.events)
    if not again:
        assert all(order == sorted(order) for order in delivered.values())
        assert all(times == 1 for times in ends.values())
    assert all(times == 1 for times in answered.values())
