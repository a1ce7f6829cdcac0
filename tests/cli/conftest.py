"""A shell for all tests of the command line."""

import pytest

from tests.cli.screens import Shell


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """Types command lines into this process, with a terminal of 100 columns."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return Shell(capsys)
