"""What a restarted server does with what it had stored (RC-24, RC-104).

Requests go on under their ids and wait for their desktops. Rounds do not:
their connection died with the process, so whatever was open is torn, and the
newest round of each message decides what is written there. Terminal pictures
and close-outs that were stored but not yet written are written now. Edits of
the former life may still be on their way, so these are said once more later.
"""

from __future__ import annotations

from sim.channel.api import WORKING
from sim.core.actor import Actor
from sim.core.op import Save, Sleep, Spawn
from sim.protocols.hook.machine import (
    CLOSED,
    DECIDED,
    ENDED,
    INTERRUPTED,
    OPEN,
    REJECTED,
    RETRYING,
    SUPERSEDED,
    TORN,
    UNENDED,
)
from sim.protocols.hook.server.cards import Card, Cards
from sim.protocols.hook.server.delivery import Receipt
from sim.protocols.hook.server.inbox import Inbox
from sim.protocols.hook.server.line import Line, Picture
from sim.protocols.hook.server.memory import Memory
from sim.protocols.hook.server.plan import ServerPlan
from sim.protocols.hook.server.posting import ANSWER, UNKNOWN
from sim.protocols.hook.server.requests import Requests
from sim.protocols.hook.server.rounds import Rounds
from sim.protocols.hook.server.stored import CardRow, Final, LaneRow, RequestRow, RoundRow
from sim.protocols.hook.server.tasks import CloseOut, Conversation, Round, Task, place_of
from sim.protocols.hook.server.texts import WORKING_TEXT
from sim.protocols.hook.server.writing import Writing


