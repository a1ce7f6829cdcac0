"""Interaction cards: the server draws them and returns presses, no more (§5.10, HK-11).

A card takes one decision. It is stored before it is shown, and a press is
stored before the decision is sent; while its task is open a decision is sent
again after each welcome, because nothing acknowledges it and the desktop
ignores repetitions.
"""

from __future__ import annotations

from typing import Any

from sim.channel.api import Button, ButtonPressed
from sim.core.actor import Actor
from sim.core.op import Note, Save, Send, Spawn
from sim.protocols.hook.frames import InteractionCancel, InteractionDecision, InteractionRequest
from sim.protocols.hook.intake import made
from sim.protocols.hook.machine import CARD, CLOSED, DECIDED, OPEN, REDELIVERED, UNENDED
from sim.protocols.hook.server.line import Line, Picture
from sim.protocols.hook.server.memory import Memory, Socket
from sim.protocols.hook.server.plan import ServerPlan
from sim.protocols.hook.server.stored import CardRow
from sim.protocols.hook.server.tasks import Task
from sim.protocols.hook.server.texts import CARD_OVER_TEXT
from sim.protocols.hook.server.writing import Writing


class Card:
    """One card; it is the claim on its own message.

    ``outcome`` is the line that replaces the buttons.
    """

    __slots__ = (
        "buttons", "interaction", "line", "outcome", "pressed", "sent", "state", "task", "text",
        "written",
    )  # fmt: skip

    def __init__(
        self, interaction: str, task: Task, text: str, buttons: tuple[Button, ...], channel: str
    ) -> None:
        self.interaction = interaction
        self.task = task
        self.text = text
        self.buttons = buttons
        self.state = CARD.initial
        self.pressed = ""
        self.outcome = ""
        self.sent = 0
        self.written = False
        lane = task.conversation
        thread = lane.thread
        self.line = Line(self, channel, lane.chat, thread, interaction, "card")

    @property
    def row_key(self) -> str:
        return f"card/{self.interaction}"

    def row(self) -> CardRow:
        """The durable form, as of now."""
        return CardRow(
            self.interaction, self.task.request, self.text, self.buttons, self.state,
            self.line.message, self.pressed, self.outcome, self.written, self.line.posts,
            self.line.doubt,
        )  # fmt: skip

    def picture(self) -> Picture:
        """What the card looks like now: with buttons, or with its outcome."""
        if self.state == OPEN:
            return Picture(self, self.text, buttons=self.buttons, by=self.interaction)
        text = f"{self.text}\n{self.outcome}"
        return Picture(self, text, final=self.state == CLOSED, by=self.interaction)


