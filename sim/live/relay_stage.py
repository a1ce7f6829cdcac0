"""Scenarios whose controllers and nodes are outside programs, and the tokens that they show.

A relay has its registry of clients elsewhere; the twin has none. So a token says whose it
is: ``controller-alice``, ``node-laptop``, and to renew it ``refresh-controller-alice``.
Where the session has a secret, each ends with a dot and the secret.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final

import attrs

from sim.hosts.relay import relay_host
from sim.live.outsider import Outsider, done_there
from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY
from sim.protocols.relay.relay.plan import RelayPlan
from sim.protocols.relay.relay.sessions import Grant
from sim.protocols.relay.rules import RelayRules
from sim.scenario.playing.stage import Direction, NotYet
from sim.scenario.stages.relay import RelayStage
from sim.scenario.stages.relay_cast import PEERS, Cast, RelayManners
from sim.scenario.syntax import Act, Arrow, FrameText, Scenario
from sim.world.world import World

FIRST: Final = {CONTROLLER: "A", NODE: "N"}

OPEN_HOUSE: Final = """sequenceDiagram
    %% Controllers and nodes connect from outside.
    participant A as controller
    participant R as relay
    participant N as node
    Note over A,N: whatever happens
"""


class OpenTokens(Mapping[str, Grant]):
    """Every token that says whose it is; before those, the ones that a diagram's twins have.

    ``secret`` "" stands for any: in a recording it is not to be read. ``limits`` are what
    those of some identities permit, by role and identity.
    """

    def __init__(
        self,
        before: str,
        secret: str,
        drawn: Mapping[str, Grant],
        limits: Mapping[tuple[str, str], Grant] = MappingProxyType({}),
    ) -> None:
        self._before = before
        self._limits = limits
        self._secret = secret.encode()
        self._drawn = drawn

    def __getitem__(self, token: str) -> Grant:
        drawn = self._drawn.get(token)
        if drawn is not None:
            return drawn
        if not _is_unicode(token):
            raise KeyError(token)
        open_, _, secret = token.removeprefix(self._before).partition(".")
        role, _, identity = open_.partition("-")
        is_open = token.startswith(self._before) and role in PEERS and identity
        if not is_open or (self._secret and not hmac.compare_digest(secret.encode(), self._secret)):
            raise KeyError(token)
        return self._limits.get((role, identity)) or Grant(role, identity)

    def __iter__(self) -> Iterator[str]:
        return iter(self._drawn)

    def __len__(self) -> int:
        return len(self._drawn)


def _is_unicode(token: str) -> bool:
    """Half a surrogate pair, which JSON can hold, is no identity: no header could show it."""
    try:
        token.encode()
    except UnicodeEncodeError:
        return False
    return True


class OpenRelayCast(Cast):
    """A cast whose controllers and nodes, unless they are puppets, come from outside."""

    secret = ""

    def __init__(self, scenario: Scenario, world: World, rules: RelayRules) -> None:
        super().__init__(scenario, world, rules)
        self.admitted = {CONTROLLER: 1, NODE: 1}

    def plan(self) -> RelayPlan:
        usual = super().plan()
        puppets = {f"token-{one.id}" for one in self.puppets()}
        drawn = {token: grant for token, grant in usual.tokens.items() if token in puppets}
        limits = {(one.role, one.identity): one for one in usual.tokens.values()}
        return attrs.evolve(
            usual,
            tokens=OpenTokens("", self.secret, drawn, limits),
            refresh_tokens=OpenTokens("refresh-", self.secret, {}, limits),
            stamp=f".{self.secret}" if self.secret else "",
        )

    def build(self, manners: RelayManners) -> None:
        self._add(self.relay, RELAY, manners, relay_host(self.plan()))
        for name in (*self.nodes, *self.controllers):
            self._add(name, self.lane(name), manners, Outsider)
        for name in self.outsiders():
            self._no_latency(name, self.relay)
        for name in self.persons():
            self._add(name, "person", manners, Outsider)

    def outsiders(self) -> list[str]:
        """The drawn controllers and nodes whose places are to be taken."""
        puppets = [one.id for one in self.puppets()]
        return [name for name in (*self.controllers, *self.nodes) if name not in puppets]

    def twin_kinds(self) -> frozenset[str]:
        """Outside programs are judged by what they send, not as twins are."""
        return super().twin_kinds() - frozenset(PEERS)

    def admit(self, kind: str) -> str:
        """One more controller or node than the diagram has; gives its name."""
        name = ""
        while not name or name in self.world.hosts:
            self.admitted[kind] += 1
            name = f"{FIRST[kind]}{self.admitted[kind]}"
        skew_us = self.world.hosts[self.relay].skew_us
        self.world.add_host(name, kind, Outsider).skew_us = skew_us
        self._no_latency(name, self.relay)
        return name


class OpenRelayStage(RelayStage):
    """A stage on which outside controllers and nodes play."""

    CAST: ClassVar[type[Cast]] = OpenRelayCast
    cast: OpenRelayCast

    def prompts(
        self, arrow: Arrow, text: FrameText, following: Any, prompted: dict[int, None]
    ) -> list[Direction]:
        """Nobody here moves an outside program."""
        if arrow.source in self.cast.outsiders():
            return []
        return super().prompts(arrow, text, following, prompted)

    def person_does(self, arrow: Arrow, act: Act) -> Direction | NotYet:
        return done_there(super().person_does(arrow, act), act, self.cast.outsiders())


def stage_with(secret: str) -> type[OpenRelayStage]:
    """The stage of a session whose tokens end with this secret ("": with anything)."""

    class SecretCast(OpenRelayCast):
        pass

    class SecretStage(OpenRelayStage):
        CAST = SecretCast

    SecretCast.secret = secret
    return SecretStage
