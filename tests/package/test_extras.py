"""What the README says of extras is what ``pyproject.toml`` has; versions of Python are tried."""

from __future__ import annotations

import re
import tomllib

from tests.cli.screens import ROOT

README = (ROOT / "README.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_every_extra_is_told_and_no_other() -> None:
    table = README[README.index("| extra |") : README.index("Types are shipped")]
    told = re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", table, re.M)))
    assert sorted(told) == sorted(PROJECT["optional-dependencies"])


def test_every_dependency_has_a_range_with_an_end() -> None:
    extras = PROJECT["optional-dependencies"].values()
    wanted = [*PROJECT["dependencies"], *(one for needs in extras for one in needs)]
    assert [one for one in wanted if not re.fullmatch(r"[\w-]+>=[\d.]+,<[\d.]+", one)] == []


def test_what_an_extra_needs_and_the_checks_use_is_there_for_developers() -> None:
    extras = PROJECT["optional-dependencies"]
    missing = {name for name, needs in extras.items() if not set(needs) <= set(extras["dev"])}
    assert missing == {"fuzz", "audit"}


def test_the_versions_of_python_that_are_named_are_tried_by_ci() -> None:
    named = {one.rsplit(" ", 1)[1] for one in PROJECT["classifiers"] if ":: Python :: 3." in one}
    tried = set(re.findall(r'"(3\.\d+)"', (ROOT / ".github/workflows/ci.yml").read_text("utf-8")))
    assert named == tried
    assert PROJECT["requires-python"] == f">={min(named, key=lambda one: int(one[2:]))}"
    assert "sim/py.typed" in (ROOT / ".ci/check_wheel.py").read_text("utf-8")
