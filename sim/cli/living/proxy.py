"""``hooktwin proxy``: stand between real clients and a real server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sim.cli.living.options import Protocol, RecordFile, Seconds
from sim.cli.living.proxy_options import (
    ControlPort,
    Faults,
    FollowedFile,
    Host,
    Insecure,
    Listen,
    UpstreamUrl,
    WithKeys,
)

if TYPE_CHECKING:
    from sim.check.judge import Finding
    from sim.live.proxy_session import ProxyOpened, ProxyPlan, ProxySummary
    from sim.scenario.syntax import Scenario

EPILOG = (
    "Examples:\n\n"
    "  hooktwin proxy --listen 8799 --upstream ws://127.0.0.1:8787 --record run.jsonl\n\n"
    "  hooktwin proxy --listen 8799 --upstream wss://hook.example/ --fault cut:after=turn.end#1\n\n"
    "  hooktwin proxy --listen 8799 --upstream ws://127.0.0.1:8787 --keys\n\n"
    "Give the desktop ws://127.0.0.1:8799/slack where it had the server's URL.\n\n"
    "Faults, again for more (counted per desktop, lane and direction, over all connections):\n\n"
    "  lose:turn.progress#2             the second never arrives; without #2 none does\n\n"
    "  duplicate:turn.end#1=1s          arrives again, 1 s later\n\n"
    "  delay:task.ack=3s                late, and what comes behind it\n\n"
    "  cut:rst:before=turn.end          fin, rst or silent; the frame goes down with it\n\n"
    "  half-open:after=welcome=30s      nothing passes for 30 s, and nobody is told\n\n"
    "  'hold:D->S:after=task.ack=5s'    kept in flight; release:D->S:after=… lets go\n\n"
    "With --protocol relay directions are A->R, N->R, R->A, R->N, frames have their family or the "
    "action of a command for a name, and plain requests below /api/ are passed on.\n\n"
    "While it runs:\n\n"
    "  curl $CONTROL/links; curl $CONTROL/frames?after=120; curl $CONTROL/findings\n\n"
    '  curl $CONTROL/fault -d \'{"fault": "lose:next"}\'\n\n'
    '  curl $CONTROL/cut -d \'{"link": "D.slack", "how": "rst"}\'\n\n'
    "For scripts, --seconds N or POST /end end it.\n\n"
    "Exit codes, when --seconds or POST /end ended it: 0 no finding, 1 findings, or a scenario "
    "that still waits for an arrow; 2 a port or file cannot be used. By a signal, whatever was "
    "found: 130 by Ctrl-C, 143 by SIGTERM."
)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(proxy)


def proxy(
    listen: Listen,
    upstream: UpstreamUrl,
    host: Host = "127.0.0.1",
    control_port: ControlPort = 0,
    record: RecordFile = None,
    fault: Faults = None,
    scenario: FollowedFile = None,
    insecure: Insecure = False,
    seconds: Seconds = None,
    keys: WithKeys = False,
    protocol: Protocol = None,
) -> None:
    """Stand between a desktop and a server, or peers and a relay: pass on, record, judge, strike.

    Frames are never altered. Each is checked when it passes: wire faults and broken
    rules are told at once, with the number of the event. Secrets in headers are
    passed on, and never recorded or shown.
    """
    from sim.cli.living.setup import host_of, protocol_of
    from sim.live.proxy_faults import parse_rule
    from sim.live.proxy_manner import manner_of
    from sim.live.proxy_session import ProxyPlan
    from sim.live.proxy_upstream import Upstream

    if record is not None:
        from sim.cli.writing import check_writable

        check_writable(record)
    followed = _read(scenario, record)
    manner = manner_of(protocol_of(protocol, followed, None))
    plan = ProxyPlan(
        upstream=Upstream.parse(upstream, insecure=insecure),
        host=host_of(host),
        port=listen,
        control_port=control_port,
        recording=record,
        rules=tuple(parse_rule(text, manner.types, manner.ways) for text in fault or ()),
        scenario=followed,
        seconds=seconds,
        protocol=manner.name,
    )
    raise typer.Exit(_run(plan, keys))


def _read(name: str | None, record: Path | None) -> Scenario | None:
    if name is None:
        return None
    from sim.cli.reading import read_scenario
    from sim.cli.writing import refuse_overwriting

    refuse_overwriting([name], [record])
    return read_scenario(name)


def _run(plan: ProxyPlan, with_keys: bool) -> int:
    """Run the session; the exit code."""
    from functools import partial

    import trio

    from sim.cli import outcome
    from sim.cli.living.keys import keys_of_terminal
    from sim.cli.living.setup import stop_of
    from sim.live.proxy_session import proxy_session

    with keys_of_terminal(with_keys) as read_keys:
        opened = partial(_tell_opened, str(plan.upstream))
        summary = trio.run(partial(proxy_session, keys=read_keys), plan, opened, _tell, stop_of())
    _tell_summary(summary, plan.protocol)
    if summary.signal:
        return outcome.BY_SIGNAL + summary.signal
    if summary.unrecorded:
        return outcome.CANNOT_RUN
    return outcome.OK if summary.ok else outcome.FAILED


def _tell_opened(upstream: str, opened: ProxyOpened) -> None:
    from sim.cli.terminal import clean, print_text, say

    print_text(f"proxy    {opened.url} -> {clean(upstream)}\ncontrol  {opened.control}")
    _flush()
    for line, why in opened.left_out:
        place = f"line {line}" if line else "the head"
        say(f"hooktwin: {place} of the scenario is not played: {why}")


def _tell(news: Finding | str) -> None:
    from sim.cli.terminal import say

    if isinstance(news, str):
        say(f"hooktwin: {news}")
        return
    rows = f" [{', '.join(news.catalogue)}]" if news.catalogue else ""
    at = f"{news.at / 1_000_000:.3f} s"
    say(f"#{news.n} {at} {news.link}: {news.rule} ({news.side}): {news.text}{rows}")


def _tell_summary(summary: ProxySummary, protocol: str) -> None:
    from sim.cli.living.summary import counted
    from sim.cli.terminal import clean, print_text
    from sim.live.proxy_manner import manner_of

    labels = manner_of(protocol).labels
    lines = [f"{counted(summary.connections, 'connection')}, {counted(summary.events, 'event')}"]
    for way, word in zip((True, False), labels, strict=True):
        by_type = sorted((kind, n) for (by, kind), n in summary.types.items() if by is way)
        told = ", ".join(f"{kind} {n}" for kind, n in by_type) or "no frames"
        lines.append(f"{word}  {told}")
    if summary.faults:
        lines.append("faults  " + _counted(summary.faults))
    lines.append("findings  " + (_counted(summary.broken) or "none"))
    if summary.awaited:
        lines.append("the scenario still waits for  " + "; ".join(summary.awaited))
    if summary.unrecorded:
        lines.append(f"the recording is not whole: {summary.unrecorded}")
    elif summary.recording is not None:
        lines.append(f"recorded in {summary.recording}; see: hooktwin tui {summary.recording}")
    print_text("\n".join(map(clean, lines)))
    _flush()


def _counted(numbers: dict[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in sorted(numbers.items()))


def _flush() -> None:
    import sys

    sys.stdout.flush()
