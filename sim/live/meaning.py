"""What the words of a command mean in a served world; whatever means nothing is refused.

Every refusal lists what would have been understood.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from sim.channel.history import ShownMessage
from sim.live.control import ControlError
from sim.live.house import House
from sim.live.lodging import Lodging
from sim.protocols import register
from sim.protocols.hook.server.accounts.features import ALL_FEATURES
from sim.world.link import End, Link

NEWEST, ALL = "newest", "all"
BAD = "(bad)"
"""The type of a frame that its receiver's parser refuses."""
DAY_S = 86_400
_PROGRAM = re.compile(r"[A-Z]\d*")


class Meaning:
    """Looks words up in a served world. Every method raises ControlError for what is not
    there."""

    def __init__(self, house: Lodging[Any]) -> None:
        self.house = house
        self.world = house.world

    def host(self, wanted: str) -> str:
        """A host."""
        return one_of("host", wanted, list(self.world.hosts))

    def caller(self, wanted: str) -> str:
        """Who dials."""
        return one_of("host", wanted, self.house.callers())

    def lane(self, wanted: str) -> str:
        """A lane."""
        return one_of("lane", wanted, self.house.lanes)

    def frame_type(self, wanted: str) -> str:
        """A frame of the protocol; "" is any, ``(bad)`` one that is none."""
        return (
            one_of(
                "frame type", wanted, (*register.protocol(self.house.stage.protocol).messages, BAD)
            )
            if wanted
            else ""
        )

    def links(self, wanted: str) -> list[Link]:
        """Open connections: ``D.slack#1``, the newest of ``D.slack``, those of ``D``,
        ``newest`` or ``all``."""
        links = [one for one in self.world.links.values() if one.is_open]
        if not links:
            told = f"no connection {wanted!r} is open, nor any other: somebody has to connect"
            raise ControlError(told, status=404)
        if wanted in (NEWEST, ALL):
            return links[-1:] if wanted == NEWEST else links
        of_lane = [one for one in links if one.name.startswith(f"{wanted}#")]
        if of_lane:
            return [max(of_lane, key=lambda one: one.generation)]
        found = [one for one in links if wanted in (one.name, one.client.host)]
        if not found:
            allowed = [*(one.name for one in links), NEWEST, ALL]
            raise ControlError(f"no connection {wanted!r} is open", status=404, allowed=allowed)
        return found

    def ends(self, wanted: str, sender: str, way: str) -> list[End]:
        """The ends that send: of ``sender`` (a host), or in a ``way``; without both, each."""
        links = self.links(wanted)
        if sender and way:
            raise ControlError("give way or sender, not both", allowed=["way", "sender"])
        if way:
            by_client = one_of("way", way, self.house.WAYS) == self.house.WAYS[0]
            return [one.client if by_client else one.server for one in links]
        ends = [end for one in links for end in one.ends()]
        if sender:
            one_of("sender", sender, tuple(dict.fromkeys(end.host for end in ends)))
        return [end for end in ends if sender in ("", end.host)]

    def coming_link(self, wanted: str) -> str:
        """A connection that may be yet to come: ``D2.slack``, ``D.x#3``; "" is any."""
        host, _, rest = wanted.partition(".")
        lane, _, number = rest.partition("#")
        is_name = _PROGRAM.fullmatch(host) or host in self.house.callers()
        is_number = "#" not in rest or number.isdigit()
        if wanted and not (is_name and lane in self.house.lanes and is_number):
            allowed = [one.name for one in self.world.links.values()]
            allowed += [f"{one}.{on}" for one in self.house.callers() for on in self.house.lanes]
            raise ControlError(f"no connection is called {wanted!r}", status=404, allowed=allowed)
        return wanted

    def coming_sender(self, wanted: str) -> str:
        """The twin, or a program that may be yet to come; "" is anybody."""
        if not wanted or _PROGRAM.fullmatch(wanted):
            return wanted
        return one_of("sender", wanted, [self.house.server, *self.house.callers()])

    def _of_kind(self, kind: str) -> list[str]:
        return [host.name for host in self.world.hosts.values() if host.kind == kind]


class ChatMeaning(Meaning):
    """The same for a world with channels and people on them."""

    house: House

    def __init__(self, house: House) -> None:
        super().__init__(house)

    def channel(self, wanted: str) -> str:
        """A channel's host; "" is the first one."""
        known = tuple(self.house.cast.channels)
        return one_of("channel", wanted or known[0], known)

    def person(self, wanted: str) -> str:
        """A person; "" is the first one."""
        known = self._of_kind("person")
        return one_of("person", wanted or known[0], known)

    def feature(self, wanted: str) -> str:
        """A feature that servers may announce."""
        return one_of("feature", wanted, ALL_FEATURES)

    def messages(self, channel: str) -> dict[str, ShownMessage]:
        """What stands in a channel, by id."""
        shown = self.house.stage.view.history.messages.values()
        return {one.id: one for one in shown if one.channel == channel and not one.deleted}

    def message(self, channel: str, wanted: str) -> str:
        """A message of a channel."""
        return one_of(f"message in {channel}", wanted, self.messages(channel))

    def thread(self, channel: str, wanted: str) -> str:
        """A thread of a channel, which outlives the message that it began with."""
        shown = self.house.stage.view.history.messages.values()
        own = [one for one in shown if one.channel == channel]
        known = {name: None for one in own for name in (one.id, one.thread) if name}
        return one_of(f"thread in {channel}", wanted, known)

    def choices(self, verb: str, channel: str) -> list[str]:
        """What a person's act could be about at present: buttons, or requests."""
        if verb == "press":
            shown = self.messages(channel).values()
            return list(dict.fromkeys(button.label for one in shown for button in one.buttons))
        requests = self.house.stage.view.requests
        return [name for name, one in requests.items() if one.channel == channel]


def one_of(what: str, wanted: str, known: Collection[str]) -> str:
    """A word of a list."""
    if wanted not in known:
        raise ControlError(f"no {what} is called {wanted!r}", status=404, allowed=list(known))
    return wanted


def within(what: str, number: float, least: float, most: float) -> None:
    """A number within bounds."""
    if not least <= number <= most:
        bounds = f"{least:g} to {most:g}"
        raise ControlError(f"{what} is {number:g}: give {bounds}", allowed=[f"{what}: {bounds}"])
