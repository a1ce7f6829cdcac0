"""The browser itself: managed tabs with their owners, logins and subscriptions.

Plain state and plain functions: no clock, no ids of its own. Whoever runs it says
what time it is (``now_ms``, Unix milliseconds) and how a new tab is called. What
takes time in a real browser is done at once here; :mod:`.actions` says how long it
would take, so that a node can wait before.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import attrs

from sim.protocols.relay.browser.address import host_belongs_to, host_of, normalized
from sim.protocols.relay.browser.intercept import (
    InterceptOptions,
    Update,
    is_reported,
    sightings,
    updates_of,
)
from sim.protocols.relay.browser.login import HANDED_OVER, SIGNED_IN, LoginState
from sim.protocols.relay.browser.outcome import Refusal
from sim.protocols.relay.browser.web import Page, Web, built_in_web

MOST_CLOSED_TABS: Final = 1_000
"""So many closed tabs are remembered, to tell them from tabs that never were."""


@attrs.frozen
class Tab:
    """A managed tab and the page in it; ``load`` counts the loads of the whole browser."""

    id: str
    number: int
    url: str
    page: Page
    load: int
    loaded_at_ms: int
    back_to: str = ""

    @property
    def host(self) -> str:
        """Whose page it is."""
        return host_of(self.url)


@attrs.define
class Subscription:
    """A listener on one tab: what it reports, and how far it has come.

    It outlives its tab, in silence: whoever turns it off later is told that it worked.
    ``told`` sightings of load ``load`` are dealt with; ``pending`` are updates of
    earlier loads that nobody has fetched yet.
    """

    options: InterceptOptions
    since_ms: int
    load: int
    told: int
    pending: list[Update] = attrs.field(factory=list)


@attrs.define
class Opening:
    """A tab in the making; ``unwanted`` once its owner has been cleaned up after."""

    owner: str
    unwanted: bool = False


@attrs.define
class Browser:
    """Everything that one node's browser holds.

    ``owners`` outlives a tab that the person has closed: the cleanup counts it as missing.
    """

    web: Web = attrs.field(factory=built_in_web, eq=False)
    tabs: dict[str, Tab] = attrs.field(factory=dict)
    owners: dict[str, str] = attrs.field(factory=dict)
    closed: dict[str, None] = attrs.field(factory=dict)
    openings: dict[str, Opening] = attrs.field(factory=dict)
    logins: dict[str, LoginState] = attrs.field(factory=dict)
    subscriptions: dict[str, Subscription] = attrs.field(factory=dict)
    counters: dict[str, int] = attrs.field(factory=dict)
    loads: int = 0
    numbers: int = 0

    # -- tabs

    def tab(self, id: str) -> Tab:
        """A tab that is there. Raises Refusal: unknown_tab_session or tab_session_closed."""
        found = self.tabs.get(id)
        if found is not None:
            return found
        if id in self.closed:
            raise Refusal("tab_session_closed", f"tab {id} has been closed", hint="open a new tab")
        raise Refusal("unknown_tab_session", f"no tab is called {id}", hint="query the tabs")

    def begin_open(self, request_id: str, owner: str) -> None:
        """A tab is being made for an owner from now on, so that a cleanup meanwhile counts."""
        self.openings[request_id] = Opening(owner)

    def forget_open(self, request_id: str) -> None:
        """The tab in the making will not come, the command was cancelled."""
        self.openings.pop(request_id, None)

    def open(self, id: str, url: str, owner: str, request_id: str, now_ms: int) -> Tab:
        """A new tab at an address.

        Raises Refusal with tab_create_failed where nothing loads, or the name is
        taken, or its owner was cleaned up after while the tab was in the making.
        """
        opening = self.openings.pop(request_id, None)
        if not id or id in self.tabs or id in self.closed:
            raise Refusal("tab_create_failed", f"a new tab cannot be called {id!r}")
        tab = self._loaded(id, url, now_ms, "tab_create_failed")
        if opening is not None and opening.unwanted:
            self._note_closed(id)
            raise Refusal("tab_session_closed", f"the owner of tab {id} is gone")
        self.numbers += 1
        self.tabs[id] = attrs.evolve(tab, number=self.numbers)
        if owner:
            self.owners[id] = owner
        return self.tabs[id]

    def navigate(self, id: str, url: str, now_ms: int) -> Tab:
        """Lead a tab elsewhere. Raises Refusal; the tab then stays where it was."""
        tab = self._loaded(id, url, now_ms, "tab_url_not_ready", self.tab(id).number)
        self._bring_up(id, now_ms)
        self.tabs[id] = tab
        return tab

    def close(self, id: str) -> None:
        """Close a tab; it has no owner and no listeners any more. Raises Refusal."""
        self.tab(id)
        self._drop(id)
        self.owners.pop(id, None)

    def person_closes(self, id: str) -> None:
        """The person at the browser closes a tab; the node keeps in mind whose it was."""
        self.tab(id)
        self._drop(id)

    def close_owned(self, owner: str) -> tuple[int, int]:
        """Close the tabs of one owner, and no others: how many were there, how many missing."""
        owned = [id for id, name in self.owners.items() if name == owner]
        there = [id for id in owned if id in self.tabs]
        for id in there:
            self._drop(id)
        for id in owned:
            del self.owners[id]
        for opening in self.openings.values():
            if opening.owner == owner:
                opening.unwanted = True
        return len(there), len(owned) - len(there)

    def where_it_lands(self, url: str) -> Page | None:
        """The page that an address leads to now: its own, or the entrance of its site."""
        address = normalized(url)
        page = None if address is None else self.web.page(address)
        if page is None or not page.needs_login:
            return page
        login = self.web.login_for(host_of(page.url))
        if login is None or self.login(login.site).state == SIGNED_IN:
            return page
        return self.web.page(login.url)

    def _loaded(self, id: str, url: str, now_ms: int, code: str, number: int = 0) -> Tab:
        address = normalized(url)
        if address is None:
            raise Refusal(code, f"{url!r} is no web address", hint="give an http or https URL")
        page = self.where_it_lands(address)
        if page is None:
            host = host_of(address)
            nothing = "no page there" if self.web.knows_host(host) else f"no host {host}"
            raise Refusal(code, f"{address} did not load: {nothing}")
        if page.fails == "refused":
            raise Refusal(code, f"{address} did not load: connection refused")
        self.loads += 1
        entrance = self.web.login_for(host_of(page.url))
        led_away = page.url != address and entrance is not None and page.url == entrance.url
        where, back = (page.url, address) if led_away else (address, "")
        return Tab(id, number, where, page, self.loads, now_ms, back)

    def _drop(self, id: str) -> None:
        del self.tabs[id]
        self._note_closed(id)

    def _note_closed(self, id: str) -> None:
        self.closed[id] = None
        if len(self.closed) > MOST_CLOSED_TABS:
            del self.closed[next(iter(self.closed))]

    # -- logins

    def login(self, site: str) -> LoginState:
        """How a site stands."""
        return self.logins.setdefault(site, LoginState())

    def hand_over(self, site: str, tab_id: str, request_id: str, now_ms: int) -> bool:
        """Ask a person to sign in, in a tab, for a command. False: the person has declined."""
        login = self.login(site)
        if request_id in login.declined:
            login.declined.remove(request_id)
            return False
        login.take("hand over")
        if request_id not in login.waiting:
            login.waiting.append(request_id)
        entrance = self.web.login_for(site)
        tab = self.tab(tab_id)
        if entrance is not None and tab.url != entrance.url:
            self.navigate(tab_id, entrance.url, now_ms)
            self.tabs[tab_id] = attrs.evolve(self.tabs[tab_id], back_to=tab.url)
        return True

    def person_signs_in(self, site: str, now_ms: int) -> None:
        """The person signs in; tabs at the entrance go back where they were wanted."""
        login = self.login(site)
        login.take("sign in")
        login.waiting.clear()
        login.declined.clear()
        self._leave_the_entrance(site, now_ms)

    def person_declines(self, site: str) -> bool:
        """The person does not sign in; commands that wait learn it when they are tried again."""
        login = self.login(site)
        if not login.take("decline"):
            return False
        login.declined += login.waiting
        login.waiting.clear()
        return True

    def sign_out(self, site: str) -> bool:
        """The site has forgotten the person; False where nobody was signed in."""
        return self.login(site).take("sign out")

    def give_up(self, request_id: str, now_ms: int) -> None:
        """A command waits no longer for a person; with the last one the hand-over ends.

        To be said of a command that was cancelled or has run out of time while it waited.
        """
        for site, login in self.logins.items():
            if request_id in login.declined:
                login.declined.remove(request_id)
            if request_id not in login.waiting:
                continue
            login.waiting.remove(request_id)
            if login.state == HANDED_OVER and not login.waiting:
                login.take("give up")
                self._leave_the_entrance(site, now_ms)

    def _leave_the_entrance(self, site: str, now_ms: int) -> None:
        for tab in list(self.tabs.values()):
            if tab.back_to and host_belongs_to(tab.host, site):
                with suppress(Refusal):  # what does not load leaves the tab at the entrance
                    self.navigate(tab.id, tab.back_to, now_ms)

    # -- listeners

    def subscribe(self, request_id: str, options: InterceptOptions, now_ms: int) -> None:
        """Report the traffic of a tab from now on. Raises Refusal for a tab that is not there."""
        tab = self.tab(options.tab_session_id)
        before = [one for one in sightings(tab.page, tab.loaded_at_ms) if one.at_ms < now_ms]
        self.subscriptions[request_id] = Subscription(options, now_ms, tab.load, len(before))

    def unsubscribe(self, request_id: str) -> bool:
        """Report nothing more; False where there was no such subscription."""
        return self.subscriptions.pop(request_id, None) is not None

    def next_update_ms(self, request_id: str) -> int | None:
        """When a subscription has something to tell next; None: nothing, as things stand."""
        one = self.subscriptions.get(request_id)
        if one is None:
            return None
        if one.pending:
            return one.pending[0].at_ms
        tab = self.tabs.get(one.options.tab_session_id)
        if tab is None:
            return None
        told = one.told if one.load == tab.load else 0
        for sighting in sightings(tab.page, tab.loaded_at_ms)[told:]:
            if is_reported(one.options, sighting, one.since_ms):
                return sighting.at_ms
        return None

    def take_updates(self, request_id: str, now_ms: int) -> list[Update]:
        """The updates of a subscription up to now that were not taken yet, in order of time."""
        one = self.subscriptions.get(request_id)
        if one is None:
            return []
        self._collect(one, now_ms)
        taken, one.pending = one.pending, []
        return taken

    def _bring_up(self, tab_id: str, now_ms: int) -> None:
        """Before a tab leaves its page: what that page has sent so far is not lost."""
        for one in self.subscriptions.values():
            if one.options.tab_session_id == tab_id:
                self._collect(one, now_ms)

    def _collect(self, one: Subscription, now_ms: int) -> None:
        tab = self.tabs.get(one.options.tab_session_id)
        if tab is None:
            return
        if one.load != tab.load:
            one.load, one.told = tab.load, 0
        for sighting in sightings(tab.page, tab.loaded_at_ms)[one.told :]:
            if sighting.at_ms > now_ms:
                break
            one.told += 1
            if is_reported(one.options, sighting, one.since_ms):
                one.pending += updates_of(one.options, sighting, tab.load)
