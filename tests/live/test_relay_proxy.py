"""A proxy between a relay and its peers: twins over real sockets, and frames of strangers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import httpx
import pytest
import trio
from trio_websocket import open_websocket_url

from sim.check.checking import check_file
from sim.check.judge import Finding
from sim.check.wanted import Wanted
from sim.core.errors import UsageError
from sim.core.event import ConnectionOpened, FaultInjected, FrameLost, FrameSent
from sim.core.trace import read_trace
from sim.live.holding import Stop
from sim.live.proxy_faults import FrameWord, parse_rule
from sim.live.proxy_manner import manner_of
from sim.live.proxy_session import ProxyOpened, ProxyPlan, ProxySummary, proxy_session
from sim.live.proxy_upstream import Upstream
from sim.live.roll import PeerRoll
from sim.play import vocabularies
from sim.protocols.relay.build import make_auth, make_hello
from sim.scenario.parse import parse_scenario
from sim.wire.encode import encode_json
from tests.check.coming_back import comes_back
from tests.live.strangers import Served, events, eventually, served
from tests.live.test_relay import crew, relay

RELAY = manner_of("relay")


@attrs.define
class Between:
    """A proxy that is going on, or over."""

    opened: ProxyOpened
    told: list[Finding | str]
    summary: ProxySummary | None = None

    @property
    def http(self) -> str:
        return self.opened.url.replace("ws://", "http://")


@asynccontextmanager
async def between(session: Served, *faults: str, **options: Any) -> AsyncIterator[Between]:
    """A proxy before a served relay."""
    rules = tuple(parse_rule(text, RELAY.types, RELAY.ways) for text in faults)
    upstream = Upstream.parse(session.opened.urls["node"].partition("/?")[0])
    plan = ProxyPlan(upstream, rules=rules, protocol="relay", **options)
    box, told, stop = [], [], Stop()
    ready, done = trio.Event(), trio.Event()
    summaries = []

    def opened(where: ProxyOpened) -> None:
        box.append(where)
        ready.set()

    async def run() -> None:
        summaries.append(await proxy_session(plan, opened, told.append, stop))
        done.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        await ready.wait()
        made = Between(box[0], told)
        try:
            yield made
        finally:
            stop.now()
            with trio.move_on_after(5):
                await done.wait()
            made.summary = summaries[0] if summaries else None
            nursery.cancel_scope.cancel()


def through(proxy: Between, session: Served) -> Served:
    """The session, as those see it who take the proxy for the relay."""
    urls = {lane: f"{proxy.opened.url}/?role={lane}" for lane in session.opened.urls}
    return attrs.evolve(session, opened=attrs.evolve(session.opened, urls=urls))


async def _until(record: Path, family: str, receiver: str, count: int = 1) -> None:
    async def there() -> bool:
        sent = [one for one in events(record, FrameSent) if one.receiver == receiver]
        return sum(one.frame.get("messageType") == family for one in sent) >= count

    await eventually(there)


@pytest.mark.trio
async def test_what_passes_is_named_by_role_recorded_judged_and_can_be_drawn(
    tmp_path: Path,
) -> None:
    record = tmp_path / "proxy.jsonl"
    async with served(relay()) as session, between(session, recording=record) as proxy:
        far = through(proxy, session)
        async with crew(far, role="node"):
            await _until(record, "auth_ack", "N")
            async with crew(far, role="controller"):
                await _until(record, "result", "A", 3)
    assert proxy.told == []
    assert proxy.summary is not None
    assert proxy.summary.types[False, "hello_ack"] == 2
    links = [one.link for one in events(record, ConnectionOpened)]
    assert links == ["N.node#1", "A.controller#1"]
    report = check_file(str(record), Wanted())
    assert (report.found, report.bad) == ((), ())
    assert read_trace(record).header.outside == ("relay", "controller", "node")
    comes_back(record)


@pytest.mark.trio
async def test_tokens_in_frames_pass_and_are_shown_to_nobody(tmp_path: Path) -> None:
    record = tmp_path / "proxy.jsonl"
    async with (
        served(relay(), token="s3cr3t-word") as session,
        between(session, recording=record) as proxy,
        crew(through(proxy, session), role="node", token="node-{name}.s3cr3t-word"),
    ):
        await _until(record, "auth_ack", "N")
        async with httpx.AsyncClient() as client:
            kept = (await client.get(proxy.opened.control + "/frames")).text
    assert '"messageType":"auth"' in kept.replace("\\", "")
    assert "s3cr3t" not in kept
    assert "s3cr3t" not in record.read_text()


@pytest.mark.trio
async def test_plain_requests_are_asked_of_the_relay(tmp_path: Path) -> None:
    async with served(relay()) as session, between(session) as proxy:
        async with httpx.AsyncClient(base_url=proxy.http) as client:
            token = {"Authorization": "Bearer controller-alice"}
            nodes = await client.get("/api/nodes/connected", headers=token)
            assert (nodes.status_code, nodes.json()["nodes"]) == (200, [])
            body = {"refreshToken": "refresh-controller-bob"}
            assert "accessToken" in (await client.post("/api/auth/refresh", json=body)).json()
            assert (await client.get("/api/nodes/connected")).status_code == 401
        assert proxy.told == []


@pytest.mark.trio
async def test_a_relay_that_is_not_there_is_a_bad_gateway() -> None:
    async with served(relay()) as session:
        session.opened.urls["node"] = "ws://127.0.0.1:1/?role=node"
        async with between(session) as proxy, httpx.AsyncClient() as client:
            answer = await client.get(proxy.http + "/api/nodes/connected")
    assert answer.status_code == 502
    assert "cannot be reached" in answer.text
    assert any("GET /api/nodes/connected could not be passed on" in str(one) for one in proxy.told)


@pytest.mark.trio
async def test_faults_strike_frames_by_action_and_role(tmp_path: Path) -> None:
    record = tmp_path / "proxy.jsonl"
    async with (
        served(relay()) as session,
        between(session, "lose:R->N:command.list#1", recording=record) as proxy,
    ):
        far = through(proxy, session)
        async with crew(far, role="node"):
            await _until(record, "auth_ack", "N")
            async with crew(far, role="controller"):
                await _until(record, "command", "N")
                await eventually(lambda: _is_lost(record))
    [lost] = list(events(record, FrameLost))[:1]
    assert (lost.link, lost.type) == ("N.node#1", "command")
    struck = [one.fault for one in events(record, FaultInjected)]
    assert struck[0].startswith("lose N.node#1 R>N ")


async def _is_lost(record: Path) -> bool:
    return bool(list(events(record, FrameLost)))


DIAGRAM = """sequenceDiagram
    %% @protocol relay
    participant R as relay
    participant N as node
    N->>R: hello
    R->>N: hello_ack (requestId=R1)
    N->>R: auth
    R->>N: auth_ack
    %% @cut N rst
