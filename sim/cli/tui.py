"""``hooktwin tui``: the terminal UI. It is built on top of the command line, so it is
looked up by name when somebody wants it."""

from __future__ import annotations

import importlib
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.run_options import Seed, Without, complete_scenario

EPILOG = (
    "Examples:\n\n"
    "  hooktwin tui                                 choose a scenario or a lesson\n\n"
    "  hooktwin tui typical                         play one and look at it\n\n"
    "  hooktwin tui typical --without pong          play it without a rule\n\n"
    "  hooktwin tui run.jsonl                       a trace of hooktwin run --trace\n\n"
    "  hooktwin tui --live http://127.0.0.1:8788    a session of hooktwin serve --record\n\n"
    "  hooktwin tui typical --plain                 one sentence per step\n\n"
    "  hooktwin tui typical --out typical.svg --screen channels --step 40\n\n"
    "Inside: ? lists all keys, F1 says what a screen is."
)


class Screen(StrEnum):
    """The seven views."""

    replay = "replay"
    frames = "frames"
    channels = "channels"
    hosts = "hosts"
    explore = "explore"
    compare = "compare"
    lesson = "lesson"


class Language(StrEnum):
    """The languages of the interface."""

    en = "en"
    zh = "zh"


What = Annotated[
    str | None,
    typer.Argument(
        metavar="[SCENARIO|TRACE.jsonl|TOKEN]",
        help="What to open; nothing: the start screen.",
        autocompletion=complete_scenario,
    ),
]
Plain = Annotated[bool, typer.Option("--plain", help="One sentence per step, no screen.")]
Ascii = Annotated[bool, typer.Option("--ascii", help="Draw with ASCII signs only.")]
Lang = Annotated[Language | None, typer.Option(help="Language of the interface; from the locale.")]
Theme = Annotated[str, typer.Option(help="A theme by its name, such as high-contrast.")]
Motion = Annotated[bool, typer.Option("--motion", help="Let things move smoothly.")]
FirstStep = Annotated[int | None, typer.Option(min=0, help="Begin at this step.")]
FirstScreen = Annotated[Screen, typer.Option(help="Begin with this screen.")]
Picture = Annotated[Path | None, typer.Option(help="Write a picture (.svg, .txt, .png) and end.")]
Size = Annotated[str, typer.Option(help="Columns x rows of the picture.")]
Keys = Annotated[
    Path | None, typer.Option(help='A TOML file of ids and keys, such as "time.next" = "l".')
]
Against = Annotated[
    str | None,
    typer.Option(metavar="WHAT", help="Compare with this scenario, trace or token."),
]
Live = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="Act on a running session: the control address of hooktwin serve."
    ),
]
Serve = Annotated[bool, typer.Option("--serve", help="Show it in a browser.")]
ServeHost = Annotated[str, typer.Option(help="Where to serve.")]
ServePort = Annotated[int, typer.Option(min=0, max=65535, help="Where to serve.")]
Restricted = Annotated[bool, typer.Option("--restricted", hidden=True)]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(tui)


def tui(
    what: What = None,
    seed: Seed = None,
    without: Without = None,
    plain: Plain = False,
    ascii_only: Ascii = False,
    lang: Lang = None,
    theme: Theme = "",
    motion: Motion = False,
    keys: Keys = None,
    against: Against = None,
    live: Live = None,
    step: FirstStep = None,
    screen: FirstScreen = Screen.replay,
    out: Picture = None,
    size: Size = "120x36",
    serve: Serve = False,
    host: ServeHost = "localhost",
    port: ServePort = 8000,
    restricted: Restricted = False,
) -> None:
    """Look at a run: its diagram, frames, channels and hosts, at any of its steps."""
    command: Any = importlib.import_module("tui.command")
    language = lang.value if lang is not None else ""
    wish = command.Wish(
        what, plain, ascii_only, language, theme, motion, step, screen.value, out, size, restricted,
        seed, tuple(without or ()), keys, against, live,
    )  # fmt: skip
    code = command.serve(wish, host, port) if serve else command.run(wish)
    raise typer.Exit(code)
