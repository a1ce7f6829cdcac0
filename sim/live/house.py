"""A world with a twin server, in which the desktops are outside programs."""

from __future__ import annotations

from typing import cast

import attrs

from sim.core.invariant import Invariant
from sim.core.op import Frame
from sim.live.gateway import Seat, Tell
from sim.live.session import Running, Session
from sim.live.snares import Snares
from sim.live.stage import CHANNELS, OpenStage, open_house
from sim.play import vocabularies
from sim.protocols.hook.acts import Adopt
from sim.scenario.parse import parse_scenario
from sim.scenario.syntax import Scenario
from sim.world import fault


@attrs.frozen
class Plan:
    """What is to be served: channels without a scenario, or a scenario with its own.

    ``seconds``: how long (None: until somebody ends it).
    """

    channels: tuple[str, ...] = CHANNELS
    scenario: Scenario | None = None
    running: Running = attrs.Factory(Running)
    seconds: float | None = None


class House(Session):
    """Everything of one ``serve`` but its doors. A diagram begins with the first desktop."""

    OUTSIDE = ("desktop",)

    def __init__(self, plan: Plan, tell: Tell) -> None:
        text = open_house(plan.channels)
        scenario = plan.scenario or parse_scenario(text, "serve", vocabularies())
        plays = plan.scenario is not None
        super().__init__(scenario, OpenStage, plan.running, tell, plays=plays)
        self.cast = cast(OpenStage, self.stage).cast
        self.snares = Snares(self.world)
        self.gateway.on_frame = self._introduced
        self._host_of: dict[str, str] = {}
        self._taken: dict[str, str] = {}
        self._adopted: dict[tuple[str, str], None] = {}

    def twins(self) -> list[Invariant]:
        return self.stage.invariants()

    @property
    def server(self) -> str:
        """The name of the twin server."""
        return self.cast.server

    @property
    def lanes(self) -> tuple[str, ...]:
        """The lanes that desktops may connect on."""
        return self.cast.lanes()

    # -- who is who ----------------------------------------------------------------------

    def host_for(self, device: str) -> str:
        """The host that stands for a device ("": it has not said which it is).

        A host whose process the diagram has ended, or not started yet, starts.
        """
        name = self._host_of.get(device) if device else None
        if name is None:
            free = (one for one in self.cast.outsiders() if one not in self._taken)
            name = next(free, None) or self.cast.admit()
            self._taken[name] = device
            if device:
                self._host_of[device] = name
        host = self.world.hosts[name]
        if not host.up:
            if host.epoch:
                fault.restart(self.world, name)
            else:
                self.world.boot(name)
            self.world.cause = -1
        self.begin()
        return name

    def left(self, name: str) -> None:
        """A connection of this host is over; who never said its name leaves no trace of itself."""
        if self._taken.get(name) == "" and not any(self.world.links_of(name)):
            del self._taken[name]

    def _introduced(self, seat: Seat, frame: Frame) -> None:
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
            self._host_of.setdefault(device, name)
        self._adopt(name, device)

    def _adopt(self, name: str, device: str) -> None:
        if (name, device) in self._adopted or self._host_of.get(device) != name:
            return
        self._adopted[name, device] = None
        for account in self.cast.accounts_of(name):
            self.cast.bindings.setdefault((account.lane, account.person), device)
            self.world.act(self.server, Adopt(account.lane, account.person, device))
