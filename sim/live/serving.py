"""``hooktwin serve``: the twin server, with twin channels, for real desktops to connect to."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import trio

from sim.live.control import serve_http
from sim.live.doors import Doors
from sim.live.holding import Stop, Summary, hold
from sim.live.house import House, Plan
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
    """Where things can be reached: ``urls`` by lane, ``control`` over HTTP."""

    urls: dict[str, str]
    control: str


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
    house = House(plan, tell)
    stop = stop or Stop()

    async def begin(nursery: trio.Nursery) -> None:
        await _open(house, address, nursery, opened, stop)

    return await hold(house, stop, begin, plan.seconds, "the server is going away")


async def _open(
    house: House,
    address: Address,
    nursery: trio.Nursery,
    opened: Callable[[Opened], None],
    stop: Stop,
) -> None:
    doors = Doors(house, nursery, address.token)
    port = await doors.open(address.host, address.port)
    app = control_app(house, stop.now)
    hide = house.secrets.hide_bytes
    control = await nursery.start(serve_http, app, address.host, address.control_port, hide)
    where = f"[{address.host}]" if ":" in address.host else address.host
    urls = {lane: f"ws://{where}:{port}{path}" for path, lane in doors.paths.items()}
    house.boot()
    opened(Opened(urls, f"http://{where}:{control}"))
