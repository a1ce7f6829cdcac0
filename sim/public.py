"""What users may import and rely on: the one list of it. Everything else may change.

Until 1.0 a name of this list is changed or taken away only with a line in ``CHANGELOG.md``;
from 1.0 on only with a new major version. ``tests/package/test_public_api.py`` compares the
list with the code, and the signatures with those that were there before. The documentation's
page about the Python interface is made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Final

FRONT_DOORS: Final = (
    "sim.protocols.hook",
    "sim.protocols.relay",
    "sim.protocols.question",
    "sim.testing",
)
"""Packages of which everything in ``__all__`` is public."""

NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "sim": ("__version__",),
    # Play and read.
    "sim.play": ("Result", "load", "play"),
    "sim.scenario.load": ("load_scenario", "shipped_scenarios"),
    "sim.scenario.parse": ("parse_scenario",),
    "sim.core.trace": (
        "Header", "Trace", "digest_of", "first_difference", "read_trace", "write_trace",
    ),
    "sim.core.errors": (
        "HooktwinError", "LocalProtocolError", "ScenarioError", "SimInternalError", "TraceError",
        "UsageError",
    ),
    # Judge.
    "sim.check.judge": ("FrameJudge",),
    "sim.check.checking": ("check_file",),
    "sim.check.wanted": ("Wanted",),
    # Build a world of one's own, as docs/examples/my_desktop.py does.
    "sim.world": ("fault",),
    "sim.world.world": ("World",),
    "sim.core.event": ("ConnectionOpened",),
    "sim.core.invariant": ("Monitor",),
    "sim.channel.api": ("Say",),
    "sim.hosts.person": ("Person",),
    "sim.hosts.slack": ("Slack",),
    "sim.protocols.hook.invariants": ("invariants_for",),
    "sim.protocols.hook.server": ("Server", "ServerPlan"),
    "sim.protocols.hook.view": ("HookView",),
    "sim.drivers.codec": ("JsonCodec",),
    "sim.drivers.trio_host": ("ConnectionClosed", "DialTo", "GuestConnection", "trio_host"),
    "sim.drivers.trio_turnstile": ("TrioDriver",),
    "sim.wire.absent": ("ABSENT",),
}  # fmt: skip
"""Single names of other modules."""


def everything() -> dict[str, tuple[str, ...]]:
    """Every public name by the module that it is imported from."""
    doors = {one: tuple(import_module(one).__all__) for one in FRONT_DOORS}
    return {**NAMES, **doors}
