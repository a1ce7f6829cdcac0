"""One builder per message type."""

from __future__ import annotations

from typing import Final

from sim.protocols.bell import frames

from sim.wire.build import builder

make_knock: Final = builder(frames.Knock)
make_open: Final = builder(frames.Open)
