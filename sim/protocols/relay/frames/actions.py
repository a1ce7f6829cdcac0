"""The actions of commands: what the inner payload holds and what comes back.

The relay passes inner payloads on unread, apart from the tab and the target of
an unsubscribe; nodes look at them. The actions of listeners are in ``listeners``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from sim.protocols.relay.constants import AUTH_MODES, CONTROLLER, OWNER_FIELD, RELAY
from sim.protocols.relay.frames import answers
from sim.protocols.relay.frames.envelope import (
    ACTIONS_SECTION,
    CONTROLLER_TO_NODE,
    OWNERSHIP_SECTION,
    RELAY_TO_NODE,
)
from sim.protocols.relay.frames.inner import ActionBody
from sim.protocols.relay.frames.listeners import Subscribe, Unsubscribe
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import message, wire
from sim.wire.spec import ANY_TEXT, SOME_TEXT, AnyObject, Anything, Choice


@message(
    "command.list",
    direction=CONTROLLER_TO_NODE,
    section=ACTIONS_SECTION,
    example={},
    senders=(CONTROLLER,),
)
class ListCommands(ActionBody):
    """Asks which commands the node's sites have."""

    ANSWER = answers.CommandList


@message(
    "command.run",
    direction=CONTROLLER_TO_NODE,
    section=ACTIONS_SECTION,
    example={"site": "reddit.com", "command": "getPosts", "input": {"minReturnedPosts": 20}},
    senders=(CONTROLLER,),
)
class RunCommand(ActionBody):
    """Carries out a command of a site."""

    ANSWER = answers.CommandAnswer

    site: str = wire(SOME_TEXT)
    command: str = wire(SOME_TEXT)
    input: dict[str, Any] | Absent = wire(AnyObject(), default=ABSENT)
    auth_mode: str | Absent = wire(Choice(AUTH_MODES), default=ABSENT)


@message(
    "command.test",
    direction=CONTROLLER_TO_NODE,
    section=ACTIONS_SECTION,
    example={"site": "reddit.com", "command": "getPosts", "input": {"minReturnedPosts": 20}},
    senders=(CONTROLLER,),
)
class TestCommand(ActionBody):
    """Carries out the test hook of a command; the command itself where it has none."""

    ANSWER = answers.TestAnswer

    site: str = wire(SOME_TEXT)
    command: str = wire(SOME_TEXT)
    input: dict[str, Any] | Absent = wire(AnyObject(), default=ABSENT)
    auth_mode: str | Absent = wire(Choice(AUTH_MODES), default=ABSENT)


@message(
    "command.reddit_posts",
    direction=CONTROLLER_TO_NODE,
    section=ACTIONS_SECTION,
    example={"input": {"minReturnedPosts": 20}},
    senders=(CONTROLLER,),
)
class RedditPosts(ActionBody):
    """Old name of command.run with site reddit.com and command getPosts."""

    ANSWER = answers.CommandAnswer

    input: dict[str, Any] | Absent = wire(AnyObject(), default=ABSENT)
    auth_mode: str | Absent = wire(Choice(AUTH_MODES), default=ABSENT)


@message(
    "primitive.tab.open",
    direction=CONTROLLER_TO_NODE,
    section=ACTIONS_SECTION,
    example={"url": "https://example.com/"},
    senders=(CONTROLLER,),
)
class TabOpen(ActionBody):
    """Opens a managed tab. The relay writes the owner over whatever stands there."""

    ANSWER = answers.TabOpened

    url: str = wire(SOME_TEXT)
    owner: Any = wire(Anything(), default=ABSENT, name=OWNER_FIELD)


@message(
    "primitive.tab.close",
    direction=CONTROLLER_TO_NODE,
    section=ACTIONS_SECTION,
    example={},
    senders=(CONTROLLER,),
)
class TabClose(ActionBody):
    """Closes a managed tab."""

    ANSWER = answers.TabClosed


@message(
    "primitive.tab.navigate",
    direction=CONTROLLER_TO_NODE,
    section=ACTIONS_SECTION,
    example={"url": "https://example.com/next"},
    senders=(CONTROLLER,),
)
class TabNavigate(ActionBody):
    """Leads a managed tab elsewhere."""

    ANSWER = answers.TabNavigated

    url: str = wire(SOME_TEXT)


