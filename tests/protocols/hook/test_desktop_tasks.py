"""Desktop twin: admission, sessions, queue, progress, results, replay, cancel, archive."""

from __future__ import annotations

import base64

from sim.core.event import Noted
from sim.protocols.hook import SessionArchive, TaskCancel, TaskSource, Welcome
from sim.protocols.hook.acts import (
    AgentAsks,
    AgentEnds,
    AgentProgresses,
    ChangeWorkspaces,
    Login,
    TypeText,
)
from sim.protocols.hook.desktop import DesktopSettings
from tests.protocols.hook.desktop_play import SECOND_US, Play, dispatched

DAY_S = 24 * 60 * 60
IMAGE = ("a.png", "image/png", base64.b64encode(b"png").decode())


def runs(play: Play, request: str) -> int:
    """How often the agent was started for a request."""
    notes = [e.data for e in play.world.events if isinstance(e, Noted) and e.what == "agent"]
    return sum(1 for d in notes if d["did"] == "start" and d["request"] == request)


# ---- ack --------------------------------------------------------------------


def test_an_accepted_task_names_its_session_and_nothing_else() -> None:
    play = Play()
    play.dispatch("R1")
    ack = play.last("task.ack")
    assert (ack.result, ack.reason, ack.queue_position) == ("accepted", None, None)
    assert ack.session_id


def test_an_unknown_alias_is_rejected_by_its_name_and_for_good() -> None:
    play = Play()
    play.dispatch("R1", workspace="gone")
    ack = play.last("task.ack")
    assert (ack.result, ack.reason, ack.session_id) == ("rejected", "unknown_workspace", None)
    play.do(ChangeWorkspaces(("gone",)))
    play.dispatch("R1", workspace="gone")
    assert play.last("task.ack").reason == "unknown_workspace"
    play.restart_desktop()
    play.dispatch("R1", workspace="gone")
    assert play.last("task.ack").reason == "unknown_workspace"


def test_a_source_of_another_channel_is_refused() -> None:
    play = Play()
    play.dispatch("R1", source=TaskSource(im="telegram"))
    assert play.last("task.ack").reason == "invalid"


def test_a_redelivered_running_task_gets_its_ack_again_and_is_not_run_again() -> None:
    play = Play()
    play.dispatch("R1")
    play.dispatch("R1")
    first, second = play.frames("task.ack")
    assert first == second
    assert runs(play, "R1") == 1


def test_without_ack_replay_a_redelivered_task_runs_twice() -> None:
    play = Play(rules_off=("ack_replay",))
    play.dispatch("R1")
    play.dispatch("R1")
    play.do(AgentEnds(text="a"))
    play.do(AgentEnds(text="b"))
    assert runs(play, "R1") == 2
    assert [end.final_text for end in play.frames("turn.end", "R1")] == ["a", "b"]


def test_a_duplicate_during_admission_is_dropped() -> None:
    play = Play(settings=DesktopSettings(locate_us=2 * SECOND_US))
    play.dispatch("R1", seconds=0.1)
    play.dispatch("R1", seconds=5)
    assert len(play.frames("task.ack")) == 1


def test_a_redelivered_finished_task_gets_ack_and_end_again() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(AgentEnds(text="done", files=(IMAGE,)))
    play.forget()
    play.dispatch("R1")
    assert play.types() == ["task.ack", "turn.end"]
    assert play.last("turn.end").attachments  # the same content within one life (HK-75)
    play.restart_desktop()
    play.forget()
    play.dispatch("R1")
    assert play.types() == ["task.ack", "turn.end"]
    assert play.last("turn.end").final_text == "done"
    assert not play.last("turn.end").attachments
    assert runs(play, "R1") == 1


def test_a_result_older_than_a_day_is_answered_by_its_ack_only() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(AgentEnds(text="done"))
    play.restart_desktop(DAY_S + 10)
    play.forget()
    play.dispatch("R1")
    assert [t for t in play.types() if t != "ping"] == ["task.ack"]


# ---- sessions -----------------------------------------------------------------


