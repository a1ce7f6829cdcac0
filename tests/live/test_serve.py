"""A real desktop meets the twin server: over sockets, as in a simulation."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
import trio
from trio_websocket import ConnectionClosed

from sim.core.errors import LocalProtocolError, UsageError
from sim.core.event import BadFrame, ConnectionOpened, ConnectionRefused, FrameDelivered, FrameSent
from sim.core.event import ConnectionClosed as ClosedEvent
from sim.core.trace import read_trace
from sim.live.house import Plan
from sim.live.serving import Address, Opened, serve
from sim.live.session import Running
from tests.live.strangers import (
    Served,
    events,
    eventually,
    served,
    status_of,
    stranger,
    upgrade,
)

pytestmark = pytest.mark.trio

SECRET = "s3cr3t-token-of-a-real-desktop"


async def test_a_hello_is_answered_with_a_welcome_and_recorded(tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    async with served(record=record) as session, stranger(session.slack) as desktop:
        welcome = await desktop.hello()
        assert "turn-reopen-v1" in welcome["features"]
    sent = [(e.sender, e.frame["type"]) for e in events(record, FrameSent)]
    assert sent[:2] == [("D", "hello"), ("S", "welcome")]
    assert {e.sent for e in events(record, FrameDelivered)} >= {
        e.n for e in events(record, FrameSent)
    }
    opened = events(record, ConnectionOpened)[0]
    assert (opened.link, opened.client, opened.lane) == ("D.slack#1", "D", "slack")
    assert read_trace(record).header.outside == ("desktop",)


async def test_a_message_posted_over_http_reaches_the_desktop_and_its_answer_the_channel() -> None:
    async with served(speed=10) as session, stranger(session.slack) as desktop:
        await desktop.hello()
        done = await session.post("/message", channel="slack", text="What is new?")
        assert done["status"] == 200
        task = await desktop.take()
        assert task["prompt"] == "What is new?"
        await desktop.end(task, "Nothing.")

        async def shown() -> bool:
            messages = (await session.get("/channels/slack"))["messages"]
            answers = [m for m in messages if m["role"] == "request"]
            return [(m["state"], m["text"]) for m in answers] == [("OK", "Nothing.")]

        assert await eventually(shown)
        assert (await session.get("/findings"))["count"] == 0


async def test_each_channel_has_a_path_of_its_own() -> None:
    async with served(Plan(channels=("telegram", "x"))) as session:
        assert list(session.opened.urls) == ["telegram", "x"]
        features = (
            "provider-bind-v1",
            "provider-prefs-v1",
            "session-picker-v1",
            "provider:telegram",
        )
        async with stranger(session.opened.urls["telegram"]) as desktop:
            welcome = await desktop.hello(features)
            assert "provider:telegram" in welcome["features"]
            state = await desktop.hear("provider.bind.state")
            assert state["state"] == "confirmed"
        status, told = await status_of(session.port_of("x"), upgrade("/slack"))
        assert status == 404
        assert "/telegram, /x" in told


async def test_the_token_opens_and_is_written_nowhere(tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    async with served(token=SECRET, record=record) as session:
        for token in ("", "wrong", SECRET[:-1], SECRET + "x"):
            request = upgrade("/slack", authorization=f"Bearer {token}")
            status, told = await status_of(session.port, request)
            assert status == 401
            assert SECRET not in told
        async with stranger(session.slack, token=SECRET) as desktop:
            await desktop.hello()
            await session.post("/message", channel="slack", text="Hi")
            await desktop.end(await desktop.take(), "Hi")
        told = json.dumps([await session.get(p) for p in ("/", "/events", "/hosts", "/links")])
    assert SECRET not in told
    assert SECRET not in record.read_text()
    assert SECRET not in "\n".join(session.log)
    assert [e.status for e in events(record, ConnectionRefused)] == [401] * 4


async def test_devices_become_hosts_and_connections_generations(tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    async with served(record=record) as session:
        for device in ("one", "two", "one"):
            async with stranger(session.slack, device) as desktop:
                await desktop.hello()
        async with stranger(session.slack, "two") as desktop:
            await desktop.hello()
            await session.post("/message", channel="slack", person="P2", text="For the second")
            assert (await desktop.take())["prompt"] == "For the second"
    opened = [event.link for event in events(record, ConnectionOpened)]
    assert opened == ["D.slack#1", "D2.slack#1", "D.slack#2", "D2.slack#2"]


async def test_who_says_nothing_is_somebody_only_for_as_long_as_they_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sim.live.doors.FIRST_S", 0.05)
    async with served() as session:
        async with stranger(session.slack):
            links = await eventually(lambda: session.get("/links"))
            assert links[0]["link"] == "D.slack#1"
        await eventually(lambda: _is_empty(session))
        async with stranger(session.slack) as desktop:
            await desktop.hello()
            assert (await session.get("/links"))[0]["link"] == "D.slack#2"


async def _is_empty(session: Served) -> bool:
    links: list[object] = await session.get("/links")
    return not links


async def test_a_bad_frame_is_a_finding_and_the_connection_stays(tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    async with served(record=record) as session, stranger(session.slack) as desktop:
        await desktop.hello()
        await desktop.socket.send_message("{no json")
        await desktop.socket.send_message(b"\x00\x01\x02")
        await desktop.send("task.ack", requestId=7)
        await desktop.send("welcome", serverName="me", features=[])
        await desktop.send("ping")
        assert await desktop.hear("pong") == {}
    bad = events(record, BadFrame)
    assert [e.path for e in bad] == [None, None, "task.ack.requestId"]
    assert "binary" in bad[1].error
    assert session.summary is not None
    assert session.summary.findings == 4
    assert any("not for a desktop to send" in line for line in session.log)


async def test_the_end_is_told_to_every_desktop_with_1001(tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    async with served(record=record) as session, stranger(session.slack) as desktop:
        await desktop.hello()
        session.stop.now()
        with pytest.raises(ConnectionClosed) as closed:
            await desktop.hear("the end")
        assert closed.value.reason is not None
        assert closed.value.reason.code == 1001
    assert events(record, ClosedEvent)[-1].code == 1001


@pytest.mark.parametrize("how", ["fin", "rst"])
async def test_a_cut_breaks_the_socket_and_the_desktop_may_come_again(how: str) -> None:
    async with served() as session:
        async with stranger(session.slack) as desktop:
            await desktop.hello()
            assert (await session.post("/cut", link="D.slack", how=how))["ok"]
            with pytest.raises(ConnectionClosed):
                await desktop.hear("the end")
        async with stranger(session.slack) as desktop:
            await desktop.hello()
            assert (await session.get("/links"))[0]["link"] == "D.slack#2"


async def test_a_silent_cut_swallows_everything_until_it_heals() -> None:
    async with served() as session, stranger(session.slack) as desktop:
        await desktop.hello()
        await desktop.hear("bind.state")
        await session.post("/cut", link="D.slack#1", how="silent")
        await desktop.send("ping")
        with trio.move_on_after(0.2) as waited:
            await desktop.socket.get_message()
        assert waited.cancelled_caught
        await session.post("/heal", link="D.slack#1")
        await desktop.hear("pong")


async def test_frames_still_to_come_can_be_lost_doubled_and_delayed(tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    async with served(record=record) as session, stranger(session.slack) as desktop:
        await desktop.hello()
        await desktop.hear("bind.state")
        await session.post("/lose", type="ping", sender="D")
        await session.post("/duplicate", type="pong")
        for _ in range(2):
            await desktop.send("ping")
        for _ in range(2):
            await desktop.hear("pong")
        await session.post("/delay", type="pong", by_s=0.3)
        began = trio.current_time()
        await desktop.send("ping")
        await desktop.hear("pong")
        assert trio.current_time() - began >= 0.25
        assert (await session.get("/findings"))["count"] == 0
    sent = [e.frame["type"] for e in events(record, FrameSent)]
    assert (sent.count("ping"), sent.count("pong")) == (3, 2)


async def test_a_crashed_server_answers_nobody_until_it_restarts() -> None:
    async with served() as session:
        async with stranger(session.slack) as desktop:
            await desktop.hello()
            await session.post("/crash", host="S")
            with pytest.raises(ConnectionClosed):
                await desktop.hear("the end")
        with pytest.raises(OSError, match=r"refused|attempts"):
            await trio.open_tcp_stream("127.0.0.1", session.port)
        await session.post("/restart", host="S")
        async with stranger(session.slack) as desktop:
            await desktop.hello()
            state = await desktop.hear("bind.state")
            assert [one["slackUserId"] for one in state["bindings"]] == ["P"]


async def test_who_is_on_the_way_in_when_the_server_dies_is_reset() -> None:
    async with served() as session:
        async with await trio.open_tcp_stream("127.0.0.1", session.port) as stream:
            await stream.send_all(upgrade("/slack")[:20])
            await session.get("/")  # it is being read
            await session.post("/crash", host="S")
            with pytest.raises(trio.BrokenResourceError):
                await stream.receive_some(1)
        assert (await session.post("/restart", host="S"))["ok"]
        assert (await status_of(session.port, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"))[0] == 404


async def test_a_server_that_sleeps_answers_when_it_wakes() -> None:
    async with served(speed=10) as session:
        await session.post("/sleep", host="S", for_s=5)
        began = trio.current_time()
        async with stranger(session.slack) as desktop:
            assert trio.current_time() - began >= 0.3
            await desktop.hello()


async def test_a_refusal_in_store_is_the_answer_to_the_next_dial() -> None:
    async with served() as session:
        await session.post("/refuse", host="D", lane="slack", status=503)
        assert (await status_of(session.port, upgrade("/slack")))[0] == 503
        async with stranger(session.slack) as desktop:
            await desktop.hello()


async def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    async with served() as session:
        address = Address(port=session.port)
        with pytest.raises(UsageError, match="another port"):
            await serve(Plan(), address, lambda where: None, lambda line: None)


async def test_pages_of_other_sites_control_nothing() -> None:
    async with served() as session, httpx.AsyncClient() as client:
        url = session.opened.control + "/crash"
        for headers in ({"origin": "https://evil.example"}, {"host": "evil.example"}):
            answer = await client.post(url, json={"host": "S"}, headers=headers)
            assert answer.status_code == 403
        assert (await session.get("/hosts"))[0]["up"] is True


async def test_a_twin_that_stumbles_ends_the_session_as_it_is_and_the_recording_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*arguments: object) -> None:
        raise LocalProtocolError("stumbled over a ping")

    monkeypatch.setattr("sim.protocols.hook.server.endpoint.Server._ping", stumble)
    record = tmp_path / "run.jsonl"
    plan = Plan(channels=("slack",), running=Running(record))
    box: list[Opened] = []

    async def bother() -> None:
        await eventually(lambda: _is_open(box))
        async with stranger(box[0].urls["slack"]) as desktop:
            await desktop.hello()
            await desktop.send("ping")
            await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(bother)
        with pytest.raises(LocalProtocolError, match="stumbled over a ping"):
            await serve(plan, Address(), box.append, lambda line: None)
        nursery.cancel_scope.cancel()
    assert [event.frame["type"] for event in events(record, FrameSent)][-1] == "ping"


async def _is_open(box: list[Opened]) -> bool:
    return bool(box)
