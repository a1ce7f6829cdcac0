"""Preferences on the server: Slack's, the other channels', and what tasks make of them."""

import pytest

from sim.protocols.hook import (
    ABSENT,
    BindRevoke,
    PrefsGet,
    PrefsSet,
    PrefsState,
    ProviderBindState,
    ProviderPrefsGet,
    ProviderPrefsSet,
    ProviderPrefsState,
    TaskOptions,
)
from tests.protocols.hook.accounts_play import AccountsPlay


def slack(bound=("T1",), **more):
    """D is connected on Slack; Alice has bound these teams to it."""
    play = AccountsPlay(**more)
    play.join()
    for team in bound:
        play.sign_in(team=team)
    return play


def put(play, workspace="web", request="q1", **fields):
    play.send(PrefsSet(request_id=request, workspace=workspace, **fields))
    return play.last(PrefsState)


def rows(state):
    return {
        (r.team_id, r.workspace): (r.model, r.effort, r.agent_kind, r.permission_mode)
        for r in state.prefs
    }


# -- Slack ---------------------------------------------------------------------


def test_get_and_set_are_answered_with_the_whole_of_it():
    """HK-145, HK-149"""
    play = slack()
    play.send(PrefsGet(request_id="q0"))
    state = play.last(PrefsState)
    assert (state.reply_to, state.bound, state.prefs) == ("q0", True, ())
    state = put(play, model="opus", effort="high")
    assert state.reply_to == "q1"
    state = put(play, "docs", "q2", permission_mode="plan")
    assert state.reply_to == "q2"
    assert rows(state) == {
        ("T1", "web"): ("opus", "high", None, None),
        ("T1", "docs"): (None, None, None, "plan"),
    }


@pytest.mark.parametrize(
    ("off", "left"), [((), ("opus", None)), (("prefs_partial",), (None, None))]
)
def test_a_set_changes_what_it_names_and_null_clears(off, left):
    """HK-146"""
    play = slack(off=off)
    put(play, model="opus", effort="high")
    state = put(play, effort=None)
    assert rows(state)[("T1", "web")][:2] == left


def test_a_set_without_a_field_makes_no_row():
    play = slack()
    assert put(play).prefs == ()
    assert len(put(play, model=None).prefs) == 1


def test_values_are_not_judged():
    """HK-147"""
    play = slack()
    assert rows(put(play, model="model-of-2031"))[("T1", "web")][0] == "model-of-2031"


def test_an_unbound_desktop_sees_nothing_and_stores_nothing():
    """HK-149"""
    play = slack()
    put(play, model="opus")
    play.send(BindRevoke())
    state = put(play, "docs", model="sonnet")
    assert (state.bound, state.prefs) == (False, ())
    play.sign_in()
    play.send(PrefsGet(request_id="q9"))
    assert list(rows(play.last(PrefsState))) == [("T1", "web")]


@pytest.mark.parametrize(
    ("team", "off", "changed"),
    [
        ("T2", (), [("T2", "web")]),
        (ABSENT, (), []),
        (None, (), []),
        ("T9", (), []),
        (ABSENT, ("team_not_guessed",), [("T1", "web")]),
    ],
)
def test_with_several_teams_nobody_guesses_which(team, off, changed):
    """HK-101"""
    play = slack(("T1", "T2"), off=off)
    state = put(play, model="opus", team_id=team)
    assert state.reply_to == "q1"
    assert list(rows(state)) == changed


def test_a_single_binding_desktop_gets_rows_without_a_team():
    """HK-99"""
    play = AccountsPlay()
    play.join(features=("session-picker-v1",))
    play.sign_in()
    assert list(rows(put(play, model="opus"))) == [(ABSENT, "web")]


@pytest.mark.parametrize("preempt", [False, True])
def test_the_last_state_has_the_last_value(preempt):
    """hook RC-90"""
    play = slack(preempt=preempt)
    for name in ("a", "b", "c"):
        play.send(PrefsSet(request_id=name, workspace="web", model=name), wait=0)
    play.run(2)
    states = play.got(PrefsState)
    models = [next((r.model for r in s.prefs), None) for s in states]
    assert models[-1] == "c"
    for state, model in zip(states, models, strict=True):
        assert model is not None
        assert model >= state.reply_to


def test_preferences_survive_a_crash_behind_their_row():
    play = slack(preempt=True)
    play.crash_behind("prefs/")
    play.send(PrefsSet(request_id="q1", workspace="web", model="opus"))
    play.restart()
    play.join()
    play.send(PrefsGet(request_id="q2"))
    assert rows(play.last(PrefsState))[("T1", "web")][0] == "opus"


