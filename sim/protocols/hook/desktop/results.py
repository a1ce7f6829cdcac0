"""What the agent hands over becomes a legal turn.end (section 6, HK-67, HK-68)."""

from __future__ import annotations

from sim.protocols.hook import TaskAttachment, TurnEnd, TurnUsage, is_supported_image_mime
from sim.protocols.hook.acts import AgentEnds
from sim.protocols.hook.desktop.records import Turn
from sim.protocols.hook.desktop.settings import DesktopSettings
from sim.wire.absent import ABSENT

FAILED = "The agent failed."


def end_of(
    turn: Turn, act: AgentEnds, notice: str, now_us: int, limits: DesktopSettings
) -> TurnEnd:
    """The end of a turn: status and texts linked as the protocol demands.

    An error carries no text, a cancelled turn may; a turn that never started
    has no duration.
    """
    files, warnings = attachments_of(act, limits)
    is_error = act.status == "error"
    parts = [notice, act.text, *warnings]
    return TurnEnd(
        request_id=turn.request_id,
        external_key=turn.external_key,
        session_id=turn.session.id,
        status=act.status if act.status in ("error", "cancelled") else "ok",
        final_text="" if is_error else "\n\n".join(part for part in parts if part),
        error_message=(act.error or FAILED) if is_error else None,
        usage=TurnUsage(
            duration_ms=None if turn.started_us < 0 else (now_us - turn.started_us) // 1000
        ),
        attachments=files if files and not is_error else ABSENT,
    )


def attachments_of(
    act: AgentEnds, limits: DesktopSettings
) -> tuple[tuple[TaskAttachment, ...], tuple[str, ...]]:
    """The files that may travel, and a warning line for each that may not."""
    taken: list[TaskAttachment] = []
    warnings: list[str] = []
    total = 0
    for name, mime_type, data in act.files:
        size = raw_size(data)
        limit = limits.image_bytes if is_supported_image_mime(mime_type) else limits.file_bytes
        if len(taken) >= limits.attachments:
            warnings.append(f"⚠ {name} was left out: too many files")
        elif size > limit or total + size > limits.attachments_bytes:
            warnings.append(f"⚠ {name} was left out: too large")
        elif not mime_type or not data:
            warnings.append(f"⚠ {name} was left out: it is empty")
        else:
            total += size
            taken.append(TaskAttachment(name=name, mime_type=mime_type, data_base64=data))
    return tuple(taken), tuple(warnings)


def raw_size(data_base64: str) -> int:
    """Bytes behind a base64 text."""
    return len(data_base64) * 3 // 4 - data_base64[-2:].count("=")
