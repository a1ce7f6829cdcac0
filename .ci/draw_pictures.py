"""The pictures of README and docs, drawn by hooktwin itself.

    python .ci/draw_pictures.py            draws them again
    python .ci/draw_pictures.py NAME …     draws these

``tests/package/test_pictures.py`` draws them, too, and compares. ``report.png`` is what Chromium
shows of ``hooktwin report reopen-teardown --without ownership-at-write``. Its bytes depend on fonts
and on the browser, so it carries a mark of the page and the run that it shows: that is compared.
"""

import hashlib
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

IMAGES = Path(__file__).parents[1] / "docs" / "images"
RACE = ("reopen-teardown", "--without", "ownership-at-write")
STEP = ("--step", "91")
SCREENSHOT = "report.png"
WINDOW = "1360,813"
SHOWN = "step=92&panel=1&theme=light&lang=en"
SIGNATURE = b"\x89PNG\r\n\x1a\n"
MARK = b"hooktwin page"

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


def mark_of_today() -> str:
    """What the screenshot depends on and we have a say in: the page's own files, and the run."""
    from sim.cli.reporting import html
    from sim.play import load, play

    page = "".join(map(html.asset, ("page.html", *html.STYLES, *html.SCRIPTS)))
    run = play(load(RACE[0]), without=(RACE[2],)).digest
    return hashlib.sha256(f"{page}{run}{SHOWN}{WINDOW}".encode()).hexdigest()


def chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    """(kind, content) of each part of a PNG."""
    found, at = [], len(SIGNATURE)
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        found.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + size]))
        at += size + 12
    return found


def mark_in(png: bytes) -> str:
    """The mark that a screenshot carries; "" for none."""
    texts = (content.partition(b"\0") for kind, content in chunks(png) if kind == b"tEXt")
    return next((text.decode() for name, _, text in texts if name == MARK), "")


def marked(png: bytes, mark: str) -> bytes:
    """The same picture with a mark in it."""
    (first, *rest) = [one for one in chunks(png) if one[0] != b"tEXt"]
    parts = (first, (b"tEXt", MARK + b"\0" + mark.encode()), *rest)
    return SIGNATURE + b"".join(
        struct.pack(">I", len(content)) + kind + content
        + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in parts
    )  # fmt: skip


def photograph(path: Path) -> None:
    """Let a browser show the page. Raises UsageError where there is none."""
    from sim.cli.reporting.pdf import find_browser

    browser = find_browser()
    with tempfile.TemporaryDirectory(prefix="hooktwin-screenshot-") as folder:
        page, picture = Path(folder, "page.html"), Path(folder, SCREENSHOT)
        line = [sys.executable, "-m", "sim", "report", *RACE, "--out", str(page)]
        subprocess.run(line, check=True, capture_output=True)
        subprocess.run(
            [str(browser), "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             f"--user-data-dir={folder}/browser", f"--window-size={WINDOW}",
             "--virtual-time-budget=5000", f"--screenshot={picture}", f"{page.as_uri()}#{SHOWN}"],
            check=True, capture_output=True, timeout=120,
        )  # fmt: skip
        path.write_bytes(marked(picture.read_bytes(), mark_of_today()))


if __name__ == "__main__":
    sys.path.insert(0, str(IMAGES.parents[1]))
    for wanted in sys.argv[1:] or (*PICTURES, SCREENSHOT):
        (photograph if wanted == SCREENSHOT else lambda path: draw(path.name, path))(
            IMAGES / wanted
        )
        print(IMAGES / wanted)