def test_tasks_run_with_the_preferences_of_their_folder_and_team():
    """HK-59"""
    play = slack(("T1", "T2"))
    put(play, "chat", model="opus", effort="high", team_id="T1")
    play.types("one")
    play.types("two", chat="T2.C1")
    one, two = play.dispatched()
    assert one.options == TaskOptions(
        model="opus", effort="high", permission_mode=None, agent_kind=None
    )
    assert two.options is ABSENT


# -- the other channels --------------------------------------------------------


def telegram(**more):
    """D is connected on Telegram and Slack, Alice bound on both. → (play, bindingId)"""
    play = AccountsPlay(bound=True, **more)
    play.join()
    play.join("telegram")
    return play, play.last(ProviderBindState).binding_id


def set_neutral(play, binding=None, scope=None, workspace="web", request="q1", **fields):
    body = ProviderPrefsSet(
        request_id=request, provider="telegram", binding_id=binding, scope_id=scope,
        workspace=workspace, **fields,
    )  # fmt: skip
    play.send(body)
    return play.last(ProviderPrefsState)


def test_provider_preferences_are_partial_and_by_alias():
    """HK-120, HK-121"""
    play, binding = telegram()
    set_neutral(play, binding, model="opus", effort="low")
    state = set_neutral(play, binding, workspace="docs", request="q2", model="haiku")
    assert (state.reply_to, state.binding_id, state.scope_id) == ("q2", binding, None)
    state = set_neutral(play, binding, model=None)
    assert {r.workspace: (r.model, r.effort) for r in state.prefs} == {
        "web": (None, "low"),
        "docs": ("haiku", None),
    }
    assert "teamId" not in str(play.sent("provider.prefs.state")[-1].frame.wire)


@pytest.mark.parametrize(("off", "leaks"), [((), False), (("prefs_isolated",), True)])
def test_slack_and_the_others_keep_their_preferences_apart(off, leaks):
    """HK-19, HK-20"""
    play, binding = telegram(off=off)
    set_neutral(play, binding, model="opus")
    play.send(PrefsGet(request_id="q5"), nth=0)
    assert bool(play.last(PrefsState).prefs) is leaks
    play.send(PrefsSet(request_id="q6", workspace="docs", model="haiku"), nth=0)
    play.send(
        ProviderPrefsGet(request_id="q7", provider="telegram", binding_id=binding, scope_id=None)
    )
    assert [r.workspace for r in play.last(ProviderPrefsState).prefs] == ["web"]


def test_a_binding_and_its_scope_are_two_domains():
    """HK-119"""
    play, binding = telegram()
    state = set_neutral(play, scope="hooktwinbot", workspace="chat", model="haiku")
    assert (state.bound, state.binding_id, state.scope_id) == (True, None, "hooktwinbot")
    assert set_neutral(play, binding).prefs == ()
    play.types("x", channel="TG")
    assert play.dispatched()[-1].options.model == "haiku"
    set_neutral(play, binding, workspace="chat", model="opus")
    play.types("y", channel="TG")
    assert play.dispatched()[-1].options.model == "opus"


@pytest.mark.parametrize(
    ("binding", "scope"), [("telegram-Bob", None), ("gone", None), (None, "elsewhere")]
)
def test_an_answer_about_a_binding_that_is_not_this_devices_is_empty(binding, scope):
    """hook RC-92"""
    play, mine = telegram()
    set_neutral(play, mine, model="opus")
    state = set_neutral(play, binding, scope, request="q2", model="x")
    assert (state.binding_id, state.scope_id, state.reply_to) == (binding, scope, "q2")
    assert (state.bound, state.prefs) == (False, ())
    assert not play.rows(f"provider-prefs/telegram/b:{binding}")


def test_provider_preferences_survive_a_restart():
    play, binding = telegram()
    set_neutral(play, binding, model="opus")
    play.restart_server()
    play.join("telegram")
    assert [r.model for r in set_neutral(play, binding).prefs] == ["opus"]


@pytest.mark.parametrize("side", ["server", "desktop"])
def test_without_the_feature_on_both_sides_provider_preferences_are_dropped(side):
    """HK-16, HK-32"""
    play = AccountsPlay(bound=True)
    if side == "server":
        play.feature("provider-prefs-v1", False)
        play.join("telegram")
    else:
        play.join("telegram", features=("provider-bind-v1",))
    body = ProviderPrefsGet(
        request_id="q1", provider="telegram", binding_id="telegram-Alice", scope_id=None
    )
    play.send(body)
    assert not play.got(ProviderPrefsState)
