"""What tales are made of: calls and answers of the Bot API, listed questions, entries."""

from __future__ import annotations

from typing import Any, Final

from sim.core.http import HttpRequest, HttpResponse
from sim.protocols.question.telegram.plan import CHAT, TOKEN
from sim.world.host import START_MS

ALICE: Final = 7001
BOB: Final = 7002
MESSAGES: Final = {"u1": 101, "u2": 102}
BUTTONS: Final = ("A", "B")


def bot(method: str, body: Any, token: str = TOKEN) -> HttpRequest:
    """A call of the Bot API."""
    return HttpRequest("POST", f"/bot{token}/{method}", (), body)


def ok(result: Any) -> HttpResponse:
    """Telegram's good answer."""
    return HttpResponse(200, {"ok": True, "result": result})


def no(status: int = 400) -> HttpResponse:
    """Telegram's bad answer."""
    return HttpResponse(status, {"ok": False, "error_code": status, "description": "no"})


def item(name: str, **other: Any) -> dict[str, Any]:
    """A listed question: that of an entry."""
    options = [{"label": one, "description": ""} for one in BUTTONS]
    return {
        "id": f"que_{name}", "sessionID": "ses_1",
        "questions": [{"question": "Deploy?", "header": "Pick", "options": options}],
        "tool": {"messageID": "msg_1", "callID": f"call_{name}"}, **other,
    }  # fmt: skip


def entry(name: str) -> dict[str, Any]:
    """An entry as hook and Telegram leave it."""
    return {
        "type": "question", "sid": "ses_1", "callID": f"call_{name}", "directory": "/proj",
        "options": [{"label": one, "value": one} for one in BUTTONS], "timestamp": START_MS,
        "chatId": CHAT, "messageId": MESSAGES.get(name, 103),
    }  # fmt: skip


def keyboard(name: str) -> list[list[dict[str, str]]]:
    """The buttons of an entry."""
    rows = [[{"text": one, "callback_data": f"qopt:{name}:{n}"}] for n, one in enumerate(BUTTONS)]
    return [*rows, [{"text": "own", "callback_data": f"qcustom:{name}"}]]
