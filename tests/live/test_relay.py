"""A relay is served, and peers of it connect, over sockets in this process."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import trio
from trio_websocket import open_websocket_url

from sim.check.checking import check_file
from sim.check.wanted import Wanted
from sim.core.event import CallApplied, FaultInjected, FrameSent
from sim.live.holding import Stop, Summary
from sim.live.house import Plan
from sim.live.relay_away import Crew, connect
from sim.live.session import Running
from sim.play import vocabularies
from sim.protocols.relay.build import make_auth, make_command, make_hello, make_refresh
from sim.scenario.parse import parse_scenario
from sim.wire.encode import encode_json
from tests.check.coming_back import comes_back
from tests.live.strangers import Served, events, eventually, served

pytestmark = pytest.mark.trio

SPEED = 20.0


@asynccontextmanager
async def crew(session: Served, **options: Any) -> AsyncIterator[list[Summary]]:
    """Twin peers of the served relay until the block ends; then their summary."""
    plan = Crew(
        session.opened.urls["node"].partition("?")[0], running=Running(speed=SPEED), **options
    )
    stop, summaries = Stop(), []
    done = trio.Event()

    async def run() -> None:
        summaries.append((await connect(plan, lambda text: None, stop))[0])
        done.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        yield summaries
        stop.now()
        with trio.fail_after(10):
            await done.wait()


def relay(**options: Any) -> Plan:
    """A relay at speed; ``record`` is where."""
    record = options.pop("record", None)
    return Plan(protocol="relay", running=Running(speed=SPEED, record=record), **options)


async def _asked(session: Served, method: str, path: str, token: str = "", body: Any = None) -> Any:
    url = session.opened.urls["controller"].partition("/?")[0].replace("ws://", "http://") + path
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx.AsyncClient() as client:
        return await client.request(method, url, headers=headers, json=body)


async def _nodes(session: Served, token: str = "controller-alice") -> Any:
    response = await _asked(session, "GET", "/api/nodes/connected", token)
    return [one["nodeId"] for one in response.json().get("nodes", ())]


async def _until_nodes(session: Served, *names: str) -> None:
    async def there() -> bool:
        return sorted(await _nodes(session)) == sorted(names)

    await eventually(there)


async def test_twin_nodes_and_a_twin_controller_work_through_a_served_relay(tmp_path: Path) -> None:
    record = tmp_path / "relay.jsonl"
    async with served(relay(record=record)) as session, crew(session, role="node", count=2):
        await _until_nodes(session, "N", "N2")
        async with crew(session, role="controller") as summaries:

            async def answered() -> bool:
                sent = [one for one in events(record, FrameSent) if one.receiver == "A"]
                return sum(one.frame["messageType"] == "result" for one in sent) == 3

            await eventually(answered)
    assert summaries[0].findings == 0
    assert session.summary is not None
    assert session.summary.findings == 0
    report = check_file(str(record), Wanted())
    assert (report.found, report.bad, report.connections) == ((), (), 3)
    comes_back(record)


async def test_a_real_controller_is_answered_in_its_own_words_over_its_own_socket() -> None:
    async with served(relay()) as session, crew(session, role="node"):
        await _until_nodes(session, "N")
        async with open_websocket_url(session.opened.urls["controller"]) as socket:
            heard = []
            for frame in (
                make_hello(role="controller"),
                make_auth(access_token="controller-alice"),
            ):
                await socket.send_message(encode_json(frame.wire))
                heard.append(json.loads(await socket.get_message()))
            wire = make_command(
                target_node_id="N", action="command.list", replay_nonce="n-1", payload={}
            ).wire
            await socket.send_message(encode_json(wire))
            while heard[-1]["messageType"] != "result":
                heard.append(json.loads(await socket.get_message()))
    assert [one["messageType"] for one in heard[:2]] == ["hello_ack", "auth_ack"]
    assert heard[1]["payload"]["controllerId"] == "alice"
    assert heard[-1]["requestId"] == wire["requestId"]


async def test_http_is_answered_by_the_twin_within_the_world(tmp_path: Path) -> None:
    record = tmp_path / "relay.jsonl"
    async with served(relay(record=record)) as session:
        none = await _asked(session, "GET", "/api/nodes/connected")
        assert (none.status_code, none.json()["error"]) == (401, "missing_access_token")
        renewed = await _asked(
            session, "POST", "/api/auth/refresh", body={"refreshToken": "refresh-controller-bob"}
        )
        token = renewed.json()["accessToken"]
        assert await _nodes(session, token) == []
        put = await _asked(session, "PUT", "/api/auth/refresh")
        assert (put.status_code, put.headers["Allow"]) == (405, "POST")
        head = await _asked(session, "HEAD", "/api/nodes/connected", token)
        assert (head.status_code, head.content) == (200, b"")
        assert (await _asked(session, "GET", "/api/pairing/pending")).status_code == 404
        assert (await _asked(session, "GET", "/elsewhere")).status_code == 404
    assert len(list(events(record, CallApplied))) == 6


async def test_bodies_that_cannot_be_read_are_told_so() -> None:
    async with served(relay()) as session:
        url = session.opened.urls["controller"].partition("/?")[0].replace("ws://", "http://")
        async with httpx.AsyncClient(base_url=url) as client:
            path = "/api/auth/refresh"
            assert (await client.post(path, content=b"{")).status_code == 400
            assert (await client.post(path, content=b"x" * 70_000)).status_code == 413
            chunks = {"Transfer-Encoding": "chunked"}
            answer = await client.post(path, content=b"0", headers=chunks)
            assert answer.status_code == 411


async def test_a_secret_is_asked_for_and_stands_in_no_recording(tmp_path: Path) -> None:
    record = tmp_path / "relay.jsonl"
    async with served(relay(record=record), token="s3cr3t-word") as session:
        assert (
            await _asked(session, "GET", "/api/nodes/connected", "controller-a")
        ).status_code == 401
        async with crew(session, role="node", token="node-{name}.s3cr3t-word"):

            async def there() -> bool:
                return await _nodes(session, "controller-alice.s3cr3t-word") == ["N"]

            await eventually(there)
        body = {"refreshToken": "refresh-controller-bob.s3cr3t-word"}
        renewed = await _asked(session, "POST", "/api/auth/refresh", body=body)
        assert await _nodes(session, renewed.json()["accessToken"]) == []
        await _asked(session, "POST", "/api/auth/refresh", body={"refreshToken": "foreign-secret"})
    written = record.read_text()
    assert "s3cr3t-word" not in written
    assert "foreign-secret" not in written
    assert '"accessToken":"node-N.***' in written


async def test_a_strangers_token_is_refused_and_stands_in_no_recording(tmp_path: Path) -> None:
    record = tmp_path / "relay.jsonl"
    async with (
        served(relay(record=record)) as session,
        open_websocket_url(session.opened.urls["node"]) as socket,
    ):
        await socket.send_message(encode_json(make_hello(role="node", node_id="x").wire))
        await socket.get_message()
        auth = make_auth(access_token="eyJhbGciOi-production").wire
        await socket.send_message(encode_json({**auth, "senderRole": "node"}))
        assert json.loads(await socket.get_message())["payload"]["code"] == "invalid_access_token"
    assert "production" not in record.read_text()


async def test_networks_and_machines_misbehave_on_demand_and_channels_there_are_none(
    tmp_path: Path,
) -> None:
    record = tmp_path / "relay.jsonl"
    async with served(relay(record=record)) as session, crew(session, role="node"):
        await _until_nodes(session, "N")
        await session.post("/cut", link="N.node", how="rst")
        await _until_nodes(session, "N")  # it comes back
        index = await session.get("/")
        assert "/message" not in index["post"]
        assert "/channels" not in index["get"]
        assert (await session.post("/lose", type="result"))["ok"]
    assert [one.fault for one in events(record, FaultInjected)][:1] == ["cut N.node#1 rst"]


async def test_a_scenario_is_played_with_an_outside_node_in_the_place_of_its_own() -> None:
    scenario = parse_scenario(SILENT, "a node comes", vocabularies())
    plan = Plan(scenario=scenario, running=Running(speed=SPEED))
    async with served(plan) as session, crew(session, role="node"):

        async def over() -> bool:
            return session.summary is not None

        await eventually(over)
    assert session.summary is not None
    assert session.summary.failures == ()


async def test_what_a_program_wrote_at_once_counts_from_when_it_is_heard() -> None:
    scenario = parse_scenario(SILENT, "a node comes", vocabularies())
    plan = Plan(scenario=scenario, running=Running(speed=SPEED))
    async with (
        served(plan) as session,
        open_websocket_url(session.opened.urls["node"]) as socket,
    ):
        hello = make_hello(role="node", node_id="N")
        auth = {**make_auth(access_token="node-N").wire, "senderRole": "node"}
        for wire in (hello.wire, auth):
            await socket.send_message(encode_json(wire))

        async def over() -> bool:
            return session.summary is not None

        await eventually(over)
    assert session.summary is not None
    assert session.summary.failures == ()


SILENT = """sequenceDiagram
    participant R as relay
    participant N as node
    N->>R: hello
    R->>N: hello_ack
    N->>R: auth
    R->>N: auth_ack
