"""What people are told about desktops that come and go, and what servers offer."""

import pytest

from sim.channel.api import PostMessage
from sim.protocols.hook import LifecyclePreference, Welcome
from sim.protocols.hook.server.accounts.features import ALL_FEATURES
from tests.protocols.hook.accounts_play import AccountsPlay

ON, OFF = "Your desktop is online", "Your desktop is offline"


def announcing(value=None, **more):
    """D connects on Slack with this wish (None: an old desktop that says nothing)."""
    more.setdefault("announces", True)
    play = AccountsPlay(bound=True, **more)
    connect(play, value)
    play.run(3)
    return play


def connect(play, value=None, who="D"):
    play.join(who=who, **({} if value is None else {"lifecycle_announcement": value}))


@pytest.mark.parametrize(("value", "told"), [(None, [ON]), (True, [ON]), (False, [])])
def test_the_hellos_wish_counts_and_absent_means_yes(value, told):
    """HK-29, HK-30"""
    assert announcing(value).notices() == told


def test_an_old_server_announces_whatever_the_hello_says():
    """HK-28"""
    old = tuple(f for f in ALL_FEATURES if f != "lifecycle-announcement-v1")
    play = announcing(False, features=old)
    play.send(LifecyclePreference(enabled=False))
    play.cut(wait=3)
    assert play.notices() == [ON, OFF]


def test_a_server_may_announce_nothing_at_all():
    assert announcing(True, announces=False).notices() == []


def test_a_notice_goes_to_the_bound_person_alone():
    play = announcing()
    posts = [p for p in play.calls(PostMessage) if p.role == "notice"]
    assert [p.chat for p in posts] == ["D-Alice"]


def test_an_absence_is_told_and_so_is_the_return():
    play = announcing()
    play.cut(wait=3)
    connect(play)
    play.run(3)
    assert play.notices() == [ON, OFF, ON]


@pytest.mark.parametrize(("off", "told"), [((), [ON]), (("flaps_ignored",), [ON, OFF, ON])])
def test_a_short_gap_is_not_worth_a_word(off, told):
    """hook RC-84"""
    play = announcing(off=off)
    play.cut(wait=1)
    connect(play)
    play.run(5)
    assert play.notices() == told


@pytest.mark.parametrize(("off", "told"), [((), []), (("preference_at_once",), [ON])])
def test_a_preference_between_hello_and_welcome_counts(off, told):
    """HK-30, hook RC-84"""
    play = AccountsPlay(bound=True, announces=True, off=off)
    connect(play, True)
    play.send(LifecyclePreference(enabled=False))
    play.run(5)
    assert play.notices() == told


def test_a_preference_is_about_this_device_only():
    """HK-30"""
    play = announcing()
    connect(play, who="D2")
    play.send(LifecyclePreference(enabled=False))
    play.run(3)
    play.cut(wait=3)
    play.cut(who="D2", wait=3)
    posts = [(p.chat, p.text) for p in play.calls(PostMessage) if p.role == "notice"]
    assert posts == [("D-Alice", ON), ("D-Bob", ON), ("D-Bob", OFF)]


def test_switching_notices_on_counts_at_once():
    play = announcing(False)
    play.send(LifecyclePreference(enabled=True))
    play.run(3)
    play.cut(wait=3)
    assert play.notices() == [ON, OFF]


def test_a_restart_of_the_server_makes_no_notice_of_nothing():
    play = announcing()
    play.restart_server(5)
    connect(play)
    play.run(60)
    assert play.notices() == [ON]


def test_a_wish_for_silence_survives_a_restart():
    """HK-30"""
    play = announcing()
    play.send(LifecyclePreference(enabled=False))
    play.restart_server(60)
    assert play.notices() == [ON]


def test_a_desktop_that_does_not_come_back_after_a_restart_is_offline():
    play = announcing()
    play.restart_server(60)
    assert play.notices() == [ON, OFF]


# -- what a welcome lists ------------------------------------------------------


@pytest.mark.parametrize(
    ("lane", "has", "lacks"),
    [
        ("slack", ("multi-team", "slack-tools", "turn-reopen-v1"), ("provider:x",)),
        ("telegram", ("provider:telegram", "group-relay-v1"), ("provider:x", "multi-team")),
        ("x", ("provider:x", "provider-prefs-v1"), ("provider:telegram", "slack-tools")),
    ],
)
def test_a_welcome_lists_what_its_lane_can_use(lane, has, lacks):
    """HK-05, HK-17"""
    play = AccountsPlay(bound=True)
    play.join(lane)
    features = play.last(Welcome).features
    assert set(has) <= set(features)
    assert not set(lacks) & set(features)


def test_a_feature_is_withdrawn_with_the_next_welcome_and_stays_so():
    """HK-18, hook RC-82"""
    play = AccountsPlay(bound=True)
    play.join()
    play.feature("multi-team", False)
    assert "multi-team" in play.last(Welcome).features
    play.hello()
    assert "multi-team" not in play.last(Welcome).features
    play.restart_server()
    play.join()
    assert "multi-team" not in play.last(Welcome).features
    play.feature("multi-team", True)
    play.hello()
    assert "multi-team" in play.last(Welcome).features
