"""What a node keeps in mind of its work, and what it keeps for its next life."""

from __future__ import annotations

from typing import Any

import attrs
import msgspec

from sim.core.op import Connection
from sim.protocols.relay.browser import Done, Failed, Order
from sim.protocols.relay.machine_peer import ACCEPTED, JOB
from sim.protocols.relay.node.ledger import Deed


@attrs.define(eq=False)
class Job:
    """One command at work. ``name`` is unique among the jobs of a life, and names its timer.

    Its answer is waited for on ``conn``, and nowhere else; ``is_told``: no more. ``key``
    is the idempotencyKey under which the ledger has it, "" for none.
    """

    name: str
    request_id: str
    conn: Connection
    order: Order
    deed: Deed
    key: str = ""
    state: str = ACCEPTED
    begun_us: int = 0
    is_told: bool = False

    def fire(self, trigger: str) -> None:
        """Take a row of the table. Raises LocalProtocolError for one that is not there."""
        self.state = JOB.step(self.state, trigger)

    @property
    def tab(self) -> str:
        """The tab that nothing else may work in meanwhile, "" for none."""
        return self.order.tab


@attrs.frozen
class Outcome:
    """What a keyed command has come to, and the requestId under which it was first told."""

    request_id: str
    end: Done | Failed


class TabRow(msgspec.Struct, frozen=True, gc=False):
    """A managed tab as the browser keeps it; times in Unix milliseconds."""

    id: str
    number: int
    url: str
    back_to: str
    load: int
    loaded_at_ms: int


class BrowserRow(msgspec.Struct, frozen=True, gc=False):
    """What a browser holds while its node is down.

    ``owners`` are (tabSessionId, identity), ``signed_in`` sites, ``counters`` (name,
    count), ``named`` how many tabs have got a name.
    """

    tabs: tuple[TabRow, ...] = ()
    owners: tuple[tuple[str, str], ...] = ()
    signed_in: tuple[str, ...] = ()
    counters: tuple[tuple[str, int], ...] = ()
    loads: int = 0
    numbers: int = 0
    named: int = 0


class LedgerRow(msgspec.Struct, frozen=True, gc=False):
    """A keyed command: what was asked, and once it has ended, its outcome.

    ``data`` is that of a good outcome; a bad one has ``code``. ``ended_ms`` None: it
    had begun when this was written, and nobody knows how far it came.
    """

    request_id: str
    action: str
    tab: str | None
    payload: dict[str, Any]
    ended_ms: int | None = None
    data: dict[str, Any] | None = None
    code: str = ""
    message: str = ""
    stage: str = ""
    hint: str = ""
