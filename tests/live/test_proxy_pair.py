"""A proxy between twins over real sockets: desktops that connect, a server that serves."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import attrs
import pytest
import trio

from sim.check.judge import Finding
from sim.core.event import FrameLost, FrameSent
from sim.live.holding import Stop
from sim.live.proxy_faults import parse_rule
from sim.live.proxy_session import ProxyOpened, ProxyPlan, ProxySummary, proxy_session
from sim.live.proxy_upstream import Upstream
from sim.live.session import Running
from sim.protocols.hook.frames import MESSAGES
from tests.live.strangers import Served, events, eventually, served
from tests.live.test_connect import _answers, _lanes, _links, connected, fleet

pytestmark = pytest.mark.trio

SPEED = 20.0
TOKEN = "do-not-tell"


@attrs.define
class Between:
    """A proxy that is going on, or over."""

    urls: dict[str, str]
    told: list[Finding | str]
    summary: ProxySummary | None = None


@asynccontextmanager
async def between(session: Served, record: Path, *faults: str) -> AsyncIterator[Between]:
    """A proxy before a server that serves."""
    rules = tuple(parse_rule(text, MESSAGES) for text in faults)
    upstream = Upstream.parse(f"ws://127.0.0.1:{session.port}")
    plan = ProxyPlan(upstream, control_port=None, recording=record, rules=rules)
    made, stop, ready, done = Between({}, []), Stop(), trio.Event(), trio.Event()

    def opened(where: ProxyOpened) -> None:
        made.urls = {lane: f"{where.url}/{lane}" for lane in session.opened.urls}
        ready.set()

    async def run() -> None:
        made.summary = await proxy_session(plan, opened, made.told.append, stop)
        done.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        await ready.wait()
        try:
            yield made
        finally:
            stop.now()
            with trio.move_on_after(5):
                await done.wait()
            nursery.cancel_scope.cancel()


async def _play(folder: Path, *faults: str) -> Between:
    """One task from the message to the answer, through a proxy; three recordings."""
    running = Running(folder / "connect", SPEED)
    async with (
        served(record=folder / "serve", speed=SPEED, token=TOKEN) as session,
        between(session, folder / "proxy", *faults) as proxy,
        connected(fleet(session, urls=proxy.urls, running=running, token=TOKEN)),
    ):
        await eventually(partial(_links, session, 3))
        await session.post("/message", channel="slack", text="What is new?")
        assert await eventually(partial(_answers, session, "slack"))
    return proxy


async def test_both_ends_and_the_proxy_have_seen_the_same_and_nobody_the_token(
    tmp_path: Path,
) -> None:
    proxy = await _play(tmp_path)
    for sender in ("S", "D"):
        seen = [_lanes(tmp_path / name, sender) for name in ("serve", "proxy", "connect")]
        assert seen[0] == seen[1] == seen[2]
    assert proxy.told == []
    assert proxy.summary is not None
    assert proxy.summary.types[True, "turn.end"] == 1
    assert TOKEN not in (tmp_path / "proxy").read_text()


async def test_a_result_that_goes_down_with_its_connection_comes_again(tmp_path: Path) -> None:
    proxy = await _play(tmp_path, "cut:rst:before=turn.end")
    record = tmp_path / "proxy"
    ends = [event for event in events(record, FrameSent) if event.frame["type"] == "turn.end"]
    assert [event.link for event in ends] == ["D.slack#1", "D.slack#2"]
    [lost] = events(record, FrameLost)
    assert (lost.sent, lost.why) == (ends[0].n, "reset")
    assert proxy.told == []
    assert proxy.summary is not None
    assert proxy.summary.faults == {"cut": 1}
