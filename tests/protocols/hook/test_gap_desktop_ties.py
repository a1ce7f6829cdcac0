"""The desktop's accounts, settings and questions: what each guard is for."""

from __future__ import annotations

from typing import Any

import pytest

from sim.core.op import Erase, Note, Save, Send, StartTimer, StopTimer
from sim.protocols.hook import (
    ABSENT,
    BindStart,
    BindState,
    BindUpdate,
    Preference,
    ProviderBehaviorState,
    SlackBinding,
)
from sim.protocols.hook.acts import Operate, Toggle
from sim.protocols.hook.desktop import (
    asks,
    behavior,
    lifecycle,
    operate,
    preferences,
    provider_binding,
    slack_binding,
    unanswered,
)
from sim.protocols.hook.desktop.records import Asked
from sim.protocols.hook.desktop.ties import BindingRow, neutral_ties, slack_ties
from tests.protocols.hook.by_hand import ByHand
from tests.protocols.hook.desktop_play import FEATURES, Play
from tests.protocols.hook.test_desktop_bindings import TELEGRAM, confirmed, pending, snapshot

BOUND = BindingRow("b1", "u1", "c1")


class Stage(Play):
    """A desktop whose handlers can be moved by hand; on Telegram unless told otherwise."""

    def __init__(self, lane: str = "telegram", **more: Any) -> None:
        more.setdefault("features", FEATURES if lane == "slack" else TELEGRAM)
        super().__init__(lanes=(lane,), **more)

    @property
    def lane(self) -> Any:
        return next(iter(self.desktop().lanes.values()))

    @property
    def ties(self) -> Any:
        return neutral_ties(self.desktop(), self.lane)

    def hand(self, run: Any) -> ByHand:
        return ByHand(self.world, "D", run)

    def asked(self, id: str, frame: str = "prefs.get", about: str = "") -> Asked:
        self.desktop().work.asked[id] = asked = Asked(id, frame, self.lane, about)
        return asked

    def told(self, frame: Any) -> ByHand:
        return self.hand(provider_binding.told(self.desktop(), self.lane, frame))


def sent(run: ByHand) -> list[str]:
    return [op.frame.type for op in run.asked(Send)]


def bound() -> Stage:
    play = Stage()
    play.ties.binding = BOUND
    play.ties.state = "confirmed"
    play.ties.is_settled = True
    return play


# -- Telegram and X -------------------------------------------------------------------------


def test_a_welcome_makes_no_ties_where_nobody_was_ever_bound() -> None:
    play = Stage()
    play.lane.ties = None
    provider_binding.begins_anew(play.desktop(), play.lane)
    assert play.lane.ties is None
    play.host.store.put("binding//telegram", BOUND)
    play.host.store.put(f"binding/{play.desktop().account}/telegram", BOUND)
    provider_binding.begins_anew(play.desktop(), play.lane)
    assert play.lane.ties.binding == BOUND


def test_a_snapshot_that_answers_nothing_leaves_the_request_under_way() -> None:
    play = bound()
    play.ties.mutation = "q1"
    play.ties.is_settled = False
    play.told(snapshot("none")).finish()
    assert (play.ties.mutation, play.ties.state) == ("q1", "none")


def test_an_answer_ends_the_request_under_way() -> None:
    play = bound()
    play.ties.mutation = "q1"
    play.asked("q1", "provider.bind.start")
    play.told(pending("a1", "q1")).finish()
    assert play.ties.mutation is None
    assert play.desktop().work.asked == {}


def test_with_one_attempt_off_an_answer_to_nothing_ends_no_request() -> None:
    play = Stage(rules_off=("one_attempt",))
    play.asked("q2")
    play.told(pending("a1", "q2")).finish()
    assert list(play.desktop().work.asked) == ["q2"]


def test_an_old_binding_that_is_gone_ends_no_attempt() -> None:
    """HK-113"""
    play = bound()
    play.ties.attempt = "a1"
    run = play.told(snapshot("revoked", pushed=True, binding_id="b1", principal_id="u1")).finish()
    assert (play.ties.binding, play.ties.attempt) == (None, "a1")
    assert [op.kind for op in run.asked(StopTimer)] == []


