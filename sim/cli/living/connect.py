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
    from collections.abc import Sequence

    from sim.live.connecting import Party
    from sim.live.session import Running
    from sim.scenario.syntax import Scenario

EPILOG = (
    "Examples:\n\n"
    "  hooktwin connect ws://127.0.0.1:8787                  one desktop, three channels\n\n"
    "  hooktwin connect wss://example.org/hook/slack --token …  one channel of a real server\n\n"
    "  hooktwin connect ws://127.0.0.1:8787 --desktops 200   load\n\n"
    "  hooktwin connect ws://127.0.0.1:8787 --scenario typical   agents as the diagram says\n\n"
    "Without a scenario each task gets some progress and an end. Two commands at a time need "
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

    Desktops reconnect as the real desktop does, and their agents are scripted. With
    ``--protocol relay`` controllers or nodes (``--role``) dial a relay.
    """
    import trio

    from sim.cli.living import setup
    from sim.cli.living.summary import code_of, tell_summary
    from sim.cli.run_files import check_rules
    from sim.cli.terminal import say
    from sim.core.errors import UsageError
    from sim.live.connecting import Fleet, urls_of
    from sim.live.connecting import connect as connect_live

    check_rules(tuple(without or ()))
    setup.check_recording(record, scenario)
    played = setup.scenario_of(scenario, channel)
    running = setup.running_of(record, speed, seed, without, played)
    if setup.protocol_of(protocol, played, channel) == "relay":
        raise typer.Exit(relaying(url, desktops, token, role, node, played, seconds, running))
    if role is not None or node:
        raise UsageError("--role and --node are for --protocol relay")
    lanes = lanes_of(played) if played else setup.channels_of(channel) if channel else None
    plan = Fleet(
        urls_of(url, lanes),
        desktops,
        setup.check_token(token),
        played,
        seconds,
        running,
    )
    summary, party = trio.run(connect_live, plan, say, setup.stop_of())
    say(f"hooktwin: {_counted(party)}")
    tell_summary(summary, record)
    code = code_of(summary)
    raise typer.Exit(code if code or party.dialler.connected else 1)


def relaying(
    url: str,
    count: int,
    token: str | None,
    role: str | None,
    nodes: Sequence[str] | None,
    scenario: Scenario | None,
    seconds: float | None,
    running: Running,
) -> int:
    """The same with a relay; the exit code."""
    import trio

    from sim.cli.living import setup
    from sim.cli.living.summary import code_of, counted, tell_summary
    from sim.cli.outcome import unknown
    from sim.cli.terminal import say
    from sim.live.relay_away import ROLES, Crew, checked_url
    from sim.live.relay_away import connect as connect_relay

    if role not in (None, *ROLES):
        raise unknown("role", role, ROLES)
    crew = Crew(
        checked_url(url), role or "node", count, setup.check_token(token), tuple(nodes or ("N",)),
        scenario, seconds, running,
    )  # fmt: skip
    summary, party = trio.run(connect_relay, crew, say, setup.stop_of())
    dialler = party.dialler
    refused = counted(sum(dialler.refused.values()), "dial")
    say(f"hooktwin: {counted(dialler.connected, 'connection')}, {refused} came to nothing")
    tell_summary(summary, running.record)
    code = code_of(summary)
    return code if code or dialler.connected else 1


def lanes_of(scenario: object) -> tuple[str, ...]:
    """The kinds of the channels that a scenario draws; Slack when it draws none."""
    people = getattr(scenario, "participants", ())
    return tuple(dict.fromkeys(one.kind for one in people if one.is_channel)) or ("slack",)


def _counted(party: Party) -> str:
    from sim.cli.living.summary import counted

    tasks = f", {counted(party.agents.tasks, 'task')}" if party.agents else ""
    refused = counted(sum(party.dialler.refused.values()), "dial")
    return f"{counted(party.dialler.connected, 'connection')}, {refused} came to nothing{tasks}"
