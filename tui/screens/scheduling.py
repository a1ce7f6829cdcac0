"""Branches in which things happen in another order, and the search for all that may follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim.scenario.syntax import Scenario
from tui.feeds.schedules import Endings, Order, Rest, at_random, rescheduled, steps_of
from tui.screens.running import Running
from tui.session import Session


class Scheduling(Running):
    """The part of the workbench that lets a run go on in another way."""

    def begin(self, what: Any) -> None:
        """What somebody chose in the menu: a deed, an order, chance, or a search."""
        match what:
            case Order():
                self._go_on(what, self._ordered(self.session, what))
            case Rest():
                self._go_on(what, self._drawn(self.session, what))
            case Endings():
                self.explore_from(self.session, what.step)
            case _:
                super().begin(what)

    def explore_from(self, session: Session, step: int) -> None:
        """Search what may follow on a step."""
        raise NotImplementedError

    @staticmethod
    def _ordered(session: Session, order: Order) -> Callable[[Callable[[], bool]], Scenario]:
        def make(cancelled: Callable[[], bool]) -> Scenario:
            return rescheduled(session, (*steps_of(session), *order.steps), order.label)

        return make

    @staticmethod
    def _drawn(session: Session, rest: Rest) -> Callable[[Callable[[], bool]], Scenario]:
        def make(cancelled: Callable[[], bool]) -> Scenario:
            return rescheduled(session, at_random(session, rest, cancelled), rest.label)

        return make

    def _go_on(self, what: Order | Rest, make: Callable[[Callable[[], bool]], Scenario]) -> None:
        parent, step = self.session, what.step
        deeds = tuple(deed for deed in parent.deeds if deed.step <= step)

        def done(session: Session) -> None:
            session.made = f"step {step}: {what.label}"
            self.runs.add(session)
            self.open_session(session, step)
            self.say(f"branch: {what.label}   ^b lists all runs, s saves this one", "good")

        self.run(f"running with {what.label}", done, scenario=make, deeds=deeds, parent=parent)
