"""Which links of the server may be opened in the person's browser (HK-123)."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

_TELEGRAM = re.compile(r"https://t\.me/[A-Za-z0-9_]*bot\?start=[A-Za-z0-9_-]{43}", re.ASCII | re.I)
_X = "https://x.com/i/oauth2/authorize?"
_X_PARAMETERS = (
    "client_id",
    "code_challenge",
    "code_challenge_method",
    "redirect_uri",
    "response_type",
    "scope",
    "state",
)


def may_open(provider: str, url: str) -> bool:
    """Whether a connect link has exactly the form that this provider's links have."""
    if provider == "telegram":
        return url.startswith("https://t.me/") and _TELEGRAM.fullmatch(url) is not None
    if provider == "x":
        return _is_x_sign_in(url)
    return False


def _is_x_sign_in(url: str) -> bool:
    if not url.startswith(_X) or "#" in url:
        return False
    try:
        pairs = parse_qsl(url[len(_X) :], keep_blank_values=True, strict_parsing=True)
    except ValueError:
        return False
    fixed = dict(pairs)
    return (
        sorted(name for name, _ in pairs) == list(_X_PARAMETERS)
        and all(fixed.values())
        and fixed["response_type"] == "code"
        and fixed["code_challenge_method"] == "S256"
    )