"""


async def test_half_a_surrogate_pair_is_no_token_and_breaks_nobodys_connection() -> None:
    async with (
        served(relay(), token="s3cr3t-word") as session,
        open_websocket_url(session.opened.urls["node"]) as socket,
    ):
        for token in ("node-\ud800.s3cr3t-word", "node-n.\udfff", "\ud800"):
            hello = make_hello(role="node").wire
            auth = {**make_auth(access_token=token).wire, "senderRole": "node"}
            refresh = make_refresh(refresh_token=f"refresh-{token}").wire
            for wire in (hello, auth, {**refresh, "senderRole": "node"}):
                await socket.send_message(json.dumps(wire))
            codes = [json.loads(await socket.get_message())["payload"] for _ in range(3)]
            assert "invalid_access_token" in [one.get("code") for one in codes]
        assert await _nodes(session, "controller-a.s3cr3t-word") == []


async def test_a_strangers_token_in_a_frame_that_is_no_json_stands_in_no_recording(
    tmp_path: Path,
) -> None:
    record = tmp_path / "relay.jsonl"
    async with (
        served(relay(record=record)) as session,
        open_websocket_url(session.opened.urls["controller"]) as socket,
    ):
        whole = encode_json(make_auth(access_token="eyJhbGciOi-production").wire)
        for text in (whole[:-1], whole.replace("{", '{"n":NaN,', 1), f"[{whole}]"):
            await socket.send_message(text)
            await socket.get_message()
    assert "production" not in record.read_text()


async def test_a_word_of_the_protocol_is_no_secret_and_findings_keep_their_names(
    tmp_path: Path,
) -> None:
    record = tmp_path / "relay.jsonl"
    async with (
        served(relay(record=record)) as session,
        open_websocket_url(session.opened.urls["controller"]) as socket,
    ):
        hello = make_hello(role="controller").wire
        bad = {**hello, "payload": {"role": "relay"}}
        for token in ("controller", "invalid_access", "parser-takes"):
            for wire in (hello, make_auth(access_token=token).wire, bad):
                await socket.send_message(encode_json(wire))
                await socket.get_message()
        found = await session.get("/findings")
    rule = "controller-frames-pass-the-parser"
    assert found["broken"] == {rule: 3}
    assert {(one["rule"], one["side"]) for one in found["findings"]} == {(rule, "controller")}
    assert all(f": {rule} (controller): " in line for line in session.log)
    written = record.read_text()
    assert '"code":"invalid_access_token"' in written
    assert "parser-takes" not in written


async def test_a_twin_is_not_blamed_for_the_connections_that_end_with_its_session() -> None:
    async with served(relay()) as session, crew(session, role="node"):
        await _until_nodes(session, "N")
        session.stop.now()

        async def over() -> bool:
            return session.summary is not None

        await eventually(over)
    assert session.log == []
