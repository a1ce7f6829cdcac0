"""Explore: a search over schedules, its coverage, its findings, the way to each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import attrs
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.worker import Worker, WorkerState, get_current_worker

from sim.cli.exploring.score import Score
from sim.core.errors import HooktwinError
from sim.explore.finding import Finding
from sim.explore.schedule import Case
from sim.explore.trial import Outcome
from sim.explore.wording import says
from tui.drawing.lines import Line, facts, fit, line, wrap
from tui.feeds import judging, searching
from tui.keys import bindings
from tui.screens import explore_lists as lists
from tui.screens.menus import Reading
from tui.screens.view import State, View, Wanted
from tui.session import Session
from tui.widgets.pane import Pane

BLOCKS = "▁▂▃▄▅▆▇█"


class Told(Pane):
    """A pane whose lines a view makes."""

    def __init__(self, title: str, make: Callable[[int], Sequence[Line]], *, id: str) -> None:
        super().__init__(title, id=id)
        self.make = make

    def lines(self, width: int) -> Sequence[Line]:
        return self.make(width)

    def action_enter(self) -> None:
        """Also where nothing can be chosen: the view knows what enter means then."""
        self.post_message(self.Chosen(self, self.chosen_row))


class ExploreView(View):
    """Left how far the search is, right what it found, below the path and the curve."""

    CONTEXT = "explore"
    ABOUT = (
        "A search for races: other orders, other timings and added faults, judged by all "
        "invariants. enter starts it, p stops it, R takes another seed. enter on a finding "
        "shrinks it (first time) and then opens it in Replay at the step that breaks. i lists all "
        "invariants, v what was covered, u whether known defects are noticed."
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("explore")]
    DEFAULT_CSS = """
    ExploreView #explore-top { height: 14; }
    ExploreView #search { width: 2fr; }
    ExploreView #findings { width: 3fr; }
    ExploreView #coverage { height: 6; }
    """

    case: Case | None = None
    progress: searching.Progress | None = None
    running = False
    score: Score | None = None
    scoring = False
    seeds = 0
    after: int | None = None

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.examined: dict[str, Finding] = {}
        self.blamed: dict[str, list[float]] = {}
        self._about: Session | None = None

    def compose(self) -> ComposeResult:
        with Horizontal(id="explore-top"):
            yield Told("search", self._search, id="search")
            yield Told("findings", self._findings, id="findings")
        with Horizontal(id="explore-bottom"):
            yield Told("path of choices", self._path, id="path")
            yield Told("blame", self._blame, id="blame")
        yield Told("coverage", self._coverage, id="coverage")

    def show(self, state: State) -> None:
        super().show(state)
        if self.progress is None and not self.running and self.after is None:
            # A search stays on the screen while one looks at its findings.
            self._about = state.session
        for pane in self.query(Told):
            pane.changed()
        subtitle = "p stop" if self.running else "enter start   R another seed"
        self.query_one("#search", Told).titled("search", subtitle)
        self.query_one("#findings", Told).titled("findings", "enter shrink, then open")

    def told(self) -> str:
        return "running" if self.running else ""

    def hint(self) -> str:
        return "enter start, or open a finding   p stop   R another seed"

    # -- panes ---------------------------------------------------------------------------------

    def _search(self, width: int) -> Sequence[Line]:
        progress = self.progress
        if self._about is None or self._about.scenario is None:
            return [line(("this trace has no scenario: it cannot be searched", "warn"))]
        pairs = [
            ("scenario", self._about.name),
            ("rules off", ", ".join(self._about.without) or "none"),
            ("budget", _budget(self.case)),
            *([] if self.after is None else [("from", f"step {self.after} on")]),
        ]
        if progress is None:
            pairs += self._score()
            return [*facts(pairs, width), line(), line(("not started: press enter", "dim"))]
        pairs += [
            ("strategy", progress.strategy),
            ("schedules", f"{progress.schedules:,} of {progress.most:,}"),
            ("visited", lists.visited(progress)),
            ("situations", f"{progress.covered:,}  {_curve(progress.curve, width - 26)}"),
            ("repeat", f"hooktwin explore {self._about.name}"),
            *self._score(),
        ]
        return facts(pairs, width)

    def _score(self) -> list[tuple[str, str]]:
        return [] if self.score is None else [("mutants", lists.told_of(self.score))]

    def _sentence_of(self, invariant: str) -> str:
        return "" if self._about is None else self._about.record.sentence_of(invariant)

    def _findings(self, width: int) -> Sequence[Line]:
        if self.progress is None:
            return [line(("nothing yet", "dim"))]
        lines: list[Line] = []
        for outcome in self.progress.found:
            name = outcome.violations[0].invariant
            finding = self.examined.get(name)
            steps = outcome.schedule.steps if finding is None else finding.schedule.steps
            told = f"{len(steps)} choices" if finding is None else f"{len(steps)} choices, shrunk"
            lines.append(line((f"! {name}", "bad"), (f"   {told}", "dim"), row=name))
            rows = wrap(self._sentence_of(name), width - 4, 2)
            if finding is not None:
                rows += wrap(finding.sentence, width - 4, 3) if finding.sentence else []
                rows += [f"token {finding.token}"] if finding.token else []
            lines += [line("    ", (row, "dim"), row=name) for row in rows]
        if not lines:
            lines = [line(("= no invariant broken so far", "good"))]
        if self.progress.over:
            ended = "everything bounded was tried" if self.progress.complete else "budget used up"
            lines.append(line((ended, "dim")))
        return lines

    def _coverage(self, width: int) -> Sequence[Line]:
        """The transition tables: what the search has never gone through."""
        if self.progress is None:
            return [line(("which rows of the transition tables a search goes through", "dim"))]
        return lists.tables(self.progress.tables, width)

    @property
    def chosen(self) -> str:
        """The invariant of the chosen finding, or of the first."""
        row = self.query_one("#findings", Told).chosen_row
        if isinstance(row, str):
            return row
        found = self.progress.found if self.progress is not None else ()
        return found[0].violations[0].invariant if found else ""

    def _outcome(self, name: str) -> Outcome | None:
        for outcome in self.progress.found if self.progress is not None else ():
            if outcome.violations[0].invariant == name:
                return outcome
        return None

    def _path(self, width: int) -> Sequence[Line]:
        outcome = self._outcome(self.chosen)
        if outcome is None:
            return [line(("the timed run, with named changes", "dim"))]
        finding = self.examined.get(self.chosen)
        schedule = outcome.schedule if finding is None else finding.schedule
        lines = [line((f"seed {schedule.seed}", "dim"))]
        for number, step in enumerate(schedule.steps, 1):
            for k, row in enumerate(wrap(says(step), width - 6, 3)):
                lines.append(line((f"{number:>4}  " if k == 0 else " " * 6, "dim"), row))
        broken = outcome.violations[0] if finding is None else finding
        lines.append(line((f"  !   {fit(broken.text, width - 6)}", "bad")))
        if finding is not None:
            lines.append(line(("minimal: each choice is needed", "dim")))
        return lines

    def _blame(self, width: int) -> Sequence[Line]:
        curve = self.blamed.get(self.chosen)
        if curve is None:
            return [line(("open a finding: the curve says where it was decided", "dim"))]
        shown = curve[-width:]
        bars = "".join(BLOCKS[min(int(one * 7.99), 7)] for one in shown)
        return [
            line(("chance that the run still fails, left to chance from each step on", "dim")),
            line((bars, "warn")),
            line((f"{'start':<{max(len(bars) - 6, 6)}}breaks", "dim")),
        ]

    # -- keys ------------------------------------------------------------------------------------

    def action_explore_start(self) -> None:
        """Start the search."""
        if self.running or self._about is None:
            return
        try:
            seed = self._about.trace.header.seed + self.seeds
            self.case = searching.case_for(self._about, seed=seed)
        except HooktwinError as error:
            self.post_message(Wanted("say", str(error), "warn"))
            return
        self.running, case = True, self.case
        session, step = self._about, self.after

        def work() -> searching.Progress:
            worker = get_current_worker()
            searched, before = case, None
            if step is not None:
                searched, before = searching.endings(session, step)
                self.case = searched
            return searching.search(
                searched,
                after=before,
                tell=lambda progress: self.app.call_from_thread(self._progress, progress),
                cancelled=lambda: worker.is_cancelled or not self.running,
            )

        self._behind("search", work, "search")

    def search_from(self, session: Session, step: int) -> None:
        """Search what may follow on a step; what was found before is forgotten."""
        self.running = False
        self.seeds, self.after, self._about = 0, step, session
        self.progress = self.case = None
        self.examined.clear()
        self.blamed.clear()
        self.set_timer(0.1, self.action_explore_start)

    def _progress(self, progress: searching.Progress) -> None:
        self.progress = progress
        if self.state is not None:
            self.show(self.state)

    def action_explore_stop(self) -> None:
        """Stop it; what was found stays."""
        self.running = self.scoring = False

    def action_explore_invariants(self) -> None:
        """All invariants, with what this run says of them."""
        if self.state is not None:
            session = self.state.session
            self._behind("invariants", lambda: judging.watched(session), "lists")

    def action_explore_covered(self) -> None:
        """The situations that the search has met."""
        progress = self.progress
        numbers = progress.situations if progress is not None else frozenset()
        used = progress.tables if progress is not None else ()

        def made(width: int) -> Sequence[Line]:
            return [*lists.tables(used, width), line(), *lists.covered(numbers, width)]

        self.app.push_screen(Reading("covered", made))

    def action_explore_mutants(self) -> None:
        """Try the mutants; when that has been done, list them."""
        if self.score is not None:
            score = self.score
            self.app.push_screen(Reading("mutants", lambda width: lists.mutants(score, width)))
            return
        self.scoring = True

        def work() -> Any:
            worker = get_current_worker()
            return searching.score_mutants(
                lambda score: self.app.call_from_thread(self._scored, score),
                lambda: worker.is_cancelled or not self.scoring,
            )

        self._behind("mutants", work, "mutants")

    def _scored(self, score: Score) -> None:
        self.score = score
        self.query_one("#search", Told).changed()

    def action_explore_restart(self) -> None:
        """Again with another seed."""
        self.running, self.after = False, None
        self.seeds += 1
        self.progress = self.case = None
        self.examined.clear()
        self.blamed.clear()
        if self.state is not None:
            self._about = self.state.session
        self.set_timer(0.1, self.action_explore_start)

    def on_pane_chosen(self, message: Pane.Chosen) -> None:
        """Enter on a finding: shrink it, or open it."""
        message.stop()
        name = message.row
        if name is None and self.progress is None:
            self.action_explore_start()
            return
        name = self.chosen if name is None else name
        outcome = self._outcome(name) if isinstance(name, str) else None
        case = self.case
        if outcome is None or case is None:
            return
        finding = self.examined.get(name)
        if finding is None:
            self.post_message(Wanted("say", f"shrinking {name} …"))
            self._behind("examine", lambda: searching.examined(case, outcome))
        else:
            self._behind("open", lambda: searching.session_of(case, finding.schedule, name))

    def _behind(self, name: str, work: Callable[[], Any], group: str = "examine") -> None:
        """Work in a thread; :meth:`searched` gets its result."""
        self.run_worker(
            work, name=name, group=group, thread=True, exclusive=True, exit_on_error=False
        )

    @on(Worker.StateChanged)
    def searched(self, event: Worker.StateChanged) -> None:
        """A search, a shrinking or a run has ended."""
        event.stop()
        worker = event.worker
        if worker.state == WorkerState.ERROR:
            self.running = False
            self.post_message(Wanted("say", str(worker.error), "bad"))
        elif worker.state == WorkerState.SUCCESS:
            self._ended(worker.name, worker.result)
        if self.state is not None:
            self.show(self.state)

    def _ended(self, name: str, result: Any) -> None:
        if name == "search":
            self.running, self.progress = False, result
        elif name == "examine":
            self.examined[result.invariant] = result
            self._measure(result)
        elif name == "open":
            broken = result.violations[0].step if result.violations else 0
            curve = self.blamed.get(result.violations[0].invariant) if result.violations else None
            if curve is not None:
                result.blame = (tuple(curve), broken)
            self.post_message(Wanted("add", result, broken))
        elif name == "mutants":
            self._scored(result)
        elif name == "invariants":
            found = (
                [one.violations[0].invariant for one in self.progress.found]
                if self.progress
                else []
            )
            self.app.push_screen(
                Reading("invariants", lambda width: lists.invariants(result, found, width))
            )
        elif name == "blame":
            self.blamed[result[0]] = result[1]

    def _measure(self, finding: Finding) -> None:
        """The blame curve, in the background."""
        case = self.case
        assert case is not None

        def work() -> tuple[str, list[float]]:
            from sim.explore.blame import blame

            curve = blame(case, finding.schedule, finding.invariant, forks=8)
            return finding.invariant, [one.chance for one in curve]

        self._behind("blame", work, "blame")


def _budget(case: Case | None) -> str:
    if case is None:
        return "what the scenario's @faults allows"
    faults = case.faults
    words = [f"{kind} {n}" for kind, n in _kinds(faults) if n]
    return "  ".join(words) or "no faults, only orders and timings"


def _kinds(faults: Any) -> list[tuple[str, int]]:
    return [(kind.name, getattr(faults, kind.name)) for kind in attrs.fields(type(faults))]


def _curve(curve: Sequence[tuple[int, int]], width: int) -> str:
    """Coverage over time as small bars."""
    values = [covered for _, covered in curve][-max(width, 1) :]
    top = max(values, default=1) or 1
    return "".join(BLOCKS[min(one * 7 // top, 7)] for one in values)
