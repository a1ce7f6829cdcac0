"""Walking the diagram: what each statement makes a thread do.

Each method is a generator that yields requests (see ``threads``). A walk
knows whether it *directs*: in an ``alt`` only one branch, chosen by the seed,
tells people and agents what to do; the others merely watch.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import attrs

from sim.core.entropy import Stream
from sim.scenario.acts import resolve_free_text
from sim.scenario.directive_nodes import Directive
from sim.scenario.playing import directing
from sim.scenario.playing.checks import check_never, check_shown
from sim.scenario.playing.director import Director
from sim.scenario.playing.expectation import Expectation
from sim.scenario.playing.stage import Direction, NotYet, Stage
from sim.scenario.playing.threads import Arrives, Joined, Poll, Settled, Steps, Thread, Until
from sim.scenario.syntax import (
    Act,
    Alt,
    Arrow,
    Branch,
    Break,
    ChannelCall,
    Create,
    Critical,
    Destroy,
    FrameText,
    FreeText,
    Local,
    Loop,
    Opt,
    Par,
    Participant,
    Statement,
)
from sim.world import fault

Following = Sequence[Statement]


class BreakReached(Exception):
    """A ``break`` block ended: the run is over."""


@attrs.define(eq=False)
class Undecided:
    """Branches of an ``alt`` or ``opt`` that stay open until the next expectation."""

    line: int
    threads: list[Thread]
    required: bool


@attrs.define(eq=False)
class Walk:
    """One sequential reading of (a part of) the diagram.

    ``watches``: a branch whose lines may stay unmatched. ``fate``: the fault for
    the next arrow. ``forwarded``: nothing that a person said is still to be
    drawn as the channel's event. ``last_act``: number of the last act's event.
    """

    director: Director
    stage: Stage
    directs: bool = True
    watches: bool = False
    thread: Thread = attrs.field(init=False)
    undecided: list[Undecided] = attrs.field(factory=list)
    doomed: list[str] = attrs.field(factory=list)
    fate: tuple[str, int] | None = None
    forwarded: bool = True
    prompted: dict[int, None] = attrs.field(factory=dict)
    last_act: int = -1

    # -- the whole diagram -------------------------------------------------------

    def whole(self) -> Steps:
        """The main thread: the body, the settling, the ``@final`` lines."""
        with suppress(BreakReached):
            yield from self.body(self.stage.scenario.body, ())
        self.thread.line = 0
        settled = yield Settled()
        if not settled:
            self.director.fail(0, "the run settles", "something was still pending after 1 h")
        self._decide()
        for final in self.director.finals:
            check_shown(self.director, self.stage, final)
        for never in self.director.nevers:
            check_never(self.director, self.stage, never)
        self.director.over = True

    def body(self, statements: Following, after: Following) -> Steps:
        """Statements in order; ``after`` is what follows them in the document."""
        for index, statement in enumerate(statements):
            self.thread.line = statement.line
            following = tuple(chain(statements[index + 1 :], after))
            yield from self._statement(statement, following)

    def _statement(self, statement: Statement, following: Following) -> Steps:
        match statement:
            case Arrow():
                yield from self._arrow(statement, following)
                yield from self._bury(statement)
            case Par(branches=branches):
                yield from self._par(branches, following)
            case Alt(branches=branches):
                self._open(statement.line, branches, following, required=True)
            case Opt(line=line, column=column, label=label, body=body):
                branch = Branch(line, column, label, body)
                self._open(line, (branch,), following, required=False)
            case Loop(times=times, body=body):
                for _ in range(times or 1):
                    yield from self.body(body, following)
            case Critical(body=body, options=options):
                yield from self.body(body, following)
                for option in options:
                    self._open(option.line, (option,), following, required=False)
            case Break(body=body):
                yield from self.body(body, following)
                raise BreakReached
            case Create(host=host):
                if self.directs:
                    yield from self._do(Direction(host, verb="restart"))
            case Destroy(host=host):
                self.doomed.append(host)
            case _:
                yield from self._directive(statement, following)

    def _directive(self, node: Directive, following: Following) -> Steps:
        if self.directs:
            yield from directing.carry_out(self, node, following)

    def _bury(self, arrow: Arrow) -> Steps:
        """``destroy`` stands before the last arrow that touches its host."""
        for host in [h for h in self.doomed if h in (arrow.source, arrow.target)]:
            self.doomed.remove(host)
            if self.directs:
                yield from self._do(Direction(host, verb="crash"))

    # -- arrows --------------------------------------------------------------------

    def _arrow(self, arrow: Arrow, following: Following) -> Steps:
        source = self.stage.scenario.participant(arrow.source)
        target = self.stage.scenario.participant(arrow.target)
        acts = source.kind == "person" or source.is_channel
        if acts and target.kind != "person" and arrow.source != arrow.target:
            arrow = resolve_free_text(arrow, following)
        match arrow.content:
            case FrameText() as text if source.puppet is not None:
                yield from self._puppet_frame(arrow, text)
            case FrameText() as text:
                yield from self._frame(arrow, text, following)
            case Act() as act:
                yield from self._act(arrow, act, source, target)
            case ChannelCall() as call:
                yield from self._call(arrow, call.op)
            case Local() as local:
                yield from self._local(arrow, local)
            case FreeText() if target.is_channel and source.kind == "server":
                yield from self._call(arrow, None)
            case FreeText():
                pass

    def _frame(self, arrow: Arrow, text: FrameText, following: Following) -> Steps:
        expectation = self._expectation(arrow, text=text)
        self.director.expect(expectation)
        if expectation.sent is None and self.directs and arrow.line not in self.prompted:
            for direction in self.stage.prompts(arrow, text, following, self.prompted):
                yield from self._do(direction)
        yield from self._await(expectation, f"{arrow.source} → {arrow.target}: {arrow.text}")

    def _expectation(self, arrow: Arrow, **wants: Any) -> Expectation:
        fate, fate_us = self.fate or (None, 0)
        self.fate = None
        if arrow.lost:
            fate = "lose"
        return Expectation(
            arrow, arrow.source, arrow.target, self.thread.mark,
            fate=fate, fate_us=fate_us, optional=self.watches, **wants,
        )  # fmt: skip

    def _await(self, expectation: Expectation, expected: str) -> Steps:
        met = yield Arrives(expectation)
        if met and expectation.sent is not None:
            self.thread.mark = max(self.thread.mark, expectation.sent)
        elif not met:
            happened = expectation.near or self._what_happened(expectation)
            self.director.fail(expectation.arrow.line, expected, happened)
        self._decide()

    def _what_happened(self, expectation: Expectation) -> str:
        """Name what came instead, newest last."""
        pair = (expectation.source, expectation.target)
        came = [
            event.frame.type
            for event in self.director.frames
            if event.n > expectation.mark and (event.sender, event.receiver) == pair
        ]
        if not came:
            return "nothing came within 60 s"
        shown = ", ".join(came[-6:])
        return f"it did not come within 60 s; what came was {shown}"

    def _act(self, arrow: Arrow, act: Act, source: Participant, target: Participant) -> Steps:
        if source.is_channel and target.kind == "server" and not self.forwarded:
            # A drawn person has spoken already: this arrow is the channel passing it on.
            self.forwarded = True
            yield from self._call(arrow, None)
            return
        if not self.directs:
            return
        direction = self.stage.person_does(arrow, act)
        if isinstance(direction, NotYet):
            ready = yield Poll(lambda: not isinstance(self.stage.person_does(arrow, act), NotYet))
            direction = self.stage.person_does(arrow, act)
            if not ready or isinstance(direction, NotYet):
                why = direction.why if isinstance(direction, NotYet) else "it came too late"
                self.director.fail(arrow.line, f"{arrow.source}: {arrow.text}", why)
                return
        yield from self._do(direction)
        self.thread.mark = self.last_act
        if target.is_channel:
            self.forwarded = False

    def _call(self, arrow: Arrow, op: str | None) -> Steps:
        source, target = arrow.source, arrow.target
        expectation = self._expectation(
            arrow, wants_call=lambda request: self.stage.call_fits(op, request)
        )
        self.director.expect(expectation)
        yield from self._await(expectation, f"{source} → {target}: {arrow.text}")

    def _local(self, arrow: Arrow, local: Local) -> Steps:
        if not self.directs:
            return
        if local.verb == "think":
            yield Until(self.director.world.now + (local.duration_us or 0))
            return
        act = Act(local.line, local.column, local.verb)
        direction = self.stage.person_does(arrow, act)
        if isinstance(direction, NotYet):
            self.director.fail(arrow.line, f"{arrow.source}: {arrow.text}", direction.why)
            return
        yield from self._do(direction)
        self.thread.mark = self.last_act

    def _puppet_frame(self, arrow: Arrow, text: FrameText) -> Steps:
        if not self.directs:
            return
        sender, receiver = arrow.source, arrow.target
        expected = f"{sender} → {receiver}: {arrow.text}"
        yield Until(self.director.world.now)
        while self.stage.puppet_ready(sender, receiver) is not None:
            if not (yield Poll(lambda: self.stage.puppet_ready(sender, receiver) is None)):
                why = self.stage.puppet_ready(sender, receiver) or "it came too late"
                self.director.fail(arrow.line, expected, why)
                return
        frame = self.stage.compose(sender, text)
        expectation = self._expectation(arrow, frame=frame)
        self.director.expect(expectation)
        self._perform(self.stage.puppet_sends(sender, receiver, frame))
        yield from self._await(expectation, expected)

    # -- directing -------------------------------------------------------------------

    def _do(self, direction: Direction) -> Steps:
        """Carry out one direction in a moment of its own, and let it take effect."""
        yield Until(self.director.world.now)
        self._perform(direction)
        yield Until(self.director.world.now)

    def _perform(self, direction: Direction) -> None:
        world = self.director.world
        self.last_act = world.next_n()
        if direction.verb == "crash":
            fault.crash(world, direction.host)
        elif direction.verb == "restart":
            if world.hosts[direction.host].epoch:
                fault.restart(world, direction.host)
            else:
                world.boot(direction.host)
        else:
            world.act(direction.host, direction.act)

    # -- blocks ----------------------------------------------------------------------

    def _branch(self, branch: Branch, after: Following, directs: bool, watches: bool) -> Thread:
        walk = Walk(self.director, self.stage, directs, watches, prompted=self.prompted)
        walk.forwarded = self.forwarded
        thread = self.director.spawn(walk.body(branch.body, after), branch.line, self.thread.mark)
        walk.thread = thread
        return thread

    def _par(self, branches: Sequence[Branch], following: Following) -> Steps:
        order = list(branches)
        stream = Stream(self.director.world.seed, f"par {order[0].line}")
        for last in range(len(order) - 1, 0, -1):
            other = stream.between(0, last)
            order[last], order[other] = order[other], order[last]
        threads = [self._branch(b, following, self.directs, self.watches) for b in order]
        yield Joined(tuple(threads))
        self.thread.mark = max(thread.mark for thread in threads)

    def _open(
        self, line: int, branches: Sequence[Branch], following: Following, required: bool
    ) -> None:
        """Start watching branches; they are decided at the next expectation."""
        count = len(branches) if required else len(branches) + 1
        chosen = Stream(self.director.world.seed, f"alt {line}").between(0, count - 1)
        threads = [
            self._branch(branch, following, self.directs and index == chosen, True)
            for index, branch in enumerate(branches)
        ]
        self.undecided.append(Undecided(line, threads, required))

    def _decide(self) -> None:
        """The next expectation after the blocks is over: who matched, matched."""
        for group in self.undecided:
            ended = [thread for thread in group.threads if thread.ended]
            if group.required and not ended:
                self.director.fail(group.line, "one branch matches", "none did so far")
            for thread in group.threads:
                if not thread.ended:
                    self.director.cancel(thread)
        self.undecided = []
