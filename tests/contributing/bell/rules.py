"""The rules that can be switched off."""

from __future__ import annotations

import attrs

from sim.core.rule import rule


@attrs.frozen
class BellRules:
    """All on by default."""

    answer_knocks: bool = rule(
        "BL-01",
        by="door",
        reason="A guest who hears nothing knocks for ever.",
        without="The guest stands in the rain.",
    )
