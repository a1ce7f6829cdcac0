"""One row of the rule catalogue."""

from __future__ import annotations

from typing import Final

import attrs

DESKTOP: Final = "desktop"
SERVER: Final = "server"
BOTH: Final = "both"


@attrs.frozen
class Row:
    """A behaviour that the protocol document demands.

    ``section`` of the document, ``by`` whom it is obeyed, ``rule`` in one
    sentence, ``without`` what a person sees where it is broken.
    """

    id: str
    section: str
    by: str
    rule: str
    without: str

    @property
    def hosts(self) -> tuple[str, ...]:
        """The kinds of host that obey it."""
        return (DESKTOP, SERVER) if self.by == BOTH else (self.by,)
