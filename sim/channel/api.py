"""The calls between a bot's server, a channel and the people on it.

Server → channel: :class:`PostMessage`, :class:`EditMessage`,
:class:`DeleteMessage`, :class:`React`, :class:`FindMessage`; the reply is
:class:`Done` or :class:`Refused`. Channel → server (webhook events, repeated until answered):
:class:`PersonSaid`, :class:`ButtonPressed`, :class:`MessageRemoved`,
:class:`SignedIn`; the reply is :data:`SEEN`. Person → channel: :class:`Say`,
:class:`Press`, :class:`Remove`, :class:`Reword`, :class:`Authorize`. Scenario → channel:
:class:`ChannelFault`. A channel that shows somebody a line that no message holds tells it
as a :class:`Toast`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec

WORKING = "WORKING"
QUEUED = "QUEUED"
OK = "OK"
FAILED = "FAILED"
CANCELLED = "CANCELLED"
INTERRUPTED = "INTERRUPTED"
REJECTED = "REJECTED"
STATES = (WORKING, QUEUED, OK, FAILED, CANCELLED, INTERRUPTED, REJECTED)


class Record(msgspec.Struct, frozen=True, gc=False, tag_field="is"):
    """Root of the API's frozen values."""


NEXT_ROW: Final = "row"
"""The style of a button that begins a further row of its keyboard."""


class Button(Record, frozen=True, gc=False, tag="button"):
    """A button on a card. ``id`` comes back on a press; ``style`` is a hint."""

    id: str
    label: str
    style: str = "default"


class PostMessage(Record, frozen=True, gc=False, tag="post"):
    """A new message of the bot.

    ``state`` is the chip that the message carries (one of STATES, or "" for
    plain text and cards), ``about`` the requestId or interactionId that it is
    about, for the trace's readers only; a channel does not look at it.
    ``role``: "request", "card", "notice", "part" (the rest of a split text) or
    "prompt" (whoever reads it is made to reply to it).
    ``key`` names this post for :class:`FindMessage`, ``reply_to`` the message
    that it quotes.
    """

    chat: str
    thread: str | None
    text: str
    state: str = ""
    role: str = "request"
    about: str = ""
    buttons: tuple[Button, ...] = ()
    files: tuple[str, ...] = ()
    key: str = ""
    reply_to: str = ""


class FindMessage(Record, frozen=True, gc=False, tag="find"):
    """Which message was posted with this key? For posts of unknown outcome.

    Done with its id, or Refused: ``not_found``, or ``unsupported`` where a
    channel cannot tell.
    """

    chat: str
    key: str


class EditMessage(Record, frozen=True, gc=False, tag="edit"):
    """Replace a message whole: text, chip, buttons, files.

    ``by`` names who wants it ("K1 on D.slack#2", "close-out of K1"), for the
    trace's readers only.
    """

    message: str
    text: str
    state: str = ""
    buttons: tuple[Button, ...] = ()
    files: tuple[str, ...] = ()
    by: str = ""


class DeleteMessage(Record, frozen=True, gc=False, tag="delete"):
    message: str


class React(Record, frozen=True, gc=False, tag="react"):
    """The bot's reaction to a message: replaces its former one, "" takes it away."""

    message: str
    emoji: str


class Done(Record, frozen=True, gc=False, tag="done"):
    """Applied. ``message`` is the id of the message that was posted or changed."""

    message: str = ""


class Refused(Record, frozen=True, gc=False, tag="refused"):
    """Not applied. ``retry_after_us`` only with rate_limited.

    ``code`` in passing: rate_limited, server_error, unavailable. For good:
    message_not_found, chat_not_found, not_found (nothing has that key),
    too_long, edit_refused (not the bot's, or too old), edit_unsupported,
    delete_refused, not_modified (it looks like that already), duplicate (that
    answer stands there already), quota_exceeded, buttons_unsupported, unsupported.
    """

    code: str
    retry_after_us: int = 0


