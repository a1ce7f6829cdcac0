"""What can be done to a served world from outside: one verb per path.

People do what people do in scenarios (``message``, ``press``, ``stop`` …), the network
and the machines what faults do. Each command gives the number of the first event
behind it (see :class:`Did`); what becomes of it is in the events that follow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import attrs

from sim.channel.api import ChannelFault, Press, Remove, Say
from sim.live.control import ControlError
from sim.live.house import House
from sim.live.lodging import Lodging
from sim.live.meaning import DAY_S, ChatMeaning, Meaning, one_of, within
from sim.live.orders import (
    Caught,
    CaughtLate,
    CaughtTwice,
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

MOST_TIMES = 999
LEAST_S = 0.001
T = TypeVar("T")


@attrs.frozen
class Did:
    """What is answered: ``event`` is the first event of what was done (None: none happened),
    ``after`` the last one before it, so that ``/events?after=`` shows all that follows."""

    after: int
    event: int | None


class Machines:
    """What is done to networks and processes, whatever the protocol."""

    def __init__(self, house: Lodging[Any]) -> None:
        self.house = house
        self.world = house.world
        self.mean = Meaning(house)

    def _act(self, host: str, act: Any) -> Did:
        if not self.world.hosts[host].up:
            raise ControlError(f"{host} is down", status=409, allowed=["/restart"])
        return self._now(lambda: self.world.act(host, act))

    def _now(self, deed: Callable[[], object]) -> Did:
        """Do it at the present moment."""
        self.house.driver.nudge()
        self.world.cause = -1
        n = self.world.next_n()
        try:
            deed()
        finally:
            self.world.cause = -1
        return Did(n - 1, n if self.world.next_n() > n else None)

    # -- network and machines --------------------------------------------------------------

    def cut(self, c: Cut) -> Did:
        """A connection breaks."""
        how = one_of("how", c.how, fault.CUTS)
        return self._each(self.mean.links(c.link), lambda link: fault.cut(self.world, link, how))

    def heal(self, c: OfLink) -> Did:
        """A silent cut ends."""
        return self._each(self.mean.links(c.link), lambda link: fault.heal(self.world, link))

    def hold(self, c: OfEnd) -> Did:
        """What is sent stays in flight."""
        ends = self.mean.ends(c.link, c.sender, c.way)
        return self._each(ends, lambda end: fault.hold(self.world, end))

    def release(self, c: OfEnd) -> Did:
        """What was held goes on."""
        ends = self.mean.ends(c.link, c.sender, c.way)
        return self._each(ends, lambda end: fault.release(self.world, end))

    def _each(self, meant: list[T], deed: Callable[[T], None]) -> Did:
        def each() -> None:
            for one in meant:
                deed(one)
                self.world.cause = -1

        return self._now(each)

    def lose(self, c: Caught) -> Did:
        """Frames that are still to come never arrive."""
        return self._catch("lose", c, 0.0)

    def duplicate(self, c: CaughtTwice) -> Did:
        """Frames that are still to come arrive twice."""
        within("by_s", c.by_s, 0, DAY_S)
        return self._catch("duplicate", c, c.by_s)

    def delay(self, c: CaughtLate) -> Did:
        """Frames that are still to come arrive late."""
        within("by_s", c.by_s, LEAST_S, DAY_S)
        return self._catch("delay", c, c.by_s)

    def _catch(self, deed: str, c: Caught, by_s: float) -> Did:
        """Set a snare."""
        within("count", c.count, 1, MOST_TIMES)
        mean = self.mean
        sender, link = mean.coming_sender(c.sender), mean.coming_link(c.link)
        snare = Snare(deed, c.count, sender, link, mean.frame_type(c.type), round(by_s * 1e6))
        return self._now(lambda: self.house.snares.set(snare))

    def clear(self, c: Nothing) -> Did:
        """No frame that is still to come is caught any more."""
        return self._now(self.house.snares.clear)

    def refuse(self, c: Refuse) -> Did:
        """Dials are answered with an HTTP status."""
        lane, host = self.mean.lane(c.lane), self.mean.caller(c.host)
        within("status", c.status, 400, 599)
        within("times", c.times, 1, MOST_TIMES)
        return self._now(lambda: fault.refuse(self.world, host, lane, c.status, c.times))

    def crash(self, c: OfHost) -> Did:
        """A process dies."""
        host = self.mean.host(c.host)
        if not self.world.hosts[host].up:
            raise ControlError(f"{host} is down already", status=409, allowed=["/restart"])
        return self._now(lambda: fault.crash(self.world, host))

    def restart(self, c: OfHost) -> Did:
        """A process comes back."""
        host = self.mean.host(c.host)
        if self.world.hosts[host].up:
            raise ControlError(f"{host} is up", status=409, allowed=["/crash"])
        return self._now(lambda: fault.restart(self.world, host))

    def sleep(self, c: Sleep) -> Did:
        """A lid is closed."""
        host = self.mean.host(c.host)
        within("for_s", c.for_s, 0.001, DAY_S)
        return self._now(lambda: fault.sleep(self.world, host, round(c.for_s * 1_000_000)))


class Commands(Machines):
    """The same, and what people do, in a house with channels."""

    house: House
    mean: ChatMeaning

    def __init__(self, house: House) -> None:
        super().__init__(house)
        self.mean = ChatMeaning(house)

    # -- people --------------------------------------------------------------------------

    def message(self, c: Message) -> Did:
        """Somebody writes to the bot."""
        person, channel = self.mean.person(c.person), self.mean.channel(c.channel)
        thread = self.mean.thread(channel, c.thread) if c.thread else None
        return self._act(person, Say(person, c.text, thread, True, c.chat, channel))

    def group(self, c: Group) -> Did:
        """Somebody writes to the others."""
        person, channel = self.mean.person(c.person), self.mean.channel(c.channel)
        return self._act(person, Say(person, c.text, None, False, c.chat, channel))

    def press(self, c: Pressed) -> Did:
        """Somebody presses a button."""
        if c.message:
            person, channel = self.mean.person(c.person), self.mean.channel(c.channel)
            message = self.mean.message(channel, c.message)
            return self._act(person, Press(person, message, c.button, channel))
        return self._does(c, "press", word=c.button or None, about=c.card)

    def delete(self, c: Delete) -> Did:
        """Somebody deletes a message."""
        person, channel = self.mean.person(c.person), self.mean.channel(c.channel)
        if c.message:
            message = self.mean.message(channel, c.message)
            return self._act(person, Remove(person, message, channel))
        if not c.request:
            told = (
                f"{person} deletes what? Give message, an id of GET /channels/{channel}, "
                "or request, whose message or card it is"
            )
            raise ControlError(told, allowed=[*self.mean.messages(channel)])
        return self._does(c, "delete", about=c.request)

    def reply(self, c: Reply) -> Did:
        """Somebody writes into a thread."""
        return self._does(c, "reply", text=c.text, about=c.request)

    def slash(self, verb: str) -> Callable[[Slash], Did]:
        """The command for ``/stop`` and its like."""
        return lambda c: self._does(c, verb, word=c.word or None, about=c.request)

    def sign_in(self, verb: str) -> Callable[[SignIn], Did]:
        """The command for a sign-in that is completed or declined."""
        return lambda c: self._does(c, verb, word=c.team or None)

    def _does(self, c: OfPerson, verb: str, *, about: str = "", **said: Any) -> Did:
        """An act of the scenario language. Raises ControlError while it cannot be done."""
        stage = self.house.stage
        names = Names()
        if about:
            names.bind({about: about})
        people = People(self.house.cast, stage.view, names, stage.ledger)
        act = Act(0, 0, verb, name=Name(about) if about else None, **said)
        arrow = Arrow(
            0, 0, self.mean.person(c.person), self.mean.channel(c.channel), False, act, verb
        )
        done = people.does(arrow, act)
        if isinstance(done, NotYet):
            told = f"{arrow.source} cannot {verb} in {arrow.target}: {done.why}"
            choices = self.mean.choices(verb, arrow.target)
            raise ControlError(told, status=409, allowed=choices)
        return self._act(done.host, done.act)

    # -- channels and server -----------------------------------------------------------------

    def fault(self, c: Faulty) -> Did:
        """A channel misbehaves."""
        channel = self.mean.channel(c.channel)
        ops = ("post", "edit", "delete", "react", "find", "*", "event")
        op = one_of("op", c.op, ops)
        outcomes = {**CHANNEL_OUTCOMES, **{word: word for word in EVENT_OUTCOMES}}
        outcome = outcomes[one_of("outcome", c.outcome, tuple(outcomes))]
        within("for_s", c.for_s, 0, DAY_S)
        for_us = round(c.for_s * 1_000_000)
        act = ChannelFault(op, outcome, for_us, c.always, c.chat)
        return self._act(channel, act)

    def feature(self, c: Feature) -> Did:
        """Another version of the server is deployed."""
        return self._act(self.house.server, ChangeFeature(self.mean.feature(c.feature), c.on))


EVENT_OUTCOMES = ("repeated", "reordered")

Table = dict[str, tuple[type[Any], Callable[[Any], Did]]]
"""Path → (what its body is, what is done)."""


def table(house: Lodging[Any]) -> Table:
    """What can be done in this world."""
    return chat_table(house) if isinstance(house, House) else machine_table(Machines(house))


def machine_table(do: Machines) -> Table:
    """What can be done in any world."""
    return {
        "/cut": (Cut, do.cut),
        "/heal": (OfLink, do.heal),
        "/hold": (OfEnd, do.hold),
        "/release": (OfEnd, do.release),
        "/lose": (Caught, do.lose),
        "/duplicate": (CaughtTwice, do.duplicate),
        "/delay": (CaughtLate, do.delay),
        "/pass": (Nothing, do.clear),
        "/refuse": (Refuse, do.refuse),
        "/crash": (OfHost, do.crash),
        "/restart": (OfHost, do.restart),
        "/sleep": (Sleep, do.sleep),
    }


def chat_table(house: House) -> Table:
    """What can be done in a world with channels."""
    do = Commands(house)
    found: Table = {
        "/message": (Message, do.message),
        "/reply": (Reply, do.reply),
        "/group": (Group, do.group),
        "/press": (Pressed, do.press),
        "/delete": (Delete, do.delete),
        **machine_table(do),
        "/fault": (Faulty, do.fault),
        "/feature": (Feature, do.feature),
    }
    found.update({f"/{verb}": (Slash, do.slash(verb)) for verb in SLASH})
    found.update({f"/{verb}": (SignIn, do.sign_in(verb)) for verb in ("authorize", "decline")})
    return found
