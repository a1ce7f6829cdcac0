"""What a person who looks at a run may let the people and programs in it do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from sim.protocols.relay.constants import CONTROLLER, NODE

_PEER: Final[tuple[tuple[str, Mapping[str, object]], ...]] = (
    ("disconnects", {"is": "disconnect"}),
    ("connects", {"is": "connect"}),
    ("dials anew", {"is": "redial"}),
    ("stops pinging", {"is": "pings", "on": False}),
)

OFFERS: Final[Mapping[str, Sequence[tuple[str, Mapping[str, object]]]]] = MappingProxyType(
    {
        CONTROLLER: (
            ("queries the tabs", {"is": "command", "action": "primitive.tab.query"}),
            (
                "opens a tab",
                {
                    "is": "command",
                    "action": "primitive.tab.open",
                    "payload": {"url": "https://example.com/"},
                },
            ),
            *_PEER,
        ),
        NODE: (
            ("slows down 2 s", {"is": "slow", "ms": 2_000}),
            ("fails the next command", {"is": "fail"}),
            ("never ends the next command", {"is": "hang"}),
            *_PEER,
        ),
    }
)
"""Acts by kind of host, as a trace writes them, with the words for them."""