@message(
    "primitive.tab.query",
    direction=CONTROLLER_TO_NODE,
    section=ACTIONS_SECTION,
    example={},
    senders=(CONTROLLER,),
)
class TabQuery(ActionBody):
    """Asks for the state of the managed tabs, and what a selector finds in them."""

    ANSWER = answers.TabsFound

    selector: str | Absent = wire(ANY_TEXT, default=ABSENT)


@message(
    "primitive.dom.extract_text",
    direction=CONTROLLER_TO_NODE,
    section=ACTIONS_SECTION,
    example={"selector": "main"},
    senders=(CONTROLLER,),
)
class ExtractText(ActionBody):
    """Takes the visible text out of a tab."""

    ANSWER = answers.ExtractedText

    selector: str | Absent = wire(ANY_TEXT, default=ABSENT)


@message(
    "primitive.dom.extract_html",
    direction=CONTROLLER_TO_NODE,
    section=ACTIONS_SECTION,
    example={"selector": "main"},
    senders=(CONTROLLER,),
)
class ExtractHtml(ActionBody):
    """Takes the HTML of a page as it is."""

    ANSWER = answers.ExtractedHtml

    selector: str | Absent = wire(ANY_TEXT, default=ABSENT)


@message(
    "primitive.dom.extract_clean_html",
    direction=CONTROLLER_TO_NODE,
    section=ACTIONS_SECTION,
    example={"selector": "main"},
    senders=(CONTROLLER,),
)
class ExtractCleanHtml(ActionBody):
    """Takes the page without scripts and styles, with its semantic attributes."""

    ANSWER = answers.ExtractedHtml

    selector: str | Absent = wire(ANY_TEXT, default=ABSENT)


@message(
    "primitive.dom.extract_distilled_html",
    direction=CONTROLLER_TO_NODE,
    section=ACTIONS_SECTION,
    example={"selector": "main"},
    senders=(CONTROLLER,),
)
class ExtractDistilledHtml(ActionBody):
    """Takes what a reader would read of a page, as HTML."""

    ANSWER = answers.ExtractedHtml

    selector: str | Absent = wire(ANY_TEXT, default=ABSENT)


@message(
    "primitive.dom.extract_markdown",
    direction=CONTROLLER_TO_NODE,
    section=ACTIONS_SECTION,
    example={"selector": "main"},
    senders=(CONTROLLER,),
)
class ExtractMarkdown(ActionBody):
    """Takes a page as Markdown."""

    ANSWER = answers.ExtractedMarkdown

    selector: str | Absent = wire(ANY_TEXT, default=ABSENT)


@message(
    "primitive.page.screenshot",
    direction=CONTROLLER_TO_NODE,
    section=ACTIONS_SECTION,
    example={"url": "https://example.com/"},
    senders=(CONTROLLER,),
)
class PageScreenshot(ActionBody):
    """Takes a picture of a tab, or of a URL."""

    ANSWER = answers.Screenshot

    url: str | Absent = wire(SOME_TEXT, default=ABSENT)


@message(
    "primitive.tab.close_owned",
    direction=RELAY_TO_NODE,
    section=OWNERSHIP_SECTION,
    example={"controllerClientId": "ctl_1"},
    senders=(RELAY,),
)
class CloseOwned(ActionBody):
    """Closes the tabs of a controller identity that is gone; sent by the relay only."""

    ANSWER = answers.OwnedClosed

    controller_client_id: str = wire(SOME_TEXT)


_ACTIONS: Final[tuple[type[ActionBody], ...]] = (
    ListCommands,
    RunCommand,
    TestCommand,
    RedditPosts,
    TabOpen,
    TabClose,
    TabNavigate,
    TabQuery,
    ExtractText,
    ExtractHtml,
    ExtractCleanHtml,
    ExtractDistilledHtml,
    ExtractMarkdown,
    PageScreenshot,
    Subscribe,
    Unsubscribe,
    CloseOwned,
)

ACTIONS: Final[Mapping[str, type[ActionBody]]] = MappingProxyType({c.TYPE: c for c in _ACTIONS})
"""Action to the declaration of its inner payload; ``ANSWER`` is that of its result."""
