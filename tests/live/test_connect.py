"""Twin desktops meet a real server: here the twin one, over sockets in this process."""

from __future__ import annotations

import shutil
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from trio_websocket import WebSocketRequest, serve_websocket

from sim import play
from sim.core.errors import UsageError
from sim.core.event import ConnectionClosed, ConnectionRefused, FrameSent
from sim.core.trace import read_trace
from sim.live.connecting import Fleet, Party, connect, urls_of
from sim.live.holding import Stop, Summary
from sim.live.house import Plan
from sim.live.session import Running
from tests.live.strangers import Served, events, eventually, served

pytestmark = pytest.mark.trio

SPEED = 5.0


@attrs.define
class Connected:
    """A session of ``connect`` that is going on, or over."""

    stop: Stop
    log: list[str]
    done: trio.Event = attrs.Factory(trio.Event)
    summary: Summary | None = None
    party: Party | None = None


@asynccontextmanager
async def connected(plan: Fleet) -> AsyncIterator[Connected]:
    """Twin desktops until the block ends."""
    one = Connected(Stop(), [])

    async def run() -> None:
        one.summary, one.party = await connect(plan, one.log.append, one.stop)
        one.done.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        try:
            yield one
        finally:
            one.stop.now()
            with trio.move_on_after(5):
                await one.done.wait()
            nursery.cancel_scope.cancel()


def fleet(session: Served, **options: Any) -> Fleet:
    """One fast desktop on Slack, unless told otherwise."""
    urls = {"slack": session.opened.urls.get("slack", "")}
    usual: dict[str, Any] = {"urls": urls, "running": Running(speed=SPEED)}
    return Fleet(**{**usual, **options})


async def _links(session: Served, count: int) -> bool:
    return len(await session.get("/links")) == count


async def _answers(session: Served, channel: str) -> list[str]:
    messages = (await session.get(f"/channels/{channel}"))["messages"]
    return [m["text"] for m in messages if m["state"] == "OK"]


