"""What people tell the server itself: /bind, /model, /effort, /session, and the lists behind it."""

import pytest

from sim.channel.api import PostMessage
from sim.protocols.hook import (
    Agent,
    Model,
    PrefsSet,
    PrefsState,
    ProviderPrefsState,
    QueryRequest,
    QueryResponse,
    Session,
    SessionArchive,
)
from tests.protocols.hook.accounts_play import FEATURES, AccountsPlay

AGENTS = (
    Agent(
        agent_kind="claude-code",
        models=(
            Model(id="opus", label="Opus", efforts=("low", "high"), default_effort=None),
            Model(id="haiku", label="Haiku", efforts=("none",), default_effort=None),
        ),
    ),
)
SESSIONS = (Session(id="s-9", title="build", workspace="web", last_active_at=1),)


def joined(*lanes, **more):
    play = AccountsPlay(bound=True, **more)
    for lane in lanes or ("slack",):
        play.join(lane)
    return play


def commanded(text="/bind", **more):
    play = joined(**more)
    play.types(text)
    return play


# -- /bind ---------------------------------------------------------------------


def test_bind_asks_for_the_folders_and_sets_the_lanes_directory():
    """HK-53, HK-104"""
    play = joined()
    play.types("one", chat="D1")
    play.types("/bind", chat="D1")
    assert play.last(QueryRequest).kind == "workspaces"
    play.answer(workspaces=("chat", "web"))
    play.presses("web")
    play.types("two", chat="D1")
    assert [d.workspace for d in play.dispatched()] == ["chat", "web"]
    play.restart_server()
    play.join()
    play.types("three", chat="D1")
    assert play.dispatched()[-1].workspace == "web"


def test_bind_before_the_first_task_counts_for_it():
    """HK-53"""
    play = joined()
    play.types("/bind", chat="D1")
    play.answer(workspaces=("chat", "web"))
    play.presses("web")
    play.types("one", chat="D1")
    assert play.dispatched()[0].workspace == "web"


@pytest.mark.parametrize(("off", "folder"), [((), "web"), (("lane_before_default",), "docs")])
def test_what_was_chosen_for_a_lane_comes_before_the_default(off, folder):
    """HK-53, HK-52, HK-57"""
    play = AccountsPlay(bound=True, off=off)
    play.join("telegram", workspaces=("chat", "web", "docs"), default_workspace="docs")
    play.types("one", channel="TG")
    assert play.dispatched()[0].workspace == "docs"
    play.types("/bind", channel="TG")
    play.answer(workspaces=("chat", "web", "docs"))
    play.presses("web")
    play.types("two", channel="TG")
    assert play.dispatched()[-1].workspace == folder


@pytest.mark.parametrize(("off", "folder"), [((), "chat"), (("listed_folders_only",), "web")])
def test_a_folder_that_left_the_list_is_not_used(off, folder):
    """HK-10, HK-50"""
    play = AccountsPlay(bound=True, off=off)
    play.join(default_workspace="web")
    play.types("one", chat="D1")
    play.end(play.dispatched()[0].request_id, "ok", "done")
    play.hello(workspaces=("chat",), features=FEATURES["slack"])
    play.types("two", chat="D1")
    assert [d.workspace for d in play.dispatched()] == ["web", folder]


def test_the_default_on_x_costs_no_question_and_no_message():
    """HK-54"""
    play = AccountsPlay(bound=True)
    play.join("x", default_workspace="web")
    play.types("/bind this to my folder", channel="XX")
    assert play.dispatched()[0].workspace == "web"
    assert not play.got(QueryRequest)
    assert not [p for p in play.calls(PostMessage) if p.role != "request"]


def test_only_whoever_asked_may_press_and_only_once():
    play = commanded()
    play.answer(workspaces=("chat", "web", "docs"))
    play.presses("web", who="Bob")
    assert not [row for row in play.rows("lane/") if row.workspace]
    play.presses("docs")
    assert [row.workspace for row in play.rows("lane/")] == ["docs"]
    with pytest.raises(AssertionError, match="no button"):
        play.presses("web")


# -- /model and /effort --------------------------------------------------------


