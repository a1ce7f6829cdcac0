"""The extra that the state machine and the strategies need. Import this before Hypothesis."""

from __future__ import annotations

from importlib.util import find_spec

REMEDY = "pip install hypothesis, or from a clone of hooktwin: pip install '.[testing]'"

if find_spec("hypothesis") is None:
    raise ModuleNotFoundError(
        f"this part of sim.testing needs Hypothesis, which is not installed; {REMEDY}",
        name="hypothesis",
    )
