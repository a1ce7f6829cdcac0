"""What a person who looks at a run may let the people and programs in it do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from sim.protocols.question.constants import OPENCODE, STORE

OFFERS: Final[Mapping[str, Sequence[tuple[str, Mapping[str, object]]]]] = MappingProxyType(
    {
        OPENCODE: (
            ("an agent asks", {"is": "ask", "session": "ses_1"}),
            ("an agent of another session asks", {"is": "ask", "session": "ses_2"}),
            ("an agent runs another tool", {"is": "tool", "session": "ses_1", "tool": "bash"}),
        ),
        STORE: (
            ("a lock is left behind", {"is": "leave-lock", "age_ms": 20_000}),
            ("the next write stops half-way", {"is": "tear"}),
            ("the file is garbage", {"is": "break"}),
        ),
        "person": (
            ("presses A", {"is": "press", "message": "", "button": "A"}),
            ("says hello", {"is": "say", "text": "hello"}),
        ),
    }
)
"""Acts by kind of host, as a trace writes them, with the words for them."""
