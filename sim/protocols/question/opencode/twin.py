"""OpenCode as the world sees it: agents and the desk on one side, the API on the other."""

from __future__ import annotations

from typing import Any, Final

from sim.core.actor import Actor, Port
from sim.core.http import HttpRequest, HttpResponse
from sim.core.op import Call, Lives, Note, Sleep
from sim.protocols.question import acts
from sim.protocols.question.before import BeforeTool, HookReturned
from sim.protocols.question.constants import NO_LIMIT_US, QUESTION
from sim.protocols.question.machine import PENDING
from sim.protocols.question.opencode.api import Api
from sim.protocols.question.opencode.parts import Part, asking, questions_of
from sim.protocols.question.opencode.plan import OpenCodePlan
from sim.protocols.question.opencode.sessions import Sessions

TUI: Final = "tui"
REFUSED: Final = (
    "Error: The question tool was called with invalid arguments.\n"
    "Please rewrite the input so it satisfies the expected schema."
)


class OpenCode(Actor):
    """One OpenCode process with its plugin: ``OpenCode(port, plan)``.

    Notes: ``tool`` at each state of a call, ``hook_returned``, ``question.asked``,
    ``question.replied``, ``question.rejected`` (by http, tui or abort), ``log``.
    """

    ONE_AT_A_TIME = True

    __slots__ = ("_api", "plan", "sessions")

    def __init__(self, port: Port, plan: OpenCodePlan) -> None:
        super().__init__(port)
        self.plan = plan
        self.sessions = Sessions(self, plan)
        self._api = Api(self.sessions, plan.directory)

    async def on_call(self, caller: str, request: Any) -> HttpResponse:
        """A request over HTTP."""
        if not isinstance(request, HttpRequest):
            raise LookupError(f"{self.port.name} has no API for {request!r} from {caller}")
        return await self._api.answer(request)

    async def on_act(self, act: Any) -> None:
        """An agent calls a tool, or somebody at the desk closes a question."""
        match act:
            case acts.RunTool():
                await self._run(act)
            case acts.Ask():
                await self._run(asking(act))
            case acts.AnswerHere():
                answers = [list(row) for row in act.answers]
                await self.sessions.reply(self._request(act.request), None, answers, TUI)
            case acts.DismissHere():
                await self.sessions.reject(self._request(act.request), None, TUI)
            case acts.AbortTool():
                part = self.sessions.named(act.request)
                if part is not None:
                    await self.sessions.abort(part)
            case _:
                known = ", ".join(one.__name__ for one in acts.OPENCODE_ACTS)
                text = f"{self.port.name} is an OpenCode and cannot {act!r}; it can {known}"
                raise LookupError(text)

    def _request(self, name: str) -> str:
        """The requestId of a question that is named by it, or by its callID."""
        part = self.sessions.named(name)
        return name if part is None else part.request

    async def _run(self, act: acts.RunTool) -> None:
        """A tool runs: the hook first, for as long as it takes; then the tool itself."""
        call = act.call or (self.sessions.drawn("call") if act.names_call else "")
        directory = act.directory or self.plan.directory
        message = f"msg_{call}" if call else self.sessions.drawn("msg")
        part = Part(act.session, call, act.tool, directory, message, act.args)
        part.shows_call = act.names_call and act.shows_tool
        await self.sessions.begin(part)
        threw = await self._before(part, act.args)
        if part.state != PENDING:  # aborted meanwhile
            return
        if threw:
            await self.sessions.step(part, "hook threw", threw)
        elif act.tool != QUESTION:
            await self.sessions.finish(part)
        else:
            await self._question(part, act)

    async def _before(self, part: Part, args: Any) -> str:
        """The text of what the hook has thrown, "" for nothing."""
        if not self.plan.hook or not await self.perform(Lives(self.plan.hook, 0)):
            return ""
        told = BeforeTool(part.tool, part.session, part.call, args, part.directory)
        reply = await self.perform(Call(self.plan.hook, told, NO_LIMIT_US))
        threw = reply.threw if isinstance(reply, HookReturned) else ""
        note = {"callID": part.call, "sessionID": part.session, "threw": threw or None}
        await self.perform(Note("hook_returned", note))
        return threw

    async def _question(self, part: Part, act: acts.RunTool) -> None:
        questions = questions_of(act.args)
        if questions is None:
            await self.sessions.step(part, "bad arguments", REFUSED)
            return
        if act.listed_after_ms:
            await self.perform(Sleep(act.listed_after_ms * 1_000))
            if part.state != PENDING:
                return
        request = act.request or self.sessions.drawn("que")
        await self.sessions.ask(part, request, questions)
