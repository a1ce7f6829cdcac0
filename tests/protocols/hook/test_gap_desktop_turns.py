"""The desktop's connections, sessions, continuations, cards and logins: what each guard is for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sim.core.op import Close, Note, Save, Send, Spawn, StartTimer, StopTimer
from sim.protocols.hook import Hello, Message, Ping, TaskSource, Welcome
from sim.protocols.hook.acts import (
    AgentAsks,
    AgentEnds,
    AgentProgresses,
    ChangeWorkspaces,
    Login,
    Retry,
    Toggle,
    TypeText,
)
from sim.protocols.hook.desktop import (
    DesktopSettings,
    agent,
    connection,
    continuation,
    group_window,
    interactions,
    progress,
    sessions,
)
from sim.protocols.hook.desktop.records import Asked, Registration
from sim.protocols.hook.machine_desktop import CLAIMED, DIALLING
from sim.world.fault import cut
from tests.protocols.hook.by_hand import ByHand
from tests.protocols.hook.desktop_play import Play, dispatched
from tests.protocols.hook.test_desktop_bindings import TELEGRAM

FAILS = AgentEnds(status="error", error="boom")


class Stage(Play):
    """A desktop whose handlers can be moved by hand."""

    @property
    def lane(self) -> Any:
        return next(iter(self.desktop().lanes.values()))

    @property
    def work(self) -> Any:
        return self.desktop().work

    def hand(self, run: Any) -> ByHand:
        return ByHand(self.world, "D", run)

    def task(self, request: str = "R1", **more: Any) -> Any:
        """A task that runs."""
        self.dispatch(request, **more)
        return self.work.tasks[request]

    def retried(self) -> Any:
        """The person continues a failed task; the round is armed."""
        self.task()
        self.do(FAILS)
        self.do(Retry("R1"))
        return next(iter(self.work.turns.values()))

    def claimed(self) -> Any:
        turn = self.retried()
        self.do(AgentProgresses("on it"))
        assert turn.state == CLAIMED
        return turn


# -- connections ----------------------------------------------------------------------------


def test_a_lane_without_a_connection_says_no_hello() -> None:
    play = Stage()
    play.go_offline()
    play.do(ChangeWorkspaces(("docs",)))
    assert play.desktop().workspaces == ("chat", "docs")
    assert play.hand(connection.greet(play.desktop(), play.lane)).finish().ops == []


def test_nothing_is_written_and_no_tick_goes_on_without_a_connection() -> None:
    play = Stage()
    play.go_offline()
    desk = play.desktop()
    hello = Hello(protocol_version=1, device_id="d", device_name="d", workspaces=(), agents=())
    run = play.hand(desk.send(play.lane, hello)).finish()
    assert (run.result, run.ops) == (False, [])
    assert play.hand(connection.heartbeat(desk, play.lane)).finish().ops == []


def losing(play: Stage, how: Any) -> ByHand:
    """A connection goes, and with it a question; its answer is still awaited."""
    play.work.asked["q1"] = Asked("q1", "prefs.set", play.lane, "")
    return play.hand(how).behind(Note)


def heartbeats(run: ByHand) -> list[str]:
    return [op.key for op in run.finish().asked(StopTimer) if op.kind == "heartbeat"]


@pytest.mark.parametrize("again", [False, True])
def test_a_lost_connections_heartbeat_stops_unless_there_is_a_new_one(again: bool) -> None:
    play = Stage()
    run = losing(play, connection.lost(play.desktop(), play.lane))
    if again:
        play.lane.conn, play.lane.state = play.conn, DIALLING
    assert heartbeats(run) == ["slack"] * (not again)
    dials = [op.kind for op in run.asked(StartTimer)]
    assert dials == ["dial"] * (not again)


@pytest.mark.parametrize("again", [False, True])
def test_a_given_up_connections_heartbeat_stops_unless_there_is_a_new_one(again: bool) -> None:
    play = Stage()
    run = losing(play, connection.dispose(play.desktop(), play.lane, "rebuilt"))
    if again:
        play.lane.conn = play.conn
    assert heartbeats(run) == ["slack"] * (not again)


def test_a_silent_connection_that_was_replaced_meanwhile_is_not_lost() -> None:
    play = Stage()
    play.lane.last_frame_us = -(10**12)
    run = play.hand(connection.heartbeat(play.desktop(), play.lane)).behind(Close)
    play.lane.conn = play.conn
    assert run.finish().asked(StartTimer) == []
    assert play.lane.conn is play.conn


def test_only_the_channels_that_are_off_are_stored_as_off() -> None:
    play = Play(lanes=("slack", "telegram"), features=TELEGRAM)
    play.do(Toggle(on=False, lane="telegram"))
    assert play.host.store.get("off") == ("telegram",)


def test_a_channel_that_is_no_more_may_have_been_off() -> None:
    play = Stage()
    play.host.store.put("off", ("x",))
    play.restart_desktop()
    assert play.lane.is_ready


def first_frame(play: Stage, body: Any) -> ByHand:
    """The server's first frame is here before the answer to the dial."""
    lane, conn = play.lane, play.lane.conn
    lane.conn, lane.state, lane.dialled_with = None, DIALLING, conn.info
    frame = Message(body.TYPE, "f1", 1, body)
    return play.hand(play.desktop().on_frame(conn, frame)).behind(Send)


