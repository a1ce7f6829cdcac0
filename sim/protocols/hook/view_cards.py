"""Cards with buttons, as the frames about them imply them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sim.protocols.hook.view_records import CardView, LinkView

if TYPE_CHECKING:
    from sim.protocols.hook.view import HookView


class CardFold:
    """The fold of what desktops ask and take back, and of what servers decide."""

    __slots__ = ("view",)

    def __init__(self, view: HookView) -> None:
        self.view = view

    def asked(self, link: LinkView, body: Any, n: int) -> None:
        """A card reached the server: the first of its id, of a task of this connection."""
        view = self.view
        request = view.requests.get(body.request_id)
        if request is None or not request.is_of(link) or body.interaction_id in view.cards:
            return
        view.cards[body.interaction_id] = CardView(
            body.interaction_id, body.request_id, tuple([b.id for b in body.buttons]), n, view.now
        )
        request.cards.append(body.interaction_id)

    def taken_back(self, link: LinkView, body: Any, n: int) -> None:
        """The desktop needs no answer any more."""
        card = self.view.cards.get(body.interaction_id)
        if card is not None and card.request == body.request_id:
            card.cancelled = True
            card.cancelled_us = self.view.now
            card.reason = body.reason

    def decided(self, link: LinkView, body: Any, n: int) -> None:
        """The server has sent an answer."""
        self.view.is_calm = link.welcomes > 0
        card = self.view.cards.get(body.interaction_id)
        if card is not None:
            card.decisions.append(body.button_id)
