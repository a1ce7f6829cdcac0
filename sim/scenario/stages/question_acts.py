"""Acts as JSON, as ``@act HOST {…}`` writes them in a recorded scenario."""

from __future__ import annotations

from typing import Any

import msgspec

from sim.channel import api
from sim.core.errors import UsageError
from sim.protocols.question import acts
from sim.protocols.question.constants import OPENCODE, STORE, TELEGRAM

_OF_PEOPLE = api.Say | api.Press | api.Remove | api.Reword
_KINDS: dict[str, Any] = {
    "person": _OF_PEOPLE,
    TELEGRAM: _OF_PEOPLE | api.ChannelFault,
    OPENCODE: acts.RunTool | acts.Ask | acts.AnswerHere | acts.DismissHere | acts.AbortTool,
    STORE: acts.BreakStore
    | acts.TearNextWrite
    | acts.LeaveLock
    | acts.RemoveLock
    | acts.PutEntry
    | acts.DenyStore,
}


def read_act(kind: str, act: Any) -> Any:
    """The act that a JSON object describes. Raises UsageError saying what is wrong."""
    known = _KINDS.get(kind)
    if known is None:
        raise UsageError(f"@act: a {kind} cannot be told anything")
    try:
        return msgspec.convert(act, known)
    except msgspec.ValidationError as error:
        raise UsageError(f"@act for a {kind}: {error}") from None
