"""Acts as JSON, as ``@act HOST {…}`` writes them in a recorded scenario of any protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from sim.core.errors import UsageError
from sim.scenario.syntax import Participant


def act_of(known: Mapping[str, Any], kind: str, act: Any) -> Any:
    """The act that a JSON object describes; ``known`` are the acts of each kind of host.

    Raises UsageError saying what is wrong.
    """
    if kind not in known:
        raise UsageError(f"@act: a {kind} cannot be told anything")
    try:
        return msgspec.convert(act, known[kind])
    except msgspec.ValidationError as error:
        raise UsageError(f"@act for a {kind}: {error}") from None


def complaint_about_act(
    read_act: Callable[[str, Any], Any], host: Participant, act: object
) -> str | None:
    """Why this host cannot do this; None: it can. ``read_act`` is the protocol's."""
    try:
        read_act(host.kind, act)
    except UsageError as error:
        return str(error)
    return None
