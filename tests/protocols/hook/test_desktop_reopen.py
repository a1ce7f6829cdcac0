"""Desktop twin: turns started on the desktop, and turn.reopen (stage 18)."""

from __future__ import annotations

import uuid
from typing import Any

from sim.protocols.hook import TaskCancel
from sim.protocols.hook.acts import (
    AgentAsks,
    AgentEnds,
    AgentProgresses,
    AnswerCard,
    ChangeWorkspaces,
    Login,
    Retry,
    TypeText,
)
from sim.protocols.hook.desktop import DesktopSettings
from sim.world.fault import cut
from tests.protocols.hook.desktop_play import Play

FAILS = AgentEnds(status="error", error="boom")


def failed(**how: Any) -> Play:
    """R1 has failed, and nothing else is to be looked at."""
    play = Play(**how)
    play.dispatch("R1")
    play.do(FAILS)
    play.forget()
    return play


def test_a_retry_alone_is_not_seen_outside() -> None:
    play = failed()
    play.do(Retry(), 60)
    assert play.frames("turn.reopen") == []


def test_the_first_event_reopens_before_anything_else() -> None:
    play = failed()
    play.do(Retry())
    play.do(AgentProgresses("k"), 3)
    play.do(AgentEnds(text="done"))
    assert play.types() == ["turn.reopen", "turn.progress", "turn.end"]
    reopen, progress, end = play.frames()
    assert uuid.UUID(reopen.request_id).version == 4
    assert (reopen.reopen_of, reopen.reason) == ("R1", "user-continued")
    assert reopen.external_key == end.external_key == "slack:T:C:1"
    assert reopen.request_id == progress.request_id == end.request_id


def test_a_first_event_that_is_terminal_reopens_too() -> None:
    play = failed()
    play.do(Retry())
    play.do(FAILS)
    assert play.types() == ["turn.reopen", "turn.end"]


def test_without_reopen_before_progress_the_end_comes_first() -> None:
    play = failed(rules_off=("reopen_before_progress",))
    play.do(Retry())
    play.do(FAILS)
    assert play.types() == ["turn.end", "turn.reopen"]


def test_without_claim_at_first_event_a_retry_shows_running_at_once() -> None:
    play = failed(rules_off=("claim_at_first_event",))
    play.do(Retry())
    assert play.types() == ["turn.reopen"]
    play.do(AgentEnds(text="done"))
    assert play.types() == ["turn.reopen", "turn.end"]


def test_each_failed_round_chains_to_the_next() -> None:
    play = failed()
    for _ in range(3):
        play.do(Retry())
        play.do(FAILS)
    reopens = play.frames("turn.reopen")
    assert [r.reopen_of for r in reopens] == ["R1", *(r.request_id for r in reopens[:2])]
    play.do(Retry("R1"))
    play.do(AgentEnds(text="done", request="R1"))
    assert play.last("turn.end").status == "ok"


def test_a_round_that_ended_well_cannot_be_continued() -> None:
    play = failed()
    play.do(Retry())
    play.do(AgentEnds(text="done"))
    play.do(Retry(), 5)
    assert len(play.frames("turn.reopen")) == 1


def test_ok_and_cancelled_tasks_are_not_reopenable() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(AgentEnds(text="done"))
    play.dispatch("R2")
    play.say(TaskCancel(request_id="R2"))
    play.do(Retry(), 5)
    assert play.frames("turn.reopen") == []


def test_without_the_feature_nothing_is_sent() -> None:
    play = failed(features=())
    play.do(Retry(), 0.1)
    play.do(FAILS)
    assert play.frames() == []


def test_with_the_feature_rule_off_the_frame_is_sent_to_a_server_that_lacks_it() -> None:
    play = failed(features=(), rules_off=("reopen_needs_feature",))
    play.do(Retry())
    play.do(FAILS)
    assert play.types() == ["turn.reopen", "turn.end"]


def test_the_feature_counts_that_was_announced_when_the_task_was_accepted() -> None:
    play = Play()
    play.dispatch("R1")
    play.go_offline()
    play.do(FAILS)
    play.come_back()
    play.forget()
    play.do(Retry())
    play.do(AgentEnds(text="done"))
    assert play.types() == ["turn.reopen", "turn.end"]


def test_a_feature_that_is_gone_at_the_retry_keeps_the_message_as_it_is() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(FAILS)
    play.features = ()
    play.close()
    play.pass_time(3)
    play.do(Retry())
    play.do(AgentEnds(text="done"))
    assert play.frames("turn.reopen") == []


def test_a_typed_text_is_private_and_forgets_the_registration() -> None:
    play = failed()
    play.do(TypeText("something else"), 0.1)
    play.do(AgentProgresses("private"), 5)
    play.do(Retry(), 5)
    assert play.frames() == []


def test_without_retry_only_the_private_turn_ends_up_in_the_channel() -> None:
    play = failed(rules_off=("retry_only",))
    play.do(TypeText("something else"), 5)
    assert play.types() == ["turn.reopen", "turn.end"]


def test_a_typed_text_overtakes_a_running_round() -> None:
    play = failed()
    play.do(Retry())
    play.do(AgentProgresses("k"), 3)
    play.do(TypeText("stop that"), 5)
    end = play.last("turn.end")
    assert end.status == "error"
    play.do(Retry(), 5)
    assert len(play.frames("turn.reopen")) == 1


