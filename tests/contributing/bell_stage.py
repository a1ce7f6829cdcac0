"""The stage of the bell protocol: one door, and guests that somebody tells to knock."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sim.protocols.bell.acts import DoKnock
from sim.protocols.bell.constants import DOOR, GUEST, TYPE_KEY
from sim.protocols.bell.door import Door
from sim.protocols.bell.guest import Guest
from sim.protocols.bell.invariants import invariants_for
from sim.protocols.bell.parse import parse_bell_message
from sim.protocols.bell.rules import BellRules
from sim.protocols.bell.view import BellView

from sim.core.errors import UsageError
from sim.core.invariant import Invariant
from sim.core.op import Frame
from sim.core.rule import switch_off
from sim.scenario.playing.puppet import Puppet
from sim.scenario.playing.result import ShownMessage
from sim.scenario.playing.stage import Direction, NotYet, Shown
from sim.scenario.stages.casting import Casting
from sim.scenario.stages.connected import ConnectedStage
from sim.scenario.syntax import Act, Arrow, FrameText, Scenario, Statement
from sim.world.world import World


class Manners:
    """Puppets of this protocol have none."""

    def greeting(self, puppet: Puppet) -> Iterable[Frame]:
        return ()

    def answers(self, puppet: Puppet, frame: Frame) -> Iterable[Frame]:
        return ()

    def greeted(self, frame: Frame) -> bool:
        return True

    def told(self, puppet: Puppet, act: Any) -> None:
        return None


class Cast(Casting):
    """The hosts of one run."""

    KINDS = (DOOR, GUEST)

    def build(self, rules: BellRules) -> None:
        door = self.all_of(DOOR)[0]
        self._add(door, DOOR, Manners(), lambda port: Door(port, rules))
        for name in self.all_of(GUEST):
            self._add(name, GUEST, Manners(), lambda port: Guest(port, door))
        self._set_latencies()


class BellStage(ConnectedStage):
    """See :class:`sim.scenario.playing.stage.Stage` for the methods' meaning."""

    protocol = "bell"
    DIALS = (GUEST,)
    cast: Cast

    def __init__(self, scenario: Scenario, world: World, without: frozenset[str]) -> None:
        super().__init__(scenario, world, without)
        self.cast = Cast(scenario, world)
        self.view = BellView()
        self.knocks = 0

    def build(self) -> None:
        for kind in self.view.kinds:
            self.world.watch(kind, self.view.on)
        self.cast.build(switch_off(BellRules, self.without))

    def invariants(self) -> list[Invariant]:
        return invariants_for(self.view, self.cast.twin_kinds())

    def prompts(
        self,
        arrow: Arrow,
        text: FrameText,
        following: Iterable[Statement],
        prompted: dict[int, None],
    ) -> list[Direction]:
        if text.type != "knock":
            return []
        self.knocks += 1
        return [Direction(arrow.source, DoKnock(f"k-{self.knocks}"))]

    def person_does(self, arrow: Arrow, act: Act) -> Direction | NotYet:
        return NotYet("nobody acts here")

    def compose(self, sender: str, receiver: str, text: FrameText) -> Frame:
        frame = {TYPE_KEY: text.type, "id": "p", "ts": 0, "payload": {"knockId": "k-1"}}
        message = parse_bell_message(frame).message
        assert message is not None
        return message

    def way(self, host: str, channel: str | None) -> tuple[str, str]:
        return self.cast.all_of(DOOR)[0], "bell"

    def call_fits(self, op: str | None, request: Any) -> bool:
        return False

    def event_fits(self, act: Act, request: Any) -> bool:
        return False

    def channels(self) -> tuple[str, ...]:
        return ()

    def read_act(self, host: str, act: Any) -> Any:
        raise UsageError(f"nothing can be told to {host}")

    def channel_fault(
        self, channel: str, op: str, outcome: str, for_us: int, always: bool
    ) -> Direction:
        raise LookupError(f"there is no channel {channel}")

    def feature(self, host: str, feature: str, on: bool) -> Direction:
        raise LookupError(f"there is no feature {feature}")

    def shown(self, real_id: Any) -> Shown | None:
        return None

    def all_shown(self) -> dict[str, Shown]:
        return {}

    def texts(self) -> list[tuple[int, str]]:
        return []

    def posts(self, channel: str | None, real_id: Any = None) -> int:
        return 0

    def edits(self, channel: str | None, real_id: Any) -> int:
        return 0

    def messages(self) -> tuple[ShownMessage, ...]:
        return ()

    def lane_names(self, host: str) -> tuple[str, ...]:
        return ("bell",)
