"""Conditions on single texts that the protocol checks: addresses, ids, aliases."""

from __future__ import annotations

import re
from typing import Final

import can_ada

from sim.protocols.hook.constants import (
    MAX_GROUP_ID_CHARS,
    MAX_TELEGRAM_ID,
    SUPPORTED_IMAGE_MIME_TYPES,
)
from sim.wire.javascript import SURROGATE, merged_surrogates, trimmed
from sim.wire.spec import Predicate

_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:[\\/]|[Ff][Ii][Ll][Ee]:")
_POSITIVE = re.compile(r"[1-9][0-9]*")
_USERNAME = re.compile(r"[A-Za-z0-9_]{1,32}")
_MAX_ID_DIGITS: Final = len(str(MAX_TELEGRAM_ID))


def is_alias(text: str) -> bool:
    """Whether a workspace does not look like a path of the desktop's file system."""
    if ":" not in text:  # the common case, without the pattern
        return text[:1] != "/" and text[:1] != "\\"
    return _ABSOLUTE.match(text) is None


def is_safe_https_url(text: str) -> bool:
    """Whether a browser would open this with https, at a host, without credentials.

    Judged by the WHATWG algorithm: white space around is trimmed, backslashes
    are slashes, host names are mapped to ASCII.
    """
    if SURROGATE.search(text) is not None:  # a URL is made of scalar values
        text = SURROGATE.sub("\ufffd", merged_surrogates(text))
    try:
        url = can_ada.parse(text)
    except ValueError:
        return False
    return url.protocol == "https:" and bool(url.hostname) and not url.username and not url.password


def _is_id(digits: str) -> bool:
    """Canonical decimal from 1 to the largest id; the length first, ids may be hostile."""
    return (
        len(digits) <= _MAX_ID_DIGITS
        and _POSITIVE.fullmatch(digits) is not None
        and int(digits) <= MAX_TELEGRAM_ID
    )


def is_telegram_group_id(text: str) -> bool:
    """Whether this is a group or channel id: a negative integer of at most 52 bits."""
    return len(text) <= MAX_GROUP_ID_CHARS and text[:1] == "-" and _is_id(text[1:])


def is_telegram_username(text: str) -> bool:
    """Whether this is a handle without its @."""
    return _USERNAME.fullmatch(text) is not None


def is_supported_image_mime(value: object) -> bool:
    """Whether both ends take images of this MIME type (spec §7).

    White space around and case do not matter, ``image/jpg`` is ``image/jpeg``;
    parameters are not understood. False for everything that is no string.
    """
    if not isinstance(value, str):
        return False
    name = trimmed(str.__str__(value)).lower()
    return name == "image/jpg" or name in SUPPORTED_IMAGE_MIME_TYPES


ALIAS: Final = Predicate(
    "is_alias",
    "no absolute path",
    is_alias,
    ("web", "chat", "c:x", "~/x", "../x", " /x", "文档"),
    r"^(?![/\\]|[A-Za-z]:[\\/]|[Ff][Ii][Ll][Ee]:)",
)
SAFE_HTTPS_URL: Final = Predicate(
    "is_safe_https_url",
    "an https URL with a host and without user name and password",
    is_safe_https_url,
    ("https://t.me/somebot?start=abc", "https://example.com", "HTTPS:\\\\example.com:443/ü#x"),
)
TELEGRAM_USER_ID: Final = Predicate(
    "is_telegram_user_id",
    f"a decimal from 1 to {MAX_TELEGRAM_ID} in canonical form",
    _is_id,
    ("1", "777000", str(MAX_TELEGRAM_ID)),
    r"^[1-9][0-9]{0,15}(?!\n)$",
)
TELEGRAM_GROUP_ID: Final = Predicate(
    "is_telegram_group_id",
    f"a decimal from -{MAX_TELEGRAM_ID} to -1 in canonical form",
    is_telegram_group_id,
    ("-1", "-1001234567890", f"-{MAX_TELEGRAM_ID}"),
    r"^-[1-9][0-9]{0,15}(?!\n)$",
)
TELEGRAM_USERNAME: Final = Predicate(
    "is_telegram_username",
    "1 to 32 letters, digits or underscores of ASCII",
    is_telegram_username,
    ("a", "Some_body_1", "_" * 32),
    r"^[A-Za-z0-9_]{1,32}(?!\n)$",
)
HAS_AT: Final = Predicate(
    "has_at", "an address with @", lambda text: "@" in text, ("a@b", "@"), "@"
)
NO_BAR: Final = Predicate(
    "has_no_bar", "free of |", lambda text: "|" not in text, ("yes", "no", "a b", "按"), r"^[^|]*$"
)
