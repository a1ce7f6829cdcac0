"""``hooktwin diagram LOG``: a recorded run, or any log of frames, as a scenario that repeats it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli.writing import named

if TYPE_CHECKING:
    from sim.core.trace import Trace

EPILOG = (
    "Examples:\n\n"
    "  hooktwin run typical --trace run.jsonl          record\n\n"
    "  hooktwin diagram run.jsonl --out again.mmd      write back\n\n"
    "  hooktwin run again.mmd                          the same digest\n\n"
    "  hooktwin diagram desktop.log --out seen.mmd     frames of real programs, said by puppets\n\n"
    "A log is anything that hooktwin check reads."
)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(diagram)


def diagram(
    log: Annotated[
        str,
        typer.Argument(
            metavar="LOG", help="What run --trace wrote, or a log of frames; - is standard input."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", parser=named, help="Write it to a file."),
    ] = None,
    frames: Annotated[
        bool,
        typer.Option("--frames", help="Of a trace, too, only the frames, said again by puppets."),
    ] = False,
    protocol: Annotated[
        str | None,
        typer.Option(
            metavar="hook|relay",
            help="Whose frames they are. Without it the log shows it by its own.",
            autocompletion=lambda: ["hook", "relay"],
        ),
    ] = None,
) -> None:
    """Write a trace or a log back as a scenario.

    A trace of a simulated run comes back with seed, faults and the time of each
    act, and gives the same run. Of anything else the frames come back: puppets
    say them literally, at their times, with latencies inferred from questions
    and answers.
    """
    from sim.cli.run_files import refuse_device
    from sim.cli.terminal import escape_within_json
    from sim.cli.writing import hand_over, refuse_overwriting

    refuse_device(log)
    refuse_overwriting([log], [out])
    recorded = None if frames else _simulated(log)
    text = _frames_of(log, protocol) if recorded is None else _written_back(log, recorded)
    # Texts stand there as JSON: escaped, they are harmless and still the same.
    hand_over(escape_within_json(text), out)


def _simulated(name: str) -> Trace | None:
    """The trace of a run whose acts are known; None for any other log."""
    from sim.check.reading import peek
    from sim.check.source import STDIN, open_log
    from sim.core.trace import is_trace, read_trace

    if name == STDIN:
        return None
    with open_log(name) as file:
        if not is_trace(peek(name, file)):
            return None
    trace = read_trace(Path(name))
    if not trace.header.hosts:
        return None
    # What outside programs did beside their frames is not known, but where nothing is framed
    # all that they did is requests.
    is_told = not trace.header.outside or not _has_frames(trace)
    return trace if is_told else None


def _has_frames(trace: Trace) -> bool:
    from sim.core.event import FrameSent

    return any(isinstance(event, FrameSent) for event in trace.events)


def _written_back(name: str, recorded: Trace) -> str:
    from sim.cli.terminal import say
    from sim.scenario.transcribe import transcribe

    if recorded.truncated:
        say(f"hooktwin: {name}: the file was cut off; the diagram ends where it does")
    return transcribe(recorded)


def _frames_of(name: str, protocol: str | None) -> str:
    from sim.check.diagram import all_seen_in, scenario_of
    from sim.check.entry import NO_FRAME
    from sim.check.strikes import not_drawn
    from sim.cli.terminal import say
    from sim.core.errors import UsageError

    seen, bad = all_seen_in(name, protocol)
    conns = [conn for conn in seen.conns if conn.frames]
    if not conns:
        place = f"{name}:{bad[0].line}:{bad[0].column}: {bad[0].error}" if bad else f"{name}:1"
        raise UsageError(
            f"{place}: no hooktwin trace and no log of frames; give what run --trace or check reads"
        )
    unread = [one for one in bad if one.kind != NO_FRAME]
    for one in unread[:SHOWN]:
        say(f"hooktwin: {name}:{one.line}:{one.column}: cannot be read: {one.error}")
    if len(unread) > SHOWN:
        say(f"hooktwin: {name}: {len(unread) - SHOWN} more lines cannot be read")
    if len(bad) > len(unread):
        say(f"hooktwin: {name}: {len(bad) - len(unread)} lines without a frame: not drawn")
    for what in not_drawn(conns, seen.others):
        say(f"hooktwin: {name}: not drawn: {what}")
    return scenario_of(conns, Path(name).name, seen.others, seen.protocol.name)


SHOWN = 3
