"""The stage of the relay protocol: its hosts, its people, what stands at relay and nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from sim.core.event import FrameSent
from sim.core.invariant import Invariant
from sim.core.op import Frame
from sim.core.rule import switch_off
from sim.protocols.relay.constants import CONTROLLER
from sim.protocols.relay.invariants import invariants_for
from sim.protocols.relay.relay.plan import RelayPlan
from sim.protocols.relay.rules import RelayRules
from sim.protocols.relay.standing import Standing, Task
from sim.protocols.relay.view import RelayView
from sim.protocols.relay.words import WORDS
from sim.scenario.directive_nodes import Act as RecordedAct
from sim.scenario.playing.directing import greets_itself
from sim.scenario.playing.result import ShownMessage
from sim.scenario.playing.stage import Direction, NotYet, Shown
from sim.scenario.stages.connected import ConnectedStage
from sim.scenario.stages.relay_acts import read_act
from sim.scenario.stages.relay_cast import PEERS, Cast, RelayManners
from sim.scenario.stages.relay_compose import Composer, family_of
from sim.scenario.stages.relay_ledger import Ledger
from sim.scenario.stages.relay_people import does
from sim.scenario.stages.relay_prompts import Prompter
from sim.scenario.stages.relay_refusals import refuse_unplayable
from sim.scenario.syntax import Act, Arrow, FrameText, Scenario, Statement
from sim.scenario.tree import statements_in
from sim.scenario.values import NAME
from sim.wire.encode import encode_json
from sim.world.world import World

HANDSHAKE = ("hello", "hello_ack", "auth", "auth_ack", "ping", "pong")


class RelayStage(ConnectedStage):
    """See :class:`sim.scenario.playing.stage.Stage` for the methods' meaning."""

    protocol = "relay"
    wording = WORDS
    DIALS = PEERS
    CAST: ClassVar[type[Cast]] = Cast
    cast: Cast

    def __init__(self, scenario: Scenario, world: World, without: frozenset[str]) -> None:
        super().__init__(scenario, world, without)
        refuse_unplayable(scenario)
        # A record says literally (@act) what everybody does: its arrows only expect.
        self.recorded = any(isinstance(one, RecordedAct) for one in statements_in(scenario.body))
        self.standing = Standing()
        self.ledger = Ledger()
        self.rules = switch_off(RelayRules, without)
        self.cast = self.CAST(scenario, world, self.rules)
        self.view = RelayView(self.cast.plan())
        self.composer = Composer(
            self.ledger, self.standing, self.names, self.cast.node_ids(), self.cast.identities
        )
        self.prompter = Prompter(world, self.standing, self.names, self.composer)
        self._told: list[FrameSent] = []

    @classmethod
    def surroundings(cls, scenario: Scenario) -> RelayPlan:
        """The tokens of all lifelines."""
        return cls.CAST(scenario, World(0), RelayRules()).plan()

    def build(self) -> None:
        for kind in self.view.kinds:
            self.world.watch(kind, self.view.on)
        for kind in self.standing.kinds:
            self.world.watch(kind, self.standing.on)
        self.world.watch(FrameSent, self._on_sent)
        self.ledger.attach(self.world)
        self.cast.build(RelayManners(self.composer))
        # A lifeline that is called like a name (N1) is what that name stands for.
        known = self.cast.identities.items()
        self.names.bind({name: who for name, who in known if NAME.fullmatch(name)})

    def _on_sent(self, event: FrameSent) -> None:
        if self.world.hosts[event.receiver].kind == CONTROLLER:
            self._told.append(event)

    def expect_delays(self, most_us: int) -> None:
        super().expect_delays(most_us)
        if self.world.helm is not None:
            self.view.late_us = self.world.helm.most_late_us

    def invariants(self) -> list[Invariant]:
        return invariants_for(self.view, self.cast.twin_kinds())

    def prompts(
        self,
        arrow: Arrow,
        text: FrameText,
        following: Iterable[Statement],
        prompted: dict[int, None],
    ) -> list[Direction]:
        if self.recorded or self.world.hosts[arrow.source].kind not in PEERS:
            return []
        return self.prompter.prompts(arrow, text)

    def is_early(self, arrow: Arrow, text: FrameText) -> bool:
        """Work waits until whoever asks for it and all nodes have shown their tokens once."""
        if family_of(text.type) in HANDSHAKE or arrow.source not in self.cast.controllers:
            return False
        if self.cast.is_puppet(self.cast.relay):
            return False
        hosts = self.world.hosts
        return any(
            hosts[name].up and name not in self.standing.seen and self.comes_by_itself(name)
            for name in (*self.cast.nodes, arrow.source)
        )

    def comes_by_itself(self, host: str) -> bool:
        """Whether this peer connects and shows its token without a word of the diagram."""
        drawn = self.cast.drawn.get(host)
        if drawn is None or drawn.puppet is None:
            return True
        return "handshake" in drawn.puppet and not greets_itself(host, self.scenario.body)

    def person_does(self, arrow: Arrow, act: Act) -> Direction | NotYet:
        return does(arrow, act, self.names)

    # -- puppets -------------------------------------------------------------------

    def compose(self, sender: str, receiver: str, text: FrameText) -> Frame:
        return self.composer.compose(self.world.hosts[sender], receiver, text)

    def way(self, host: str, channel: str | None) -> tuple[str, str]:
        return self.cast.relay, self.cast.lane(host)

    # -- there are no channels -------------------------------------------------------

    def call_fits(self, op: str | None, request: Any) -> bool:
        return False

    def event_fits(self, act: Act, request: Any) -> bool:
        return False

    def channels(self) -> tuple[str, ...]:
        return ()

    def channel_fault(
        self, channel: str, op: str, outcome: str, for_us: int, always: bool
    ) -> Direction:
        raise LookupError(f"a relay run has no channel {channel}")

    def feature(self, host: str, feature: str, on: bool) -> Direction:
        raise LookupError(f"the relay protocol has no feature {feature}")

    def read_act(self, host: str, act: Any) -> Any:
        return read_act(self.world.hosts[host].kind, act)

    def situation(self, host: str, frame: Frame) -> str:
        wire = frame.wire
        task = self.standing.tasks.get(str(wire.get("requestId"))) if wire else None
        return "" if task is None else f"{task.what} {task.state.lower()}"

    def lane_names(self, host: str) -> tuple[str, ...]:
        return (self.cast.lane(host),)

    # -- what stands --------------------------------------------------------------------

    def shown(self, real_id: Any) -> Shown | None:
        task = self.standing.tasks.get(str(real_id))
        if task is not None:
            return _shown(task)
        tab = self.standing.tabs.get(str(real_id))
        if tab is None:
            return None
        told = self.standing.told_of_tab(tab)
        return Shown("OPEN" if tab.is_open else "CLOSED", told)

    def all_shown(self) -> dict[str, Shown]:
        shown = {real: self.shown(real) for real in (*self.standing.tasks, *self.standing.tabs)}
        return {real: one for real, one in shown.items() if one is not None}

    def texts(self) -> list[tuple[int, str]]:
        return [(event.n, encode_json(event.frame.wire)) for event in self._told]

    def posts(self, channel: str | None, real_id: Any = None) -> int:
        return 0

    def edits(self, channel: str | None, real_id: Any) -> int:
        return 0

    def messages(self) -> tuple[ShownMessage, ...]:
        return tuple(
            ShownMessage(task.request, task.peer.host, task.state, task.text, posts=0, edits=0)
            for task in self.standing.tasks.values()
        )


def _shown(task: Task) -> Shown:
    """A task that has only been sent works for all that its controller knows."""
    return Shown("WORKING" if task.state == "SENT" else task.state, task.text)
