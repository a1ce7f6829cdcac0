"""What a server is told when it is made: its channels, people, features, limits."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from sim.protocols.hook.rules import HookRules

SECOND_US = 1_000_000
MINUTE_US = 60 * SECOND_US
HOUR_US = 60 * MINUTE_US

TURN_REOPEN = "turn-reopen-v1"
TURN_DELIVERY = "turn-delivery-v1"

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
    backoff of channel writes. ``text_chars``: longest text of a message.
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
    text_chars: int = 3_900


@attrs.frozen
class ServerPlan:
    """One server's surroundings.

    ``channels``: channel host → lane (``{"IM": "slack"}``). ``bindings``:
    (lane, person) → deviceId. ``features`` is what welcome may list.
    ``restore_on_close``: a close-out writes the old terminal text back instead
    of "interrupted" (§5 stage 18 allows both).
    """

    channels: Mapping[str, str]
    bindings: Mapping[tuple[str, str], str]
    features: tuple[str, ...] = (TURN_REOPEN,)
    rules: HookRules = attrs.field(factory=HookRules)
    name: str = "hooktwin"
    limits: Limits = attrs.field(factory=Limits)
    restore_on_close: bool = False

    @property
    def reopens(self) -> bool:
        """Whether continued rounds are offered (HK-189)."""
        return TURN_REOPEN in self.features

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

    def offer(self, wanted: tuple[str, ...]) -> tuple[str, ...]:
        """The features of a welcome, given the hello's.

        ``turn-delivery-v1`` is not offered yet: a desktop that sees it replays
        its ends until it is told that they arrived.
        """
        return tuple(f for f in self.features if f != TURN_DELIVERY)
