"""One desktop of somebody else's: in the simulation under faults, and over a real socket."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest
import trio

from sim import play
from sim.core.actor import Port
from sim.drivers.codec import JsonCodec
from sim.drivers.trio_host import DialTo, trio_host
from sim.drivers.trio_turnstile import TrioDriver
from sim.protocols.hook import parse_hook_message
from sim.scenario.parse import parse_scenario
from sim.scenario.playing.play import finish, prepare
from sim.scenario.playing.result import Result
from sim.scenario.stages.hook import HookStage
from sim.scenario.stages.hook_cast import Cast, HookManners, device_of
from tests.live.strangers import Served, eventually, served
from tests.live.third_party import ShoutingDesktop, run

SCENARIO = """sequenceDiagram
    actor P as Person
    participant IM as Slack
    participant S as hook server
    participant D as desktop
    D->>S: hello
    S->>D: welcome
    P->>IM: message "Hello out there"
    {before}
    S->>D: task.dispatch (requestId=R1)
    D->>S: task.ack (accepted, requestId=R1)
    {after}
    D->>S: turn.end (ok, requestId=R1)
    %% @settle
    %% @final R1 OK "HELLO OUT THERE"
    %% @count posts 1
"""
FAULTS = {
    "nothing": ("", ""),
    "the dispatch twice": ("%% @duplicate next", ""),
    "the ack late": ("", "%% @hold D->S\n    %% @after 3s\n    %% @release D->S"),
    "a cut by FIN while it works": ("", "%% @cut D fin"),
    "a cut by RST while it works": ("", "%% @cut D rst"),
    "a silent cut that heals": ("", "%% @cut D silent\n    %% @after 20s\n    %% @heal D"),
    "a server that dies": ("", "%% @crash S\n    %% @after 2s\n    %% @restart S"),
}


class GuestCast(Cast):
    """A cast whose desktop is the stranger's program."""

    made: ClassVar[list[ShoutingDesktop]] = []

    def _add_desktop(self, name: str, manners: HookManners) -> None:
        results: dict[str, dict[str, Any]] = {}

        def make() -> ShoutingDesktop:
            self.made.append(ShoutingDesktop(device_of(name), results))
            return self.made[-1]

        dial = DialTo(self.server, "slack", redial_us=1_000_000)
        codec = JsonCodec(parse_hook_message)

        def guest(port: Port) -> Any:
            return trio_host(make, codec, dial=dial)(port)

        self._add(name, "desktop", manners, guest)

    def twin_kinds(self) -> frozenset[str]:
        return super().twin_kinds() - {"desktop"}


class GuestStage(HookStage):
    CAST = GuestCast


def simulated(before: str, after: str, seed: int) -> Result:
    """The scenario with the stranger's desktop, in virtual time."""
    GuestCast.made.clear()
    text = SCENARIO.format(before=before, after=after)
    scenario = parse_scenario(text, "third-party", play.vocabularies())
    run_ = prepare(scenario, GuestStage, seed=seed)
    TrioDriver(run_.world).run(run_.over)
    result = finish(run_, "trio")
    run_.world.close()
    return result


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("seed", [1, 2])
def test_in_the_simulation_its_answer_arrives_whatever_the_network_does(
    name: str, seed: int
) -> None:
    result = simulated(*FAULTS[name], seed)
    assert result.ok, result
    assert sum(desktop.runs for desktop in GuestCast.made) == 1


def test_the_same_seed_is_the_same_run() -> None:
    faults = FAULTS["a cut by RST while it works"]
    assert simulated(*faults, 3).digest == simulated(*faults, 3).digest


@pytest.mark.trio
@pytest.mark.parametrize("how", ["", "fin", "rst"])
async def test_over_a_real_socket_it_is_the_same_program(how: str, tmp_path: Path) -> None:
    desktop = ShoutingDesktop("shouting-1")
    async with served(record=tmp_path / "run.jsonl") as session, trio.open_nursery() as nursery:
        nursery.start_soon(run, desktop, "127.0.0.1", session.port, "/slack")
        await eventually(partial(_is_here, session))
        await session.post("/message", channel="slack", text="Hello out there")
        if how:
            await eventually(partial(_is_working, session))
            await session.post("/cut", link="D.slack", how=how)
        assert await eventually(partial(_answered, session)) == ["HELLO OUT THERE"]
        assert (await session.get("/findings"))["count"] == 0
        nursery.cancel_scope.cancel()
    assert desktop.runs == 1


async def _is_here(session: Served) -> Any:
    return await session.get("/links")


async def _messages(session: Served, state: str) -> list[str]:
    messages = (await session.get("/channels/slack"))["messages"]
    return [one["text"] for one in messages if one["state"] == state]


async def _is_working(session: Served) -> bool:
    return any("throat" in text for text in await _messages(session, "WORKING"))


async def _answered(session: Served) -> list[str]:
    return await _messages(session, "OK")
