"""What a node's browser does for each action of the protocol.

:func:`perform` does one command at once and says what came of it; how long that
would take in a browser says :func:`takes_ms`. A command whose outcome is
:class:`HandedOver` is performed again after the person has signed in or declined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import attrs

from sim.protocols.relay.browser.address import host_belongs_to, host_of
from sim.protocols.relay.browser.browser import Browser, Tab
from sim.protocols.relay.browser.faults import refuse_if_faulty
from sim.protocols.relay.browser.intercept import InterceptOptions
from sim.protocols.relay.browser.login import SIGNED_IN
from sim.protocols.relay.browser.outcome import Done, HandedOver, Outcome, Refusal, invalid
from sim.protocols.relay.browser.screenshot import MIME_TYPE, picture_base64
from sim.protocols.relay.browser.site_commands import (
    SITE_COMMANDS,
    Reading,
    SiteCommand,
    site_command,
)
from sim.protocols.relay.browser.web import Page
from sim.protocols.relay.constants import ALIAS_COMMAND, ALIAS_SITE, EXTRACT_ACTIONS, OWNER_FIELD
from sim.protocols.relay.frames.commands import tab_of
from sim.wire.exact import plain_object
from sim.wire.linkage import Wire

DOM_MS: Final = 20
SCREENSHOT_MS: Final = 60
QUICK_MS: Final = 5
UNREACHABLE_MS: Final = 30
MOST_QUOTED: Final = 20
"""So many texts at most tell what the selector of a query has found."""


@attrs.frozen
class Order:
    """A command as the browser gets it.

    ``new_tab`` is what the tab of a primitive.tab.open will be called; ``now_ms`` is
    when the work is done, in Unix milliseconds.
    """

    action: str
    payload: dict[str, Any]
    tab: str = ""
    request_id: str = ""
    new_tab: str = ""
    now_ms: int = 0

    @classmethod
    def of(cls, command: Wire, request_id: str = "", new_tab: str = "", now_ms: int = 0) -> Order:
        """From the payload of a command frame."""
        inner = plain_object(command.get("payload"))
        tab = tab_of(command) or ""
        return cls(str(command.get("action")), inner, tab, request_id, new_tab, now_ms)


_Action: TypeAlias = Callable[[Browser, Order], Done | HandedOver]


def perform(browser: Browser, order: Order) -> Outcome:
    """Do a command. Whatever is wrong with it is a :class:`Failed`, never an exception.

    A command that failed waits for no person any more.
    """
    try:
        act = PERFORMED.get(order.action)
        if act is None:
            raise invalid("unsupported_action", f"this node knows no action {order.action!r}")
        refuse_if_faulty(order.action, order.payload)
        return act(browser, order)
    except Refusal as refusal:
        browser.give_up(order.request_id, order.now_ms)
        return refusal.failed


def takes_ms(browser: Browser, order: Order) -> int:
    """How many milliseconds the browser would need for a command, as things stand."""
    url = order.payload.get("url")
    if order.action in ("primitive.tab.open", "primitive.tab.navigate"):
        return _loading_ms(browser, url)
    if order.action == "primitive.page.screenshot":
        return SCREENSHOT_MS + (_loading_ms(browser, url) if url else 0)
    if order.action.startswith("primitive.dom."):
        return DOM_MS
    site, id = order.payload.get("site"), order.payload.get("command")
    if order.action == "command.reddit_posts":
        site, id = ALIAS_SITE, ALIAS_COMMAND
    command = SITE_COMMANDS.get((str(site).strip().lower(), str(id)))
    if not order.action.startswith("command.") or command is None:
        return QUICK_MS
    return command.takes_ms(plain_object(order.payload.get("input")))


def _loading_ms(browser: Browser, url: object) -> int:
    page = browser.where_it_lands(url) if isinstance(url, str) else None
    return UNREACHABLE_MS if page is None else page.latency_ms


def _tab(browser: Browser, order: Order) -> Tab:
    if not order.tab:
        raise invalid("missing_tab_session", f"{order.action} works within a tab: name one")
    return browser.tab(order.tab)


# -- tabs


def open_tab(browser: Browser, order: Order) -> Done:
    """primitive.tab.open: a new managed tab, owned by whom the relay has written in."""
    owner = order.payload.get(OWNER_FIELD)
    named = owner if isinstance(owner, str) else ""
    url = order.payload["url"]
    tab = browser.open(order.new_tab, url, named, order.request_id, order.now_ms)
    return Done({"tabId": tab.number, "tabSessionId": tab.id, "url": tab.url})


def close_tab(browser: Browser, order: Order) -> Done:
    """primitive.tab.close."""
    tab = _tab(browser, order)
    browser.close(tab.id)
    return Done({"closed": True, "tabSessionId": tab.id})


def navigate_tab(browser: Browser, order: Order) -> Done:
    """primitive.tab.navigate."""
    tab = browser.navigate(_tab(browser, order).id, order.payload["url"], order.now_ms)
    return Done({"tabSessionId": tab.id, "url": tab.url})


def query_tabs(browser: Browser, order: Order) -> Done:
    """primitive.tab.query: all tabs, or the one that is named; ``selector`` asks what is in it."""
    tabs = [browser.tab(order.tab)] if order.tab else list(browser.tabs.values())
    return Done({"tabSessions": {tab.id: _described(tab, order.payload) for tab in tabs}})


def _described(tab: Tab, payload: Mapping[str, Any]) -> dict[str, Any]:
    wire: dict[str, Any] = {
        "tabId": tab.number,
        "url": tab.url,
        "title": tab.page.title,
        "status": "unresponsive" if tab.page.fails else "ready",
    }
    selector = payload.get("selector")
    if isinstance(selector, str) and selector and not tab.page.fails:
        found = _taken(lambda: _extraction().matches(tab.page.html, selector))
        wire.update(matches=len(found), texts=found[:MOST_QUOTED])
    return wire


def close_owned(browser: Browser, order: Order) -> Done:
    """primitive.tab.close_owned: every tab of one controller identity."""
    owner = order.payload["controllerClientId"]
    closed, missing = browser.close_owned(owner)
    return Done(
        {
            "controllerClientId": owner,
            "closedCount": closed,
            "missingCount": missing,
            "totalOwnedSessions": closed + missing,
        }
    )


# -- pages


def _extraction() -> Any:
    """The module of the HTML library: loaded by the first command that reads a page."""
    from sim.protocols.relay.browser import extraction

    return extraction


def _taken(take: Callable[[], Any]) -> Any:
    """What a reader of a page gives. Raises Refusal for a selector that fits nothing."""
    try:
        return take()
    except (ValueError, LookupError) as error:
        hint = "mend the selector, or leave it out"
        raise Refusal("command_failed", str(error), hint=hint) from error


def _html_of(page: Page) -> str:
    if page.fails:
        text = f"the content script at {page.url} does not answer"
        raise Refusal("bridge_failure", text, hint="navigate the tab elsewhere and back")
    return page.html


def _extract(format: str, field: str) -> _Action:
    def act(browser: Browser, order: Order) -> Done:
        tab = _tab(browser, order)
        html = _html_of(tab.page)
        selector = order.payload.get("selector") or ""
        content = _taken(lambda: _extraction().extract(html, format, selector, tab.url))
        data = {"tabSessionId": tab.id, field: content}
        return Done({**data, "selector": selector} if selector else data)

    return act


def screenshot(browser: Browser, order: Order) -> Done:
    """primitive.page.screenshot: of an address if one is given, else of the tab."""
    url, tab = order.payload.get("url"), browser.tab(order.tab) if order.tab else None
    page = tab.page if tab else None
    if url:
        page = browser.where_it_lands(url)
        if page is None or page.fails == "refused":
            raise Refusal("tab_url_not_ready", f"{url} did not load")
    if page is None:
        raise invalid("missing_tab_session", "a screenshot needs a tab or a url")
    title = f"{page.url} {page.title}"
    data = {
        "mimeType": MIME_TYPE,
        "dataBase64": picture_base64(title, _extraction().outline(_html_of(page))),
    }
    return Done({**data, "tabSessionId": tab.id} if tab else data)


# -- commands of sites


def list_commands(browser: Browser, order: Order) -> Done:
    """command.list."""
    return Done({"commands": [one.descriptor() for one in SITE_COMMANDS.values()]})


def run_command(browser: Browser, order: Order) -> Done | HandedOver:
    """command.run."""
    return _carried_out(browser, order, order.payload["site"], order.payload["command"])


def test_command(browser: Browser, order: Order) -> Done | HandedOver:
    """command.test: the test hook of a command, or else the command itself."""
    return _carried_out(browser, order, order.payload["site"], order.payload["command"], True)


def reddit_posts(browser: Browser, order: Order) -> Done | HandedOver:
    """command.reddit_posts: the old name of one command.run."""
    return _carried_out(browser, order, ALIAS_SITE, ALIAS_COMMAND)


def _carried_out(
    browser: Browser, order: Order, site: str, id: str, as_test: bool = False
) -> Done | HandedOver:
    command = site_command(site, id)
    given = order.payload.get("input", {})
    command.check_input(given)
    tab = browser.tab(order.tab) if order.tab else None
    if tab is not None and not host_belongs_to(tab.host, command.site):
        text = f"tab {tab.id} is at {tab.host}, the command belongs to {command.site}"
        raise invalid("site_mismatch", text, "navigate the tab first")
    waits = _who_is_needed(browser, order, command, tab)
    if waits is not None:
        return waits
    if tab is not None:
        _html_of(browser.tab(tab.id).page)
        tab = browser.tab(tab.id)
    hook = command.test if as_test and command.test is not None else command.run
    data = hook(Reading(browser, tab, given))
    return Done({"tabSessionId": tab.id, **data} if tab else data)


def _who_is_needed(
    browser: Browser, order: Order, command: SiteCommand, tab: Tab | None
) -> HandedOver | None:
    """The hand-over that a command has to wait for. Raises Refusal where it must not wait."""
    mode = order.payload.get("authMode", "auto")
    if not command.requires_auth or mode == "skip":
        return None
    if browser.login(command.site).state == SIGNED_IN:
        return None
    text = f"nobody is signed in at {command.site}"
    hint = "let the person at the node sign in there, then try again"
    if mode == "strict_fail" or tab is None:
        raise Refusal("manual_login_required", text, hint=hint)
    if not browser.hand_over(command.site, tab.id, order.request_id, order.now_ms):
        raise Refusal("manual_login_required", f"{text}: the person has declined", hint=hint)
    return HandedOver(command.site, tab.id, browser.tab(tab.id).url)


# -- listeners


def subscribe(browser: Browser, order: Order) -> Done:
    """listener.subscribe; its updates are then to be taken from the browser."""
    options = InterceptOptions.read(order.payload["options"])
    tab = browser.tab(options.tab_session_id)
    if not host_belongs_to(host_of(tab.url), options.site):
        text = f"tab {tab.id} is at {tab.host}, not at {options.site}"
        raise invalid("site_mismatch", text, "name the site of the tab")
    browser.subscribe(order.request_id, options, order.now_ms)
    listener = order.payload["listener"]
    return Done({"listener": listener, "subscribed": True, "options": options.to_wire()})


def unsubscribe(browser: Browser, order: Order) -> Done:
    """listener.unsubscribe."""
    target = order.payload["targetRequestId"]
    if not browser.unsubscribe(target):
        raise Refusal("listener_not_found", f"nothing is subscribed under {target!r}")
    return Done({"targetRequestId": target, "unsubscribed": True})


_FIELDS: Final = {"markdown": "markdown", "text": "text"}

PERFORMED: Final[Mapping[str, _Action]] = MappingProxyType(
    {
        "command.list": list_commands,
        "command.run": run_command,
        "command.test": test_command,
        "command.reddit_posts": reddit_posts,
        "primitive.tab.open": open_tab,
        "primitive.tab.close": close_tab,
        "primitive.tab.navigate": navigate_tab,
        "primitive.tab.query": query_tabs,
        **{action: _extract(fmt, _FIELDS.get(fmt, "html")) for fmt, action in EXTRACT_ACTIONS},
        "primitive.page.screenshot": screenshot,
        "listener.subscribe": subscribe,
        "listener.unsubscribe": unsubscribe,
        "primitive.tab.close_owned": close_owned,
    }
)
"""Action to what does it; raises Refusal, so call :func:`perform`."""
