"""Slack accounts on the server: sign-in, several teams, who gets whose messages."""

from urllib.parse import parse_qs, urlsplit

import pytest

from sim.protocols.hook import (
    ABSENT,
    BindRevoke,
    BindStart,
    BindState,
    BindUpdate,
    TaskDispatch,
    Welcome,
)
from sim.protocols.hook.server.accounts.links import secret_of
from tests.protocols.hook.accounts_play import SLACK, AccountsPlay

MINUTE = 60


def teams(play, who="D"):
    return [b.team_id for b in play.last(BindState, who).bindings]


def states(play, who="D"):
    return [u.state for u in play.got(BindUpdate, who)]


def link_of(play, who="D"):
    return secret_of(play.last(BindUpdate, who).authorize_url)


def bound(*team_ids):
    """D is connected and Alice has bound these teams to it."""
    play = AccountsPlay()
    play.join()
    for team in team_ids or ("T1",):
        play.sign_in(team=team)
    return play


# -- signing in ----------------------------------------------------------------


def test_a_sign_in_binds_the_account_to_the_device_of_the_connection():
    """HK-86, HK-89, HK-97"""
    play = AccountsPlay()
    play.join()
    assert teams(play) == []
    play.send(BindStart())
    update = play.last(BindUpdate)
    assert (update.state, update.team_id) == ("pending", None)
    assert len(link_of(play)) == 43
    play.authorize(link_of(play))
    update = play.last(BindUpdate)
    assert (update.state, update.slack_user_id, update.team_id) == ("confirmed", "U1", "T1")
    assert teams(play) == ["T1"]
    play.say("hello")
    assert len(play.dispatched()) == 1


@pytest.mark.parametrize(("team", "pinned"), [("T2", ["T2"]), (None, None), ("", None)])
def test_a_team_pins_the_sign_in_page(team, pinned):
    """HK-87"""
    play = AccountsPlay()
    play.join()
    play.send(BindStart(team_id=team))
    query = parse_qs(urlsplit(play.last(BindUpdate).authorize_url).query)
    assert query.get("team") == pinned


def test_a_pinned_page_does_not_bind_another_team():
    """HK-87"""
    play = AccountsPlay()
    play.join()
    play.send(BindStart(team_id="T2"))
    play.authorize(link_of(play), team="T3")
    assert states(play) == ["pending", "failed"]
    assert play.last(BindUpdate).message
    assert teams(play) == []


def test_an_email_finds_nobody():
    """HK-88"""
    play = AccountsPlay()
    play.join()
    play.send(BindStart(email="alice@example.com"))
    play.run(5)
    assert states(play) == ["pending"]


def test_who_declines_is_not_bound():
    play = AccountsPlay()
    play.join()
    play.send(BindStart())
    link = link_of(play)
    play.authorize(link, decline=True)
    play.authorize(link)
    assert states(play) == ["pending", "denied"]
    assert teams(play) == []


def test_a_workspace_without_the_app_gets_a_link_to_install_it():
    """HK-91, HK-26"""
    play = AccountsPlay(uninstalled=frozenset({"T2"}))
    play.join()
    play.sign_in(team="T2")
    update = play.last(BindUpdate)
    assert (update.state, update.reason) == ("failed", "not-installed")
    assert update.message
    assert update.install_url.startswith("https://slack.com/")


@pytest.mark.parametrize(("off", "binds"), [((), False), (("links_expire",), True)])
def test_a_link_that_is_ten_minutes_old_binds_nobody(off, binds):
    play = AccountsPlay(off=off)
    play.join()
    play.send(BindStart())
    link = link_of(play)
    play.run(11 * MINUTE)
    play.authorize(link)
    assert ("confirmed" in states(play)) is binds
    assert ("expired" in states(play)) is not binds


def test_a_link_works_once():
    play = bound()
    link = secret_of(next(u.authorize_url for u in play.got(BindUpdate) if u.authorize_url))
    play.authorize(link, "Bob")
    assert play.notes("sign-in-ignored")
    assert states(play).count("confirmed") == 1


