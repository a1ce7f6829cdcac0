"""Desktop twin: preferences, Telegram behaviour, tools, notices, lists."""

from __future__ import annotations

from typing import Any

from sim.protocols.hook import (
    BindUpdate,
    Preference,
    PrefsState,
    ProviderBehaviorState,
    ProviderPrefsState,
    QueryRequest,
    TaskSource,
    ToolError,
    ToolResponse,
)
from sim.protocols.hook.acts import AgentEnds, ChangeWorkspaces, Login, Operate
from tests.protocols.hook.desktop_play import Play
from tests.protocols.hook.test_desktop_bindings import (
    TELEGRAM,
    confirmed,
    gone,
    notes,
    on_telegram,
    teams,
    ties,
)

TOOLS = ("multi-team", "slack-tools")
LIFECYCLE = ("lifecycle-announcement-v1",)


def preference(workspace: str, model: str | None) -> Any:
    return Preference(
        workspace=workspace, model=model, effort=None, agent_kind=None, permission_mode=None
    )


def prefs_state(reply_to: str | None, *rows: Any) -> PrefsState:
    return PrefsState(reply_to=reply_to, bound=True, prefs=rows)


def outcomes(play: Play) -> list[str]:
    return [data["outcome"] for data in notes(play, "asked")]


# ---- Slack preferences ---------------------------------------------------------


def test_a_change_names_what_was_touched_and_null_clears() -> None:
    play = Play()
    play.do(Operate("prefs.set", {"workspace": "web", "model": "opus", "effort": None}))
    wire = play.last("prefs.set").to_wire()
    assert wire.pop("requestId")
    assert wire == {"workspace": "web", "model": "opus", "effort": None}


def test_the_last_snapshot_is_what_is_shown_hk_43() -> None:
    play = Play()
    play.do(Operate("prefs.get"))
    id = play.last("prefs.get").request_id
    play.say(prefs_state(id, preference("web", "a"), preference("chat", "b")))
    play.say(prefs_state("long ago", preference("web", "c")))
    assert [r.model for r in ties(play).prefs.prefs] == ["c"]
    assert outcomes(play) == ["answered"]
    merging = Play(rules_off=("prefs_shown_whole",))
    merging.say(prefs_state(None, preference("web", "a"), preference("chat", "b")))
    merging.say(prefs_state(None, preference("web", "c")))
    assert [r.model for r in ties(merging).prefs.prefs] == ["c", "b"]


def test_a_server_that_never_answers_is_too_old_hk_150_hk_35() -> None:
    play = Play()
    play.do(Operate("prefs.get"))
    play.pass_time(11)
    assert ties(play).is_too_old
    play.say(prefs_state("late"))
    assert not ties(play).is_too_old
    patient = Play(rules_off=("prefs_time_out",))
    patient.do(Operate("prefs.get"))
    patient.pass_time(60)
    assert not outcomes(patient)


def test_a_lost_connection_answers_at_once() -> None:
    play = Play()
    play.do(Operate("prefs.get"))
    play.go_offline()
    assert outcomes(play) == ["disconnected"]
    play.do(Operate("prefs.get"))
    assert outcomes(play) == ["disconnected"] * 2


def test_a_team_is_named_only_where_there_are_several() -> None:
    for features, team in (((), False), (("multi-team",), True)):
        play = Play(features=features)
        play.do(Operate("prefs.set", {"workspace": "web", "model": "m", "teamId": "T1"}))
        assert ("teamId" in play.last("prefs.set").to_wire()) is team


# ---- provider preferences ------------------------------------------------------


def bound(*rules_off: str, **more: Any) -> Play:
    play = on_telegram(*rules_off, **more)
    play.say(confirmed("b1", pushed=False))
    play.forget()
    return play


def provider_prefs(reply_to: str | None, binding: str, *rows: Any) -> ProviderPrefsState:
    return ProviderPrefsState(
        provider="telegram", binding_id=binding, scope_id=None, reply_to=reply_to, bound=True,
        prefs=rows,
    )  # fmt: skip


def test_a_neutral_channel_asks_for_its_present_binding_hk_119() -> None:
    play = bound()
    play.do(Operate("provider.prefs.get"))
    asked = play.last("provider.prefs.get")
    assert (asked.binding_id, asked.scope_id) == ("b1", None)
    play.do(Operate("provider.prefs.set", {"scopeId": "c1", "workspace": "web", "model": "m"}))
    changed = play.last("provider.prefs.set")
    assert (changed.binding_id, changed.scope_id) == (None, "c1")