def test_tasks_of_one_key_share_a_session_also_after_a_restart() -> None:
    play = Play()
    play.dispatch("R1")
    play.dispatch("R2", key="another")
    play.restart_desktop()
    play.dispatch("R3")
    one, two, three = play.frames("task.ack")
    assert one.session_id == three.session_id != two.session_id


def test_two_tasks_of_a_new_key_in_one_segment_share_a_session() -> None:
    play = Play(settings=DesktopSettings(locate_us=SECOND_US))
    play.world.act("S", (play.conn, dispatched("R1")))
    play.world.act("S", (play.conn, dispatched("R2")))
    play.pass_time(4)
    first, second = play.frames("task.ack")
    assert (first.result, second.result, second.queue_position) == ("accepted", "queued", 0)
    assert first.session_id == second.session_id


def test_without_the_session_rule_every_task_gets_a_session_of_its_own() -> None:
    play = Play(rules_off=("one_session_per_key",))
    play.dispatch("R1")
    play.dispatch("R2")
    first, second = play.frames("task.ack")
    assert first.session_id != second.session_id


def test_a_take_over_runs_in_the_session_that_was_asked_for() -> None:
    play = Play(sessions=(("s-1", "web"), ("s-2", "secret")))
    play.dispatch("R1", workspace=None, session_id="s-1")
    play.dispatch("R2", workspace=None, session_id="s-2", key="k2")
    play.dispatch("R3", workspace=None, session_id="s-3", key="k3")
    play.dispatch("R4", key="slack:T:C:1")
    assert play.last("task.ack", "R1").session_id == "s-1"
    assert play.last("task.ack", "R2").reason == "workspace_not_allowed"
    assert play.last("task.ack", "R3").reason == "session_not_found"
    assert play.last("task.ack", "R4").session_id == "s-1"


def test_a_session_whose_folder_is_gone_is_replaced_with_a_notice_once() -> None:
    play = Play()
    play.dispatch("R1", workspace="web")
    play.do(AgentEnds(text="a"))
    play.do(ChangeWorkspaces(()))
    play.dispatch("R2")
    play.do(AgentEnds(text="b"))
    play.dispatch("R3")
    play.do(AgentEnds(text="c"))
    texts = [end.final_text for end in play.frames("turn.end")]
    assert texts[0] == "a"
    assert texts[1].endswith("\n\nb")
    assert texts[2] == "c"
    assert play.last("task.ack", "R1").session_id != play.last("task.ack", "R2").session_id


def test_archive_ends_the_binding_but_not_the_running_turn() -> None:
    play = Play()
    play.dispatch("R1")
    play.say(SessionArchive(external_key="slack:T:C:1"))
    play.say(SessionArchive(external_key="slack:T:C:1"))
    play.dispatch("R2")
    play.do(AgentEnds(text="one", request="R1"))
    assert play.last("turn.end", "R1").final_text == "one"
    assert play.last("task.ack", "R2").session_id != play.last("task.ack", "R1").session_id


# ---- queue --------------------------------------------------------------------


def test_twenty_tasks_wait_in_order_and_the_next_one_is_refused() -> None:
    play = Play()
    for n in range(1, 23):
        play.dispatch(f"R{n}")
    acks = play.frames("task.ack")
    assert [a.queue_position for a in acks[1:21]] == list(range(20))
    assert (acks[21].result, acks[21].reason) == ("rejected", "invalid")
    play.do(AgentEnds(text="1"))
    play.do(AgentEnds(text="2"))
    assert [e.request_id for e in play.frames("turn.end")] == ["R1", "R2"]


def test_a_queued_task_whose_folder_went_away_ends_with_an_explanation() -> None:
    play = Play()
    play.dispatch("R1", workspace="web")
    play.dispatch("R2", workspace="web")
    play.do(ChangeWorkspaces(()))
    play.do(AgentEnds(text="1"))
    end = play.last("turn.end", "R2")
    assert end.status == "error"
    assert "folder" in end.error_message


