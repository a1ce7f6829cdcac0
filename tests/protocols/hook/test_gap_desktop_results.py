"""A desktop's results, sessions and Slack accounts: each part of a condition decides somewhere."""

from __future__ import annotations

from typing import Any

import pytest

from sim.core.op import Save, StartTimer
from sim.protocols.hook import ABSENT, BindUpdate, SessionArchive
from sim.protocols.hook.acts import AgentEnds
from sim.protocols.hook.desktop import DesktopSettings, sessions, slack_binding
from sim.protocols.hook.desktop.records import Registration
from sim.protocols.hook.desktop.registrations import find
from sim.protocols.hook.desktop.results import FAILED, attachments_of, end_of
from sim.protocols.hook.desktop.ties import slack_ties
from tests.protocols.hook.desktop_play import dispatched
from tests.protocols.hook.test_gap_desktop_conditions import On
from tests.protocols.hook.test_gap_desktop_ends import ROW
from tests.protocols.hook.test_gap_desktop_ties import sent, update

TINY = DesktopSettings(attachments=2, image_bytes=3, file_bytes=6, attachments_bytes=8)


# -- results --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "taken", "warned"),
    [
        ((("a.png", "image/png", "AAAA"),), 1, 0),
        ((("a.png", "image/png", "AAAAAAAA"),), 0, 1),
        ((("a.txt", "text/plain", "AAAAAAAA"),), 1, 0),
        ((("a.txt", "text/plain", "AAAAAAAA"), ("b.png", "image/png", "AAAA")), 1, 1),
        ((("a.txt", "", "AAAA"), ("b.txt", "text/plain", "")), 0, 2),
        ((("a.png", "image/png", "AA=="),) * 3, 2, 1),
    ],
)
def test_which_files_of_a_result_travel(files: Any, taken: int, warned: int) -> None:
    kept, warnings = attachments_of(AgentEnds(files=files), TINY)
    assert (len(kept), len(warnings)) == (taken, warned)


def test_an_error_has_words_and_no_files() -> None:
    task = On().task()
    files = (("a.txt", "text/plain", "AAAA"),)
    settings = DesktopSettings()
    for act, message, attached in (
        (AgentEnds(status="error", error="boom", files=files), "boom", False),
        (AgentEnds(status="error", files=files), FAILED, False),
        (AgentEnds(text="done", files=files), None, True),
        (AgentEnds(text="done"), None, False),
    ):
        end = end_of(task, act, "", 0, settings)
        assert end.error_message == message
        assert (end.attachments is not ABSENT) is attached


def test_a_row_takes_as_many_bytes_as_its_error() -> None:
    assert type(ROW)(**{**_facts(), "error": "boom"}).size == ROW.size + 4


def _facts() -> dict[str, Any]:
    return {name: getattr(ROW, name) for name in ROW.__struct_fields__}


# -- sessions -------------------------------------------------------------------------------


def test_a_key_that_had_another_session_is_bound_anew() -> None:
    """HK-14"""
    play = On()
    first, other = play.task("R1", key="a").session, play.task("R2", key="b").session
    frame = dispatched("R3", key="a", session_id=other.id)
    run = play.hand(sessions.locate(play.desktop(), play.lane, frame)).finish()
    assert run.result == (other, "")
    assert [op.value.session for op in run.asked(Save)] == [other.id]
    assert first is not other


def test_a_session_whose_folder_is_gone_is_left_for_a_new_one() -> None:
    """HK-62"""
    play = On()
    session = play.task("R1", key="a").session
    play.desktop().workspaces = ("chat", "web")
    same = play.hand(sessions.locate(play.desktop(), play.lane, dispatched("R2", key="a")))
    assert same.finish().result == (session, "")
    play.desktop().workspaces = ("web",)
    frame = dispatched("R3", key="a", workspace="web")
    found, notice = play.hand(sessions.locate(play.desktop(), play.lane, frame)).finish().result
    assert (found is session, bool(notice)) == (False, True)
    gone = dispatched("R4", key="c", workspace="chat")
    run = play.hand(sessions.locate(play.desktop(), play.lane, gone)).finish()
    assert run.result == "unknown_workspace"


