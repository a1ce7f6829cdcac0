"""``hooktwin connect`` for the relay protocol: twin controllers or nodes dial a real relay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit, urlunsplit

import attrs
import trio

from sim.core.errors import UsageError
from sim.drivers.listening import is_host
from sim.live.dialling import Dialler, Headers
from sim.live.gateway import Tell
from sim.live.holding import Stop, Summary, hold
from sim.live.outsider import Outsider
from sim.live.session import Running, Session
from sim.play import vocabularies
from sim.protocols.relay.acts import SendCommand
from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY
from sim.protocols.relay.controller.plan import ControllerPlan
from sim.protocols.relay.node.plan import NodePlan
from sim.scenario import directive_nodes as nodes
from sim.scenario.parse import parse_scenario
from sim.scenario.stages.relay import RelayStage
from sim.scenario.stages.relay_cast import Cast, RelayManners
from sim.scenario.syntax import Scenario
from sim.scenario.tree import statements_in
from sim.world.dial import DialRequest

UPGRADE_S = 15.0
ROLES: Final = (CONTROLLER, NODE)
FIRST: Final = {CONTROLLER: "A", NODE: "N"}
PAGE: Final = "https://example.com/"
NAME_MARK: Final = "{name}"


@attrs.frozen
class Crew:
    """Who dials which relay. ``role`` and ``count`` where there is no scenario.

    ``token`` is the access token that they show; ``{name}`` in it is the name of each
    ("": ``controller-{name}`` or ``node-{name}``). ``nodes`` are whom controllers work
    with, the first being meant where none is named. ``seconds``: how long (None: until
    somebody ends it).
    """

    url: str
    role: str = NODE
    count: int = 1
    token: str = ""
    nodes: tuple[str, ...] = ("N",)
    scenario: Scenario | None = None
    seconds: float | None = None
    running: Running = attrs.Factory(Running)

    def token_of(self, name: str, role: str) -> str:
        """What the peer of this name shows."""
        return (self.token or f"{role}-{NAME_MARK}").replace(NAME_MARK, name)


def checked_url(url: str) -> str:
    """The relay's URL. Raises UsageError for what is none."""
    try:
        parts = urlsplit(url.strip())
        is_good = parts.scheme in ("ws", "wss") and is_host(parts.hostname or "")
        is_good = is_good and parts.port != 0 and not parts.fragment and parts.username is None
    except ValueError:
        is_good = False
    if not is_good:
        raise UsageError("give the relay's URL such as ws://127.0.0.1:8787, without a user in it")
    return urlunsplit(parts._replace(path=parts.path or "/"))


def crew_text(role: str, count: int) -> str:
    """The scenario of so many peers at a strange relay's."""
    first = FIRST[role]
    names = [first, *(f"{first}{n}" for n in range(2, count + 1))][:count]
    lines = [f"    participant {name} as {role}" for name in names]
    head = ["sequenceDiagram", "    %% The relay is outside.", "    participant R as relay"]
    return "\n".join([*head, *lines, f"    Note over R,{first}: whatever happens", ""])


class AwayRelayCast(Cast):
    """Peers that are twins, and a relay that is not."""

    crew = Crew("")

    def all_of(self, kind: str) -> list[str]:
        return [name for name in super().all_of(kind) if kind == RELAY or name in self.drawn]

    def build(self, manners: RelayManners) -> None:
        self.world.add_host(self.relay, RELAY, Outsider)
        self._add_peers(manners)
        for name in (*self.nodes, *self.controllers):
            self._no_latency(name, self.relay)

    def _node_plan(self, name: str) -> NodePlan:
        token = self.crew.token_of(self.identities[name], NODE)
        own = NAME_MARK in (self.crew.token or NAME_MARK)
        plan = super()._node_plan(name)
        return attrs.evolve(plan, token=token, refresh_token="", names_itself=own)

    def _controller_plan(self, name: str) -> ControllerPlan:
        token = self.crew.token_of(self.identities[name], CONTROLLER)
        plan = super()._controller_plan(name)
        script = () if self.crew.scenario else SCRIPT
        known = self.node_ids() or self.crew.nodes
        return attrs.evolve(plan, token=token, refresh_token="", nodes=known, script=script)

    def twin_kinds(self) -> frozenset[str]:
        """Of the real relay only the frames are known, so of its peers no more either."""
        return frozenset()


SCRIPT: Final = (
    SendCommand("command.list"),
    SendCommand("primitive.tab.open", {"url": PAGE}),
    SendCommand("command.list", retries=2),
)
"""What a controller does who is told nothing else."""


class AwayRelayStage(RelayStage):
    """A stage for peers only."""

    CAST: ClassVar[type[Cast]] = AwayRelayCast


def _stage_of(crew: Crew) -> type[AwayRelayStage]:
    class CrewCast(AwayRelayCast):
        pass

    class CrewStage(AwayRelayStage):
        CAST = CrewCast

    CrewCast.crew = crew
    return CrewStage


def _freed(scenario: Scenario) -> Scenario:
    """A relay that the diagram calls a puppet is no puppet of ours here."""
    people = [
        attrs.evolve(one, puppet=None) if one.kind == RELAY else one
        for one in scenario.participants
    ]
    return attrs.evolve(scenario, participants=tuple(people))


class RelayParty(Session[AwayRelayStage]):
    """Everything of one ``connect`` to a relay."""

    OUTSIDE = (RELAY, *ROLES)

    def __init__(self, crew: Crew, tell: Tell) -> None:
        self.crew = crew
        secrets = crew.running.secrets
        for part in crew.token.split(NAME_MARK):
            secrets.keep(part.strip(".-"))
        secrets.shown("", urlsplit(crew.url).query)
        text = crew_text(crew.role, crew.count)
        scenario = _freed(crew.scenario or parse_scenario(text, "connect", vocabularies()))
        plays = crew.scenario is not None
        super().__init__(scenario, _stage_of(crew), crew.running, tell, plays=plays)
        self.dialler = Dialler(self.gateway, self.tell, self._where, UPGRADE_S)

    def unread(self) -> frozenset[int]:
        return frozenset(_out_of_sight(self.scenario))

    def _where(self, dial: DialRequest) -> tuple[str, Headers]:
        parts = urlsplit(self.crew.url)
        role = f"role={dial.end.link.lane}"
        query = "&".join(one for one in (parts.query, role) if one)
        return urlunsplit(parts._replace(query=query)), []


def _out_of_sight(scenario: Scenario) -> Iterator[int]:
    """Lines about the relay's own life and state."""
    kinds = {one.id: one.kind for one in scenario.participants}
    for one in statements_in(scenario.body):
        if _is_out_of_sight(one, kinds):
            yield one.line


def _is_out_of_sight(one: Any, kinds: dict[str, str]) -> bool:
    match one:
        case nodes.Expect() | nodes.Final() | nodes.Never():
            return True
        case nodes.Count(what=what):
            return what != "frame"
        case nodes.Crash(host=host) | nodes.Restart(host=host) | nodes.Act(host=host):
            return kinds.get(host) == RELAY
    return False


async def connect(crew: Crew, tell: Tell, stop: Stop | None = None) -> tuple[Summary, RelayParty]:
    """Let the peers dial until a signal comes, time is up, or the diagram has been played."""
    party = RelayParty(crew, tell)

    async def begin(nursery: trio.Nursery) -> None:
        party.dialler.enter(nursery)
        party.boot()
        party.begin()

    summary = await hold(party, stop or Stop(), begin, crew.seconds, "the client quits")
    return summary, party
