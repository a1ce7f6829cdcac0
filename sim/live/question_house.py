"""A world with a twin OpenCode and a twin Telegram, each an HTTP server on a port of its own.

A bot's token stands in the path of what it asks. In the world all tokens are one
placeholder: the real one is recorded nowhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import unquote

import msgspec
import trio

from sim.core.event import Event, Noted
from sim.core.http import HttpRequest, HttpResponse, Unreached
from sim.core.invariant import Invariant
from sim.core.op import NoAnswer
from sim.drivers.http_asking import Endpoint
from sim.drivers.http_serving import Reply
from sim.live.calling import ask_as
from sim.live.gateway import Tell
from sim.live.house import Plan
from sim.live.http_door import HttpDoor
from sim.live.lodging import Lodging
from sim.live.outlet import Outlet
from sim.live.outsider import Outsider
from sim.live.question_sight import out_of_sight
from sim.live.question_stage import OPEN_HOUSE, OpenQuestionStage, Surroundings, stage_in
from sim.live.served import TWINS
from sim.play import vocabularies
from sim.protocols.question.acts import Ask
from sim.protocols.question.before import BeforeTool, HookReturned
from sim.protocols.question.constants import SESSION_PATH, STORE, VISITOR
from sim.protocols.question.invariants import shown_with
from sim.protocols.question.telegram.plan import TOKEN
from sim.scenario.parse import parse_scenario

PATIENCE_US: Final = 120_000_000
"""How long an outside program is kept waiting for an answer: longer than any long poll."""
HOOK_S: Final = 60.0
"""How long an outside hook may take."""
STRANGER: Final = "unknown-bot"
DEMO: Final = Ask(
    "ses_demo", "Which environment shall be deployed?", ("staging", "production"), "Deploy"
)
_BOT: Final = re.compile(r"/bot([^/]+)(/.*)?")


class QuestionHouse(Lodging[OpenQuestionStage]):
    """OpenCode and Telegram; hook and listener are outside unless asked for.

    ``token``: the only one that Telegram knows ("": every bot's is good).
    """

    OUTSIDE: tuple[str, ...] = TWINS
    ASKS_AT_THE_DOOR = False
    HAS_FRAMES = False
    COUNTED = "request"

    def __init__(self, plan: Plan, tell: Tell, token: str = "") -> None:
        self.served = wish = plan.served
        self.directory = wish.directory or _here()
        self._token = token
        scenario = plan.scenario or parse_scenario(OPEN_HOUSE, "serve", vocabularies())
        around = Surroundings(self.directory, wish.twins, bool(wish.hook_url), wish.store)
        plays = plan.scenario is not None
        self.OUTSIDE = tuple(one for one in TWINS if one not in wish.twins)
        if self.OUTSIDE:  # what a real program keeps in a file of its own is not seen here
            self.OUTSIDE += (STORE,)
        super().__init__(scenario, stage_in(around), plan.running, tell, plays=plays)
        self.cast = self.stage.cast
        self.world.add_host(VISITOR, "person", Outsider)
        self.world.watch(Noted, self._noted)
        if self.director is None and self.stage.ear is not None:
            # The ledger hears what the director hears, where there is one.
            for kind in self.stage.ear.kinds:
                self.world.watch(kind, self._heard)

    def twins(self) -> list[Invariant]:
        """Those of the twins, and what real programs show by their requests alone."""
        outside = (one for one in shown_with(self.OUTSIDE) if one.obeyed_by in self.OUTSIDE)
        return [*self.stage.invariants(), *(make(self.stage.view) for make in outside)]

    def unread(self) -> frozenset[int]:
        return frozenset(
            out_of_sight(self.scenario, self.stage.cast.outsiders(), self.stage.cast.store)
        )

    # -- nobody connects here: there are requests only ---------------------------------------

    @property
    def server(self) -> str:
        return self.cast.opencode

    @property
    def lanes(self) -> tuple[str, ...]:
        return ()

    @property
    def paths(self) -> Mapping[str, str]:
        return {}

    def outsiders(self, lane: str) -> list[str]:
        return []

    def admit(self, lane: str) -> str:
        raise LookupError("nobody connects with an HTTP server for good")

    def whose(self, first: str | None) -> str:
        return ""

    # -- where it listens ------------------------------------------------------------------

    async def open(self, host: str, nursery: trio.Nursery) -> dict[str, str]:
        """Listen; gives the base URLs by name. Raises UsageError when a port is taken."""
        where = f"[{host}]" if ":" in host else host
        servers: dict[str, tuple[str, int, Callable[[HttpRequest], Awaitable[Reply]]]] = {
            "opencode": (self.cast.opencode, self.served.opencode_port, self._ask_opencode),
            "telegram": (self.cast.telegram, self.served.telegram_port, self._ask_telegram),
        }
        urls = {}
        for name, (twin, port, ask) in servers.items():
            door = HttpDoor(self.world, twin, ask, nursery, self.tell)
            urls[name] = f"http://{where}:{await door.open(host, port)}"
        if self.served.hook_url:
            self._let_out(nursery)
        return urls

    def hints(self) -> dict[str, str]:
        """What a listener's environment needs; the rest is in the URLs."""
        chat = self.cast.telegram_plan().chat
        token = "(the one of --token)" if self._token else "any"
        return {
            "HERMES_PERMISSION_BOT_TOKEN": token,
            "HERMES_TELEGRAM_CHANNEL": chat,
            "project": self.directory,
        }

    def boot(self) -> None:
        """Start everybody; the first question is asked, or a diagram of twins alone begins."""
        super().boot()
        if self.director is None and self.served.demo:
            self.world.act(self.cast.opencode, DEMO)
        elif not self.cast.outsiders():
            self.begin()

    # -- requests from outside -------------------------------------------------------------

    async def _ask_opencode(self, request: HttpRequest) -> Reply:
        kept = tuple(one for one in request.headers if one[0] != "authorization")
        plain = msgspec.structs.replace(request, headers=kept)
        who = self.cast.hook if request.path == SESSION_PATH else self.cast.listeners[0]
        return await self._ask(who, self.cast.opencode, plain)

    async def _ask_telegram(self, request: HttpRequest) -> Reply:
        found = _BOT.fullmatch(request.path)
        if found is None:
            return HttpResponse(404, {"ok": False, "error_code": 404, "description": "Not Found"})
        token = unquote(found[1])
        if token != TOKEN:  # which stands in each path that is recorded
            self.secrets.shown(f"Bearer {token}")
        name = TOKEN if self._token in ("", token) else STRANGER
        plain = msgspec.structs.replace(request, path=f"/bot{name}{found[2] or ''}", headers=())
        who = self.cast.hook if _has_buttons(plain) else self.cast.listeners[0]
        return await self._ask(who, self.cast.telegram, plain)

    async def _ask(self, who: str, to: str, request: HttpRequest) -> Reply:
        """A call in the world, in the name of the host that would ask such a thing."""
        if who not in self.cast.outsiders():
            who = VISITOR
        else:
            self.begin()
        self.gateway.frames += 1
        answer = await ask_as(self.driver, who, to, request, PATIENCE_US)
        assert isinstance(answer, HttpResponse | Unreached | NoAnswer)
        return answer

    # -- requests to an outside hook -------------------------------------------------------

    def _let_out(self, nursery: trio.Nursery) -> None:
        endpoint = Endpoint(self.served.hook_url)
        outlet = Outlet(self.driver, partial(self._tell_hook, endpoint))
        outlet.enter(nursery)
        nursery.start_soon(endpoint.closed_at_the_end)
        self.world.outlets[self.cast.hook] = outlet.take

    async def _tell_hook(self, endpoint: Endpoint, told: BeforeTool) -> HookReturned:
        """Before a tool runs; a hook that is not there lets it run."""
        input = {"tool": told.tool, "sessionID": told.session, "callID": told.call}
        body = {"input": input, "args": told.args, "directory": told.directory}
        reply: Any = None
        with trio.move_on_after(HOOK_S):
            reply = await endpoint.ask(HttpRequest("POST", "", (), body))
        if isinstance(reply, HttpResponse) and reply.is_ok:
            threw = reply.body.get("threw") if isinstance(reply.body, Mapping) else None
            return HookReturned(str(threw) if threw else "")
        self.tell(f"the hook at {self.served.hook_url} does not answer as it should")
        return HookReturned()

    def _heard(self, event: Event) -> None:
        assert self.stage.ear is not None
        self.stage.ear.heard(event)

    def _noted(self, event: Noted) -> None:
        """What twins log."""
        if event.what == "log" and isinstance(event.data, dict):
            self.tell(str(event.data.get("text", "")))


def _here() -> str:
    """The present directory, as the shell of whoever started us calls it."""
    called, real = os.environ.get("PWD", ""), os.getcwd()
    return called if os.path.isabs(called) and os.path.realpath(called) == real else real


def _has_buttons(request: HttpRequest) -> bool:
    """Whether a call sends the message of a question: only a hook does that."""
    body = request.body if isinstance(request.body, Mapping) else dict(request.query)
    markup = body.get("reply_markup")
    if isinstance(markup, str):
        return request.path.lower().endswith("/sendmessage") and "inline_keyboard" in markup
    is_keyboard = isinstance(markup, Mapping) and "inline_keyboard" in markup
    return is_keyboard and request.path.lower().endswith("/sendmessage")
