"""The catalogue: everything that the protocol document demands, OT-01 … OT-65.

``ROWS`` is the text; ``frame_tables``, ``trials`` and ``tales`` hold what makes a row's
watcher fail. Who watches a row is derived, never listed: an invariant names its rows, a
frame check and a tale theirs, a mutant its invariant, a switch its rows.
"""

from __future__ import annotations

from sim.protocols.catalogue import Row
from sim.protocols.relay.catalogue import contracts, guarantees

ROWS: dict[str, Row] = {row.id: row for part in (contracts, guarantees) for row in part.ROWS}