def test_an_attempt_that_came_to_nothing_ends_no_binding() -> None:
    """HK-110"""
    play = bound()
    play.ties.attempt = "a1"
    play.told(snapshot("denied", pushed=True, attempt_id="a1", reason="declined")).finish()
    assert (play.ties.binding, play.ties.attempt) == (BOUND, None)


def test_a_new_attempt_asks_nothing_about_the_old_binding() -> None:
    play = bound()
    play.ties.attempt = "a1"
    assert sent(play.told(pending("a1")).finish()) == []


def test_an_attempt_that_was_replaced_while_it_was_noted_has_no_lease() -> None:
    play = Stage()
    play.ties.attempt = "a1"
    run = play.told(pending("a1")).behind(Note)
    play.ties.attempt = "a2"
    assert run.finish().asked(StartTimer) == run.asked(StopTimer) == []


def test_an_attempt_without_an_end_is_given_up_all_the_same() -> None:
    play = Stage()
    play.ties.attempt = "a1"
    frame = snapshot("awaiting_confirmation", pushed=True, attempt_id="a1")
    (timer,) = play.told(frame).finish().asked(StartTimer)
    assert timer.after_us == play.desktop().settings.attempt_lease_us


@pytest.mark.parametrize(
    ("attempt", "state", "after"),
    [(None, "pending", "pending"), ("a1", "pending", "expired"), ("a1", "confirmed", "confirmed")],
)
def test_a_lease_ends_the_attempt_that_there_is(
    attempt: str | None, state: str, after: str
) -> None:
    play = Stage()
    play.ties.attempt, play.ties.state = attempt, state
    run = play.hand(provider_binding.expired(play.desktop(), play.lane)).finish()
    assert (play.ties.attempt, play.ties.state) == (None, after)
    assert len(run.asked(Note)) == (attempt is not None)


def test_a_binding_of_an_account_that_has_left_is_not_stored() -> None:
    play = Stage()
    play.ties.attempt = "a1"
    run = play.told(confirmed("b1")).behind(Note)
    play.lane.ties = None
    assert run.finish().asked(Save) == []


def test_a_binding_is_stored_when_it_is_news() -> None:
    play = Stage()
    play.ties.attempt = "a1"
    first = play.told(confirmed("b1")).finish()
    again = play.told(confirmed("b1")).finish()
    assert [op.value for op in first.asked(Save)] == [BOUND]
    assert again.asked(Save) == again.asked(Erase) == []


# -- behaviour ------------------------------------------------------------------------------


def test_behaviour_is_offered_on_telegram_only() -> None:
    """HK-124"""
    assert behavior.is_offered(Stage().desktop(), Stage().lane)
    play = Stage("x")
    play.desktop().features = {"x": TELEGRAM}
    assert not behavior.is_offered(play.desktop(), play.lane)


def test_behaviour_is_asked_for_once_at_a_time_and_beside_other_questions() -> None:
    play = bound()
    play.asked("q1", "provider.prefs.get", "b1")
    play.asked("q2", "provider.behavior.get", "b0")
    fetch = behavior.fetch
    first = play.hand(fetch(play.desktop(), play.lane)).finish()
    assert sent(first) == ["provider.behavior.get"]
    assert play.hand(fetch(play.desktop(), play.lane)).finish().ops == []


def test_a_late_answer_about_behaviour_is_not_shown() -> None:
    play = bound()
    state = ProviderBehaviorState(
        provider="telegram", binding_id="b1", reply_to="gone", bound=True, group_activation={},
        emoji_reactions="off", reply_quote_dm="off", reply_quote_group="off",
    )  # fmt: skip
    assert play.hand(behavior.told(play.desktop(), play.lane, state)).finish().ops == []
    assert play.ties.behavior is None


# -- questions ------------------------------------------------------------------------------