def test_a_frame_that_overtakes_the_dials_answer_is_taken_behind_the_hello() -> None:
    """HK-04"""
    run = first_frame(Stage(), Ping()).finish()
    assert [op.frame.type for op in run.asked(Send)] == ["hello", "pong"]


def test_a_frame_of_a_socket_that_was_lost_meanwhile_is_dropped() -> None:
    play = Stage()
    run = first_frame(play, Welcome(server_name="S", features=()))
    play.hand(connection.lost(play.desktop(), play.lane)).finish()
    assert [op.frame.type for op in run.finish().asked(Send)] == ["hello"]
    assert not play.lane.is_ready


def test_a_frame_of_an_old_socket_is_dropped() -> None:
    play = Stage()
    old = play.lane.conn
    play.close()
    play.pass_time(3)
    frame = Message("ping", "f1", 1, Ping())
    assert play.hand(play.desktop().on_frame(old, frame)).finish().ops == []


def test_channels_that_the_desktop_does_not_have_are_nothing_to_it() -> None:
    play = Stage()
    conn: Any = SimpleNamespace(lane="x", name="D.x#1")
    frame = Message("ping", "f1", 1, Ping())
    for run in (play.desktop().on_frame(conn, frame), play.desktop().on_close(conn, conn)):
        assert play.hand(run).finish().ops == []


# -- logins ---------------------------------------------------------------------------------


def test_of_two_logins_the_later_one_holds() -> None:
    play = Stage()
    for behind in (Note, Save):
        run = play.hand(agent.login(play.desktop(), "early")).behind(behind)
        play.do(Login("late"), 3)
        sockets, done = len(play.sockets), len(run.ops)
        assert len(run.finish().ops) == done
        play.pass_time(3)
        assert (play.desktop().account, len(play.sockets)) == ("late", sockets)
        assert not play.desktop().is_closing


def test_a_rebuild_that_a_newer_login_has_overtaken_dials_nobody() -> None:
    play = Stage()
    desk = play.desktop()
    desk.is_closing = True
    run = play.hand(connection.rebuild(desk)).behind(Close)
    desk.logins += 1
    assert run.finish().asked(Spawn) == []
    assert desk.is_closing


# -- the agent ------------------------------------------------------------------------------


def test_what_an_agent_does_for_a_task_that_is_over_is_forgotten() -> None:
    play = Stage()
    play.task()
    play.do(AgentEnds(text="done"))
    play.do(AgentEnds(text="again", request="R1"))
    assert play.work.acts == {}


def test_what_an_agent_does_while_its_task_closes_is_forgotten() -> None:
    play = Stage()
    task = play.task()
    task.fire("close")
    play.do(AgentEnds(text="again", request="R1"))
    assert play.work.acts == {}


# -- sessions -------------------------------------------------------------------------------


def test_a_session_that_a_key_has_already_is_not_bound_to_it_again() -> None:
    play = Stage()
    session = play.task().session
    frame = dispatched("R2", session_id=session.id)
    run = play.hand(sessions.locate(play.desktop(), play.lane, frame)).finish()
    assert run.result == (session, "")
    assert run.ops == []
    other = dispatched("R2", key="another", session_id=session.id)
    assert len(play.hand(sessions.locate(play.desktop(), play.lane, other)).finish().ops) == 1


