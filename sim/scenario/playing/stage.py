"""What the director must know of a protocol, and no more.

The director walks the diagram; the stage (one per protocol, in ``stages/``)
knows who stands in the world, which act makes an agent send a frame, what a
puppet's frame looks like, and what a reader of a channel sees.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import attrs

from sim.core.http import HttpRequest
from sim.core.invariant import Invariant
from sim.core.op import Frame
from sim.scenario.playing.ear import Ear
from sim.scenario.playing.match import Names
from sim.scenario.playing.result import ShownMessage
from sim.scenario.playing.wording import PayloadWording, Wording
from sim.scenario.syntax import Act, Arrow, FrameText, Scenario, Statement
from sim.world.world import World


@attrs.frozen
class Direction:
    """One act for one host. ``verb`` crash/restart are the person's quit and start."""

    host: str
    act: Any = None
    verb: str = "act"


@attrs.frozen
class NotYet:
    """The act cannot be done now; ``why`` completes "… within 60 s"."""

    why: str


@attrs.frozen
class Shown:
    """What a reader sees of a request's message, or of a card."""

    state: str
    text: str
    posts: int = 0
    edits: int = 0


class Stage(ABC):
    """One protocol's side of a scenario run. Made fresh for each run."""

    protocol: str
    wording: Wording = PayloadWording()
    ear: Ear | None = None
    """What hears all that is said without frames, where a protocol does that."""
    SHARES_WAITS: ClassVar[bool] = False
    """Whether arrows that a search misses are waited for together: where hosts are busy while
    nothing happens, ten waits of a minute are most of a run."""

    def __init__(self, scenario: Scenario, world: World, without: frozenset[str]) -> None:
        self.scenario = scenario
        self.world = world
        self.without = without
        self.names = Names()
        self.late_us = 0

    @classmethod
    def surroundings(cls, scenario: Scenario) -> Any:
        """What a fold of such a run must know that no event tells; None: nothing."""
        return None

    @abstractmethod
    def build(self) -> None:
        """Put all hosts into the world and bind people to desktops; start nothing yet."""

    @abstractmethod
    def start(self) -> None:
        """Boot what the diagram does not ``create`` itself; puppets with manners connect."""

    def expect_delays(self, most_us: int) -> None:
        """A helm steers this run: whatever is due may happen up to so much later."""
        self.late_us = most_us

    @abstractmethod
    def invariants(self) -> list[Invariant]:
        """The oracles of this run (those whose obeying side is a twin)."""

    @abstractmethod
    def host_kinds(self) -> tuple[tuple[str, str], ...]:
        """(name, kind) of each lifeline, in order of appearance."""

    @abstractmethod
    def prompts(
        self,
        arrow: Arrow,
        text: FrameText,
        following: Iterable[Statement],
        prompted: dict[int, None],
    ) -> list[Direction]:
        """What the agents must do so that this frame gets sent; empty when it comes by itself.

        A direction that serves a later line as well notes that line in ``prompted``.
        """

    def is_early(self, arrow: Arrow, text: FrameText) -> bool:
        """Whether somebody is still on the way whom the diagram takes for granted here.

        A frame that has to be caused waits for that, for a minute at most.
        """
        return False

    @abstractmethod
    def person_does(self, arrow: Arrow, act: Act) -> Direction | NotYet:
        """Who has to do what when a person acts in a channel or at a desktop."""

    @abstractmethod
    def compose(self, sender: str, receiver: str, text: FrameText) -> Frame:
        """A puppet's frame, completed with what its twin would send."""

    def understood(self, arrow: Arrow, following: Iterable[Statement]) -> Arrow:
        """A person's arrow with its prose understood, as far as what follows tells."""
        return arrow

    @abstractmethod
    def puppet_ready(self, sender: str, receiver: str) -> str | None:
        """None when the puppet can send to that host now, else why it cannot."""

    @abstractmethod
    def puppet_sends(self, sender: str, receiver: str, frame: Frame) -> Direction:
        """Make the puppet send it."""

    @abstractmethod
    def puppet_connects(self, host: str, channel: str | None, handshake: bool) -> Direction:
        """Make the puppet dial."""

    @abstractmethod
    def call_fits(self, op: str | None, request: Any) -> bool:
        """Whether a channel call is a post, edit, card or react (None: any)."""

    @abstractmethod
    def event_fits(self, act: Act, request: Any) -> bool:
        """Whether a call of a channel tells the server that a person did this."""

    @abstractmethod
    def channels(self) -> tuple[str, ...]:
        """The channel hosts of this run that faults can be put into: twins, no puppets."""

    @abstractmethod
    def read_act(self, host: str, act: Any) -> Any:
        """An act that ``@act HOST {json}`` writes out; None: HOST does that by itself.

        Raises UsageError for a wrong one.
        """

    @abstractmethod
    def channel_fault(
        self, channel: str, op: str, outcome: str, for_us: int, always: bool
    ) -> Direction:
        """Tell a channel how to answer."""

    @abstractmethod
    def feature(self, host: str, feature: str, on: bool) -> Direction:
        """Change what a twin announces from the next handshake on."""

    def http_word(self, source: str, target: str, request: str) -> str:
        """What the world calls a request over HTTP that a diagram names: ``GET /path``."""
        method, _, path = request.partition(" ")
        return HttpRequest(method, path).word

    def subject(self, real: Any, states: tuple[str, ...]) -> str:
        """What ``shown`` is asked about when a name's state is expected to be one of these.

        A name may mean two things that show: a question, and the message that asks it.
        """
        return str(real)

    @abstractmethod
    def shown(self, real_id: Any) -> Shown | None:
        """What a reader sees now of the message of a request, or of a card (OPEN, CLOSED)."""

    @abstractmethod
    def all_shown(self) -> dict[str, Shown]:
        """What shows now of every request and card, by its real id."""

    @abstractmethod
    def texts(self) -> list[tuple[int, str]]:
        """(event number, text) of everything that was ever visible in a channel."""

    @abstractmethod
    def posts(self, channel: str | None, real_id: Any = None) -> int:
        """How many messages about requests (or about this one) the bot has posted."""

    @abstractmethod
    def edits(self, channel: str | None, real_id: Any) -> int:
        """How many edits were applied (to the message of one request, or to all)."""

    @abstractmethod
    def messages(self) -> tuple[ShownMessage, ...]:
        """All request messages at the end of the run."""

    def situation(self, host: str, frame: Frame) -> str:
        """In which state a host is as regards a frame that reaches it, in a few words.

        A search counts what it has covered by it; it must name no ids.
        """
        return ""

    def situation_now(self) -> str:
        """How all things stand when a call over HTTP ends, likewise."""
        return ""

    @abstractmethod
    def lane_names(self, host: str) -> tuple[str, ...]:
        """The lanes that a desktop-like host has (``slack``)."""
