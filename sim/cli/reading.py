"""Reading the scenario that a command line names; ``-`` is standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.scenario.syntax import Scenario

STDIN = "-"
FENCE = "```mermaid"


def read_scenario(name: str) -> Scenario:
    """Parse a file, a shipped scenario or standard input. Raises UsageError."""
    from sim.play import load

    if name == STDIN:
        return _read_stdin()
    _tell_shadowed(name)
    return load(name)


def tell_cut_off(name: str, truncated: bool) -> None:
    """Whoever reads a picture of half a run must know that it is half a run."""
    from sim.cli.terminal import say

    if truncated:
        say(f"hooktwin: {name}: the file was cut off in the middle of a line; the run went on")


def _read_stdin() -> Scenario:
    from sim.core.errors import ScenarioError
    from sim.play import vocabularies
    from sim.scenario.lexer import decode
    from sim.scenario.markdown import first_diagram
    from sim.scenario.parse import LARGEST_BYTES, check_size, parse_scenario

    # Python has no sys.stdin where the caller has closed it.
    data = b"" if sys.stdin is None else sys.stdin.buffer.read(LARGEST_BYTES + 1)
    check_size(len(data), STDIN)
    if not data.strip():
        raise ScenarioError("standard input is empty", path=STDIN, line=1, column=1)
    text = decode(data, STDIN)
    if not any(line.startswith(FENCE) for line in text.splitlines()):
        return parse_scenario(text, STDIN, vocabularies())
    fenced = first_diagram(text, STDIN)
    return parse_scenario(fenced.text, STDIN, vocabularies(), first_line=fenced.first_line)


def _tell_shadowed(name: str) -> None:
    """A file that is called like a shipped scenario goes before it: that may be an accident."""
    from sim.cli.terminal import say
    from sim.scenario.load import shipped_scenarios

    try:
        is_file = "/" not in name and Path(name).is_file()
    except (OSError, ValueError):
        return
    if is_file and name in shipped_scenarios():
        say(f"hooktwin: {name!r} is the file in this folder, not the shipped scenario of that name")