def test_a_newer_start_makes_the_older_link_useless():
    play = AccountsPlay()
    play.join()
    play.send(BindStart())
    old = link_of(play)
    play.send(BindStart())
    play.authorize(old)
    assert "confirmed" not in states(play)
    play.authorize(link_of(play))
    assert states(play)[-1] == "confirmed"


# -- several teams -------------------------------------------------------------


def test_a_second_team_leaves_the_first_in_place():
    """HK-100, HK-90"""
    play = bound("T1", "T2")
    assert teams(play) == ["T1", "T2"]
    play.types("one")
    play.types("two", chat="T2.C1")
    assert [d.source.team_id for d in play.dispatched()] == ["T1", "T2"]
    assert play.dispatched()[1].source.team_name == "Team T2"


def test_another_account_of_the_same_team_takes_the_devices_place_for_it():
    play = bound("T1", "T2")
    play.sign_in("Bob", "D", "T1")
    assert [(b.team_id, b.slack_user_id) for b in play.last(BindState).bindings] == [
        ("T2", "U1T2"),
        ("T1", "U2"),
    ]


@pytest.mark.parametrize(
    ("ours", "theirs"), [(("turn-reopen-v1",), SLACK), (None, ("session-picker-v1",))]
)
def test_without_multi_team_on_both_sides_there_is_one_binding(ours, theirs):
    """HK-99"""
    play = AccountsPlay(**({} if ours is None else {"features": ours}))
    play.join(features=theirs)
    play.sign_in(team="T1")
    play.sign_in(team="T2")
    assert not play.got(BindState)
    assert all(u.team_id is ABSENT for u in play.got(BindUpdate))
    play.types("one")
    play.types("two", chat="T2.C1")
    assert [d.prompt for d in play.dispatched()] == ["two"]
    assert "teamId" not in str(play.sent("task.dispatch")[-1].frame.wire)


@pytest.mark.parametrize(
    ("form", "off", "left"),
    [
        ({"team_id": "T1"}, (), ["T2"]),
        ({"team_id": "T1"}, ("revoke_named_only",), []),
        ({"team_id": "T9"}, (), ["T1", "T2"]),
        ({}, (), []),
        ({"team_id": None}, (), []),
        ({"pending_only": True}, (), ["T1", "T2"]),
        ({"pending_only": True}, ("pending_only",), []),
        ({"pending_only": False}, (), []),
    ],
)
def test_revoke_takes_what_it_names(form, off, left):
    """HK-92, HK-93, HK-94"""
    play = AccountsPlay(off=off)
    play.join()
    play.join(who="D2")
    play.sign_in(team="T1")
    play.sign_in(team="T2")
    play.sign_in("Bob", "D2", "T1")
    before = len(play.got(BindState, "D2"))
    play.send(BindRevoke(**form))
    assert teams(play) == left
    revoked = [u.team_id for u in play.got(BindUpdate) if u.state == "revoked"]
    assert revoked == [t for t in ("T1", "T2") if t not in left]
    assert len(play.got(BindState, "D2")) == before
    play.restart_server()
    play.join()
    assert teams(play) == left


def test_a_voided_link_confirms_nothing_any_more():
    """HK-94"""
    play = bound("T1")
    play.send(BindStart())
    link = link_of(play)
    play.send(BindRevoke(pending_only=True))
    play.authorize(link, team="T2")
    assert teams(play) == ["T1"]
    assert states(play)[-1] == "none"


# -- two desktops --------------------------------------------------------------


def superseded(off=()):
    """Alice's task runs on D when she binds the same account to D2. → (play, request)"""
    play = AccountsPlay(off=off)
    play.join()
    play.join(who="D2")
    play.sign_in(to="D")
    request = play.say("one")
    play.ack(request)
    play.sign_in(to="D2")
    return play, request


def test_a_second_desktop_supersedes_the_first_and_running_tasks_still_end_there():
    """hook RC-85"""
    play, request = superseded()
    update = play.last(BindUpdate, "D")
    assert (update.state, update.team_id, update.reason) == ("revoked", "T1", "superseded")
    assert teams(play, "D") == []
    assert teams(play, "D2") == ["T1"]
    assert not play.dispatched("D2")
    play.end(request, "ok", "done")
    assert play.shows(request) == ("OK", "done")
    play.say("two")
    assert [d.prompt for d in play.dispatched("D2")] == ["two"]
    assert [d.prompt for d in play.dispatched("D")] == ["one"]


