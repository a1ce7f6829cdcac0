"""A world with a twin server, in which the desktops are outside programs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

import attrs

from sim.core.invariant import Invariant
from sim.core.op import Frame
from sim.live.gateway import Seat, Tell
from sim.live.lodging import Lodging
from sim.live.roll import hello_of
from sim.live.served import Served
from sim.live.session import Running
from sim.live.stage import CHANNELS, OpenStage, open_house
from sim.play import vocabularies
from sim.protocols.hook.acts import Adopt
from sim.scenario.parse import parse_scenario
from sim.scenario.syntax import Scenario


@attrs.frozen
class Plan:
    """What is to be served: channels without a scenario, or a scenario with its own.

    ``seconds``: how long (None: until somebody ends it). ``protocol`` where there is no
    scenario to say it; ``served`` is what the question protocol wants besides.
    """

    channels: tuple[str, ...] = CHANNELS
    scenario: Scenario | None = None
    running: Running = attrs.Factory(Running)
    seconds: float | None = None
    protocol: str = "hook"
    served: Served = attrs.Factory(Served)


class House(Lodging[OpenStage]):
    """A hook server in front of its channels; its desktops are outside."""

    OUTSIDE = ("desktop",)
    WAYS = ("D->S", "S->D")
    # Whoever gets in with a token is this account: the token itself goes nowhere.
    ACCOUNT: ClassVar[Mapping[str, str]] = MappingProxyType({"authorization": "Bearer owner"})

    def __init__(self, plan: Plan, tell: Tell) -> None:
        text = open_house(plan.channels)
        scenario = plan.scenario or parse_scenario(text, "serve", vocabularies())
        plays = plan.scenario is not None
        super().__init__(scenario, OpenStage, plan.running, tell, plays=plays)
        self.cast = self.stage.cast
        self._adopted: dict[tuple[str, str], None] = {}

    def twins(self) -> list[Invariant]:
        return self.stage.invariants()

    @property
    def server(self) -> str:
        return self.cast.server

    @property
    def lanes(self) -> tuple[str, ...]:
        return self.cast.lanes()

    @property
    def paths(self) -> Mapping[str, str]:
        return {f"/{lane}": lane for lane in self.lanes}

    # -- who is who ----------------------------------------------------------------------

    def outsiders(self, lane: str) -> list[str]:
        return self.cast.outsiders()

    def admit(self, lane: str) -> str:
        return self.cast.admit()

    def whose(self, first: str | None) -> str:
        device = hello_of(first).get("deviceId")
        return device if isinstance(device, str) else ""

    def host_for(self, who: str, lane: str = "") -> str:
        """One device is one host on all its lanes."""
        return super().host_for(who, "")

    def introduced(self, seat: Seat, frame: Frame) -> None:
        """A hello: the people of that desktop are bound to this device, before it is heard."""
        if frame.type != "hello" or seat.end is None or not isinstance(frame.wire, dict):
            return
        payload = frame.wire.get("payload")
        device = payload.get("deviceId") if isinstance(payload, dict) else None
        if not isinstance(device, str) or not device:
            return
        name = seat.end.host
        if not self._taken.get(name):
            self._taken[name] = device
            self._host_of.setdefault(("", device), name)
        self._adopt(name, device)

    def _adopt(self, name: str, device: str) -> None:
        if (name, device) in self._adopted or self._host_of.get(("", device)) != name:
            return
        self._adopted[name, device] = None
        for account in self.cast.accounts_of(name):
            self.cast.bindings.setdefault((account.lane, account.person), device)
            self.world.act(self.server, Adopt(account.lane, account.person, device))
