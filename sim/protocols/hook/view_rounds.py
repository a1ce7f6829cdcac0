"""Who owns a message, as the frames imply it (§5 stage 18).

The rules are those of the document, not of any server: the newest reopen owns
the message; a repeated one has no effect; an id that is bound already is
refused and silenced on that connection; a disconnect tears open rounds down,
and torn ids are dead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sim.protocols.hook.machine import ENDED, OPEN, SUPERSEDED, TORN, UNENDED
from sim.protocols.hook.view_records import LinkView, RequestView, RoundView

if TYPE_CHECKING:
    from sim.protocols.hook.view import HookView

TURN_REOPEN = "turn-reopen-v1"
CONTINUED = "continued"


def final_text(body: Any) -> str:
    """What a ``turn.end`` has to say to a reader; may be empty."""
    if body.status == "error":
        return str(body.error_message or body.final_text)
    return str(body.final_text)


class Ownership:
    """The fold of reopen, progress, end and disconnect."""

    __slots__ = ("view",)

    def __init__(self, view: HookView) -> None:
        self.view = view

    def reopen(self, link: LinkView, body: Any, n: int) -> None:
        """A reopen reached the server."""
        if TURN_REOPEN not in link.features:
            return
        request = body.request_id
        bound = self.view.rounds.get(request) or self.view.requests.get(request)
        if bound is not None:
            if not self._repeats(bound, link, body):
                link.quarantined[request] = None
            return
        if request in link.early:
            return  # its end came first (RC-17): nothing could finish this round
        target = self.view.rounds.get(body.reopen_of) or self.view.requests.get(body.reopen_of)
        if target is None or not target.root.is_of(link) or target.root.lane == "x":
            return  # on X nothing can be reopened: its posts cannot be edited
        if isinstance(target, RoundView) and target.state in (TORN, SUPERSEDED):
            return
        root = target.root
        if not root.ended:
            root.ended = CONTINUED
            root.ended_at = n
            root.ended_us = self.view.now
        self._give(link, body, target.root, n)

    def _repeats(self, bound: RoundView | RequestView, link: LinkView, body: Any) -> bool:
        return (
            isinstance(bound, RoundView)
            and bound.reopen_of == body.reopen_of
            and bound.root.is_of(link)
        )

    def _give(self, link: LinkView, body: Any, root: RequestView, n: int) -> None:
        older = root.owner
        if older is not None and older.state == OPEN:
            older.state = SUPERSEDED
            where = self.view.links.get(older.link)
            if where is not None:
                where.rounds.pop(older.request, None)
        made = RoundView(body.request_id, body.reopen_of, root, link.name, n, self.view.now)
        self.view.rounds[made.request] = root.owner = made
        root.rounds.append(made)
        link.rounds[made.request] = made

    def progress(self, link: LinkView, body: Any, n: int) -> None:
        """A snapshot reached the server."""
        over = self.view.rounds.get(body.request_id)
        if over is not None:
            if over.state == OPEN and over.link == link.name:
                over.progress = over.texts[body.text] = n
            return
        request = self.view.requests.get(body.request_id)
        if request is None or request.ended or not request.is_of(link):
            return
        if request.request not in link.quarantined:
            request.progress = request.texts[body.text] = n

    def cancel(self, link: LinkView, body: Any, n: int) -> None:
        """The server asks for the end of a task or a round."""
        found = self.view.requests.get(body.request_id) or self.view.rounds.get(body.request_id)
        if found is not None:
            found.cancels += 1

    def end_of_round(self, link: LinkView, body: Any, n: int) -> None:
        """An end reached the server: that of a task is of no interest."""
        if body.request_id not in self.view.requests:
            self.end(link, body, n)

    def end(self, link: LinkView, body: Any, n: int) -> None:
        """The end of a round reached the server."""
        over = self.view.rounds.get(body.request_id)
        if over is None:
            link.early[body.request_id] = None
            return
        if over.state != OPEN or over.link != link.name:
            return
        if body.request_id not in link.quarantined:
            over.state = ENDED
            over.ended = body.status
            over.ended_at = n
            over.ended_us = self.view.now
            over.final = final_text(body)
            link.rounds.pop(over.request, None)

    def closed(self, link: LinkView, n: int) -> None:
        """The server's end of a connection is gone: its open rounds are torn (HK-184)."""
        for over in link.rounds.values():
            over.state = TORN
            over.ended_at = n
            over.ended_us = self.view.now
        link.rounds.clear()

    def server_died(self, n: int) -> None:
        """What had reached a server and was not stored when it died, was never dealt with.

        In a timed run a frame's handler stores at once; in a search it may wait.
        """
        for over in self.view.rounds.values():
            if over.state == ENDED and (over.stored is None or over.stored.state == OPEN):
                over.state = TORN
                over.ended = ""
                over.ended_at, over.ended_us = n, self.view.now
        for request in self.view.requests.values():
            row = request.stored
            if request.ended and row is not None and row.state in UNENDED and not request.rounds:
                request.ended = ""
                request.ended_at = request.ended_us = -1
