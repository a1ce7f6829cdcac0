"""What users may rely on: one list, compared with the code, the docs and what was there before."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from sim.public import FRONT_DOORS, NAMES, everything
from tests.cli.screens import ROOT
from tests.package.signatures import KEPT, lines

USERS_FILE = """
from pathlib import Path

import hypothesis

from sim.check.checking import check_file
from sim.check.wanted import Wanted
from sim.core.errors import ScenarioError, UsageError
from sim.core.trace import Trace, first_difference, read_trace
from sim.play import Result, load, play
from sim.protocols.hook import Hello, make_hello, parse_hook_message, serialize_hook_message
from sim.protocols.relay import parse_relay_message
from sim.testing import Twin, frames, machine_for


def test_it(twin: Twin) -> None:
    assert twin.play("typical").ok


def digest(name: str, seed: int) -> str:
    try:
        result: Result = play(load(name), seed=seed, driver="step")
    except ScenarioError as error:
        raise SystemExit(str(error)) from error
    return result.digest


def same(left: Path, right: Path) -> bool:
    one: Trace = read_trace(left)
    return first_difference(one.events, read_trace(right).events) is None


def device(text: str) -> str | None:
    parsed = parse_hook_message(text)
    if not parsed.ok:
        return f"{parsed.path}: {parsed.error}"
    body = parsed.message.body
    return body.device_id if isinstance(body, Hello) else None


def verdict(path: str) -> bool:
    try:
        return check_file(path, Wanted(rules=("HK-06",))).is_clean
    except UsageError:
        return False


@hypothesis.given(frames("hook"))
def test_frames(text: str) -> None:
    assert text


TestTypical = machine_for("typical", faults="cut:1").TestCase
hello: str = serialize_hook_message(
    make_hello(device_id="d", device_name="D", workspaces=["chat"], agents=[])
)
answer: bool = parse_relay_message(hello).ok
number: int = digest("typical", 1)  # type: ignore[assignment]
"""


@pytest.mark.parametrize("module", everything())
def test_every_public_name_is_there_and_says_what_it_is(module: str) -> None:
    loaded = import_module(module)
    assert (loaded.__doc__ or "").strip(), module
    for name in everything()[module]:
        value = getattr(loaded, name)
        if isinstance(value, type) or callable(value):
            assert (value.__doc__ or "").strip(), f"{module}.{name} needs a docstring"


def test_the_public_interface_is_the_one_that_was_written_down() -> None:
    """A name that goes, or a parameter that is new and must be given, is a change for users."""
    assert list(lines()) == KEPT.read_text("utf-8").splitlines(), (
        "say it in CHANGELOG.md, then: python -m tests.package.signatures"
    )


def _imports(text: str) -> set[tuple[str, str]]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return set()
    return {
        (node.module or "", alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sim")
        for alias in node.names
    }


def test_whatever_the_docs_import_is_public() -> None:
    used: set[tuple[str, str]] = set()
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for block in re.findall(r"^```python\n(.*?)^```", path.read_text("utf-8"), re.M | re.S):
            used |= _imports(block)
    for path in sorted((ROOT / "docs" / "examples").glob("*.py")):
        used |= _imports(path.read_text("utf-8"))
    public = {(module, name) for module, names in everything().items() for name in names}
    assert len(used) > 20
    assert sorted(used - public) == []


def test_no_name_is_listed_twice_and_no_module_in_two_ways() -> None:
    assert set(NAMES).isdisjoint(FRONT_DOORS)
    assert [module for module, names in NAMES.items() if len(set(names)) < len(names)] == []


@pytest.mark.deep
def test_a_user_s_own_file_is_clean_for_a_strict_type_checker(tmp_path: Path) -> None:
    """Types are shipped: wrong ones are found, and nothing is ``Any`` on the way."""
    (tmp_path / "mine.py").write_text(USERS_FILE, "utf-8")
    (tmp_path / "wrong.py").write_text(
        "from sim.play import play\nseed: str = play('typical').digest\nplay(seeds=3)\n", "utf-8"
    )
    (tmp_path / "every.py").write_text(
        "".join(
            f"from {module} import {name} as n{number}_{name.strip('_')}\n"
            for number, (module, names) in enumerate(everything().items())
            for name in names
        ),
        "utf-8",
    )
    (tmp_path / "desktop.py").write_text(
        (ROOT / "docs" / "examples" / "my_desktop.py").read_text("utf-8"), "utf-8"
    )

    def checked(*names: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, *names],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.stdout + done.stderr

    assert "Success: no issues found in 3 source files" in (
        said := checked("mine.py", "every.py", "desktop.py")
    ), said
    assert 'Unexpected keyword argument "seeds"' in (said := checked("wrong.py")), said