@pytest.mark.parametrize("running", [True, False])
def test_an_archived_session_that_runs_goes_on(running: bool) -> None:
    """HK-46"""
    play = On()
    session = play.task("R1", key="a").session
    if not running:
        play.do(AgentEnds(text="done"))
    for key in ("a", "unknown"):
        play.say(SessionArchive(external_key=key))
    assert (session.id in play.work.sessions) is running


def test_a_request_is_found_in_its_session_whatever_became_of_it() -> None:
    play = On()
    desk = play.desktop()
    session = play.task("R1", key="a").session
    assert sessions.of_request(desk, "R1") is session
    play.do(AgentEnds(text="done"))
    assert sessions.of_request(desk, "R1") is session
    play.work.rounds["K1"] = play.work.tasks["R1"] = play.task("R2", key="b")
    del play.work.tasks["R1"], play.work.acks["R2"]
    assert sessions.of_request(desk, "R2") is play.work.tasks["R2"].session
    assert sessions.of_request(desk, "K1") is play.work.rounds["K1"].session
    assert sessions.of_request(desk, "R9") is None


def test_the_latest_failure_is_meant_where_none_is_named() -> None:
    play = On()
    session = play.task().session
    play.work.registrations["s"] = found = Registration(("R8",), "k", session, play.lane, 0)
    assert [find(play.desktop(), name) for name in ("", "R8", "R9")] == [found, found, None]


# -- Slack ----------------------------------------------------------------------------------


def test_a_field_that_says_nothing_is_not_known() -> None:
    assert [slack_binding.known(v) for v in (ABSENT, None, "", "T1")] == [None, None, None, "T1"]


def told(frame: BindUpdate, *, teams: bool = False, binds_itself: bool = False) -> tuple[On, Any]:
    play = On(features=("turn-reopen-v1", *(("multi-team",) if teams else ())))
    slack_ties(play.lane).binds_itself = binds_itself
    return play, play.hand(slack_binding.updated(play.desktop(), play.lane, frame)).finish()


@pytest.mark.parametrize(
    ("state", "binds_itself", "started"),
    [("none", True, 1), ("none", False, 0), ("confirmed", True, 0), ("revoked", True, 0)],
)
def test_a_sign_in_begins_where_it_is_wanted_and_nothing_is_bound(
    state: str, binds_itself: bool, started: int
) -> None:
    _, run = told(update(state), binds_itself=binds_itself)
    assert sent(run) == ["bind.start"] * started


@pytest.mark.parametrize(
    ("state", "more", "teams", "off"),
    [("revoked", {}, False, True), ("revoked", {}, True, False), ("confirmed", {}, False, False),
     ("pending", {}, False, False), ("failed", {}, False, True)],
)  # fmt: skip
def test_with_the_only_binding_the_connection_goes(
    state: str, more: dict[str, str], teams: bool, off: bool
) -> None:
    play, _ = told(update(state, **more), teams=teams)
    assert play.lane.is_off is off


def test_a_sign_in_that_waits_for_the_app_is_waited_for() -> None:
    """HK-91"""
    reason = slack_binding.BIND_FAIL_REASON_NOT_INSTALLED
    play, run = told(update("failed", reason=reason))
    assert not play.lane.is_off
    (timer,) = run.asked(StartTimer)
    assert timer.after_us == play.desktop().settings.install_wait_us
    play, run = told(update("denied", reason=reason))
    assert play.lane.is_off


@pytest.mark.parametrize(
    ("frame", "teams"),
    [
        (update("confirmed", team_id="T1", slack_user_id="U1"), ["T1"]),
        (update("confirmed", team_id="T1"), ["T1"]),
        (update("confirmed", slack_user_id="U1"), []),
        (update("denied", team_id="T1"), []),
    ],
)
def test_only_a_confirmation_with_a_team_is_a_binding(frame: BindUpdate, teams: list[str]) -> None:
    play, _ = told(frame, teams=True)
    rows = play.lane.ties.rows
    assert [row.team_id for row in rows] == teams
    assert [row.slack_user_id for row in rows] == [frame.slack_user_id or ""] * len(teams)
