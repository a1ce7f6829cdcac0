"""Which writes to a channel are on their way, and which came to nothing.

A request and a card have one message each. ``Care`` says how its writes fare,
so that an oracle can tell a message that is wrong from one that is waiting for
a channel in trouble.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from sim.channel.api import EditMessage, PostMessage, Refused
from sim.core.event import CallAnswered, CallIssued
from sim.core.op import NO_ANSWER

if TYPE_CHECKING:
    from sim.protocols.hook.view import HookView

NEVER = -(1 << 60)


@attrs.define(eq=False)
class Care:
    """How the writes of one message fare.

    ``pending`` calls have no answer yet; ``posts`` happened or may have happened,
    ``unsure`` ones of unknown outcome among them; ``message`` is the id that the
    server was told last; ``refused`` counts refused posts; ``gone``: the channel said that
    there is no such message; ``troubled_us`` is the time of the latest call that
    was refused or not answered.
    """

    pending: int = 0
    posts: int = 0
    unsure: int = 0
    refused: int = 0
    message: str = ""
    gone: bool = False
    troubled_us: int = NEVER

    @property
    def lost(self) -> bool:
        """The server knows no id and may not post again: one that was refused before a
        crash counts as one that may have happened."""
        return not self.message and self.unsure > 0 and self.posts + self.refused > 1


class Writes:
    """The fold of calls about messages; each takes constant time."""

    __slots__ = ("_calls", "view")

    def __init__(self, view: HookView) -> None:
        self.view = view
        self._calls: dict[int, tuple[Care, bool, str]] = {}

    def issued(self, event: CallIssued) -> None:
        """A server wants to write."""
        request = event.request
        kind = type(request)
        if kind is EditMessage:
            message = self.view.history.messages.get((event.callee, request.message))
            about = "" if message is None else message.about
        elif kind is PostMessage:
            about = request.about
        else:
            return
        care = self.of(about)
        if care is None:
            return
        care.pending += 1
        care.posts += kind is PostMessage
        self._calls[event.n] = (care, kind is PostMessage, event.caller)

    def of(self, about: str) -> Care | None:
        """The record of a request's or an interaction's message."""
        view = self.view
        subject = view.requests.get(about) or view.cards.get(about)
        return None if subject is None else subject.care

    def answered(self, event: CallAnswered) -> None:
        """A server learns what became of its write."""
        call = self._calls.pop(event.call, None)
        if call is None:
            return
        care, is_post, _ = call
        care.pending -= 1
        reply = event.reply
        if type(reply) is Refused:
            care.troubled_us = event.at
            care.posts -= is_post
            care.refused += is_post
            care.gone = care.gone or reply.code == "message_not_found"
        elif reply is NO_ANSWER:
            care.troubled_us = event.at
            care.unsure += is_post
        elif is_post:
            care.message = reply.message

    def crashed(self, host: str, at: int) -> None:
        """Nobody will learn what became of the writes of a dead server."""
        lost = [n for n, call in self._calls.items() if call[2] == host]
        for n in lost:
            care, is_post, _ = self._calls.pop(n)
            care.pending -= 1
            care.unsure += is_post
            care.troubled_us = at
