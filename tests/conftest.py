"""What all tests share: Hypothesis without chance, clock or memory."""

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
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


def compile_each_module_once() -> None:
    """Where Python may write no bytecode into the tree, write it beside the tree.

    Without any, every worker and every process that a test starts compiles everything
    anew, and that was a third of the run. The processes inherit the place.
    """
    if not sys.dont_write_bytecode:
        return
    place = tempfile.mkdtemp(prefix="hooktwin-bytecode-")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    sys.dont_write_bytecode, sys.pycache_prefix = False, place
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = place


compile_each_module_once()


def remember_nothing_of_the_user() -> None:
    """Lessons that tests finish are none of those that whoever runs the tests has finished."""
    place = tempfile.mkdtemp(prefix="hooktwin-state-")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    os.environ["XDG_STATE_HOME"] = place


remember_nothing_of_the_user()

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
