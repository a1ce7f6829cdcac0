"""``hooktwin connect``: twin desktops for a real server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli.living.options import (
    Channels,
    Protocol,
    RecordFile,
    ScenarioFile,
    Seconds,
    Speed,
    Token,
)
from sim.cli.run_options import Seed, Without

if TYPE_CHECKING:
    from sim.live.connecting import Fleet
    from sim.live.dialling import Dialler
    from sim.live.holding import Summary
    from sim.live.relay_away import Crew
    from sim.live.session import Running
    from sim.scenario.syntax import Scenario

EPILOG = (
    "Examples:\n\n"
    "  hooktwin connect ws://127.0.0.1:8787                  one desktop, three channels\n\n"
    "  hooktwin connect wss://example.org/hook/slack --token …  one channel of a real server\n\n"
    "  hooktwin connect ws://127.0.0.1:8787 --desktops 200   load\n\n"
    "  hooktwin connect ws://127.0.0.1:8787 --scenario typical   agents as the diagram says\n\n"
    "  hooktwin connect ws://127.0.0.1:8787 --protocol relay --role node   for a relay\n\n"
    "Without a scenario each task gets some progress and an end, and each relay controller lists "
    "commands and opens a page. Two commands at a time need "
    "different --seed: it tells their devices apart.\n\n"
    "Exit codes: 0 no finding, 1 findings, lines that failed, or nobody answered; 2 it cannot "
    "begin; 130 by Ctrl-C, 143 by SIGTERM."
)

Url = Annotated[
    str,
    typer.Argument(
        metavar="URL", help="ws:// or wss://; without a path, /slack, /telegram and /x are added."
    ),
]
Desktops = Annotated[
    int, typer.Option(min=1, max=2_000, help="How many desktops, controllers or nodes.")
]
Role = Annotated[
    str | None,
    typer.Option(
        metavar="controller|node",
        help="With --protocol relay: who dials. Default: node; with a scenario, all it draws.",
        autocompletion=lambda: ["controller", "node"],
    ),
]
Node = Annotated[
    list[str] | None,
    typer.Option(metavar="ID", help="With --role controller: the node meant (again for more)."),
]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(connect)


def connect(
    url: Url,
    desktops: Desktops = 1,
    channel: Channels = None,
    scenario: ScenarioFile = None,
    record: RecordFile = None,
    token: Token = None,
    seconds: Seconds = None,
    speed: Speed = 1.0,
    seed: Seed = None,
    without: Without = None,
    protocol: Protocol = None,
    role: Role = None,
    node: Node = None,
) -> None:
    """Let twins dial a real server, and judge what it sends.

    Desktops reconnect as the real desktop does, and their agents are
    scripted. With --protocol relay controllers or nodes (--role) dial a relay.
    """
    from sim.cli.living import setup
    from sim.cli.run_files import check_rules
    from sim.core.errors import UsageError

    check_rules(tuple(without or ()))
    setup.check_recording(record, scenario)
    played = setup.scenario_of(scenario, channel)
    running = setup.running_of(record, speed, seed, without, played)
    shown = setup.check_token(token)
    name = setup.protocol_of(protocol, played, channel)
    if name == "question":
        remedy = "its hook and listener meet real endpoints by 'hooktwin bridge'"
        raise UsageError(f"in the {name} protocol nobody dials a WebSocket; {remedy}")
    if name == "relay":
        crew = _crew(url, role, desktops, shown, node, played, seconds, running)
        raise typer.Exit(_with_relay(crew))
    if role is not None or node:
        raise UsageError("--role and --node are for --protocol relay")
    raise typer.Exit(_with_server(_fleet(url, desktops, shown, channel, played, seconds, running)))


def _fleet(
    url: str,
    desktops: int,
    token: str,
    channels: list[str] | None,
    played: Scenario | None,
    seconds: float | None,
    running: Running,
) -> Fleet:
    from sim.cli.living import setup
    from sim.live.connecting import Fleet, urls_of

    lanes = lanes_of(played) if played else setup.channels_of(channels) if channels else None
    return Fleet(urls_of(url, lanes), desktops, token, played, seconds, running)


def _crew(
    url: str,
    role: str | None,
    count: int,
    token: str,
    nodes: list[str] | None,
    played: Scenario | None,
    seconds: float | None,
    running: Running,
) -> Crew:
    from sim.cli.outcome import unknown
    from sim.live.relay_away import ROLES, Crew, checked_url

    if role not in (None, *ROLES):
        raise unknown("role", str(role), ROLES)
    known = tuple(nodes or ("N",))
    return Crew(checked_url(url), role or "node", count, token, known, played, seconds, running)


def _with_server(plan: Fleet) -> int:
    """Twin desktops until it is over; the exit code."""
    import trio

    from sim.cli.living import setup
    from sim.cli.living.summary import counted
    from sim.cli.terminal import say
    from sim.live.connecting import connect as connect_live

    summary, party = trio.run(connect_live, plan, say, setup.stop_of())
    tasks = f", {counted(party.agents.tasks, 'task')}" if party.agents else ""
    return _told(summary, party.dialler, plan.running, tasks)


def _with_relay(crew: Crew) -> int:
    """The same with a relay."""
    import trio

    from sim.cli.living import setup
    from sim.cli.terminal import say
    from sim.live.relay_away import connect as connect_relay

    summary, party = trio.run(connect_relay, crew, say, setup.stop_of())
    return _told(summary, party.dialler, crew.running)


def _told(summary: Summary, dialler: Dialler, running: Running, more: str = "") -> int:
    from sim.cli.living.summary import code_of, counted, tell_summary
    from sim.cli.terminal import say

    refused = counted(sum(dialler.refused.values()), "dial")
    connections = counted(dialler.connected, "connection")
    say(f"hooktwin: {connections}, {refused} came to nothing{more}")
    tell_summary(summary, running.record)
    code = code_of(summary)
    return code if code or dialler.connected else 1


def lanes_of(scenario: object) -> tuple[str, ...]:
    """The kinds of the channels that a scenario draws; Slack when it draws none."""
    people = getattr(scenario, "participants", ())
    return tuple(dict.fromkeys(one.kind for one in people if one.is_channel)) or ("slack",)
