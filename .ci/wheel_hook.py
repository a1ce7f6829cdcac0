"""What hatchling packs: the code without the comments and docstrings that only its readers need.

They are a sixth of a wheel that has to stay under 2 MB. The repository and the sdist have
them all; in the wheel every line keeps its number, so that places in reports and tracebacks
are those of the repository. Docstrings stay where somebody reads them without the source:
in packages (the map of the code), in what users import, in what the command line shows.
"""

import ast
import io
import re
import shutil
import tempfile
import tokenize
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # a test reads this file where hatchling is not installed

    class BuildHookInterface:  # type: ignore[no-redef]
        """Enough to be derived from."""


PACKAGES = ("sim", "tui")
DOCUMENTED_FOR_USERS = (
    "sim/testing/", "sim/play.py", "sim/wire/",  # what users import
    "sim/core/errors.py", "sim/core/event.py", "sim/core/rule.py", "sim/core/invariant.py",
    "sim/core/trace.py", "sim/check/judge.py", "sim/scenario/load.py", "sim/scenario/parse.py",
    "sim/drivers/trio_guests.py",
)  # fmt: skip
FRONT_DOORS = ("/build.py", "/parse.py", "/__init__.py")
DECLARING = ("from sim.wire.declare ", "from sim.wire.linkage ")
"""Imports of modules whose docstrings `explain` and `schema` show: they are the declarations."""
COMMANDS = "sim/cli/"
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
DIRECTIVES = ("# type:", "# noqa", "# fmt:", "# pragma")


def is_documented(name: str, text: str) -> bool:
    """Whether users read the docstrings of this file (its path from the root, with slashes)."""
    public = name.startswith(DOCUMENTED_FOR_USERS) or name.endswith(FRONT_DOORS)
    return public or any(one in text for one in DECLARING)


def is_command(owner: ast.AST, text: str) -> bool:
    """Whether typer is given this function, and shows its docstring as a help text."""
    if not isinstance(owner, ast.FunctionDef):
        return False
    return bool(owner.decorator_list) or re.search(rf"\)\({owner.name}\)", text) is not None


def shortened(text: str, name: str = "") -> str:
    """The same program without comments, and without the texts that users do not read (``name``
    is the file's), each line with its number."""
    lines = [list(line) for line in text.splitlines()]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith(DIRECTIVES):
            row, column = token.start
            del lines[row - 1][column:]
    if not is_documented(name, text):
        for owner in ast.walk(ast.parse(text)):
            if isinstance(owner, DOCUMENTED):
                kept = name.startswith(COMMANDS) and is_command(owner, text)
                _without_texts(lines, owner.body[1:] if kept else owner.body)
    return "".join("".join(line).rstrip() + "\n" for line in lines)


def is_text(statement: ast.stmt) -> bool:
    """Whether a statement is nothing but a text: a docstring, or that of a field."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _without_texts(lines: list[list[str]], body: list[ast.stmt]) -> None:
    for statement in body:
        if is_text(statement):
            # Where nothing else stands, something has to.
            _blank(lines, statement, "..." if all(map(is_text, body)) else "")


def _blank(lines: list[list[str]], docstring: ast.stmt, instead: str) -> None:
    first, last = docstring.lineno - 1, (docstring.end_lineno or docstring.lineno) - 1
    before = "".join(lines[first])[: docstring.col_offset]
    after = "".join(lines[last]).encode()[docstring.end_col_offset or 0 :].strip()
    if before.strip() or after:
        return  # other code on the same line: it stays as it is
    lines[first] = list(before + instead)
    for row in range(first + 1, last + 1):
        lines[row] = []


class CustomBuildHook(BuildHookInterface):
    """Puts the shortened copies in the place of the originals; an editable wheel has none."""

    folder: str | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard":
            return
        self.folder = tempfile.mkdtemp(prefix="hooktwin-wheel-")
        root = Path(self.root)
        for package in PACKAGES:
            for path in sorted((root / package).rglob("*.py")):
                name = path.relative_to(root).as_posix()
                text = path.read_text("utf-8")
                copy = Path(self.folder, name)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(shortened(text, name), "utf-8")
                build_data["force_include"][str(copy)] = name

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
