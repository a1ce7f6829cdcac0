"""Telegram with bots that are directed by hand: what the API says, what readers see."""

from __future__ import annotations

from typing import Any

from sim.channel.api import ChannelFault, Press, Say
from sim.channel.history import History, ShownMessage
from sim.core.actor import Actor, Port
from sim.core.event import Noted
from sim.core.http import HttpRequest, HttpResponse
from sim.core.op import Call
from sim.drivers.step import StepDriver
from sim.hosts.bot_api import bot_api_host
from sim.protocols.question.telegram import BotApiPlan, Standing
from sim.protocols.question.telegram.plan import CHAT, TOKEN
from sim.world.world import World

SECOND_US = 1_000_000
AB = [
    [{"text": "A", "callback_data": "qopt:aaaa0001:0"}],
    [{"text": "B", "callback_data": "qopt:aaaa0001:1"}],
]
KEYBOARD = {"inline_keyboard": AB}
ASKED = Standing("Deploy now?", (("A", "qopt:aaaa0001:0"), ("B", "qopt:aaaa0001:1")))


class Bot(Actor):
    """A program that calls as told."""

    __slots__ = ("answers",)

    def __init__(self, port: Port, answers: list[tuple[str, Any]]) -> None:
        super().__init__(port)
        self.answers = answers

    async def on_act(self, act: Any) -> None:
        answer = await self.perform(Call("telegram", act, 60 * SECOND_US))
        self.answers.append((self.port.name, answer))


class TelegramPlay:
    """``B`` and ``C`` are two programs; answers come with the name of who got them."""

    def __init__(self, **plan: Any) -> None:
        self.answers: list[tuple[str, Any]] = []
        self.notes: list[tuple[str, Any]] = []
        self.world = World(1)
        self.driver = StepDriver(self.world)
        self.history = History()
        for event in self.history.kinds:
            self.world.watch(event, self.history.on)
        self.world.watch(Noted, lambda e: self.notes.append((e.what, e.data)))
        self.world.add_host("telegram", "telegram", bot_api_host(BotApiPlan(**plan)))
        for name in ("B", "C"):
            self.world.add_host(name, "listener", lambda p: Bot(p, self.answers))
            self.world.latencies[name, "telegram"] = self.world.latencies["telegram", name] = (
                1_000,
                1_000,
            )
        self.world.hosts["telegram"].latency = (1_000, 1_000)
        for name in list(self.world.hosts):
            self.world.boot(name)
        self.driver.drain()

    # -- time

    def wait(self, seconds: float) -> None:
        self.driver.run(limit_us=self.world.now + int(seconds * SECOND_US))

    # -- bots

    def ask(self, method: str, who: str = "B", token: str = TOKEN, **body: Any) -> None:
        """A call sets out; its answer may take its time."""
        self.world.act(who, HttpRequest("POST", f"/bot{token}/{method}", body=body))
        self.wait(0.02)

    def call(self, method: str, who: str = "B", token: str = TOKEN, **body: Any) -> HttpResponse:
        """A call that is answered at once."""
        before = len(self.answers)
        self.ask(method, who, token, **body)
        assert len(self.answers) == before + 1, f"{method} is not answered"
        answer = self.answers[-1][1]
        assert isinstance(answer, HttpResponse)
        return answer

    def result(self, method: str, **body: Any) -> Any:
        """The result of a call that is taken."""
        answer = self.call(method, **body)
        assert answer.status == 200, answer
        assert answer.body["ok"] is True
        return answer.body["result"]

    def refused(self, method: str, **body: Any) -> tuple[int, str]:
        """Status and description of a call that is refused."""
        answer = self.call(method, **body)
        assert answer.body["ok"] is False
        assert answer.body["error_code"] == answer.status
        return answer.status, answer.body["description"]

    def poll(self, offset: int = 0, **more: Any) -> list[dict[str, Any]]:
        """What getUpdates gives at once."""
        found: list[dict[str, Any]] = self.result("getUpdates", offset=offset, **more)
        return found

    def send(self, text: str = "Deploy now?", **more: Any) -> dict[str, Any]:
        sent: dict[str, Any] = self.result("sendMessage", chat_id=CHAT, text=text, **more)
        return sent

    # -- people

    def act(self, act: Any) -> None:
        self.world.act("telegram", act)
        self.driver.drain()

    def say(self, text: str, who: str = "Alice", **more: Any) -> None:
        self.act(Say(who, text, **more))

    def press(self, button: str, message: str = "101", who: str = "Alice") -> None:
        self.act(Press(who, message, button))

    def fault(self, op: str, outcome: str, seconds: float = 0, **more: Any) -> None:
        self.act(ChannelFault(op, outcome, int(seconds * SECOND_US), **more))

    # -- what readers see

    def message(self, name: str) -> ShownMessage:
        found = self.history.get("telegram", name)
        assert found is not None
        return found

    def labels(self, name: str) -> list[str]:
        return [button.label for button in self.message(name).buttons]

    def toasts(self) -> list[tuple[str, str, str]]:
        """(person, message, line), in order."""
        toasts = [shown.toast for shown in self.history.toasts]
        return [(one.person, one.message, one.text) for one in toasts]