class Recovery:
    """Rebuilds the memory of a server from its store."""

    __slots__ = (
        "actor", "cards", "inbox", "memory", "plan", "requests", "rounds", "superseded", "writing",
    )  # fmt: skip

    def __init__(
        self,
        actor: Actor,
        memory: Memory,
        plan: ServerPlan,
        writing: Writing,
        requests: Requests,
        rounds: Rounds,
        cards: Cards,
        inbox: Inbox,
    ) -> None:
        self.actor = actor
        self.memory = memory
        self.plan = plan
        self.writing = writing
        self.requests = requests
        self.rounds = rounds
        self.cards = cards
        self.inbox = inbox
        self.superseded: list[Round] = []

    async def run(self) -> None:
        """Read everything without a gap, then write what is owed."""
        store = self.actor.port.store
        for _, lane in store.items("lane/"):
            self._lane(lane)
        for _, row in store.items("request/"):
            self._request(row)
        newest: dict[str, Round] = {}
        for _, row in sorted(store.items("round/"), key=lambda item: item[1].serial):
            self._round(row, newest)
        for _, row in store.items("card/"):
            self._card(row)
        for _, row in store.items("archive/"):
            desk = self.memory.desk(row.lane, row.device)
            desk.archives = {**(desk.archives or {}), row.key: (0, 0)}
        for key, row in store.items("event/"):
            self.memory.seen[key[6:]] = row.at_us
            self.memory.ended.append((row.at_us, "event", key[6:]))
        self.memory.ended = type(self.memory.ended)(sorted(self.memory.ended))
        torn = self._tear(newest)
        await self._write_owed(newest, torn)

    # -- reading ---------------------------------------------------------------

    def _lane(self, row: LaneRow) -> None:
        lane = Conversation(row.lane, row.team, row.chat, row.thread, row.principal)
        lane.workspace = row.workspace
        lane.takeover = row.takeover
        lane.enter(row.generation, row.renewed)
        place = place_of(row.lane, row.chat, row.thread, row.principal)
        self.memory.conversations[place] = lane

    def _request(self, row: RequestRow) -> None:
        memory = self.memory
        lane = memory.conversations[place_of(row.lane, row.chat, row.thread, row.principal)]
        desk = memory.desk(row.lane, row.device)
        task = Task(row.request, row.event, desk, lane, row.person, row.prompt, row.created_us)
        task.external_key = row.key
        task.workspace = row.workspace
        task.state = row.state
        task.cancel = row.cancel
        task.ended_us = row.ended_us
        task.written = row.written
        task.dispatches = 1  # who knows
        self.inbox.adopt(task, self.plan.channel(row.lane))
        task.account = row.account
        task.trigger = row.trigger
        task.session = row.session
        if row.account:
            desk.account = row.account
        task.final = task.line.terminal = _picture(task, row.final, row.request)
        if row.receipt is not None:
            task.receipt = Receipt(row.receipt)
        self._line(task.line, row)
        memory.seen[row.event] = self.actor.port.now_us()
        memory.latest[row.lane, row.chat, row.person] = lane
        if row.state in UNENDED:
            self.requests.enlist(task)
        else:
            if row.state == INTERRUPTED:
                self.requests.keep_interrupted(task)
            memory.ended.append((row.ended_us, "request", row.request))

    def _line(self, line: Line, row: RequestRow) -> None:
        """Its message; if its post may have set out without a trace, it is in doubt.

        Placeholders are posted without being stored first, answers are not.
        """
        line.message = row.message
        line.posts = row.posts
        line.unsure = not row.written
        line.answered = row.answered
        line.parts = row.parts
        line.leftovers = row.leftovers
        line.doubt = row.doubt
        line.doubt_us = self.actor.port.now_us()
        if not row.message and not row.doubt and self.writing.manners(line).edits:
            line.posts = max(row.posts, 1)
            line.doubt = f"{line.about}/{line.posts}"
        if ANSWER in line.doubt:
            line.doubted = line.terminal
        elif line.doubt:
            line.doubted = Picture(line.claim, WORKING_TEXT, WORKING)

    def _round(self, row: RoundRow, newest: dict[str, Round]) -> None:
        root = self.memory.routes.get(row.root)
        if type(root) is not Task:
            return
        over = Round(row.request, row.reopen_of, root, row.serial, None)
        over.state = row.state
        over.ended_us = row.ended_us
        over.written = row.written
        over.final = _picture(over, row.final, row.request)
        if over.final is not None:
            root.line.terminal = over.final
        if not row.written:
            root.line.unsure = True
        older = newest.get(row.root)
        if older is not None and older.state == OPEN:
            older.state = SUPERSEDED
            older.ended_us = max(1, self.actor.port.now_us())
            self.memory.ended.append((older.ended_us, "round", older.request))
            self.superseded.append(older)
        newest[row.root] = over
        self.memory.routes[row.request] = over
        self.memory.round_serial = max(self.memory.round_serial, row.serial)
        if row.ended_us:
            self.memory.ended.append((row.ended_us, "round", row.request))

    def _card(self, row: CardRow) -> None:
        task = self.memory.routes.get(row.request)
        if type(task) is not Task:
            return
        card = Card(row.interaction, task, row.text, row.buttons, task.line.channel)
        card.state = row.state
        card.pressed = row.pressed
        card.outcome = row.outcome
        card.written = row.written
        card.line.message = row.message
        card.line.posts = row.posts
        card.line.unsure = not row.written
        card.line.doubt = row.doubt
        card.line.doubt_us = self.actor.port.now_us()
        self.cards.adopt(card)
        if not row.message:
            self.memory.unposted_cards += 1
        else:
            self.memory.cards_by_message[card.line.channel, row.message] = card

    # -- writing ---------------------------------------------------------------

    def _tear(self, newest: dict[str, Round]) -> dict[str, CloseOut]:
        """The claims of all reopened messages, with what was open torn."""
        claims: dict[str, CloseOut] = {}
        for root, over in newest.items():
            if over.state == OPEN:
                claims[root] = self.rounds.tear_round(over)
            elif over.state == TORN:
                over.line.claim = claims[root] = CloseOut(over)
            else:
                over.line.claim = over
        return claims

    async def _write_owed(self, newest: dict[str, Round], torn: dict[str, CloseOut]) -> None:
        for older in self.superseded:
            await self.actor.perform(Save(older.row_key, older.row()))
        for claim in torn.values():
            if not claim.written:
                await self.rounds.close_out([claim])
        for over in newest.values():
            if over.state == ENDED and not over.written and over.final is not None:
                await self._show(over.final, over)
        for task in [r for r in self.memory.routes.values() if type(r) is Task]:
            await self._write_task(task, task.request in newest)
        for card in list(self.memory.cards.values()):
            await self._write_card(card)
        for desk in list(self.memory.desks.values()):
            if desk.socket is None:
                await self.requests.start_absence(desk)

    async def _write_task(self, task: Task, continued: bool) -> None:
        line = task.line
        if line.leftovers:
            await self.writing.posting.tidy(line)
        if continued and task.state in UNENDED:
            # Its round was stored, its own book-keeping not yet.
            task.state = ENDED
            task.written = True
            await self.requests.settle(task)
        if continued:
            await self.writing.delivery.overtake(task)
        elif task.state in UNENDED:
            if line.doubt:  # perhaps it stands there, and nobody knows its id
                picture = line.doubted or Picture(task, WORKING_TEXT, WORKING, by=task.by)
                await self.actor.perform(
                    Spawn(f"find {task.request}", self.writing.show(line, picture))
                )
        elif task.written or task.final is None:
            pass
        elif task.state == REJECTED and not self.writing.manners(line).edits:
            run = self.requests.reject_later(task, task.final)
            await self.actor.perform(Spawn(f"later {task.request}", run))
        else:
            await self._show(task.final, task)

    async def _write_card(self, card: Card) -> None:
        if card.state == OPEN and card.task.state not in UNENDED:
            await self.cards.write_closed(self.cards.close_all(card.task))
        elif card.state == CLOSED and not (card.line.message or card.line.doubt):
            await self.writing.settle(card.picture(), UNKNOWN)  # nobody has ever seen it
        elif (
            (card.state == CLOSED and not card.written)
            or (card.state == DECIDED or card.line.doubt)
            or not card.line.message
        ):
            run = self.writing.show(card.line, card.picture())
            await self.actor.perform(Spawn(f"card {card.interaction}", run))

    async def _show(self, picture: Picture, claim: Task | Round) -> None:
        run = self._when_promised(picture, claim)
        await self.actor.perform(Spawn(f"owed {claim.request}", run))

    async def _when_promised(self, picture: Picture, claim: Task | Round) -> None:
        """A desktop was told when the next try is (HK-77)."""
        receipt = claim.receipt if type(claim) is Task else None
        if receipt is not None and receipt.state == RETRYING:
            claim.line.failures = receipt.attempt
            rest = receipt.retry_at_ms - self.actor.port.now_ms()
            if rest > 0:
                await self.actor.perform(Sleep(rest * 1_000))
        await self.writing.show(claim.line, picture)


def _picture(claim: Task | Round, final: Final | None, by: str) -> Picture | None:
    if final is None:
        return None
    return Picture(claim, final.text, final.state, final=True, files=final.files, by=by)
