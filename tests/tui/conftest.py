"""Applications under test wait for their event loop, and never sleep."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import textual.app
import textual.pilot

from tests.tui.rest import nothing_left_to_run


@pytest.fixture(autouse=True, scope="package")
def keys_do_not_sleep() -> Iterator[None]:
    """A key is done when the loop has nothing left to run."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (textual.app, textual.pilot):
            patch.setattr(module, "wait_for_idle", nothing_left_to_run)
        yield
