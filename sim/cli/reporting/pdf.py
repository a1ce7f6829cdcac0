"""A report on paper: the page, printed by a browser that is installed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from sim.core.errors import UsageError

BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "microsoft-edge", "msedge", "brave-browser",
)  # fmt: skip
"""Programs that print without a window, as they are called on a path."""

ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
PATIENCE_S = 180
"""Real seconds that a browser may take."""
GONE_WITHIN_S = 5
"""Real seconds for the last of its processes to be gone."""


def find_browser(wanted: Path | None = None) -> Path:
    """The browser that prints. Raises UsageError, with what to do, where there is none."""
    if wanted is not None:
        found = shutil.which(str(wanted))
        if found is None:
            raise UsageError(f"{wanted}: no such program; give that of Chrome, Chromium or Edge")
        return Path(found)
    for name in (*BROWSERS, *ELSEWHERE):
        found = shutil.which(name)
        if found is not None:
            return Path(found)
    raise UsageError(
        "a report as pdf is printed by Chrome, Chromium or Edge, and none is on the path; "
        "name one with --browser, or write --format html and print it from any browser"
    )


def print_pdf(browser: Path, page: str, out: Path) -> None:
    """Let the browser print a page. Raises UsageError when it does not."""
    from sim.cli.writing import write_bytes

    with tempfile.TemporaryDirectory(prefix="hooktwin-report-") as folder:
        source, made = Path(folder, "report.html"), Path(folder, "report.pdf")
        source.write_text(page, encoding="utf-8", errors="backslashreplace", newline="\n")
        command = [
            str(browser), "--headless", *_unsandboxed(), "--disable-gpu", "--no-first-run",
            f"--user-data-dir={folder}/profile", "--no-pdf-header-footer",
            "--virtual-time-budget=20000", f"--print-to-pdf={made}", f"{source.as_uri()}#print=1",
        ]  # fmt: skip
        told = _run(browser, command, folder)
        if not made.is_file() or not made.read_bytes().startswith(b"%PDF"):
            raise UsageError(
                f"{browser}: printed nothing{told}; write --format html and print that"
            )
        write_bytes(out, made.read_bytes())


def _unsandboxed() -> list[str]:
    """Chromium refuses to run as root with its sandbox; the page is ours and loads nothing."""
    is_root = sys.platform != "win32" and os.geteuid() == 0
    return ["--no-sandbox"] if is_root else []


def _run(browser: Path, command: list[str], folder: str) -> str:
    """What it had to say, for the error; "" for nothing. Its own files go into the folder, too."""
    nowhere, around = subprocess.DEVNULL, {**os.environ, "TMPDIR": folder}
    try:
        process = subprocess.Popen(
            command, stdin=nowhere, stdout=nowhere, stderr=subprocess.PIPE, env=around,
            start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise UsageError(f"{browser}: cannot be started: {error.strerror}") from error
    try:
        said = process.communicate(timeout=PATIENCE_S)[1]
    except subprocess.TimeoutExpired:
        return f" within {PATIENCE_S} s"
    finally:
        _end_all(process)
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return f" ({lines[-1][:200]})" if lines else ""


def _end_all(process: subprocess.Popen[bytes]) -> None:
    """The browser and its own processes, too: they would go on writing into a folder that is
    being removed, and it stayed behind. They are gone when nobody holds its stderr any more."""
    if process.poll() is not None:
        return
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=GONE_WITHIN_S)