async def test_a_task_is_done_from_the_message_to_the_answer_in_two_worlds(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "connect.jsonl", tmp_path / "serve.jsonl"
    async with served(record=theirs, speed=SPEED) as session:
        plan = fleet(session, urls=session.opened.urls, running=Running(ours, SPEED))
        async with connected(plan) as desktops:
            await eventually(partial(_links, session, 3))
            for channel in ("slack", "telegram", "x"):
                await session.post("/message", channel=channel, text="What is new?")
            for channel in ("slack", "telegram", "x"):
                assert await eventually(partial(_answers, session, channel))
    assert desktops.summary is not None
    assert session.summary is not None
    assert (desktops.summary.findings, session.summary.findings) == (0, 0)
    assert desktops.party is not None
    assert desktops.party.agents is not None
    assert desktops.party.agents.tasks == 3
    progress = [e for e in events(ours, FrameSent) if e.frame["type"] == "turn.progress"]
    assert len({one.link for one in progress}) == 3
    for sender in ("S", "D"):  # each lane the same from both sides
        assert _lanes(ours, sender) == _lanes(theirs, sender)


async def test_a_task_that_comes_twice_is_counted_once() -> None:
    async with served(speed=SPEED) as session, connected(fleet(session)) as desktops:
        await eventually(partial(_links, session, 1))
        await session.post("/duplicate", type="task.dispatch")
        await session.post("/message", channel="slack", text="Once")
        assert await eventually(partial(_answers, session, "slack"))
    assert desktops.party is not None
    assert desktops.party.agents is not None
    assert desktops.party.agents.tasks == 1


def _lanes(record: Path, sender: str) -> dict[str, list[str]]:
    """What a host has said, by connection, until somebody began to leave."""
    found: dict[str, list[str]] = {}
    for event in events(record, FrameSent):
        if event.sender == sender:
            found.setdefault(event.link, []).append(event.frame["id"])
    return found


async def test_many_twin_desktops_are_all_welcomed() -> None:
    count = 25
    async with served() as session:
        plan = fleet(session, desktops=count, running=Running())
        async with connected(plan) as desktops:
            await eventually(partial(_links, session, count), 50)
            hosts = await session.get("/hosts")
            assert sum(host["kind"] == "desktop" for host in hosts) == count
    assert desktops.summary is not None
    assert desktops.summary.findings == 0


async def test_a_desktop_that_is_cut_off_comes_back_with_its_own_backoff(tmp_path: Path) -> None:
    record = tmp_path / "connect.jsonl"
    async with (
        served(speed=SPEED) as session,
        connected(fleet(session, running=Running(record, SPEED))),
    ):
        for generation in (1, 2):
            link = f"D.slack#{generation}"
            await eventually(partial(_is_linked, session, link))
            await session.post("/cut", link=link, how="rst")
        await eventually(partial(_is_linked, session, "D.slack#3"))
    cuts = [event for event in events(record, ConnectionClosed) if event.code == 1006]
    assert len({event.link for event in cuts}) == 2


async def _is_linked(session: Served, link: str) -> bool:
    return [one["link"] for one in await session.get("/links")] == [link]


async def test_the_token_is_shown_and_a_wrong_one_is_refused(tmp_path: Path) -> None:
    record = tmp_path / "connect.jsonl"
    async with served(token="right", speed=SPEED) as session:
        running = Running(record, SPEED)
        async with connected(fleet(session, token="wr0ng-token", running=running)) as bad:
            await eventually(partial(_refused, bad))
        async with connected(fleet(session, token="right")):
            await eventually(partial(_links, session, 1))
    assert 401 in [event.status for event in events(record, ConnectionRefused)]
    assert "wr0ng-token" not in record.read_text() + "\n".join(bad.log)


async def _refused(one: Connected) -> bool:
    return any("401" in line for line in one.log)


async def test_nobody_at_the_address_is_told_and_recorded(tmp_path: Path) -> None:
    record = tmp_path / "connect.jsonl"
    plan = Fleet({"slack": "ws://127.0.0.1:9/slack"}, running=Running(record, SPEED), seconds=0.4)
    async with connected(plan) as desktops:
        await desktops.done.wait()
    assert events(record, ConnectionRefused)
    assert "came to nothing" in desktops.log[0]


@pytest.mark.parametrize("name", ["typical", "attachments"])
async def test_a_scenario_is_played_by_both_sides_over_sockets(name: str, tmp_path: Path) -> None:
    scenario = play.load(name)
    record = tmp_path / "serve.jsonl"
    plan = Plan(scenario=scenario, running=Running(record, SPEED))
    async with served(plan) as session:
        slack = {lane: url for lane, url in session.opened.urls.items() if lane == "slack"}
        async with connected(fleet(session, urls=slack, scenario=scenario)) as desktops:
            await session.stop.event.wait()
            await desktops.done.wait()
    assert session.summary is not None
    assert session.summary.failures == ()
    assert session.summary.findings == 0
    assert read_trace(record).header.scenario == scenario.name


async def test_tls_is_as_safe_as_the_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
               "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
               "-keyout", str(key), "-out", str(certificate)]  # fmt: skip
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate with")
    await trio.run_process(command, capture_stderr=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    heard: list[str] = []

    async def hear(request: WebSocketRequest) -> None:
        heard.append(await (await request.accept()).get_message())

    async with trio.open_nursery() as nursery:
        start = partial(serve_websocket, hear, "127.0.0.1", 0, context)
        server = await nursery.start(start)
        plan = Fleet(
            {"slack": f"wss://localhost:{server.port}/slack"}, running=Running(speed=SPEED)
        )
        async with connected(plan) as stranger:
            await eventually(partial(_is_told, stranger, "self-signed"))
        assert not heard
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        async with connected(plan):
            await eventually(partial(_has, heard))
        nursery.cancel_scope.cancel()
    assert '"hello"' in heard[0]


async def _is_told(one: Connected, words: str) -> bool:
    return any(words in line for line in one.log)


async def _has(heard: list[str]) -> bool:
    return bool(heard)


ADDRESSES = [
    ("ws://h:1", None, {"slack": "ws://h:1/slack", "telegram": "ws://h:1/telegram", "x": "ws://h:1/x"}),
    ("wss://h/", ("x",), {"x": "wss://h/x"}),
    ("wss://h/hook/telegram", None, {"telegram": "wss://h/hook/telegram"}),
    ("ws://h/ws?v=1", ("slack",), {"slack": "ws://h/ws?v=1"}),
]  # fmt: skip


@pytest.mark.parametrize(("url", "channels", "urls"), ADDRESSES)
async def test_a_url_means_a_lane(
    url: str, channels: tuple[str, ...] | None, urls: dict[str, str]
) -> None:
    assert urls_of(url, channels) == urls


@pytest.mark.parametrize(
    "url",
    ["http://h", "ws://", "ws://h:x", "ws://u:secret@h", "h:80", "ws://h/ws", "ws://h:99999",
     "ws://[::1", "ws://u:secret@[::1", f"ws://{'a' * 64}/x", "ws://a..b/x", "ws://h h/x", "ws://h/#x"],
)  # fmt: skip
async def test_a_url_that_is_none_is_refused_without_repeating_secrets(url: str) -> None:
    with pytest.raises(UsageError) as refused:
        urls_of(url, None)
    assert "secret" not in str(refused.value)


async def test_a_name_that_only_dialling_finds_out_to_be_none_is_a_failed_dial(
    tmp_path: Path,
) -> None:
    plan = Fleet({"slack": "ws://\u0663/slack"}, seconds=0.2)
    said: list[str] = []
    _, party = await connect(plan, said.append)
    assert party.dialler.connected == 0
    assert "this is no name of a host" in said[0]
