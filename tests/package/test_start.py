"""How fast the command line is there: nothing but names and options is imported for its help."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys

import pytest

from tests.cli.screens import ROOT

SECONDS = 0.3
LOADED = """
import sys
from sim.__main__ import main
sys.argv = ["hooktwin", "--help"]
try:
    main()
except SystemExit:
    pass
import json
json.dump(sorted(sys.modules), sys.stderr)
"""
HEAVY = (
    "msgspec", "trio", "httpx", "hypercorn", "starlette", "textual", "turbohtml",
    "hypothesis", "jsonschema", "can_ada", "wsproto",
    "sim.play", "sim.protocols", "sim.world", "sim.wire", "sim.scenario", "sim.explore",
    "sim.check", "sim.view", "sim.hosts",
)  # fmt: skip


def test_help_imports_no_part_of_the_simulator() -> None:
    """Deterministic where a clock is not: what is not imported takes no time."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = json.loads(done.stderr)
    assert "Usage: hooktwin" in done.stdout
    heavy = [one for one in loaded if one.startswith(tuple(f"{name}." for name in HEAVY))]
    assert [one for one in loaded if one in HEAVY] + heavy == []


@pytest.mark.deep
def test_help_takes_less_than_a_third_of_a_second_of_processor_time() -> None:
    """The best of five: others may use the same processor, and its caches."""
    command = [sys.executable, "-m", "sim", "--help"]
    took = []
    for _ in range(6):  # the first one writes the bytecode
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        subprocess.run(command, cwd=ROOT, env=env, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    assert min(took) < SECONDS, took
