"""What a guest can be told to do."""

from __future__ import annotations

import msgspec


class DoKnock(msgspec.Struct, frozen=True, tag_field="is", tag="knock"):
    """Knock, under this id."""

    knock: str
