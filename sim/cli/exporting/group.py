"""``hooktwin export``: documents and runs in the formats of other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.protocol_option import ProtocolOption, protocol_names
from sim.cli.run_options import Seed, Without, complete_scenario
from sim.cli.schema import schema
from sim.cli.writing import named

Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE", parser=named, help="Write it there."),
]
What = Annotated[
    str,
    typer.Argument(
        metavar="RUN|SCENARIO|FINDING",
        help="A trace file (of run --trace, serve, connect or proxy --record), a scenario (file, "
        "shipped name, -), or a token or file of explore.",
        autocompletion=complete_scenario,
        show_default=False,
    ),
]
Framed = Annotated[
    str,
    typer.Option(
        "--protocol", metavar="NAME", help="hook or relay.", autocompletion=protocol_names
    ),
]


OF_RUNS = (
    "Examples:\n\n  hooktwin export {0} typical -o typical.{1}\n\n"
    "  hooktwin export {0} session.jsonl -o session.{1}    what serve --record wrote"
)


def add_to(app: typer.Typer) -> None:
    """Register the group."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Write what other tools read: AsyncAPI, OpenAPI, JSON Schema; Perfetto, pcapng.",
        rich_markup_mode="rich",
    )
    group.command(
        epilog="Example:\n\n  hooktwin export asyncapi --protocol relay -o relay.asyncapi.json"
    )(asyncapi)
    group.command(epilog="Example:\n\n  hooktwin export openapi -o question.openapi.json")(openapi)
    group.command(
        "jsonschema",
        help="JSON Schema (2020-12) of all message types of a protocol, or of one: "
        "the same as hooktwin schema.",
        epilog="Example:\n\n  hooktwin export jsonschema turn.end",
    )(schema)
    group.command(epilog=OF_RUNS.format("perfetto", "json"))(perfetto)
    group.command(epilog=OF_RUNS.format("pcapng", "pcapng"))(pcapng)
    app.add_typer(group, name="export")


def asyncapi(protocol: Framed = "hook", out: Out = None) -> None:
    """AsyncAPI 3 of the hook or the relay protocol: its messages, and who sends them."""
    from sim.cli.exporting.asyncapi import asyncapi_of

    _write_document(asyncapi_of(protocol), out)


def openapi(protocol: ProtocolOption = None, out: Out = None) -> None:
    """OpenAPI 3.1 of the question protocol: OpenCode's calls, and the used Bot API methods."""
    from sim.cli.exporting import openapi as made
    from sim.core.errors import UsageError
    from sim.protocols import register

    if protocol is not None and register.protocol(protocol).name != made.PROTOCOL:
        raise UsageError(
            f"OpenAPI is about requests, and the {protocol} protocol has frames; "
            "export asyncapi --protocol says them"
        )
    _write_document(made.openapi(), out)


def perfetto(what: What, out: Out = None, seed: Seed = None, without: Without = None) -> None:
    """A run as a trace for ui.perfetto.dev or chrome://tracing.

    Hosts are processes, activities threads, frames and calls flows, faults instants.
    """
    from sim.cli.exporting.perfetto import perfetto_of
    from sim.cli.reporting.report import watched
    from sim.cli.writing import check_writable, hand_over, refuse_overwriting

    if out is not None:
        refuse_overwriting([what], [out])
        check_writable(out)
    with watched() as tell:
        text = "".join(perfetto_of(_subject(what, seed, without), tell))
    hand_over(text, out)


def pcapng(
    what: What,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", parser=named, help="Write it there."),
    ],
    seed: Seed = None,
    without: Without = None,
) -> None:
    """A run as packets that Wireshark opens: TCP, WebSocket, HTTP, with names and times.

    Of a recording of real programs (serve, connect, proxy) or of any other run.
    """
    from sim.cli.exporting.capture import pcapng_of
    from sim.cli.reporting.report import watched
    from sim.cli.writing import check_writable, refuse_overwriting, write_bytes

    refuse_overwriting([what], [out])
    check_writable(out)
    with watched() as tell:
        data = b"".join(pcapng_of(_subject(what, seed, without), tell))
    write_bytes(out, data)


def _subject(what: str, seed: int | None, without: list[str] | None) -> Any:
    from sim.cli.exporting.runs import subject_of

    return subject_of(what, seed, tuple(without or ()))


def _write_document(document: dict[str, Any], out: Path | None) -> None:
    from sim.cli.terminal import print_json, to_json
    from sim.cli.writing import write_text

    if out is None:
        print_json(document, indent=2)
    else:
        write_text(out, to_json(document, indent=2) + "\n")
