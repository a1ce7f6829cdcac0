"""The kinds of hosts, the words that select them, and the protocol they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sim.channel.services import SERVICES

PROTOCOL_KINDS = {
    "hook": ("desktop", "server"),
    "relay": ("relay", "controller", "node"),
    "question": ("opencode", "hook", "listener", "store", "bot"),
}
CHANNEL_KINDS = SERVICES
# Chat services of which a protocol spells out the API: it is a peer there, its calls are frames.
SPELLED_OUT = {"question": ("telegram",)}
# Two words for one host, where a protocol speaks of it as an API.
SYNONYMS = {"bot": "telegram"}
KINDS = (
    *PROTOCOL_KINDS["hook"],
    *CHANNEL_KINDS,
    "person",
    *PROTOCOL_KINDS["relay"],
    *PROTOCOL_KINDS["question"],
)
PROTOCOL_OF = {kind: name for name, kinds in PROTOCOL_KINDS.items() for kind in kinds}

# The word "hook" is the server of one protocol and a host of another.
HOOK_WORD = "hook"
WORDS = {
    "desktop": "desktop",
    "桌面": "desktop",
    "d": "desktop",
    "server": "server",
    "hook server": "server",
    "s": "server",
    "slack": "slack",
    "telegram": "telegram",
    "tg": "telegram",
    "t": "telegram",
    "x": "x",
    "twitter": "x",
    "im": "slack",
    "user": "person",
    "用户": "person",
    **{kind: kind for kind in PROTOCOL_KINDS["relay"]},
    "中继": "relay",
    "控制器": "controller",
    "节点": "node",
    **{kind: kind for kind in PROTOCOL_KINDS["question"] if kind != HOOK_WORD},
    "oc": "opencode",
    "l": "listener",
    "hermes-hook.js": HOOK_WORD,
    "permission-listener.js": "listener",
    "pending-store.js": "store",
    "hermes-pending.json": "store",
    "bot api": "bot",
    "telegram bot api": "bot",
}
NUMBERED = re.compile(
    r"(?P<word>desktop|桌面|d|user|用户|controller|控制器|node|节点|opencode|listener|oc|l) ?[0-9]+"
)
# "controller alice": one of several lifelines that are the same controller.
IDENTIFIED = re.compile(r"(?P<word>controller|控制器|node|节点) (?P<identity>\S+)", re.IGNORECASE)
LINE_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def kind_of_word(text: str) -> str | None:
    """The kind that a label or an id selects; ``hook`` stays ``hook`` until all are known."""
    word = " ".join(LINE_BREAK.sub(" ", text).lower().split())
    if word == HOOK_WORD:
        return HOOK_WORD
    longer = NUMBERED.fullmatch(word) or IDENTIFIED.fullmatch(word)
    return WORDS.get(longer["word"] if longer else word)


def identity_in(label: str) -> str | None:
    """Who a lifeline is, where its label says so: ``alice`` of ``controller alice``."""
    found = IDENTIFIED.fullmatch(" ".join(LINE_BREAK.sub(" ", label).split()))
    return found["identity"] if found else None


def protocol_of(kinds: Iterable[str]) -> set[str]:
    """The protocols to which these kinds belong (channels and persons belong to all)."""
    return {PROTOCOL_OF[kind] for kind in kinds if kind in PROTOCOL_OF}


def channel_of_word(text: str) -> str | None:
    """The chat service that a word such as ``tg`` means."""
    kind = kind_of_word(text)
    return kind if kind in CHANNEL_KINDS else None