class Cards:
    """The server's book of cards."""

    __slots__ = ("actor", "memory", "plan", "writing")

    def __init__(self, actor: Actor, memory: Memory, plan: ServerPlan, writing: Writing) -> None:
        self.actor = actor
        self.memory = memory
        self.plan = plan
        self.writing = writing
        writing.posting.on_posted = self.posted

    async def request(self, socket: Socket, body: InteractionRequest) -> None:
        """Draw a card in the task's thread; a repeated or foreign one is ignored."""
        task = self.memory.owned_task(socket, body.request_id)
        if task is None or task.state not in UNENDED or body.interaction_id in self.memory.cards:
            return
        manners = self.writing.manners(task.line)
        if not manners.cards:
            # Nobody can press there: the desktop's own time limit decides (HK-146).
            data = {"card": body.interaction_id, "request": body.request_id}
            await self.actor.perform(Note("card-not-shown", data))
            return
        buttons = tuple(Button(b.id, b.label, b.style) for b in body.buttons)
        text = f"{body.title}\n{body.body}" if body.body else body.title
        text = manners.fit(text)
        card = Card(body.interaction_id, task, text, buttons, task.line.channel)
        self.adopt(card)
        self.memory.unposted_cards += 1
        await self.actor.perform(Save(card.row_key, card.row()))
        await self.writing.show(card.line, card.picture())

    def adopt(self, card: Card) -> None:
        """Make a card findable."""
        self.memory.cards[card.interaction] = card
        if card.task.cards is None:
            card.task.cards = []
        card.task.cards.append(card)

    def posted(self, line: Line) -> None:
        """A message got its id; presses name it."""
        if type(line.subject) is Card:
            self.memory.unposted_cards -= 1
            self.memory.cards_by_message[line.channel, line.message] = line.subject

    def is_early(self, channel: str, press: ButtonPressed) -> bool:
        """Whether this may be a press on a card whose id we have not learned yet."""
        known = (channel, press.message) in self.memory.cards_by_message
        return not known and self.memory.unposted_cards > 0

    async def press(self, channel: str, press: ButtonPressed) -> None:
        """The first press on an open card decides, if the card has that button (RC-63)."""
        card = self.memory.cards_by_message.get((channel, press.message))
        if card is None or not self._takes(card, press.button):
            return
        label = next((b.label for b in card.buttons if b.id == press.button), press.button)
        # Without one_decision a second press decides again, which the table does not know.
        card.state = CARD.step(card.state, "press") if CARD.can(card.state, "press") else DECIDED
        card.pressed = press.button
        card.outcome = f"{label} ({press.person})"
        await self.actor.perform(Save(card.row_key, card.row()))
        socket = card.task.desk.socket
        if card.state == DECIDED and socket is not None and socket.ready:
            await self._send_decision(socket, card)
        if card.state == DECIDED:
            run = self.writing.show(card.line, card.picture())
            await self.actor.perform(Spawn(f"card {card.interaction}", run))

    def _takes(self, card: Card, button: str) -> bool:
        if self.plan.rules.one_decision:
            return CARD.can(card.state, "press") and any(b.id == button for b in card.buttons)
        return card.task.state in UNENDED

    async def send_held(self, socket: Socket, task: Task) -> None:
        """After a welcome: the decisions of this task that may not have arrived."""
        for card in tuple(task.cards or ()):
            if card.state == DECIDED and socket.ready:
                await self._send_decision(socket, card)

    async def _send_decision(self, socket: Socket, card: Card) -> None:
        if card.sent == socket.serial and self.plan.rules.one_decision:
            return
        if card.task.state not in REDELIVERED or not self.memory.is_of(socket, card.task):
            return
        card.sent = socket.serial
        body = InteractionDecision(
            request_id=card.task.request,
            interaction_id=card.interaction,
            button_id=card.pressed,
        )
        await self.actor.perform(Send(socket.conn, made(self.actor.port, body)))

    async def cancel(self, socket: Socket, body: InteractionCancel) -> None:
        """Settled on the desktop: no buttons, the reason instead (HK-144).

        A cancel behind our decision proves that the decision came too late.
        """
        card = self.memory.cards.get(body.interaction_id)
        if card is None or card.task.request != body.request_id:
            return
        if self.memory.owned_task(socket, body.request_id) is None:
            return
        if CARD.can(card.state, "cancel"):
            await self.write_closed([self._close(card, "cancel", body.reason)])

    def _close(self, card: Card, trigger: str, outcome: str) -> Card:
        card.state = CARD.step(card.state, trigger)
        card.outcome = outcome or CARD_OVER_TEXT
        return card

    def close_all(self, task: Task) -> list[Card]:
        """The task is over: its open cards take no more presses (RC-64)."""
        if not self.plan.rules.retire_cards:
            return []
        return [
            self._close(card, "end", CARD_OVER_TEXT)
            for card in task.cards or ()
            if card.state == OPEN
        ]

    async def write_closed(self, cards: list[Any]) -> None:
        """Store and show closed cards, each on its own."""
        for card in cards:
            await self.actor.perform(Save(card.row_key, card.row()))
            run = self.writing.show(card.line, card.picture())
            await self.actor.perform(Spawn(f"card {card.interaction}", run))
