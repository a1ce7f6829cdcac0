"""Tales of features, replies and accounts."""

from __future__ import annotations

from typing import Any

from sim.channel.api import PostMessage
from sim.protocols.catalogue import Tales
from sim.protocols.hook.catalogue.tale import Tale

TALES = Tales(Tale)
BEHAVIOR = "provider-behavior-v1"
BIND = "provider-bind-v1"
PREFS = "provider-prefs-v1"
TELEGRAM = "provider:telegram"


@TALES.of("server-sends-what-is-agreed", "HK-16", "HK-32")
def bind_state_without_the_feature(tale: Tale, bad: bool) -> None:
    tale.connect("telegram", (TELEGRAM,) if bad else (TELEGRAM, BIND))
    tale.server("provider.bind.state")


@TALES.of("server-sends-what-is-agreed", "HK-17")
def channel_that_the_welcome_lacks(tale: Tale, bad: bool) -> None:
    tale.connect("telegram", (BIND,) if bad else (TELEGRAM, BIND))
    tale.server("provider.bind.state")


@TALES.of("server-sends-what-is-agreed", "HK-70", "HK-71")
def receipt_for_a_desktop_that_never_asked(tale: Tale, bad: bool) -> None:
    tale.connect(features=() if bad else ("turn-delivery-v1",))
    tale.task()
    tale.end()
    tale.server("turn.delivery", requestId="R1")


@TALES.of("server-sends-what-is-agreed", "HK-99")
def team_list_for_a_single_binding(tale: Tale, bad: bool) -> None:
    tale.connect(features=() if bad else ("multi-team",))
    tale.server("bind.state")


@TALES.of("server-sends-what-is-agreed", "HK-108")
def sessions_of_a_desktop_that_offers_none(tale: Tale, bad: bool) -> None:
    tale.connect("telegram", () if bad else ("session-picker-v1",))
    tale.server("query.request", kind="sessions")


@TALES.of("server-sends-what-is-agreed", "HK-124")
def behaviour_for_a_desktop_that_shows_none(tale: Tale, bad: bool) -> None:
    tale.connect("telegram", (TELEGRAM,) if bad else (TELEGRAM, BEHAVIOR))
    tale.server("provider.behavior.state")


@TALES.of("server-sends-what-is-agreed", "HK-156")
def group_talk_without_the_feature(tale: Tale, bad: bool) -> None:
    features = ("group-relay-recipient-v1",) if bad else GROUPS
    tale.connect("telegram", features)
    tale.server("group.message")


@TALES.of("server-sends-what-is-agreed", "HK-157")
def group_talk_that_nobody_can_file(tale: Tale, bad: bool) -> None:
    tale.connect("telegram", ("group-relay-v1",) if bad else GROUPS)
    tale.server("group.message")


GROUPS = ("group-relay-v1", "group-relay-recipient-v1")


@TALES.of("desktop-sends-what-is-agreed", "HK-16", "HK-32")
def prefs_for_an_old_server(tale: Tale, bad: bool) -> None:
    tale.connect("telegram", (TELEGRAM,) if bad else (TELEGRAM, PREFS))
    tale.desktop("provider.prefs.get")


@TALES.of("tools-need-the-server", "HK-151")
def tool_that_no_server_offers(tale: Tale, bad: bool) -> None:
    tale.connect(features=() if bad else ("slack-tools",))
    tale.desktop("tool.request")


@TALES.of("preference-needs-the-server", "HK-27")
def preference_for_an_old_server(tale: Tale, bad: bool) -> None:
    tale.connect(features=() if bad else ("lifecycle-announcement-v1",))
    tale.desktop("lifecycle.preference")


@TALES.of("revokes-fit-the-server", "HK-95")
def team_for_a_server_with_one_binding(tale: Tale, bad: bool) -> None:
    tale.connect(features=() if bad else ("multi-team",))
    tale.desktop("bind.revoke", teamId="T1", pendingOnly=False)


@TALES.of("revokes-fit-the-server", "HK-86")
def address_in_bind_start(tale: Tale, bad: bool) -> None:
    tale.connect(features=("multi-team",))
    who: dict[str, Any] = {"email": "alice@example.org"} if bad else {}
    tale.desktop("bind.start", **who)


@TALES.of("unanswered-is-over", "HK-35", "HK-150")
def settings_page_that_spins(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.desktop("prefs.get", requestId="q-1")
    if not bad:
        tale.note("D", "asked", {"request": "q-1", "frame": "prefs.get", "outcome": "timed out"})


@TALES.of("tools-fail-by-code", "HK-154")
def text_that_is_taken_for_a_code(tale: Tale, bad: bool) -> None:
    tale.connect(features=("slack-tools",))
    error = {"code": "RATE_LIMITED", "message": "NOT_BOUND"}
    tale.server("tool.response", replyTo="t-1", ok=False, error=error)
    code = "NOT_BOUND" if bad else "RATE_LIMITED"
    tale.note("D", "tool", {"did": "tool", "request": "t-1", "code": code})


@TALES.of("failures-go-by-reason", "HK-91")
def reason_that_is_read_from_the_text(tale: Tale, bad: bool) -> None:
    tale.connect()
    facts: dict[str, Any] = {"state": "failed", "message": "not-installed", "authorizeUrl": None}
    arrived = tale.server("bind.update", **facts, reason="of next year")
    reason = "not-installed" if bad else "of next year"
    fact = {"lane": "slack", "state": "failed", "team": None, "reason": reason}
    tale.note("D", "binding", fact, cause=arrived)


@TALES.of("bind-state-hurts-nobody", "HK-98")
def bind_state_that_is_taken_for_an_error(tale: Tale, bad: bool) -> None:
    tale.connect()
    arrived = tale.server("bind.state")
    if bad:
        tale.note("D", "shown", {"what": "bindings"}, cause=arrived)


@TALES.of("x-is-written-once", "HK-175", "HK-54")
def card_on_x(tale: Tale, bad: bool) -> None:
    tale.connect("x")
    tale.store("R1", lane="x")
    tale.dispatch()
    if bad:
        tale.call(PostMessage("C1", "m0", "Working on it…", "WORKING", "request", "R1"))