"""


@pytest.mark.trio
async def test_a_diagram_is_followed_and_its_faults_strike(tmp_path: Path) -> None:
    record = tmp_path / "proxy.jsonl"
    scenario = parse_scenario(DIAGRAM, "x.mmd", vocabularies())
    async with (
        served(relay()) as session,
        between(session, scenario=scenario, recording=record) as proxy,
        open_websocket_url(through(proxy, session).opened.urls["node"]) as socket,
    ):
        await socket.send_message(encode_json(make_hello(role="node", node_id="x").wire))
        await socket.get_message()
        auth = {**make_auth(access_token="node-x").wire, "senderRole": "node"}
        await socket.send_message(encode_json(auth))
        assert json.loads(await socket.get_message())["messageType"] == "auth_ack"
        await eventually(lambda: _is_struck(record))
    assert proxy.summary is not None
    assert proxy.summary.awaited == ()
    assert [one.fault for one in events(record, FaultInjected)] == ["cut N.node#1 rst"]


async def _is_struck(record: Path) -> bool:
    return bool(list(events(record, FaultInjected)))


# -- words ---------------------------------------------------------------------------------


def test_frames_of_a_relay_are_named_by_family_action_or_event() -> None:
    rule = parse_rule("lose:N->R:result#2", RELAY.types, RELAY.ways)
    assert rule.frame == FrameWord("result", "", True, 2, "node")
    assert not rule.meets("A.controller", True, "result")
    assert [rule.meets("N.node", True, "result") for _ in range(2)] == [False, True]
    assert rule.counts == {"N.node N->R": 2}
    assert parse_rule("lose:primitive.tab.open", RELAY.types, RELAY.ways).meets(
        "A.controller", True, "command", "primitive.tab.open"
    )
    held = parse_rule("hold:R->A:after=hello_ack=1s", RELAY.types, RELAY.ways)
    assert held.strike.way is False
    with pytest.raises(UsageError, match="no direction"):
        parse_rule("hold:D->S:after=hello_ack", RELAY.types, RELAY.ways)
    with pytest.raises(UsageError, match="no frame type"):
        parse_rule("lose:turn.end", RELAY.types, RELAY.ways)


def hello(**payload: Any) -> str:
    return json.dumps({"messageType": "hello", "payload": payload})


def test_nodes_keep_their_names_and_controllers_take_the_first_that_is_free() -> None:
    roll = PeerRoll()
    first = roll.name("/?role=node", hello(role="node", nodeId="laptop"))
    other = roll.name("/", hello(role="node", nodeId="desk"))
    again = roll.name("/", hello(role="node", nodeId="laptop"))
    assert [one.link for one in (first, other, again)] == ["N.node#1", "N2.node#1", "N.node#2"]
    alice, bob = roll.name("/", hello(role="controller")), roll.name("/?role=controller", None)
    assert [one.link for one in (alice, bob)] == ["A.controller#1", "A2.controller#1"]
    roll.left(alice)
    assert roll.name("/", "nonsense").link == "A.controller#2"
    assert roll.stranger("/?role=node").client == "N0"


def test_a_peer_that_says_another_role_than_its_url_is_what_it_says() -> None:
    assert PeerRoll().name("/?role=node", hello(role="controller")).lane == "controller"


def test_nobody_stands_between_hosts_of_a_protocol_that_is_not_known() -> None:
    with pytest.raises(UsageError, match="only hook, relay"):
        manner_of("morse")
