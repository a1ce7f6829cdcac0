"""A site that wants to know who is there: the hand-over to a person.

The prose of the table: a command that needs a signed-in person finds nobody and
hands its tab over; the person signs in or declines, or every command that waited
gives up. What waited for a person who declined ends with ``manual_login_required``;
a later command may ask again.
"""

from __future__ import annotations

from typing import Final

import attrs

from sim.core.table import Table

SIGNED_OUT: Final = "SIGNED_OUT"
HANDED_OVER: Final = "HANDED_OVER"
SIGNED_IN: Final = "SIGNED_IN"
DECLINED: Final = "DECLINED"

LOGIN: Final = Table(
    "login of a site",
    SIGNED_OUT,
    {
        SIGNED_OUT: {"hand over": HANDED_OVER, "sign in": SIGNED_IN},
        HANDED_OVER: {
            "hand over": HANDED_OVER,
            "sign in": SIGNED_IN,
            "decline": DECLINED,
            "give up": SIGNED_OUT,
        },
        DECLINED: {"hand over": HANDED_OVER, "sign in": SIGNED_IN},
        SIGNED_IN: {"sign in": SIGNED_IN, "sign out": SIGNED_OUT},
    },
)


@attrs.define
class LoginState:
    """How one site stands.

    ``waiting`` are the requestIds of commands that wait for a person, ``declined``
    those that have waited for one who declined and do not know it yet.
    """

    state: str = SIGNED_OUT
    waiting: list[str] = attrs.field(factory=list)
    declined: list[str] = attrs.field(factory=list)

    def take(self, trigger: str) -> bool:
        """Go through a row of the table; False where there is none."""
        if not LOGIN.can(self.state, trigger):
            return False
        self.state = LOGIN.step(self.state, trigger)
        return True
