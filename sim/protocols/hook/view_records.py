"""The records of :class:`sim.protocols.hook.view.HookView`."""

from __future__ import annotations

from typing import Any

import attrs

from sim.channel.services import SERVICES
from sim.protocols.hook.server.stored import CardRow, RequestRow, RoundRow
from sim.protocols.hook.view_writes import Care
from sim.wire.absent import ABSENT


def features_of(hello: Any) -> tuple[str, ...]:
    """What a hello lists; an old desktop's lists nothing."""
    listed: Any = () if hello is None else hello.features
    return () if listed is ABSENT or listed is None else tuple(listed)


@attrs.define(eq=False)
class HostView:
    """A host's present life: ``since`` (µs) it is up, or down."""

    name: str
    epoch: int = 0
    up: bool = False
    since: int = 0


class Hosts(dict[str, HostView]):
    """By name; of a host that nothing has been heard of, as in a log that begins late, nothing
    is known."""

    def __missing__(self, name: str) -> HostView:
        return self.setdefault(name, HostView(name))


@attrs.define(eq=False)
class LinkView:
    """A connection: who, on which lane, and what its handshake said.

    ``account`` is whose desktop this is, "" while nothing has shown it. ``hello`` is the
    newest that the server heard, ``greeted`` the one that its last
    welcome answered. ``told_features`` is what the desktop has read of the newest welcome
    and ``told_before`` of the one before it, ``said_features`` what its own newest hello
    listed. ``lossy``: a fault swallowed a frame and left the connection open. ``alerts``
    counts the oracles that wait for a frame on it; ``turns`` are those of its desktop, once
    it has spoken of one. ``quarantined``: ids that this connection may not use any more;
    ``early``: ids whose end came before anything else;
    ``rounds``: its open continuations.
    """

    name: str
    client: str
    server: str
    lane: str
    opened: int
    device: str = ""
    account: str = ""
    hello: Any = None
    hello_us: int = -1
    greeted: Any = None
    welcomes: int = 0
    welcomed_us: int = -1
    welcome_n: int = -1
    features: tuple[str, ...] = ()
    server_open: bool = True
    client_open: bool = True
    lossy: bool = False
    alerts: int = 0
    turns: dict[str, Any] | None = None
    told_features: tuple[str, ...] = ()
    told_before: tuple[str, ...] = ()
    told_us: int = -1
    said_features: tuple[str, ...] = ()
    quarantined: dict[str, None] = attrs.field(factory=dict)
    rounds: dict[str, RoundView] = attrs.field(factory=dict)
    early: dict[str, None] = attrs.field(factory=dict)

    def serves(self, lane: str) -> bool:
        """Whether this is the connection for a lane; a client with one socket says no lane."""
        return self.lane == lane or self.lane not in SERVICES

    def has(self, *features: str) -> bool:
        """Whether the server may take these as agreed: its welcome lists them, and a hello
        that it answered, or has heard since."""
        return all(f in self.features for f in features) and any(
            all(f in features_of(hello) for f in features) for hello in (self.hello, self.greeted)
        )

    @property
    def open(self) -> bool:
        """Whether some end still believes in it."""
        return self.server_open or self.client_open


@attrs.define(eq=False)
class RequestView:
    """An ordinary request. Empty strings: not known (yet).

    ``ended`` is the status of the end that counted ("continued" when a reopen came
    first), ``ended_at`` its event, ``ended_us`` its time, ``final`` its text; ``late``
    is its own end (status, text) that came after a reopen; ``first`` are the prompt and the
    key of its first dispatch; ``texts``
    are the snapshots that were heard, with the event of the latest;
    ``owner`` the round that owns the message, None for the request itself;
    ``stored`` the newest row of the server about it.
    """

    request: str
    n: int
    key: str = ""
    channel: str = ""
    lane: str = ""
    device: str = ""
    person: str = ""
    chat: str = ""
    thread: str | None = None
    prompt: str = ""
    workspace: str | None = None
    session: str = ""
    dispatches: int = 0
    first: tuple[str, str] | None = None
    dispatched_on: str = ""
    acked: str = ""
    acks: list[str] = attrs.field(factory=list)
    ended: str = ""
    ended_at: int = -1
    ended_us: int = -1
    final: str = ""
    late: tuple[str, str] | None = None
    texts: dict[str, int] = attrs.field(factory=dict)
    cancels: int = 0
    cards: list[str] = attrs.field(factory=list)
    owner: RoundView | None = None
    progress: int = -1
    rounds: list[RoundView] = attrs.field(factory=list)
    stored: RequestRow | None = None
    care: Care = attrs.field(factory=Care)

    @property
    def root(self) -> RequestView:
        return self

    def is_of(self, link: LinkView) -> bool:
        """Whether a connection may speak for it."""
        if self.device and (
            self.device != link.device or (self.lane != link.lane and not link.serves(self.lane))
        ):
            return False
        if self.stored is None:
            return True
        account = self.stored.account
        return not account or not link.account or account == link.account


@attrs.define(eq=False)
class RoundView:
    """A continuation, as the frames imply it.

    ``state``: OPEN, ENDED, SUPERSEDED or TORN (by a disconnect), ``ended`` the
    status of its end. ``stored`` is the newest row of the server about it: proof
    that the server has dealt with the reopen.
    """

    request: str
    reopen_of: str
    root: RequestView
    link: str
    n: int
    at: int = 0
    state: str = "OPEN"
    ended: str = ""
    ended_at: int = -1
    ended_us: int = -1
    final: str = ""
    texts: dict[str, int] = attrs.field(factory=dict)
    progress: int = -1
    cancels: int = 0
    stored: RoundRow | None = None


@attrs.define(eq=False)
class CardView:
    """An interaction: its buttons, what was decided, whether its desktop took it back."""

    interaction: str
    request: str
    buttons: tuple[str, ...]
    n: int
    at: int = 0
    decisions: list[str] = attrs.field(factory=list)
    cancelled: bool = False
    reason: str = ""
    cancelled_us: int = -1
    stored: CardRow | None = None
    care: Care = attrs.field(factory=Care)


@attrs.frozen
class PressView:
    """Somebody pressed a button (each delivery of the event counts)."""

    channel: str
    message: str
    button: str
    person: str
    n: int