def test_an_idle_desktop_has_no_questions_and_stays_idle() -> None:
    play = Play()
    desk = play.desktop()
    lane = desk.lanes["slack"]
    assert asks.take(desk, "q1") is None
    for run in (unanswered.connection_lost(desk, lane), asks.reject_all(desk, lane, "rebound")):
        assert ByHand(play.world, "D", run).finish().ops == []
    assert not desk.is_busy


def test_only_questions_about_another_binding_are_given_up() -> None:
    play = bound()
    for id, about in (("q1", ""), ("q2", "b1"), ("q3", "b0")):
        play.asked(id, about=about)
    play.hand(asks.reject_all(play.desktop(), play.lane, "rebound", but="b1")).finish()
    assert list(play.desktop().work.asked) == ["q1", "q2"]
    play.hand(asks.reject_all(play.desktop(), play.lane, "rebound")).finish()
    assert list(play.desktop().work.asked) == []


@pytest.mark.parametrize("give_up", [asks.reject_all, None])
def test_questions_of_another_channel_stay(give_up: Any) -> None:
    play = Play(lanes=("slack", "telegram"), features=TELEGRAM)
    desk = play.desktop()
    slack, telegram = desk.lanes["slack"], desk.lanes["telegram"]
    desk.work.asked["q1"] = Asked("q1", "prefs.get", slack, "")
    run = give_up(desk, telegram, "x") if give_up else unanswered.connection_lost(desk, telegram)
    assert ByHand(play.world, "D", run).finish().ops == []
    assert list(desk.work.asked) == ["q1"]


def test_an_old_request_that_is_over_leaves_a_newer_one_under_way() -> None:
    play = bound()
    play.ties.mutation = "q2"
    asked = play.asked("q1", "provider.bind.start")
    play.hand(unanswered.over(play.desktop(), asked, "TIMEOUT")).finish()
    assert play.ties.mutation == "q2"
    asked = play.asked("q2", "provider.bind.start")
    play.hand(unanswered.over(play.desktop(), asked, "TIMEOUT")).finish()
    assert play.ties.mutation is None


# -- Slack ----------------------------------------------------------------------------------


def update(state: str, **more: Any) -> BindUpdate:
    nothing = dict.fromkeys(("slack_user_id", "slack_user_name", "message"))
    return BindUpdate(state=state, **{**nothing, **more})


def on_slack(*features: str) -> Stage:
    play = Stage("slack", features=("turn-reopen-v1", *features))
    slack_ties(play.lane)
    return play


def updated(play: Stage, frame: BindUpdate) -> ByHand:
    return play.hand(slack_binding.updated(play.desktop(), play.lane, frame))


ROW = SlackBinding(team_id="T1", team_name=None, slack_user_id="U1", slack_user_name=None)


@pytest.mark.parametrize(
    ("state", "binds_itself", "is_pending"), [("pending", False, True), ("confirmed", True, False)]
)
def test_only_a_sign_in_under_way_makes_another_one_needless(
    state: str, binds_itself: bool, is_pending: bool
) -> None:
    play = on_slack("multi-team")
    play.lane.ties.binds_itself = True
    url = {"authorize_url": "https://slack.com/x"} if is_pending else {}
    updated(play, update(state, **url)).finish()
    assert (play.lane.ties.binds_itself, play.lane.ties.is_pending) == (binds_itself, is_pending)


@pytest.mark.parametrize("state", ["none", "pending"])
def test_a_server_that_knows_of_no_binding_is_asked_for_one(state: str) -> None:
    play = on_slack()
    play.lane.ties.binds_itself = True
    run = updated(play, update(state)).finish()
    assert sent(run) == ["bind.start"]
    assert (play.lane.ties.binds_itself, play.lane.ties.is_pending) == (False, False)
    assert not play.lane.is_off


def test_what_an_older_word_asked_for_is_not_done_any_more() -> None:
    play = on_slack("multi-team")
    run = updated(play, update("pending", authorize_url="https://slack.com/x")).behind(Note)
    updated(play, update("confirmed")).finish()
    assert run.finish().asked(StartTimer) == []


