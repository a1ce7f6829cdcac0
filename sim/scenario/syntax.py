"""What a scenario says, as data: the tree that the parser builds and the runner walks.

Every node carries ``line`` and ``column`` (from 1, of the file as the reader
sees it). Times are integer microseconds. Ids of lifelines are the diagram's
own ids; ``Scenario.participants`` says which host each of them stands for.
"""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen

from sim.channel.services import SERVICES
from sim.scenario.directive_nodes import Directive
from sim.scenario.lesson import Lesson
from sim.world.fault import Budget
from sim.world.helm import Step

ItemOp = Literal["present", "equals", "contains", "enum"]


@frozen
class Name:
    """A name such as ``R1``: its first use binds it to a real id, later uses must agree."""

    text: str


@frozen
class Item:
    """One item of a frame text.

    ``op`` ``present``: the field ``path`` must be there. ``equals``: it equals
    ``value`` (any JSON value; a bare word is its string; a ``Name`` binds or
    compares). ``contains``: the string field contains ``value``. ``enum``:
    some enum field has ``value``; ``fields`` lists those that can.
    """

    line: int
    column: int
    path: str
    op: ItemOp
    value: object = None
    fields: tuple[str, ...] = ()


@frozen
class FrameText:
    """``turn.end (ok, finalText~"done", 结果)``: a frame between protocol peers.

    Between twins it is an expectation; out of a puppet it is the payload.
    ``remarks`` are words for the human reader without a meaning.
    """

    line: int
    column: int
    type: str
    items: tuple[Item, ...] = ()
    remarks: tuple[str, ...] = ()


@frozen
class Act:
    """Something that a person does, in a channel or at a desktop.

    =========================== ==============================================
    verb                        arguments
    =========================== ==============================================
    message, group              ``text``
    reply                       ``text``, ``name`` of the request or None (last)
    press                       ``name`` of the card, or ``word`` = button label
                                or id; both None: any button (``remark`` may help)
    stop, new, bind, model,     ``word`` = what follows the slash command, or None
    effort, session
    authorize                   ``word`` = team or None
    decline                     none
    delete                      ``name``
    retry, quit, start          none (at the desktop)
    type                        ``text`` (at the desktop)
    answer, login               ``word`` (at the desktop)
    workspaces                  ``words`` (at the desktop)
    login, decline, logout      ``word`` = site (at a node)
    close                       ``name`` or ``word`` of a tab (at a node)
    slow                        ``words`` = time, perhaps an action (at a node)
    fail, hang                  ``words`` = code, action; action (at a node)
    insist, relent              none (at a node)
    say                         ``text`` (at a node or controller)
    connect, disconnect,        none (at a node or controller)
    redial, mute, unmute
    direct                      ``text`` (on Telegram, to the bot alone)
    question, tool              ``frame`` (at OpenCode)
    answer                      ``name`` and ``word``, or one of them (at OpenCode)
    dismiss, abort              ``name`` or None (at OpenCode)
    break                       ``text`` or None (at the store)
    lock                        ``words`` = owner, age (at the store)
    tear, unlock, deny, allow   none (at the store)
    =========================== ==============================================

    ``frame`` has the items of an agent's call. ``remark`` is the free text from which the
    act was concluded, if it was.
    """

    line: int
    column: int
    verb: str
    text: str | None = None
    name: Name | None = None
    word: str | None = None
    words: tuple[str, ...] = ()
    remark: str | None = None
    frame: FrameText | None = None


@frozen
class ChannelCall:
    """A call of the server to a channel: ``post``, ``edit``, ``card``, ``react``.

    ``op`` None is free text between server and channel: at least one call,
    whichever; ``text`` is what the diagram says about it.
    """

    line: int
    column: int
    op: Literal["post", "edit", "card", "react"] | None
    text: str = ""


@frozen
class Local:
    """``D->>D: think 2s`` (``duration_us``), ``retry``, ``quit``."""

    line: int
    column: int
    verb: Literal["think", "retry", "quit"]
    duration_us: int | None = None


@frozen
class FreeText:
    """Prose. On a person's arrow ``acts.resolve_free_text`` says what it means;
    on an arrow from a lifeline to itself, or towards a person, it means nothing."""

    line: int
    column: int
    text: str


Content = FrameText | Act | ChannelCall | Local | FreeText


@frozen
class Arrow:
    """One arrow. ``lost``: sent and lost (``-x``). ``text`` is the diagram's own words."""

    line: int
    column: int
    source: str
    target: str
    lost: bool
    content: Content
    text: str


@frozen
class Branch:
    """One branch of ``par``, ``alt`` or ``critical``; its label is prose."""

    line: int
    column: int
    label: str
    body: tuple[Statement, ...]


