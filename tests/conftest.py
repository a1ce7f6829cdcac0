"""What all tests share: Hypothesis without chance, clock or memory."""

import gc
import signal
import threading
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester"]  # only the outermost conftest may name plugins

settings.register_profile(
    "hooktwin",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("hooktwin")

# A shell starts what runs in its background deaf to Ctrl-C; the tests of Ctrl-C need ears.
if (
    threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module")
def new_garbage_only() -> Iterator[None]:
    """For tests that collect garbage: what other tests keep is not walked over each time."""
    gc.freeze()
    yield
    gc.unfreeze()


REPLAYED_FIRST = ("test_regressions.py", "test_found_races.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What was found once is looked at before anything else."""
    items.sort(key=lambda item: item.path.name not in REPLAYED_FIRST)


def pytest_collection_finish() -> None:
    """Ten thousand tests live to the end: the collector need not walk over them."""
    gc.freeze()