@pytest.mark.parametrize(
    ("rows", "displaced", "off", "notes"),
    [((), (), (), 0), ((ROW,), (), (), 0), ((), (ROW,), (), 1),
     ((), (), ("bind_state_replaces",), 1)],
)  # fmt: skip
def test_a_list_is_noted_where_it_does_not_say_it_all(
    rows: Any, displaced: Any, off: tuple[str, ...], notes: int
) -> None:
    play = Stage("slack", rules_off=off)
    ties = slack_ties(play.lane)
    ties.displaced = displaced
    ties.rows = (ROW,) if off else rows
    frame = BindState(bindings=rows)
    run = play.hand(slack_binding.listed(play.desktop(), play.lane, frame)).finish()
    assert len(run.asked(Note)) == notes


@pytest.mark.parametrize(
    ("rows", "binds_itself", "is_pending", "timers"),
    [((), True, False, 1), ((ROW,), True, False, 0), ((), False, False, 0), ((), True, True, 0)],
)
def test_an_empty_list_leads_to_a_sign_in_only_where_one_is_wanted(
    rows: Any, binds_itself: bool, is_pending: bool, timers: int
) -> None:
    play = Stage("slack")
    ties = slack_ties(play.lane)
    ties.binds_itself, ties.is_pending = binds_itself, is_pending
    frame = BindState(bindings=rows)
    run = play.hand(slack_binding.listed(play.desktop(), play.lane, frame)).finish()
    assert [op.kind for op in run.asked(StartTimer)] == ["first bind"] * timers


def test_a_sign_in_whose_answer_is_here_already_is_not_watched_anew() -> None:
    play = on_slack("multi-team")
    start = slack_binding.start(play.desktop(), play.lane, BindStart())
    run = play.hand(start).behind(Send)
    updated(play, update("confirmed")).finish()
    assert run.finish().asked(StartTimer) == []
    quiet = play.hand(slack_binding.start(play.desktop(), play.lane, BindStart())).finish()
    assert [op.kind for op in quiet.asked(StartTimer)] == ["sign in"]


def test_a_row_without_a_team_is_the_only_teams() -> None:
    def row(team: Any) -> Preference:
        return Preference(
            workspace="chat", model=None, effort=None, agent_kind=None, permission_mode=None,
            team_id=team,
        )  # fmt: skip

    assert [preferences.team_of(row(team)) for team in ("T1", None, ABSENT)] == ["T1", "", ""]


# -- what the person does -------------------------------------------------------------------


def test_lifecycle_is_told_on_slack_and_behind_the_welcome() -> None:
    """HK-27"""
    wide = Stage("telegram", rules_off=("lifecycle_needs_feature",))
    assert not lifecycle.is_offered(wide.desktop(), wide.lane)
    shut = Stage("slack", rules_off=("lifecycle_needs_feature",), welcomes=False)
    assert not lifecycle.is_offered(shut.desktop(), shut.lane)
    opened = Stage("slack", rules_off=("lifecycle_needs_feature",))
    assert lifecycle.is_offered(opened.desktop(), opened.lane)
    opened.do(Operate("lifecycle.preference", {"enabled": False}))
    assert len(opened.sockets) == 1


@pytest.mark.parametrize("online", [True, False])
def test_with_no_empty_patch_off_a_patch_without_a_connection_is_noted(online: bool) -> None:
    play = Stage(rules_off=("no_empty_patch", "behavior_needs_feature"))
    play.ties.binding = BOUND
    if not online:
        play.go_offline()
        play.ties.binding = BOUND
    run = play.hand(operate.operate(play.desktop(), "provider.behavior.set", {})).finish()
    assert len(run.asked(Note)) == (not online)


def test_a_channel_that_is_switched_on_again_meanwhile_stays_on() -> None:
    play = on_slack("multi-team")
    run = play.hand(operate.toggle(play.desktop(), "slack", is_on=False)).behind(Send)
    play.do(Toggle(on=True, lane="slack"))
    done = len(run.ops)
    assert len(run.finish().ops) == done
    assert not play.lane.is_off
    assert len(play.sockets) == 1
