"""The control API of ``serve``: which path does or tells what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs
import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sim.channel.history import History, ShownMessage
from sim.core.trace import encode_event
from sim.live.commands import Did, Table, table
from sim.live.control import (
    ControlError,
    Handler,
    answer,
    body_as,
    ending,
    fields_of,
    guarded,
    json_app,
    number_of,
)
from sim.live.house import House
from sim.live.lodging import Lodging
from sim.live.meaning import one_of
from sim.live.question_commands import question_table, questions_of
from sim.live.question_house import QuestionHouse
from sim.live.question_offers import offers_of
from sim.world.host import statistics

MOST_EVENTS = 1_000
CHANNELS = {
    "/channels": "the channels by name, with their lane",
    "/channels/{name}": "messages of a channel: text, state, buttons, files, edits, thread",
}
QUESTIONS = {
    "/questions": "the questions: session, call, request, options, state, output",
    "/offers": "what could be done now: path and body of each command",
}
READ = {
    "/": "what can be asked and done here",
    "/links": "connections of which some end believes that it is open",
    "/hosts": "hosts: kind, up, lives, what they wait for",
    "/events": "events behind number ?after=N (default: all that are kept), at most ?limit=N",
    "/findings": "what broke a rule so far, newest last",
}


def control_app(house: Lodging[Any], end: Callable[[], None]) -> Starlette:
    """The app for :func:`sim.live.control.serve_http`; ``end`` ends the session."""
    read = Reading(house)
    chat = _chat(house)
    routes = [
        _get("/", read.index),
        *chat,
        _get("/links", read.links),
        _get("/hosts", read.hosts),
        _get("/events", read.events, ("after", "limit")),
        _get("/findings", read.findings),
    ]
    routes += [_post(path, kind, do) for path, (kind, do) in _table(house).items()]
    return json_app([*routes, ending(end)])


def _table(house: Lodging[Any]) -> Table:
    return question_table(house) if isinstance(house, QuestionHouse) else table(house)


def _chat(house: Lodging[Any]) -> list[Route]:
    """What can be read where people write to each other."""
    if isinstance(house, QuestionHouse):
        telegram, history = house.cast.telegram, house.stage.history
        read = ChatReading({telegram: "telegram"}, history)
        asked = _get("/questions", lambda request: questions_of(house))
        offered = _get("/offers", lambda request: msgspec.to_builtins(offers_of(house)))
        return [asked, offered, *read.routes()]
    if isinstance(house, House):
        return ChatReading(house.cast.channels, house.stage.view.history).routes()
    return []


def _readable(house: Lodging[Any]) -> dict[str, str]:
    if isinstance(house, QuestionHouse):
        return {**QUESTIONS, **CHANNELS, **READ}
    return {**CHANNELS, **READ} if isinstance(house, House) else READ


def _get(path: str, tell: Callable[[Request], Any], parameters: tuple[str, ...] = ()) -> Route:
    async def handle(request: Request) -> Response:
        told = tell(request)
        return told if isinstance(told, Response) else answer(told)

    return Route(path, guarded(handle, parameters), methods=["GET"])


def _post(path: str, kind: type[Any], do: Callable[[Any], Did]) -> Route:
    async def handle(request: Request) -> Response:
        did = do(await body_as(request, kind))
        return answer({"ok": True, "event": did.event, "after": did.after})

    checked: Handler = guarded(handle)
    return Route(path, checked, methods=["POST"])


class Reading:
    """What can be asked."""

    def __init__(self, house: Lodging[Any]) -> None:
        self.house = house

    def index(self, request: Request) -> Any:
        """All routes."""
        done = {path: fields_of(kind) for path, (kind, _) in _table(self.house).items()}
        recording = self.house.recording
        return {
            "scenario": self.house.scenario.name,
            "now_s": self.house.world.now / 1_000_000,
            "events": len(self.house.tail),
            "recording": str(recording.path) if recording else None,
            "get": _readable(self.house),
            "post": {**done, "/end": []},
        }

    def links(self, request: Request) -> Any:
        """Who is connected."""
        return [
            {
                "link": link.name,
                "lane": link.lane,
                "client": link.client.host,
                "server": link.server.host,
                "client_open": link.client.is_open,
                "server_open": link.server.is_open,
                "silent": link.silent,
                "held": [end.host for end in link.ends() if end.held],
                "waiting": {end.host: len(end.flight) for end in link.ends()},
            }
            for link in self.house.world.links.values()
        ]

    def hosts(self, request: Request) -> Any:
        """Who is up."""
        return [statistics(host) for host in self.house.world.hosts.values()]

    def events(self, request: Request) -> Response:
        """What has happened, as lines of the trace in a list."""
        tail = self.house.tail
        after = number_of(request, "after", tail.first - 1, -1)
        limit = number_of(request, "limit", MOST_EVENTS, 1)
        if after + 1 < tail.first:
            recording = self.house.recording
            where = f"; older ones are in {recording.path}" if recording else ""
            raise ControlError(
                f"events before {tail.first} are not kept in memory{where}",
                status=410,
                allowed=[f"/events?after={tail.first - 1}"],
            )
        found = tail.after(after)[: min(limit, MOST_EVENTS)]
        last = found[-1].n if found else after
        body = b",".join(encode_event(event) for event in found)
        whole = b'{"after":%d,"events":[%b]}\n' % (last, body)
        return Response(whole, media_type="application/json")

    def findings(self, request: Request) -> Any:
        """What is wrong so far."""
        findings = self.house.findings
        kept = [attrs.asdict(one) for one in findings.kept]
        failures = self.house.director.findings.failures if self.house.director else []
        return {
            "count": findings.count,
            "broken": dict(findings.broken),
            "findings": kept,
            "failures": [attrs.asdict(one) for one in failures],
        }


class ChatReading:
    """What can be asked where there are channels: ``channels`` are their lanes by name."""

    def __init__(self, channels: Mapping[str, str], history: History) -> None:
        self._channels = channels
        self._history = history

    def routes(self) -> list[Route]:
        """The paths."""
        return [_get("/channels", self.channels), _get("/channels/{name}", self.channel)]

    def channels(self, request: Request) -> Any:
        """Names and lanes."""
        return dict(self._channels)

    def channel(self, request: Request) -> Any:
        """What its readers see."""
        name = one_of("channel", request.path_params["name"], self._channels)
        shown = [_message(m) for m in self._history.messages.values() if m.channel == name]
        return {"channel": name, "lane": self._channels[name], "messages": shown}


def _message(message: ShownMessage) -> dict[str, Any]:
    return {
        "id": message.id,
        "chat": message.chat,
        "thread": message.thread,
        "author": message.author,
        "by_bot": message.by_bot,
        "role": message.role,
        "about": message.about,
        "reply_to": message.reply_to,
        "reaction": message.reaction,
        "deleted": message.deleted,
        "edits": message.edits,
        "forces_reply": message.forces_reply,
        "state": message.state,
        "text": message.text,
        "buttons": msgspec.to_builtins(message.buttons),
        "files": message.files,
    }