@pytest.mark.parametrize("source", [TaskSource(im="slack"), TaskSource(im="slack", team_id="")])
def test_a_task_without_a_team_leaves_the_sessions_team(source: TaskSource) -> None:
    """HK-102"""
    session = Stage().task().session
    sessions.label(session, dispatched("R1", source=TaskSource(im="slack", team_id="T1")))
    sessions.label(session, dispatched("R2", source=source))
    assert session.team == "T1"


def test_a_failed_round_is_found_by_its_chain() -> None:
    play = Stage()
    session = play.task().session
    desk = play.desktop()
    found = Registration(("R8", "R9"), "k", session, play.lane, 0)
    play.work.registrations["s"] = found
    assert sessions.of_request(desk, "R9") is session
    assert sessions.of_request(desk, "R7") is None


# -- continuations --------------------------------------------------------------------------


def test_a_claim_that_is_cut_while_it_is_written_is_not_given_up_besides() -> None:
    play = Stage()
    turn = play.retried()
    turn.acts = []
    run = play.hand(continuation.claim(play.desktop(), turn)).before(Send)
    play.go_offline()
    run.finish()
    assert turn.state == "CUT"


def test_a_round_that_may_not_be_claimed_stays_on_the_desktop() -> None:
    play = Stage(rules_off=("reopen_before_progress",))
    turn = play.retried()
    turn.registration.since_us = -(10**12)
    play.do(AgentProgresses("on it"))
    assert play.frames("turn.reopen") == []
    assert list(play.work.registrations) == [turn.session.id]


def test_a_reopen_uses_up_its_own_registration_only() -> None:
    play = Stage()
    turn = play.retried()
    newer = Registration(("R9",), "k", turn.session, play.lane, 0)
    play.work.registrations[turn.session.id] = newer
    continuation._use_up(play.desktop(), turn)
    assert play.work.registrations == {turn.session.id: newer}
    play.work.registrations[turn.session.id] = turn.registration
    continuation._use_up(play.desktop(), turn)
    assert play.work.registrations == {}


def test_a_round_that_is_over_does_nothing_more() -> None:
    play = Stage()
    turn = play.claimed()
    play.do(AgentEnds(text="done"))
    for act in (AgentEnds(text="again"), AgentProgresses("late")):
        assert play.hand(continuation.apply(play.desktop(), turn, act)).finish().ops == []


def test_an_act_that_is_none_changes_no_round() -> None:
    play = Stage()
    run = play.hand(continuation.apply(play.desktop(), play.claimed(), "nonsense"))
    assert run.finish().ops == []


def test_the_persons_own_turn_shows_no_progress() -> None:
    """HK-190"""
    play = Stage()
    play.task()
    play.do(AgentEnds(text="done"))
    play.do(TypeText("R1"), 0.1)
    turn = next(iter(play.work.turns.values()))
    run = play.hand(continuation.apply(play.desktop(), turn, AgentProgresses("mine")))
    assert run.finish().ops == []


@pytest.mark.parametrize(("act", "kept"), [(FAILS, 1), (AgentEnds(text="done"), 0)])
def test_only_a_failed_round_may_be_continued(act: AgentEnds, kept: int) -> None:
    """HK-173"""
    play = Stage()
    play.claimed()
    play.do(act)
    assert len(play.work.registrations) == kept


def test_a_round_that_is_over_frees_its_own_session_only() -> None:
    play = Stage()
    turn, other = play.claimed(), play.task("R2", key="b")
    turn.session.running = other
    play.hand(continuation.finish(play.desktop(), turn, AgentEnds(text="done"))).finish()
    assert turn.session.running is other


@pytest.mark.parametrize("by_retry", [True, False])
def test_whoever_waits_behind_a_retry_is_next_and_behind_a_local_turn_is_polled(
    by_retry: bool,
) -> None:
    play = Stage()
    turn, other = play.claimed(), play.task("R2", key="b")
    turn.by_retry, turn.session.queue = by_retry, [other]
    other.state = "QUEUED"
    run = play.hand(continuation.finish(play.desktop(), turn, AgentEnds(text="done"))).finish()
    assert turn.session.running is (other if by_retry else None)
    assert any(op.data.get("request") == "R2" for op in run.asked(Note)) is by_retry