def test_an_answer_about_another_binding_is_not_shown_rc_92() -> None:
    play = bound()
    play.do(Operate("provider.prefs.get"))
    id = play.last("provider.prefs.get").request_id
    play.say(provider_prefs(id, "b2"))
    assert ties(play).prefs is None
    assert outcomes(play)[-1] == "rebound"
    play.say(provider_prefs(id, "b1"))  # late
    assert ties(play).prefs is None
    play.say(provider_prefs(None, "b1"))
    assert ties(play).prefs is not None
    careless = bound("own_binding_only")
    careless.say(provider_prefs(None, "b2"))
    assert ties(careless).prefs is not None


def test_a_new_binding_rejects_what_was_asked_for_the_old_one() -> None:
    play = bound()
    play.do(Operate("provider.prefs.get"))
    play.say(gone("revoked", "b1"))
    assert "rebound" in outcomes(play)


def test_a_channel_without_a_binding_asks_nothing() -> None:
    play = on_telegram()
    play.do(Operate("provider.prefs.get"))
    play.do(Operate("provider.behavior.set", {"emojiReactions": "off"}))
    assert play.types() == ["hello"]


def test_a_folder_that_is_a_path_never_leaves_the_desktop_hk_09() -> None:
    play = bound()
    play.do(Operate("provider.prefs.set", {"workspace": "/x/me", "model": "m"}))
    assert not play.frames("provider.prefs.set")


# ---- behaviour -----------------------------------------------------------------


def behaviour(reply_to: str | None, binding: str = "b1", emoji: str = "off") -> Any:
    return ProviderBehaviorState(
        provider="telegram", binding_id=binding, reply_to=reply_to, bound=True,
        emoji_reactions=emoji, reply_quote_dm="off", reply_quote_group="first",
        group_activation={},
    )  # fmt: skip


def test_behaviour_is_fetched_after_each_welcome_and_confirmation() -> None:
    play = on_telegram()
    play.say(confirmed("b1", pushed=False))
    [get] = play.frames("provider.behavior.get")
    assert ties(play).behavior is None
    play.say(behaviour(get.request_id))
    assert ties(play).behavior.emoji_reactions == "off"
    play.close()
    play.pass_time(3)
    assert len(play.frames("provider.behavior.get")) == 2


def test_behaviour_needs_the_feature_on_both_sides_hk_124() -> None:
    plain = tuple(f for f in TELEGRAM if f != "provider-behavior-v1")
    play = bound(features=plain)
    play.do(Operate("provider.behavior.set", {"emojiReactions": "off"}))
    play.say(behaviour(None))
    assert play.types() == []
    assert ties(play).behavior is None
    careless = bound("behavior_needs_feature", features=plain)
    careless.do(Operate("provider.behavior.set", {"emojiReactions": "off"}))
    assert "provider.behavior.set" in careless.types()


def test_behaviour_of_another_binding_is_not_shown_hk_125() -> None:
    play = bound()
    play.say(behaviour(None, "b2"))
    assert ties(play).behavior is None


def test_an_empty_change_is_not_sent_hk_131() -> None:
    play = bound()
    play.do(Operate("provider.behavior.set"))
    assert not play.frames("provider.behavior.set")
    play.do(Operate("provider.behavior.set", {"replyQuoteDm": None}))
    assert play.last("provider.behavior.set").reply_quote_dm is None
    careless = bound("no_empty_patch")
    careless.do(Operate("provider.behavior.set"))
    assert careless.frames("provider.behavior.set")


# ---- tools ---------------------------------------------------------------------


def tool_codes(play: Play) -> list[str]:
    return [data["code"] for data in notes(play, "tool")]


def test_a_tool_fails_here_when_it_cannot_work_there_hk_151() -> None:
    play = Play(features=("multi-team",))
    play.say(teams("T1"))
    play.do(Operate("tool.request"))
    unbound = Play(features=TOOLS)
    unbound.do(Operate("tool.request"))
    unbound.go_offline()
    unbound.do(Operate("tool.request"))
    assert tool_codes(play) == ["UNSUPPORTED"]
    assert tool_codes(unbound) == ["NOT_BOUND", "NOT_CONNECTED"]
    assert not play.frames("tool.request")
    careless = Play(features=("multi-team",), rules_off=("tools_need_server",))
    careless.do(Operate("tool.request"))
    assert careless.frames("tool.request")


def test_a_tool_is_answered_by_its_code_whatever_the_text_hk_154() -> None:
    for text in ("one", "another"):
        play = Play(features=TOOLS)
        play.say(teams("T1"))
        play.do(Operate("tool.request", {"tool": "callTool", "args": {"name": "x"}}))
        id = play.last("tool.request").request_id
        error = ToolError(code="DENIED", message=text)
        play.say(ToolResponse(reply_to=id, ok=False, error=error))
        play.say(ToolResponse(reply_to=id, ok=True))
        assert tool_codes(play) == ["DENIED"]


