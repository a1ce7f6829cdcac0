"""Where a request stands when a frame about it arrives, in words without ids."""

from __future__ import annotations

from sim.core.op import Frame
from sim.protocols.hook.view import HookView


def situation(view: HookView, frame: Frame) -> str:
    """``acked ended owned``: what the view knows of the frame's request or card."""
    wire = getattr(frame, "wire", None)
    payload = wire.get("payload") if isinstance(wire, dict) else None
    if not isinstance(payload, dict):
        return ""
    known = str(payload.get("requestId") or "")
    request = view.requests.get(known)
    if request is not None:
        owner = "owned by a round" if request.owner is not None else ""
        return f"{request.acked or 'not acked'} {request.ended or 'running'} {owner}"
    round_ = view.rounds.get(known)
    if round_ is not None:
        return f"round {round_.state} of {round_.root.ended or 'running'}"
    card = view.cards.get(str(payload.get("interactionId") or ""))
    if card is not None:
        return f"card {'decided' if card.decisions else 'open'} {card.reason}"
    return ""