def test_a_lost_channel_takes_no_claims_of_another() -> None:
    """HK-184"""
    play = Play(lanes=("slack", "telegram"), features=(*TELEGRAM, "turn-reopen-v1"))
    slack = next(conn for conn in play.sockets if conn.lane == "slack")
    play.dispatch("R1", conn=slack)
    play.do(FAILS)
    play.do(Retry("R1"))
    play.do(AgentProgresses("on it"))
    telegram = next(conn for conn in play.sockets if conn.lane == "telegram")
    cut(play.world, telegram.link, "rst")
    play.pass_time(1)
    assert [turn.state for turn in play.desktop().work.rounds.values()] == [CLAIMED]


# -- groups ---------------------------------------------------------------------------------


def test_a_window_is_kept() -> None:
    play = Stage(lanes=("telegram",), features=TELEGRAM)
    desk = play.desktop()
    assert group_window.window_of(desk, "u1") is group_window.window_of(desk, "u1")


# -- cards ----------------------------------------------------------------------------------


def test_a_card_that_was_answered_while_it_was_sent_has_no_time_limit() -> None:
    play = Stage()
    task = play.task()
    run = play.hand(interactions.ask(play.desktop(), task, AgentAsks("permission"))).behind(Send)
    (card,) = play.work.cards.values()
    play.hand(interactions.settle(play.desktop(), card, "perm:allow", "desktop")).finish()
    assert [op.kind for op in run.finish().asked(StartTimer)] == []
    again = play.hand(interactions.settle(play.desktop(), card, "perm:deny", "desktop"))
    assert again.finish().ops == []


@pytest.mark.parametrize(
    ("kind", "is_cut"), [("permission", True), ("plan_review", False), ("ask_user_question", False)]
)
def test_how_much_of_a_question_is_shown(kind: str, is_cut: bool) -> None:
    play = Stage(settings=DesktopSettings(permission_body_chars=10))
    task = play.task()
    act = AgentAsks(kind, body="x" * 20)
    play.hand(interactions.ask(play.desktop(), task, act)).finish()
    play.pass_time(1)
    assert (len(play.last("interaction.request").body) == 10) is is_cut


@pytest.mark.parametrize(("button", "granted"), [("perm:allow", False), ("perm:always", True)])
def test_only_always_is_for_good(button: str, granted: bool) -> None:
    play = Stage()
    task = play.task()
    play.hand(interactions.ask(play.desktop(), task, AgentAsks("permission"))).finish()
    (card,) = play.work.cards.values()
    play.hand(interactions.settle(play.desktop(), card, button, "desktop")).finish()
    assert bool(task.session.allowed) is granted


# -- progress -------------------------------------------------------------------------------


def test_a_turn_that_has_said_nothing_shows_that_it_waits_and_no_more() -> None:
    play = Stage()
    task = play.task()
    play.hand(interactions.ask(play.desktop(), task, AgentAsks("permission"))).finish()
    assert progress.snapshot(play.desktop(), task) == progress.WAITING


def test_an_empty_snapshot_changes_nothing() -> None:
    play = Stage()
    task = play.task()
    task.body = "half"
    assert play.hand(progress.show(play.desktop(), task, AgentProgresses(""))).finish().ops == []
    assert task.body == "half"


def test_a_turn_that_ends_while_it_ticks_ticks_no_more() -> None:
    play = Stage()
    task = play.task()
    play.pass_time(30)
    play.hand(progress.emit(play.desktop(), task, "half")).finish()
    task.shown_us = -(10**9)
    run = play.hand(progress.tick(play.desktop(), str(task.number))).before(Send)
    play.do(AgentEnds(text="done"))
    assert run.finish().asked(StartTimer) == []


@pytest.mark.parametrize("lane", ["slack", "telegram"])
def test_a_turn_that_shows_nothing_has_nothing_to_stop(lane: str) -> None:
    """HK-06"""
    play = Stage(lanes=(lane,), features=TELEGRAM)
    task = play.task(source=TaskSource(im=lane))
    task.body = "half"
    assert play.hand(progress.stop(play.desktop(), task)).finish().ops == []
    task.is_ticking = True
    run = play.hand(progress.stop(play.desktop(), task)).finish()
    assert [op.kind for op in run.asked(StopTimer)] == ["tick"]
