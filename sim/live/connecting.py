"""``hooktwin connect``: twin desktops dial a real server."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

import attrs
import trio

from sim.core.errors import UsageError
from sim.drivers.listening import is_host
from sim.live.agents import Agents
from sim.live.away import AwayStage, fleet, out_of_sight
from sim.live.dialling import Dialler, Headers
from sim.live.gateway import Tell
from sim.live.holding import Stop, Summary, hold
from sim.live.session import Running, Session
from sim.live.stage import CHANNELS
from sim.play import vocabularies
from sim.scenario.parse import parse_scenario
from sim.scenario.syntax import Scenario
from sim.world.dial import DialRequest

# As the real desktop: what the HTTP upgrade may take.
UPGRADE_S = 15.0


@attrs.frozen
class Fleet:
    """Which desktops dial where. ``urls`` by lane; ``token`` for the header ("": none).

    ``seconds``: how long (None: until somebody ends it).
    """

    urls: dict[str, str]
    desktops: int = 1
    token: str = ""
    scenario: Scenario | None = None
    seconds: float | None = None
    running: Running = attrs.Factory(Running)


def urls_of(url: str, channels: tuple[str, ...] | None) -> dict[str, str]:
    """The URL of each lane. A URL without a path gets one per channel; one with a path is
    that of the channel that its last word names, or of the single one that was asked for.

    Raises UsageError for what is no such URL.
    """
    try:
        parts = urlsplit(url.strip())
        is_good = parts.scheme in ("ws", "wss") and is_host(parts.hostname or "")
        is_good = is_good and parts.port != 0
    except ValueError:
        raise UsageError("this is no URL; give one such as ws://127.0.0.1:8787") from None
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            f"{_without_secrets(url)}: a name or password in it would not be sent; "
            "give --token, or HOOKTWIN_TOKEN"
        )
    if not is_good or parts.fragment:
        raise UsageError(f"{_without_secrets(url)}: give a URL such as ws://127.0.0.1:8787")
    path = parts.path.rstrip("/")
    last = path.rpartition("/")[2]
    if last in CHANNELS and channels in (None, (last,)):
        return {last: urlunsplit(parts)}
    if not path:
        lanes = channels or CHANNELS
        return {lane: urlunsplit(parts._replace(path=f"/{lane}")) for lane in lanes}
    if channels is not None and len(channels) == 1:
        return {channels[0]: urlunsplit(parts)}
    raise UsageError(
        f"{_without_secrets(url)}: the path names no channel; end it in /slack, /telegram or /x, "
        "leave it out, or give one --channel"
    )


def _without_secrets(url: str) -> str:
    """A URL for a message: user, password and query are nobody's business."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))


def _freed(scenario: Scenario) -> Scenario:
    """A server that the diagram calls a puppet is no puppet of ours here."""
    people = [
        attrs.evolve(one, puppet=None) if one.kind == "server" else one
        for one in scenario.participants
    ]
    return attrs.evolve(scenario, participants=tuple(people))


class Party(Session[AwayStage]):
    """Everything of one ``connect``. Of the real server only the frames are known, so the twin
    desktops cannot be judged by more either."""

    OUTSIDE = ("server", "desktop")

    def __init__(self, plan: Fleet, tell: Tell) -> None:
        self.plan = plan
        plan.running.secrets.keep(plan.token)
        for url in plan.urls.values():
            plan.running.secrets.shown("", urlsplit(url).query)
        text = fleet(plan.urls, plan.desktops)
        scenario = _freed(plan.scenario or parse_scenario(text, "connect", vocabularies()))
        plays = plan.scenario is not None
        super().__init__(scenario, AwayStage, plan.running, tell, plays=plays)
        self.agents = None if plays else Agents(self.world)
        self.dialler = Dialler(self.gateway, self.tell, self._where, UPGRADE_S)

    def unread(self) -> frozenset[int]:
        return frozenset(out_of_sight(self.scenario))

    def _where(self, dial: DialRequest) -> tuple[str, Headers]:
        shown = f"Bearer {self.plan.token}".encode()
        headers = [(b"authorization", shown)] if self.plan.token else []
        return self.plan.urls[dial.end.link.lane], headers


async def connect(plan: Fleet, tell: Tell, stop: Stop | None = None) -> tuple[Summary, Party]:
    """Let the desktops dial until a signal comes, time is up, or the diagram has been played."""
    party = Party(plan, tell)

    async def begin(nursery: trio.Nursery) -> None:
        party.dialler.enter(nursery)
        party.boot()
        party.begin()

    summary = await hold(party, stop or Stop(), begin, plan.seconds, "the desktop quits")
    return summary, party
