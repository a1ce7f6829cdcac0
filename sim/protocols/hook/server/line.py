"""One message of the bot, as the server manages it."""

from __future__ import annotations

from collections import deque
from typing import Any, Protocol

from sim.channel.api import CANCELLED, FAILED, OK, Button

ENDS = (OK, FAILED, CANCELLED)
"""The chips of an end; an interruption or a rejection is none."""


class Claim(Protocol):
    """Who may write a message right now; compared by identity, never by id."""

    written: bool

    @property
    def row_key(self) -> str:
        """Where the claim's row is stored."""

    def row(self) -> Any:
        """The row to store."""


class Picture:
    """What a message shall look like, and in whose name.

    ``final`` pictures are terminal: once written, the claim is stored as done.
    """

    __slots__ = ("buttons", "by", "claim", "files", "final", "state", "text")

    def __init__(
        self,
        claim: Claim,
        text: str,
        state: str = "",
        *,
        final: bool = False,
        files: tuple[str, ...] = (),
        buttons: tuple[Button, ...] = (),
        by: str = "",
    ) -> None:
        self.claim = claim
        self.text = text
        self.state = state
        self.final = final
        self.files = files
        self.buttons = buttons
        self.by = by

    def looks_like(self, other: Picture) -> bool:
        """Whether a reader would see no difference."""
        return (
            self.text == other.text
            and self.state == other.state
            and self.files == other.files
            and self.buttons == other.buttons
        )


class Line:
    """A message's place and the writes that it waits for.

    ``subject`` is what it is about (its row holds the message id), ``claim``
    who owns it. ``wanted`` is the newest picture not yet written; ``draining``
    that some handler is writing. ``posts`` counts posts that happened or may
    have happened: a post is never repeated blindly (RC-100). ``gone``: the
    channel no longer has the message. ``unsure``: an older write may still
    land. ``doubt`` is the key of a post of unknown outcome, ``doubt_us`` when it
    set out, ``doubted`` what it showed. ``answered``: the message is in its
    final place, so that an end edits it. ``parts`` are the rest of a split
    answer, ``leftovers`` messages that should go away. ``heard`` is the newest
    snapshot of its task, which may not be shown yet. ``late``: close-outs that
    ignore ownership (only with that rule off).
    """

    __slots__ = (
        "about", "answered", "channel", "chat", "claim", "doubt", "doubt_us", "doubted",
        "draining", "failures", "gone", "heard", "late", "leftovers", "message", "parts", "posts",
        "role", "shown", "subject", "terminal", "thread", "unsure", "wanted",
    )  # fmt: skip

    @property
    def is_lost(self) -> bool:
        """The channel has no such message any more, and it is not about to come back."""
        return self.gone and self.message != ""

    def __init__(
        self, subject: Any, channel: str, chat: str, thread: str | None, about: str, role: str
    ) -> None:
        self.subject = subject
        self.claim: Claim = subject
        self.channel = channel
        self.chat = chat
        self.thread = thread
        self.about = about
        self.role = role
        self.message = ""
        self.posts = 0
        self.wanted: Picture | None = None
        self.heard: Picture | None = None
        self.shown: Picture | None = None
        self.terminal: Picture | None = None
        self.draining = False
        self.gone = False
        self.unsure = False
        self.failures = 0
        self.doubt = ""
        self.doubt_us = 0
        self.doubted: Picture | None = None
        self.answered = False
        self.parts: tuple[str, ...] = ()
        self.leftovers: tuple[str, ...] = ()
        self.late: deque[Picture] | None = None
