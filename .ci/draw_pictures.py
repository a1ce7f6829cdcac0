"""The pictures of README and docs, drawn by hooktwin itself.

    python .ci/draw_pictures.py            draws them again
    python .ci/draw_pictures.py NAME …     draws these

``tests/package/test_pictures.py`` draws them, too, and compares. ``report.png`` is what Chromium
shows of ``hooktwin report reopen-teardown --without ownership-at-write``: it depends on fonts and
on the browser, so nobody compares it.
"""

import subprocess
import sys
from pathlib import Path

IMAGES = Path(__file__).parents[1] / "docs" / "images"
RACE = ("reopen-teardown", "--without", "ownership-at-write")
STEP = ("--step", "91")

# By name: the command line without the option that names the file, and that option.
PICTURES: dict[str, tuple[tuple[str, ...], str]] = {
    "typical.svg": (("run", "typical"), "--svg"),
    "race.svg": (("run", *RACE, "--seed", "1"), "--svg"),
    "request.svg": (("states", "request"), "--out"),
    "tui-replay.svg": (("tui", *RACE, *STEP), "--out"),
    "tui-channels.svg": (
        ("tui", *RACE, *STEP, "--screen", "channels", "--size", "100x26"),
        "--out",
    ),
    "tui-compare.svg": (("tui", *RACE, *STEP, "--screen", "compare"), "--out"),
}


def draw(name: str, path: Path) -> None:
    """Draw one. Raises CalledProcessError when the command cannot be run."""
    command, option = PICTURES[name]
    line = [sys.executable, "-m", "sim", *command, option, str(path)]
    done = subprocess.run(line, capture_output=True, check=False)
    if not path.is_file():
        raise subprocess.CalledProcessError(done.returncode, line, done.stdout, done.stderr)


if __name__ == "__main__":
    for wanted in sys.argv[1:] or PICTURES:
        draw(wanted, IMAGES / wanted)
        print(IMAGES / wanted)
