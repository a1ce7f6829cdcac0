"""A world with a twin relay, in which controllers and nodes are outside programs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qs

from sim.core.http import HttpRequest, HttpResponse
from sim.core.invariant import Invariant
from sim.core.op import Frame, OpaqueFrame
from sim.live.calling import ask_as
from sim.live.gateway import Seat, Tell
from sim.live.house import Plan
from sim.live.lodging import Lodging
from sim.live.outsider import Outsider
from sim.live.relay_stage import OPEN_HOUSE, OpenRelayStage, stage_with
from sim.live.roll import payload_of
from sim.play import vocabularies
from sim.protocols.relay.codes import ERROR_CODES
from sim.protocols.relay.constants import CONTROLLER, NODE, ROLES
from sim.protocols.relay.frames import ACTIONS, EVENTS, MESSAGES
from sim.protocols.relay.relay.web import PATHS
from sim.scenario.parse import parse_scenario

API = "/api/"
WEB = "web"
TOKENS = ("accessToken", "refreshToken")
OUR_WORDS: Final = "\n".join(
    (
        *ROLES,
        *MESSAGES,
        *EVENTS,
        *ACTIONS,
        *ERROR_CODES,
        *(one.category for one in ERROR_CODES.values()),
    )
)
"""What frames consist of: a token that is part of it is no secret, and without it no frame could
be read."""
_SAID: Final = re.compile(rf'"({"|".join(TOKENS)})"\s*:\s*"([^"\\]+)')


class RelayHouse(Lodging[OpenRelayStage]):
    """A relay; controllers and nodes are outside.

    ``secret``: what their tokens end with ("": nothing is asked for).
    """

    OUTSIDE = (CONTROLLER, NODE)
    ASKS_AT_THE_DOOR = False

    def __init__(self, plan: Plan, tell: Tell, secret: str = "") -> None:
        scenario = plan.scenario or parse_scenario(OPEN_HOUSE, "serve", vocabularies())
        plays = plan.scenario is not None
        super().__init__(scenario, stage_with(secret), plan.running, tell, plays=plays)
        self._is_secret = bool(secret)
        self.cast = self.stage.cast
        self._plan = self.cast.plan()
        self.world.add_host(WEB, "person", Outsider)

    def twins(self) -> list[Invariant]:
        return self.stage.invariants()

    @property
    def server(self) -> str:
        return self.cast.relay

    @property
    def lanes(self) -> tuple[str, ...]:
        return (CONTROLLER, NODE)

    @property
    def paths(self) -> Mapping[str, str]:
        return {"/": ""}

    @property
    def api(self) -> str:
        return API

    @property
    def methods(self) -> Mapping[str, str]:
        return PATHS

    def ways(self) -> dict[str, str]:
        return {role: f"/?role={role}" for role in self.lanes}

    def hints(self) -> dict[str, str]:
        """The tokens that are good here."""
        end = ".TOKEN" if self._is_secret else ""
        told = {f"{role} token": f"{role}-NAME{end}" for role in self.lanes}
        return {**told, "refresh token": f"refresh-{CONTROLLER}-NAME{end}"}

    # -- who is who ----------------------------------------------------------------------

    def outsiders(self, lane: str) -> list[str]:
        return [name for name in self.cast.outsiders() if self.cast.lane(name) == lane]

    def admit(self, lane: str) -> str:
        return self.cast.admit(lane)

    def lane_of(self, path: str, query: str, first: str | None) -> str:
        """The hello's role counts, before it that of the query; who says neither controls."""
        said = payload_of(first, "messageType", "hello").get("role")
        asked = parse_qs(query).get("role", [""])[-1]
        return next((one for one in (said, asked) if one in self.lanes), CONTROLLER)

    def whose(self, first: str | None) -> str:
        """A node may name itself; a controller is known by its token only."""
        node = payload_of(first, "messageType", "hello").get("nodeId")
        return node if isinstance(node, str) else ""

    def place_for(self, who: str, lane: str) -> str:
        """A node gets the place that is drawn for it."""
        drawn = (one for one in self.outsiders(lane) if self.cast.identities.get(one) == who)
        named = next((one for one in drawn if one not in self._taken), None)
        return named or super().place_for(who, lane)

    def left(self, name: str) -> None:
        """Whose last connection is over makes room: it may come back under any name."""
        if not any(self.world.links_of(name)):
            who = self._taken.pop(name, "")
            self._host_of.pop((self.world.hosts[name].kind, who), None)

    def introduced(self, seat: Seat, frame: Frame) -> None:
        """A token that is none of ours is a stranger's secret: it is recorded nowhere."""
        wire = frame.wire
        payload = wire.get("payload") if isinstance(wire, dict) else None
        if isinstance(payload, dict):
            self._hide(payload)
        if isinstance(frame, OpaqueFrame):  # what cannot be read may hold one all the same
            for name, token in _SAID.findall(frame.text):
                self._hide({name: token})

    def _hide(self, holder: Mapping[str, Any]) -> None:
        plan = self._plan
        for name in TOKENS:
            token = holder.get(name)
            known = isinstance(token, str) and (
                token in plan.tokens or token in plan.refresh_tokens
            )
            if isinstance(token, str) and not known and not self._is_open(token):
                self.secrets.shown(f"Bearer {token}")

    def _is_open(self, token: str) -> bool:
        return token.startswith("token-") or token in OUR_WORDS

    # -- plain HTTP ----------------------------------------------------------------------

    async def ask(self, request: HttpRequest) -> HttpResponse | None:
        """A call in the world: it crosses the relay's life, and its faults, like any other."""
        if isinstance(request.body, dict):
            self._hide(request.body)
        answer = await ask_as(self.driver, WEB, self.server, request)
        return answer if isinstance(answer, HttpResponse) else None
