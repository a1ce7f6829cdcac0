"""Telegram and X accounts on the server: attempts, confirmation, what supersedes what."""

import re

import pytest

from sim.channel.api import Authorize
from sim.protocols.hook import (
    ProviderBindCancel,
    ProviderBindRevoke,
    ProviderBindStart,
    ProviderBindState,
    ProviderBindUpdate,
    Welcome,
    parse_hook_message,
)
from sim.protocols.hook.machine import PROVIDER_BINDING
from sim.protocols.hook.server.accounts.links import secret_of
from tests.protocols.hook.accounts_play import FEATURES, TELEGRAM, AccountsPlay

CHANNEL = {"telegram": "TG", "x": "XX"}


def started(provider="telegram", request="q1", **more):
    play = AccountsPlay(**more)
    play.join(provider)
    start(play, request, provider)
    return play


def start(play, request="q1", provider="telegram", who="D"):
    play.send(ProviderBindStart(request_id=request, provider=provider), who)


def confirm(play, provider="telegram", who="Alice", link=None, to="D", **more):
    secret = link or link_of(play, to)
    play.authorize(secret, who, CHANNEL[provider], **more)


def link_of(play, who="D"):
    return secret_of(play.last(ProviderBindUpdate, who).connect_url)


def updates(play, who="D"):
    return [(u.state, u.reply_to) for u in play.got(ProviderBindUpdate, who)]


def cancel(play, attempt, provider="telegram"):
    play.send(ProviderBindCancel(request_id="q9", provider=provider, attempt_id=attempt))


def revoke(play, binding, provider="telegram"):
    play.send(ProviderBindRevoke(request_id="q9", provider=provider, binding_id=binding))


# -- the ordinary course -------------------------------------------------------


@pytest.mark.parametrize("provider", ["telegram", "x"])
def test_an_attempt_goes_from_none_to_pending_to_confirmed(provider):
    """HK-109, HK-113, HK-114, HK-116"""
    play = started(provider)
    first = play.last(ProviderBindState)
    assert (first.state, first.reply_to) == ("none", None)
    pending = play.last(ProviderBindUpdate)
    assert pending.attempt_id
    assert pending.expires_at > play.world.hosts["S"].now_ms()
    confirm(play, provider)
    confirmed = play.last(ProviderBindUpdate)
    assert updates(play) == [("pending", "q1"), ("confirmed", None)]
    assert confirmed.binding_id
    assert confirmed.principal_id
    assert confirmed.scope_id
    assert confirmed.connect_url is None


def test_links_have_the_one_form_that_desktops_open():
    """HK-123"""
    play = started()
    url = play.last(ProviderBindUpdate).connect_url
    assert re.fullmatch(r"https://t\.me/\w+bot\?start=[A-Za-z0-9_-]{43}", url)
    play = started("x")
    url = play.last(ProviderBindUpdate).connect_url
    assert url.startswith("https://x.com/i/oauth2/authorize?response_type=code&")
    assert "code_challenge_method=S256" in url


@pytest.mark.parametrize("provider", ["telegram", "x"])
def test_messages_of_a_bound_account_reach_its_desktop_and_no_other(provider):
    play = started(provider)
    confirm(play, provider)
    play.types("hello", channel=CHANNEL[provider])
    play.types("me too", "Bob", channel=CHANNEL[provider])
    assert [d.prompt for d in play.dispatched()] == ["hello"]


def test_every_snapshot_is_whole_and_passes_the_parser():
    """HK-112, HK-117, HK-118"""
    play = started()
    confirm(play)
    binding = play.last(ProviderBindUpdate).binding_id
    start(play, "q2")
    cancel(play, play.last(ProviderBindUpdate).attempt_id)
    revoke(play, binding)
    frames = play.sent("provider.bind.update") + play.sent("provider.bind.state")
    for one in frames:
        assert len(one.frame.wire["payload"]) == 14
        assert parse_hook_message(one.frame.wire).ok


def test_no_state_of_a_binding_leads_back():
    """HK-113"""
    final = PROVIDER_BINDING.final()
    assert set(final) == {"DENIED", "EXPIRED", "REVOKED", "SUPERSEDED"}
    assert not PROVIDER_BINDING.can("CONFIRMED", "start")


# -- attempts that come to nothing ---------------------------------------------


@pytest.mark.parametrize(("off", "state"), [((), "expired"), (("links_expire",), "confirmed")])
def test_an_attempt_past_its_time_can_no_longer_be_confirmed(off, state):
    """HK-115"""
    play = started(off=off)
    link = link_of(play)
    play.run(11 * 60)
    confirm(play, link=link)
    assert updates(play)[-1] == (state, None)
    if state == "expired":
        assert play.last(ProviderBindUpdate).reason == "expired"


