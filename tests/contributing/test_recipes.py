"""The recipes of ``CONTRIBUTING.md`` name what there is, and a stranger can follow them.

Followed in a copy of the tree: with all steps what they name passes; with any step left out,
the test that stands behind it fails.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from attrs import frozen

from tests.cli.screens import ROOT
from tests.contributing.followed import FOLLOWED

TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
RECIPE = re.compile(r"^### (.*?)\n(.*?)(?=^### |\Z)", re.M | re.S)
STEP = re.compile(r"^\d+\. (.*?)(?=^\d+\. |^\S|\Z)", re.M | re.S)
WANTED = ("scenario", "message type", "rule", "invariant", "fault", "channel", "protocol")


@frozen
class Step:
    """Files to touch, and the test that notices when it is left out ("": nothing can go on)."""

    files: tuple[str, ...]
    noticed_by: str


def steps_of(body: str) -> list[Step]:
    """The numbered steps of a recipe."""
    found = []
    for step in STEP.findall(body):
        before, _, behind = step.partition("*Else:*")
        test = re.search(r"`(tests/[\w/]+\.py::\w+)`", behind)
        files = re.findall(
            r"`((?:sim|docs|scenarios|tests)/[\w./-]*|\w+\.(?:toml|yml|md))`", before
        )
        found.append(Step(tuple(files), test[1] if test else ""))
    return found


RECIPES = {name.split(" ", 1)[1]: steps_of(body) for name, body in RECIPE.findall(TEXT)}


def test_there_is_a_recipe_for_each_thing_that_people_add() -> None:
    assert set(RECIPES) == set(WANTED)
    assert all(len(steps) >= 2 for steps in RECIPES.values())
    assert [
        name for name, steps in RECIPES.items() if not any(one.noticed_by for one in steps)
    ] == []


@pytest.mark.parametrize("name", RECIPES)
def test_every_file_and_every_test_of_a_recipe_is_there(name: str) -> None:
    for number, step in enumerate(RECIPES[name], 1):
        assert step.files, f"step {number} names no file"
        assert [one for one in step.files if not (ROOT / one).exists()] == []
        assert step.noticed_by or number == 1, f"step {number} names no test"
        if step.noticed_by:
            path, _, test = step.noticed_by.partition("::")
            names = [node.name for node in ast.parse((ROOT / path).read_text("utf-8")).body
                     if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]  # fmt: skip
            assert test in names, step.noticed_by


def test_what_is_followed_touches_the_files_that_the_step_names() -> None:
    for name, edits in FOLLOWED.items():
        assert len(edits) == len(RECIPES[name]), name
        for step, edit in zip(RECIPES[name], edits, strict=True):
            for path in edit:
                assert any(path.startswith(one) or one in path for one in step.files), (name, path)


def applied(tree: Path, edits: Iterable[dict[str, object]]) -> None:
    """A step is, by file, a whole text, or (what stands there, what comes instead) pairs."""
    for edit in edits:
        for name, change in edit.items():
            path = tree / name
            if isinstance(change, str):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(change, "utf-8")
                continue
            text = path.read_text("utf-8")
            for old, new in change:  # type: ignore[attr-defined]
                assert old in text, (name, old)
                text = text.replace(old, new, 1)
            path.write_text(text, "utf-8")


def copied(place: Path) -> Path:
    """The tree without what is made from it."""
    ignored = shutil.ignore_patterns("__pycache__", ".*", "build", "node_modules")
    shutil.copytree(ROOT, place, ignore=ignored)
    shutil.copytree(ROOT / ".ci", place / ".ci")
    return place


def judged(tree: Path, tests: Iterable[str]) -> tuple[bool, str]:
    """Whether these tests pass in the copy."""
    return ran(tree, "pytest", "-n0", "-p", "no:cacheprovider", "-x", *tests)


def ran(tree: Path, *words: str) -> tuple[bool, str]:
    """Whether a module of Python ends well in the copy."""
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=tree, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(tree)},
    )  # fmt: skip
    return done.returncode == 0, done.stdout[-1_500:] + done.stderr[-500:]


@pytest.mark.deep
@pytest.mark.parametrize("name", FOLLOWED)
def test_a_recipe_can_be_followed_and_no_step_can_be_forgotten(name: str, tmp_path: Path) -> None:
    edits, steps = FOLLOWED[name], RECIPES[name]
    tests = list(dict.fromkeys(one.noticed_by for one in steps if one.noticed_by))
    whole = copied(tmp_path / "whole")
    applied(whole, edits)
    passed, said = judged(whole, tests)
    assert passed, said
    for path in (path for edit in edits for path in edit if path.endswith(".mmd")):
        passed, said = ran(whole, "sim", "run", path)
        assert passed, said
    for left_out, step in enumerate(steps):
        if step.noticed_by:
            tree = copied(tmp_path / f"without-{left_out + 1}")
            applied(tree, [edit for n, edit in enumerate(edits) if n != left_out])
            passed, said = judged(tree, [step.noticed_by])
            assert not passed, f"nobody notices that step {left_out + 1} was left out: {said}"
            shutil.rmtree(tree)
