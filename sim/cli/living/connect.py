"""``hooktwin connect``: twin desktops for a real server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli.living.options import Channels, RecordFile, ScenarioFile, Seconds, Speed, Token
from sim.cli.run_options import Seed, Without

if TYPE_CHECKING:
    from sim.live.connecting import Party

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
Desktops = Annotated[int, typer.Option(min=1, max=2_000, help="How many desktops.")]


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
) -> None:
    """Let twin desktops dial a real server, and judge what it sends.

    They reconnect as the real desktop does; their agents are scripted.
    """
    import trio

    from sim.cli.living import setup
    from sim.cli.living.summary import code_of, tell_summary
    from sim.cli.run_files import check_rules
    from sim.cli.terminal import say
    from sim.live.connecting import Fleet, urls_of
    from sim.live.connecting import connect as connect_live

    check_rules(tuple(without or ()))
    setup.check_recording(record, scenario)
    played = setup.scenario_of(scenario, channel)
    lanes = lanes_of(played) if played else setup.channels_of(channel) if channel else None
    plan = Fleet(
        urls_of(url, lanes),
        desktops,
        setup.check_token(token),
        played,
        seconds,
        setup.running_of(record, speed, seed, without, played),
    )
    summary, party = trio.run(connect_live, plan, say, setup.stop_of())
    say(f"hooktwin: {_counted(party)}")
    tell_summary(summary, record)
    code = code_of(summary)
    raise typer.Exit(code if code or party.connected else 1)


def lanes_of(scenario: object) -> tuple[str, ...]:
    """The kinds of the channels that a scenario draws; Slack when it draws none."""
    people = getattr(scenario, "participants", ())
    return tuple(dict.fromkeys(one.kind for one in people if one.is_channel)) or ("slack",)


def _counted(party: Party) -> str:
    from sim.cli.living.summary import counted

    tasks = f", {counted(party.agents.tasks, 'task')}" if party.agents else ""
    refused = counted(sum(party.refused.values()), "dial")
    return f"{counted(party.connected, 'connection')}, {refused} came to nothing{tasks}"
