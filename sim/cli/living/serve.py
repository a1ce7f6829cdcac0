"""``hooktwin serve``: the twin server for real desktops."""

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
from sim.cli.living.questions import Demo, HookUrl, StoreFile, TelegramPort, Twins, Wish
from sim.cli.run_options import Seed, Without

if TYPE_CHECKING:
    from sim.live.holding import Summary
    from sim.live.house import Plan
    from sim.live.serving import Address, Opened
    from sim.live.session import Running
    from sim.scenario.syntax import Scenario

SESSION = (
    "hooktwin serve --port 8787 --control-port 8788 --record run.jsonl &",
    "hooktwin connect ws://127.0.0.1:8787 --channel slack &",
    "C=http://127.0.0.1:8788; until curl -s $C/links | grep slack; do sleep 1; done",
    """curl -s $C/message -d '{"channel": "slack", "text": "What is new?"}'""",
    "sleep 3; curl -s $C/channels/slack",
    """curl -s $C/lose -d '{"type": "task.ack"}'""",
    """curl -s $C/message -d '{"channel": "slack", "text": "Once more"}'""",
    """curl -s $C/cut -d '{"link": "D.slack", "how": "rst"}'""",
    """curl -s $C/fault -d '{"channel": "slack", "outcome": "429"}'""",
    "curl -s $C/links; curl -s $C/findings",
    """curl -s "$C/events?after=20&limit=5" """.strip(),
    "kill %1 %2; wait; hooktwin tui run.jsonl --plain",
)

EPILOG = (
    "A desktop connects to ws://HOST:PORT/slack, /telegram or /x. People act over HTTP. "
    "The whole way, to paste:\n\n"
    + "\n\n".join(f"  {line}" for line in SESSION)
    + "\n\ncurl -s $C/ lists everything that can be done. A scenario is played with outside "
    "desktops in the places of its own, and ends the command:\n\n"
    "  hooktwin serve --scenario typical --record run.jsonl\n\n"
    "The relay protocol has one path, tokens that say whose they are, and no channels; any number "
    "of controllers and nodes may come:\n\n"
    "  hooktwin serve --protocol relay --port 8787 &\n\n"
    "  hooktwin connect ws://127.0.0.1:8787 --protocol relay --role node &\n\n"
    "  hooktwin relay extract-content https://example.com/ --url ws://127.0.0.1:8787 "
    "--token controller-me\n\n"
    "The question protocol has two HTTP servers, OpenCode (--port) and Telegram's Bot API "
    "(--telegram-port); what it prints is what a listener's environment needs:\n\n"
    "  hooktwin serve --protocol question --port 4096 --telegram-port 8081 &\n\n"
    '  curl -s "http://127.0.0.1:4096/question?directory=$PWD"\n\n'
    "For scripts, --seconds N or POST /end end it.\n\n"
    "Exit codes, when it ends by itself, by --seconds or by POST /end: 0 no finding, 1 findings "
    "or lines that failed; 2 it cannot be opened. By a signal, whatever was found: 130 by "
    "Ctrl-C, 143 by SIGTERM."
)

Port = Annotated[int, typer.Option(min=0, max=65535, help="Where programs connect; 0: any.")]
ControlPort = Annotated[
    int, typer.Option(min=0, max=65535, help="Where the HTTP/JSON control listens; 0: any.")
]
Host = Annotated[str, typer.Option(help="The address to listen on.")]
Tui = Annotated[bool, typer.Option("--tui", help="Look at it, and act on it, in the terminal UI.")]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(serve)


def serve(
    port: Port = 0,
    control_port: ControlPort = 0,
    host: Host = "127.0.0.1",
    channel: Channels = None,
    scenario: ScenarioFile = None,
    record: RecordFile = None,
    token: Token = None,
    tui: Tui = False,
    seconds: Seconds = None,
    speed: Speed = 1.0,
    seed: Seed = None,
    without: Without = None,
    protocol: Protocol = None,
    telegram_port: TelegramPort = 0,
    twin: Twins = None,
    hook_url: HookUrl = None,
    store: StoreFile = None,
    demo: Demo = True,
) -> None:
    """Let real desktops connect to the twin server, real nodes and controllers to a twin relay,
    or a real listener and plugin to a twin OpenCode and a twin Telegram.

    People write, press and stop in twin channels, over a small HTTP API or as a
    scenario says; the network and the server misbehave on demand. Broken rules
    are told as they happen.
    """
    from sim.cli.living import setup
    from sim.cli.living.summary import code_of
    from sim.cli.living.watching import with_tui
    from sim.live.serving import Address

    wish = Wish(telegram_port, twin or (), hook_url or "", store, demo)
    setup.check_recording(record, scenario)
    played = setup.scenario_of(scenario, channel)
    running = setup.running_of(record, speed, seed, without, played)
    plan = _plan(channel, protocol, played, running, seconds, port, wish)
    address = Address(setup.host_of(host), port, control_port, setup.check_token(token))
    raise typer.Exit(code_of((with_tui if tui else _plainly)(plan, address)))


def _plan(
    channel: list[str] | None,
    protocol: str | None,
    played: Scenario | None,
    running: Running,
    seconds: float | None,
    port: int,
    wish: Wish,
) -> Plan:
    """What is to be served. Raises UsageError for what contradicts itself."""
    from sim.cli.living import setup
    from sim.cli.living.questions import served_of
    from sim.cli.run_files import check_rules
    from sim.live.house import Plan

    check_rules(tuple(sorted(running.without)))
    spoken = setup.protocol_of(protocol, played, channel)
    return Plan(
        channels=setup.channels_of(channel),
        scenario=played,
        running=running,
        seconds=seconds,
        protocol=spoken,
        served=served_of(spoken, port, wish, played=played is not None),
    )


def _plainly(plan: Plan, address: Address) -> Summary:
    """Serve, and tell on the terminal what happens."""
    import trio

    from sim.cli.living.setup import stop_of
    from sim.cli.living.summary import tell_summary
    from sim.cli.terminal import say
    from sim.live.serving import serve as serve_live

    summary = trio.run(serve_live, plan, address, _opened, say, stop_of())
    tell_summary(summary, plan.running.record)
    return summary


def _opened(opened: Opened) -> None:
    """Where it is, on stdout, for people and scripts."""
    import sys

    from sim.cli.terminal import clean

    told = [f"{lane:<8} {url}" for lane, url in (*opened.urls.items(), ("control", opened.control))]
    told += [f"{name}: {hint}" for name, hint in opened.hints.items()]
    sys.stdout.write("".join(f"{clean(line)}\n" for line in told))
    sys.stdout.flush()
