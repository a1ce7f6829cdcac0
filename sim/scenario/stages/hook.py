"""The stage of the hook protocol: its hosts, its people, what its readers see."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from sim.channel.api import (
    ButtonPressed,
    EditMessage,
    MessageRemoved,
    PersonSaid,
    PostMessage,
    React,
    SignedIn,
)
from sim.core.invariant import Invariant
from sim.core.op import Frame
from sim.core.rule import switch_off
from sim.protocols.hook.invariants import invariants_for
from sim.protocols.hook.rules import HookRules
from sim.protocols.hook.view import HookView
from sim.scenario.acts import resolve_free_text
from sim.scenario.directive_nodes import Act as RecordedAct
from sim.scenario.playing.puppet import PuppetAct, is_of_puppet
from sim.scenario.playing.result import ShownMessage
from sim.scenario.playing.stage import Direction, NotYet, Shown
from sim.scenario.stages.connected import ConnectedStage
from sim.scenario.stages.hook_acts import read_act
from sim.scenario.stages.hook_cast import Cast, HookManners
from sim.scenario.stages.hook_compose import Composer
from sim.scenario.stages.hook_ledger import Ledger
from sim.scenario.stages.hook_people import People
from sim.scenario.stages.hook_prompts import Prompter
from sim.scenario.stages.hook_refusals import refuse_unplayable
from sim.scenario.stages.hook_situation import situation
from sim.scenario.stages.hook_stand_ins import stand_in_act
from sim.scenario.syntax import Act, Arrow, FrameText, Scenario, Statement
from sim.scenario.tree import statements_in
from sim.world.world import World


class HookStage(ConnectedStage):
    """See :class:`sim.scenario.playing.stage.Stage` for the methods' meaning."""

    protocol = "hook"
    DIALS = ("desktop",)
    CAST: ClassVar[type[Cast]] = Cast
    cast: Cast

    def __init__(self, scenario: Scenario, world: World, without: frozenset[str]) -> None:
        super().__init__(scenario, world, without)
        refuse_unplayable(scenario)
        # A record says literally (@act) what everybody does: its arrows only expect. What
        # puppets do says nothing of the twins beside them.
        self.recorded = any(
            isinstance(one, RecordedAct) and not is_of_puppet(one.act)
            for one in statements_in(scenario.body)
        )
        self.view = HookView()
        self.ledger = Ledger()
        self.rules = switch_off(HookRules, without)
        self.cast = self.CAST(scenario, world, self.rules)
        self.prompter = Prompter(self.ledger, self.names)
        self.people = People(self.cast, self.view, self.names, self.ledger)
        self.composer = Composer(
            self.ledger, self.names, self.cast.plan, self.cast.puppet_features()
        )

    def build(self) -> None:
        for kind in self.view.kinds:
            self.world.watch(kind, self.view.on)
        self.ledger.attach(self.world)
        self.cast.build(HookManners(self.composer))

    def invariants(self) -> list[Invariant]:
        return invariants_for(self.view, self.cast.twin_kinds())

    def prompts(
        self,
        arrow: Arrow,
        text: FrameText,
        following: Iterable[Statement],
        prompted: dict[int, None],
    ) -> list[Direction]:
        if self.recorded or self.scenario.participant(arrow.source).kind != "desktop":
            return []
        return self.prompter.prompts(arrow, text, following, prompted)

    def person_does(self, arrow: Arrow, act: Act) -> Direction | NotYet:
        return self.people.does(arrow, act)

    # -- puppets -------------------------------------------------------------------

    def understood(self, arrow: Arrow, following: Iterable[Statement]) -> Arrow:
        return resolve_free_text(arrow, following)

    def compose(self, sender: str, receiver: str, text: FrameText) -> Frame:
        return self.composer.compose(self.world.hosts[sender], text)

    def way(self, host: str, channel: str | None) -> tuple[str, str]:
        return self.cast.server, channel or self.cast.lanes()[0]

    # -- channels ------------------------------------------------------------------

    def call_fits(self, op: str | None, request: Any) -> bool:
        if op is None:
            return True
        if op == "card":
            return isinstance(request, PostMessage) and request.role == "card"
        wanted = {"post": PostMessage, "edit": EditMessage, "react": React}[op]
        return isinstance(request, wanted)

    def event_fits(self, act: Act, request: Any) -> bool:
        if act.verb == "authorize" and isinstance(request, SignedIn):
            return True  # on Telegram the deep link makes the person say something
        wanted = {"press": ButtonPressed, "delete": MessageRemoved, "decline": SignedIn}
        return isinstance(request, wanted.get(act.verb, PersonSaid))

    def channels(self) -> tuple[str, ...]:
        return tuple(self.cast.channels)

    def channel_fault(
        self, channel: str, op: str, outcome: str, for_us: int, always: bool
    ) -> Direction:
        return self.cast.channel_fault(channel, op, outcome, for_us, always)

    def feature(self, host: str, feature: str, on: bool) -> Direction:
        return self.cast.feature(host, feature, on)

    def read_act(self, host: str, act: Any) -> Any:
        made = read_act(self.world.hosts[host].kind, act)
        one = self.scenario.participant(host)
        if not isinstance(made, PuppetAct) or one.puppet is not None:
            return made
        return stand_in_act(self.ledger, host, made) if one.kind == "desktop" else None

    def situation(self, host: str, frame: Frame) -> str:
        return situation(self.view, frame)

    def lane_names(self, host: str) -> tuple[str, ...]:
        return self.cast.lanes()

    # -- what readers see ------------------------------------------------------------

    def shown(self, real_id: Any) -> Shown | None:
        if str(real_id) in self.view.cards:
            card = self.view.card_of(str(real_id))
            if card is None:
                return None
            return Shown("OPEN" if card.buttons else "CLOSED", card.visible(), 1, card.edits)
        message = self.view.message_of(str(real_id))
        if message is None or message.deleted:
            return None
        return Shown(message.state, message.visible(), 1, message.edits)

    def texts(self) -> list[tuple[int, str]]:
        return [
            (
                version.n,
                "\n".join([version.text, *(b.label for b in version.buttons), *version.files]),
            )
            for message in self.view.history.messages.values()
            for version in message.versions
        ]

    def posts(self, channel: str | None, real_id: Any = None) -> int:
        root = self.view.request(str(real_id)) if real_id is not None else None
        about = root.request if root is not None else real_id
        return sum(
            channel in (None, m.channel) and about in (None, m.about)
            for m in self._about_requests()
        )

    def all_shown(self) -> dict[str, Shown]:
        ids = (*self.view.requests, *self.view.rounds, *self.view.cards)
        shown = {real: self.shown(real) for real in ids}
        return {real: one for real, one in shown.items() if one is not None}

    def _about_requests(self) -> list[Any]:
        messages = self.view.history.messages.values()
        return [m for m in messages if m.by_bot and m.role == "request"]

    def edits(self, channel: str | None, real_id: Any) -> int:
        if real_id is not None:
            message = self.view.message_of(str(real_id))
            return message.edits if message is not None else 0
        messages = self.view.history.messages.values()
        return sum(m.edits for m in messages if m.by_bot and channel in (None, m.channel))

    def messages(self) -> tuple[ShownMessage, ...]:
        return tuple(
            ShownMessage(
                request=m.about,
                channel=m.channel,
                state=m.state,
                text=m.text,
                posts=1,
                edits=m.edits,
            )
            for m in self._about_requests()
            if not m.deleted
        )
