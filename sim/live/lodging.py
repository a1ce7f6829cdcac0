"""A world whose centre is a twin, and whose programs around it come from outside.

What a protocol has to say for itself: who is drawn for outside programs, what a first
frame tells of its sender, and on which paths they connect.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from sim.core.http import HttpRequest, HttpResponse
from sim.core.op import Frame
from sim.live.gateway import Seat, Tell
from sim.live.session import Running, Session, StageT
from sim.live.snares import Snares
from sim.scenario.syntax import Scenario
from sim.world import fault


class Lodging(Session[StageT]):
    """Everything of one ``serve`` but its doors. A diagram begins with the first program."""

    WAYS: ClassVar[tuple[str, str]] = ("up", "down")
    """How the control API calls the two directions: to the twin, and from it."""
    ASKS_AT_THE_DOOR: ClassVar[bool] = True
    """Whether the session's token is shown in the request for a WebSocket."""
    ACCOUNT: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """What the world is told of a program that has shown the session's token."""

    def __init__(
        self,
        scenario: Scenario,
        stage_type: type[StageT],
        running: Running,
        tell: Tell,
        *,
        plays: bool,
    ) -> None:
        super().__init__(scenario, stage_type, running, tell, plays=plays)
        self.snares = Snares(self.world)
        self.gateway.on_frame = self.introduced
        self._host_of: dict[tuple[str, str], str] = {}
        self._taken: dict[str, str] = {}

    # -- what differs ------------------------------------------------------------------

    @property
    @abstractmethod
    def server(self) -> str:
        """The name of the twin at the centre."""

    @property
    @abstractmethod
    def lanes(self) -> tuple[str, ...]:
        """The lanes that programs may connect on."""

    @property
    @abstractmethod
    def paths(self) -> Mapping[str, str]:
        """Where programs connect: URL path → lane ("": query and first frame tell it)."""

    @property
    def api(self) -> str:
        """What the paths of plain HTTP requests begin with, "" where there are none."""
        return ""

    @property
    def methods(self) -> Mapping[str, str]:
        """Which methods the paths of plain requests take, as an Allow header says it."""
        return {}

    @abstractmethod
    def outsiders(self, lane: str) -> list[str]:
        """The drawn hosts whose places may be taken by who connects on this lane."""

    @abstractmethod
    def admit(self, lane: str) -> str:
        """One more host than the diagram has; its name."""

    @abstractmethod
    def whose(self, first: str | None) -> str:
        """Which program sends this as its first frame; "" where that does not tell."""

    def lane_of(self, path: str, query: str, first: str | None) -> str:
        """The lane of a connection."""
        return self.paths[path]

    def ways(self) -> dict[str, str]:
        """Path and query by lane, for those who want to connect."""
        return {lane: path for path, lane in self.paths.items()}

    def hints(self) -> dict[str, str]:
        """What else they have to know, by name."""
        return {}

    def introduced(self, seat: Seat, frame: Frame) -> None:
        """A frame from outside, before the world hears it."""

    # -- who is who ----------------------------------------------------------------------

    def host_for(self, who: str, lane: str) -> str:
        """The host that stands for a program ("": it has not said which it is).

        A host whose process the diagram has ended, or not started yet, starts.
        """
        name = self._host_of.get((lane, who)) if who else None
        if name is None:
            name = self.place_for(who, lane)
            self._taken[name] = who
            if who:
                self._host_of[lane, who] = name
        host = self.world.hosts[name]
        if not host.up:
            if host.epoch:
                fault.restart(self.world, name)
            else:
                self.world.boot(name)
            self.world.cause = -1
        self.begin()
        return name

    def place_for(self, who: str, lane: str) -> str:
        """A drawn host that is free, or one more."""
        free = (one for one in self.outsiders(lane) if one not in self._taken)
        return next(free, None) or self.admit(lane)

    def left(self, name: str) -> None:
        """A connection of this host is over; who never said its name leaves no trace of itself."""
        if self._taken.get(name) == "" and not any(self.world.links_of(name)):
            del self._taken[name]

    async def ask(self, request: HttpRequest) -> HttpResponse | None:
        """What the twin answers to a request over HTTP; None: nothing."""
        return None

    def callers(self) -> list[str]:
        """The hosts that may dial."""
        return [host.name for host in self.world.hosts.values() if host.kind in self.OUTSIDE]
