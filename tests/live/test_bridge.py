"""The bridge between a served OpenCode and a served Telegram, over sockets and a real file."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import httpx
import pytest
import trio

from sim.cli.reading import read_scenario
from sim.core.errors import UsageError
from sim.live.bridge import Bridge
from sim.live.bridge_desk import Desk, before_of, item_before
from sim.live.bridge_settings import BridgeSettings, settings_from
from sim.live.bridging import Done, Work, work
from sim.live.holding import Stop
from sim.live.house import Plan
from sim.live.served import Served as Wanted
from sim.live.session import Running
from sim.protocols.question.before import BeforeTool
from tests.live.strangers import Served, eventually, served

pytestmark = pytest.mark.trio

TOKEN = "7:sesame-open"
CHAT = "-4200000001"


@attrs.define
class AtWork:
    """A bridge that is going on; ``log`` is what it tells, ``done`` what came of it."""

    url: str
    log: list[str]
    stop: Stop
    done: list[Done]


def settings(session: Served, store: Path, token: str = TOKEN) -> BridgeSettings:
    """Those of a bridge to this session."""
    urls = session.opened.urls
    return settings_from(
        {
            "HERMES_PERMISSION_BOT_TOKEN": token,
            "HERMES_TELEGRAM_CHANNEL": CHAT,
            "HERMES_OPENCODE_URL": urls["opencode"],
            "HERMES_TELEGRAM_URL": urls["telegram"],
            "HERMES_PENDING_STORE_PATH": str(store),
            "HERMES_BRIDGE_PORT": "0",
        }
    )


@asynccontextmanager
async def bridging(plan: Work) -> AsyncIterator[AtWork]:
    """A bridge in this process until the block ends."""
    log: list[str] = []
    done: list[Done] = []
    urls: list[str] = []
    stop = Stop()
    ended = trio.Event()
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            opened = trio.Event()

            async def run() -> None:
                def where(url: str) -> None:
                    urls.append(url)
                    opened.set()

                done.append(await work(plan, log.append, where, stop))
                ended.set()

            nursery.start_soon(run)
            await opened.wait()
            yield AtWork(urls[0], log, stop, done)
            stop.now()
            await ended.wait()


def serving(record: Path | None = None, **options: Any) -> Plan:
    return Plan(protocol="question", running=Running(record), served=Wanted(**options))


async def shown(session: Served, mark: str) -> Any:
    """The newest message of Telegram that has this, None before it is there."""
    messages = (await session.get("/channels/telegram"))["messages"]
    found = (one for one in reversed(messages) if mark in json.dumps(one, ensure_ascii=False))
    return next(found, None)


async def are_through(session: Served, count: int) -> Any:
    told = await session.get("/questions")
    return told if [one["state"] for one in told] == ["OK"] * count else None


def _kept(store: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(store.read_text())
    return found


async def _is_empty(store: Path) -> bool:
    return _kept(store) == {}


async def _shows_no_button(session: Served) -> bool:
    messages = (await session.get("/channels/telegram"))["messages"]
    return not any(one["buttons"] for one in messages)


async def somewhere() -> tuple[int, str]:
    """A port for a bridge: OpenCode has to know where it is, as it where OpenCode is."""
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]
    await listeners[0].aclose()
    return port, f"http://127.0.0.1:{port}/tool.execute.before"


async def test_the_plugin_s_questions_are_answered_by_a_button_and_by_a_text(
    tmp_path: Path,
) -> None:
    """The plugin's side is played by a served OpenCode, which posts what the plugin would."""
    store, record = tmp_path / "pending.json", tmp_path / "bridge.jsonl"
    port, hook = await somewhere()
    async with served(serving(tmp_path / "serve.jsonl", demo=False, hook_url=hook)) as session:
        wanted = attrs.evolve(settings(session, store), port=port)
        async with bridging(Work(wanted, record=record)) as bridge:
            for word in ("first", "second"):
                await session.post("/ask", question=f"the {word}?", session=f"ses_{word}")
                await eventually(partial(shown, session, f"the {word}?"))
            assert len(_kept(store)) == 2
            first = await shown(session, "the first?")
            await session.post("/press", button="custom", message=first["id"])
            prompt = await eventually(partial(shown, session, '"forces_reply": true'))
            second = await shown(session, "the second?")
            await session.post("/reply", text="neither", message=prompt["id"])
            await eventually(partial(shown, session, "已提交"))
            await session.post("/press", button="No", message=second["id"])
            told = await eventually(partial(are_through, session, 2))
            await eventually(partial(_is_empty, store))
            await eventually(partial(_shows_no_button, session))  # behind the entry's end
            assert (tmp_path / "pending.json.listener").exists()
        assert not (tmp_path / "pending.json.listener").exists()
        assert (await session.get("/findings"))["count"] == 0
    outputs = [one["output"] for one in told]
    assert ['"the first?"="neither"' in outputs[0], '"the second?"="No"' in outputs[1]] == [
        True
    ] * 2
    assert bridge.done == [Done(0, 2)]
    _is_chain(bridge.log, first["buttons"][-1]["id"], prompt["id"])
    for path in (record, tmp_path / "serve.jsonl"):
        assert "sesame" not in path.read_text()
    assert not any("sesame" in line for line in bridge.log)


