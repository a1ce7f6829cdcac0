"""What hatchling packs: the code without the comments and docstrings that only its readers need.

They are a sixth of a wheel that has to stay under 2 MB. The repository and the sdist have
them all; in the wheel every line keeps its number, so that places in reports and tracebacks
are those of the repository. Docstrings stay where somebody reads them without the source:
in packages (the map of the code), in what users import, in what the command line shows.
"""

import ast
import io
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
KEPT_WHOLE = (
    "sim/cli/",  # typer's help texts are docstrings
    "sim/testing/", "sim/play.py", "sim/wire/",  # what users import
    "sim/core/errors.py", "sim/core/event.py", "sim/core/rule.py", "sim/core/invariant.py",
    "sim/core/trace.py", "sim/check/judge.py", "sim/scenario/load.py", "sim/scenario/parse.py",
    "sim/drivers/trio_guests.py",
)  # fmt: skip
FRONT_DOORS = ("/build.py", "/parse.py", "/__init__.py")
DECLARING = ("from sim.wire.declare ", "from sim.wire.linkage ")
"""Imports of modules whose docstrings `explain` and `schema` show: they are the declarations."""
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
DIRECTIVES = ("# type:", "# noqa", "# fmt:", "# pragma")


def is_kept_whole(name: str, text: str) -> bool:
    """Whether users read the docstrings of this file (its path from the root, with slashes)."""
    public = name.startswith(KEPT_WHOLE) or name.endswith(FRONT_DOORS)
    return public or any(one in text for one in DECLARING)


def shortened(text: str) -> str:
    """The same program without comments and docstrings, each line with its number."""
    lines = [list(line) for line in text.splitlines()]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith(DIRECTIVES):
            row, column = token.start
            del lines[row - 1][column:]
    for owner in ast.walk(ast.parse(text)):
        if not isinstance(
            owner, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ):
            continue
        if ast.get_docstring(owner, clean=False) is not None:
            # A docstring that needs no other statement beside it may have to stay a statement.
            _blank(lines, owner.body[0], "..." if len(owner.body) == 1 else "")
    return "".join("".join(line).rstrip() + "\n" for line in lines)


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
                if is_kept_whole(name, text):
                    continue
                copy = Path(self.folder, name)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(shortened(text), "utf-8")
                build_data["force_include"][str(copy)] = name

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
