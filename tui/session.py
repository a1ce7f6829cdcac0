"""One run that is open: its trace, its views, its findings. Knows no Textual and no thread.

Whatever is slow comes in slices (:meth:`Session.work`): the index first, then the
chronicle that channels and hosts are drawn from. Nothing waits for either.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from sim.check.retelling import Judge, Told, names_in, scenario_of, stumbled
from sim.cli.drawing.telling import Names
from sim.cli.drawing.wording import words_for
from sim.core.event import ConnectionOpened, Event
from sim.core.invariant import Violation
from sim.core.trace import digest_of
from sim.play import surroundings
from sim.protocols.played import Chronicle, Played, played
from sim.scenario.playing.result import Result
from sim.scenario.syntax import Scenario
from sim.view.columns import Columns
from sim.view.diagram import Diagram
from sim.view.filters import Lookup
from sim.view.scene import Scene
from sim.view.seek import FAR, Seeker
from sim.view.tracefile import TraceFile

if TYPE_CHECKING:
    from tui.feeds.live import Live

SLICE = 400
"""Events per slice of the chronicle; the index reads twice as many."""


@attrs.frozen
class Deed:
    """What a person did to a run: ``what`` is a fault's name or an act, after ``step``.

    ``host`` is "" for a fault; ``act`` is then unused. ``label`` names it for people.
    """

    step: int
    label: str
    fault: str = ""
    host: str = ""
    act: Any = None


@attrs.define(eq=False, slots=False)
class Session:
    """A run and everything that is known about it.

    ``deeds`` are what a person did to it, in order; ``parent`` is the run that it
    branched off. ``result`` is None for a trace file. ``complete``: the
    chronicle knows all events. ``unjudged`` says why a file could not be judged;
    ``blame`` is a finding's curve, with the step that broke; ``made`` says how a branch
    without a deed of its own came to be. ``live`` reaches a run that is still going on.
    """

    name: str
    trace: TraceFile
    scenario: Scenario | None = None
    result: Result | None = None
    deeds: tuple[Deed, ...] = ()
    parent: Session | None = None
    live: Live | None = attrs.field(default=None, init=False)
    columns: Columns = attrs.field(init=False)
    seeker: Seeker = attrs.field(init=False)
    diagram: Diagram = attrs.field(init=False)
    chronicle: Chronicle = attrs.field(init=False)
    violations: list[Violation] = attrs.field(init=False)
    marked: dict[int, None] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.columns = Columns(self.trace)
        self._lanes = (0, self.trace.header.hosts)
        self._kinds = dict(self.trace.header.hosts)
        self.seeker = Seeker(self.trace)
        self.record: Played = played(self.trace.header.protocol)
        self.names = self.result.names if self.result else names_in(self.trace, self.record.short)
        self._names = Names(self.names)
        self.diagram = Diagram(self.trace, words_for(self.names))
        self.chronicle = self.new_chronicle()
        self.violations = list(self.result.violations) if self.result else []
        self._judge = None if self.result else self._new_judge()
        self._judged = self.result is not None
        self.unjudged = self.made = ""
        self.blame: tuple[tuple[float, ...], int] | None = None

    @classmethod
    def of_result(
        cls,
        scenario: Scenario,
        result: Result,
        deeds: tuple[Deed, ...] = (),
        parent: Session | None = None,
    ) -> Session:
        """A run that has just ended."""
        trace = TraceFile.of_trace(result.trace, scenario.name)
        return cls(scenario.name, trace, scenario, result, deeds, parent)

    @classmethod
    def of_file(cls, path: Path) -> Session:
        """A trace file, however large. Raises TraceError for what is none.

        What is damaged at its start is refused; damage further on, where only a look at it
        finds it, is shown at its place.
        """
        trace = TraceFile.open(path)
        made = cls(path.name, trace, scenario_of(trace))
        trace.lenient = True
        return made

    def new_chronicle(self) -> Chronicle:
        """A fold of this run that has seen nothing yet."""
        return self.record.chronicle(surroundings(self.scenario) if self.scenario else None)

    # -- facts -----------------------------------------------------------------------

    @property
    def protocol(self) -> str:
        return self.record.name

    @property
    def count(self) -> int:
        """Steps of the run so far."""
        return self.trace.count

    @property
    def last(self) -> int:
        return max(self.trace.count - 1, 0)

    @property
    def without(self) -> tuple[str, ...]:
        """The rules that were off."""
        return self.trace.header.without

    @property
    def digest(self) -> str:
        """32 hex digits over all events; for a file, those that are in it now."""
        if self.result is not None:
            return self.result.digest
        return digest_of(self.trace.event(n) for n in range(self.count))

    @property
    def can_run(self) -> bool:
        """Whether it can be run again: its scenario is known, and it ran in virtual time."""
        return self.scenario is not None and self.trace.header.driver != "live"

    def event(self, n: int) -> Event:
        return self.trace.event(n)

    def scene(self, n: int) -> Scene | None:
        """Who is up and what is in flight after a step; None where that would take long."""
        if not -1 <= n < self.count or self.seeker.cost(n) > FAR:
            return None
        return self.seeker.at(n)

    def named(self, real: str) -> str:
        """The diagram's name for an id, or a short form of it."""
        return self._names(real)

    def told(self, text: str) -> str:
        """A text with names for the ids in it."""
        return self._names.within(text)

    def lanes(self) -> tuple[tuple[str, str], ...]:
        """(host, kind) of each lifeline in order: those of the header, and real programs that
        have come since, as far as the file has been read."""
        header, clients = self.trace.header, self.columns.clients
        if not header.outside:
            return header.hosts
        if len(clients) != self._lanes[0]:
            kinds = dict(header.hosts)
            kind = next((one for one in header.outside if one != "server"), "")
            came = tuple((name, kind) for name in clients if kind and name not in kinds)
            self._lanes = (len(clients), (*header.hosts, *came))
            self._kinds = dict(self._lanes[1])
        return self._lanes[1]

    def kind_of(self, host: str) -> str | None:
        """What a host is; None for one that nobody has told of."""
        self.lanes()
        return self._kinds.get(host)

    def titles(self) -> dict[str, str]:
        """What the diagram calls its lifelines, where that says more than their kind."""
        if self.scenario is None:
            return {}
        return {p.id: p.label for p in self.scenario.participants if p.label and p.label != p.id}

    def lookup(self) -> Lookup:
        """What filters ask."""
        found = Lookup(self.trace, self.columns, self.text_of, dict(self.names))
        found.sets["finding"] = {v.step: None for v in self.violations}
        for violation in self.violations:
            found.sets.setdefault(f"finding:{violation.invariant}", []).append(  # type: ignore[attr-defined]
                violation.step
            )
        found.sets["@marked"] = self.marked
        return found

    def text_of(self, event: Event) -> str:
        """Everything that is visible of a step."""
        return self.diagram.row(event.n).text

    # -- slow things, in slices ---------------------------------------------------------

    @property
    def indexed(self) -> bool:
        return self.columns.done

    @property
    def complete(self) -> bool:
        return self.chronicle.steps >= self.count and self._judged

    @property
    def progress(self) -> float:
        """0 to 1: how much of the index is there."""
        return len(self.columns) / self.count if self.count else 1.0

    def work(self, *, chronicle: bool, slices: int = 1) -> bool:
        """Do a little of what is left; False when nothing is."""
        for _ in range(slices):
            if not self.indexed:
                self.columns.read(2 * SLICE)
            elif chronicle and not self.complete:
                self._chronicle(SLICE)
            else:
                return False
        return True

    def finish(self) -> None:
        """Do all of it at once (pictures, tests, small runs)."""
        while self.work(chronicle=True, slices=50):
            pass

    def know(self, n: int, most: int = 1_500) -> bool:
        """Fold the chronicle up to a step if that is near; whether it knows the step now."""
        missing = n + 1 - self.chronicle.steps
        if 0 < missing <= most:
            self._chronicle(missing)
        return self.chronicle.steps > n

    def _chronicle(self, events: int) -> None:
        until = min(self.chronicle.steps + events, self.count)
        for n in range(self.chronicle.steps, until):
            event = self.trace.event(n)
            if isinstance(event, ConnectionOpened):
                self.columns.clients.setdefault(event.client)
            try:
                self.chronicle.on(event)
            except Exception as error:
                # What comes behind a damaged line may speak of what nobody has seen.
                told = stumbled(self.trace, self.record, event, error)
                self.unjudged = self.unjudged or told
            if self._judge is not None:
                self._judge.on(event)
        self.chronicle.steps = until
        over = until == self.count and not self._judged
        self._judged = self._judged or over
        if self._judge is not None:
            if over:
                self._judge.finish()
            self.violations = self._judge.violations
            self.unjudged = self._judge.unjudged or self.unjudged

    def _new_judge(self) -> Judge:
        told = Told(
            self.trace, self.record, self.chronicle, self.scenario, self.lanes(), self.kind_of
        )
        return Judge(told)
