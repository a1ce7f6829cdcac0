"""What outlives a node's process: its browser's tabs, people, effects, and the ledger."""

from __future__ import annotations

from sim.core.actor import Store
from sim.protocols.relay.browser import Browser, Done, Failed, LoginState, Tab, Web
from sim.protocols.relay.browser.login import SIGNED_IN
from sim.protocols.relay.node.ledger import Deed, Ledger
from sim.protocols.relay.node.plan import NodePlan
from sim.protocols.relay.node.records import BrowserRow, LedgerRow, Outcome, TabRow

BROWSER = "browser"
LEDGER = "ledger/"
INTERRUPTED = Failed(
    "command_failed",
    "the node went down while this ran; how far it came nobody knows",
    hint="look at the page before trying again with another idempotencyKey",
)


TabRows = dict[str, tuple[Tab, TabRow]]
"""Rows that were made before, with the tabs as they were then: most tabs stay as they are."""


def row_of(browser: Browser, named: int, rows: TabRows) -> BrowserRow:
    """The durable part of a browser. Subscriptions and hand-overs belong to sessions."""
    for id, tab in browser.tabs.items():
        if id not in rows or rows[id][0] is not tab:
            row = TabRow(id, tab.number, tab.url, tab.back_to, tab.load, tab.loaded_at_ms)
            rows[id] = (tab, row)
    for id in [id for id in rows if id not in browser.tabs]:
        del rows[id]
    tabs = tuple(rows[id][1] for id in browser.tabs)
    signed_in = tuple(site for site, one in browser.logins.items() if one.state == SIGNED_IN)
    return BrowserRow(
        tabs,
        tuple(browser.owners.items()),
        signed_in,
        tuple(browser.counters.items()),
        browser.loads,
        browser.numbers,
        named,
    )


def browser_of(row: BrowserRow, web: Web) -> Browser:
    """The browser of a row; a tab whose page is no longer in the web is gone."""
    browser = Browser(web, loads=row.loads, numbers=row.numbers)
    for one in row.tabs:
        page = web.page(one.url)
        if page is not None:
            browser.tabs[one.id] = Tab(
                one.id, one.number, one.url, page, one.load, one.loaded_at_ms, one.back_to
            )
    browser.owners.update(row.owners)
    browser.counters.update(row.counters)
    browser.logins.update({site: LoginState(SIGNED_IN) for site in row.signed_in})
    return browser


def first_browser(plan: NodePlan, web: Web, now_ms: int) -> Browser:
    """The browser of a node's first life, as the plan describes it.

    Raises Refusal for a tab whose address leads nowhere.
    """
    browser = Browser(web)
    for site in plan.signed_in:
        browser.person_signs_in(site, now_ms)
    for id, url, owner in plan.tabs:
        browser.open(id, url, owner, "", now_ms)
    return browser


def begun_row(deed: Deed, request_id: str) -> LedgerRow:
    """The row of a keyed command that has begun."""
    return LedgerRow(request_id, deed.action, deed.tab, deed.payload)


def ended_row(deed: Deed, outcome: Outcome, now_ms: int) -> LedgerRow:
    """The row of a keyed command that has ended."""
    asked = (outcome.request_id, deed.action, deed.tab, deed.payload, now_ms)
    end = outcome.end
    if isinstance(end, Done):
        return LedgerRow(*asked, data=end.data)
    return LedgerRow(*asked, None, end.code, end.message, end.stage, end.hint)


def recall(ledger: Ledger, store: Store, now_ms: int) -> None:
    """Fill a ledger from the rows of earlier lives.

    What had begun and never ended is not done again: it has failed, as far as is known.
    """
    rows = [(name, row) for name, row in store.items(LEDGER)]
    rows.sort(key=lambda one: now_ms if one[1].ended_ms is None else one[1].ended_ms)
    for name, row in rows:
        deed = Deed(row.action, row.tab, row.payload)
        end: Done | Failed = INTERRUPTED
        if row.data is not None:
            end = Done(row.data)
        elif row.code:
            end = Failed(row.code, row.message, row.stage, row.hint)
        ended_ms = now_ms if row.ended_ms is None else row.ended_ms
        ledger.recall(name[len(LEDGER) :], deed, Outcome(row.request_id, end), ended_ms)
