"""What could be done to a served question world at this moment, as commands of its control API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from sim.live.question_house import QuestionHouse

REQUESTS: Final = {
    "opencode": ("GET /question", "POST /question/*/reply", "*"),
    "telegram": ("sendMessage", "getUpdates", "answerCallbackQuery", "*"),
}
OUTCOMES: Final = ("lost", "broken", "reset", "503", "3000000us")
MOST_BUTTONS: Final = 12


class Offer(msgspec.Struct):
    """A command that makes sense now: ``POST path`` with this body. ``about``: whose it is."""

    group: str
    about: str
    label: str
    path: str
    body: dict[str, Any]


def offers_of(house: QuestionHouse) -> list[Offer]:
    """Agents ask, the desk answers, people press; then what may befall requests."""
    return [*_agents(house), *_desk(house), *_people(house), *_network(house)]


def _agents(house: QuestionHouse) -> Iterator[Offer]:
    host = house.cast.opencode
    for session in ("ses_demo", "ses_other"):
        body = {"session": session}
        yield Offer("agent", host, f"an agent of {session} asks", "/ask", body)
    two = {"more": [{"question": "And when?", "header": "When", "options": [{"label": "now"}]}]}
    yield Offer("agent", host, "an agent asks two questions at once", "/ask", two)
    yield Offer("agent", host, "an agent runs another tool", "/tool", {"tool": "bash"})


def _desk(house: QuestionHouse) -> Iterator[Offer]:
    host = house.cast.opencode
    for link in house.stage.ledger.links:
        if link.state != "WORKING":
            continue
        for option in link.options:
            body: dict[str, Any] = {"request": link.request, "answers": [[option]]}
            yield Offer("desk", host, f"answers {option} to {link.request}", "/answer", body)
        for verb in ("dismiss", "abort"):
            about = {"request": link.request}
            yield Offer("desk", host, f"{verb} {link.request}", f"/{verb}", about)


def _people(house: QuestionHouse) -> Iterator[Offer]:
    shown = [
        (message.id, button.label)
        for message in reversed(house.stage.history.messages.values())
        if not message.deleted
        for button in message.buttons
    ]
    prompts = [one for one in house.stage.history.messages.values() if one.forces_reply]
    for person in house.cast.persons:
        who = {"person": person}
        for message, label in shown[:MOST_BUTTONS]:
            body = {**who, "message": message, "button": label}
            yield Offer("person", person, f"presses {label} on {message}", "/press", body)
        yield Offer("person", person, "says hello", "/message", {**who, "text": "hello"})
        if prompts:
            body = {**who, "message": prompts[-1].id, "text": "my own answer"}
            yield Offer("person", person, f"replies to {prompts[-1].id}", "/reply", body)


def _network(house: QuestionHouse) -> Iterator[Offer]:
    cast = house.cast
    for kind, to in (("opencode", cast.opencode), ("telegram", cast.telegram)):
        callers = (*cast.listeners, cast.hook) if kind == "telegram" else cast.listeners
        for request in REQUESTS[kind]:
            for caller in callers:
                for outcome in OUTCOMES:
                    body = {"to": to, "request": request, "outcome": outcome, "caller": caller}
                    label = f"the next {request} of {caller}: {outcome}"
                    yield Offer("http", to, label, "/http", body)
