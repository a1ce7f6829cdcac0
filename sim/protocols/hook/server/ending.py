"""What a ``turn.end`` looks like in a channel: text, chip and files (§7).

Files are shown by their names. Both ends judge images by the same predicate
(HK-202): where only images can be shown, others are left out; elsewhere an
image of a foreign kind is a file like any other. What is too large, or one too
many, is named as such, so that nobody looks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sim.channel.api import CANCELLED, FAILED, OK
from sim.protocols.hook.frames import TaskAttachment, TurnEnd
from sim.protocols.hook.predicates import is_supported_image_mime
from sim.protocols.hook.server.line import Picture
from sim.protocols.hook.server.manners import Manners
from sim.protocols.hook.server.texts import CANCELLED_TEXT
from sim.wire.absent import ABSENT

CHIPS = {"ok": OK, "error": FAILED, "cancelled": CANCELLED}
MIB = 1024 * 1024
MOST_IMAGE_BYTES = 5 * MIB
MOST_FILE_BYTES = 10 * MIB
MOST_BYTES = 30 * MIB


def terminal(claim: Any, body: TurnEnd, manners: Manners, by: str) -> Picture:
    """The picture of an end."""
    text = body.final_text
    if body.status == "error":
        text = body.error_message or text
    elif body.status == "cancelled":
        text = text or CANCELLED_TEXT
    files: tuple[str, ...] = ()
    if body.attachments is not ABSENT:
        files = shown_files(body.attachments, manners)
    chip = CHIPS[body.status]
    return Picture(claim, manners.fit_final(text), chip, final=True, files=files, by=by)


def shown_files(attachments: Sequence[TaskAttachment], manners: Manners) -> tuple[str, ...]:
    """The names that a reader sees."""
    names: list[str] = []
    left_out = total = 0
    for file in attachments:
        is_image = is_supported_image_mime(file.mime_type)
        if manners.images_only and not is_image:
            continue
        name = file.name or file.mime_type
        size = raw_bytes(file.data_base64)
        if size > (MOST_IMAGE_BYTES if is_image else MOST_FILE_BYTES) or total + size > MOST_BYTES:
            if not manners.images_only:
                names.append(f"{name} (too large)")
        elif len(names) >= manners.files:
            left_out += 1
        else:
            total += size
            names.append(name)
    if left_out and not manners.images_only:
        names.append(f"{left_out} more")
    return tuple(names)


def raw_bytes(base64: str) -> int:
    """The size of what a base64 text holds, without decoding it."""
    padding = len(base64) - len(base64.rstrip("="))
    return len(base64) * 3 // 4 - padding
