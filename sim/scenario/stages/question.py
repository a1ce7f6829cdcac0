"""The stage of the question protocol: its hosts, its people, what shows of questions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final

from sim.channel.history import History
from sim.channel.history import ShownMessage as ChatMessage
from sim.core.invariant import Invariant
from sim.core.op import Frame
from sim.core.rule import switch_off
from sim.protocols.question.invariants import invariants_for
from sim.protocols.question.rules import QuestionRules
from sim.protocols.question.view import QuestionView
from sim.protocols.question.words import ANSWERS, BEFORE, RETURNED, WORDS
from sim.scenario.directive_nodes import Act as RecordedAct
from sim.scenario.playing.puppet import Puppet
from sim.scenario.playing.result import ShownMessage
from sim.scenario.playing.stage import Direction, NotYet, Shown, Stage
from sim.scenario.stages.question_acts import read_act
from sim.scenario.stages.question_cast import Cast
from sim.scenario.stages.question_ear import QuestionEar
from sim.scenario.stages.question_ledger import Ledger, Link
from sim.scenario.stages.question_people import People, is_button_of
from sim.scenario.stages.question_prompts import Prompter
from sim.scenario.stages.question_puppets import Composer, PuppetAnswers, PuppetAsks
from sim.scenario.stages.question_refusals import refuse_unplayable
from sim.scenario.stages.question_situation import standing
from sim.scenario.syntax import Act, Arrow, FrameText, Scenario, Statement
from sim.scenario.tree import statements_in
from sim.wire.encode import encode_json
from sim.world.world import World

MESSAGE: Final = "message "
"""In front of the id of a question whose message is meant, not its tool."""


class QuestionStage(Stage):
    """See :class:`sim.scenario.playing.stage.Stage` for the methods' meaning."""

    protocol = "question"
    wording = WORDS
    CAST: ClassVar[type[Cast]] = Cast
    SHARES_WAITS = True

    def __init__(self, scenario: Scenario, world: World, without: frozenset[str]) -> None:
        super().__init__(scenario, world, without)
        refuse_unplayable(scenario)
        self.ledger = Ledger()
        self.history = History()
        self.rules = switch_off(QuestionRules, without)
        self.cast = self.CAST(scenario, world, self.rules)
        # A record says literally (@act) what agents do: its arrows only expect.
        self.recorded = any(
            isinstance(one, RecordedAct) and one.host == self.cast.opencode
            for one in statements_in(scenario.body)
        )
        self.view = QuestionView()
        self.ear = QuestionEar(self.cast.store, self.cast.path, self.ledger)
        self.composer = Composer(self.names, self.ledger, self.cast.directory)
        self.prompter = Prompter(self.cast, self.names)
        self.people = People(self.cast, self.history, self.names, self.ledger, self.prompter)

    def build(self) -> None:
        for kind in self.view.kinds:
            self.world.watch(kind, self.view.on)
        for kind in self.history.kinds:
            self.world.watch(kind, self.history.on)
        self.cast.build()

    def start(self) -> None:
        self.cast.boot()

    def expect_delays(self, most_us: int) -> None:
        super().expect_delays(most_us)
        if self.world.helm is not None:
            self.view.late_us = self.world.helm.most_late_us

    def invariants(self) -> list[Invariant]:
        return invariants_for(self.view, self.cast.twin_kinds())

    def host_kinds(self) -> tuple[tuple[str, str], ...]:
        return self.cast.kinds()

    def prompts(
        self,
        arrow: Arrow,
        text: FrameText,
        following: Iterable[Statement],
        prompted: dict[int, None],
    ) -> list[Direction]:
        if self.recorded or text.type != BEFORE:
            return []
        return [Direction(arrow.source, self.prompter.asks(text))]

    def person_does(self, arrow: Arrow, act: Act) -> Direction | NotYet:
        return self.people.does(arrow, act)

    # -- puppets; there are no connections ---------------------------------------------

    def compose(self, sender: str, receiver: str, text: FrameText) -> Frame:
        return self.composer.compose(text)

    def puppet_ready(self, sender: str, receiver: str) -> str | None:
        return None if self.world.hosts[sender].actor is not None else f"{sender} is down"

    def puppet_sends(self, sender: str, receiver: str, frame: Frame) -> Direction:
        source = getattr(frame, "source", None)
        answers = frame.type in (*ANSWERS, RETURNED)
        act = PuppetAnswers(receiver, source) if answers else PuppetAsks(receiver, source)
        return Direction(sender, act)

    def puppet_connects(self, host: str, channel: str | None, handshake: bool) -> Direction:
        raise LookupError("there are no connections in a question run")

    def lane_names(self, host: str) -> tuple[str, ...]:
        return ()

    # -- Telegram ----------------------------------------------------------------------

    def call_fits(self, op: str | None, request: Any) -> bool:
        return False

    def event_fits(self, act: Act, request: Any) -> bool:
        return False

    def channels(self) -> tuple[str, ...]:
        telegram = self.scenario.participant(self.cast.telegram)
        return () if telegram.puppet is not None else (telegram.id,)

    def channel_fault(
        self, channel: str, op: str, outcome: str, for_us: int, always: bool
    ) -> Direction:
        return self.cast.channel_fault(op, outcome, for_us, always)

    def http_word(self, source: str, target: str, request: str) -> str:
        return self.cast.http_word(request)

    def feature(self, host: str, feature: str, on: bool) -> Direction:
        raise LookupError(f"{feature} is for the whole run")

    def read_act(self, host: str, act: Any) -> Any:
        one = self.world.hosts[host]
        return read_act(one.kind, act, isinstance(one.actor, Puppet))

    def situation_now(self) -> str:
        return standing(self.view)

    # -- what shows ----------------------------------------------------------------------

    def subject(self, real: Any, states: tuple[str, ...]) -> str:
        is_question = self.ledger.named(real) is not None and str(real) not in self.ledger.entries
        wants_message = is_question and states[0] in ("OPEN", "CLOSED")
        return f"{MESSAGE}{real}" if wants_message else str(real)

    def shown(self, real_id: Any) -> Shown | None:
        real = str(real_id)
        link = self.ledger.named(real.removeprefix(MESSAGE))
        if real.startswith(MESSAGE):
            return None if link is None else _shown(self.people.message_of(link))
        if real in self.ledger.entries:
            is_there = real in self.ledger.standing
            return Shown("OPEN" if is_there else "CLOSED", encode_json(self.ledger.entries[real]))
        if link is not None:
            message = self.people.message_of(link)
            return Shown(link.state, link.output, 1, 0 if message is None else message.edits)
        return _shown(self.history.get(self.cast.telegram, real))

    def all_shown(self) -> dict[str, Shown]:
        ids = [link.name for link in self.ledger.links]
        ids += [link.call for link in self.ledger.links]
        ids += [*ids, *(MESSAGE + one for one in ids), *self.ledger.entries]
        ids += [message.id for message in self.history.messages.values()]
        shown = {real: self.shown(real) for real in ids}
        return {real: one for real, one in shown.items() if one is not None}

    def texts(self) -> list[tuple[int, str]]:
        told = [
            (look.n, "\n".join([look.text, *(b.label for b in look.buttons)]))
            for message in self.history.messages.values()
            for look in message.versions
        ]
        return [*told, *((one.n, one.toast.text) for one in self.history.toasts)]

    def posts(self, channel: str | None, real_id: Any = None) -> int:
        return len(self._of_bot(real_id))

    def edits(self, channel: str | None, real_id: Any) -> int:
        return sum(message.edits for message in self._of_bot(real_id))

    def _of_bot(self, real_id: Any = None) -> list[ChatMessage]:
        """The bot's messages: all, or those of one question."""
        found = [one for one in self.history.messages.values() if one.by_bot]
        if real_id is None:
            return found
        link = self.ledger.named(real_id)
        return [one for one in found if self._is_about(one, link, str(real_id))]

    def _is_about(self, message: ChatMessage, link: Link | None, real: str) -> bool:
        if link is None:
            return message.id == real
        is_own = bool(link.unique_id) and any(
            is_button_of(button, link.unique_id)
            for look in message.versions
            for button in look.buttons
        )
        return is_own or message.id in link.prompts

    def messages(self) -> tuple[ShownMessage, ...]:
        return tuple(self._told(link) for link in self.ledger.links)

    def _told(self, link: Link) -> ShownMessage:
        message = self.people.message_of(link)
        return ShownMessage(
            request=link.name,
            channel=self.cast.telegram,
            state=link.state,
            text="" if message is None else message.text,
            posts=0 if message is None else 1,
            edits=0 if message is None else message.edits,
        )


def _shown(message: ChatMessage | None) -> Shown | None:
    """A message as a reader has it; None where it is gone."""
    if message is None or message.deleted:
        return None
    state = "OPEN" if message.buttons or message.forces_reply else "CLOSED"
    return Shown(state, message.visible(), 1, message.edits)
