"""The commands that the built-in sites have: their descriptors and what they do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import attrs

from sim.protocols.relay.browser.browser import Browser, Tab
from sim.protocols.relay.browser.outcome import Refusal, invalid
from sim.protocols.relay.constants import ALIAS_COMMAND, ALIAS_SITE, HTTP_INTERCEPT

MOST_POSTS: Final = 1_000


@attrs.frozen
class Reading:
    """What a command works with: the browser, a tab of its site if any, its input."""

    browser: Browser
    tab: Tab | None
    input: Mapping[str, Any]


Hook: TypeAlias = Callable[[Reading], dict[str, Any]]


@attrs.frozen
class Input:
    """One input field; ``type`` in the words of the protocol."""

    name: str
    type: str
    description: str
    optional: bool = True

    def to_wire(self) -> dict[str, Any]:
        """As the descriptor shows it."""
        return attrs.asdict(self)


@attrs.frozen
class SiteCommand:
    """One command of a site. ``start`` is the page that it works on without a tab.

    ``takes_ms`` is how long it takes, by its input; ``one_of`` names inputs of which
    at least one is needed.
    """

    site: str
    id: str
    display_name: str
    description: str
    run: Hook
    test: Hook | None = None
    requires_auth: bool = False
    preload_host: str = ""
    start: str = ""
    inputs: tuple[Input, ...] = ()
    one_of: tuple[str, ...] = ()
    timeout_policy: Mapping[str, Any] | None = None
    takes_ms: Callable[[Mapping[str, Any]], int] = lambda _: 50

    def descriptor(self) -> dict[str, Any]:
        """As command.list tells it."""
        wire: dict[str, Any] = {
            "site": self.site,
            "id": self.id,
            "displayName": self.display_name,
            "description": self.description,
            "requiresAuth": self.requires_auth,
        }
        if self.preload_host:
            wire["preloadHost"] = self.preload_host
        if self.inputs:
            wire["inputFields"] = [one.to_wire() for one in self.inputs]
        if self.one_of:
            wire["inputAtLeastOneOf"] = list(self.one_of)
        if self.timeout_policy is not None:
            wire["timeoutPolicy"] = dict(self.timeout_policy)
        return wire

    def check_input(self, given: Mapping[str, Any]) -> None:
        """Raises Refusal for an input that the command does not take, or lacks."""
        known = {one.name: one for one in self.inputs}
        for name in given:
            if name not in known:
                hint = f"{self.id} takes {', '.join(known) or 'no input'}"
                raise invalid("unexpected_command_input", f"input {name!r} is unknown", hint)
        for name, field in known.items():
            if name not in given and not field.optional:
                raise invalid("missing_command_input", f"input {name!r} must be given")
            if name in given and not _is(given[name], field.type):
                text = f"input {name!r} must be of type {field.type}"
                raise invalid("invalid_command_input_type", text)
        if self.one_of and not any(name in given for name in self.one_of):
            text = f"one of the inputs {', '.join(self.one_of)} must be given"
            raise invalid("missing_command_input_one_of", text)


_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list, tuple),
}


def _is(value: object, type: str) -> bool:
    if isinstance(value, bool):
        return type == "boolean"
    return isinstance(value, _TYPES[type])


def _html(reading: Reading, start: str) -> tuple[str, str]:
    """Address and HTML of the page that a command reads."""
    page = reading.tab.page if reading.tab else reading.browser.web.page(start)
    if page is None or page.fails:
        raise Refusal("tab_url_not_ready", f"{start} does not answer")
    return page.url, page.html


_POST: Final = {
    "id": "@data-id",
    "title": ".post-title",
    "author": ".post-author",
    "subreddit": "@data-subreddit",
    "score": "@data-score",
    "comments": ".post-comments",
    "url": ".post-title@href",
}


def _posts(reading: Reading) -> dict[str, Any]:
    from sim.protocols.relay.browser.extraction import records

    wanted = min(max(reading.input.get("minReturnedPosts", 1), 0), MOST_POSTS)
    subreddit = reading.input.get("subreddit", "")
    posts: list[dict[str, Any]] = []
    url, html = _html(reading, _REDDIT_START)
    seen: list[str] = []
    while True:
        seen.append(url)
        found = records(html, ".post", _POST)
        posts += [_numbered(one) for one in found if subreddit in ("", one["subreddit"])]
        onward = [one["url"] for one in records(html, "a[rel=next]", {"url": "@href"})]
        page = reading.browser.web.page(onward[0]) if onward else None
        if len(posts) >= wanted or page is None or page.url in seen:
            return {"posts": posts}
        url, html = page.url, page.html


def _numbered(post: dict[str, str]) -> dict[str, Any]:
    comments = post["comments"].split(" ")[0]
    return {
        **post,
        "kind": "content.post",
        "score": int(post["score"] or 0),
        "comments": int(comments) if comments.isdigit() else 0,
    }


def _article(reading: Reading) -> dict[str, Any]:
    from sim.protocols.relay.browser.extraction import extract, title_of

    url, html = _html(reading, _ARTICLE_START)
    return {
        "kind": "content.article",
        "url": url,
        "title": title_of(html),
        "markdown": extract(html, "markdown", base_url=url),
    }


def _nothing(reading: Reading) -> dict[str, Any]:
    return {}


def _count(reading: Reading) -> dict[str, Any]:
    name = reading.input.get("counter", "default")
    counters = reading.browser.counters
    counters[name] = counters.get(name, 0) + 1
    return {"counter": name, "sideEffectNo": counters[name]}


def _fail(reading: Reading) -> dict[str, Any]:
    raise Refusal("command_failed", reading.input.get("message", "the command has failed"))


def _inbox(reading: Reading) -> dict[str, Any]:
    from sim.protocols.relay.browser.extraction import records

    fields = {"from": ".from", "subject": ".subject", "receivedAt": "time@datetime"}
    return {"messages": records(_html(reading, _INBOX_START)[1], ".message", fields)}


def _watch(reading: Reading) -> dict[str, Any]:
    if reading.tab is None:
        raise invalid("missing_tab_session", "a stream needs a tab", "open one at chat.example")
    options = {
        "tabSessionId": reading.tab.id,
        "site": "chat.example",
        "urlPatterns": ["*/api/events*"],
        "streamAdapter": "chat",
    }
    listener = {"listener": HTTP_INTERCEPT, "options": options}
    return {"stream": {"listeners": [listener]}}


def _room(reading: Reading) -> dict[str, Any]:
    from sim.protocols.relay.browser.extraction import matches

    return {"participants": matches(_html(reading, _CHAT_START)[1], ".participant")}


_ARTICLE_START: Final = "https://example.com/"
_REDDIT_START: Final = "https://www.reddit.com/r/harbour/"
_INBOX_START: Final = "https://mail.example/inbox"
_CHAT_START: Final = "https://chat.example/room/quay"
_POSTS_POLICY: Final = {
    "defaultMs": 60_000,
    "scaling": {
        "inputField": "minReturnedPosts",
        "baseMs": 45_000,
        "perUnitMs": 2_000,
        "minMs": 45_000,
        "maxMs": 300_000,
    },
}

_COMMANDS: Final = (
    SiteCommand(
        ALIAS_SITE,
        ALIAS_COMMAND,
        "Get posts",
        "Reads posts of a community, page after page, until there are enough.",
        _posts,
        preload_host="www.reddit.com",
        start=_REDDIT_START,
        inputs=(
            Input("minReturnedPosts", "number", "read on until there are so many"),
            Input("subreddit", "string", "only posts of this community"),
        ),
        timeout_policy=_POSTS_POLICY,
        takes_ms=lambda given: 200 + 20 * _amount(given, "minReturnedPosts", 1),
    ),
    SiteCommand(
        "example.com",
        "getArticle",
        "Get article",
        "Reads the article of the page as Markdown.",
        _article,
        start=_ARTICLE_START,
    ),
    SiteCommand("example.com", "noop", "No operation", "Does nothing.", _nothing),
    SiteCommand(
        "example.com",
        "countUp",
        "Count up",
        "Counts its own executions: an effect that must not happen twice.",
        _count,
        inputs=(Input("counter", "string", "which counter"),),
    ),
    SiteCommand(
        "example.com",
        "wait",
        "Wait",
        "Does nothing for a while.",
        _nothing,
        inputs=(Input("ms", "number", "for how many milliseconds", optional=False),),
        timeout_policy={"scaling": {"inputField": "ms", "baseMs": 5_000, "perUnitMs": 1}},
        takes_ms=lambda given: _amount(given, "ms", 0),
    ),
    SiteCommand(
        "example.com",
        "fail",
        "Fail",
        "Always fails.",
        _fail,
        inputs=(Input("message", "string", "what the error says"),),
    ),
    SiteCommand(
        "mail.example",
        "getInbox",
        "Get inbox",
        "Lists the messages of the person who is signed in.",
        _inbox,
        requires_auth=True,
        preload_host="mail.example",
        start=_INBOX_START,
    ),
    SiteCommand(
        "chat.example",
        "watchMessages",
        "Watch messages",
        "Tells who is in the room; its test streams what is said there.",
        _room,
        test=_watch,
        preload_host="chat.example",
        start=_CHAT_START,
    ),
)


def _amount(given: Mapping[str, Any], name: str, otherwise: int) -> int:
    """A whole number of an input, not below 0; whatever else stands there counts as missing."""
    value = given.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return otherwise
    return int(min(max(value, 0), 600_000))


SITE_COMMANDS: Final[Mapping[tuple[str, str], SiteCommand]] = MappingProxyType(
    {(one.site, one.id): one for one in _COMMANDS}
)
"""Site and id to the command."""


def site_command(site: str, id: str) -> SiteCommand:
    """A command by its names. Raises Refusal: unknown_site, unknown_command."""
    sites = sorted({known for known, _ in SITE_COMMANDS})
    name = site.strip().lower()
    if name not in sites:
        raise invalid("unknown_site", f"no site {site!r}", f"the sites are {', '.join(sites)}")
    found = SITE_COMMANDS.get((name, id))
    if found is None:
        ids = ", ".join(one.id for one in _COMMANDS if one.site == name)
        raise invalid("unknown_command", f"{name} has no command {id!r}", f"it has {ids}")
    return found
