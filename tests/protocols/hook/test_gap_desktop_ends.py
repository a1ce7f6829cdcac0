"""The desktop's tasks and their ends: what each guard is for, above all behind an await."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from sim.core.op import Note, Release, Save, Send, Sleep, StartTimer, StopTimer
from sim.protocols.hook import TaskCancel, TurnDelivery, TurnEnd, TurnUsage
from sim.protocols.hook.acts import AgentEnds, AgentProgresses, Login
from sim.protocols.hook.desktop import DesktopSettings, admission, delivery, outbox, turns
from sim.protocols.hook.desktop.ledger import ledger_key, mark_sent
from sim.protocols.hook.desktop.records import LedgerRow, Unaccepted
from tests.protocols.hook.by_hand import ByHand
from tests.protocols.hook.desktop_play import FEATURES, Play, dispatched

ROW = LedgerRow("R", "k", "accepted", None, "s", None, "ok", "t", None, None, 0, False)
FILE = ("a.png", "image/png", "aA==")
AWAITED = (*FEATURES, "turn-delivery-v1")


class Stage(Play):
    """A desktop on Slack whose handlers can be moved by hand."""

    @property
    def lane(self) -> Any:
        return self.desktop().lanes["slack"]

    @property
    def work(self) -> Any:
        return self.desktop().work

    def hand(self, run: Any, *answers: Any) -> ByHand:
        return ByHand(self.world, "D", run, *answers)

    def task(self, request: str = "R1", **more: Any) -> Any:
        """A task that runs."""
        self.dispatch(request, **more)
        return self.work.tasks[request]

    def unsent(self, *requests: str) -> list[str]:
        """Results in the ledger that were never written to a socket."""
        desk, keys = self.desktop(), []
        for request in requests:
            key = ledger_key(desk, self.lane, request)
            row = msgspec.structs.replace(ROW, request=request, done_ms=desk.port.now_ms())
            self.host.store.put(key, row)
            self.work.ledger[key] = False
            keys.append(key)
        return keys

    def is_sent(self, key: str) -> bool:
        return bool(self.host.store.get(key).sent)


def end_of(request: str) -> TurnEnd:
    return TurnEnd(
        request_id=request, external_key="k", session_id="s", status="ok", final_text="t",
        error_message=None, usage=TurnUsage(duration_ms=None),
    )  # fmt: skip


def ends(run: ByHand) -> list[str]:
    return [op.frame.body.request_id for op in run.asked(Send) if op.frame.type == "turn.end"]


# -- starting and ending --------------------------------------------------------------------


def test_a_task_that_was_dropped_before_its_start_is_not_started() -> None:
    """hook RC-44"""
    play = Stage()
    frame = dispatched("R1")
    run = play.hand(admission.dispatch(play.desktop(), play.lane, frame)).behind(Release)
    play.do(Login("other"))
    done = len(run.ops)
    assert len(run.finish().ops) == done


def test_a_task_that_ended_while_its_start_was_noted_does_not_end_again() -> None:
    play = Stage()
    frame = dispatched("R1")
    run = play.hand(admission.dispatch(play.desktop(), play.lane, frame)).behind(Note)
    play.say(TaskCancel(request_id="R1"), 5)
    run.finish()
    assert [end.status for end in play.frames("turn.end")] == ["cancelled"]


def test_the_agent_of_a_task_that_is_over_does_nothing_more() -> None:
    play = Stage()
    task = play.task()
    play.do(AgentEnds(text="done"))
    for act in (AgentEnds(text="again"), AgentProgresses("late")):
        assert play.hand(turns.apply(play.desktop(), task, act)).finish().ops == []


def test_an_act_that_is_none_changes_nothing() -> None:
    play = Stage()
    task = play.task()
    assert play.hand(turns.apply(play.desktop(), task, "nonsense")).finish().ops == []


def test_a_task_that_is_dropped_while_its_files_are_gathered_is_not_handed_in() -> None:
    """hook RC-44"""
    play = Stage(settings=DesktopSettings(gather_us=1_000))
    task = play.task()
    act = AgentEnds(text="done", files=(FILE,))
    run = play.hand(turns.end(play.desktop(), task, act)).behind(Sleep)
    play.do(Login("other"), 3)
    assert run.finish().asked(Save) == []
    assert ends(run) == []


def test_a_task_that_is_dropped_while_its_end_is_stored_is_not_told() -> None:
    """hook RC-44"""
    play = Stage()
    task = play.task()
    run = play.hand(turns.end(play.desktop(), task, AgentEnds(text="done"))).behind(Save, "ledger/")
    play.do(Login("other"), 3)
    assert play.lane.is_ready
    assert ends(run.finish()) == []
    assert [op.data["did"] for op in run.asked(Note) if op.what == "agent"] == []


def test_a_session_that_somebody_else_has_is_not_freed() -> None:
    play = Stage()
    task, other = play.task("R1", key="a"), play.task("R2", key="b")
    task.session.running = other
    play.hand(turns.leave(play.desktop(), task)).finish()
    assert task.session.running is other


def test_nobody_polls_for_a_session_in_which_nobody_waits() -> None:
    play = Stage()
    task = play.task()
    for session in ("nowhere", task.session.id):
        assert play.hand(turns.poll(play.desktop(), session)).finish().ops == []


def test_a_stop_of_what_closes_is_only_remembered() -> None:
    play = Stage(settings=DesktopSettings(gather_us=1_000, abort_us=1_000))
    task = play.task()
    act = AgentEnds(text="done", files=(FILE,))
    closing = play.hand(turns.end(play.desktop(), task, act)).behind(Sleep)
    assert play.hand(turns.cancel(play.desktop(), task)).finish().ops == []
    closing.finish()
    play.pass_time(1)
    assert play.last("turn.end").status == "cancelled"


@pytest.mark.parametrize("abort_us", [0, 1_000])
def test_an_agent_takes_as_long_to_stop_as_the_settings_say(abort_us: int) -> None:
    play = Stage(settings=DesktopSettings(abort_us=abort_us))
    run = play.hand(turns.cancel(play.desktop(), play.task())).finish()
    assert [op.for_us for op in run.asked(Sleep)] == [abort_us] * (abort_us > 0)


@pytest.mark.parametrize("locate_us", [0, 1_000])
def test_a_session_is_looked_for_as_long_as_the_settings_say(locate_us: int) -> None:
    play = Stage(settings=DesktopSettings(locate_us=locate_us))
    frame = dispatched("R1")
    run = play.hand(admission.dispatch(play.desktop(), play.lane, frame)).finish()
    assert [op.for_us for op in run.asked(Sleep)] == [locate_us] * (locate_us > 0)


def test_a_desktop_that_changes_its_account_takes_no_task() -> None:
    play = Stage()
    desk = play.desktop()
    assert admission.refusal(desk, play.lane, dispatched("R1")) is None
    desk.is_closing = True
    assert admission.refusal(desk, play.lane, dispatched("R1")) == "disabled"


# -- handing in -----------------------------------------------------------------------------


def test_only_ends_with_files_are_kept_whole() -> None:
    play = Stage()
    play.task("R1")
    play.do(AgentEnds(text="done"))
    assert play.work.intact == {}
    play.task("R2")
    play.do(AgentEnds(text="done", files=(FILE,)))
    assert list(play.work.intact) == [ledger_key(play.desktop(), play.lane, "R2")]


def test_an_end_is_not_written_before_the_welcome() -> None:
    play = Stage(welcomes=False)
    assert play.lane.conn is not None
    run = play.hand(outbox.hand_over(play.desktop(), play.lane, "k", end_of("R1"))).finish()
    assert (run.result, run.ops) == (False, [])


def test_an_end_that_could_not_be_written_counts_as_unsent() -> None:
    play = Stage()
    (key,) = play.unsent("R1")
    run = play.hand(outbox.hand_over(play.desktop(), play.lane, key, end_of("R1"))).before(Send)
    play.go_offline()
    assert run.finish().result is False
    assert not play.is_sent(key)


def test_what_is_kept_goes_out_at_once_where_the_welcome_is_there_already() -> None:
    play = Stage()
    play.task()
    run = play.hand(outbox.keep(play.desktop(), play.lane, "k", end_of("R1"))).finish()
    assert ends(run) == ["R1"]
    play.go_offline()
    assert play.hand(outbox.keep(play.desktop(), play.lane, "k", end_of("R2"))).finish().ops == []
    assert len(play.lane.buffer) == 1


def test_where_nothing_waits_a_welcome_flushes_nothing() -> None:
    play = Stage()
    desk = play.desktop()
    assert play.hand(outbox.flush(desk, play.lane)).finish().ops == []
    assert not desk.is_busy
    play.task()
    assert play.hand(outbox.flush(desk, play.lane)).finish().ops == []


def test_an_end_that_went_out_before_the_welcome_is_marked_if_it_did() -> None:
    play = Stage()
    (key,) = play.unsent("R1")
    run = play.hand(outbox.flush(play.desktop(), play.lane, welcomed=False)).before(Send)
    play.go_offline()
    run.finish()
    assert not play.is_sent(key)
    play.come_back()
    assert play.is_sent(key)


@pytest.mark.parametrize("changed", [False, True])
def test_an_end_that_went_out_before_the_welcome_is_its_own_accounts(changed: bool) -> None:
    play = Stage()
    (key,) = play.unsent("R1")
    desk = play.desktop()
    run = play.hand(outbox.flush(desk, play.lane, welcomed=False)).behind(Send)
    desk.logins += changed
    run.finish()
    assert play.is_sent(key) is not changed


def test_what_was_not_taken_over_waits_for_the_welcome() -> None:
    play = Stage()
    play.task()
    play.lane.unaccepted = {"k": Unaccepted(end_of("R1"))}
    run = play.hand(outbox.flush(play.desktop(), play.lane, welcomed=False)).finish()
    assert ends(run) == []
    assert list(play.lane.unaccepted) == ["k"]


def test_a_buffer_keeps_its_order_when_a_write_fails() -> None:
    play = Stage()
    play.lane.buffer = [("k1", end_of("R1")), ("k2", end_of("R2"))]
    play.task()
    run = play.hand(outbox.flush(play.desktop(), play.lane)).before(Send)
    play.go_offline()
    assert len(run.finish().asked(Send)) == 1
    assert [key for key, _ in play.lane.buffer] == ["k1", "k2"]


def test_the_buffer_of_one_account_is_nothing_to_another() -> None:
    """hook RC-44"""
    play = Stage()
    play.lane.buffer = [("k1", end_of("R1")), ("k2", end_of("R2"))]
    play.task()
    run = play.hand(outbox.flush(play.desktop(), play.lane)).before(Send)
    play.do(Login("other"), 3)
    run.finish()
    assert not play.lane.buffer


def test_unsent_rows_wait_behind_one_that_could_not_be_written() -> None:
    play = Stage()
    keys = play.unsent("R1", "R2")
    run = play.hand(outbox.flush(play.desktop(), play.lane)).before(Send)
    play.go_offline()
    assert len(run.finish().asked(Send)) == 1
    assert [play.is_sent(key) for key in keys] == [False, False]


def test_unsent_rows_of_one_account_are_not_told_to_anothers_server() -> None:
    """hook RC-44"""
    play = Stage()
    play.unsent("R1", "R2")
    run = play.hand(outbox.flush(play.desktop(), play.lane)).before(Send)
    play.do(Login("other"), 3)
    assert play.lane.is_ready
    assert ends(run.finish()) == ["R1"]
    assert play.frames("turn.end") == []


def test_an_end_that_is_said_again_counts_as_sent() -> None:
    play = Stage()
    (key,) = play.unsent("R1")
    run = play.hand(outbox.answer_again(play.desktop(), play.lane, "R1")).finish()
    assert ends(run) == ["R1"]
    assert play.is_sent(key)


def test_an_end_that_is_said_again_and_not_taken_over_yet_does_not() -> None:
    play = Stage(features=AWAITED)
    (key,) = play.unsent("R1")
    play.hand(outbox.answer_again(play.desktop(), play.lane, "R1")).finish()
    assert not play.is_sent(key)


def test_a_row_of_another_account_is_marked_and_not_indexed() -> None:
    play = Stage()
    play.task()
    play.host.store.put("ledger/other/slack/R9", ROW)
    play.hand(mark_sent(play.desktop(), "ledger/other/slack/R9")).finish()
    assert play.is_sent("ledger/other/slack/R9")
    assert "ledger/other/slack/R9" not in play.work.ledger


def test_a_row_takes_as_many_bytes_as_its_text() -> None:
    plain, foreign = (msgspec.structs.replace(ROW, text=text).size for text in ("ee", "éé"))
    assert foreign == plain + 2


# -- turn.delivery --------------------------------------------------------------------------


def test_an_end_that_is_sent_again_is_the_same_entry() -> None:
    play = Stage(features=AWAITED)
    for tries in (1, 2):
        play.hand(delivery.send(play.desktop(), play.lane, "k", end_of("R1"))).finish()
        assert play.lane.unaccepted["k"].tries == tries


def test_a_report_that_overtakes_the_end_settles_it() -> None:
    play = Stage(features=AWAITED)
    desk = play.desktop()
    run = play.hand(delivery.send(desk, play.lane, "k", end_of("R1"))).behind(StartTimer)
    play.hand(delivery._forget(desk, play.lane, "k")).finish()
    assert run.finish().asked(Send) == []


def waiting(play: Stage) -> None:
    play.lane.unaccepted = {f"k{n}": Unaccepted(end_of(f"R{n}")) for n in (1, 2)}


def test_where_reports_are_awaited_a_welcome_sends_everything_again() -> None:
    """hook RC-46"""
    play = Stage(features=AWAITED)
    waiting(play)
    run = play.hand(delivery.resume(play.desktop(), play.lane)).finish()
    assert ends(run) == ["R1", "R2"]
    assert (play.lane.buffer, list(play.lane.unaccepted)) == (None, ["k1", "k2"])


def test_what_was_taken_over_while_others_were_sent_again_is_not() -> None:
    play = Stage(features=AWAITED)
    waiting(play)
    run = play.hand(delivery.resume(play.desktop(), play.lane)).behind(Send)
    del play.lane.unaccepted["k2"]
    assert [op.key for op in run.finish().asked(StartTimer)] == ["k1"]


def test_sending_everything_again_ends_with_the_connection() -> None:
    play = Stage(features=AWAITED)
    waiting(play)
    run = play.hand(delivery.resume(play.desktop(), play.lane)).behind(Send)
    play.go_offline()
    assert [op.key for op in run.finish().asked(StartTimer)] == ["k1"]


def test_a_server_that_no_longer_reports_gets_everything_once_more() -> None:
    """hook RC-51"""
    play = Stage()
    waiting(play)
    run = play.hand(delivery.resume(play.desktop(), play.lane)).finish()
    assert [op.key for op in run.asked(StopTimer)] == ["k1", "k2"]
    assert [key for key, _ in play.lane.buffer] == ["k1", "k2"]
    assert play.lane.unaccepted is None


def test_the_timer_of_what_was_sent_again_meanwhile_stays() -> None:
    play = Stage()
    waiting(play)
    run = play.hand(delivery.resume(play.desktop(), play.lane)).behind(StopTimer)
    play.lane.unaccepted = {"k2": Unaccepted(end_of("R2"))}
    assert [op.key for op in run.finish().asked(StopTimer)] == ["k1"]


def test_what_is_forgotten_is_that_one_end() -> None:
    play = Stage(features=AWAITED)
    waiting(play)
    for key, left in (("k1", ["k2"]), ("k2", None), ("k3", None)):
        play.hand(delivery._forget(play.desktop(), play.lane, key)).finish()
        kept = play.lane.unaccepted
        assert (kept if kept is None else list(kept)) == left


def test_a_report_about_nothing_stops_no_timer() -> None:
    play = Stage(features=AWAITED)
    desk = play.desktop()
    desk.features = {"slack": ("turn-delivery-v1",)}
    report = TurnDelivery(request_id="R9", state="accepted", attempt=0, retry_at=None, error=None)
    assert play.hand(delivery.reported(desk, play.lane, report)).finish().ops == []
    assert not desk.is_busy