def test_model_writes_the_preference_and_tells_the_desktop():
    """HK-148"""
    play = joined()
    play.types("/model", chat="D1")
    assert play.last(QueryRequest).kind == "models"
    play.answer(agents=AGENTS)
    play.presses("Opus")
    state = play.last(PrefsState)
    assert state.reply_to is None
    assert [(r.workspace, r.model, r.agent_kind) for r in state.prefs] == [
        ("chat", "opus", "claude-code")
    ]
    play.types("one", chat="D1")
    assert play.dispatched()[0].options.model == "opus"
    play.types("/effort", chat="D1")
    play.answer(agents=AGENTS)
    with pytest.raises(AssertionError, match="no button"):
        play.presses("none")
    play.presses("high")
    play.types("two", chat="D1")
    assert play.dispatched()[1].options.effort == "high"
    assert play.dispatched()[1].options.model == "opus"


def test_without_the_push_the_desktop_learns_nothing():
    """HK-148"""
    play = joined(off=("prefs_pushed",))
    play.types("/model", chat="D1")
    play.answer(agents=AGENTS)
    play.presses("Opus")
    assert not play.got(PrefsState)


def test_model_on_telegram_writes_the_bindings_own_preference():
    """HK-19"""
    play = joined("slack", "telegram")
    play.types("/model", channel="TG")
    play.answer(agents=AGENTS)
    play.presses("Haiku")
    state = play.last(ProviderPrefsState)
    assert (state.reply_to, state.binding_id) == (None, "telegram-Alice")
    assert [r.model for r in state.prefs] == ["haiku"]
    assert not play.got(PrefsState)


def test_a_push_and_a_set_end_on_what_is_stored():
    """hook RC-91"""
    for seed in range(4):
        play = joined(preempt=True, seed=seed)
        play.types("/model", chat="D1")
        play.answer(agents=AGENTS)
        play.send(PrefsSet(request_id="q1", workspace="chat", model="a"), wait=0)
        play.presses("Opus", wait=0)
        play.send(PrefsSet(request_id="q2", workspace="chat", effort="low"), wait=2)
        stored = play.rows("prefs/")[-1]
        shown = play.last(PrefsState).prefs[-1]
        assert (shown.model, shown.effort) == (stored.model, stored.effort)


# -- /session and /new ---------------------------------------------------------


def test_session_takes_a_desktop_session_over_with_the_next_task_only():
    """HK-14, HK-108"""
    play = joined("telegram")
    play.types("/session", channel="TG")
    assert play.last(QueryRequest).kind == "sessions"
    play.answer(sessions=SESSIONS)
    play.presses("build")
    play.restart_server()
    play.join("telegram")
    play.types("one", channel="TG")
    play.types("two", channel="TG")
    assert [(d.session_id, d.workspace) for d in play.dispatched()] == [
        ("s-9", "web"),
        (None, "web"),
    ]


def test_a_takeover_is_redelivered_as_a_takeover():
    """HK-39"""
    play = joined("telegram")
    play.types("/session", channel="TG")
    play.answer(sessions=SESSIONS)
    play.presses("build")
    play.types("one", channel="TG")
    play.restart_server()
    play.join("telegram")
    first, second = play.dispatched()
    assert (second.request_id, second.session_id) == (first.request_id, "s-9")


@pytest.mark.parametrize("side", ["server", "desktop"])
def test_sessions_are_asked_for_only_with_the_picker_on_both_sides(side):
    """HK-108"""
    play = AccountsPlay(bound=True)
    without = tuple(f for f in FEATURES["telegram"] if f != "session-picker-v1")
    if side == "server":
        play.feature("session-picker-v1", False)
        play.join("telegram")
    else:
        play.join("telegram", features=without)
    play.types("/session", channel="TG")
    assert not play.got(QueryRequest)
    assert play.notices() == ["The desktop cannot offer that"]


def test_slack_has_no_session_picker():
    """HK-108"""
    play = commanded("/session")
    assert not play.got(QueryRequest)


def test_new_in_a_telegram_chat_archives_the_old_generation():
    """HK-137"""
    play = joined("telegram")
    play.types("one", channel="TG")
    play.types("/new", channel="TG")
    play.types("two", channel="TG")
    one, two = play.dispatched()
    assert one.external_key != two.external_key
    assert play.last(SessionArchive).external_key == one.external_key


