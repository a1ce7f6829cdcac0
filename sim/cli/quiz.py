"""``hooktwin quiz``: "what happens next?" about any run. What asks is built on top of the
command line, so it is looked up by name when somebody wants it."""

from __future__ import annotations

import importlib
from typing import Annotated, Any

import typer

from sim.cli.run_options import Without, complete_scenario
from sim.cli.tui import Lang

EPILOG = (
    "Examples:\n\n"
    "  hooktwin quiz typical                          ten questions about a run\n\n"
    "  hooktwin quiz run.jsonl --seed 7               others, about a recorded trace\n\n"
    "  hooktwin quiz lock-with-lease --count 5        five, about the relay protocol\n\n"
    "  hooktwin quiz late-ack --without ack-replay    about a run that goes wrong\n\n"
    "  hooktwin quiz typical --print                  all of them on paper, with the key\n\n"
    "The same run and --seed give the same questions. Answers are numbers, and may come from a "
    "pipe; q leaves. Exit code 1: the input ended before the questions did."
)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(quiz)


def quiz(
    what: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO|TRACE.jsonl|TOKEN",
            help="The run to ask about.",
            autocompletion=complete_scenario,
            show_default=False,
        ),
    ],
    seed: Annotated[int, typer.Option(min=0, help="Decides which questions are asked.")] = 1,
    count: Annotated[int, typer.Option(min=1, max=100, help="How many questions.")] = 10,
    without: Without = None,
    lang: Lang = None,
    prints: Annotated[
        bool, typer.Option("--print", help="Print all questions and their key, ask nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list on stdout.")] = False,
) -> None:
    """What happens next? Questions about a run, answered by what happened in it."""
    command: Any = importlib.import_module("tui.teaching.command")
    language = lang.value if lang is not None else ""
    wish = command.Quizzing(what, language, seed, count, tuple(without or ()), prints, as_json)
    raise typer.Exit(command.quiz(wish))
