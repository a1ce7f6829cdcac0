"""``hooktwin learn``: the lessons without the terminal UI. What teaches is built on top of
the command line, so it is looked up by name when somebody wants it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.tui import Lang
from sim.cli.writing import named

EPILOG = (
    "Examples:\n\n"
    "  hooktwin learn                             all lessons\n\n"
    "  hooktwin learn 1                           the first one\n\n"
    "  hooktwin learn gap --lang zh               one by its name, in Chinese\n\n"
    "  hooktwin learn 1 --progress mine.json      remember it in a file of yours\n\n"
    "  hooktwin learn own --write mine.mmd        a scenario to begin one's own with\n\n"
    "Predict, run, break it, fix it, say why: ? tells the keys, q leaves. The answers may come "
    "from a pipe. Exit code 1: the input ended before the lesson did."
)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(learn)


def _complete(incomplete: str) -> list[str]:
    shelf: Any = importlib.import_module("tui.teaching.shelf")
    return [one.id for one in shelf.lessons() if one.id.startswith(incomplete)]


def learn(
    lesson: Annotated[
        str | None,
        typer.Argument(
            metavar="[NUMBER|NAME|FILE.mmd]",
            help="Which lesson; nothing: the list of them.",
            autocompletion=_complete,
        ),
    ] = None,
    lang: Lang = None,
    progress: Annotated[
        Path | None,
        typer.Option(
            "--progress",
            metavar="FILE",
            parser=named,
            help="Keep in this file which lessons are finished, not in your state folder.",
        ),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(
            "--write",
            metavar="FILE",
            parser=named,
            help="Write the lesson's scenario, without the lesson, to change it.",
        ),
    ] = None,
) -> None:
    """Lessons for newcomers, in lines: predict, run, break it, fix it, say why."""
    from sim.core.errors import UsageError

    if write is not None and lesson is None:
        raise UsageError("--write needs a lesson; for example: hooktwin learn own --write mine.mmd")
    command: Any = importlib.import_module("tui.teaching.command")
    language = lang.value if lang is not None else ""
    wish = command.Learning(lesson, language, progress, write)
    raise typer.Exit(command.learn(wish))