def test_a_task_of_the_superseded_desktop_is_redelivered_to_it_alone():
    """hook RC-85"""
    play, request = superseded()
    play.cut(who="D")
    play.cut(who="D2")
    play.join(who="D2")
    play.join()
    assert not play.dispatched("D2")
    assert [d.request_id for d in play.dispatched()] == [request, request]


def test_without_the_push_the_first_desktop_keeps_a_ghost():
    """HK-97"""
    play, _ = superseded(off=("bind_state_pushed",))
    assert not play.got(BindState, "D")


# -- connections and crashes ---------------------------------------------------


def test_bind_state_follows_each_welcome_and_a_pending_sign_in_is_told_again():
    """HK-97, hook RC-89"""
    play = bound()
    play.send(BindStart(team_id="T2"))
    link = link_of(play)
    play.cut()
    play.join()
    kinds = [type(b) for _, conn, b in play.received if conn == "D.slack#2"]
    assert kinds == [Welcome, BindState, BindUpdate]
    assert link_of(play) == link
    assert teams(play) == ["T1"]


def test_a_change_while_the_desktop_is_away_is_told_at_its_next_welcome():
    play = AccountsPlay()
    play.join()
    play.send(BindStart())
    link = link_of(play)
    play.cut()
    play.authorize(link)
    play.join()
    assert teams(play) == ["T1"]


def test_a_single_binding_desktop_is_told_how_it_stands():
    play = AccountsPlay(features=("turn-reopen-v1",))
    play.join()
    assert states(play) == ["none"]
    play.sign_in()
    play.cut()
    play.join()
    assert states(play)[-1] == "confirmed"


def test_a_desktop_of_before_the_features_gets_no_new_frames():
    """HK-31, hook RC-81"""
    play = AccountsPlay(bound=True)
    play.connect()
    play.say("x")
    kinds = {type(b) for _, _, b in play.received}
    assert kinds == {Welcome, TaskDispatch}
    payload = play.sent("task.dispatch")[0].frame.wire["payload"]
    assert set(payload) == {
        "requestId", "externalKey", "workspace", "sessionId", "prompt", "source",
    }  # fmt: skip
    assert set(payload["source"]) == {"im", "channelName", "userText"}


def test_features_are_those_of_the_latest_hello():
    """hook RC-81"""
    play = bound("T1", "T2")
    play.hello(features=())
    play.types("x")
    assert play.dispatched()[-1].source.team_id is ABSENT


@pytest.mark.parametrize("row", ["slack-attempt/", "slack-binding/"])
@pytest.mark.parametrize("preempt", [False, True])
def test_a_crash_behind_any_write_leaves_a_sign_in_that_can_be_completed(row, preempt):
    play = AccountsPlay(preempt=preempt)
    play.join()
    play.crash_behind(row)
    play.send(BindStart())
    if row == "slack-binding/":
        play.authorize(link_of(play))
    play.restart(5)
    play.join()
    if row == "slack-attempt/":
        play.authorize(link_of(play))
    assert teams(play) == ["T1"]
    play.run(15 * MINUTE)
    assert "expired" not in states(play)
    assert not play.rows("slack-attempt/")


def test_a_seeded_account_that_was_revoked_does_not_come_back():
    play = AccountsPlay(bound=True)
    play.join()
    assert teams(play) == ["T1"]
    play.send(BindRevoke())
    play.restart_server()
    play.join()
    assert teams(play) == []
    play.say("x")
    assert not play.dispatched()
    assert play.notices() == ["No desktop is connected to you yet"]


def test_an_expiry_goes_on_after_a_restart():
    play = AccountsPlay()
    play.join()
    play.send(BindStart())
    play.restart_server()
    play.join()
    play.run(11 * MINUTE)
    assert states(play)[-1] == "expired"