def test_a_tool_without_an_answer_is_over_after_a_minute() -> None:
    play = Play(features=TOOLS)
    play.say(teams("T1"))
    play.do(Operate("tool.request"))
    play.stay(61)
    assert tool_codes(play) == ["TIMEOUT"]
    play.do(Operate("tool.request"))
    play.close()
    assert tool_codes(play) == ["TIMEOUT", "DISCONNECTED"]


def test_a_tool_works_for_the_team_of_its_session_hk_102() -> None:
    for rules_off, team in (((), "T2"), (("team_of_session",), None)):
        play = Play(features=TOOLS, rules_off=rules_off)
        play.say(teams("T1", "T2"))
        play.dispatch("R1", source=TaskSource(im="slack", team_id="T2", team_name="Acme"))
        play.do(Operate("tool.request"))
        assert play.last("tool.request").to_wire().get("teamId") == team
    play.features = (*TOOLS, "session-picker-v1")
    play.close()
    play.pass_time(3)
    play.say(QueryRequest(query_id="q", kind="sessions"))
    assert play.last("query.response").sessions[0].title == "Acme: do it"


def test_with_an_old_server_a_confirmed_binding_is_enough_for_tools() -> None:
    play = Play(features=("slack-tools",))
    update: dict[str, Any] = {"slack_user_name": None, "message": None}
    play.say(BindUpdate(state="confirmed", slack_user_id="U", **update))
    play.do(Operate("tool.request", {"teamId": "T9"}))
    assert "teamId" not in play.last("tool.request").to_wire()


# ---- notices -------------------------------------------------------------------


def test_the_notice_setting_is_said_again_after_each_welcome_rc_84() -> None:
    play = Play(features=LIFECYCLE)
    assert play.types() == ["hello", "lifecycle.preference"]
    play.do(Operate("lifecycle.preference", {"enabled": True}))
    play.close()
    play.pass_time(3)
    assert [f.enabled for f in play.frames("lifecycle.preference")] == [False, True, True]
    assert play.last("hello").lifecycle_announcement is True
    silent = Play(features=LIFECYCLE, rules_off=("lifecycle_resync",))
    assert silent.types() == ["hello"]


def test_an_old_server_gets_the_notice_setting_in_hello_only_hk_27() -> None:
    play = Play(features=())
    play.do(Operate("lifecycle.preference", {"enabled": True}))
    assert not play.frames("lifecycle.preference")
    play.restart_desktop()
    assert play.last("hello").lifecycle_announcement is True
    careless = Play(features=(), rules_off=("lifecycle_needs_feature",))
    assert careless.frames("lifecycle.preference")


# ---- lists ---------------------------------------------------------------------


def test_models_come_with_efforts_and_permission_modes() -> None:
    play = Play(agents=("claude-code", "other"))
    play.say(QueryRequest(query_id="q", kind="models"))
    first, second = play.last("query.response").agents
    assert {m.id: m.default_effort for m in first.models} == {
        "opus": "medium",
        "sonnet": "medium",
        "haiku": None,
    }
    assert first.permission_modes[0].id == "default"
    assert second.models == ()


def test_lists_are_made_when_they_are_asked_for_hk_105() -> None:
    for rules_off, aliases in (((), ("chat", "new")), (("live_lists",), ("chat", "web"))):
        play = Play(rules_off=rules_off)
        play.do(ChangeWorkspaces(("new",)))
        play.say(QueryRequest(query_id="q", kind="workspaces"))
        assert play.last("query.response").workspaces == aliases


def test_at_most_twenty_sessions_are_listed_hk_107() -> None:
    for rules_off, most in (((), 20), (("short_session_list",), 25)):
        play = Play(rules_off=rules_off)
        for n in range(25):
            play.dispatch(f"R{n}", key=f"k{n}", seconds=0.1)
        play.say(QueryRequest(query_id="q", kind="sessions"))
        assert len(play.last("query.response").sessions) == most


def test_nothing_of_an_account_is_left_for_the_next_one() -> None:
    play = bound()
    play.do(Login("another"), 3)
    assert ties(play) is None or ties(play).binding is None
    play.do(AgentEnds(text="x"))
    play.do(Operate("provider.prefs.get"))
    assert not play.frames("provider.prefs.get")


def test_what_nobody_at_a_desktop_sends_is_not_sent() -> None:
    play = Play()
    play.forget()
    for frame in ("task.ack", "turn.end", "nonsense", "provider.bind.start"):
        play.do(Operate(frame))
    assert play.types() == []
    assert len(notes(play, "not sent")) == 4
