"""What a desktop must not do: each guard has a story in which it is needed."""

from __future__ import annotations

import pytest

from sim.core.event import Noted
from sim.protocols.hook import SessionArchive, TaskCancel, TaskSource, Welcome
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
from sim.protocols.hook.desktop import DesktopSettings
from tests.protocols.hook.desktop_play import Play
from tests.protocols.hook.test_desktop_bindings import TELEGRAM, confirmed

FAILS = AgentEnds(status="error", error="boom")
ON_TELEGRAM = TaskSource(im="telegram")


def notes(play: Play, what: str) -> list[object]:
    """What the desktop noted under this name."""
    return [e.data for e in play.world.events if type(e) is Noted and e.what == what]


def starts(play: Play) -> int:
    """How many turns the agent has begun."""
    return sum(note["did"] == "start" for note in notes(play, "agent"))  # type: ignore[index]


# -- connections --------------------------------------------------------------------------


def test_a_new_socket_is_not_silent_because_the_old_one_was() -> None:
    play = Play(welcomes=False)
    play.go_offline()
    play.pass_time(100)
    play.come_back(0)
    play.pass_time(30)
    sockets = len(play.sockets)
    play.pass_time(28)
    assert len(play.sockets) == sockets
    assert all(code != 1006 for _, code, _ in play.closed)


def test_a_desktop_without_a_name_is_called_by_its_id() -> None:
    assert Play().last("hello").device_name == "d-1"
    assert Play(device_name="Desk").last("hello").device_name == "Desk"


def test_the_standby_reason_with_another_code_is_an_ordinary_close() -> None:
    play = Play()
    play.close(4001, "device already connected")
    play.pass_time(5)
    assert len(play.sockets) == 2


def test_a_connected_lane_that_hears_of_too_few_features_does_no_more_business() -> None:
    play = Play(lanes=("telegram",), features=TELEGRAM)
    play.dispatch("R1", source=ON_TELEGRAM)
    assert play.last("task.ack").result == "accepted"
    play.say(Welcome(server_name="S", features=("provider-bind-v1",)))
    play.dispatch("R2", source=ON_TELEGRAM)
    assert play.last("task.ack", "R2").reason == "invalid"


def test_the_default_folder_is_known_after_a_restart() -> None:
    play = Play(lanes=("telegram",), features=TELEGRAM)
    play.do(ChangeWorkspaces(("docs",), default="docs"))
    assert play.last("hello").default_workspace == "docs"
    play.restart_desktop()
    assert play.last("hello").default_workspace == "docs"


def test_frames_of_other_channels_do_not_exist_on_slack() -> None:
    """hook HK-16"""
    play = Play(lanes=("slack", "telegram"), features=TELEGRAM)
    slack = next(conn for conn in play.sockets if conn.lane == "slack")
    play.say(confirmed("b1"), conn=slack)
    ties = [lane.ties for lane in play.desktop().lanes.values() if lane.ties is not None]
    assert all(getattr(one, "binding", None) is None for one in ties)


# -- tasks --------------------------------------------------------------------------------


def test_a_cancel_on_another_channel_stops_nothing() -> None:
    play = Play(lanes=("slack", "telegram"), features=(*TELEGRAM, "turn-reopen-v1"))
    slack, telegram = sorted(play.sockets[:2], key=lambda conn: conn.lane)
    play.dispatch("R1", conn=slack)
    play.say(TaskCancel(request_id="R1"), conn=telegram)
    assert play.frames("turn.end") == []
    play.say(TaskCancel(request_id="R1"), conn=slack)
    assert play.last("turn.end").status == "cancelled"


def test_tasks_behind_the_persons_turn_keep_their_order() -> None:
    play = Play(settings=DesktopSettings(queue_poll_us=20_000_000))
    play.dispatch("R1")
    play.do(AgentEnds(text="1"))
    play.do(TypeText("private"), 0.1)
    play.dispatch("R2")
    play.stay(6)
    play.dispatch("R3")
    assert play.last("task.ack", "R3").result == "queued"
    play.stay(40)
    play.do(AgentEnds(text="first"))
    assert [end.request_id for end in play.frames("turn.end")] == ["R1", "R2"]


def test_only_the_latest_answers_are_remembered_in_memory() -> None:
    play = Play(settings=DesktopSettings(ack_history=2))
    for n in range(3):
        play.dispatch(f"R{n}", key=f"k{n}")
    assert list(play.desktop().work.acks) == ["R1", "R2"]


def test_what_nobody_understands_is_noted() -> None:
    play = Play()
    play.do("nonsense")
    assert notes(play, "unknown act") == ["'nonsense'"]


# -- logins -------------------------------------------------------------------------------