def test_a_task_waits_for_the_persons_own_turn_and_is_polled() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(AgentEnds(text="1"))
    play.do(TypeText("private"), 0.1)
    play.dispatch("R2")
    assert play.last("task.ack", "R2").result == "queued"
    assert runs(play, "R2") == 0
    play.pass_time(5)
    assert runs(play, "R2") == 1


# ---- the agent ----------------------------------------------------------------


def test_acts_that_come_before_their_task_are_kept_for_it() -> None:
    play = Play()
    play.do(AgentProgresses("early"), 0)
    play.do(AgentEnds(text="of R2", request="R2"), 0)
    play.dispatch("R1", seconds=3)
    assert play.last("turn.progress").text == "early"
    play.do(AgentEnds(text="of R1"))
    play.dispatch("R2")
    assert play.last("turn.end", "R2").final_text == "of R2"


def test_an_act_for_a_queued_task_waits_until_it_runs() -> None:
    play = Play()
    play.dispatch("R1")
    play.dispatch("R2")
    play.do(AgentEnds(text="two", request="R2"))
    assert play.frames("turn.end") == []
    play.do(AgentEnds(text="one"))
    assert [e.final_text for e in play.frames("turn.end")] == ["one", "two"]


def test_an_act_for_an_ended_task_is_dropped() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(AgentEnds(text="one"))
    play.do(AgentEnds(text="again", request="R1"))
    play.dispatch("R2")
    assert len(play.frames("turn.end")) == 1


# ---- progress -----------------------------------------------------------------


def test_progress_is_throttled_to_the_latest_snapshot() -> None:
    play = Play()
    play.dispatch("R1")
    for n in range(10):
        play.do(AgentProgresses(f"p{n}"), 0.5)
    texts = [p.text for p in play.frames("turn.progress")]
    assert 3 <= len(texts) <= 4
    play.pass_time(2)
    assert play.last("turn.progress").text == "p9"


def test_without_the_throttle_every_snapshot_is_sent() -> None:
    play = Play(rules_off=("progress_throttle",))
    play.dispatch("R1")
    for n in range(10):
        play.do(AgentProgresses(f"p{n}"), 0.1)
    assert len(play.frames("turn.progress")) == 10


def test_empty_and_identical_snapshots_are_not_sent_and_long_ones_are_cut() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(AgentProgresses(""), 2)
    play.do(AgentProgresses("same"), 2)
    play.do(AgentProgresses("same"), 2)
    play.do(AgentProgresses("x" * 5000), 2)
    texts = [p.text for p in play.frames("turn.progress")]
    assert texts[0] == "same"
    assert len(texts) == 2
    assert len(texts[1]) == 3800
    assert texts[1].endswith("x…")


def test_nothing_follows_the_end() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(AgentProgresses("late"), 0.1)
    play.do(AgentEnds(text="done"), 5)
    assert play.types()[-1] == "turn.end"


def test_without_nothing_after_end_a_waiting_snapshot_follows_it() -> None:
    play = Play(rules_off=("nothing_after_end",))
    play.dispatch("R1")
    play.do(AgentProgresses("late"), 0.1)
    play.do(AgentEnds(text="done"), 5)
    assert play.types()[-2:] == ["turn.end", "turn.progress"]


def test_in_telegram_the_last_snapshot_is_sent_before_the_end() -> None:
    needs = ("provider-bind-v1", "provider-prefs-v1", "session-picker-v1", "provider:telegram")
    play = Play(lanes=("telegram",), features=needs)
    play.dispatch("R1", source=TaskSource(im="telegram"))
    play.do(AgentProgresses("last"), 0.1)
    play.do(AgentEnds(text="done"), 5)
    assert play.types()[-2:] == ["turn.progress", "turn.end"]


# ---- end ----------------------------------------------------------------------


def test_an_end_is_linked_as_the_protocol_demands() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(AgentEnds(status="error", text="ignored", files=(IMAGE,)))
    end = play.last("turn.end")
    assert (end.status, end.final_text) == ("error", "")
    assert end.error_message
    assert not end.attachments
    assert end.usage.duration_ms > 0


