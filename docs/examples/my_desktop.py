"""Your own desktop in the simulation: ``python docs/examples/my_desktop.py``.

``MyDesktop`` is ordinary Trio code. It talks to the simulated hook server and Slack
over a simulated connection, in virtual time: the three seconds of work take none, and
the cut in the middle comes at the same moment in every run of a seed. What it does is
judged by the same invariants as the twins. ``connection`` is used like the one of
trio-websocket, so the class can talk over a real socket as it is.
"""

from __future__ import annotations

import attrs
import trio

from sim.channel.api import Say
from sim.core.event import ConnectionOpened
from sim.core.invariant import Monitor
from sim.core.trace import digest_of
from sim.drivers.codec import JsonCodec
from sim.drivers.trio_host import DialTo, GuestConnection, trio_host
from sim.drivers.trio_turnstile import TrioDriver
from sim.hosts.person import Person
from sim.hosts.slack import Slack
from sim.protocols.hook import (
    Ping,
    TaskDispatch,
    TurnUsage,
    Welcome,
    make_hello,
    make_lifecycle_preference,
    make_pong,
    make_task_ack,
    make_turn_end,
    parse_hook_message,
    serialize_hook_message,
)
from sim.protocols.hook.invariants import invariants_for
from sim.protocols.hook.server import Server, ServerPlan
from sim.protocols.hook.view import HookView
from sim.wire.absent import ABSENT
from sim.world import fault
from sim.world.world import World

SECOND_US = 1_000_000


class MyDesktop:
    """Takes tasks, works for three seconds on each, and answers in capitals."""

    def __init__(self) -> None:
        self.tasks: dict[str, TaskDispatch] = {}
        self.answers: dict[str, str] = {}

    async def main(self, connection: GuestConnection) -> None:
        """Talk over one connection; ConnectionClosed may end it at any time."""
        hello = make_hello(
            device_id="my-laptop", device_name="My laptop", workspaces=["chat"], agents=[]
        )
        await connection.send_message(serialize_hook_message(hello))
        async with trio.open_nursery() as nursery:
            while True:
                frame = parse_hook_message(await connection.get_message()).message
                if frame is None:
                    continue  # what the parser refuses is dropped
                match frame.body:
                    case Welcome():  # what the old connection did not carry is told again
                        await self.tell_preference(connection)
                        for task in self.tasks.values():
                            nursery.start_soon(self.work, connection, task)
                    case Ping():
                        await connection.send_message(serialize_hook_message(make_pong()))
                    case TaskDispatch() as task:
                        is_new = task.request_id not in self.tasks
                        self.tasks[task.request_id] = task
                        await connection.send_message(accepted(task))
                        if is_new:
                            nursery.start_soon(self.work, connection, task)

    async def tell_preference(self, connection: GuestConnection) -> None:
        """People shall hear that this desktop comes and goes."""
        preference = make_lifecycle_preference(enabled=True)
        await connection.send_message(serialize_hook_message(preference))

    async def work(self, connection: GuestConnection, task: TaskDispatch) -> None:
        """Find the answer, unless it is there already, and tell it."""
        if task.request_id not in self.answers:
            await trio.sleep(3)
            self.answers[task.request_id] = task.prompt.upper()
        await connection.send_message(ended(task, self.answers[task.request_id]))


def accepted(task: TaskDispatch) -> str:
    """The task is taken."""
    ack = make_task_ack(
        request_id=task.request_id,
        result="accepted",
        reason=None,
        session_id="my-session",
        queue_position=None,
    )
    return serialize_hook_message(ack)


def ended(task: TaskDispatch, answer: str) -> str:
    """The task is done."""
    end = make_turn_end(
        request_id=task.request_id,
        external_key=task.external_key,
        session_id="my-session",
        status="ok",
        final_text=answer,
        error_message=None,
        usage=TurnUsage(duration_ms=3_000),
        attachments=ABSENT,
    )
    return serialize_hook_message(end)


@attrs.frozen
class Play:
    """A world, what its channels show, and who judges it."""

    world: World
    view: HookView
    monitor: Monitor

    def run(self, until_s: int = 60) -> None:
        """Play that many virtual seconds."""
        TrioDriver(self.world).run(limit_us=until_s * SECOND_US)
        self.monitor.finish(len(self.world.events) - 1)
        self.world.close()


def build(seed: int = 1) -> Play:
    """Alice, Slack, the server's twin and your desktop; the connection breaks at 10.5 s."""
    world, view = World(seed), HookView()
    plan = ServerPlan(channels={"IM": "slack"}, bindings={("slack", "U"): "my-laptop"})
    dial = DialTo("S", "slack", {"authorization": "Bearer me"}, redial_us=SECOND_US)
    mine = trio_host(MyDesktop, JsonCodec(parse_hook_message), dial=dial)
    world.add_host("IM", "slack", lambda port: Slack(port, "S", people=["U"]))
    world.add_host("U", "person", lambda port: Person(port, "IM"))
    world.add_host("S", "server", lambda port: Server(port, plan))
    world.add_host("D", "desktop", mine)
    for kind in view.kinds:
        world.watch(kind, view.on)
    monitor = Monitor(invariants_for(view, frozenset({"server", "desktop", "slack"})))
    monitor.attach(world.watch)
    for name in world.hosts:
        world.boot(name)
    text = Say(person="U", text="write the report")
    world.at(8 * SECOND_US, "Alice writes", lambda: world.act("U", text))
    world.at(10_500_000, "cut", lambda: fault.cut(world, world.links["D.slack#1"], "rst"))
    return Play(world, view, monitor)


def main() -> None:
    """Play it, and tell what Alice sees and what was broken."""
    played = build()
    played.run()
    for message in played.view.history.messages.values():
        print(f"{message.author}: {message.state} {message.text}".replace("  ", " "))
    for broken in played.monitor.violations:
        print(f"{broken.invariant} broken at step {broken.step}: {broken.text}")
    events = played.world.events
    connected = sum(isinstance(event, ConnectionOpened) for event in events)
    print(f"{len(events)} events, {connected} connections, digest {digest_of(events)}")


if __name__ == "__main__":
    main()
