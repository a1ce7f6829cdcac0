"""What the wheel leaves out is for readers of the source only, and changes no line's number."""

from __future__ import annotations

import ast
import inspect
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sim.cli.app import app
from tests.cli.screens import ROOT

HOOK = runpy.run_path(str(ROOT / ".ci" / "wheel_hook.py"))
CHECK = runpy.run_path(str(ROOT / ".ci" / "check_wheel.py"))
shortened, is_documented, program = HOOK["shortened"], HOOK["is_documented"], CHECK["program"]

TEXT = '''"""A module."""

import x  # why


class A:
    """A class that says nothing else."""


def f(a: int) -> str:
    """Two

    paragraphs. # no comment
    """
    # A remark.
    return "# no comment either"  # type: ignore[return-value]


class B:
    name: str
    """A field; no docstring for Python."""
    def g(self): "on one line"
'''


def test_docstrings_and_comments_go_and_nothing_else() -> None:
    lines = shortened(TEXT).splitlines()
    assert len(lines) == len(TEXT.splitlines())
    assert [line for line in lines if line] == [
        "import x",
        "class A:",
        "    ...",
        "def f(a: int) -> str:",
        '    return "# no comment either"  # type: ignore[return-value]',
        "class B:",
        "    name: str",
        '    def g(self): "on one line"',
    ]


@pytest.mark.parametrize(
    "name", ["sim/world/world.py", "sim/hosts/person.py", "tui/app.py", "sim/explore/search.py"]
)
def test_a_module_stays_the_same_program_with_the_same_lines(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert not is_documented(name, text)
    short = shortened(text, name)
    assert len(short) < len(text)
    assert program(short.encode()) == program(text.encode())


def test_another_program_or_another_line_is_noticed() -> None:
    assert program(b"a = 1\n") != program(b"a = 2\n")
    assert program(b"a = 1\n") != program(b"\na = 1\n")
    assert program(b'def f():\n    "x"\n    return 1\n') != program(b"def f(): ...\n")


@pytest.mark.parametrize("name", HOOK["DOCUMENTED_FOR_USERS"])
def test_what_is_documented_for_users_is_there(name: str) -> None:
    assert (ROOT / name).exists()


def test_declarations_of_frames_keep_their_words() -> None:
    path = Path("sim/protocols/hook/frames/tasks.py")
    found = sorted((ROOT / path.parent).glob("*.py"))
    kept = [one for one in found if is_documented(f"{path.parent}/{one.name}", one.read_text())]
    documented = [one for one in found if "@" in one.read_text() and "class " in one.read_text()]
    assert documented
    assert [one.name for one in documented if one not in kept] == []
    text = "# why\n" + (ROOT / path).read_text("utf-8")
    short = shortened(text, path.as_posix())
    assert short.splitlines()[0] == ""
    assert [
        ast.get_docstring(one) for one in ast.parse(short).body if isinstance(one, ast.ClassDef)
    ]
    assert ast.dump(ast.parse(short)) == ast.dump(ast.parse(text)), "only comments go"


def commands(group: Any) -> Iterator[Any]:
    """What typer is given, in all groups."""
    for one in group.registered_commands:
        yield one.callback
    if group.registered_callback is not None:
        yield group.registered_callback.callback
    for one in group.registered_groups:
        yield from commands(one.typer_instance)


def test_commands_keep_their_help_and_little_else_of_the_command_line_does() -> None:
    helps = {inspect.cleandoc(one.__doc__ or "") for one in commands(app)}
    assert len(helps) > 25
    kept: set[str | None] = set()
    for path in sorted((ROOT / "sim" / "cli").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        tree = ast.parse(shortened(path.read_text("utf-8"), name))
        functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
        kept |= {ast.get_docstring(one) for one in functions}
    assert helps - kept == set()
    assert len(kept) < 4 * len(helps)
