"""A running proxy is asked and told over HTTP, and by single keys."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from sim.drivers.websocket_peer import Ended
from sim.live import proxy_link
from sim.live.proxy_control import Control
from sim.live.proxy_keys import HELP, Keys
from tests.live.proxying import HELLO, Bench, bench, frame, hear, run


@pytest.fixture(autouse=True)
def _short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_link, "CLOSING_S", 0.05)


class Asker:
    """Somebody with curl."""

    def __init__(self, b: Bench) -> None:
        app = Control(b.proxy, b.director).app()
        transport = httpx.ASGITransport(app=app)
        self._client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")

    async def get(self, path: str) -> Any:
        return (await self._client.get(path)).json()

    async def post(self, path: str, **body: object) -> Any:
        return (await self._client.post(path, json=body)).json()


def test_links_frames_and_findings_can_be_read() -> None:
    async def play() -> None:
        async with bench() as b:
            ask = Asker(b)
            assert (await ask.get("/links")) == []
            client, server = await b.pair("/x")
            for text in [HELLO, frame("task.ack")]:
                await client.send(text)
                await hear(server)
            [link] = await ask.get("/links")
            assert (link["link"], link["lane"], link["silent"]) == ("D.x#1", "x", False)
            frames = (await ask.get("/frames"))["frames"]
            assert [(f["type"], f["fate"], f["from"], f["to"]) for f in frames] == [
                ("hello", "delivered", "D", "S"), ("task.ack", "delivered", "D", "S"),
            ]  # fmt: skip
            assert frames[0]["text"] == HELLO
            later = (await ask.get(f"/frames?after={frames[0]['n']}"))["frames"]
            assert [f["type"] for f in later] == ["task.ack"]
            found = await ask.get("/findings")
            assert found["broken"]["desktop-frames-pass-the-parser"] == len(found["findings"])
            assert found["findings"][-1]["n"] == frames[1]["n"]
            assert (await ask.get(f"/findings?after={frames[1]['n']}"))["findings"] == []

    run(play)


def test_the_index_lists_all_that_can_be_asked_and_done() -> None:
    async def play() -> None:
        async with bench() as b:
            index = await Asker(b).get("/")
            assert index["post"]["/hold"] == ["link?", "way?", "sender?"]
            assert {"/links", "/frames", "/findings", "/faults"} < set(index["get"])

    run(play)


def test_a_sender_is_held_as_a_way_is_and_the_answer_says_where_to_read_on() -> None:
    async def play() -> None:
        async with bench() as b:
            ask = Asker(b)
            told = await ask.post("/cut")
            assert "a client has to connect" in told["error"]
            client, server = await b.pair()
            await client.send(HELLO)
            await hear(server)
            told = await ask.post("/hold", sender="S")
            assert (await ask.get("/links"))[0]["held"] == ["S"]
            await client.send(frame("ping"))
            await hear(server)
            [ping] = (await ask.get(f"/frames?after={told['after']}"))["frames"]
            assert ping["type"] == "ping"

    run(play)


def test_faults_strike_over_http() -> None:
    async def play() -> None:
        async with bench() as b:
            ask = Asker(b)
            client, server = await b.pair()
            await client.send(HELLO)
            await hear(server)
            assert (await ask.post("/fault", fault="lose:turn.end"))["ok"]
            assert (await ask.post("/hold", way="S->D"))["links"] == ["D.slack#1"]
            await server.send("held")
            await client.send(frame("turn.end"))
            await client.send("after it")
            assert await hear(server) == "after it"
            assert (await ask.get("/links"))[0]["waiting"]["S"] == 1
            await ask.post("/release")
            assert await hear(client) == "held"
            faults = await ask.get("/faults")
            assert faults["rules"][0]["fault"] == "lose:turn.end"
            assert faults["struck"] == {"hold": 1, "lose": 1, "release": 2}
            await ask.post("/cut", link="D", how="silent")
            await client.send("into the void")
            assert (await ask.get("/links"))[0]["silent"]
            await ask.post("/heal", link="all")
            assert await hear(server) == "into the void"
            assert (await ask.post("/cut", link="D.slack#1", how="rst"))["ok"]
            assert await hear(client) == Ended("rst")

    run(play)


@pytest.mark.parametrize(
    ("path", "body", "allowed"),
    [
        ("/fault", {"fault": "lose:turn.ends"}, "turn.end"),
        ("/fault", {}, "fault"),
        ("/cut", {"how": "hard"}, "silent"),
        ("/cut", {"how": "hard"}, "no how is called 'hard'"),
        ("/hold", {"sender": "wurst"}, "S"),
        ("/cut", {"link": "D9"}, "D.slack#1"),
        ("/hold", {"way": "up"}, "D->S"),
        ("/hold", {"ways": "up"}, "way"),
    ],
)
def test_what_cannot_be_done_over_http_names_what_could(
    path: str, body: dict[str, str], allowed: str
) -> None:
    async def play() -> None:
        async with bench() as b:
            client, server = await b.pair()
            await client.send(HELLO)
            await hear(server)
            told = await Asker(b).post(path, **body)
            assert told["ok"] is False
            assert told["allowed"]
            assert allowed in told["error"] + " ".join(told["allowed"])

    run(play)


def test_each_key_does_what_the_help_says() -> None:
    async def play() -> None:
        async with bench() as b:
            said: list[str] = []
            press = Keys(b.proxy, b.director, said.append).press
            press("c")
            assert said == ["no connection is open"]
            client, server = await b.pair()
            await client.send(HELLO)
            await hear(server)
            press("l")
            await client.send("lost")
            press("d")
            await client.send("twice")
            assert [await hear(server), await hear(server)] == ["twice", "twice"]
            press("h")
            await client.send("held")
            press("h")
            assert await hear(server) == "held"
            press("o")
            await server.send("hidden")
            press("o")
            assert await hear(client) == "hidden"
            press("s")
            assert said[-1] == "D.slack#1 (0 up, 0 down waiting)"
            press("?")
            assert said[-len(HELP) :] == list(HELP)
            press("3")
            assert b.director.rules.rules[0].strike.wait_s == 3
            press("\n")
            press("r")
            assert await hear(client) == Ended("rst")

    run(play)
