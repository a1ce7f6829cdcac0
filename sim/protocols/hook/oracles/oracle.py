"""What the oracles of the hook protocol have in common: the view, and its questions."""

from __future__ import annotations

from typing import Any

from sim.channel.api import CANCELLED, FAILED, OK
from sim.core.invariant import Invariant
from sim.protocols.hook.machine import ENDED
from sim.protocols.hook.server.texts import CANCELLED_TEXT
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_records import LinkView, RequestView, RoundView

SECOND_US = 1_000_000
CHIPS = {"ok": OK, "error": FAILED, "cancelled": CANCELLED}
FINALS = (OK, FAILED, CANCELLED)


class HookInvariant(Invariant):
    """Sees events after the view has folded them."""

    ALIKE = True

    def __init__(self, view: HookView) -> None:
        self.view = view

    @property
    def request(self) -> str:
        """The requestId of the frame that the newest ``FrameSent`` is about; "": none."""
        return getattr(self.view.said, "request_id", "")

    def subject_of(self, event: Any) -> RequestView | None:
        """The request whose message the edit of a ``CallIssued`` or ``CallApplied`` changes.

        Many ask it of the same event, so the view keeps the newest answer.
        """
        view = self.view
        if view.subject_n != event.n:
            message = view.history.messages.get((event.callee, event.request.message))
            view.subject_n = event.n
            view.subject = None if message is None else view.requests.get(message.about)
        return view.subject

    def is_foreign(self, request: RequestView, link: LinkView) -> bool:
        """Whether somebody else may be signed in on that connection by now (RC-44)."""
        if not request.is_of(link):
            return True
        known = link.account and request.stored is not None and request.stored.account
        return self.view.desktops.of(link.client).logins > 0 and not known


def known_owner(root: RequestView) -> RoundView | None:
    """The newest round that the server has provably dealt with; None: the request itself."""
    owner = root.owner
    if owner is None or owner.stored is not None:
        return owner
    for over in reversed(root.rounds):
        if over.stored is not None:
            return over
    return None


def known_end(root: RequestView) -> bool:
    """Whether the server has stored the end of the request itself."""
    return root.stored is not None and root.stored.state == ENDED


def final_of(owner: RequestView | RoundView) -> tuple[str, str] | None:
    """(chip, text) of the end that counted; None while there is none."""
    chip = CHIPS.get(owner.ended)
    if chip is None:
        return None
    return chip, owner.final or (CANCELLED_TEXT if chip == CANCELLED else "")


def cut_of(text: str, whole: str) -> bool:
    """Whether a text is what it should be, at most cut for the channel."""
    return text == whole or (text.endswith("…") and whole.startswith(text[:-1]))


def shown(text: str) -> str:
    """A text as a violation quotes it."""
    return repr(text if len(text) <= 40 else text[:39] + "…")