class PersonSaid(Record, frozen=True, gc=False, tag="said"):
    """Somebody wrote. ``event`` repeats when the channel delivers it again.

    ``thread`` is the id of the first message of the thread (in a direct chat
    None), ``to_bot`` whether the bot was addressed (mention, direct chat,
    reply in a thread where the bot works). ``user`` and ``username`` are who
    that person is on this channel, ``chat_name`` what people call the chat.
    """

    event: str
    chat: str
    thread: str | None
    message: str
    person: str
    text: str
    to_bot: bool
    team: str | None = None
    user: str = ""
    username: str = ""
    chat_name: str = ""


class ButtonPressed(Record, frozen=True, gc=False, tag="pressed"):
    event: str
    chat: str
    message: str
    button: str
    person: str


class MessageRemoved(Record, frozen=True, gc=False, tag="removed"):
    event: str
    chat: str
    message: str
    person: str


class SignedIn(Record, frozen=True, gc=False, tag="signed-in"):
    """Somebody completed (or declined) the sign-in page behind ``link``.

    ``link`` is the link's secret part; ``team`` and ``user`` are who they turned
    out to be on that channel. ``declined``: they refused.
    """

    event: str
    link: str
    person: str
    team: str = ""
    team_name: str = ""
    user: str = ""
    user_name: str = ""
    declined: bool = False


class Toast(Record, frozen=True, gc=False, tag="toast"):
    """A line that ``person``, who has pressed a button on ``message``, is shown for a moment.

    ``stays``: until they close it.
    """

    person: str
    message: str
    text: str
    stays: bool = False


class Seen(Record, frozen=True, gc=False, tag="seen"):
    """The server took the event; the channel need not repeat it."""


SEEN = Seen()


class Say(Record, frozen=True, gc=False, omit_defaults=True, tag="say"):
    """A person writes. ``thread`` None = a new thread (or the direct chat).

    ``channel``, here and below: the host of the channel, for somebody who is on
    several. ``reply_to``: the message that they answer, where a channel knows replies.
    """

    person: str
    text: str
    thread: str | None = None
    to_bot: bool = True
    chat: str = ""
    channel: str = ""
    reply_to: str = ""


class Press(Record, frozen=True, gc=False, omit_defaults=True, tag="press"):
    """A person presses a button that stands, or once stood, on a message."""

    person: str
    message: str
    button: str
    channel: str = ""


class Remove(Record, frozen=True, gc=False, omit_defaults=True, tag="remove"):
    """A person deletes a message."""

    person: str
    message: str
    channel: str = ""


class Reword(Record, frozen=True, gc=False, omit_defaults=True, tag="reword"):
    """A person changes the text of a message of theirs."""

    person: str
    message: str
    text: str
    channel: str = ""


class Authorize(Record, frozen=True, gc=False, omit_defaults=True, tag="authorize"):
    """A person opens the newest sign-in link that they were shown and completes it.

    ``link`` is its secret part; ``team`` the workspace that they choose ("" = the
    channel's own). ``decline``: they refuse.
    """

    person: str
    link: str
    team: str = ""
    decline: bool = False
    channel: str = ""


class ChannelFault(Record, frozen=True, gc=False, omit_defaults=True, tag="channel-fault"):
    """An act on a channel: how it answers the next such call (or all of them).

    ``op``: post, edit, delete, react, find, what else a channel knows, or ``*`` (all of
    them). ``outcome``: rate_limited, server_error, message_not_found, edit_refused, quota_exceeded,
    duplicate, unknown (applied, answer lost), latency, down, or ok (no fault any
    more). ``for_us``: Retry-After, extra latency or how long the channel is
    down. ``always``: until another fault for that op replaces it. ``chat``: only
    calls about that chat.

    ``op`` ``event`` is what happens to the next event on its way to the server:
    repeated (``for_us`` later once more), latency, reordered (the next event
    overtakes it; it goes by itself after ``for_us`` at the latest).
    """

    op: str
    outcome: str
    for_us: int = 0
    always: bool = False
    chat: str = ""


@lru_cache(maxsize=4096)  # asked for every write
def is_direct(chat: str) -> bool:
    """Whether a chat is between one person and the bot: ``D1``, ``T2.D1``, ``10001``.

    Groups and channels are ``C1`` or negative numbers.
    """
    name = chat.rpartition(".")[2]
    return name.startswith("D") or (name.isascii() and name.isdigit())