def test_an_end_of_the_old_generation_still_finalises_its_message():
    """hook RC-97"""
    play = joined("telegram")
    play.types("one", channel="TG")
    play.types("/new", channel="TG")
    play.types("two", channel="TG")
    one = play.dispatched()[0]
    play.end(one.request_id, "ok", "done", wait=3)
    assert play.shows(one.request_id) == ("OK", "done")


# -- what can go wrong ---------------------------------------------------------


def test_a_silent_desktop_does_not_hang_the_command():
    """HK-104"""
    play = commanded()
    play.run(12)
    assert play.notices() == ["The desktop did not answer in time"]


def test_an_offline_desktop_is_said_to_be_offline():
    play = AccountsPlay(bound=True)
    play.types("/bind")
    play.run(5)
    assert play.notices() == ["The desktop is offline"]


@pytest.mark.parametrize(
    ("off", "notices"), [((), []), (("query_grace",), ["The desktop is offline"])]
)
def test_a_short_reconnect_is_no_absence(off, notices):
    """hook RC-96"""
    play = joined(off=off)
    play.cut()
    play.types("/bind", wait=0.9)
    play.join()
    play.run(1)
    assert play.notices() == notices
    if not notices:
        play.answer(workspaces=("chat", "web"))
        play.presses("web")


def test_a_query_whose_connection_broke_is_asked_again_under_a_new_id():
    """hook RC-96"""
    play = commanded()
    first = play.last(QueryRequest)
    play.cut()
    play.join()
    second = play.last(QueryRequest)
    assert second.query_id != first.query_id
    body = QueryResponse(
        query_id=first.query_id, kind="workspaces", ok=True, error=None, workspaces=("old",)
    )
    play.send(body)
    play.answer(workspaces=("new",))
    play.presses("new")


@pytest.mark.parametrize(("off", "taken"), [((), False), (("late_answers_dropped",), True)])
def test_a_late_answer_is_not_taken_for_another_questions(off, taken):
    """HK-103, hook RC-96"""
    play = commanded(off=off)
    late = play.last(QueryRequest)
    play.run(12)
    play.types("/bind")
    body = QueryResponse(
        query_id=late.query_id, kind="workspaces", ok=True, error=None, workspaces=("old",)
    )
    play.send(body, wait=2)
    if taken:
        play.presses("old")
    else:
        play.answer(workspaces=("new",))
        play.presses("new")


def test_an_answer_on_another_desktops_socket_is_dropped():
    """HK-103"""
    play = joined()
    play.join(who="D2")
    play.types("/bind")
    query = play.last(QueryRequest)
    body = QueryResponse(
        query_id=query.query_id, kind="workspaces", ok=True, error=None, workspaces=("foreign",)
    )
    play.send(body, "D2")
    with pytest.raises(AssertionError, match="no button"):
        play.presses("foreign")


@pytest.mark.parametrize(
    "lists", [{"ok": False, "error": "no"}, {"workspaces": ()}], ids=["refused", "empty"]
)
def test_no_list_is_said_in_words(lists):
    """HK-106"""
    play = commanded()
    query = play.last(QueryRequest)
    facts = {"query_id": query.query_id, "kind": query.kind, "ok": True, "error": None}
    play.send(QueryResponse(**{**facts, **lists}), wait=2)
    assert len(play.notices()) == 1


def test_an_unbound_person_is_told_so():
    play = AccountsPlay()
    play.types("/model")
    assert play.notices() == ["No desktop is connected to you yet"]


@pytest.mark.parametrize("row", ["command/", "event/", "picker/"])
def test_a_command_survives_a_crash_behind_each_of_its_writes(row):
    play = joined(preempt=True)
    play.crash_behind(row)
    play.types("/bind", wait=0.5)
    if row == "picker/":
        play.answer(workspaces=("chat", "web"))
    play.restart(0.5)
    play.join()
    play.run(1)
    if row != "picker/":
        play.answer(workspaces=("chat", "web"))
        play.presses("web")
        assert [r.workspace for r in play.rows("lane/")] == ["web"]
    assert not play.rows("command/")
    assert len(play.rows("picker/")) == 1


def test_old_pickers_are_forgotten(monkeypatch):
    monkeypatch.setattr("sim.protocols.hook.server.accounts.pickers.KEPT", 2)
    play = joined()
    for _ in range(3):
        play.types("/bind", chat="D1")
        play.answer(workspaces=("chat", "web"))
    assert len(play.rows("picker/")) == 2