def _is_chain(log: list[str], data: str, prompt: str) -> None:
    """The four lines of the document, in order, of one question."""
    unique = data.partition(":")[2]
    chain = (
        f"[PermListener] 📥 收到 callback_query: data={data}",
        f"[PermListener] 📋 getPending({unique}): type=question",
        "[PermListener] 📨 收到 message:",
        "[PermListener] ✅ question 已回传 OpenCode: requestID=que_1",
    )
    found = [next(n for n, line in enumerate(log) if line.startswith(mark)) for mark in chain]
    assert found == sorted(found)
    assert f"replyTo={prompt}" in log[found[2]]


async def test_a_scenario_is_played_with_a_real_hook_and_a_real_listener(tmp_path: Path) -> None:
    port, hook = await somewhere()
    plan = attrs.evolve(serving(hook_url=hook), scenario=read_scenario("custom-answer"))
    async with served(plan) as session:
        wanted = attrs.evolve(settings(session, tmp_path / "pending.json"), port=port)
        async with bridging(Work(wanted)):
            await session.stop.event.wait()
    assert session.summary is not None
    assert session.summary.failures == ()
    assert session.summary.ok


async def test_without_a_plugin_the_bridge_looks_for_questions_itself(tmp_path: Path) -> None:
    store = tmp_path / "pending.json"
    async with served(serving()) as session:
        project = session.opened.hints["project"]
        async with bridging(Work(settings(session, store), (project,))):
            await eventually(partial(shown, session, "Which environment"))
            await session.post("/press", button="production")
            await eventually(partial(are_through, session, 1))
            await eventually(partial(_is_empty, store))
        messages = (await session.get("/channels/telegram"))["messages"]
    assert [one["role"] for one in messages].count("card") == 1, "it was asked once"


async def test_a_second_bridge_waits_and_a_dead_desk_is_told_on_the_phone(tmp_path: Path) -> None:
    store = tmp_path / "pending.json"
    async with served(serving()) as session:
        project = session.opened.hints["project"]
        async with bridging(Work(settings(session, store), (project,))) as first:
            await eventually(partial(shown, session, "Which environment"))
            async with bridging(Work(settings(session, store))) as second:
                await eventually(partial(_said, second, "[PermListener]"))
                await session.post("/crash", host="opencode")
                await session.post("/press", button="staging")
                await eventually(partial(_said, first, "/question"))
            assert not any("callback_query" in line for line in second.log)
        assert len(_kept(store)) == 1, "the question can still be answered"


async def _said(bridge: AtWork, mark: str) -> bool:
    return any(mark in line for line in bridge.log)


