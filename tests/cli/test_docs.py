"""Each command line in the docs names a command that there is, with options that it has."""

from __future__ import annotations

import re

import pytest
import typer

from sim.cli.app import app
from tests.cli.screens import ROOT

DOCS = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
CODE = re.compile(r"^```\w*\n(.*?)^```$|`([^`]+)`", re.DOTALL | re.MULTILINE)
CALL = re.compile(r"\bhooktwin[ \n]+([a-z][a-z-]*)([^\n|#&;]*)")
OPTION = re.compile(r"(?<=\s)(--[a-z][a-z-]+|-[a-z])\b")


def options() -> dict[str, set[str]]:
    """By command: the options that it has."""
    group = typer.main.get_command(app)
    found: dict[str, set[str]] = {}
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        inner = {"": command, **getattr(command, "commands", {})}
        params = [param for one in inner.values() for param in one.params]
        names = [word for one in params for word in (*one.opts, *one.secondary_opts)]
        found[name] = {*names, "--help", "-h"}
    return found


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_what_the_docs_call_is_there(path) -> None:
    known = options()
    text = path.read_text("utf-8").replace("\\\n", " ")
    calls = [call for code in CODE.finditer(text) for call in CALL.findall(code[1] or code[2])]
    for command, rest in calls:
        assert command in known, f"hooktwin {command}{rest}"
        missing = set(OPTION.findall(rest)) - known[command]
        assert not missing, f"hooktwin {command}{rest}: {missing}"
    assert calls or "hooktwin" not in path.stem
