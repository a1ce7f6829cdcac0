"""``hooktwin serve``: the twin server, with twin channels, for real desktops to connect to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import trio

from sim.live.control import serve_http
from sim.live.doors import Doors
from sim.live.holding import Stop, Summary, hold
from sim.live.house import House, Plan
from sim.live.lodging import Lodging
from sim.live.question_house import QuestionHouse
from sim.live.relay_house import RelayHouse
from sim.live.routes import control_app


@attrs.frozen
class Address:
    """Where to listen; port 0 asks for any free one."""

    host: str = "127.0.0.1"
    port: int = 0
    control_port: int = 0
    token: str = ""


@attrs.frozen
class Opened:
    """Where things can be reached: ``urls`` by lane, ``control`` over HTTP; ``hints`` are
    what else programs have to know, by name."""

    urls: dict[str, str]
    control: str
    hints: dict[str, str] = attrs.Factory(dict)


async def serve(
    plan: Plan,
    address: Address,
    opened: Callable[[Opened], None],
    tell: Callable[[str], None],
    stop: Stop | None = None,
) -> Summary:
    """Serve until a signal comes, ``stop`` says so, or the diagram has been played.

    Raises UsageError when a port or the recording cannot be had.
    """
    plan.running.secrets.keep(address.token)
    house = house_of(plan, tell, address.token)
    stop = stop or Stop()

    async def begin(nursery: trio.Nursery) -> None:
        await _open(house, address, nursery, opened, stop)

    return await hold(house, stop, begin, plan.seconds, "the server is going away")


async def _open(
    house: Lodging[Any],
    address: Address,
    nursery: trio.Nursery,
    opened: Callable[[Opened], None],
    stop: Stop,
) -> None:
    urls = await _doors(house, address, nursery)
    app = control_app(house, stop.now)
    hide = house.secrets.hide_answer
    control = await nursery.start(serve_http, app, address.host, address.control_port, hide)
    house.boot()
    opened(Opened(urls, f"http://{_shown(address.host)}:{control}", house.hints()))


async def _doors(house: Lodging[Any], address: Address, nursery: trio.Nursery) -> dict[str, str]:
    """Listen for programs; gives where, by name."""
    if isinstance(house, QuestionHouse):
        return await house.open(address.host, nursery)
    doors = Doors(house, nursery, address.token if house.ASKS_AT_THE_DOOR else "")
    port = await doors.open(address.host, address.port)
    where = _shown(address.host)
    return {name: f"ws://{where}:{port}{way}" for name, way in house.ways().items()}


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def house_of(plan: Plan, tell: Callable[[str], None], token: str) -> Lodging[Any]:
    """The world to be served, by the protocol of its scenario."""
    protocol = plan.scenario.protocol if plan.scenario is not None else plan.protocol
    if protocol == "question":
        return QuestionHouse(plan, tell, token)
    return RelayHouse(plan, tell, token) if protocol == "relay" else House(plan, tell)
