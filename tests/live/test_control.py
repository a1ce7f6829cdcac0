"""The control API: everything can be done, and what cannot is told with what could."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from sim import play
from sim.live.house import Plan
from sim.live.session import Running
from sim.play import vocabularies
from sim.scenario.parse import parse_scenario
from tests.live.strangers import Served, Stranger, eventually, served, stranger

pytestmark = pytest.mark.trio

BUTTONS = [
    {"id": "perm:allow", "label": "Allow", "style": "primary"},
    {"id": "perm:deny", "label": "Deny", "style": "danger"},
]


async def test_the_index_names_every_route_with_its_fields() -> None:
    async with served() as session:
        index = await session.get("/")
        assert index["post"]["/message"] == ["channel?", "person?", "text", "chat?", "thread?"]
        assert "/events" in index["get"]
        for path in ("/channels", "/links", "/hosts", "/events", "/findings", "/channels/x"):
            assert await session.get(path) is not None
        assert await session.get("/channels") == {
            "slack": "slack",
            "telegram": "telegram",
            "x": "x",
        }


WRONG: list[tuple[str, dict[str, Any], int, str]] = [
    ("/message", {"txt": "x"}, 400, "text"),
    ("/message", {"text": 7}, 400, "text"),
    ("/message", {"text": "x", "channel": "irc"}, 404, "telegram"),
    ("/message", {"text": "x", "person": "nobody"}, 404, "P"),
    ("/cut", {"link": "D.slack"}, 404, ""),
    ("/crash", {"host": "Z"}, 404, "S"),
    ("/restart", {"host": "S"}, 409, "/crash"),
    ("/fault", {"channel": "x", "outcome": "oops"}, 404, "429"),
    ("/fault", {"channel": "x", "outcome": "429", "op": "dance"}, 404, "edit"),
    ("/refuse", {"host": "D", "lane": "slack", "status": 200}, 400, "status: 400 to 599"),
    ("/refuse", {"host": "P", "lane": "slack", "status": 503}, 404, "D"),
    ("/lose", {"count": 0}, 400, "count: 1 to 999"),
    ("/lose", {"type": "turn.edn"}, 404, "turn.end"),
    ("/lose", {"link": "D.irc"}, 404, "D.slack"),
    ("/lose", {"sender": "wurst"}, 404, "S"),
    ("/lose", {"type": "pong", "by_s": 2}, 400, "count?"),
    ("/delay", {"type": "pong"}, 400, "by_s"),
    ("/delay", {"by_s": 0}, 400, "by_s: 0.001 to 86400"),
    ("/sleep", {"host": "S", "for_s": -1}, 400, "for_s: 0.001 to 86400"),
    ("/feature", {"feature": "wurst", "on": True}, 404, "turn-delivery-v1"),
    ("/delete", {"message": "m9"}, 404, ""),
    ("/delete", {}, 400, ""),
    ("/stop", {}, 409, ""),
    ("/press", {}, 409, ""),
    ("/authorize", {}, 409, ""),
    ("/nothing", {}, 404, "/message"),
]


@pytest.mark.parametrize(("path", "body", "status", "allowed"), WRONG)
async def test_what_cannot_be_done_is_told_with_what_could(
    path: str, body: dict[str, Any], status: int, allowed: str
) -> None:
    async with served() as session:
        told = await session.post(path, **body)
        assert (told["status"], told["ok"]) == (status, False)
        assert told["error"]
        assert not allowed or allowed in told["allowed"]


async def test_an_answer_says_where_the_events_that_follow_begin() -> None:
    async with served() as session, stranger(session.slack) as desktop:
        await desktop.hello()
        told = await session.post("/message", text="One")
        first = (await session.get(f"/events?after={told['after']}"))["events"][0]
        assert first["n"] == told["event"] == told["after"] + 1
        assert first["kind"] == "Acted"
        told = await session.post("/lose", type="ping")
        assert told["event"] is None
        assert told["after"] >= first["n"]
        told = await session.post("/feature", feature="turn-reopen-v1", on=False)
        assert told["event"] == told["after"] + 1


async def test_a_link_or_message_that_is_not_there_is_told_with_those_that_are() -> None:
    async with served() as session, stranger(session.slack) as desktop:
        await desktop.hello()
        for path in ("/cut", "/heal", "/hold", "/release"):
            told = await session.post(path, link="D.x")
            assert told["allowed"] == ["D.slack#1", "newest", "all"]
        assert (await session.post("/hold", way="up"))["allowed"] == ["D->S", "S->D"]
        for fields in ({"way": "S->D"}, {"sender": "S"}):
            assert (await session.post("/hold", **fields))["ok"]
            assert (await session.get("/links"))[0]["held"] == ["S"]
            assert (await session.post("/release", link="D", **fields))["ok"]
            assert (await session.get("/links"))[0]["held"] == []
        await session.post("/message", text="One")
        task = await desktop.take()
        told = await session.post("/delete")
        assert "P deletes what?" in told["error"]
        assert told["allowed"][0] in {
            one["id"] for one in (await session.get("/channels/slack"))["messages"]
        }
        assert task["requestId"] in (await session.post("/stop", request="wurst"))["allowed"]


async def test_what_is_no_json_is_told_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.live.control.BODY_BYTES", 1_000)
    async with served() as session, httpx.AsyncClient() as client:
        url = session.opened.control + "/message"
        for body in (b"{", b"[]", b"\xff", b"[" * 900, b'"x"'):
            answer = await client.post(url, content=body)
            assert answer.status_code == 400
            assert answer.json()["ok"] is False
        assert (await client.post(url, content=b"x" * 1_001)).status_code == 413
    async with served() as session, httpx.AsyncClient() as client:
        url = session.opened.control + "/message"
        assert (await client.get(url)).json()["allowed"] == ["POST"]
        for query in ("?after=x", "?limit=0", "?before=1", "?after=9999999999999999999"):
            assert (await client.get(session.opened.control + "/events" + query)).status_code == 400


async def test_events_come_in_pieces_and_no_piece_is_missing() -> None:
    async with served() as session, stranger(session.slack) as desktop:
        await desktop.hello()
        whole = (await session.get("/events"))["events"]
        pieces: list[Any] = []
        after = -1
        while len(pieces) < len(whole):
            piece = await session.get(f"/events?after={after}&limit=3")
            after = piece["after"]
            pieces += piece["events"]
        assert pieces[: len(whole)] == whole
        assert [event["n"] for event in pieces] == list(range(len(pieces)))


async def _asks(desktop: Stranger, task: dict[str, Any]) -> None:
    await desktop.send(
        "interaction.request", requestId=task["requestId"], externalKey=task["externalKey"],
        interactionId="card-1", kind="permission", title="May I?", body="", buttons=BUTTONS,
    )  # fmt: skip


async def test_cards_are_pressed_tasks_are_stopped_and_threads_go_on() -> None:
    async with served(speed=10) as session, stranger(session.slack) as desktop:
        await desktop.hello()
        await session.post("/message", channel="slack", text="One")
        task = await desktop.take()
        await _asks(desktop, task)

        async def has_card() -> bool:
            messages = (await session.get("/channels/slack"))["messages"]
            return any(m["role"] == "card" and m["buttons"] for m in messages)

        await eventually(has_card)
        assert (await session.post("/press", button="Nonsense"))["status"] == 409
        assert (await session.post("/press", button="Allow", card="card-1"))["ok"]
        assert (await desktop.hear("interaction.decision"))["buttonId"] == "perm:allow"
        assert (await session.post("/stop"))["ok"]
        assert (await desktop.hear("task.cancel"))["requestId"] == task["requestId"]
        await desktop.end(task, "Stopped late")
        assert (await session.post("/reply", text="Two", request=task["requestId"]))["ok"]
        again = await desktop.take()
        assert again["externalKey"] == task["externalKey"]


async def test_a_channel_fault_delays_an_answer_and_no_more() -> None:
    async with served(speed=20) as session, stranger(session.slack) as desktop:
        await desktop.hello()
        await session.post("/fault", channel="slack", outcome="5xx", op="post")
        await session.post("/message", channel="slack", text="One")
        await desktop.end(await desktop.take(), "Late, but here")
        assert await eventually(lambda: _shows(session, "Late, but here"), 10)


async def _shows(session: Served, text: str) -> bool:
    messages = (await session.get("/channels/slack"))["messages"]
    return any(text in m["text"] for m in messages)


async def test_a_scenario_with_a_real_desktop_ends_when_it_has_been_played() -> None:
    plan = Plan(scenario=play.load("typical"), running=Running(speed=10))
    async with served(plan) as session, stranger(session.slack) as desktop:
        await desktop.hello()
        task = await desktop.take()
        await desktop.send("turn.progress", requestId=task["requestId"], text="Half way")
        await _asks(desktop, task)
        await desktop.hear("interaction.decision")
        await desktop.end(task, "All of it")
        await session.stop.event.wait()
    assert session.summary is not None
    assert not session.summary.broken
    assert session.summary.failures == ()


async def test_a_desktop_that_does_not_do_what_the_diagram_says_fails_its_lines() -> None:
    plan = Plan(scenario=play.load("late-ack"), running=Running(speed=4_000))
    async with served(plan) as session, stranger(session.slack) as desktop:
        await desktop.hello()
        await session.stop.event.wait()
    assert session.summary is not None
    assert any("task.ack" in failure.expected for failure in session.summary.failures)


async def test_a_frame_that_differs_from_the_awaited_one_is_told_at_once() -> None:
    text = """sequenceDiagram
    participant slack as Slack
    participant S as hook server
    participant D as desktop
    actor P as Person
    P->>slack: "Hello"
    S->>D: task.dispatch (requestId=R1)
    D->>S: task.ack (requestId=R1, accepted)
    D->>S: turn.end (requestId=R1, ok, finalText="All of it")
"""
    scenario = parse_scenario(text, "differs", vocabularies())
    plan = Plan(scenario=scenario, running=Running())
    async with served(plan) as session, stranger(session.slack) as desktop:
        await desktop.hello()
        await desktop.end(await desktop.take(), "Half of it")
        await eventually(lambda: _is_told(session, 'finalText was "Half of it"'))
        [told] = [line for line in session.log if "still waits" in line]
        assert told.startswith("line 9 still waits for turn.end")


async def _is_told(session: Served, words: str) -> bool:
    return any(words in line for line in session.log)