def test_attachments_beyond_the_limits_are_left_out_with_a_warning() -> None:
    limits = DesktopSettings(image_bytes=4, attachments=2, attachments_bytes=7)
    play = Play(settings=limits)
    play.dispatch("R1")
    big = ("big.png", "image/png", base64.b64encode(b"12345").decode())
    empty = ("empty.txt", "text/plain", "")
    play.do(AgentEnds(text="see", files=(big, empty, IMAGE, IMAGE, IMAGE)))
    end = play.last("turn.end")
    assert [a.name for a in end.attachments] == ["a.png", "a.png"]
    assert "big.png was left out" in end.final_text
    assert end.final_text.startswith("see\n\n")


def test_an_end_while_offline_is_sent_after_the_next_welcome_with_its_files() -> None:
    play = Play()
    play.dispatch("R1")
    play.go_offline()
    play.do(AgentEnds(text="done", files=(IMAGE,)))
    play.forget()
    play.come_back()
    ends = play.frames("turn.end", "R1")
    assert [e.final_text for e in ends] == ["done"]
    assert ends[0].attachments


def test_an_unsent_end_survives_a_restart_without_its_files() -> None:
    play = Play()
    play.dispatch("R1")
    play.go_offline()
    play.do(AgentEnds(text="done", files=(IMAGE,)))
    play.restart_desktop()
    play.come_back()
    ends = play.frames("turn.end", "R1")
    assert [e.final_text for e in ends] == ["done"]
    assert not ends[0].attachments
    play.restart_desktop()
    assert len(play.frames("turn.end", "R1")) == 1


def test_without_end_replay_work_that_finished_offline_never_shows() -> None:
    play = Play(rules_off=("end_replay",))
    play.dispatch("R1")
    play.go_offline()
    play.do(AgentEnds(text="done"))
    play.come_back()
    play.dispatch("R1")
    assert play.frames("turn.end") == []


def test_an_unsent_end_is_not_sent_after_a_day() -> None:
    play = Play()
    play.dispatch("R1")
    play.go_offline()
    play.do(AgentEnds(text="done"), DAY_S + 60)
    play.come_back()
    assert play.frames("turn.end") == []


def test_of_120_ends_that_waited_all_are_sent_once() -> None:
    play = Play()
    for n in range(120):
        play.dispatch(f"R{n}", key=f"k{n}", seconds=0.1)
    play.pass_time(1)
    play.go_offline()
    for n in range(120):
        play.do(AgentEnds(text=f"t{n}", files=(IMAGE,), request=f"R{n}"), 0)
    play.pass_time(1)
    play.come_back()
    ends = play.frames("turn.end")
    assert sorted(e.request_id for e in ends) == sorted(f"R{n}" for n in range(120))
    assert sum(1 for e in ends if e.attachments) == 100


def test_a_repeated_welcome_sends_nothing_twice() -> None:
    play = Play()
    play.dispatch("R1")
    play.go_offline()
    play.do(AgentEnds(text="done"))
    play.welcomes = False
    play.come_back()
    welcome = Welcome(server_name="S", features=())
    play.world.act("S", (play.conn, welcome))
    play.world.act("S", (play.conn, welcome))
    play.pass_time(2)
    assert len(play.frames("turn.end")) == 1


def test_the_ledger_makes_room_by_dropping_what_was_sent() -> None:
    play = Play(settings=DesktopSettings(ledger_rows=2))
    for n in range(3):
        play.dispatch(f"R{n}")
        play.do(AgentEnds(text="x"))
    keys = [key for key, _ in play.host.store.items("ledger/")]
    assert keys == ["ledger/owner/slack/R1", "ledger/owner/slack/R2"]


def test_a_ledger_full_of_unsent_rows_keeps_them() -> None:
    play = Play(settings=DesktopSettings(ledger_rows=1))
    play.dispatch("R1", key="a")
    play.dispatch("R2", key="b")
    play.go_offline()
    play.do(AgentEnds(text="1", request="R1"))
    play.do(AgentEnds(text="2", request="R2"))
    assert len(play.host.store.items("ledger/")) == 1
    play.come_back()
    assert [e.request_id for e in play.frames("turn.end")] == ["R1", "R2"]


