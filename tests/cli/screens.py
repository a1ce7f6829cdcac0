"""Running the command line in this process, and as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from attrs import frozen

from sim.cli.app import call

ROOT = Path(__file__).resolve().parents[2]


@frozen
class Said:
    """What a command line answered."""

    code: int
    out: str
    err: str


@frozen
class Shell:
    """Types command lines; the answers come from this process."""

    captured: pytest.CaptureFixture[str]

    def __call__(self, *arguments: object) -> Said:
        self.captured.readouterr()
        code = call([str(one) for one in arguments])
        out, err = self.captured.readouterr()
        return Said(code, out, err)


def process(*arguments: object, stdout: int | None = subprocess.PIPE, **env: str) -> Said:
    """The same through ``python -m sim`` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "sim", *map(str, arguments)],
        stdout=stdout,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, **env},
        timeout=120,
        check=False,
    )
    out = (done.stdout or b"").decode("utf-8", "replace")
    return Said(done.returncode, out, done.stderr.decode("utf-8", "replace"))
