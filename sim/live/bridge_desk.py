"""How questions of a real OpenCode come to the bridge: a plugin posts them, or it looks itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
import trio

from sim.core.http import HttpRequest, HttpResponse
from sim.drivers.http_serving import Reply
from sim.live.bridge import Bridge
from sim.live.disk import perform
from sim.protocols.question.before import BeforeTool
from sim.protocols.question.constants import LIST_PATH, QUESTION
from sim.protocols.question.store.operations import Content, ReadFile

BEFORE_PATH: Final = "/tool.execute.before"
LOOK_S: Final = 2.0
"""How often the list of a project is looked at."""
AGAIN_S: Final = 30.0
"""When a question is offered again that the hook could not bring to the chat."""
ANSWER_S: Final = 5.0


def before_of(body: Any) -> BeforeTool | None:
    """What the plugin posts: ``{"input": {tool, sessionID, callID}, "args", "directory"}``."""
    told = body if isinstance(body, Mapping) else {}
    hooked = told.get("input")
    if not isinstance(hooked, Mapping) or not isinstance(hooked.get("tool"), str):
        return None
    return BeforeTool(
        tool=hooked["tool"],
        session=_text(hooked.get("sessionID")),
        call=_text(hooked.get("callID")),
        args=told.get("args"),
        directory=_text(told.get("directory")),
    )


def item_before(item: Any, directory: str) -> BeforeTool | None:
    """What the plugin would have said of a listed question; None for what is no question."""
    if not isinstance(item, Mapping) or not isinstance(item.get("questions"), list):
        return None
    tool = item.get("tool")
    call = _text(tool.get("callID")) if isinstance(tool, Mapping) else ""
    args = {"questions": item["questions"]}
    return BeforeTool(QUESTION, _text(item.get("sessionID")), call, args, directory)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


class Desk:
    """The bridge's side towards OpenCode."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    async def answer(self, request: HttpRequest) -> Reply:
        """What the plugin gets; whatever becomes of the question, it is told that all is well."""
        if request.path != BEFORE_PATH:
            return HttpResponse(404, {"error": f"post to {BEFORE_PATH}"})
        if request.method != "POST":
            return HttpResponse(405, {"error": "post"})
        told = before_of(request.body)
        if told is None:
            return HttpResponse(400, {"error": 'the body is {"input": {"tool": …}, …}'})
        if told.tool == QUESTION:
            await self._bridge.before(told)
        return HttpResponse(200, {"threw": None})

    # -- without a plugin ----------------------------------------------------------------

    async def watch(self, directory: str) -> None:
        """Offer each question that is listed for a project and not known, for ever."""
        known: dict[str, float] = {}
        is_there = True
        while True:
            listed = await self._listed(directory)
            if (listed is not None) != is_there:
                is_there = not is_there
                says = "answers again" if is_there else "does not answer; looking again"
                self._bridge.tell(f"OpenCode {says} (GET {LIST_PATH} for {directory})")
            if listed is not None:
                known = {id: until for id, until in known.items() if id in listed}
                for id, told in listed.items():
                    if known.get(id, 0.0) <= trio.current_time():
                        known[id] = await self._offered(told)
            await trio.sleep(LOOK_S)

    async def _listed(self, directory: str) -> dict[str, BeforeTool] | None:
        """The open questions of a project by requestID, None where nobody can tell."""
        reply: Any = None
        with trio.move_on_after(ANSWER_S):
            request = HttpRequest("GET", LIST_PATH, (("directory", directory),))
            reply = await self._bridge.opencode.ask(request)
        if not isinstance(reply, HttpResponse) or not reply.is_ok:
            return None
        found = {}
        for item in reply.body if isinstance(reply.body, list) else ():
            told = item_before(item, directory)
            if told is not None and isinstance(item.get("id"), str):
                found[item["id"]] = told
        return found

    async def _offered(self, told: BeforeTool) -> float:
        """From when on (Trio's time) the question may be offered again."""
        if not self._is_kept(told):
            await self._bridge.before(told)
        return float("inf") if self._is_kept(told) else trio.current_time() + AGAIN_S

    def _is_kept(self, told: BeforeTool) -> bool:
        """Whether the store has an entry for this call."""
        content = perform(ReadFile(self._bridge.settings.store))
        try:
            entries = msgspec.json.decode(content.text) if isinstance(content, Content) else {}
        except ValueError:
            return False
        kept = entries.values() if isinstance(entries, dict) else ()
        wanted = (QUESTION, told.session, told.call)
        return any(
            isinstance(one, dict) and (one.get("type"), one.get("sid"), one.get("callID")) == wanted
            for one in kept
        )
