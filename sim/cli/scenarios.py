"""``hooktwin scenarios``: what is shipped."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.protocol_option import protocol_names

_FRAME = re.compile(r"->>?[^:]*:\s*([a-z]+(?:\.[a-z]+)*)\b")

EPILOG = (
    "Examples:\n\n"
    "  hooktwin scenarios\n\n"
    "  hooktwin run NAME                        play one of them\n\n"
    "  hooktwin scenarios --protocol relay      those of one protocol\n\n"
    "  hooktwin scenarios --json                where the files are"
)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(scenarios)


def scenarios(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list on stdout.")] = False,
    protocol: Annotated[
        str | None,
        typer.Option(
            "--protocol",
            metavar="NAME",
            help="hook, relay or question: only those of this protocol.",
            autocompletion=protocol_names,
        ),
    ] = None,
) -> None:
    """List the shipped scenarios."""
    from sim.cli.terminal import clean, console, print_json
    from sim.scenario.load import shipped_scenarios

    wanted = _wanted(protocol)
    listed = [_facts(name, path) for name, paths in shipped_scenarios().items() for path in paths]
    listed = [one for one in listed if one["protocol"] in wanted]
    if as_json:
        print_json(listed)
        return
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("name", style="cyan", no_wrap=True)
    table.add_column("protocol", no_wrap=True)
    table.add_column("what it shows")
    for one in listed:
        table.add_row(clean(one["name"]), clean(one["protocol"]), clean(one["about"]))
    console().print(table)


def _wanted(protocol: str | None) -> tuple[str, ...]:
    """The protocols to list, "" for files that cannot be read; exit 2 for what is none."""
    from sim.cli import words
    from sim.cli.outcome import unknown

    known = tuple(words.protocols())
    if protocol is None:
        return (*known, "")
    if protocol not in known:
        raise unknown("protocol", protocol, known)
    return (protocol,)


def _facts(name: str, path: Path) -> dict[str, Any]:
    """Name, folder and first sentence; a file that cannot be read says so."""
    return {
        "name": name,
        "protocol": _protocol(path),
        "about": about(path),
        "path": str(path),
    }


def _protocol(path: Path) -> str:
    """The outermost folder's name; lessons have a folder of their own and say it themselves."""
    from sim.core.errors import ScenarioError
    from sim.scenario.load import load_scenario, shipped_folder

    folder = path.relative_to(shipped_folder()).parts[0]
    if folder != "lessons":
        return folder
    try:
        return load_scenario(path).protocol
    except ScenarioError:
        return ""


def about(path: Path) -> str:
    """What the file says about itself: its first sentence, else its first frames."""
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        return f"(cannot be read: {error})"
    return about_lines(lines)


def about_lines(lines: list[str]) -> str:
    """The same of a scenario's text; "" where there is nothing in it."""
    for line in lines:
        if line.startswith("title") and line[5:6] in (" ", ":"):
            return line[5:].lstrip(": ")
        if line.startswith("#"):
            return line.lstrip("# ")
    return _first_sentence(lines) or _first_frames(lines)


def _first_sentence(lines: list[str]) -> str:
    """The first comment that is no directive, over as many lines as it takes."""
    words: list[str] = []
    for line in lines:
        prose = line.startswith("%%") and not line[2:].lstrip().startswith(("@", "{"))
        if prose:
            words.append(line[2:].strip())
        elif words:
            break
    sentence, dot, _ = " ".join(words).partition(". ")
    return sentence + dot.strip()


def _first_frames(lines: list[str]) -> str:
    """What is sent, for a diagram that does not introduce itself."""
    told = (_FRAME.search(line) for line in lines)
    types = list(dict.fromkeys(found[1] for found in told if found))
    return ", ".join(types[:6]) + (" …" if len(types) > 6 else "")
