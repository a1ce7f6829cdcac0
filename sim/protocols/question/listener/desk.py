"""What all handlers of one listener share."""

from __future__ import annotations

from sim.core.actor import Actor
from sim.protocols.question.listener.bot import Bot
from sim.protocols.question.listener.closing import Closing
from sim.protocols.question.listener.logs import Logs
from sim.protocols.question.listener.plan import ListenerPlan
from sim.protocols.question.listener.questions import Questions
from sim.protocols.question.listener.routing import REMEMBERED, Prompts
from sim.protocols.question.store.claims import Claims
from sim.protocols.question.store.entry import PendingQuestion
from sim.protocols.question.store.pending import PendingStore
from sim.protocols.question.texts import STORE_BROKEN


class Settled:
    """The entries that this life of a listener has seen to their end, lately."""

    __slots__ = ("_names",)

    def __init__(self) -> None:
        self._names: dict[str, None] = {}

    def add(self, unique_id: str) -> None:
        """It is answered, or was closed elsewhere."""
        self._names[unique_id] = None
        if len(self._names) > REMEMBERED:
            del self._names[next(iter(self._names))]

    def __contains__(self, unique_id: str) -> bool:
        return unique_id in self._names


class Desk:
    """The ways to Telegram, OpenCode, the store and the log. ``username`` is the bot's."""

    __slots__ = (
        "actor",
        "bot",
        "claims",
        "closing",
        "logs",
        "plan",
        "prompts",
        "questions",
        "rules",
        "settled",
        "store",
        "username",
    )

    def __init__(self, actor: Actor, plan: ListenerPlan) -> None:
        self.actor = actor
        self.plan = plan
        self.rules = plan.rules
        self.logs = Logs(actor, plan.rules.log_chain, plan.rules.link_is_named)
        self.bot = Bot(actor, plan, self.logs)
        self.questions = Questions(actor, plan)
        self.store = PendingStore(actor, plan.pending, plan.rules)
        self.claims = Claims(self.store)
        self.prompts = Prompts()
        self.settled = Settled()
        self.closing = Closing()
        self.username = ""

    async def open_questions(self) -> dict[str, PendingQuestion]:
        """What the store has, and by the way who is awaited. Raises StoreTrouble."""
        found = await self.store.questions()
        self.prompts.saw(found.values())
        return found

    def is_expired(self, age_ms: int) -> bool:
        """Whether a question of that age is too old; exactly the TTL still counts (DQ-09)."""
        if not self.rules.edge_of_ttl:
            return age_ms >= self.plan.ttl_ms
        return age_ms > self.plan.ttl_ms

    async def tell_broken(self) -> None:
        """If the store's file was found broken and moved aside, say so: once (DQ-22)."""
        aside, self.store.broken[:] = tuple(self.store.broken), ()
        for path in aside:
            await self.logs.write("error", f"❌ pending store is unreadable, moved to {path}")
        if aside:
            await self.bot.message(self.plan.chat, STORE_BROKEN)