def test_who_declines_on_x_is_not_bound():
    play = started("x")
    confirm(play, "x", decline=True)
    last = play.last(ProviderBindUpdate)
    assert (last.state, last.reason, last.binding_id) == ("denied", "declined", None)


@pytest.mark.parametrize(("off", "binds"), [((), False), (("newest_link_only",), True)])
def test_the_link_of_a_replaced_attempt_confirms_nothing(off, binds):
    """hook RC-87"""
    play = started(off=off)
    old = link_of(play)
    start(play, "q2")
    confirm(play, link=old)
    assert updates(play)[1] == ("pending", "q2")
    assert ("confirmed", None) in updates(play) or not binds
    if not binds:
        confirm(play)
        assert updates(play)[-1] == ("confirmed", None)


def test_cancel_ends_the_named_attempt_only():
    """HK-110"""
    play = started()
    attempt, link = play.last(ProviderBindUpdate).attempt_id, link_of(play)
    cancel(play, "another")
    assert updates(play)[-1] == ("pending", "q9")
    cancel(play, attempt)
    assert updates(play)[-1] == ("denied", "q9")
    confirm(play, link=link)
    assert ("confirmed", None) not in updates(play)


@pytest.mark.parametrize(("off", "keeps"), [((), True), (("cancel_keeps_binding",), False)])
def test_cancel_leaves_a_confirmed_binding_alone(off, keeps):
    """HK-110"""
    play = started(off=off)
    confirm(play)
    start(play, "q2")
    cancel(play, play.last(ProviderBindUpdate).attempt_id)
    assert updates(play)[-2:] == [("denied", "q9"), ("confirmed" if keeps else "revoked", None)]
    play.types("x", channel="TG")
    assert bool(play.dispatched()) is keeps


@pytest.mark.parametrize("seed", range(6))
def test_cancel_and_confirm_that_cross_have_one_truth(seed):
    """hook RC-88"""
    play = started(seed=seed, preempt=True)
    attempt, link = play.last(ProviderBindUpdate).attempt_id, link_of(play)
    body = ProviderBindCancel(request_id="q9", provider="telegram", attempt_id=attempt)
    play.world.act("TG", Authorize("Alice", link))
    play.run(seed * 0.01)
    play.send(body, wait=2)
    last = play.last(ProviderBindUpdate)
    bound = [row for row in play.rows("provider-binding/") if row.state == "CONFIRMED"]
    assert (last.state == "confirmed") == bool(bound)
    if bound:
        revoke(play, bound[0].binding)
        assert updates(play)[-1] == ("revoked", "q9")


# -- superseding and revoking --------------------------------------------------


def test_a_second_desktop_supersedes_the_first():
    play = started()
    confirm(play)
    mine = play.last(ProviderBindUpdate).binding_id
    play.join("telegram", "D2")
    start(play, "q2", who="D2")
    confirm(play, to="D2")
    lost = play.last(ProviderBindUpdate)
    assert (lost.state, lost.binding_id, lost.reason) == ("superseded", mine, "superseded")
    assert lost.attempt_id is None
    assert play.last(ProviderBindUpdate, "D2").binding_id != mine
    play.types("x", channel="TG")
    assert not play.dispatched()
    assert len(play.dispatched("D2")) == 1


def test_another_account_on_the_same_desktop_replaces_the_first():
    play = started()
    confirm(play)
    start(play, "q2")
    confirm(play, who="Bob")
    assert updates(play)[-2:] == [("superseded", None), ("confirmed", None)]
    play.types("x", channel="TG")
    play.types("y", "Bob", channel="TG")
    assert [d.prompt for d in play.dispatched()] == ["y"]


def test_the_same_account_again_keeps_its_binding():
    play = started()
    confirm(play)
    binding = play.last(ProviderBindUpdate).binding_id
    start(play, "q2")
    confirm(play)
    assert play.last(ProviderBindUpdate).binding_id == binding
    assert "superseded" not in dict(updates(play))


@pytest.mark.parametrize(("off", "goes"), [((), False), (("revoke_named_only",), True)])
def test_revoke_takes_the_named_binding_only(off, goes):
    """HK-111"""
    play = started(off=off)
    confirm(play)
    binding = play.last(ProviderBindUpdate).binding_id
    revoke(play, "another")
    assert updates(play)[-1] == ("revoked" if goes else "confirmed", "q9")
    if not goes:
        revoke(play, binding)
        last = play.last(ProviderBindUpdate)
        assert (last.state, last.binding_id, last.attempt_id) == ("revoked", binding, None)


