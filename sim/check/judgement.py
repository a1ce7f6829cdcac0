"""Everything that is wrong with one frame, field by field, as its declaration sees it."""

from __future__ import annotations

import json
from typing import Any

import attrs

from sim.protocols.register import protocol_of
from sim.wire.declare import Body

MOST_FAULTS = 12


@attrs.frozen
class Judgement:
    """``faults``: path of the field → what is wrong; "" is the frame as a whole.

    ``type_key`` is where the envelope says the type.
    """

    type: str
    faults: dict[str, str]
    known: bool
    type_key: str = "type"

    @property
    def is_good(self) -> bool:
        return not self.faults


def judge(frame: Any) -> Judgement:
    """Everything that is wrong with a frame, not only what a parser would say first."""
    if not isinstance(frame, dict):
        return Judgement("", {"": "is no object"}, known=False)
    if frame.get("type") == "(bad)":
        verdict = protocol_of(frame).parse(frame.get("text"))
        return Judgement("(bad)", {"": verdict.error or ""}, known=False)
    spoken, shape = protocol_of(frame), shape_of(frame)
    type_name = str(frame.get(spoken.type_key))
    faults: dict[str, str] = {}
    patched = json.loads(json.dumps(frame))
    for _ in range(MOST_FAULTS):
        verdict = spoken.parse(patched)
        if verdict.ok:
            break
        path = verdict.path or ""
        field = path.removeprefix("envelope.").removeprefix(f"{type_name}.")
        if field in faults:
            break
        faults[field] = str(verdict.error).removeprefix(path).strip()
        if shape is None or not _patch(patched, field, shape):
            break
    return Judgement(type_name, faults, shape is not None, spoken.type_key)


def shape_of(frame: Any) -> type[Body] | None:
    """The declaration of a frame, None where nobody declared it."""
    return protocol_of(frame).shape_of(frame) if isinstance(frame, dict) else None


def envelope_of(shape: type[Body] | None) -> dict[str, Any]:
    """What stands around a payload, with good values."""
    if shape is None:
        return {}
    frame = shape.enclose("f-1", 1, shape.EXAMPLE)
    return {name: value for name, value in frame.items() if name != "payload"}


def _patch(frame: dict[str, Any], field: str, shape: type[Body]) -> bool:
    """Replace what is wrong by what is right, to hear of the next fault."""
    envelope, example = envelope_of(shape), shape.EXAMPLE
    if field in envelope:
        frame[field] = envelope[field]
        return True
    name = field.partition(".")[0].partition("[")[0]
    payload = frame.get("payload")
    if not isinstance(payload, dict) or not name:
        return False
    if name in example:
        payload[name] = example[name]
    elif name in payload:
        del payload[name]
    else:
        return False
    return True
