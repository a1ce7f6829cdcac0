"""Runs that a person makes: branches, faults, the tree, comparison, saving.

Every run goes through a thread; the screen only waits for its message.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual import on
from textual.worker import Worker, WorkerState, get_current_worker

from sim.core.errors import HooktwinError, UsageError
from sim.scenario.syntax import Scenario
from tui.branches import Tree, told, with_all_rules
from tui.feeds.moment import Moment, moment_of
from tui.feeds.runner import Cancelled, run_session
from tui.screens import faults
from tui.screens.living import Living
from tui.screens.menus import Ask, Entry, Menu
from tui.screens.view import BranchAsked
from tui.session import Deed, Session

_WITHOUT = re.compile(r"--without[ =]([a-z0-9-]+)")


class Running(Living):
    """The part of the workbench that makes runs."""

    runs: Tree
    other: Session | None = None
    busy = ""

    def open_session(self, session: Session, step: int | None = None) -> None:
        """Look at another run."""
        raise NotImplementedError

    # -- running in a thread -----------------------------------------------------------------

    def run(self, label: str, done: Callable[[Session], None], **wishes: Any) -> None:
        """Run the scenario of this session; ``done`` gets the new one."""
        session = self.session
        other = wishes.pop("scenario", None)
        scenario = other or session.scenario  # or what makes one, in the thread
        if scenario is None or not (other or session.can_run):
            self.say("this trace has no scenario to run again: it can only be looked at", "warn")
            return
        self.busy = label
        self.say(f"{label} …  esc cancels")
        header = session.trace.header
        wishes.setdefault("without", header.without)
        wishes.setdefault("seed", None if other else header.seed)

        def work() -> Session | None:
            worker = get_current_worker()

            def stop() -> bool:
                return worker.is_cancelled

            try:
                made = run_session(
                    scenario(stop) if callable(scenario) else scenario,
                    told=lambda n: self.app.call_from_thread(self._progress, label, n),
                    cancelled=stop,
                    **wishes,
                )
                made.finish()  # here, where nobody waits for it
            except Cancelled:
                return None
            return made

        self._done = done
        self._newest = self.run_worker(
            work, name="run", group="run", thread=True, exclusive=True, exit_on_error=False
        )

    _done: Callable[[Session], None]
    _newest: Worker[Session | None] | None = None
    """The run that counts: one before it that it has replaced says nothing any more."""

    def _progress(self, label: str, steps: int) -> None:
        self.say(f"{label} …  {steps:,} steps   esc cancels")

    @on(Worker.StateChanged)
    def worker_changed(self, event: Worker.StateChanged) -> None:
        """A run, or a look from inside, has ended."""
        worker = event.worker
        if worker.name == "run" and worker is not self._newest:
            return
        if worker.state == WorkerState.ERROR:
            self.busy, self._looking = "", None
            error = worker.error
            if not isinstance(error, HooktwinError):
                raise error if error is not None else RuntimeError("a worker failed")
            self.say(str(error), "bad")
        elif worker.state == WorkerState.CANCELLED and worker.name == "run":
            self.busy = ""
            self.say("cancelled; the run before is kept", "warn")
        elif worker.state == WorkerState.SUCCESS:
            if worker.name == "run":
                self.busy = self.notice = ""
                if worker.result is None:
                    self.say("cancelled; the run before is kept", "warn")
                else:
                    self._done(worker.result)
            elif worker.name == "moment" and worker.result is not None:
                self._looked(worker.result)

    def cancel_run(self) -> bool:
        """Whether there was something to cancel."""
        if not self.busy:
            return False
        self.workers.cancel_group(self, "run")
        return True

    # -- the world at this step ----------------------------------------------------------------

    def look_inside(self, then: Callable[[Moment], None] | None = None) -> None:
        """Find out what a trace does not tell; for sessions that can run again."""
        session, step = self.session, self.state.step
        if not session.can_run:
            if then is not None:
                self.say("this trace has no scenario: nothing can be done to it", "warn")
            return
        if self.state.moment is not None and self.state.moment.step == step:
            if then is not None:
                then(self.state.moment)
            return
        self._then = then or self._then
        if self._looking == (session, step):
            return
        self._looking = (session, step)
        self.run_worker(
            lambda: (session, moment_of(session, step)),
            name="moment",
            group="moment",
            thread=True,
            exclusive=True,
            exit_on_error=False,
        )

    _then: Callable[[Moment], None] | None = None
    _looking: tuple[Session, int] | None = None

    def _looked(self, result: tuple[Session, Moment]) -> None:
        session, moment = result
        self._looking = None
        if session is not self.session or moment.step != self.state.step:
            return
        self.state.moment = moment
        then, self._then = self._then, None
        self.refresh_views()
        if then is not None:
            then(moment)

    # -- branches ------------------------------------------------------------------------------

    def action_fault(self, only: str = "") -> None:
        """What could be done to the run here; to one that is going on, now."""
        if self.session.live is not None:
            self.menu_of_live(self.session.live, only)
            return
        if not self.session.can_run:
            self.say("this trace has no scenario: nothing can be done to it", "warn")
            return
        title = f"fault at step {self.state.step} - makes a branch, the run is kept"
        menu = Menu(title, (), note="enter run   esc cancel")
        session = self.session
        self.app.push_screen(menu, self._struck)
        drawn = len(self.runs.sessions)

        def fill(moment: Moment) -> None:
            menu.fill(faults.entries_for(session, moment, only, drawn=drawn))

        self.look_inside(fill)

    def action_branch(self) -> None:
        """The same menu: a branch begins with doing something."""
        self.action_fault()

    def _struck(self, what: Any) -> None:
        if what is not None:
            self.begin(what)

    def begin(self, what: Any) -> None:
        """Do what somebody chose in the menu."""
        self.branch(what)

    @on(BranchAsked)
    def branch_asked(self, message: BranchAsked) -> None:
        """A view wants a branch: a button, retry, an edited frame."""
        self.branch(message.deed)

    def branch(self, deed: Deed) -> None:
        """Run again with this deed; the present run stays in the tree.

        A session that is going on makes no branch: it happens there.
        """
        if self.session.live is not None:
            self.do_live(self.session.live, deed)
            return
        parent = self.session
        deeds = (*(one for one in parent.deeds if one.step <= deed.step), deed)
        step = deed.step

        def done(session: Session) -> None:
            self.runs.add(session)
            self.open_session(session, step)
            self.say(f"branch: {deed.label}   ^b lists all runs, s saves this one", "good")

        self.run(f"running with {deed.label}", done, deeds=deeds, parent=parent)

    def action_tree(self) -> None:
        """All runs of this sitting."""
        entries = [
            Entry("runs" if depth == 0 else "", "  " * depth + told(session), "", session)
            for session, depth in self.runs.walk()
        ]
        self.app.push_screen(Menu("runs", entries), self._chose_run)

    def _chose_run(self, session: Session | None) -> None:
        if session is not None:
            self.open_session(session, min(self.state.step, session.last))

    def action_save(self) -> None:
        """Write the run as a scenario."""
        name = re.sub(r"[^A-Za-z0-9]+", "-", self.session.name).strip("-") or "run"
        note = "a file that hooktwin run takes; it gives the same digest"
        self.app.push_screen(
            Ask("save as scenario", note, f"{name}-branch.mmd", check=_writable), self._save
        )

    def _save(self, name: str | None) -> None:
        if not name:
            return
        try:
            save_scenario(self.session, Path(name))
        except (UsageError, OSError) as error:
            self.say(str(error), "bad")
            return
        self._check_saved(name)

    def _check_saved(self, name: str) -> None:
        """Play what was written, and say whether it is the same run."""
        from sim.play import load

        saved = self.session

        def done(session: Session) -> None:
            if session.digest == saved.digest:
                self.say(f"wrote {name}   run it with: hooktwin run {name}", "good")
            else:
                self.say(f"wrote {name}, but it gives another digest: {_why_other(saved)}", "warn")

        scenario = load(Path(name))
        self.run(f"checking {name}", done, scenario=scenario, without=(), seed=None)

    # -- comparing -------------------------------------------------------------------------------

    def action_rules(self) -> None:
        """Which rule shall be off?"""
        from sim.cli import words

        entries = [
            Entry(rule.by, rule.name, rule.without, rule.name) for rule in words.rules().values()
        ]
        self.app.push_screen(Menu("switch a rule off", entries), self._rule_chosen)

    def _rule_chosen(self, rule: str | None) -> None:
        if rule is not None:
            self.compare_without((rule,))

    def compare(self) -> None:
        """Compare with the same schedule under other rules; ask where none suggests itself."""
        if self.other is not None:
            return
        if self.session.without:
            self.compare_without(())
            return
        source = self.session.trace.header.source
        found = _WITHOUT.search(source)
        if found is not None:
            self.compare_without((found[1],))
        else:
            self.action_rules()

    def compare_without(self, rules: tuple[str, ...]) -> None:
        """Play the other side: with these rules off, or with all of them on."""
        base = self.session

        def done(session: Session) -> None:
            self.runs.add(session)
            self.other = session
            self.say(f"compared with {told(session)}", "good")
            self.open_comparison(base, session)

        label = f"running without {', '.join(rules)}" if rules else "running with all rules"
        wishes: dict[str, Any] = {"without": rules, "deeds": base.deeds, "parent": base}
        if not rules and base.scenario is not None and base.can_run:
            # What the file switches off is on, too, on the other side.
            wishes |= {
                "scenario": with_all_rules(base.scenario),
                "seed": base.trace.header.seed,
            }
        self.run(label, done, **wishes)

    def open_comparison(self, base: Session, other: Session) -> None:
        """Show two runs side by side."""
        raise NotImplementedError


def save_scenario(session: Session, path: Path) -> None:
    """Write a session as a scenario that gives the same digest.

    Raises UsageError for a trace that cannot be written as one, OSError.
    """
    path.write_text(_as_scenario(session), encoding="utf-8")


def _as_scenario(session: Session) -> str:
    from sim.core.trace import read_trace
    from sim.scenario.transcribe import transcribe
    from tui.feeds.schedules import transcribed

    scenario = session.scenario
    if scenario is not None and scenario.settings.steps and not session.deeds:
        return _with_head(session, scenario)
    if session.result is not None:
        return transcribed(session)
    if session.trace.path is not None:
        return transcribe(read_trace(session.trace.path))
    raise UsageError("this run has neither a result nor a file")


def _why_other(session: Session) -> str:
    """Why a saved run is not the same run again."""
    failures = session.result.failures if session.result is not None else ()
    if any("pending" in failure.happened for failure in failures):
        return "it never came to rest, and its copy waits longer at the end"
    return "what happened at one moment in another order cannot be written beside your deeds"


def _with_head(session: Session, scenario: Scenario) -> str:
    """The scenario with the seed and the rules that it ran with."""
    from tui.feeds.schedules import written_again

    return written_again(session, scenario.settings.steps, f"A run of {session.name}.")


def _writable(name: str) -> str:
    path = Path(name)
    if path.suffix.lower() != ".mmd":
        return "the name must end with .mmd"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    return f"{name} is there already" if path.exists() else ""
