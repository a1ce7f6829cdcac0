"""The project's own source, read once, and walks over its syntax trees."""

from __future__ import annotations

import ast
import functools
import gc
import subprocess
from collections.abc import Iterator
from pathlib import Path

import attrs

ROOT = Path(__file__).parents[2]
SKIPPED_FOLDERS = {"__pycache__", "node_modules", "build", "dist", "htmlcov"}


@attrs.frozen
class Source:
    """One Python file; ``name`` is its path from the root, with slashes."""

    name: str
    text: str

    @functools.cached_property
    def tree(self) -> ast.Module:
        """The file, parsed when somebody asks: many tests know by the text that they need not."""
        return ast.parse(self.text)

    def at(self, node: ast.AST) -> str:
        """Where a finding stands, for the reader of a failed test."""
        return f"{self.name}:{getattr(node, 'lineno', 1)}"


@functools.cache
def _source(path: Path) -> Source:
    """A file, read once whoever asks for the folder or the folders above it."""
    return Source(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))


@functools.cache
def sources(*folders: str) -> tuple[Source, ...]:
    """All Python files under these folders, in order of their names."""
    found = [_source(path) for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    gc.freeze()  # millions of nodes that live to the end: no later test waits for a walk over them
    return tuple(found)


@functools.cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a tree, as ``ast.walk`` gives them; walked once."""
    return tuple(ast.walk(tree))


def committed_files() -> list[Path]:
    """What git keeps; in a tree without git, everything but hidden folders and caches."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached"], cwd=ROOT, capture_output=True, check=False
    )
    if done.returncode == 0 and done.stdout:
        paths = [ROOT / name for name in done.stdout.decode().split("\0") if name]
    else:
        paths = [path for path in ROOT.rglob("*") if _is_kept(path.relative_to(ROOT))]
    return sorted(path for path in paths if path.is_file())


def _is_kept(path: Path) -> bool:
    hidden = path.parts[0].startswith(".") and path.parts[0] not in (".ci", ".github")
    return not (hidden and len(path.parts) > 1) and SKIPPED_FOLDERS.isdisjoint(path.parts)


Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.AST) -> Iterator[Function]:
    """All functions and methods, nested ones too."""
    for node in nodes(tree):
        if isinstance(node, Function):
            yield node


def length(function: Function) -> int:
    """Lines from ``def`` to the end, without the docstring."""
    lines = (function.end_lineno or 0) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function) is not None:
        lines -= (first.end_lineno or 0) - first.lineno + 1
    return lines


def imported_modules(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """(node, module) of each import, wherever it stands; ``from a import b`` gives a and a.b."""
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name
        elif isinstance(node, ast.ImportFrom):
            yield node, node.module or ""
            for alias in node.names:
                yield node, f"{node.module}.{alias.name}"


def docstring_nodes(tree: ast.AST) -> set[ast.AST]:
    """The string constants that are docstrings (also those under a field)."""
    return {
        node.value
        for node in nodes(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
