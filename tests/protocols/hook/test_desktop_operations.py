"""What a person at the desktop asks for: it is sent, or a note says why it is not."""

from __future__ import annotations

from typing import Any

import pytest

from sim.protocols.hook import QueryRequest
from sim.protocols.hook.acts import Operate
from tests.protocols.hook.desktop_play import Play
from tests.protocols.hook.test_desktop_bindings import TELEGRAM, confirmed, notes

SENT = ""
REFUSED = "the frame would be refused"
OFFLINE = "not connected"
NOT_OFFERED = "the channel is not offered"
UNKNOWN_FORM = "the server knows no such form"
TEAMS = ("multi-team", "slack-tools", "lifecycle-announcement-v1")
OLD = ("turn-reopen-v1",)
NOTHING = "there is nothing to do that to"
LATER = "the server takes it with the next hello only"


def on_slack(*features: str, online: bool = True) -> Play:
    """A desktop on Slack, opposite a server with these features."""
    play = Play(features=features)
    if not online:
        play.go_offline()
    return play


def on_telegram(bound: bool, without: str = "", online: bool = True) -> Play:
    """A desktop on Telegram, opposite a server that lacks a feature."""
    features = tuple(one for one in TELEGRAM if one != without)
    play = Play(lanes=("telegram",), features=features)
    if bound:
        play.say(confirmed("b1", pushed=False))
    if not online:
        play.go_offline()
    return play


def outcome(play: Play, frame: str, fields: dict[str, Any]) -> str:
    """Why it was not sent; SENT if it was."""
    play.forget()
    play.do(Operate(frame, fields))
    why = [note["why"] for note in notes(play, "not sent")]
    sent = play.frames(frame)
    assert len(why) + len(sent) == 1, (why, play.types())
    return why[0] if why else SENT


SLACK: list[tuple[str, dict[str, Any], str, str, str]] = [
    # frame, fields, and what comes of it: with several teams, with an old server, offline
    ("bind.start", {}, SENT, SENT, OFFLINE),
    ("bind.start", {"teamId": "T1"}, SENT, SENT, OFFLINE),
    ("bind.start", {"teamId": 5}, REFUSED, SENT, OFFLINE),
    ("bind.revoke", {}, SENT, SENT, OFFLINE),
    ("bind.revoke", {"teamId": "T1"}, SENT, SENT, OFFLINE),
    ("bind.revoke", {"teamId": 5}, REFUSED, SENT, OFFLINE),
    ("bind.revoke", {"pendingOnly": True}, SENT, UNKNOWN_FORM, UNKNOWN_FORM),
    ("prefs.get", {}, SENT, SENT, OFFLINE),
    ("prefs.set", {"workspace": "web", "model": "m"}, SENT, SENT, OFFLINE),
    ("prefs.set", {"workspace": 5}, REFUSED, REFUSED, REFUSED),
    ("lifecycle.preference", {"enabled": False}, SENT, LATER, LATER),
    ("tool.request", {"tool": 5}, REFUSED, REFUSED, REFUSED),
]


@pytest.mark.parametrize(("frame", "fields", "teams", "old", "offline"), SLACK)
def test_what_a_person_does_on_slack_is_sent_or_explained(
    frame: str, fields: dict[str, Any], teams: str, old: str, offline: str
) -> None:
    """HK-86, HK-95, HK-99"""
    assert outcome(on_slack(*TEAMS), frame, fields) == teams
    assert outcome(on_slack(*OLD), frame, fields) == old
    assert outcome(on_slack(*OLD, online=False), frame, fields) == offline


@pytest.mark.parametrize(
    ("features", "said"),
    [(TEAMS, {"teamId": "T1", "pendingOnly": True}), (OLD, {})],
)
def test_an_old_server_hears_the_empty_form_only(
    features: tuple[str, ...], said: dict[str, Any]
) -> None:
    """HK-95"""
    play = on_slack(*features)
    play.do(Operate("bind.revoke", {"teamId": "T1", "pendingOnly": bool(said)}))
    assert play.last("bind.revoke").to_wire() == said


NEUTRAL: list[tuple[str, dict[str, Any], str, str]] = [
    # frame, fields, what comes of it without a binding and with one
    ("provider.bind.start", {}, SENT, SENT),
    ("provider.bind.cancel", {}, NOTHING, NOTHING),
    ("provider.bind.revoke", {}, NOTHING, SENT),
    ("provider.prefs.get", {}, "not bound", SENT),
    ("provider.prefs.set", {"workspace": "web", "model": "m"}, "not bound", SENT),
    ("provider.behavior.get", {}, "not bound", SENT),
    ("provider.behavior.set", {"emojiReactions": "off"}, "not bound", SENT),
]
NEEDS = {
    "bind": "provider-bind-v1",
    "prefs": "provider-prefs-v1",
    "behavior": "provider-behavior-v1",
}


@pytest.mark.parametrize(("frame", "fields", "unbound", "bound"), NEUTRAL)
def test_what_a_person_does_on_telegram_is_sent_or_explained(
    frame: str, fields: dict[str, Any], unbound: str, bound: str
) -> None:
    """HK-16, HK-119"""
    assert outcome(on_telegram(bound=False), frame, fields) == unbound
    assert outcome(on_telegram(bound=True), frame, fields) == bound


@pytest.mark.parametrize(("frame", "fields"), [row[:2] for row in NEUTRAL])
def test_nothing_is_sent_to_a_channel_that_lacks_the_feature_or_is_away(
    frame: str, fields: dict[str, Any]
) -> None:
    """HK-16, HK-32"""
    without = NEEDS[frame.split(".")[1]]
    assert "not offered" in outcome(on_telegram(bound=True, without=without), frame, fields)
    away = on_telegram(bound=True, online=False)
    assert outcome(away, frame, fields) in (NOT_OFFERED, "the settings are not offered")


def test_settings_of_a_scope_name_no_binding() -> None:
    """HK-119"""
    play = on_telegram(bound=True)
    play.do(Operate("provider.prefs.get", {"scopeId": "c1"}))
    play.do(Operate("provider.prefs.get", {}))
    asked = play.frames("provider.prefs.get")
    assert [(frame.binding_id, frame.scope_id) for frame in asked] == [(None, "c1"), ("b1", None)]


@pytest.mark.parametrize("kind", ["workspaces", "models", "sessions"])
def test_only_sessions_are_a_secret_to_a_server_without_the_picker(kind: str) -> None:
    """HK-104, HK-107"""
    for features in (("session-picker-v1",), OLD):
        play = on_slack(*features)
        play.say(QueryRequest(query_id="q1", kind=kind))
        answer = play.last("query.response")
        assert answer.ok is (kind != "sessions" or features != OLD)
        assert (answer.error is None) is answer.ok
