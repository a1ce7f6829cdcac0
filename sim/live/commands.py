"""What can be done to a served world from outside: one verb per path.

People do what people do in scenarios (``message``, ``press``, ``stop`` …), the network
and the machines what faults do. Each command gives the number of the first event
behind it; what becomes of it is in the events that follow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim.channel.api import ChannelFault, Press, Remove, Say
from sim.live.control import ControlError
from sim.live.house import House
from sim.live.orders import (
    Caught,
    Cut,
    Delete,
    Faulty,
    Feature,
    Group,
    Message,
    Nothing,
    OfEnd,
    OfHost,
    OfLink,
    OfPerson,
    Pressed,
    Refuse,
    Reply,
    SignIn,
    Slash,
    Sleep,
)
from sim.live.snares import Snare
from sim.protocols.hook.acts import ChangeFeature
from sim.scenario.playing.directing import CHANNEL_OUTCOMES
from sim.scenario.playing.match import Names
from sim.scenario.playing.stage import NotYet
from sim.scenario.stages.hook_people import SLASH, People
from sim.scenario.syntax import Act, Arrow, Name
from sim.world import fault
from sim.world.link import End, Link


class Commands:
    """Carries commands out in a house."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.world = house.world

    # -- what is meant -------------------------------------------------------------------

    def channel(self, wanted: str) -> str:
        """A channel's host. Raises ControlError."""
        known = tuple(self.house.cast.channels)
        return _one_of("channel", wanted or known[0], known)

    def _person(self, wanted: str) -> str:
        known = [host.name for host in self.world.hosts.values() if host.kind == "person"]
        return _one_of("person", wanted or known[0], known)

    def host(self, wanted: str) -> str:
        """A host. Raises ControlError."""
        return _one_of("host", wanted, list(self.world.hosts))

    def link(self, wanted: str) -> Link:
        """An open connection by its name, or the newest of a lane. Raises ControlError."""
        links = [one for one in self.world.links.values() if one.is_open]
        found = [x for x in links if wanted == x.name or x.name.startswith(f"{wanted}#")]
        if not found:
            allowed = [one.name for one in links]
            raise ControlError(f"no connection {wanted!r} is open", status=404, allowed=allowed)
        return max(found, key=lambda one: one.generation)

    # -- people --------------------------------------------------------------------------

    def message(self, c: Message) -> int:
        """Somebody writes to the bot."""
        person, channel = self._person(c.person), self.channel(c.channel)
        return self._act(person, Say(person, c.text, c.thread, True, c.chat, channel))

    def group(self, c: Group) -> int:
        """Somebody writes to the others."""
        person, channel = self._person(c.person), self.channel(c.channel)
        return self._act(person, Say(person, c.text, None, False, c.chat, channel))

    def press(self, c: Pressed) -> int:
        """Somebody presses a button."""
        if c.message:
            person, channel = self._person(c.person), self.channel(c.channel)
            return self._act(person, Press(person, c.message, c.button, channel))
        return self._does(c, "press", word=c.button or None, about=c.card)

    def delete(self, c: Delete) -> int:
        """Somebody deletes a message."""
        if c.message:
            person, channel = self._person(c.person), self.channel(c.channel)
            return self._act(person, Remove(person, c.message, channel))
        return self._does(c, "delete", about=c.request)

    def reply(self, c: Reply) -> int:
        """Somebody writes into a thread."""
        return self._does(c, "reply", text=c.text, about=c.request)

    def slash(self, verb: str) -> Callable[[Slash], int]:
        """The command for ``/stop`` and its like."""
        return lambda c: self._does(c, verb, word=c.word or None, about=c.request)

    def sign_in(self, verb: str) -> Callable[[SignIn], int]:
        """The command for a sign-in that is completed or declined."""
        return lambda c: self._does(c, verb, word=c.team or None)

    def _does(self, c: OfPerson, verb: str, *, about: str = "", **said: Any) -> int:
        """An act of the scenario language. Raises ControlError while it cannot be done."""
        stage = self.house.stage
        names = Names()
        if about:
            names.bind({about: about})
        people = People(self.house.cast, stage.view, names, stage.ledger)
        act = Act(0, 0, verb, name=Name(about) if about else None, **said)
        arrow = Arrow(0, 0, self._person(c.person), self.channel(c.channel), False, act, verb)
        done = people.does(arrow, act)
        if isinstance(done, NotYet):
            raise ControlError(done.why, status=409)
        return self._act(done.host, done.act)

    def _act(self, host: str, act: Any) -> int:
        if not self.world.hosts[host].up:
            raise ControlError(f"{host} is down", status=409, allowed=["/restart"])
        return self._now(lambda: self.world.act(host, act))

    def _now(self, deed: Callable[[], object]) -> int:
        """Do it at the present moment; the number of its first event."""
        self.house.driver.nudge()
        self.world.cause = -1
        n = self.world.next_n()
        try:
            deed()
        finally:
            self.world.cause = -1
        return n

    # -- network and machines --------------------------------------------------------------

    def cut(self, c: Cut) -> int:
        """A connection breaks."""
        how = _one_of("how", c.how, fault.CUTS)
        link = self.link(c.link)
        return self._now(lambda: fault.cut(self.world, link, how))

    def heal(self, c: OfLink) -> int:
        """A silent cut ends."""
        link = self.link(c.link)
        return self._now(lambda: fault.heal(self.world, link))

    def hold(self, c: OfEnd) -> int:
        """What is sent stays in flight."""
        return self._each_end(c, fault.hold)

    def release(self, c: OfEnd) -> int:
        """What was held goes on."""
        return self._each_end(c, fault.release)

    def _each_end(self, c: OfEnd, deed: Callable[[Any, End], None]) -> int:
        link = self.link(c.link)
        ends = list(link.ends())
        if c.sender:
            sender = _one_of("sender", c.sender, [end.host for end in ends])
            ends = [link.end_of(sender)]

        def each() -> None:
            for end in ends:
                deed(self.world, end)
                self.world.cause = -1

        return self._now(each)

    def catch(self, deed: str) -> Callable[[Caught], int]:
        """The command that sets a snare."""

        def set_snare(c: Caught) -> int:
            if c.count < 1 or not 0 <= c.by_s <= 86_400:
                raise ControlError("count is at least 1, by_s between 0 and 86400")
            if deed == "delay" and not c.by_s:
                raise ControlError("a delay needs by_s, in seconds")
            by_us = round(c.by_s * 1_000_000)
            self.house.snares.set(Snare(deed, c.count, c.sender, c.link, c.type, by_us))
            return self.world.next_n()

        return set_snare

    def clear(self, c: Nothing) -> int:
        """No frame that is still to come is caught any more."""
        self.house.snares.clear()
        return self.world.next_n()

    def refuse(self, c: Refuse) -> int:
        """Dials are answered with an HTTP status."""
        lane = _one_of("lane", c.lane, self.house.lanes)
        if not (400 <= c.status <= 599 and 1 <= c.times <= 999):
            raise ControlError("status is an HTTP status of 400 to 599, times 1 to 999")
        host = self.host(c.host)
        return self._now(lambda: fault.refuse(self.world, host, lane, c.status, c.times))

    def crash(self, c: OfHost) -> int:
        """A process dies."""
        host = self.host(c.host)
        if not self.world.hosts[host].up:
            raise ControlError(f"{host} is down already", status=409, allowed=["/restart"])
        return self._now(lambda: fault.crash(self.world, host))

    def restart(self, c: OfHost) -> int:
        """A process comes back."""
        host = self.host(c.host)
        if self.world.hosts[host].up:
            raise ControlError(f"{host} is up", status=409, allowed=["/crash"])
        return self._now(lambda: fault.restart(self.world, host))

    def sleep(self, c: Sleep) -> int:
        """A lid is closed."""
        host = self.host(c.host)
        if not 0 < c.for_s <= 86_400:
            raise ControlError("for_s is in seconds, up to 86400")
        return self._now(lambda: fault.sleep(self.world, host, round(c.for_s * 1_000_000)))

    # -- channels and server -----------------------------------------------------------------

    def fault(self, c: Faulty) -> int:
        """A channel misbehaves."""
        channel = self.channel(c.channel)
        ops = ("post", "edit", "delete", "react", "find", "*", "event")
        op = _one_of("op", c.op, ops)
        outcomes = {**CHANNEL_OUTCOMES, **{word: word for word in EVENT_OUTCOMES}}
        outcome = outcomes[_one_of("outcome", c.outcome, tuple(outcomes))]
        if not 0 <= c.for_s <= 86_400:
            raise ControlError("for_s is in seconds, up to 86400")
        for_us = round(c.for_s * 1_000_000)
        act = ChannelFault(op, outcome, for_us, c.always, c.chat)
        return self._act(channel, act)

    def feature(self, c: Feature) -> int:
        """Another version of the server is deployed."""
        return self._act(self.house.server, ChangeFeature(c.feature, c.on))


