"""Interaction cards: asked on a desktop, drawn by the server, pressed once (§5.10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.channel.api import PostMessage
from sim.core.event import CallIssued, Event, FrameSent, Noted
from sim.core.invariant import Handler
from sim.protocols.hook.machine import CLOSED, REDELIVERED, UNENDED
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant
from sim.protocols.hook.oracles.waiting import is_waiting, looked_for_us
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_records import CardView

MAX_BUTTONS = 24
GRACE_US = 10 * SECOND_US


class OfDecisions(HookInvariant):
    """Looks at each decision when the server writes it."""

    obeyed_by = "server"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "interaction.decision"): self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        self.exercised += 1
        body = self.view.said
        card = self.view.cards.get(body.interaction_id)
        if card is None:
            return f"{event.sender} decides {body.interaction_id}, which is no card"
        return self.judge(card, body, event)

    def judge(self, card: CardView, body: Any, event: FrameSent) -> str | None:
        """What is wrong with this decision."""
        raise NotImplementedError


class DecisionsArePresses(OfDecisions):
    name = "decisions-are-presses"
    sentence = "A decision is a button of that card that somebody has pressed, and nothing else."
    from_frames = True
    catalogue = ("HK-11", "HK-141")

    def judge(self, card: CardView, body: Any, event: FrameSent) -> str | None:
        if body.request_id != card.request:
            return f"the decision of {card.interaction} names {body.request_id}, not {card.request}"
        if body.button_id not in card.buttons:
            return f"{body.button_id!r} is no button of {card.interaction}"
        if self.view.frames_only:
            return None  # a channel's presses are in no frame
        message = self.view.card_of(card.interaction)
        pressed = message is not None and any(
            (press.message, press.button) == (message.id, body.button_id)
            for press in reversed(self.view.presses)
        )
        return None if pressed else f"nobody pressed {body.button_id!r} on {card.interaction}"


class OneDecisionPerCard(OfDecisions):
    name = "one-decision-per-card"
    sentence = "A card takes one decision; it is sent once per connection and never changes."
    from_frames = True
    catalogue = ("HK-11", "HK-141")

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._sent_on: dict[tuple[str, str], int] = {}

    def judge(self, card: CardView, body: Any, event: FrameSent) -> str | None:
        if len(set(card.decisions)) > 1:
            return f"{card.interaction} is decided twice: {' and '.join(card.decisions)}"
        link = self.view.link
        welcomes = 0 if link is None else link.welcomes
        on = (card.interaction, event.link)
        if self._sent_on.get(on) == welcomes:
            return f"the decision of {card.interaction} is sent twice on {event.link}"
        self._sent_on[on] = welcomes
        return None


class NoDecisionOnAClosedCard(OfDecisions):
    name = "no-decision-on-a-closed-card"
    sentence = "A press on a card that was taken back, or whose task is over, decides nothing."
    catalogue = ("HK-47", "HK-144")

    def judge(self, card: CardView, body: Any, event: FrameSent) -> str | None:
        if card.stored is not None and card.stored.state == CLOSED:
            return f"{card.interaction} is closed, and {body.button_id!r} is sent as its decision"
        request = self.view.requests.get(card.request)
        row = None if request is None else request.stored
        if row is not None and row.state not in REDELIVERED:
            return f"{card.request} is {row.state}, and its card {card.interaction} is decided"
        return None


class CardsStandInTheirThread(HookInvariant):
    name = "cards-stand-in-their-thread"
    sentence = "A card is posted once, in the thread of its task; a round or nobody's id gets none."
    catalogue = ("HK-139", "HK-175")
    obeyed_by = "server"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(CallIssued, PostMessage): self._post}

    def _post(self, event: CallIssued) -> str | None:
        post = event.request
        if post.role != "card" or post.about in self.view.accounts.pickers:
            return None
        self.exercised += 1
        card = self.view.cards.get(post.about)
        if card is None:
            return f"a card {post.about} is posted that no running task asked for"
        request = self.view.requests.get(card.request)
        if request is not None and (post.chat, post.thread) != (request.chat, request.thread):
            return f"the card of {card.request} is posted in {post.chat}/{post.thread}"
        stands = self.view.card_of(post.about)
        # Who asks the channel is told so, also of what somebody has deleted in the meantime.
        nowhere = stands is None or stands.deleted
        if card.care.posts - (card.care.unsure if nowhere else 0) > 1:
            return f"the card {post.about} is posted again"
        return None


class CardsAreShown(HookInvariant):
    name = "cards-are-shown"
    sentence = "A card that a running task asked for gets drawn."
    catalogue = ("HK-139",)
    obeyed_by = "server"

    def at_end(self) -> Iterator[str]:
        view = self.view
        for card in view.cards.values():
            self.exercised += 1
            if card.care.posts or card.care.unsure or is_waiting(view, card.care, card.at):
                continue
            if card.stored is not None and card.stored.state == CLOSED:
                continue  # taken back before anybody has seen it
            request = view.requests.get(card.request)
            asked = None if request is None else request.stored
            if asked is None or asked.lane == "x":
                continue  # there are no cards
            if asked.state in UNENDED and not self._is_looked_for(card, asked.lane):
                yield f"the card {card.interaction} of {card.request} was never posted"

    def _is_looked_for(self, card: CardView, lane: str) -> bool:
        """Whether a crash came before it was stored, or between that and its post."""
        since = max((self.view.hosts[name].since for name in self.view.writers), default=0)
        if since <= card.at:
            return False
        if card.stored is None:
            return True
        return bool(card.stored.doubt) and self.view.now < since + looked_for_us(lane)


class DeadCardsHaveNoButtons(HookInvariant):
    name = "dead-cards-have-no-buttons"
    sentence = "A card that is taken back, decided, or whose task is over loses its buttons."
    catalogue = ("HK-144",)
    obeyed_by = "server"

    def at_end(self) -> Iterator[str]:
        view = self.view
        for card in view.cards.values():
            request = view.requests.get(card.request)
            ended = -1 if request is None else request.ended_us
            since = min(t for t in (card.cancelled_us, ended, 1 << 62) if t >= 0)
            message = view.card_of(card.interaction)
            if since == 1 << 62 or message is None:
                continue
            self.exercised += 1
            if message.deleted or card.care.gone or card.care.unsure or not message.buttons:
                continue
            if card.stored is not None and not card.stored.message:
                continue  # it died before it had stored which message that is
            if not is_waiting(view, card.care, since):
                why = card.reason if card.cancelled else f"{card.request} is over"
                yield f"{card.interaction} still has its buttons, though {why}"


class ButtonsFit(HookInvariant):
    name = "buttons-fit"
    sentence = "A card has at most 24 buttons, with different ids and without '|' in them."
    from_frames = True
    IN_CALM = 1
    catalogue = ("HK-140",)
    obeyed_by = "desktop"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "interaction.request"): self._asked}

    def _asked(self, event: FrameSent) -> str | None:
        self.exercised += 1
        if self.view.said is None:
            return f"{event.sender} asks with a card that no server takes"
        ids = [button.id for button in self.view.said.buttons]
        if len(ids) > MAX_BUTTONS:
            return f"{event.sender} asks with {len(ids)} buttons"
        if len(set(ids)) < len(ids) or "|" in "".join(ids):
            return f"{event.sender} asks with the buttons {', '.join(ids)}"
        return None


class CardsAreTakenBack(HookInvariant):
    name = "cards-are-taken-back"
    sentence = "Before turn.end a desktop takes back the cards that were never answered."
    from_frames = True
    catalogue = ("HK-143",)
    obeyed_by = "desktop"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "turn.end"): self._ended}

    def _ended(self, event: FrameSent) -> str | None:
        turn = self.view.turn
        if turn is None or turn.ends > 1 or not turn.cards:
            return None
        if turn.life != self.view.desktops.of(event.sender).life:
            return None
        self.exercised += 1
        for name, card in turn.cards.items():
            if not card.settled and card.link == event.link:
                return f"{event.sender} ends {turn.request} and leaves the card {name} open"
        return None


class ACardIsAnsweredOnce(HookInvariant):
    name = "a-card-is-answered-once"
    sentence = "The desktop takes one answer to a question, and only one that it offered."
    catalogue = ("HK-47", "HK-142")
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._answers: dict[tuple[str, str], str] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(Noted, "agent"): self._noted}

    def _noted(self, event: Noted) -> str | None:
        data = event.data
        if data.get("did") != "answered" or not data["card"]:
            return None
        self.exercised += 1
        name = (event.host, data["card"])
        first = self._answers.setdefault(name, f"{data['button']} at step {event.n}")
        if not first.endswith(f" {event.n}"):
            return f"{event.host} takes {data['button']!r} for {data['card']}, after {first}"
        turn = self.view.desktops.of(event.host).turns.get(data["request"])
        card = None if turn is None else turn.cards.get(data["card"])
        if card is not None and data["by"] == "channel" and data["button"] not in card.buttons:
            return f"{event.host} takes {data['button']!r}, which {data['card']} did not offer"
        return None
