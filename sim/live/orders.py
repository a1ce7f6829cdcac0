"""What the control API of ``serve`` takes: one struct per command; unknown fields are refused."""

from __future__ import annotations

import msgspec


class Command(msgspec.Struct, forbid_unknown_fields=True):
    """Root of all commands: unknown fields are refused."""


class OfPerson(Command, kw_only=True):
    """Somebody does something in a channel. Defaults: the first person, the first channel."""

    channel: str = ""
    person: str = ""


class Message(OfPerson, kw_only=True):
    """``POST /message``: write to the bot; with ``chat`` or ``thread`` (a message's id) there."""

    text: str
    chat: str = ""
    thread: str | None = None


class Group(OfPerson, kw_only=True):
    """``POST /group``: write to the others in a group."""

    text: str
    chat: str = ""


class Reply(OfPerson, kw_only=True):
    """``POST /reply``: write into the thread of a request ("": the last one)."""

    text: str
    request: str = ""


class Pressed(OfPerson, kw_only=True):
    """``POST /press``: a button, by label or id ("": the first one), on a card (an
    interactionId; "": the newest that has it) or on a message of the channel."""

    button: str = ""
    card: str = ""
    message: str = ""


class Slash(OfPerson, kw_only=True):
    """``POST /stop`` and the other slash commands, in the thread of a request."""

    word: str = ""
    request: str = ""


class Delete(OfPerson, kw_only=True):
    """``POST /delete``: a message by its id, or the one of a request or card."""

    message: str = ""
    request: str = ""


class SignIn(OfPerson, kw_only=True):
    """``POST /authorize`` and ``/decline``: the newest sign-in link that a desktop shows."""

    team: str = ""


class Cut(Command):
    """``POST /cut``: ``D.slack#1``, ``D.slack`` for the newest of that lane, ``D``,
    ``newest``, ``all``; ``how`` is ``fin``, ``rst`` or ``silent``."""

    link: str = "newest"
    how: str = "fin"


class OfLink(Command):
    """``POST /heal``."""

    link: str = "newest"


class OfEnd(Command):
    """``POST /hold`` and ``/release``: what goes a ``way``, ``D->S`` or ``S->D``, or what a
    host sends (``sender``); without both, both directions."""

    link: str = "newest"
    way: str = ""
    sender: str = ""


class Caught(Command):
    """``POST /lose``: the next ``count`` frames that fit."""

    type: str = ""
    link: str = ""
    sender: str = ""
    count: int = 1


class CaughtTwice(Caught):
    """``POST /duplicate``: the copy comes ``by_s`` later."""

    by_s: float = 0.0


class CaughtLate(Caught, kw_only=True):
    """``POST /delay``: by ``by_s``."""

    by_s: float


class Refuse(Command):
    """``POST /refuse``: the next ``times`` dials of a host on a lane get an HTTP status."""

    host: str
    lane: str
    status: int
    times: int = 1


class OfHost(Command):
    """``POST /crash`` and ``/restart``."""

    host: str


class Sleep(Command):
    """``POST /sleep``: nothing is handled for so long."""

    host: str
    for_s: float


class Faulty(Command):
    """``POST /fault``: how a channel answers the next such call (``always``: all of them)."""

    channel: str
    outcome: str
    op: str = "*"
    for_s: float = 0.0
    always: bool = False
    chat: str = ""


class Feature(Command):
    """``POST /feature``: what the server announces from its next welcome on."""

    feature: str
    on: bool


class Nothing(Command):
    """A command without fields."""
