"""What a server is told when it is made: its channels, people, features, limits."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from sim.protocols.hook.rules import HookRules
from sim.protocols.hook.server.accounts.features import ALL_FEATURES

SECOND_US = 1_000_000
MINUTE_US = 60 * SECOND_US
HOUR_US = 60 * MINUTE_US

ALREADY_CONNECTED = "device already connected"
"""The exact reason that sends a second process of one device into standby (code 4000)."""


@attrs.frozen
class Limits:
    """Times (µs) and sizes that the protocol document leaves to the server.

    ``ping_after_us``: a socket that was silent this long gets a ping;
    ``silent_after_us``: and is closed after this long. ``probe_us``: how long
    the first of two sockets of one device and channel has to show life.
    ``absent_us``: an acked task whose desktop stays away this long is
    INTERRUPTED. ``mapping_us``: how long ids of ended rounds and tasks stay
    known. ``cancel_us``: a ``/stop`` waits this long for the ack of its task.
    ``call_us``: time-out of calls to a channel. ``retry_us``, ``retry_max_us``:
    backoff of channel writes; ``publish_us``: how long an answer is tried before
    it is given up. ``text_chars``: longest text of a message.
    ``sign_in_us``: how long a sign-in link may be used. ``query_us``: how long
    a list is waited for; ``grace_us``: how long a desktop that is just
    reconnecting is not "offline". ``flap_us``: absences shorter than this are
    not announced. ``group_chars``: longest text of a forwarded group message.
    """

    ping_after_us: int = 25 * SECOND_US
    silent_after_us: int = 65 * SECOND_US
    probe_us: int = 5 * SECOND_US
    absent_us: int = 15 * MINUTE_US
    mapping_us: int = 24 * HOUR_US
    cancel_us: int = 5 * SECOND_US
    call_us: int = 30 * SECOND_US
    retry_us: int = SECOND_US
    retry_max_us: int = MINUTE_US
    publish_us: int = 6 * HOUR_US
    text_chars: int = 3_900
    sign_in_us: int = 10 * MINUTE_US
    query_us: int = 10 * SECOND_US
    grace_us: int = 3 * SECOND_US
    flap_us: int = 2 * SECOND_US
    group_chars: int = 4_000


@attrs.frozen
class ServerPlan:
    """One server's surroundings.

    ``channels``: channel host → lane (``{"IM": "slack"}``). ``bindings``:
    (lane, person) → deviceId, for accounts that are bound from the start.
    ``features`` is what welcome may list. ``teams``: channel host → workspace id,
    where that is not ``T1``; ``uninstalled``: workspaces without the app.
    ``bot`` is the bot's name on Telegram, ``announces`` whether the server tells
    people about desktops going on- and offline at all, ``asks_to_confirm``
    whether a Telegram account is bound only after a second word in the chat.
    ``restore_on_close``: a close-out writes the old terminal text back instead
    of "interrupted" (§5 stage 18 allows both).
    """

    channels: Mapping[str, str]
    bindings: Mapping[tuple[str, str], str]
    features: tuple[str, ...] = ALL_FEATURES
    rules: HookRules = attrs.field(factory=HookRules)
    name: str = "hooktwin"
    limits: Limits = attrs.field(factory=Limits)
    restore_on_close: bool = False
    teams: Mapping[str, str] = attrs.field(factory=dict)
    uninstalled: frozenset[str] = frozenset()
    bot: str = "hooktwinbot"
    announces: bool = True
    asks_to_confirm: bool = False

    def lane(self, word: str) -> str:
        """The lane of a connection; a client with one socket for all is on the first."""
        lanes = tuple(self.channels.values())
        return word if word in lanes or not lanes else lanes[0]

    def channel(self, lane: str) -> str:
        """The host that stands for a lane's channel."""
        for host, name in self.channels.items():
            if name == lane:
                return host
        return lane

    def channel_of_team(self, team: str) -> str:
        """The channel host of a Slack workspace; one host may be several."""
        hosts = [host for host, lane in self.channels.items() if lane == "slack"]
        return next((h for h in hosts if self.team(h) == team), hosts[0] if hosts else "slack")

    def team(self, channel: str) -> str:
        """The workspace that a channel host is."""
        return self.teams.get(channel, "T1")
