"""What an arrow makes a thread do: wait for a frame, direct somebody, send a puppet's frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sim.scenario.playing.expectation import Expectation, seconds
from sim.scenario.playing.stage import Direction, NotYet
from sim.scenario.playing.threads import Arrives, BranchVoid, Poll, Steps, Until
from sim.scenario.playing.wording import nearest_name
from sim.scenario.syntax import Act, Arrow, ChannelCall, FrameText, FreeText, Local, Participant

if TYPE_CHECKING:
    from sim.scenario.playing.walk import Following, Walk


def carry(walk: Walk, arrow: Arrow, following: Following) -> Steps:
    """Play one arrow."""
    source = walk.stage.scenario.participant(arrow.source)
    target = walk.stage.scenario.participant(arrow.target)
    acts = source.kind == "person" or source.is_channel
    if acts and target.kind != "person" and arrow.source != arrow.target:
        arrow = walk.stage.understood(arrow, following)
    match arrow.content:
        case FrameText() as text if source.puppet is not None:
            yield from _puppet_frame(walk, arrow, text)
        case FrameText() as text:
            yield from _frame(walk, arrow, text, following)
        case Act() as act if source.is_channel and _said_before(walk, arrow, act):
            yield from _passed_on(walk, arrow, act)
        case Act() as act:
            yield from _act(walk, arrow, act, target)
        case ChannelCall() as call:
            yield from _call(walk, arrow, call.op)
        case Local() as local:
            yield from _local(walk, arrow, local)
        case FreeText() if target.is_channel and source.kind == "server":
            yield from _call(walk, arrow, None)
        case FreeText():
            pass
    if source.kind == "server":
        walk.spoken.clear()  # the server has gone on: what people said before has reached it


# -- expectations ----------------------------------------------------------------------


def _frame(walk: Walk, arrow: Arrow, text: FrameText, following: Following) -> Steps:
    yield from walk.expectation_begins()
    expectation = _expect(walk, arrow, text=text)
    was_prompted = arrow.line in walk.shared.prompted
    walk.shared.prompted.pop(arrow.line, None)
    if expectation.sent is None and walk.directs and not was_prompted:
        yield from _in_time(walk, arrow, text)
        for direction in walk.stage.prompts(arrow, text, following, walk.shared.prompted):
            if walk.director.world.hosts[direction.host].up:
                yield from walk.do(direction)
            else:
                expectation.near = f"{direction.host} is down"
    yield from _await(walk, expectation)


def _in_time(walk: Walk, arrow: Arrow, text: FrameText) -> Steps:
    """Nothing is caused before all are there."""
    if walk.stage.is_early(arrow, text):
        yield Poll(lambda: not walk.stage.is_early(arrow, text))


def _expect(walk: Walk, arrow: Arrow, mark: int | None = None, **wants: Any) -> Expectation:
    fate, fate_us = None, 0
    if not isinstance(arrow.content, Act | ChannelCall):
        fate, fate_us = walk.shared.fates.pop(arrow.line, (None, 0))
    if arrow.lost:
        fate = "lose"
    expectation = Expectation(
        arrow, arrow.source, arrow.target, walk.thread.mark if mark is None else mark,
        walk.thread, walk.path, fate=fate, fate_us=fate_us, **wants,
    )  # fmt: skip
    walk.thread.expected.append(expectation)
    walk.director.lookout.expect(expectation)
    return expectation


def _await(walk: Walk, expectation: Expectation, *, decides: bool = True) -> Steps:
    if expectation.sent is None and any(group.cutoff is not None for group, _ in walk.path):
        raise BranchVoid  # nothing new can match, and nothing old does
    met = yield Arrives(expectation)
    if met and expectation.sent is not None:
        walk.thread.mark = max(walk.thread.mark, expectation.sent)
    elif not met:
        early = _came_early(walk, expectation)
        happened = early or expectation.near or _what_happened(walk, expectation)
        _fail(walk, expectation.arrow, happened)
    if decides:
        walk.expectation_over()


def _fail(walk: Walk, arrow: Arrow, happened: str) -> None:
    walk.findings.fail(arrow.line, f"{arrow.source} → {arrow.target}: {arrow.text}", happened)


def _came_early(walk: Walk, expectation: Expectation) -> str:
    """That it came before the arrow above it, where it did."""
    lookout = walk.director.lookout
    missed = None if expectation.text is None else lookout.missed(expectation)
    if missed is None:
        return ""
    lines = [f" {one.arrow.line}" for one in lookout.took(expectation.mark)]
    before = f"before line{lines[0]}" if lines else "before its turn"
    return f"at {seconds(missed.at)} it came, {before}; par … and … end leaves the order open"


def _what_happened(walk: Walk, expectation: Expectation) -> str:
    """Name what came instead, newest last."""
    pair = (expectation.source, expectation.target)
    since = -1 if pair[0] == pair[1] else expectation.mark
    came = [
        nearest_name(event.frame, walk.stage.wording)
        for event in walk.director.lookout.frames
        if event.n > since and (event.sender, event.receiver) == pair
    ]
    if not came:
        return "nothing came within 60 s"
    shown = ", ".join(came[-6:])
    return f"it did not come within 60 s; what came was {shown}"


def _call(walk: Walk, arrow: Arrow, op: str | None) -> Steps:
    stage = walk.stage
    yield from walk.expectation_begins()
    expectation = _expect(walk, arrow, wants_call=lambda request: stage.call_fits(op, request))
    yield from _await(walk, expectation)


def _said_before(walk: Walk, arrow: Arrow, act: Act) -> tuple[int, Act, str] | None:
    """What a drawn person has done on this channel already: then it just passes it on."""
    for one in walk.spoken:
        _, done, channel = one
        if channel == arrow.source and (act.remark is not None or done.verb == act.verb):
            return one
    return None


def _passed_on(walk: Walk, arrow: Arrow, act: Act) -> Steps:
    """The channel's event of what a person has done before."""
    one = _said_before(walk, arrow, act)
    assert one is not None
    walk.spoken.remove(one)
    mark, done, _ = one
    stage = walk.stage
    yield from walk.expectation_begins()
    expectation = _expect(
        walk, arrow, mark, wants_call=lambda request: stage.event_fits(done, request)
    )
    yield from _await(walk, expectation)