EVENT_OUTCOMES = ("repeated", "reordered")


def table(house: House) -> dict[str, tuple[type[Any], Callable[[Any], int]]]:
    """Path → (what its body is, what is done)."""
    do = Commands(house)
    found: dict[str, tuple[type[Any], Callable[[Any], int]]] = {
        "/message": (Message, do.message),
        "/reply": (Reply, do.reply),
        "/group": (Group, do.group),
        "/press": (Pressed, do.press),
        "/delete": (Delete, do.delete),
        "/cut": (Cut, do.cut),
        "/heal": (OfLink, do.heal),
        "/hold": (OfEnd, do.hold),
        "/release": (OfEnd, do.release),
        "/pass": (Nothing, do.clear),
        "/refuse": (Refuse, do.refuse),
        "/crash": (OfHost, do.crash),
        "/restart": (OfHost, do.restart),
        "/sleep": (Sleep, do.sleep),
        "/fault": (Faulty, do.fault),
        "/feature": (Feature, do.feature),
    }
    found.update({f"/{verb}": (Slash, do.slash(verb)) for verb in SLASH})
    found.update({f"/{verb}": (SignIn, do.sign_in(verb)) for verb in ("authorize", "decline")})
    found.update({f"/{deed}": (Caught, do.catch(deed)) for deed in ("lose", "duplicate", "delay")})
    return found


def _one_of(what: str, wanted: str, known: Any) -> str:
    if wanted not in known:
        raise ControlError(f"no {what} is called {wanted!r}", status=404, allowed=list(known))
    return wanted
