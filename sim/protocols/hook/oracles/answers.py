"""Questions of desktops and their answers: one each, paired by ``replyTo``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sim.core.event import Event, FrameDelivered, FrameSent
from sim.core.invariant import Handler
from sim.protocols.hook.constants import HOOK_FEATURE_SLACK_TOOLS
from sim.protocols.hook.oracles.gates import FROM_DESKTOP
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_records import LinkView

PATIENCE_US = 40 * SECOND_US  # a tool may wait for its channel


@attrs.define(eq=False)
class Question:
    """Who asked, when, and whether it was answered."""

    link: str
    at: int
    body: Any
    epoch: int
    answered: bool = False


class AnswersArePaired(HookInvariant):
    """For the questions of one book; see the classes below."""

    obeyed_by = "server"
    asks: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self.questions: dict[str, Question] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            **{(FrameDelivered, kind): self._asked for kind in self.asks},
            **{(FrameSent, kind): self._answered for kind in self.answers},
        }

    def _asked(self, event: FrameDelivered) -> str | None:
        link = self.view.links.get(event.link)
        body = self.view.arrived
        if link is None or body is None or event.receiver != link.server:
            return None
        epoch = self.view.hosts[link.server].epoch if link.server in self.view.hosts else 0
        if body.request_id not in self.questions:
            self.questions[body.request_id] = Question(event.link, event.at, body, epoch)
        return None

    def _answered(self, event: FrameSent) -> str | None:
        body = self.view.said
        if body is None or body.reply_to is None:
            return None
        self.exercised += 1
        question = self.questions.get(body.reply_to)
        if question is None:
            return f"{event.sender} answers {body.reply_to!r}, which nobody asked"
        if question.link != event.link:
            return f"{event.sender} answers {body.reply_to} on {event.link}, not where it was asked"
        question.answered = True
        return self.judge(question.body, body, event)

    def judge(self, question: Any, answer: Any, event: FrameSent) -> str | None:
        """What is wrong with this answer to this question."""
        return None

    def must_answer(self, link: LinkView, question: Any, kind: str) -> bool:
        """Whether the server has to answer such a question on this connection."""
        needs = FROM_DESKTOP.get(kind, ())
        neutral = link.lane in ("telegram", "x")
        if kind.startswith("provider."):
            fits = neutral and question.provider == link.lane
            return fits and link.has(*needs) and f"provider:{link.lane}" in link.features
        return not neutral

    def at_end(self) -> Iterator[str]:
        view = self.view
        for name, question in self.questions.items():
            link = view.links.get(question.link)
            if question.answered or link is None or not link.server_open or not link.client_open:
                continue
            if not 0 <= link.welcomed_us <= question.at or view.now - question.at < PATIENCE_US:
                continue
            if view.hosts[link.server].epoch != question.epoch or link.greeted is not link.hello:
                continue
            if self.must_answer(link, question.body, question.body.TYPE):
                yield f"{question.body.TYPE} {name} on {link.name} was never answered"


class PrefsAreAnswered(AnswersArePaired):
    name = "prefs-are-answered"
    sentence = "prefs.get and prefs.set are answered by prefs.state, and each replyTo is theirs."
    from_frames = True
    catalogue = ("HK-145", "HK-148")
    asks = ("prefs.get", "prefs.set")
    answers = ("prefs.state",)


class ProviderPrefsAreAnswered(AnswersArePaired):
    name = "provider-prefs-are-answered"
    sentence = "provider.prefs.* is answered by a state of the domain that was asked about."
    from_frames = True
    catalogue = ("HK-119", "HK-121")
    asks = ("provider.prefs.get", "provider.prefs.set")
    answers = ("provider.prefs.state",)

    def judge(self, question: Any, answer: Any, event: FrameSent) -> str | None:
        asked = (question.provider, question.binding_id, question.scope_id)
        told = (answer.provider, answer.binding_id, answer.scope_id)
        if asked == told:
            return None
        return f"{event.sender} answers a question about {asked} with the settings of {told}"


class BehaviorIsAnswered(AnswersArePaired):
    name = "behavior-is-answered"
    sentence = "provider.behavior.* is answered by the state of the binding that it named."
    from_frames = True
    catalogue = ("HK-125", "HK-126")
    asks = ("provider.behavior.get", "provider.behavior.set")
    answers = ("provider.behavior.state",)

    def judge(self, question: Any, answer: Any, event: FrameSent) -> str | None:
        if question.binding_id == answer.binding_id:
            return None
        return f"{event.sender} answers about {answer.binding_id}, asked about another binding"


class BindingRequestsAreAnswered(AnswersArePaired):
    name = "binding-requests-are-answered"
    sentence = "provider.bind.start, cancel and revoke are answered by a snapshot with replyTo."
    from_frames = True
    catalogue = ("HK-109", "HK-110", "HK-111")
    asks = ("provider.bind.start", "provider.bind.cancel", "provider.bind.revoke")
    answers = ("provider.bind.update", "provider.bind.state")

    def must_answer(self, link: LinkView, question: Any, kind: str) -> bool:
        """A start that a newer one has overtaken may stay without an answer."""
        return super().must_answer(link, question, kind) and kind != "provider.bind.start"


class ToolsAreAnswered(AnswersArePaired):
    name = "tools-are-answered"
    sentence = (
        "Every tool.request is answered once by replyTo; a tool that the server does not know "
        "with UNKNOWN_TOOL."
    )
    from_frames = True
    catalogue = ("HK-152", "HK-153")
    asks = ("tool.request",)
    answers = ("tool.response",)
    KNOWN = ("status", "listTools", "callTool")

    def judge(self, question: Any, answer: Any, event: FrameSent) -> str | None:
        if question.tool in self.KNOWN:
            return None
        code = getattr(answer.error, "code", "")
        if code == "UNKNOWN_TOOL":
            return None
        return f"{event.sender} answers the unknown tool {question.tool} with {code or 'ok'}"

    def must_answer(self, link: LinkView, question: Any, kind: str) -> bool:
        return super().must_answer(link, question, kind) and (
            HOOK_FEATURE_SLACK_TOOLS in link.features
        )
