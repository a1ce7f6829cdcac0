"""One-time links: what people open to bind an account."""

from __future__ import annotations

import base64
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from sim.core.actor import Port

CLIENT = "hooktwin"
REDIRECT = "https://hook.example/x/callback"


def new_secret(port: Port) -> str:
    """A one-time secret: 32 bytes as 43 base64url characters."""
    raw = bytes.fromhex((port.new_id() + port.new_id()).replace("-", ""))
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def slack_url(secret: str, team: str) -> str:
    """Slack's sign-in page, pinned to a team if one is given (HK-87)."""
    query = {
        "response_type": "code",
        "client_id": CLIENT,
        "scope": "openid profile",
        "state": secret,
    }
    if team:
        query["team"] = team
    return f"https://slack.com/openid/connect/authorize?{urlencode(query, quote_via=quote)}"


def install_url(team: str) -> str:
    """Where the app is installed in a workspace."""
    query = urlencode({"client_id": CLIENT, "team": team}, quote_via=quote)
    return f"https://slack.com/oauth/v2/authorize?{query}"


def connect_url(provider: str, secret: str, bot: str) -> str:
    """Where an attempt to bind goes on, in the only form that desktops open (HK-123)."""
    if provider == "telegram":
        return f"https://t.me/{bot}?start={secret}"
    query = {
        "response_type": "code",
        "client_id": CLIENT,
        "redirect_uri": REDIRECT,
        "scope": "tweet.read tweet.write users.read offline.access",
        "state": secret,
        "code_challenge": secret,
        "code_challenge_method": "S256",
    }
    return f"https://x.com/i/oauth2/authorize?{urlencode(query, quote_via=quote)}"


def secret_of(url: str) -> str:
    """The secret part of any of these links, "" if there is none."""
    query = parse_qs(urlsplit(url).query)
    return next((query[name][0] for name in ("start", "state") if name in query), "")
