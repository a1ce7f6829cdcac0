"""What the wheel leaves out is for readers of the source only, and changes no line's number."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest

from tests.cli.screens import ROOT

HOOK = runpy.run_path(str(ROOT / ".ci" / "wheel_hook.py"))
CHECK = runpy.run_path(str(ROOT / ".ci" / "check_wheel.py"))
shortened, is_kept_whole, program = HOOK["shortened"], HOOK["is_kept_whole"], CHECK["program"]

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
        '    """A field; no docstring for Python."""',
        '    def g(self): "on one line"',
    ]


@pytest.mark.parametrize(
    "name", ["sim/world/world.py", "sim/hosts/person.py", "tui/app.py", "sim/explore/search.py"]
)
def test_a_module_stays_the_same_program_with_the_same_lines(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert not is_kept_whole(name, text)
    short = shortened(text)
    assert len(short) < len(text)
    assert program(short.encode()) == program(text.encode())


def test_another_program_or_another_line_is_noticed() -> None:
    assert program(b"a = 1\n") != program(b"a = 2\n")
    assert program(b"a = 1\n") != program(b"\na = 1\n")
    assert program(b'def f():\n    "x"\n    return 1\n') != program(b"def f(): ...\n")


@pytest.mark.parametrize("name", HOOK["KEPT_WHOLE"])
def test_what_is_kept_whole_is_there(name: str) -> None:
    assert (ROOT / name).exists()


def test_declarations_of_frames_keep_their_words() -> None:
    path = Path("sim/protocols/hook/frames/tasks.py")
    found = sorted((ROOT / path.parent).glob("*.py"))
    kept = [one for one in found if is_kept_whole(f"{path.parent}/{one.name}", one.read_text())]
    documented = [one for one in found if "@" in one.read_text() and "class " in one.read_text()]
    assert documented
    assert [one.name for one in documented if one not in kept] == []
    assert ast.get_docstring(ast.parse(shortened('"""A module."""\nx = 1\n'))) is None
