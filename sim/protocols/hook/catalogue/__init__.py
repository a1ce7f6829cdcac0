"""The catalogue: everything that the protocol document demands, HK-01 … HK-204.

``ROWS`` is the text; ``frame_checks`` and ``tales`` hold what makes a row's
watcher fail. Who watches a row is derived, never listed: an invariant names its
rows, a frame check and a tale theirs, a mutant its invariant, a switch its rows.
"""

from __future__ import annotations

from sim.protocols.hook.catalogue import (
    continuing,
    principles,
    providers,
    reliability,
    results,
    talk,
)
from sim.protocols.hook.catalogue.row import Row

ROWS: dict[str, Row] = {
    row.id: row
    for part in (principles, reliability, results, providers, talk, continuing)
    for row in part.ROWS
}
