"""Is the wheel whole, small, and free of what does not belong there?"""

import sys
import zipfile
from pathlib import Path

LIMIT = 2_000_000
NEEDED = (
    "sim/__init__.py",
    "sim/py.typed",
    "tui/py.typed",
    "tui/tui.tcss",
    "sim/shipped/hook/typical.mmd",
)
ALLOWED = ("sim/", "tui/", "hooktwin-")


def complaints(path: Path) -> list[str]:
    """What is wrong with this wheel."""
    names = zipfile.ZipFile(path).namelist()
    found = [f"{name} is missing" for name in NEEDED if name not in names]
    found += [f"{name} does not belong here" for name in names if not name.startswith(ALLOWED)]
    size = path.stat().st_size
    if size > LIMIT:
        found.append(f"{size} bytes, more than {LIMIT}")
    return found


if __name__ == "__main__":
    wrong = complaints(Path(sys.argv[1]))
    if wrong:
        sys.exit(f"{sys.argv[1]}: " + "; ".join(wrong))
    print("the wheel is whole")
