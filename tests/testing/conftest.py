"""Projects of users, with nothing in them but what a test writes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

# pytester forgets the modules that a run in it imports first. These it must not: the
# tests compare their classes.
import sim.cli.report.verdict
import sim.drivers.trio_turnstile
import sim.testing.collecting
import sim.testing.plugin
import sim.testing.twin  # noqa: F401

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """An empty folder."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    return pytester


@pytest.fixture
def run(project: pytest.Pytester) -> Run:
    """pytest in that folder, with our plugin and no other."""

    def run_there(*arguments: str) -> pytest.RunResult:
        return project.runpytest_inprocess(
            "-p", "sim.testing.plugin", "-p", "no:cacheprovider", *arguments
        )

    return run_there
