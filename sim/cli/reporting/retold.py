"""One run with everything that a report tells of it, folded once from first to last event."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from sim.channel.history import History
from sim.check.retelling import Judge, Told, names_in, scenario_of, stumbled
from sim.cli.drawing.telling import Names
from sim.cli.drawing.wording import words_for
from sim.core import event as events
from sim.core.errors import UsageError
from sim.core.event import Event
from sim.core.trace import Trace, digest_of
from sim.play import surroundings
from sim.protocols.message_times import MessageTimes
from sim.protocols.played import Chronicle, Played, played
from sim.scenario.playing.result import Result
from sim.scenario.syntax import Scenario
from sim.view.diagram import Diagram
from sim.view.scene import Scene
from sim.view.tracefile import TraceFile
from sim.view.verdict import Verdict

CHUNK = 1_000
"""Events between two scenes that the page starts from."""

MOST_MINDFUL = 20_000
"""Events up to which it is noted, step by step, what hosts had in mind."""

Tell = Callable[[int, int], None]
"""Gets (events read, of how many) once in a while."""


def silent(done: int, of: int) -> None:
    """Nobody wants to know."""


@attrs.define
class MindChange:
    """From step ``n`` on a host has ``text`` in mind about ``key``; None: no longer."""

    n: int
    host: str
    head: str
    key: str
    text: str | None


@attrs.define(eq=False, slots=False)
class Retold:
    """A run, folded: ``title`` says which one it is, where there are two.

    ``result`` is its verdict (that of a file is made here), ``verdicts`` what the transition
    tables held of each frame by the number of its sending, ``scenes`` the scene before each
    thousandth event, ``minds`` what hosts had in mind, None for a run that is too long for
    that. ``stores`` are (step, host, key, whether it is there) of each change of what hosts
    have stored, ``downs`` (host, from, to) of the steps in which one was down; ``to`` -1: to
    the end. ``unjudged`` says why a file could not be judged.
    """

    title: str
    trace: TraceFile
    scenario: Scenario | None
    result: Result
    record: Played
    diagram: Diagram
    chronicle: Chronicle
    history: History = attrs.field(factory=History)
    times: MessageTimes = attrs.field(init=False)
    verdicts: dict[int, list[Verdict]] = attrs.field(factory=dict)
    scenes: list[Any] = attrs.field(factory=list)
    minds: list[MindChange] | None = None
    stores: list[tuple[int, str, str, bool]] = attrs.field(factory=list)
    downs: list[tuple[str, int, int]] = attrs.field(factory=list)
    unjudged: str = ""
    clients: dict[str, None] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.times = MessageTimes(self.history)
        self.names = Names(self.result.names)

    @property
    def count(self) -> int:
        """Events of the run."""
        return self.trace.count

    @property
    def last(self) -> int:
        return max(self.count - 1, 0)

    @property
    def lanes(self) -> tuple[tuple[str, str], ...]:
        """(host, kind) of each lifeline: those of the header, and programs that came later."""
        header = self.trace.header
        known = dict(header.hosts)
        kind = next((one for one in header.outside if one != self.record.centre), "")
        return (*header.hosts, *((name, kind) for name in self.clients if name not in known))

    def kind_of(self, host: str) -> str | None:
        """What a host is; None for one that nobody has told of."""
        return dict(self.lanes).get(host)

    def titles(self) -> Mapping[str, str]:
        """What the diagram calls its lifelines, where that says more than their names."""
        if self.scenario is None:
            return {}
        return {p.id: p.label for p in self.scenario.participants if p.label and p.label != p.id}


def retold(result: Result, scenario: Scenario, title: str = "", tell: Tell = silent) -> Retold:
    """A run that has just ended, folded."""
    trace = TraceFile.of_trace(result.trace, scenario.name)
    made = _made(title, trace, scenario, result)
    for _ in _folded(made, None, tell):
        pass
    return made


def retold_file(path: Path, tell: Tell = silent) -> Retold:
    """A trace file, folded and judged. Raises TraceError, with the place, for a damaged one."""
    trace = TraceFile.open(path)
    scenario = scenario_of(trace)
    header = trace.header
    names = names_in(trace, played(header.protocol).short)
    last = trace.event(trace.count - 1).at if trace.count else 0
    result = Result(
        header.scenario or path.name, header.seed, "", trace.count, last / 1e6,
        (), (), scenario.violates if scenario else (), (), (), Trace(header, ()), names,
    )  # fmt: skip
    made = _made("", trace, scenario, result)
    told = Told(trace, made.record, made.chronicle, scenario, header.hosts, made.kind_of)
    judge = Judge(told)
    # In one go: to decode a large file costs more than anything that is done with it.
    digest = digest_of(_folded(made, judge, tell))
    made.unjudged = judge.unjudged or made.unjudged
    made.result = attrs.evolve(result, digest=digest, violations=tuple(judge.violations))
    return made


def events_of(run: Retold) -> Trace:
    """The run as a trace of values, for drawings that want all of it."""
    typed = [run.record.typed(run.trace.event(n)) for n in range(run.count)]
    return Trace(run.trace.header, typed)


def _made(title: str, trace: TraceFile, scenario: Scenario | None, result: Result) -> Retold:
    record = played(trace.header.protocol)
    chronicle = record.chronicle(surroundings(scenario) if scenario else None)
    diagram = Diagram(trace, words_for(result.names))
    return Retold(title, trace, scenario, result, record, diagram, chronicle)


def _folded(run: Retold, judge: Judge | None, tell: Tell) -> Iterator[Event]:
    """Take all events once; gives each when it is in."""
    scene = Scene()
    minds = _Minds(run) if run.count <= MOST_MINDFUL else None
    for n in range(run.count):
        if n % CHUNK == 0:
            run.scenes.append(scene.to_json())
            tell(n, run.count)
        event = run.trace.event(n)
        scene.on(event)
        _note(run, event)
        try:
            _fold_event(run, event)
        except Exception as error:
            # What a foreign file holds need make no sense; the rest of it is still worth a look.
            run.unjudged = run.unjudged or stumbled(run.trace, run.record, event, error)
        if judge is not None:
            judge.on(event)
        if minds is not None:
            minds.after(event)
        yield event
    if judge is not None:
        judge.finish()
    run.minds = minds.changes if minds is not None else None
    tell(run.count, run.count)


def _note(run: Retold, event: Event) -> None:
    """Who came, who was down, who stored what."""
    match event:
        case events.ConnectionOpened():
            run.clients.setdefault(event.client)
        case events.Saved() | events.Erased():
            run.stores.append((event.n, event.host, event.key, isinstance(event, events.Saved)))
        case events.HostCrashed():
            run.downs.append((event.host, event.n, -1))
        case events.HostStarted():
            run.downs[:] = [
                (host, since, event.n if host == event.host and until < 0 else until)
                for host, since, until in run.downs
            ]


def _fold_event(run: Retold, event: Event) -> None:
    run.chronicle.on(event)
    if isinstance(event, MessageTimes.kinds):
        typed = run.record.typed(event)
        run.history.on(typed)
        run.times.on(typed)
    elif isinstance(event, events.FrameSent | events.FrameDelivered):
        _ask_tables(run, event)


def _ask_tables(run: Retold, event: Any) -> None:
    """What the centre says counts when it says it, what it hears when that arrives."""
    centre = run.record.centre
    if isinstance(event, events.FrameSent):
        sent, frame, host = event.n, event.frame, event.sender
    else:
        sent, frame, host = event.sent, run.diagram.frame_of(event.sent), event.receiver
    if run.kind_of(host) != centre or sent in run.verdicts or not isinstance(frame, Mapping):
        return
    run.verdicts[sent] = run.record.legal(run.chronicle, host, event.link, frame, event.n)


class _Minds:
    """Notes, event by event, what hosts begin and cease to have in mind."""

    def __init__(self, run: Retold) -> None:
        self._run = run
        self._now: dict[str, dict[tuple[str, str], str]] = {}
        self.changes: list[MindChange] = []

    def after(self, event: Event) -> None:
        """The chronicle has seen this event."""
        for host, _ in self._run.lanes:
            rows = self._run.chronicle.standing(host, event.n)
            now = {(row.head, row.key): row.text for row in rows}
            before = self._now.get(host, {})
            if now != before:
                self._note(event.n, host, before, now)
                self._now[host] = now

    def _note(
        self, n: int, host: str, before: dict[tuple[str, str], str],
        now: dict[tuple[str, str], str],
    ) -> None:  # fmt: skip
        for (head, key), text in now.items():
            if before.get((head, key)) != text:
                self.changes.append(MindChange(n, host, head, key, text))
        for head, key in before:
            if (head, key) not in now:
                self.changes.append(MindChange(n, host, head, key, None))


def rerun_of(run: Retold, play: Callable[[Scenario], Result]) -> Result:
    """The run of a file once more. Raises UsageError where that gives another run."""
    if run.scenario is None or run.trace.header.outside or run.trace.header.driver == "live":
        raise UsageError(f"{run.trace.name}: this run cannot be had again")
    again = play(run.scenario)
    if again.digest != run.result.digest:
        raise UsageError(
            f"{run.trace.name}: its scenario gives another run by now (somebody did something "
            "to it, or hooktwin has changed); record it again"
        )
    return again
