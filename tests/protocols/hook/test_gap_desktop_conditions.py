"""The desktop's compound conditions: each part of them decides somewhere."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from sim.core.op import Dial, Erase, Note, Save, Send, StartTimer, StopTimer
from sim.protocols.hook import (
    ABSENT,
    InteractionDecision,
    Message,
    PrefsGet,
    ProviderBehaviorState,
    ProviderPrefsState,
    TaskSource,
    TurnDelivery,
)
from sim.protocols.hook.acts import (
    AgentAsks,
    AgentEnds,
    AgentProgresses,
    ChangeFeature,
    Login,
    Operate,
    Retry,
    Toggle,
    TypeText,
)
from sim.protocols.hook.desktop import (
    DesktopSettings,
    agent,
    asks,
    behavior,
    connection,
    continuation,
    delivery,
    group_window,
    interactions,
    outbox,
    preferences,
)
from sim.protocols.hook.desktop.group_window import GroupRow, Window, is_foreign, named_in
from sim.protocols.hook.desktop.ledger import _is_reclaimable, mark_sent
from sim.protocols.hook.desktop.records import Unaccepted
from sim.protocols.hook.desktop.ties import BindingRow, neutral_ties
from sim.protocols.hook.machine_desktop import CLAIMING, DIALLING
from tests.protocols.hook.desktop_play import FEATURES, Play
from tests.protocols.hook.test_desktop_bindings import TELEGRAM, confirmed
from tests.protocols.hook.test_gap_desktop_ends import AWAITED, Stage, end_of, ends

FAILS = AgentEnds(status="error", error="boom")
BOUND = BindingRow("b1", "u1", "c1")


class On(Stage):
    """The same on any one channel."""

    def __init__(self, lane: str = "slack", **more: Any) -> None:
        more.setdefault("features", FEATURES if lane == "slack" else TELEGRAM)
        super().__init__(lanes=(lane,), **more)

    @property
    def lane(self) -> Any:
        return next(iter(self.desktop().lanes.values()))

    def bound(self) -> On:
        ties = neutral_ties(self.desktop(), self.lane)
        ties.binding, ties.state = BOUND, "confirmed"
        return self

    def frame(self, body: Any) -> Any:
        """A frame of the server, moved by hand."""
        conn = self.lane.conn
        return self.hand(self.desktop().on_frame(conn, Message(body.TYPE, "f1", 1, body)))

    def notes(self, what: str) -> list[Any]:
        return [e.data for e in self.world.events if getattr(e, "what", "") == what]


# -- which frames count ---------------------------------------------------------------------


def test_business_waits_for_the_welcome_and_ends_with_the_account() -> None:
    """section 3"""
    shut = On("telegram", welcomes=False)
    assert shut.frame(confirmed("b1", pushed=False)).finish().ops == []
    play = On("telegram")
    play.desktop().is_closing = True
    assert play.frame(confirmed("b1", pushed=False)).finish().ops == []
    play.desktop().is_closing = False
    assert play.frame(confirmed("b1", pushed=False)).finish().ops != []


def test_slack_has_no_frames_of_neutral_channels() -> None:
    """HK-16"""
    play = On("slack")
    assert play.frame(confirmed("b1", pushed=False)).finish().ops == []
    assert play.lane.ties is None


# -- tasks ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("off", "answer"), [((), "rejected"), (("queue_limit",), "queued")])
def test_a_queue_is_as_long_as_the_rule_says(off: tuple[str, ...], answer: str) -> None:
    play = On(rules_off=off, settings=DesktopSettings(queue_limit=1))
    for n in range(3):
        play.dispatch(f"R{n}")
    assert play.last("task.ack", "R2").result == answer


def test_what_an_agent_does_waits_behind_what_it_did_before() -> None:
    play = On()
    play.task()
    play.work.acts["R1"] = [AgentProgresses("first")]
    second = AgentProgresses("second")
    assert play.hand(agent.agent_acts(play.desktop(), second)).finish().ops == []
    assert play.work.acts["R1"] == [AgentProgresses("first"), second]


def continued(**more: Any) -> tuple[On, Any]:
    """The person continues a failed task: the round is armed."""
    play = On(**more)
    play.task()
    play.do(FAILS)
    play.do(Retry("R1"))
    return play, next(iter(play.work.turns.values()))


def test_a_round_is_meant_by_the_ids_of_its_own_chain() -> None:
    play, turn = continued()
    assert agent.meant(play.desktop(), "R1") is turn
    assert agent.meant(play.desktop(), "R9") is None


# -- questions ------------------------------------------------------------------------------


def test_a_question_that_was_answered_while_it_was_sent_is_not_timed() -> None:
    play = On()
    body = PrefsGet(request_id="q1")
    run = play.hand(asks.ask(play.desktop(), play.lane, body, 5)).behind(Send)
    asks.take(play.desktop(), "q1")
    assert run.finish().asked(StartTimer) == []
    again = play.hand(asks.ask(play.desktop(), play.lane, body, 5)).finish()
    assert [op.kind for op in again.asked(StartTimer)] == ["ask"]


def test_behaviour_is_not_asked_for_before_the_welcome() -> None:
    play = On("telegram").bound()
    play.lane.state = "INCAPABLE"
    assert play.hand(behavior.fetch(play.desktop(), play.lane)).finish().ops == []


def test_behaviour_that_nobody_asked_for_is_shown() -> None:
    play = On("telegram").bound()
    state = ProviderBehaviorState(
        provider="telegram", binding_id="b1", reply_to=None, bound=True, group_activation={},
        emoji_reactions="off", reply_quote_dm="off", reply_quote_group="off",
    )  # fmt: skip
    play.hand(behavior.told(play.desktop(), play.lane, state)).finish()
    assert play.lane.ties.behavior is state


def prefs(reply_to: str | None, binding: str = "b1") -> ProviderPrefsState:
    return ProviderPrefsState(
        provider="telegram", binding_id=binding, scope_id=None, reply_to=reply_to, bound=True,
        prefs=(),
    )  # fmt: skip


@pytest.mark.parametrize(("reply_to", "shown"), [(None, True), ("late", False), ("q1", True)])
def test_settings_are_shown_unless_they_answer_nothing(reply_to: str | None, shown: bool) -> None:
    play = On("telegram").bound()
    play.hand(asks.ask(play.desktop(), play.lane, PrefsGet(request_id="q1"), 5)).finish()
    run = play.hand(preferences.provider_told(play.desktop(), play.lane, prefs(reply_to)))
    assert any(op.what == "shown" for op in run.finish().asked(Note)) is shown


# -- connections ----------------------------------------------------------------------------


def test_a_connected_channel_is_not_dialled() -> None:
    play = On()
    assert play.hand(connection.dial(play.desktop(), play.lane)).finish().ops == []


def test_a_socket_that_was_lost_before_its_dial_was_answered_is_not_opened() -> None:
    play = On()
    lane, conn = play.lane, play.lane.conn
    lane.conn, lane.state = None, "OFFLINE"
    run = play.hand(connection.dial(play.desktop(), lane), conn).before(Dial)
    assert lane.state == DIALLING
    lane.state = "OFFLINE"
    assert [type(op) for op in run.finish().ops] == [Dial]
    assert lane.conn is None


def test_a_channel_that_is_off_stays_off_after_a_restart() -> None:
    play = On()
    play.do(Toggle(on=False, lane="slack"))
    play.restart_desktop()
    assert play.lane.is_off
    assert play.lane.conn is None


def test_a_turn_is_told_behind_the_welcome_only() -> None:
    play = On(welcomes=False)
    assert play.lane.conn is not None
    run = play.hand(play.desktop().send_turn(play.lane, end_of("R1"))).finish()
    assert (run.result, run.ops) == (False, [])


def test_an_idle_desktop_that_loses_a_connection_stays_idle() -> None:
    play = On()
    continuation.connection_lost(play.desktop(), play.lane)
    assert not play.desktop().is_busy


def test_the_socket_of_an_older_dial_is_none_of_ours() -> None:
    play = On()
    lane, conn = play.lane, play.lane.conn
    lane.state, lane.dialled_with = DIALLING, conn.info
    assert connection.is_new(lane, conn)
    lane.dialled_with = dict(conn.info)
    assert not connection.is_new(lane, conn)


@pytest.mark.parametrize(
    ("lane", "default", "said"),
    [("slack", "web", ABSENT), ("telegram", "web", "web"), ("telegram", None, ABSENT)],
)
def test_a_default_folder_is_said_where_there_is_one_and_not_on_slack(
    lane: str, default: str | None, said: Any
) -> None:
    assert On(lane, default_workspace=default).last("hello").default_workspace == said


def test_an_account_and_features_outlive_a_restart() -> None:
    play = On()
    play.do(Login("other"), 3)
    play.do(ChangeFeature("turn-delivery-v1", on=True))
    play.restart_desktop()
    assert play.desktop().account == "other"
    assert "turn-delivery-v1" in play.last("hello").features


# -- continuations --------------------------------------------------------------------------


def test_acts_wait_while_a_reopen_is_written_and_behind_those_that_wait() -> None:
    play, turn = continued()
    act = AgentProgresses("x")
    turn.state, turn.acts = CLAIMING, None
    assert play.hand(continuation.event(play.desktop(), turn, act)).finish().ops == []
    assert turn.acts == [act]
    turn.state = "CLAIMED"
    assert play.hand(continuation.event(play.desktop(), turn, act)).finish().ops == []
    assert turn.acts == [act, act]


def test_only_a_round_with_a_registration_and_a_connection_gets_a_name() -> None:
    play, turn = continued()
    assert continuation.name_round(play.desktop(), turn) is not None
    registration, turn.registration = turn.registration, None
    assert continuation.name_round(play.desktop(), turn) is None
    turn.registration = registration
    play.lane.state = "INCAPABLE"
    assert continuation.name_round(play.desktop(), turn) is None


@pytest.mark.parametrize(
    ("off", "online", "kept"),
    [((), False, 0), (("reopen_never_replayed",), False, 1), (("reopen_never_replayed",), True, 0)],
)
def test_the_end_of_a_round_is_kept_with_that_rule_off_only(
    off: tuple[str, ...], online: bool, kept: int
) -> None:
    """HK-194"""
    play, turn = continued(rules_off=off)
    play.do(AgentProgresses("on it"))
    if not online:
        play.go_offline()
    play.do(AgentEnds(text="done"), 0.1)
    assert turn.state == "ENDED"
    assert len(play.lane.buffer or ()) == kept


@pytest.mark.parametrize("off", [(), ("reopen_never_replayed",)])
def test_the_end_of_a_round_is_written_once(off: tuple[str, ...]) -> None:
    """HK-194"""
    play, turn = continued(rules_off=off)
    play.do(AgentProgresses("on it"))
    play.do(AgentEnds(text="done"))
    assert len(play.frames("turn.end", turn.request_id)) == 1


@pytest.mark.parametrize(("off", "kept"), [((), 0), (("reopen_never_replayed",), 1)])
def test_the_end_of_a_round_that_could_not_be_written_is_lost(
    off: tuple[str, ...], kept: int
) -> None:
    """HK-194"""
    play, turn = continued(rules_off=off)
    play.do(AgentProgresses("on it"))
    act = AgentEnds(text="done")
    run = play.hand(continuation.finish(play.desktop(), turn, act)).before(Send)
    play.go_offline()
    run.finish()
    assert len(play.lane.buffer or ()) == kept


@pytest.mark.parametrize(("off", "sent"), [((), 0), (("reopen_never_replayed",), 1)])
def test_the_end_of_a_round_is_written_on_its_own_connection(
    off: tuple[str, ...], sent: int
) -> None:
    play, turn = continued(rules_off=off)
    play.do(AgentProgresses("on it"))
    act = AgentEnds(text="done")
    run = play.hand(continuation.finish(play.desktop(), turn, act)).before(
        StopTimer, str(turn.number)
    )
    play.go_offline()
    play.come_back()
    assert play.lane.is_ready
    assert len(ends(run.finish())) == sent


def test_with_dead_thread_off_a_round_without_a_name_is_no_link_of_the_chain() -> None:
    play, turn = continued(rules_off=("dead_thread",))
    play.go_offline()
    play.do(FAILS)
    assert turn.request_id == ""
    assert all("" not in r.rounds for r in play.work.registrations.values())


def test_a_local_turn_that_fails_cannot_be_continued() -> None:
    """HK-190"""
    play = On()
    play.task()
    play.do(AgentEnds(text="done"))
    play.do(TypeText("R1"), 0.1)
    play.do(FAILS)
    assert play.work.registrations == {}


def test_a_round_that_nobody_claimed_is_no_link_of_the_chain() -> None:
    play, turn = continued()
    play.go_offline()
    play.do(FAILS)
    assert turn.request_id == ""
    assert [r.rounds for r in play.work.registrations.values()] in ([], [("R1",)])


# -- ends -----------------------------------------------------------------------------------


def test_an_end_is_repeated_where_somebody_waits_for_it() -> None:
    for features, online, sent in ((AWAITED, True, 1), (AWAITED, False, 0), (FEATURES, True, 0)):
        play = On(features=features)
        if not online:
            play.go_offline()
        play.lane.unaccepted = {"k": Unaccepted(end_of("R1"))}
        assert len(ends(play.hand(delivery.due(play.desktop(), "k")).finish())) == sent


def test_an_end_is_not_repeated_on_a_channel_that_can_do_too_little() -> None:
    play = On(features=AWAITED)
    play.lane.state = "INCAPABLE"
    play.lane.unaccepted = {"k": Unaccepted(end_of("R1"))}
    assert play.hand(delivery.due(play.desktop(), "k")).finish().ops == []


def test_what_was_not_taken_over_goes_before_what_was_never_written() -> None:
    play = On()
    play.lane.unaccepted = {"k1": Unaccepted(end_of("R1"))}
    play.lane.buffer = [("k2", end_of("R2"))]
    play.hand(delivery.resume(play.desktop(), play.lane)).finish()
    assert [key for key, _ in play.lane.buffer] == ["k1", "k2"]


@pytest.mark.parametrize(("server", "desktop"), [(True, False), (False, True), (True, True)])
def test_a_report_counts_where_both_have_the_feature(server: bool, desktop: bool) -> None:
    """HK-72"""
    play = On(features=AWAITED if server else FEATURES)
    desk = play.desktop()
    desk.features = {"slack": ("turn-delivery-v1",) if desktop else ()}
    (key,) = play.unsent("R1")
    report = TurnDelivery(request_id="R1", state="accepted", attempt=0, retry_at=None, error=None)
    play.hand(delivery.reported(desk, play.lane, report)).finish()
    assert play.is_sent(key) is (server and desktop)


def test_an_end_of_an_account_that_left_while_it_was_written_is_not_kept() -> None:
    """hook RC-44"""
    play = On()
    task = play.task()
    run = play.hand(outbox.hand_in(play.desktop(), task, end_of("R1"))).before(Send)
    play.do(Login("other"), 3)
    run.finish()
    assert not play.lane.buffer


def test_a_flush_writes_unsent_rows_of_this_channel_once_and_whole() -> None:
    play = On()
    desk = play.desktop()
    keys = play.unsent("R1", "R2", "R3", "R4")
    play.work.handing[keys[0]] = None
    play.host.store.drop(keys[1])
    play.work.intact[keys[2]] = whole = end_of("R3whole")
    play.work.ledger["ledger/another"] = False
    play.work.ledger[keys[3]] = True
    run = play.hand(outbox.flush(desk, play.lane)).finish()
    assert ends(run) == [whole.request_id]


def test_a_row_that_was_marked_meanwhile_is_not_written() -> None:
    play = On()
    first, second = play.unsent("R1", "R2")
    run = play.hand(outbox.flush(play.desktop(), play.lane)).behind(Send)
    play.host.store.put(second, msgspec.structs.replace(play.host.store.get(second), sent=True))
    assert ends(run.finish()) == ["R1"]
    assert play.is_sent(first)


def test_an_answer_that_was_begun_for_one_account_ends_with_it() -> None:
    """hook RC-44"""
    play = On()
    play.unsent("R1")
    desk = play.desktop()
    run = play.hand(outbox.answer_again(desk, play.lane, "R1")).behind(Send)
    desk.logins += 1
    assert ends(run.finish()) == []


def test_a_row_is_marked_once_and_only_if_it_is_there() -> None:
    play = On()
    (key,) = play.unsent("R1")
    assert not _is_reclaimable(play.desktop(), "ledger/gone")
    for name, saved in ((key, 1), (key, 0), ("ledger/gone", 0)):
        assert len(play.hand(mark_sent(play.desktop(), name)).finish().asked(Save)) == saved


# -- groups ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "named"),
    [("telegram:group:u1:-1:7", ("u1", ("-1", "7"))), ("telegram:group:u1:-1:", ("u1", ("-1", ""))),
     ("telegram:group::-1:", None), ("telegram:group:u1::", None), ("slack:T1:C1", None)],
)  # fmt: skip
def test_what_a_groups_key_names(key: str, named: Any) -> None:
    """HK-07"""
    assert named_in(key) == named


@pytest.mark.parametrize(
    ("lane", "off", "foreign"),
    [("telegram", (), True), ("telegram", ("group_principal",), False), ("x", (), False)],
)
def test_another_accounts_group_is_foreign_on_telegram(
    lane: str, off: tuple[str, ...], foreign: bool
) -> None:
    """hook RC-94"""
    play = On(lane, rules_off=off).bound()
    desk = play.desktop()
    assert is_foreign(desk, play.lane, "telegram:group:u2:-1:") is foreign
    assert not is_foreign(desk, play.lane, "telegram:group:u1:-1:")


@pytest.mark.parametrize(
    ("rows", "length", "left"), [(10, 1, 10), (11, 1, 9), (4, 25, 4), (5, 25, 3)]
)
def test_a_window_is_trimmed_by_rows_and_by_letters(rows: int, length: int, left: int) -> None:
    play = On("telegram", settings=DesktopSettings(group_rows=10, group_chars=100))
    window = Window()
    for n in range(rows):
        window.add(f"k{n}", GroupRow(n, "-1", "", f"m{n}", "x" * length))
    run = play.hand(group_window._trim(play.desktop(), window)).finish()
    assert (len(window.rows), len(run.asked(Erase))) == (left, rows - left)


# -- cards ----------------------------------------------------------------------------------


def test_a_permission_for_good_answers_permissions_only() -> None:
    play = On()
    task = play.task()
    task.session.allowed = {("t", "b"): None}
    for kind, cards in (("permission", 0), ("plan_review", 1)):
        act = AgentAsks(kind, title="t", body="b")
        play.hand(interactions.ask(play.desktop(), task, act)).finish()
        assert len(play.work.cards) == cards


def test_permissions_for_good_add_up() -> None:
    play = On()
    task = play.task()
    for title in ("a", "b"):
        play.hand(
            interactions.ask(play.desktop(), task, AgentAsks("permission", title=title))
        ).finish()
        (card,) = play.work.cards.values()
        play.hand(interactions.settle(play.desktop(), card, "perm:always", "desktop")).finish()
    assert list(task.session.allowed) == [("a", ""), ("b", "")]


def test_buttons_have_an_id_and_a_label() -> None:
    """HK-140"""
    settings = DesktopSettings()
    act = AgentAsks(
        "plan_review", buttons=(("", "None", "x"), ("a|b", "Bad", "x"), ("ok", "", "x"))
    )
    assert interactions.buttons_of(act, settings) == (("ok", "ok", "x"),)
    nothing = AgentAsks("nonsense")
    assert (
        interactions.buttons_of(nothing, settings)
        == interactions.DEFAULT_BUTTONS["ask_user_question"]
    )


def test_a_question_without_a_kind_or_a_title_is_a_question() -> None:
    play = On()
    play.hand(interactions.ask(play.desktop(), play.task(), AgentAsks("", title=""))).finish()
    play.pass_time(1)
    card = play.last("interaction.request")
    assert (card.kind, card.title) == ("ask_user_question", "Question")


@pytest.mark.parametrize(
    ("off", "by", "left"),
    [((), "channel", 0), ((), "desktop", 0), (("first_answer_wins",), "channel", 1),
     (("first_answer_wins",), "desktop", 0)],
)  # fmt: skip
def test_with_first_answer_wins_off_the_channel_may_press_again(
    off: tuple[str, ...], by: str, left: int
) -> None:
    play = On(rules_off=off)
    play.hand(interactions.ask(play.desktop(), play.task(), AgentAsks("permission"))).finish()
    (card,) = play.work.cards.values()
    play.hand(interactions.settle(play.desktop(), card, "perm:deny", by)).finish()
    assert len(play.work.cards) == left


def test_a_press_on_another_channel_is_ignored() -> None:
    """HK-142"""
    play = Play(lanes=("slack", "telegram"), features=TELEGRAM)
    slack, telegram = sorted(play.sockets[:2], key=lambda conn: conn.lane)
    play.dispatch("R1", conn=slack)
    play.do(AgentAsks("permission"))
    cards = play.desktop().work.cards
    body = InteractionDecision(
        request_id="R1", interaction_id=next(iter(cards)), button_id="perm:deny"
    )
    play.say(body, conn=telegram)
    assert len(cards) == 1
    play.say(body, conn=slack)
    assert len(cards) == 0


def test_a_round_does_not_say_that_it_waits() -> None:
    """HK-174"""
    play, turn = continued()
    play.do(AgentProgresses("on it"), 10)
    run = play.hand(interactions.ask(play.desktop(), turn, AgentAsks("permission"))).finish()
    assert [op.kind for op in run.asked(StartTimer)] == ["card"]


# -- what the person does -------------------------------------------------------------------


def test_with_prefs_time_out_off_only_the_question_waits_for_ever() -> None:
    """HK-150"""
    fields = {"workspace": "web", "model": "opus"}
    for off, frame, timed in (
        ((), "prefs.get", 1), (("prefs_time_out",), "prefs.get", 0),
        (("prefs_time_out",), "prefs.set", 1),
    ):  # fmt: skip
        play = On(rules_off=off)
        play.do(Operate(frame, fields if frame == "prefs.set" else {}), 0)
        play.pass_time(0.1)
        assert len([key for key in play.host.timers if key[0] == "ask"]) == timed


@pytest.mark.parametrize("frame", ["provider.bind.start", "provider.prefs.get"])
def test_a_neutral_channel_is_offered_by_both_and_behind_the_welcome(frame: str) -> None:
    """HK-16"""
    for features, state, sent in ((TELEGRAM, "", 1), (TELEGRAM, "INCAPABLE", 0), ((), "", 0)):
        play = On("telegram").bound()
        play.lane.features = features
        play.lane.state = state or play.lane.state
        play.do(Operate(frame, {}))
        assert len(play.frames(frame)) == sent
        assert bool(neutral_ties(play.desktop(), play.lane).mutation) is (
            bool(sent) and frame == "provider.bind.start"
        )


def test_a_tool_is_for_the_team_of_the_last_session() -> None:
    """HK-102"""
    for team in ("T2", None):
        play = On(rules_off=("tools_need_server",))
        task = play.task(source=TaskSource(im="slack"))
        task.session.team = team
        play.do(Operate("tool.request", {"tool": "status"}))
        assert play.last("tool.request").team_id == (team or ABSENT)