# -- a second word of consent --------------------------------------------------


def test_a_server_may_ask_for_a_second_word_before_it_binds():
    """HK-113"""
    play = started(asks_to_confirm=True)
    link = link_of(play)
    confirm(play)
    assert updates(play)[-1] == ("awaiting_confirmation", None)
    assert play.last(ProviderBindUpdate).connect_url is None
    play.types("/confirm", "Bob", channel="TG")
    assert updates(play)[-1] == ("awaiting_confirmation", None)
    play.restart_server()
    play.join("telegram")
    play.types("/confirm", channel="TG")
    assert updates(play)[-1] == ("confirmed", None)
    play.authorize(link, "Bob", "TG")
    assert updates(play)[-1] == ("confirmed", None)


# -- negotiation ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("side", "missing"),
    [
        ("server", "provider-bind-v1"),
        ("server", "provider:telegram"),
        ("desktop", "provider-bind-v1"),
    ],
)
def test_without_what_a_channel_needs_there_are_no_binding_frames(missing, side):
    """HK-16, HK-17, HK-32"""
    play = AccountsPlay()
    theirs = tuple(f for f in TELEGRAM if side == "server" or f != missing)
    if side == "server":
        play.feature(missing, False)
    play.join("telegram", features=theirs)
    start(play)
    assert [type(b) for _, _, b in play.received] == [Welcome]


def test_with_the_negotiation_rule_off_frames_pass_all_the_same():
    """HK-16"""
    play = AccountsPlay(off=("features_agreed",))
    play.join("telegram", features=())
    start(play)
    assert updates(play) == [("pending", "q1")]


def test_x_is_negotiated_without_provider_x_in_hello():
    """hook RC-83"""
    assert "provider:x" not in FEATURES["x"]
    play = started("x")
    assert updates(play) == [("pending", "q1")]


def test_a_frame_about_another_channel_than_the_sockets_is_dropped():
    play = AccountsPlay()
    play.join("telegram")
    start(play, provider="x")
    start(play, provider="slack")
    assert not play.got(ProviderBindUpdate)


def test_the_slack_lane_knows_nothing_of_the_other_channels():
    """HK-18"""
    play = AccountsPlay()
    play.join("slack", features=(*FEATURES["slack"], *TELEGRAM))
    start(play)
    assert not play.got(ProviderBindUpdate)
    assert "provider:telegram" not in play.last(Welcome).features


# -- connections and crashes ---------------------------------------------------


def test_the_first_snapshot_after_a_welcome_is_made_when_it_is_sent():
    """hook RC-89"""
    for preempt in (False, True):
        play = started(preempt=preempt)
        link = link_of(play)
        play.cut()
        play.authorize(link, "Alice", "TG")
        play.join("telegram")
        kinds = [type(b) for _, conn, b in play.received if conn == "D.telegram#2"]
        assert kinds == [Welcome, ProviderBindState]
        assert play.last(ProviderBindState).state == "confirmed"


def test_an_open_attempt_is_told_again_beside_a_binding():
    play = started()
    confirm(play)
    start(play, "q2")
    play.cut()
    play.join("telegram")
    assert play.last(ProviderBindState).state == "confirmed"
    assert updates(play)[-1] == ("pending", None)
    confirm(play)
    assert updates(play)[-1] == ("confirmed", None)


@pytest.mark.parametrize("row", ["provider-attempt/", "provider-binding/"])
def test_a_crash_behind_any_write_leaves_an_attempt_that_can_be_completed(row):
    play = AccountsPlay(preempt=True)
    play.join("telegram")
    play.crash_behind(row)
    start(play)
    if row == "provider-binding/":
        confirm(play)
    play.restart(5)
    play.join("telegram")
    if row == "provider-attempt/":
        assert play.last(ProviderBindState).state == "pending"
        play.authorize(secret_of(play.last(ProviderBindState).connect_url), "Alice", "TG")
    else:
        assert play.last(ProviderBindState).state == "confirmed"
    play.types("x", channel="TG", wait=5)
    assert len(play.dispatched()) == 1
    play.run(15 * 60)
    assert not play.rows("provider-attempt/")
    assert "expired" not in dict(updates(play))


def test_a_seeded_account_that_was_revoked_does_not_come_back():
    play = AccountsPlay(bound=True)
    play.join("telegram")
    assert play.last(ProviderBindState).binding_id == "telegram-Alice"
    revoke(play, "telegram-Alice")
    play.restart_server()
    play.join("telegram")
    assert play.last(ProviderBindState).state == "none"
