"""``hooktwin diagram TRACE``: a recorded run as a scenario that repeats it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.writing import named

EPILOG = (
    "Examples:\n\n"
    "  hooktwin run typical --trace run.jsonl          record\n\n"
    "  hooktwin diagram run.jsonl --out again.mmd      write back\n\n"
    "  hooktwin run again.mmd                          the same digest"
)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(diagram)


def diagram(
    trace: Annotated[Path, typer.Argument(help="What run --trace wrote.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", parser=named, help="Write it to a file."),
    ] = None,
) -> None:
    """Write a trace back as a scenario: with seed, faults and the time of each act."""
    from sim.cli.run_files import refuse_device
    from sim.cli.terminal import escape_within_json, print_text, say
    from sim.cli.writing import refuse_overwriting, write_text
    from sim.core.trace import read_trace
    from sim.scenario.transcribe import transcribe

    refuse_device(trace)
    refuse_overwriting([trace], [out])
    recorded = read_trace(trace)
    if recorded.truncated:
        say(f"hooktwin: {trace}: the file was cut off; the diagram ends where it does")
    # Texts stand there as JSON: escaped, they are harmless and still the same.
    text = escape_within_json(transcribe(recorded))
    if out is None:
        print_text(text)
    else:
        write_text(out, text)
