"""Walking the diagram: what each statement makes a thread do.

Each method is a generator that yields requests (see ``threads``). A walk
knows whether it *directs*: in an ``alt`` only one branch, chosen by the seed,
tells people and agents what to do; the others merely watch, and cannot match
if they would have to direct something.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from sim.core.entropy import Stream
from sim.scenario.playing import arrows, directing
from sim.scenario.playing.branches import Alternatives
from sim.scenario.playing.checks import check_late, check_never, check_shown
from sim.scenario.playing.director import Director
from sim.scenario.playing.expectation import Path
from sim.scenario.playing.findings import Findings, Repeats
from sim.scenario.playing.stage import Direction, Stage
from sim.scenario.playing.threads import (
    BranchVoid,
    BreakReached,
    Joined,
    Poll,
    Settled,
    Steps,
    Thread,
    Until,
)
from sim.scenario.syntax import (
    Act,
    Alt,
    Arrow,
    Branch,
    Break,
    Create,
    Critical,
    Destroy,
    FrameText,
    Loop,
    Opt,
    Par,
    Statement,
)
from sim.scenario.tree import Rest, statements_in
from sim.world import fault

Following = Iterable[Statement]


@attrs.define(eq=False)
class Shared:
    """What all readings of one diagram know together.

    ``fates``: the fault for the arrow in a line; ``prompted``: lines whose act
    an earlier line has done already; ``doomed``: hosts that a ``destroy`` will
    crash; ``groups``: all alternatives so far; ``late``: assertions about names
    that were not bound yet, with what showed then. ``passed``: other blocks that were come
    to an end of, with the branches around them.
    """

    fates: dict[int, tuple[str, int]] = attrs.field(factory=dict)
    prompted: dict[int, None] = attrs.field(factory=dict)
    doomed: list[str] = attrs.field(factory=list)
    groups: list[Alternatives] = attrs.field(factory=list)
    late: list[Any] = attrs.field(factory=list)
    passed: list[tuple[int, Path]] = attrs.field(factory=list)


@attrs.define(eq=False)
class Walk:
    """One sequential reading of (a part of) the diagram.

    ``spoken``: acts of people that the diagram may still draw as the channel's
    event, each with its mark and channel. ``undecided`` and ``repeating``: blocks that the
    next expectation closes. ``last_act``: number of the last act's event.
    """

    director: Director
    stage: Stage
    findings: Findings
    shared: Shared
    line: int = 0
    directs: bool = True
    path: Path = ()
    spoken: list[tuple[int, Act, str]] = attrs.field(factory=list)
    undecided: list[Alternatives] = attrs.field(factory=list)
    repeating: list[Repeats] = attrs.field(factory=list)
    last_act: int = -1
    thread: Thread = attrs.field(init=False)

    # -- the whole diagram -------------------------------------------------------

    def whole(self) -> Steps:
        """The main thread: the body, then its end."""
        self.director.ending = self.ending
        yield from self.body(self.stage.scenario.body, ())
        yield from self.ending()

    def ending(self) -> Steps:
        """The settling, the ``@final`` lines."""
        if self.director.shared_us:
            yield Until(self.director.world.now + self.director.shared_us)
        settled = yield Settled()
        if not settled:
            self.findings.fail(0, "the run settles", "something was still pending after 1 h")
        while any(group.is_busy for group in self.shared.groups):
            yield Settled()
        for group in self.shared.groups:
            group.decide(at_the_end=True)
        for late in self.shared.late:
            check_late(self.stage, late)
        for final in tuple(self.findings.finals.values()):
            check_shown(self.findings.fail, self.stage, final)
        for never in self.findings.nevers.values():
            check_never(self.findings.fail, self.stage, never)
        self.director.over = True

    def body(self, statements: Sequence[Statement], after: Following) -> Steps:
        """Statements in order; ``after`` is what follows them in the document."""
        dropped = self.director.dropped
        for index, statement in enumerate(statements):
            if statement.line in dropped:
                continue
            self.director.comes_to(self.thread, statement.line)
            yield from self._statement(statement, Rest(statements, index + 1, after))

    def _statement(self, statement: Statement, following: Following) -> Steps:
        match statement:
            case Arrow():
                yield from arrows.carry(self, statement, following)
                yield from self._bury(statement)
            case Par(branches=branches):
                yield from self._par(branches, following)
            case Alt(branches=branches):
                yield from self._open(statement.line, branches, following, required=True)
            case Opt(line=line, column=column, label=label, body=body):
                branch = Branch(line, column, label, body)
                yield from self._open(line, (branch,), following, required=False)
            case Loop():
                yield from self._loop(statement, following)
            case Critical(line=line, body=body, options=options):
                yield from self.body(body, following)
                self.shared.passed.append((line, self.path))
                for option in options:
                    yield from self._open(option.line, (option,), following, required=False)
            case Break(line=line, body=body):
                yield from self.body(body, following)
                self.shared.passed.append((line, self.path))
                raise BreakReached
            case Create(host=host):
                yield from self.do(Direction(host, verb="restart"))
            case Destroy(host=host):
                self.shared.doomed.append(host)
            case _:
                yield from directing.carry_out(self, statement, following)

    def _bury(self, arrow: Arrow) -> Steps:
        """``destroy`` stands before the last arrow that touches its host."""
        doomed = self.shared.doomed
        for host in [h for h in doomed if h in (arrow.source, arrow.target)]:
            doomed.remove(host)
            yield from self.do(Direction(host, verb="crash"))

    # -- directing -------------------------------------------------------------------

    def must_direct(self) -> None:
        """The next line is somebody's deed. A branch that only watches cannot match then."""
        if not self.directs:
            raise BranchVoid

    def do(self, direction: Direction) -> Steps:
        """Carry out one direction in a moment of its own, and let it take effect."""
        self.must_direct()
        yield Until(self.director.world.now)
        self.perform(direction)
        yield Until(self.director.world.now)

    def perform(self, direction: Direction) -> None:
        """Do it now."""
        world = self.director.world
        host = world.hosts[direction.host]
        self.last_act = world.next_n()
        if direction.verb in ("crash", "restart"):
            wants_up = direction.verb == "restart"
            if host.up == wants_up:
                state = "up" if wants_up else "down"
                happened = f"{direction.host} is {state} already"
                self.findings.fail(self.thread.line, f"{direction.verb} {direction.host}", happened)
            elif not wants_up:
                fault.crash(world, direction.host)
            elif host.epoch:
                fault.restart(world, direction.host)
            else:
                world.boot(direction.host)
        else:
            world.act(direction.host, direction.act)

    # -- blocks ----------------------------------------------------------------------

    def expectation_begins(self) -> Steps:
        """One branch of each ``alt`` before it must have happened by now, or within 60 s."""
        for group in self.undecided:
            if group.required and not group.closed:
                if not group.has_match() and not (yield Poll(group.has_match)):
                    group.decide()
                self.thread.mark = max(self.thread.mark, group.mark)

    def expectation_over(self) -> None:
        """An expectation was met or failed: it closes the blocks before it."""
        for repeats in self.repeating:
            repeats.until = self.thread.mark
        for group in self.undecided:
            group.decide()
        self.repeating = []
        self.undecided = []

    def _branch(
        self, branch: Branch, after: Following, directs: bool, group: Alternatives | None
    ) -> Walk:
        path = self.path if group is None else (*self.path, (group, len(group.walks)))
        findings = self.findings if group is None else Findings()
        walk = Walk(self.director, self.stage, findings, self.shared, branch.line, directs, path)
        walk.spoken = list(self.spoken)
        steps = walk.body(branch.body, after)
        walk.thread = self.director.spawn(steps, branch.line, self.thread.mark)
        return walk

    def _par(self, branches: Sequence[Branch], following: Following) -> Steps:
        order = list(branches)
        stream = Stream(self.director.world.seed, f"par {order[0].line}")
        for last in range(len(order) - 1, 0, -1):
            other = stream.between(0, last)
            order[last], order[other] = order[other], order[last]
        walks = [self._branch(b, following, self.directs, None) for b in order]
        yield Joined(tuple(walk.thread for walk in walks))
        if any(walk.thread.void for walk in walks):
            raise BranchVoid
        self.shared.passed += [(walk.line, self.path) for walk in walks]
        self.thread.mark = max(walk.thread.mark for walk in walks)
        for walk in walks:
            self.undecided += walk.undecided
            self.repeating += walk.repeating
            self.spoken += [one for one in walk.spoken if one not in self.spoken]

    def _open(
        self, line: int, branches: Sequence[Branch], following: Following, required: bool
    ) -> Steps:
        """Start watching branches; they are decided at the next expectation."""
        count = len(branches) if required else len(branches) + 1
        chosen = Stream(self.director.world.seed, f"alt {line}").between(0, count - 1)
        group = Alternatives(line, required, self.director, self.findings)
        for index, branch in enumerate(branches):
            walk = self._branch(branch, following, self.directs and index == chosen, group)
            walk.thread.on_end = group.judge
            group.walks.append(walk)
        self.undecided.append(group)
        self.shared.groups.append(group)
        yield Until(self.director.world.now)

    def _loop(self, loop: Loop, following: Following) -> Steps:
        since = self.thread.mark
        times = loop.times or 1
        for round_ in range(times):
            self.director.comes_to(self.thread, loop.line)
            again = loop.body if round_ < times - 1 else ()
            yield from self.body(loop.body, Rest(again, 0, following))
            yield Until(self.director.world.now)
        self.shared.passed.append((loop.line, self.path))
        if loop.times is None:
            found = statements_in(loop.body)
            frames = [s for s in found if isinstance(s, Arrow) and isinstance(s.content, FrameText)]
            repeats = Repeats(tuple(frames), since)
            self.findings.repeated(repeats)
            self.repeating.append(repeats)