def test_a_login_during_an_admission_answers_for_nobody() -> None:
    """hook RC-44"""
    play = Play(account="alice", settings=DesktopSettings(locate_us=3_000_000))
    play.dispatch("R1", seconds=1)
    play.do(Login("bob"), 10)
    assert play.frames("task.ack") == []
    assert starts(play) == 0


def test_nothing_of_the_old_accounts_turn_is_seen_after_a_login() -> None:
    play = Play(account="alice")
    play.dispatch("R1")
    play.do(Login("bob"), 3)
    play.forget()
    play.do(AgentProgresses("secret", request="R1"), 3)
    play.do(AgentEnds(text="secret", request="R1"), 3)
    assert play.types() == []
    assert {"did": "abort", "account": "alice"} in notes(play, "agent")


@pytest.mark.parametrize("act", [Login("bob"), Toggle(False, "slack")])
def test_a_round_dies_with_the_socket_that_is_given_up(act: object) -> None:
    play = Play(account="alice")
    play.dispatch("R1")
    play.do(FAILS)
    play.do(Retry())
    play.do(AgentProgresses("p"), 3)
    play.forget()
    play.do(act, 3)
    play.do(Toggle(True, "slack"), 3)
    play.do(AgentEnds(text="late"), 3)
    assert not {"turn.progress", "turn.end"} & set(play.types())


def test_a_standby_is_over_when_the_sockets_are_rebuilt() -> None:
    play = Play(account="alice")
    play.close(4000, "device already connected")
    play.do(Login("bob"), 1)
    assert len(play.sockets) == 2
    play.go_offline()
    play.come_back(20)
    assert len(play.sockets) == 3


# -- turns of the person ------------------------------------------------------------------


def test_a_retry_of_a_session_that_is_busy_does_nothing() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(FAILS)
    play.dispatch("R2")
    before = starts(play)
    play.do(Retry(request="R1"), 3)
    assert starts(play) == before


def test_after_a_typed_text_a_retry_reopens_nothing() -> None:
    """hook HK-190"""
    play = Play()
    play.dispatch("R1")
    play.do(FAILS)
    play.do(TypeText("private"), 10)
    play.do(Retry(request="R1"))
    play.do(AgentEnds(text="done"), 10)
    assert play.frames("turn.reopen") == []


def test_a_second_typed_text_waits_for_the_first_ones_turn() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(FAILS)
    before = starts(play)
    play.do(TypeText("one"), 0.1)
    play.do(TypeText("two"), 0.1)
    assert starts(play) == before + 1


def test_a_rounds_end_tells_how_long_it_took() -> None:
    play = Play()
    play.dispatch("R1")
    play.pass_time(10)
    play.do(FAILS)
    play.do(Retry())
    play.pass_time(4)
    play.do(AgentEnds(text="done"))
    assert 4_000 <= play.last("turn.end").usage.duration_ms < 5_500


def test_a_question_that_is_open_when_its_round_ends_is_gone() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(FAILS)
    play.do(Retry())
    play.do(AgentAsks())
    play.do(AgentEnds(text="done"))
    assert not play.desktop().work.cards


def test_a_round_that_gave_way_to_the_person_cannot_be_continued() -> None:
    """hook HK-190"""
    play = Play()
    play.dispatch("R1")
    play.do(FAILS)
    play.do(Retry())
    play.do(AgentProgresses("p"), 3)
    play.do(TypeText("something else"), 10)
    play.forget()
    play.do(Retry(request="R1"))
    play.do(AgentEnds(text="done"), 10)
    assert play.frames("turn.reopen") == []


def test_a_retry_that_nobody_outside_can_see_ends_by_itself() -> None:
    play = Play(features=())
    play.dispatch("R1")
    play.do(FAILS)
    play.do(Retry(request="R1"), 60)
    assert [note["did"] for note in notes(play, "agent")] == ["start", "end"] * 2  # type: ignore[index]


def test_a_retry_whose_first_event_comes_a_day_later_reopens_nothing() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(FAILS)
    play.pass_time(24 * 3_600 - 120)
    play.do(Retry(request="R1"))
    play.stay(180)
    assert play.desktop().lanes["slack"].is_ready
    play.do(AgentEnds(text="done"))
    assert play.frames("turn.reopen") == []


def test_a_cancel_of_a_round_on_another_channel_stops_nothing() -> None:
    play = Play(lanes=("slack", "telegram"), features=(*TELEGRAM, "turn-reopen-v1"))
    slack, telegram = sorted(play.sockets[:2], key=lambda conn: conn.lane)
    play.dispatch("R1", conn=slack)
    play.do(FAILS)
    play.do(Retry())
    play.do(AgentProgresses("p"), 3)
    round_id = play.last("turn.reopen").request_id
    play.say(TaskCancel(request_id=round_id), conn=telegram)
    assert play.frames("turn.end", round_id) == []
    play.say(TaskCancel(request_id=round_id), conn=slack)
    assert play.last("turn.end", round_id).status == "cancelled"