# -- people ------------------------------------------------------------------------------


def _act(walk: Walk, arrow: Arrow, act: Act, target: Participant) -> Steps:
    walk.must_direct()
    yield from _direct(walk, arrow, act)
    if target.is_channel:
        walk.spoken.append((walk.thread.mark, act, target.id))


def _local(walk: Walk, arrow: Arrow, local: Local) -> Steps:
    if local.verb == "think":
        yield Until(walk.director.world.now + (local.duration_us or 0))
        return
    walk.must_direct()
    yield from _direct(walk, arrow, Act(local.line, local.column, local.verb))


def _direct(walk: Walk, arrow: Arrow, act: Act) -> Steps:
    """Let somebody do it as soon as it can be done."""

    def possible() -> Direction | NotYet:
        direction = walk.stage.person_does(arrow, act)
        if isinstance(direction, Direction) and direction.verb == "act":
            host = walk.director.world.hosts[direction.host]
            return direction if host.up else NotYet(f"{direction.host} is down")
        return direction

    direction = possible()
    if isinstance(direction, NotYet):
        yield Poll(lambda: not isinstance(possible(), NotYet))
        direction = possible()
        if isinstance(direction, NotYet):
            _fail(walk, arrow, f"it could not be done within 60 s: {direction.why}")
            return
    yield from walk.do(direction)
    walk.thread.mark = walk.last_act


# -- puppets -----------------------------------------------------------------------------


def _puppet_frame(walk: Walk, arrow: Arrow, text: FrameText) -> Steps:
    walk.must_direct()
    sender, receiver = arrow.source, arrow.target
    stage = walk.stage
    yield Until(walk.director.world.now)
    yield from _in_time(walk, arrow, text)
    while stage.puppet_ready(sender, receiver) is not None:
        if not (yield Poll(lambda: stage.puppet_ready(sender, receiver) is None)):
            why = stage.puppet_ready(sender, receiver) or "it came too late"
            _fail(walk, arrow, why)
            return
    frame = stage.compose(sender, receiver, text)
    expectation = _expect(walk, arrow, frame=frame)
    walk.perform(stage.puppet_sends(sender, receiver, frame))
    yield from _await(walk, expectation, decides=False)