def test_a_disconnect_drops_the_round_in_silence() -> None:
    play = failed()
    play.do(Retry())
    play.do(AgentProgresses("k"), 3)
    play.close()
    play.pass_time(3)
    play.forget()
    play.do(AgentProgresses("k2"), 3)
    play.do(FAILS)
    play.do(Retry(), 5)
    play.do(AgentEnds(text="x"))
    assert play.frames() == []


def test_without_never_replayed_the_round_goes_on_over_the_next_socket() -> None:
    play = failed(rules_off=("reopen_never_replayed",))
    play.do(Retry())
    play.do(AgentProgresses("k"), 3)
    play.go_offline()
    play.do(AgentEnds(text="late"))
    play.come_back()
    assert play.last("turn.end").final_text == "late"


def test_without_dead_thread_a_retry_continues_a_round_that_nobody_knows() -> None:
    play = failed(rules_off=("dead_thread",))
    play.do(Retry())
    play.do(AgentProgresses("k"), 3)
    first = play.last("turn.reopen").request_id
    play.close()
    play.pass_time(3)
    play.do(FAILS)
    play.do(Retry())
    play.do(AgentEnds(text="x"))
    assert play.last("turn.reopen").reopen_of == first


def test_a_registration_without_a_live_claim_survives_a_disconnect() -> None:
    play = failed()
    play.do(Retry())
    play.close()
    play.pass_time(3)
    play.do(AgentEnds(text="done"))
    assert play.types()[-2:] == ["turn.reopen", "turn.end"]


def test_a_claim_that_could_not_be_written_may_be_tried_again() -> None:
    play = failed()
    play.do(Retry())
    play.go_offline()
    play.do(FAILS)
    play.come_back()
    assert play.frames("turn.reopen") == []
    play.do(Retry())
    play.do(AgentEnds(text="done"))
    assert play.last("turn.reopen").reopen_of == "R1"


def test_a_new_task_takes_over_with_an_error_for_the_round() -> None:
    play = failed()
    play.do(Retry())
    play.do(AgentProgresses("k"), 3)
    play.forget()
    play.dispatch("R2")
    assert play.types() == ["task.ack", "turn.end"]
    assert play.last("task.ack").result == "accepted"
    assert "cancelled" in play.last("turn.end").error_message
    play.do(AgentEnds(text="two"))
    assert play.last("turn.end", "R2").final_text == "two"
    play.do(Retry(), 5)
    assert play.frames("turn.reopen") == []


def test_a_new_task_forgets_an_armed_retry() -> None:
    play = failed()
    play.do(Retry())
    play.dispatch("R2")
    play.do(AgentEnds(text="two"))
    assert play.types() == ["task.ack", "turn.end"]


def test_the_server_cancels_a_round_by_its_own_id() -> None:
    play = failed()
    play.do(Retry())
    play.do(AgentProgresses("k"), 3)
    play.say(TaskCancel(request_id="R1"))
    assert play.frames("turn.end") == []
    play.say(TaskCancel(request_id=play.last("turn.reopen").request_id))
    assert play.last("turn.end").status == "cancelled"


def test_questions_of_a_round_stay_on_the_desktop() -> None:
    play = failed()
    play.do(Retry())
    play.do(AgentAsks())
    play.do(AnswerCard("perm:allow"))
    play.do(AgentAsks())
    play.do(AgentEnds(text="done"))
    assert play.types() == ["turn.reopen", "turn.end"]


def test_registrations_expire_after_a_day() -> None:
    play = failed()
    play.pass_time(24 * 60 * 60 + 10)
    play.forget()
    play.do(Retry(), 5)
    assert play.frames("turn.reopen") == []


def test_at_most_200_rounds_are_remembered() -> None:
    play = Play(settings=DesktopSettings(reopen_records=2))
    for n in range(3):
        play.dispatch(f"R{n}", key=f"k{n}")
        play.do(FAILS)
    play.forget()
    play.do(Retry("R0"))
    play.do(AgentEnds(text="x"))
    play.do(Retry("R1"))
    play.do(AgentEnds(text="x"))
    assert [r.reopen_of for r in play.frames("turn.reopen")] == ["R1"]


def test_a_restart_and_a_login_forget_registrations() -> None:
    play = failed()
    play.restart_desktop()
    play.do(Retry(), 5)
    play.dispatch("R2")
    play.do(FAILS)
    play.do(Login("bob"), 3)
    play.do(Retry(), 5)
    assert play.frames("turn.reopen") == []


def test_a_round_whose_folder_is_gone_is_not_claimed() -> None:
    play = Play()
    play.dispatch("R1", workspace="web")
    play.do(FAILS)
    play.do(Retry())
    play.do(ChangeWorkspaces(()))
    play.do(AgentEnds(text="x"))
    assert play.frames("turn.reopen") == []


def test_an_end_that_was_lost_on_the_wire_is_not_sent_again() -> None:
    play = failed(settings=DesktopSettings())
    play.do(Retry())
    play.do(AgentProgresses("k"), 3)
    link = play.conn.link
    cut(play.world, link, "silent")
    play.do(FAILS)
    play.pass_time(100)
    assert play.frames("turn.end") == []
    assert len(play.sockets) == 2
