"""Is the wheel whole, small, the same program as the tree, and free of what does not belong?"""

import ast
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIMIT = 2_000_000
NEEDED = (
    "sim/__init__.py",
    "sim/py.typed",
    "tui/py.typed",
    "tui/tui.tcss",
    "sim/shipped/hook/typical.mmd",
    "sim/shipped/relay/lock-with-lease.mmd",
)
ALLOWED = ("sim/", "tui/", "hooktwin-")
KINDS = (".py", ".mmd", ".typed", ".tcss", ".css", ".js", ".html", ".json", ".txt")
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def complaints(path: Path) -> list[str]:
    """What is wrong with this wheel."""
    archive = zipfile.ZipFile(path)
    names = archive.namelist()
    found = [f"{name} is missing" for name in NEEDED if name not in names]
    found += [f"{name} does not belong here" for name in names if not name.startswith(ALLOWED)]
    own = [name for name in names if not name.startswith("hooktwin-")]
    found += [f"{name} does not belong here" for name in own if not name.endswith(KINDS)]
    packed = {name for name in own if name.endswith(".py")}
    kept = {
        one.relative_to(ROOT).as_posix()
        for package in ("sim", "tui")
        for one in (ROOT / package).rglob("*.py")
    }
    found += [f"{name} is in only one of wheel and tree" for name in sorted(packed ^ kept)]
    for name in sorted(packed & kept):
        if program(archive.read(name)) != program((ROOT / name).read_bytes()):
            found.append(f"{name} is another program than in the tree, or has other lines")
    size = path.stat().st_size
    if size > LIMIT:
        found.append(f"{size} bytes, more than {LIMIT}")
    return found


def program(source: bytes) -> str:
    """A module without its texts that are no values, with the line of every statement."""
    tree = ast.parse(source)
    for owner in ast.walk(tree):
        if isinstance(owner, Documented):
            owner.body = [one for one in owner.body if not _is_text(one)]
            if _does_nothing(owner.body):
                owner.body = []
    lines = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return f"{ast.dump(tree)} {lines}"


def _is_text(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _does_nothing(body: list[ast.stmt]) -> bool:
    """``...`` alone, which stands where a docstring stood alone."""
    return len(body) == 1 and ast.unparse(body[0]) == "..."


if __name__ == "__main__":
    wrong = complaints(Path(sys.argv[1]))
    if wrong:
        sys.exit(f"{sys.argv[1]}: " + "; ".join(wrong))
    print(f"the wheel is whole: {Path(sys.argv[1]).stat().st_size} of {LIMIT} bytes")