# ---- cancel -------------------------------------------------------------------


def test_cancel_of_a_running_task_ends_it_and_the_next_one_starts() -> None:
    play = Play()
    play.dispatch("R1")
    play.dispatch("R2")
    play.say(TaskCancel(request_id="R1"))
    end = play.last("turn.end", "R1")
    assert (end.status, end.error_message) == ("cancelled", None)
    assert runs(play, "R2") == 1


def test_cancel_of_a_queued_task_ends_it_at_once_without_a_duration() -> None:
    play = Play()
    play.dispatch("R1")
    play.dispatch("R2")
    play.say(TaskCancel(request_id="R2"))
    end = play.last("turn.end", "R2")
    assert (end.status, end.usage.duration_ms) == ("cancelled", None)
    play.do(AgentEnds(text="one"))
    assert play.last("turn.end").request_id == "R1"
    assert runs(play, "R2") == 0


def test_cancel_of_what_is_unknown_or_over_is_ignored() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(AgentEnds(text="one"))
    play.forget()
    play.say(TaskCancel(request_id="R1"))
    play.say(TaskCancel(request_id="R9"))
    assert play.frames() == []


def test_a_cancel_before_the_ack_is_lost() -> None:
    play = Play(settings=DesktopSettings(locate_us=2 * SECOND_US))
    play.dispatch("R1")
    play.say(TaskCancel(request_id="R1"), 3)
    play.do(AgentEnds(text="done"))
    assert play.last("turn.end").status == "ok"


def test_a_cancel_while_the_result_is_gathered_keeps_text_and_files() -> None:
    play = Play(settings=DesktopSettings(gather_us=2 * SECOND_US))
    play.dispatch("R1")
    play.do(AgentEnds(text="done", files=(IMAGE,)))
    play.say(TaskCancel(request_id="R1"), 3)
    end = play.last("turn.end")
    assert (end.status, end.final_text, len(end.attachments)) == ("cancelled", "done", 1)


def test_an_agent_that_finishes_before_it_is_stopped_hands_in_its_text() -> None:
    play = Play(settings=DesktopSettings(abort_us=2 * SECOND_US))
    play.dispatch("R1")
    play.say(TaskCancel(request_id="R1"))
    play.do(AgentEnds(text="done"), 3)
    ends = play.frames("turn.end")
    assert [(e.status, e.final_text) for e in ends] == [("cancelled", "done")]


def test_a_cancel_on_a_later_socket_works() -> None:
    play = Play()
    play.dispatch("R1")
    play.close()
    play.pass_time(3)
    play.say(TaskCancel(request_id="R1"))
    assert play.last("turn.end").status == "cancelled"


# ---- account and restart --------------------------------------------------------


def test_a_login_stops_everything_in_silence() -> None:
    play = Play()
    play.dispatch("R1")
    play.dispatch("R2")
    play.do(AgentAsks())
    play.do(AgentProgresses("p"), 0)
    play.forget()
    play.do(Login("bob"), 3)
    play.do(AgentEnds(text="late", request="R1"))
    assert play.types() == ["hello"]
    play.dispatch("R3")
    assert play.last("task.ack", "R3").result == "accepted"


def test_results_of_one_account_are_not_sent_for_another() -> None:
    play = Play(account="alice")
    play.dispatch("R1")
    play.go_offline()
    play.do(AgentEnds(text="secret"))
    play.do(Login("bob"))
    play.come_back()
    assert play.frames("turn.end") == []
    play.do(Login("alice"), 3)
    assert play.last("turn.end").final_text == "secret"


def test_a_restart_loses_running_and_queued_tasks_and_runs_them_anew_when_asked() -> None:
    play = Play()
    play.dispatch("R1")
    play.dispatch("R2")
    play.restart_desktop()
    play.forget()
    play.pass_time(5)
    assert play.frames("turn.end") == []
    play.dispatch("R1")
    assert play.last("task.ack").result == "accepted"
    assert runs(play, "R1") == 2
