"""What a served OpenCode and a served Telegram are, beside their scenario."""

from __future__ import annotations

from typing import Final

import attrs

TWINS: Final = ("hook", "listener")
"""Who may be a twin or a real program; the rest are twins."""


@attrs.frozen
class Served:
    """What is wanted beside the two servers.

    ``twins`` of hook and listener; ``hook_url`` where a real hook hears of tools ("":
    nowhere); ``store``: the real pending file of the twins ("": a simulated one); ``demo``:
    whether a question is asked at the beginning; ``directory`` "" is the present one.
    """

    twins: frozenset[str] = frozenset()
    hook_url: str = ""
    store: str = ""
    demo: bool = True
    directory: str = ""
    opencode_port: int = 0
    telegram_port: int = 0
