"""Tales of cards, lists, links and archives."""

from __future__ import annotations

from typing import Any

from sim.channel.api import Button, ButtonPressed, Done, EditMessage, PersonSaid, PostMessage
from sim.core.event import CallIssued
from sim.protocols.catalogue import Tales
from sim.protocols.hook.catalogue.tale import Tale
from sim.protocols.hook.server.stored import CardRow

TALES = Tales(Tale)
YES = {"id": "yes", "label": "Yes", "style": "default"}


def _ask(tale: Tale, **more: Any) -> None:
    """A running task has a question."""
    facts: dict[str, Any] = {
        "requestId": "R1",
        "interactionId": "A1",
        "kind": "permission",
        "buttons": [YES],
    }
    tale.desktop("interaction.request", **{**facts, **more})


@TALES.of("silence-is-no-consent", "HK-12")
def permission_by_silence(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    fact = {"did": "answered", "card": "A1", "by": "time limit", "request": "R1"}
    tale.note("D", "agent", {**fact, "button": "perm:allow" if bad else "perm:deny"})


@TALES.of("decisions-are-presses", "HK-11", "HK-141")
def decision_that_nobody_pressed(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    _ask(tale)
    tale.call(PostMessage("C1", "m0", "?", "", "card", "A1", (Button("yes", "Yes"),)))
    message = tale.view.card_of("A1")
    if not bad and message is not None:
        press = ButtonPressed("e-9", "C1", message.id, "yes", "Alice")
        tale.tell(CallIssued, caller="IM", callee="S", request=press)
    tale.server("interaction.decision", requestId="R1", interactionId="A1", buttonId="yes")


@TALES.of("cards-stand-in-their-thread", "HK-139")
def card_in_another_thread(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    _ask(tale, kind="a kind of next year")
    tale.call(PostMessage("C1", "m9" if bad else "m0", "?", "", "card", "A1"))


@TALES.of("cards-are-shown", "HK-139")
def card_of_a_new_kind_is_not_drawn(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    _ask(tale, kind="a kind of next year")
    if not bad:
        tale.call(PostMessage("C1", "m0", "?", "", "card", "A1"))


@TALES.of("buttons-fit", "HK-140")
def bar_in_a_buttons_id(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    _ask(tale, buttons=[{**YES, "id": "a|b" if bad else "ab"}])


@TALES.of("a-card-is-answered-once", "HK-142", "HK-47")
def button_that_was_not_offered(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    _ask(tale)
    fact = {"did": "answered", "card": "A1", "by": "channel", "request": "R1"}
    tale.note("D", "agent", {**fact, "button": "yes"})
    if bad:
        tale.note("D", "agent", {**fact, "button": "no"})


@TALES.of("cards-are-taken-back", "HK-143")
def end_behind_an_open_card(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    _ask(tale)
    if not bad:
        tale.desktop("interaction.cancel", requestId="R1", interactionId="A1")
    tale.end()


@TALES.of("answers-echo-their-question", "HK-103")
def answer_under_another_id(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.server("query.request", queryId="Q1", kind="sessions")
    tale.desktop("query.response", queryId="Q2" if bad else "Q1")


@TALES.of("answers-echo-their-question", "HK-103")
def answer_of_another_kind(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.server("query.request", queryId="Q1", kind="models" if bad else "sessions")
    tale.desktop("query.response", queryId="Q1")


@TALES.of("queries-are-new", "HK-104")
def two_questions_with_one_id(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.server("query.request", queryId="Q1")
    tale.server("query.request", queryId="Q1" if bad else "Q2")


@TALES.of("lists-are-live", "HK-105")
def list_from_the_time_of_the_hello(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.save("D", "workspaces", ("chat", "docs"))
    listed = ["chat", "web"] if bad else ["chat", "docs"]
    tale.desktop("query.response", queryId="Q1", kind="workspaces", workspaces=listed)


@TALES.of("paths-stay-at-home", "HK-107")
def path_in_a_list_of_sessions(tale: Tale, bad: bool) -> None:
    tale.connect()
    folder = "/disk/alice" if bad else "web"
    tale.desktop("query.response", queryId="Q1", kind="workspaces", workspaces=["chat", folder])


@TALES.of("links-are-the-providers", "HK-123")
def link_to_somewhere_else(tale: Tale, bad: bool) -> None:
    tale.connect(lane="telegram")
    host = "t.me.example" if bad else "t.me"
    tale.note("D", "link", {"lane": "telegram", "opened": f"https://{host}/somebot?start=abc"})


@TALES.of("authors-are-telegrams", "HK-136")
def id_of_an_author_elsewhere(tale: Tale, bad: bool) -> None:
    tale.connect(lane="x")
    tale.server("group.message", provider="x" if bad else "telegram")


@TALES.of("archives-take-one-session", "HK-138")
def archive_of_another_session(tale: Tale, bad: bool) -> None:
    tale.connect()
    arrived = tale.server("session.archive", externalKey="slack:C1")
    tale.erase("D", "session/a/slack:C2" if bad else "session/a/slack:C1", cause=arrived)


def _card(tale: Tale, state: str) -> None:
    """The card is drawn, and this is what the server has stored of it."""
    buttons = (Button("yes", "Yes"),)
    tale.call(PostMessage("C1", "m0", "?", "", "card", "A1", buttons), Done("m-A1"))
    row = CardRow("A1", "R1", "?", buttons, state, "m-A1", "", "", True)
    tale.save("S", "card/A1", row)


@TALES.of("no-decision-on-a-closed-card", "HK-47", "HK-144")
def decision_on_a_card_that_was_taken_back(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    _ask(tale)
    _card(tale, "CLOSED" if bad else "OPEN")
    tale.server("interaction.decision", requestId="R1", interactionId="A1", buttonId="yes")


@TALES.of("dead-cards-have-no-buttons", "HK-144")
def card_that_keeps_its_buttons(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    _ask(tale)
    _card(tale, "OPEN")
    tale.desktop("interaction.cancel", requestId="R1", interactionId="A1", reason="timed out")
    if not bad:
        tale.call(EditMessage("m-A1", "? timed out"))


@TALES.of("new-archives-the-session", "HK-137")
def archive_that_nobody_wanted(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    if not bad:
        said = PersonSaid("e-9", "C1", "m0", "m9", "Alice", "/new", True)
        tale.tell(CallIssued, caller="IM", callee="S", request=said)
    tale.server("session.archive", externalKey="slack:C1")