@frozen
class Par:
    """``par … and … end``: the branches are concurrent."""

    line: int
    column: int
    branches: tuple[Branch, ...]


@frozen
class Alt:
    """``alt … else … end``: exactly one branch must match."""

    line: int
    column: int
    branches: tuple[Branch, ...]


@frozen
class Opt:
    """``opt … end``: matches as a whole or not at all."""

    line: int
    column: int
    label: str
    body: tuple[Statement, ...]


@frozen
class Loop:
    """``loop 3 times`` repeats so often; ``times`` None is one or more."""

    line: int
    column: int
    label: str
    times: int | None
    body: tuple[Statement, ...]


@frozen
class Critical:
    """``critical … option … end``: the body happens; options are what may go wrong."""

    line: int
    column: int
    label: str
    body: tuple[Statement, ...]
    options: tuple[Branch, ...]


@frozen
class Break:
    """``break … end``: its body is played, then the run ends."""

    line: int
    column: int
    label: str
    body: tuple[Statement, ...]


@frozen
class Create:
    """``create participant P``: the host starts here; the next arrow goes to it."""

    line: int
    column: int
    host: str


@frozen
class Destroy:
    """``destroy P``: the host crashes. Mermaid wants it *before* the last arrow
    that touches P, so the crash comes after the next arrow."""

    line: int
    column: int
    host: str


Block = Par | Alt | Opt | Loop | Critical | Break
Statement = Arrow | Directive | Block | Create | Destroy


@frozen
class Participant:
    """A lifeline. ``kind`` is the host kind (``desktop``, ``slack`` …).

    ``puppet`` is None for a twin, else its manners (``handshake``, ``pong``).
    ``declared`` is False where an arrow merely mentions it; ``created``: it
    comes up at its ``create`` statement, not at the start of the run. ``is_api``: it is a
    chat service whose API the protocol spells out.
    """

    line: int
    column: int
    id: str
    label: str
    kind: str
    is_actor: bool = False
    declared: bool = True
    created: bool = False
    puppet: frozenset[str] | None = None
    is_api: bool = False

    @property
    def is_channel(self) -> bool:
        """Whether it is a chat service, no peer of the protocol."""
        return self.kind in SERVICES and not self.is_api


@frozen
class Latency:
    """``@latency D->S 20ms..80ms``: ids, undrawn channels (``slack``) or ``*``."""

    line: int
    column: int
    source: str
    target: str
    low_us: int
    high_us: int


@frozen
class RuleSwitch:
    """``@rule -name``: a protocol rule off or on for the whole run."""

    line: int
    column: int
    rule: str
    on: bool


@frozen
class FeatureSwitch:
    """``@feature S -turn-reopen-v1`` in the head: what a side announces from the start."""

    line: int
    column: int
    host: str
    feature: str
    on: bool


@frozen
class TokenGrant:
    """``@token A command.* at N1 N2``: all that a controller's token permits, and where.

    ``nodes`` are lifelines; None: every node.
    """

    line: int
    column: int
    host: str
    scopes: tuple[str, ...]
    nodes: tuple[str, ...] | None = None


@frozen
class Settings:
    """The head of the file. ``seed`` None: the caller's choice.

    ``steps`` are its ``@late`` and ``@strike`` lines, ``faults`` what a search may add,
    ``omitted`` the lines that nobody carries out, ``tokens`` those that do not permit all.
    """

    seed: int | None = None
    latencies: tuple[Latency, ...] = ()
    rules: tuple[RuleSwitch, ...] = ()
    features: tuple[FeatureSwitch, ...] = ()
    steps: tuple[Step, ...] = ()
    faults: Budget = field(factory=Budget)
    omitted: frozenset[int] = frozenset()
    tokens: tuple[TokenGrant, ...] = ()


@frozen
class Scenario:
    """One file: who stands in it, how it is run, what happens.

    ``first_line``: on which line of the file ``source_text`` begins (in Markdown).
    ``lesson``: what it says to newcomers, where it is a lesson.
    """

    path: str
    name: str
    source_text: str = field(repr=False)
    protocol: str
    participants: tuple[Participant, ...]
    settings: Settings
    violates: tuple[str, ...]
    strict: bool
    live: bool
    title: str
    body: tuple[Statement, ...]
    first_line: int = 1
    lesson: Lesson | None = None

    @property
    def numbered_text(self) -> str:
        """The source with as many empty lines in front as stand there in its file: its line
        numbers are those of the statements."""
        return "\n" * (self.first_line - 1) + self.source_text

    def participant(self, wanted: str) -> Participant:
        """The lifeline of that id; KeyError where there is none."""
        for one in self.participants:
            if one.id == wanted:
                return one
        raise KeyError(wanted)
