"""The runs that a person made: a tree, the newest branch last."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from sim.scenario.syntax import Scenario
from tui.session import Session


@attrs.define(eq=False)
class Tree:
    """All runs of one sitting, in order of making."""

    sessions: list[Session] = attrs.field(factory=list)

    def add(self, session: Session) -> None:
        """A run that has just been made."""
        self.sessions.append(session)

    def walk(self) -> Iterator[tuple[Session, int]]:
        """(run, depth): each run before its branches."""
        known = dict.fromkeys(self.sessions)
        for session in self.sessions:
            if session.parent is None or session.parent not in known:
                yield from self._below(session, 0)

    def _below(self, session: Session, depth: int) -> Iterator[tuple[Session, int]]:
        yield session, depth
        for one in self.sessions:
            if one.parent is session:
                yield from self._below(one, depth + 1)


def told(session: Session) -> str:
    """One run of the tree in words."""
    if session.made:
        made = session.made
    elif session.deeds:
        deed = session.deeds[-1]
        made = f"step {deed.step}: {deed.label}"
    elif session.without:
        made = f"without {', '.join(session.without)}"
    else:
        made = session.name
    return f"{made}   {session.count} steps   {found(session)}"


def found(session: Session) -> str:
    """How many findings a run has."""
    count = len(session.violations)
    return "1 finding" if count == 1 else f"{count} findings"


def with_all_rules(scenario: Scenario) -> Scenario:
    """The same with every rule on, which is then expected to break nothing."""
    settings = attrs.evolve(scenario.settings, rules=())
    return attrs.evolve(scenario, settings=settings, violates=())
