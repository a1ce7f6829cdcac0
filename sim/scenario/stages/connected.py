"""What the stages of protocols with connections have in common: how puppets use them."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import attrs

from sim.core.entropy import Stream
from sim.core.op import Frame
from sim.scenario.playing.directing import greets_itself
from sim.scenario.playing.puppet import Puppet, PuppetDials, PuppetSends
from sim.scenario.playing.stage import Direction, Stage
from sim.scenario.stages.casting import Casting
from sim.world.host import Host


class ConnectedStage(Stage):
    """``DIALS`` are the kinds of host that connect to the one at the centre."""

    DIALS: ClassVar[tuple[str, ...]]
    cast: Casting

    def start(self) -> None:
        self.cast.boot()
        for one in self.cast.puppets():
            if one.puppet and "handshake" in one.puppet and one.kind in self.DIALS:
                greets = not greets_itself(one.id, self.scenario.body)
                direction = self.puppet_connects(one.id, None, greets)
                self.world.act(direction.host, direction.act)

    def host_kinds(self) -> tuple[tuple[str, str], ...]:
        return self.cast.kinds()

    def puppet_ready(self, sender: str, receiver: str) -> str | None:
        actor = self.world.hosts[sender].actor
        if actor is None:
            return f"{sender} is down"
        assert isinstance(actor, Puppet)
        return actor.unready(receiver)

    def puppet_sends(self, sender: str, receiver: str, frame: Frame) -> Direction:
        return Direction(sender, PuppetSends(receiver, frame))

    def puppet_connects(self, host: str, channel: str | None, handshake: bool) -> Direction:
        manners = self.scenario.participant(host).puppet or frozenset()
        greets = handshake and "handshake" in manners
        return Direction(host, PuppetDials(*self.way(host, channel), greets))

    @abstractmethod
    def way(self, host: str, channel: str | None) -> tuple[str, str]:
        """Whom a host dials, and on which lane."""


@attrs.define
class PuppetIds:
    """Fresh ids that are not drawn from a host's own sequence.

    A record plays the same frames literally; what the host draws by itself must be the same
    then.
    """

    stream: Stream | None = attrs.field(default=None, init=False)

    def new_id(self, host: Host) -> str:
        """One more for this host's frames."""
        if self.stream is None:
            self.stream = Stream(host.world.seed, "puppets")
        return self.stream.uuid4()
