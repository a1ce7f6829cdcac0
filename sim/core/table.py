"""Transition tables as data, in the manner of h11.

A :class:`Table` says which trigger leads from which state to which; what is
not in it is forbidden. Tables know no protocol: a protocol declares its own
and draws its diagrams from them.

Objects that exist in thousands keep the state in a slot of their own and ask
``TABLE.step(state, trigger)``; where a separate object is handier there is
:class:`Machine`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sim.core.errors import LocalProtocolError, SimInternalError


class Table:
    """States, triggers and transitions of one role.

    ``transitions`` maps a state to its triggers and the states they lead to.
    A state without triggers is an end. Raises SimInternalError when a
    transition leads to an undeclared state or a state cannot be reached.

    ``used``: where somebody puts a dict, :meth:`step` notes the rows that it went
    through, for coverage.
    """

    __slots__ = ("_next", "initial", "role", "states", "triggers", "used")

    def __init__(
        self, role: str, initial: str, transitions: Mapping[str, Mapping[str, str]]
    ) -> None:
        self.role = role
        self.initial = initial
        self.states = tuple(transitions)
        self.triggers = tuple(dict.fromkeys(t for row in transitions.values() for t in row))
        self._next = {
            (state, trigger): target
            for state, row in transitions.items()
            for trigger, target in row.items()
        }
        self.used: dict[tuple[str, str], None] | None = None
        self._validate()

    def _validate(self) -> None:
        known = dict.fromkeys(self.states)
        for (state, trigger), target in self._next.items():
            if target not in known:
                raise SimInternalError(
                    f"table {self.role}: {state} --{trigger}--> {target}, which is no state"
                )
        if self.initial not in known:
            raise SimInternalError(f"table {self.role}: initial {self.initial} is no state")
        lost = [state for state in self.states if state not in self._reached()]
        if lost:
            raise SimInternalError(f"table {self.role}: never reached: {', '.join(lost)}")

    def _reached(self) -> dict[str, None]:
        reached = {self.initial: None}
        todo = [self.initial]
        while todo:
            state = todo.pop()
            for trigger in self.allowed(state):
                target = self._next[state, trigger]
                if target not in reached:
                    reached[target] = None
                    todo.append(target)
        return reached

    def can(self, state: str, trigger: str) -> bool:
        """Whether the trigger is allowed in this state."""
        return (state, trigger) in self._next

    def step(self, state: str, trigger: str) -> str:
        """The state after the trigger. Raises LocalProtocolError when it is not allowed."""
        target = self._next.get((state, trigger))
        if target is None:
            raise LocalProtocolError(
                f"{self.role} in state {state} cannot {trigger!r}; "
                f"allowed: {', '.join(self.allowed(state)) or 'nothing'}"
            )
        if self.used is not None:
            self.used[state, trigger] = None
        return target

    def after(self, state: str, trigger: str) -> str | None:
        """The state after the trigger, None where it is not allowed; nobody takes this step."""
        return self._next.get((state, trigger))

    def rows(self) -> tuple[tuple[str, str], ...]:
        """(state, trigger) of every transition, in order of declaration."""
        return tuple(self._next)

    def allowed(self, state: str) -> tuple[str, ...]:
        """The triggers of a state, in order of declaration."""
        return tuple(trigger for (source, trigger) in self._next if source == state)

    def final(self) -> tuple[str, ...]:
        """The states that nothing leads out of."""
        return tuple(state for state in self.states if not self.allowed(state))

    def mermaid(self) -> str:
        """The table as a stateDiagram-v2; triggers of one pair of states share an arrow."""
        arrows: dict[tuple[str, str], list[str]] = {}
        for (state, trigger), target in self._next.items():
            arrows.setdefault((state, target), []).append(trigger)
        lines = ["stateDiagram-v2", f"    [*] --> {self.initial}"]
        lines += _arrows(arrows)
        lines += [f"    {state} --> [*]" for state in self.final()]
        return "\n".join(lines) + "\n"


def _arrows(arrows: Mapping[tuple[str, str], Iterable[str]]) -> list[str]:
    return [
        f"    {source} --> {target}: {', '.join(triggers)}"
        for (source, target), triggers in arrows.items()
    ]


class Machine:
    """One thing that moves through a table."""

    __slots__ = ("state", "table")

    def __init__(self, table: Table, state: str | None = None) -> None:
        self.table = table
        self.state = table.initial if state is None else state

    def can(self, trigger: str) -> bool:
        """Whether the trigger is allowed now."""
        return self.table.can(self.state, trigger)

    def fire(self, trigger: str) -> str:
        """Take the transition and return the new state.

        Raises LocalProtocolError naming role, state, trigger and what is allowed.
        """
        self.state = self.table.step(self.state, trigger)
        return self.state

    def mermaid(self) -> str:
        """The table's diagram."""
        return self.table.mermaid()

    def __repr__(self) -> str:
        return f"<{self.table.role} {self.state}>"
