"""The catalogue: everything that the protocol document demands, QT-01 … QT-50, I1 … I10.

``ROWS`` is the text; ``trials``, ``frame_tables`` and ``tales`` hold what makes a row's
watcher fail. Who watches a row is derived, never listed.
"""

from __future__ import annotations

from sim.protocols.catalogue import Row
from sim.protocols.question.catalogue import contracts, failures

ROWS: dict[str, Row] = {row.id: row for part in (contracts, failures) for row in part.ROWS}
