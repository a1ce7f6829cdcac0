"""What the casts of all protocols have in common: lifelines, puppets, latencies, starting."""

from __future__ import annotations

from typing import Any, ClassVar

from sim.core.actor import Actor, Port
from sim.scenario.playing.puppet import Manners, Puppet
from sim.scenario.syntax import Participant, Scenario
from sim.world.world import World


class Casting:
    """Puts the hosts of a diagram into a world. ``drawn`` are its lifelines by id.

    ``KINDS`` of host have twins.
    """

    KINDS: ClassVar[tuple[str, ...]]

    def __init__(self, scenario: Scenario, world: World) -> None:
        self.scenario = scenario
        self.world = world
        self.drawn = {p.id: p for p in scenario.participants}

    def all_of(self, kind: str) -> list[str]:
        """The drawn hosts of a kind; one of that name where the diagram leaves it out."""
        return [p.id for p in self.scenario.participants if p.kind == kind] or [kind]

    def puppets(self) -> list[Participant]:
        """The drawn lifelines that have no behaviour."""
        return [p for p in self.scenario.participants if p.puppet is not None]

    def is_puppet(self, name: str) -> bool:
        """Whether the diagram has made this lifeline a puppet."""
        drawn = self.drawn.get(name)
        return drawn is not None and drawn.puppet is not None

    def twin_kinds(self) -> frozenset[str]:
        """Kinds of which at least one host is a twin, and none a puppet."""
        return frozenset(self.KINDS) - {p.kind for p in self.puppets()}

    def kinds(self) -> tuple[tuple[str, str], ...]:
        """(name, kind) of all hosts: drawn ones in their order, then the others."""
        drawn = [(p.id, p.kind) for p in self.scenario.participants]
        rest = [(h.name, h.kind) for h in self.world.hosts.values() if h.name not in self.drawn]
        return tuple(drawn + rest)

    def boot(self) -> None:
        """Start every host that the diagram does not create itself."""
        for name in self.world.hosts:
            drawn = self.drawn.get(name)
            if drawn is None or not drawn.created:
                self.world.boot(name)

    def _add(self, name: str, kind: str, manners: Manners, twin: Any) -> None:
        """A twin, or a puppet where the diagram says so."""
        drawn = self.drawn.get(name)
        if drawn is None or drawn.puppet is None:
            self.world.add_host(name, kind, twin)
            return
        habits = drawn.puppet

        def puppet(port: Port) -> Actor:
            return Puppet(port, manners, habits)

        self.world.add_host(name, kind, puppet)

    def _no_latency(self, one: str, other: str) -> None:
        """Between these two nothing takes time: they are one, or a socket has taken it."""
        self.world.latencies[one, other] = self.world.latencies[other, one] = (0, 0)

    def _set_latencies(self) -> None:
        hosts = self.world.hosts
        for one in self.scenario.settings.latencies:
            for source in self._named(one.source):
                for target in self._named(one.target):
                    if source != target and source in hosts and target in hosts:
                        self.world.latencies[source, target] = (one.low_us, one.high_us)

    def _named(self, word: str) -> list[str]:
        """The hosts that a name, a kind or ``*`` means."""
        if word == "*":
            return list(self.world.hosts)
        of_kind = [h.name for h in self.world.hosts.values() if h.kind == word]
        return [word] if word in self.world.hosts else of_kind
