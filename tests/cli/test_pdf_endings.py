"""A browser that prints is ended with all of its processes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from sim.cli.reporting import pdf
from sim.core.errors import UsageError

HANGS = """#!/bin/sh
mktemp
sleep 60 &
echo $! > {child}
wait
"""


def test_a_browser_that_hangs_leaves_no_process_and_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its renderers went on writing into the folder, and one was left in /tmp."""
    child, browser, made = tmp_path / "child", tmp_path / "browser", tmp_path / "made"
    made.mkdir()
    browser.write_text(HANGS.format(child=child))
    browser.chmod(0o755)
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    monkeypatch.setenv("TMPDIR", str(made))
    monkeypatch.setattr(pdf, "PATIENCE_S", 0.3)
    with pytest.raises(UsageError, match=r"printed nothing within 0\.3 s"):
        pdf.print_pdf(browser, "<p>page", tmp_path / "x.pdf")
    if child.exists():  # a slow machine may not have come so far
        number = int(child.read_text())
        state = Path(f"/proc/{number}/stat")
        assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"
    assert list(made.iterdir()) == []