def test_a_result_that_is_being_gathered_at_a_login_is_not_handed_in() -> None:
    """hook RC-44"""
    play = Play(account="alice", settings=DesktopSettings(gather_us=3_000_000))
    play.dispatch("R1")
    play.do(AgentEnds(text="secret", files=(("a.txt", "text/plain", "aGk="),)), 1)
    play.do(Login("bob"), 10)
    assert play.frames("turn.end") == []


def test_a_busy_account_does_not_send_what_another_one_left() -> None:
    """hook RC-44"""
    play = Play(account="bob")
    play.dispatch("R0")
    play.do(AgentEnds(text="mine"))
    play.do(Login("alice"), 3)
    play.dispatch("R1")
    play.go_offline()
    play.do(AgentEnds(text="secret"))
    play.do(Login("bob"))
    play.come_back()
    assert [end.request_id for end in play.frames("turn.end")] == ["R0"]


def test_a_channel_that_is_switched_off_in_mid_dial_stays_off() -> None:
    play = Play()
    play.do(Toggle(False, "slack"), 1)
    play.do(Toggle(True, "slack"), 0)
    play.do(Toggle(False, "slack"), 5)
    assert play.desktop().lanes["slack"].conn is None
    assert not any(conn.is_open for conn in play.sockets)


# -- turns and sessions -------------------------------------------------------------------


def test_an_end_without_files_waits_for_none() -> None:
    play = Play(settings=DesktopSettings(gather_us=10_000_000))
    play.dispatch("R1")
    play.do(AgentEnds(text="done"), 1)
    assert play.last("turn.end").final_text == "done"
    assert [note["did"] for note in notes(play, "agent")] == ["start", "end"]  # type: ignore[index]


def test_a_task_waits_for_a_long_turn_of_the_person_too() -> None:
    play = Play(settings=DesktopSettings(local_turn_us=9_000_000))
    play.dispatch("R1")
    play.do(AgentEnds(text="1"))
    play.do(TypeText("private"), 0.1)
    play.dispatch("R2", seconds=6)
    before = starts(play)
    play.pass_time(8)
    assert starts(play) == before + 1


def titles(play: Play) -> list[str]:
    """What the sessions on the desktop are called."""
    return [row.title for _, row in play.desktop().port.store.items("session/")]


def test_a_session_is_called_after_its_team_and_its_first_prompt() -> None:
    play = Play()
    play.dispatch("R1", key="k1", prompt="  tune the piano ")
    play.dispatch("R2", key="k2", source=TaskSource(im="slack", team_id="T1", team_name="Acme"))
    play.dispatch("R3", key="k3", prompt="  ")
    assert sorted(titles(play)) == ["Acme: do it", "tune the piano", "untitled"]


def test_an_archived_session_is_forgotten_once_its_turn_is_over() -> None:
    """HK-138"""
    play = Play()
    play.dispatch("R1")
    play.say(SessionArchive(external_key="slack:T:C:1"))
    assert len(play.desktop().work.sessions) == 1
    play.do(AgentEnds(text="done"))
    play.dispatch("R2", key="k2")
    play.do(AgentEnds(text="done"))
    play.say(SessionArchive(external_key="k2"))
    ids = {ack.session_id for ack in play.frames("task.ack", "R2")}
    assert ids.isdisjoint(play.desktop().work.sessions)


def test_a_typed_text_in_a_running_round_is_meant_for_its_session() -> None:
    play = Play()
    play.dispatch("R1", key="k1")
    play.do(FAILS)
    play.do(Retry())
    play.do(AgentProgresses("p"), 3)
    round_id = play.last("turn.reopen").request_id
    play.dispatch("R2", key="k2")
    play.do(TypeText("no, like this", request=round_id), 3)
    assert play.last("turn.end", round_id).status == "error"
    assert play.frames("turn.end", "R2") == []


def test_a_result_goes_out_on_the_channel_of_its_task_only() -> None:
    """hook HK-40"""
    play = Play(lanes=("slack", "telegram"), features=(*TELEGRAM, "turn-reopen-v1"))
    telegram = next(conn for conn in play.sockets if conn.lane == "telegram")
    play.dispatch("R1", source=ON_TELEGRAM, conn=telegram)
    play.go_offline()
    play.do(AgentEnds(text="done"))
    play.do(Toggle(False, "telegram"))
    play.forget()
    play.come_back()
    assert play.frames("turn.end") == []
    play.do(Toggle(True, "telegram"), 3)
    sent = [name for name, body in play.received if body.TYPE == "turn.end"]
    assert [name.partition("#")[0] for name in sent] == ["D.telegram"]