async def test_what_the_plugin_says_is_never_answered_with_a_failure(tmp_path: Path) -> None:
    async with served(serving(demo=False)) as session:
        await session.post("/crash", host="telegram")
        async with (
            bridging(Work(settings(session, tmp_path / "pending.json"))) as bridge,
            httpx.AsyncClient(base_url=bridge.url, timeout=10) as http,
        ):
            path = "/tool.execute.before"
            bodies: list[Any] = [
                {"input": {"tool": "bash"}, "args": {}},
                {"input": {"tool": "question", "sessionID": "s", "callID": "c"}, "args": "odd"},
                {"input": {"tool": "question", "sessionID": 7}, "args": _args("A")},
            ]
            told = [await http.post(path, json=body) for body in bodies]
            assert [one.json() for one in told] == [{"threw": None}] * 3
            wrong = [
                await http.post(path, json=[]),
                await http.get(path),
                await http.post("/elsewhere"),
                await http.post(path, json=bodies[0], headers={"Origin": "https://example.com"}),
            ]
            assert [one.status_code for one in wrong] == [400, 405, 404, 403]
    assert bridge.done[0].asked == 2
    assert any(line.startswith("Telegram is not reached") for line in bridge.log)
    assert _kept(tmp_path / "pending.json") == {}


def _args(label: str) -> dict[str, Any]:
    return {"questions": [{"question": "?", "header": "", "options": [{"label": label}]}]}


async def _lives_again(bridge: Bridge) -> bool:
    return bridge.world.hosts["listener"].epoch > 1


async def test_a_twin_that_stumbles_starts_again_from_its_file(tmp_path: Path) -> None:
    def stumble() -> None:
        raise RuntimeError("a stone")

    async with served(serving()) as session, trio.open_nursery() as nursery:
        project = session.opened.hints["project"]
        log: list[str] = []
        bridge = Bridge(settings(session, tmp_path / "pending.json"), log.append)
        nursery.start_soon(bridge.run, nursery)
        nursery.start_soon(Desk(bridge).watch, project)
        await eventually(partial(shown, session, "Which environment"))
        bridge.world.at(bridge.world.now, "a stone", stumble)
        bridge.driver.nudge()
        await eventually(partial(_lives_again, bridge))
        await session.post("/press", button="staging")
        await eventually(partial(are_through, session, 1))
        nursery.cancel_scope.cancel()
    await bridge.end()
    assert "the bridge stumbled: RuntimeError: a stone; it starts again" in log


async def test_a_token_that_telegram_does_not_know_is_refused_at_once(tmp_path: Path) -> None:
    async with served(serving(), "9:another-token") as session:
        with pytest.raises(UsageError, match="HERMES_PERMISSION_BOT_TOKEN") as told:
            await work(Work(settings(session, tmp_path / "p.json")), print, print, Stop())
    assert "sesame" not in str(told.value)


async def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    async with served(serving()) as session:
        taken = int(session.opened.urls["opencode"].rpartition(":")[2])
        wanted = attrs.evolve(settings(session, tmp_path / "p.json"), port=taken)
        with pytest.raises(UsageError, match=str(taken)):
            await work(Work(wanted), print, print, Stop())


async def test_what_comes_from_outside_is_read_with_care() -> None:
    assert before_of({"input": {"tool": "question"}}) == BeforeTool("question", "", "")
    assert before_of({"input": {"tool": None}}) is before_of("text") is None
    item = {"id": "que_1", "sessionID": "ses_1", "questions": [], "tool": {"callID": "call_1"}}
    before = BeforeTool("question", "ses_1", "call_1", {"questions": []}, "/proj")
    assert item_before(item, "/proj") == before
    told = item_before({**item, "tool": None}, "/proj")
    assert told is not None
    assert (told.session, told.call) == ("ses_1", "")
    assert item_before({"id": "que_1"}, "/proj") is None
