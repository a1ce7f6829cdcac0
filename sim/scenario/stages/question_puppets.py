"""Puppets of the question protocol: they ask and answer what the diagram says, literally.

A puppet of a hook or a listener asks, over HTTP; one of OpenCode, Telegram or a hook answers.
What nobody has answered yet waits for the answer's arrow; an answer that comes too early
waits for its request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import attrs

from sim.core.actor import Port
from sim.core.http import REFUSED, RESET, HttpRequest, HttpResponse, Unreached
from sim.core.op import NO_ANSWER, Call, Frame, Wait, Wake
from sim.protocols.question import words
from sim.protocols.question.before import BeforeTool, HookReturned
from sim.protocols.question.says import of_request
from sim.protocols.question.telegram.plan import CHAT, TOKEN
from sim.scenario.playing.ear import Spoken
from sim.scenario.playing.match import Names, set_path
from sim.scenario.playing.puppet import Puppet, PuppetAct
from sim.scenario.stages.question_ledger import Ledger, new_id
from sim.scenario.syntax import FrameText, Name

PATIENCE_US: Final = 3_600_000_000
READ_METHODS: Final = ("getMe", "getUpdates")
"""Methods of the Bot API that are called with GET."""


class PuppetAsks(PuppetAct, frozen=True, gc=False, tag="puppet-asks"):
    """Ask that host this."""

    peer: str
    request: Any


class PuppetAnswers(PuppetAct, frozen=True, gc=False, tag="puppet-answers"):
    """Answer the oldest request of that host that waits, or its next one; ``to``: that
    one (``sendMessage 2``: the second that is called so; ``GET /question 1``)."""

    peer: str
    reply: Any
    to: str = ""


class _NoManners:
    """There are no connections, so there is nothing that a puppet does by itself."""

    def greeting(self, puppet: Puppet) -> Iterable[Frame]:
        return ()

    def answers(self, puppet: Puppet, frame: Frame) -> Iterable[Frame]:
        return ()

    def greeted(self, frame: Frame) -> bool:
        return True

    def told(self, puppet: Puppet, act: Any) -> None:
        raise LookupError(f"{puppet.port.name} is a puppet and cannot {act!r}")


class QuestionPuppet(Puppet):
    """``waiting``: requests without an answer (which, and its key), ``early``: answers without
    a request (to which, and the answer); by host."""

    __slots__ = ("_counts", "early", "waiting")

    def __init__(self, port: Port) -> None:
        super().__init__(port, _NoManners(), frozenset())
        self.waiting: dict[str, list[tuple[str, str]]] = {}
        self.early: dict[str, list[tuple[str, Any]]] = {}
        self._counts: dict[tuple[str, str], int] = {}

    async def on_act(self, act: Any) -> None:
        if isinstance(act, PuppetAsks):
            await self.perform(Call(act.peer, act.request))
        elif isinstance(act, PuppetAnswers):
            waiting = self.waiting.get(act.peer, [])
            found = next((one for one in waiting if act.to in ("", one[0])), None)
            if found is None:
                self.early.setdefault(act.peer, []).append((act.to, act.reply))
            else:
                waiting.remove(found)
                await self.perform(Wake(found[1], act.reply))
        else:
            self.manners.told(self, act)

    async def on_call(self, caller: str, request: Any) -> Any:
        said = of_request(request)
        name = "" if said is None else said[0]
        self._counts[caller, name] = nth = self._counts.get((caller, name), 0) + 1
        name = f"{name} {nth}"
        early = self.early.get(caller, [])
        found = next((one for one in early if one[0] in ("", name)), None)
        if found is not None:
            early.remove(found)
            return found[1]
        key = f"{caller} {name}"
        self.waiting.setdefault(caller, []).append((name, key))
        return await self.perform(Wait(key, PATIENCE_US))


@attrs.define
class Composer:
    """What an arrow out of a puppet says, completed with what its twin would say."""

    names: Names
    ledger: Ledger
    directory: str
    made: int = 0

    def compose(self, text: FrameText) -> Spoken:
        """The saying; its ``source`` is the request or the answer itself."""
        said = self._said(text)
        if text.type == words.RETURNED:
            source: Any = HookReturned(str(said.get("threw", "")))
        elif text.type in words.ANSWERS:
            source = _answer(text.type, said)
        else:
            source = self._request(words.SAME.get(text.type, text.type), said)
        return Spoken(text.type, said, source)

    def _said(self, text: FrameText) -> Mapping[str, Any]:
        said: Any = {}
        for item in text.items:
            value = item.value
            if item.op == "present":
                continue
            if isinstance(value, Name):
                value = self._real(item.path, value.text)
            said = set_path(said, item.fields[0] if item.op == "enum" else item.path, value)
        found: Mapping[str, Any] = said
        return found

    def _real(self, path: str, name: str) -> Any:
        real = self.names.get(name)
        if real is None:
            self.made += 1
            is_number = path.endswith(("message_id", "update_id"))
            real = self.made if is_number else new_id(path, name)
            self.names.bind({name: real})
        return real

    def _request(self, name: str, said: Mapping[str, Any]) -> Any:
        if name == words.BEFORE:
            return BeforeTool(
                str(said.get("tool", words.CALL)),
                str(said.get("sessionID", "ses_1")),
                str(said.get("callID", "call_1")),
                said.get("args", _usual_args(said)),
                str(said.get("directory", self.directory)),
            )
        if name in words.METHODS:
            return _of_bot(name, said)
        method, _, path = name.partition(" ")
        newest = self.ledger.links[-1].request if self.ledger.links else ""
        path = path.replace("{requestID}", str(said.get("requestID", said.get("id", newest))))
        query = (("directory", str(said.get("directory", self.directory))),)
        body = {"answers": said.get("answers", [["A"]])} if name == words.REPLY else None
        return HttpRequest(method, path, query, body)


def _usual_args(said: Mapping[str, Any]) -> Any:
    labels = said.get("options", ["A", "B"])
    options = [{"label": label, "description": ""} for label in labels]
    text, header = said.get("question", "Deploy now?"), said.get("header", "Pick")
    return {"questions": [{"question": text, "header": header, "options": options}]}


def _of_bot(name: str, said: Mapping[str, Any]) -> HttpRequest:
    shown = {key: value for key, value in said.items() if key not in ("buttons", "data")}
    if shown.pop("force_reply", False):
        shown["reply_markup"] = {"force_reply": True}
    if name in READ_METHODS:
        query = tuple((key, str(value)) for key, value in shown.items())
        return HttpRequest("GET", f"/bot{TOKEN}/{name}", query)
    usual: dict[str, Any] = {}
    if "chat_id" in words.METHODS[name]:
        usual["chat_id"] = CHAT
    if "text" in words.METHODS[name]:
        usual["text"] = "text"
    labels = said.get("buttons")
    if isinstance(labels, list):
        data = said.get("data")
        codes = data if isinstance(data, list) else labels
        keys = zip(labels, codes, strict=False)
        rows = [[{"text": str(label), "callback_data": str(code)}] for label, code in keys]
        usual["reply_markup"] = {"inline_keyboard": rows}
    return HttpRequest("POST", f"/bot{TOKEN}/{name}", (), {**usual, **shown})


def _answer(name: str, said: Mapping[str, Any]) -> Any:
    special: Mapping[str, Callable[[], Any]] = {
        REFUSED: lambda: Unreached(REFUSED),
        RESET: lambda: Unreached(RESET),
        words.NO_ANSWER: lambda: NO_ANSWER,
    }
    if name in special:
        return special[name]()
    rest = {key: value for key, value in said.items() if key != "status"}
    body = rest.get("body", rest.get("items", rest or None))
    return HttpResponse(int(name), body)
