"""The simulated browser of a node: tabs, pages and their traffic, as plain Python.

Knows neither world nor clock. ``web`` has the pages, ``browser`` the tabs, logins
and subscriptions, ``actions`` does one command (:func:`perform`), ``extraction`` is
the only one that knows the HTML library, ``intercept`` tells what a listener reports.

>>> from sim.protocols.relay.browser import Browser, Order, perform
>>> command = {"action": "primitive.tab.open", "payload": {"url": "https://example.com/"}}
>>> perform(Browser(), Order.of(command, new_tab="tab_1")).data["url"]
'https://example.com/'
"""

from __future__ import annotations

from sim.protocols.relay.browser.actions import PERFORMED, Order, perform, takes_ms
from sim.protocols.relay.browser.browser import Browser, Opening, Subscription, Tab
from sim.protocols.relay.browser.intercept import InterceptOptions, Update
from sim.protocols.relay.browser.login import LOGIN, LoginState
from sim.protocols.relay.browser.outcome import Done, Failed, HandedOver, Outcome
from sim.protocols.relay.browser.web import Exchange, Login, Page, Web, built_in_web

__all__ = [
    "LOGIN",
    "PERFORMED",
    "Browser",
    "Done",
    "Exchange",
    "Failed",
    "HandedOver",
    "InterceptOptions",
    "Login",
    "LoginState",
    "Opening",
    "Order",
    "Outcome",
    "Page",
    "Subscription",
    "Tab",
    "Update",
    "Web",
    "built_in_web",
    "perform",
    "takes_ms",
]
