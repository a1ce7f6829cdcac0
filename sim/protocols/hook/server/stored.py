"""What a server keeps through a crash: one frozen row per thing.

Keys: ``request/<requestId>``, ``round/<requestId>``, ``card/<interactionId>``,
``lane/<lane>/<chat>/<thread>``, ``archive/<externalKey>``, ``event/<event>``,
``pause/<channel>/<chat>``.
Views may read these rows from a trace (``Saved.value``).
"""

from __future__ import annotations

import msgspec

from sim.channel.api import Button


class Row(msgspec.Struct, frozen=True, gc=False, tag_field="is"):
    """Root of the durable rows."""


class Final(Row, frozen=True, gc=False, tag="final"):
    """A terminal picture that has to reach the channel."""

    text: str
    state: str
    files: tuple[str, ...] = ()


class ReceiptRow(Row, frozen=True, gc=False, tag="receipt"):
    """How far a result has come: a state of ``machine.DELIVERY``."""

    state: str
    attempt: int
    retry_at_ms: int = 0
    code: str = ""


class RequestRow(Row, frozen=True, gc=False, tag="request"):
    """One task from the channel.

    ``state`` is a state of ``machine.REQUEST``; ``posts`` counts the messages
    that were posted (or may have been) about it; ``final`` is kept until
    ``written``. Times are µs of the run. ``account`` is whose desktop it went
    to, ``trigger`` the message that asked. ``doubt`` is the key of a post of
    unknown outcome, ``answered``: the message is the answer's own; ``parts`` are
    the rest of a split answer, ``leftovers`` messages that should go away.
    """

    request: str
    event: str
    lane: str
    device: str
    person: str
    chat: str
    thread: str | None
    key: str
    prompt: str
    workspace: str
    state: str
    message: str
    posts: int
    cancel: bool
    created_us: int
    ended_us: int
    final: Final | None
    written: bool
    account: str = ""
    trigger: str = ""
    doubt: str = ""
    answered: bool = False
    parts: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
    receipt: ReceiptRow | None = None
    session: str = ""
    principal: str = ""


class RoundRow(Row, frozen=True, gc=False, tag="round"):
    """One continuation: ``request`` of ``reopen_of``, on the message of ``root``.

    ``serial`` orders the rounds of one message, the highest owns it.
    """

    request: str
    reopen_of: str
    root: str
    serial: int
    connection: str
    state: str
    ended_us: int
    final: Final | None
    written: bool


class CardRow(Row, frozen=True, gc=False, tag="card"):
    """One interaction card; ``pressed`` is the buttonId of its one decision.

    ``posts`` and ``doubt`` are those of its post, as in a ``RequestRow``: a card that
    was refused, or never set out, has none and is posted after a crash.
    """

    interaction: str
    request: str
    text: str
    buttons: tuple[Button, ...]
    state: str
    message: str
    pressed: str
    outcome: str
    written: bool
    posts: int = 0
    doubt: str = ""


class LaneRow(Row, frozen=True, gc=False, tag="lane"):
    """One conversation: which generation it is in (since which ``/new``), its directory."""

    lane: str
    chat: str
    thread: str | None
    team: str
    generation: int
    workspace: str
    renewed: str = ""
    principal: str = ""
    takeover: str = ""


class ArchiveRow(Row, frozen=True, gc=False, tag="archive"):
    """A session that has to be archived when its desktop is back."""

    key: str
    lane: str
    device: str


class PauseRow(Row, frozen=True, gc=False, tag="pause"):
    """A channel (or one chat of it) wants no calls before ``until_us``."""

    channel: str
    chat: str
    until_us: int


class EventRow(Row, frozen=True, gc=False, tag="event"):
    """A webhook event that was dealt with and made no request."""

    at_us: int
