"""Desktop twin: accounts on Slack, Telegram and X."""

from __future__ import annotations

from typing import Any

import pytest

from sim.core.event import Noted
from sim.protocols.hook import (
    BindState,
    BindUpdate,
    ProviderBindState,
    ProviderBindUpdate,
    SlackBinding,
)
from sim.protocols.hook.acts import AgentEnds, Operate, Toggle
from sim.protocols.hook.desktop.links import may_open
from tests.protocols.hook.desktop_play import Play

TELEGRAM = (
    "provider-bind-v1",
    "provider-prefs-v1",
    "session-picker-v1",
    "provider:telegram",
    "provider-behavior-v1",
    "group-relay-v1",
    "group-relay-recipient-v1",
)
LINK = "https://t.me/somebot?start=" + "a" * 43


def on_telegram(*rules_off: str, features: tuple[str, ...] = TELEGRAM, **config: Any) -> Play:
    return Play(lanes=("telegram",), features=features, rules_off=rules_off, **config)


def snapshot(state: str, *, pushed: bool = False, **fields: Any) -> Any:
    """A snapshot of Telegram, all other fields null; ``pushed``: provider.bind.update."""
    cls = ProviderBindUpdate if pushed else ProviderBindState
    nothing = dict.fromkeys(
        (
            "reply_to", "attempt_id", "binding_id", "principal_id", "principal_name", "scope_id",
            "scope_name", "connect_url", "remediation_url", "expires_at", "reason",
        )
    )  # fmt: skip
    return cls(provider="telegram", state=state, actions=(), **{**nothing, **fields})


def pending(attempt: str, reply_to: str | None = None, link: str = LINK, **fields: Any) -> Any:
    fields = {"expires_at": 1_767_226_000_000, **fields}
    return snapshot(
        "pending", pushed=True, attempt_id=attempt, connect_url=link, reply_to=reply_to, **fields
    )


def confirmed(binding: str, *, pushed: bool = True, **fields: Any) -> Any:
    fields = {"principal_id": "u1", "scope_id": "c1", **fields}
    return snapshot("confirmed", pushed=pushed, binding_id=binding, **fields)


def gone(state: str, binding: str) -> Any:
    return snapshot(state, pushed=True, binding_id=binding, reason="x")


def ties(play: Play) -> Any:
    return next(iter(play.desktop().lanes.values())).ties


def notes(play: Play, what: str) -> list[Any]:
    return [e.data for e in play.world.events if isinstance(e, Noted) and e.what == what]


def start(play: Play) -> str:
    """The person presses connect. → the request's id"""
    play.do(Operate("provider.bind.start"))
    return str(play.last("provider.bind.start").request_id)


# ---- provider-neutral ----------------------------------------------------------


def test_a_binding_goes_from_start_to_confirmed() -> None:
    play = on_telegram()
    play.say(pending("a1", start(play)))
    assert ties(play).state == "pending"
    assert notes(play, "link") == [{"lane": "telegram", "opened": LINK}]
    play.say(confirmed("b1"))
    assert ties(play).binding.binding == "b1"


def test_only_one_local_request_is_under_way_at_a_time() -> None:
    play = on_telegram()
    start(play)
    play.do(Operate("provider.bind.start"))
    assert len(play.frames("provider.bind.start")) == 1
    play.pass_time(11)  # no answer
    play.do(Operate("provider.bind.start"))
    assert len(play.frames("provider.bind.start")) == 2


def test_a_lane_that_lacks_a_feature_sends_nothing_hk_16_hk_17() -> None:
    for missing in ("provider-bind-v1", "provider:telegram"):
        play = on_telegram(features=tuple(f for f in TELEGRAM if f != missing))
        play.do(Operate("provider.bind.start"))
        assert not play.frames("provider.bind.start")
        play.features = TELEGRAM
        play.close()
        play.pass_time(3)
        play.do(Operate("provider.bind.start"))
        assert play.frames("provider.bind.start")


def test_an_answer_to_another_request_is_dropped() -> None:
    play = on_telegram()
    start(play)
    play.say(pending("a1", "another"))
    assert ties(play).state == "none"


def test_the_confirmation_of_a_replaced_attempt_is_dropped_rc_87() -> None:
    play = on_telegram()
    play.say(pending("a1", start(play)))
    play.say(pending("a2", start(play)))
    play.say(snapshot("failed", pushed=True, attempt_id="a1", reason="late"))
    assert ties(play).attempt == "a2"
    assert ties(play).state == "pending"


def test_without_one_attempt_an_old_link_changes_what_is_shown() -> None:
    play = on_telegram("one_attempt")
    play.say(pending("a1", start(play)))
    play.say(pending("a2", start(play)))
    play.say(snapshot("failed", pushed=True, attempt_id="a1", reason="late"))
    assert ties(play).state == "failed"


def test_a_confirmation_that_won_against_the_cancel_counts_rc_88() -> None:
    play = on_telegram()
    play.say(pending("a1", start(play)))
    play.do(Operate("provider.bind.cancel"))
    assert play.last("provider.bind.cancel").attempt_id == "a1"
    assert ties(play).state == "cancelled"
    play.say(confirmed("b1"))
    assert ties(play).state == "confirmed"


def test_the_first_snapshot_after_a_welcome_is_the_authority() -> None:
    play = on_telegram()
    play.say(confirmed("b1", pushed=False))
    assert ties(play).binding.binding == "b1"
    play.say(snapshot("none"))
    assert ties(play).binding.binding == "b1"
    play.close()
    play.pass_time(3)
    play.say(snapshot("none"))
    assert ties(play).binding is None


def test_a_first_snapshot_does_not_undo_what_came_before_it_rc_89() -> None:
    play = on_telegram()
    play.say(pending("a1", start(play)))
    play.say(confirmed("b1"))
    play.say(snapshot("none"))
    assert ties(play).binding.binding == "b1"


def test_a_confirmation_never_replaces_another_binding() -> None:
    play = on_telegram()
    play.say(confirmed("b1", pushed=False))
    play.say(confirmed("b2"))
    assert ties(play).binding.binding == "b1"
    play.say(gone("superseded", "b2"))
    assert ties(play).binding.binding == "b1"
    play.say(gone("superseded", "b1"))
    assert ties(play).binding is None


def test_a_binding_is_remembered_by_the_next_process() -> None:
    play = on_telegram()
    play.say(confirmed("b1", pushed=False))
    play.restart_desktop()
    play.do(Operate("provider.bind.revoke"))
    assert play.last("provider.bind.revoke").binding_id == "b1"


def test_a_foreign_link_makes_the_attempt_fail_hk_123() -> None:
    play = on_telegram()
    play.say(pending("a1", start(play), link="https://t.me.evil.example/somebot?start=x"))
    assert ties(play).state == "failed"
    assert notes(play, "binding")[-1]["reason"] == "invalid-connect-url"
    assert not notes(play, "link")
    open_all = on_telegram("link_allow_list")
    open_all.say(pending("a1", start(open_all), link="https://evil.example/"))
    assert notes(open_all, "link")


@pytest.mark.parametrize(
    ("provider", "url", "good"),
    [
        ("telegram", LINK, True),
        ("telegram", LINK + "a", False),
        ("telegram", LINK.replace("t.me", "t.me@evil"), False),
        ("telegram", LINK.replace("https", "http"), False),
        ("telegram", LINK.replace("somebot", "someone"), False),
        ("telegram", LINK + "\n", False),
        ("slack", LINK, False),
        ("x", "https://x.com/i/oauth2/authorize?state=1", False),
        (
            "x",
            "https://x.com/i/oauth2/authorize?response_type=code&client_id=c&redirect_uri=r"
            "&scope=s&state=t&code_challenge=h&code_challenge_method=S256",
            True,
        ),
        (
            "x",
            "https://x.com/i/oauth2/authorize?response_type=code&client_id=c&redirect_uri=r"
            "&scope=s&state=t&code_challenge=h&code_challenge_method=plain",
            False,
        ),
    ],
)
def test_links_are_opened_in_their_exact_form_only(provider: str, url: str, good: bool) -> None:
    assert may_open(provider, url) is good


def test_an_attempt_is_given_up_after_ten_minutes_at_the_latest() -> None:
    play = on_telegram()
    play.say(pending("a1", start(play), expires_at=1_900_000_000_000))
    play.pass_time(601)
    assert ties(play).state == "expired"
    play.say(confirmed("b1"))
    assert ties(play).binding is None


def test_unknown_actions_do_no_harm_hk_122() -> None:
    play = on_telegram()
    frame = pending("a1", start(play))
    wire = frame.to_wire() | {"actions": ["dance", "cancel"]}
    play.say(type(frame).from_wire(wire))
    assert ties(play).state == "pending"


def test_slack_frames_on_the_telegram_lane_are_dropped() -> None:
    play = on_telegram()
    play.say(bind_update("confirmed", slack_user_id="U"))
    assert not notes(play, "binding")


# ---- Slack ---------------------------------------------------------------------


def bind_update(state: str, **fields: Any) -> BindUpdate:
    usual: dict[str, Any] = {"slack_user_id": None, "slack_user_name": None, "message": None}
    return BindUpdate(state=state, **{**usual, **fields})


def teams(*names: str) -> BindState:
    return BindState(
        bindings=tuple(
            SlackBinding(team_id=n, team_name=None, slack_user_id="U", slack_user_name=None)
            for n in names
        )
    )


def team_ids(rows: Any) -> list[str]:
    return [row.team_id for row in rows]


OLD = ("turn-reopen-v1",)


def test_the_latest_list_of_teams_replaces_the_one_before_hk_96() -> None:
    play = Play()
    play.say(teams("T1", "T2"))
    play.say(teams("T2"))
    assert team_ids(ties(play).rows) == ["T2"]
    assert team_ids(ties(play).displaced) == ["T1"]
    merging = Play(rules_off=("bind_state_replaces",))
    merging.say(teams("T1", "T2"))
    merging.say(teams("T2"))
    assert team_ids(ties(merging).rows) == ["T1", "T2"]


def test_a_superseded_team_is_displaced_and_the_socket_stays_rc_85() -> None:
    play = Play()
    play.say(teams("T1", "T2"))
    play.say(bind_update("revoked", team_id="T1", reason="superseded"))
    play.say(bind_update("revoked", team_id="T2"))
    assert team_ids(ties(play).rows) == []
    assert team_ids(ties(play).displaced) == ["T1"]
    assert play.desktop().lanes["slack"].is_ready


def test_a_list_of_teams_means_nothing_without_multi_team_hk_98_hk_99() -> None:
    play = Play(features=OLD)
    play.say(teams("T1"))
    assert play.desktop().lanes["slack"].ties is None
    assert play.desktop().lanes["slack"].is_ready


def test_bind_start_is_empty_and_names_a_team_with_multi_team_only_hk_86() -> None:
    for features, team in ((OLD, None), (("multi-team",), "T1")):
        play = Play(features=features)
        play.do(Operate("bind.start", {"teamId": "T1", "email": "a@b"}))
        assert play.last("bind.start").to_wire() == ({} if team is None else {"teamId": team})


def test_bind_revoke_has_fields_with_multi_team_only_hk_95() -> None:
    old, new = Play(features=OLD), Play()
    for play in (old, new):
        play.do(Operate("bind.revoke", {"teamId": "T1"}))
        play.do(Operate("bind.revoke", {"pendingOnly": True}))
    assert [b.to_wire() for b in old.frames("bind.revoke")] == [{}]
    assert [b.to_wire() for b in new.frames("bind.revoke")] == [
        {"teamId": "T1"},
        {"pendingOnly": True},
    ]
    without = Play(features=OLD, rules_off=("revoke_by_team",))
    without.do(Operate("bind.revoke", {"teamId": "T1"}))
    assert without.last("bind.revoke").to_wire() == {"teamId": "T1"}


@pytest.mark.parametrize("state", ["revoked", "denied", "expired", "failed", "none"])
def test_an_old_server_without_a_binding_ends_the_connection(state: str) -> None:
    play = Play(features=OLD)
    play.say(bind_update("confirmed", slack_user_id="U"))
    play.say(bind_update(state, message="no"))
    play.pass_time(100)
    assert len(play.sockets) == 1
    assert play.closed
    play.do(Toggle(on=True), 3)
    assert len(play.sockets) == 2


def test_a_missing_app_is_waited_for_by_its_reason_hk_91() -> None:
    for message in ("install it", "other words"):
        play = Play(features=OLD)
        play.say(bind_update("failed", message=message, reason="not-installed"))
        assert play.desktop().lanes["slack"].is_ready
        play.pass_time(590)
        assert play.desktop().lanes["slack"].is_ready
        play.pass_time(20)
        assert play.desktop().lanes["slack"].is_off
    other = Play(features=OLD)
    other.say(bind_update("failed", message="install it", reason="new-reason"))
    assert other.desktop().lanes["slack"].is_off


def test_a_sign_in_is_given_up_after_three_minutes() -> None:
    play = Play(features=OLD)
    play.say(bind_update("pending", authorize_url="https://slack.com/x"))
    play.pass_time(170)
    assert not play.desktop().lanes["slack"].is_off
    play.pass_time(15)
    assert play.desktop().lanes["slack"].is_off
    several = Play()
    several.say(bind_update("pending", authorize_url="https://slack.com/x"))
    several.pass_time(200)
    assert not several.desktop().lanes["slack"].is_off
    assert not ties(several).is_pending


def test_switching_on_binds_by_itself_when_the_server_knows_of_no_binding() -> None:
    play = Play()
    play.do(Toggle(on=False))
    play.do(Toggle(on=True), 2)
    play.forget()
    play.say(teams(), 0.2)
    assert not play.frames("bind.start")
    play.pass_time(0.3)
    assert len(play.frames("bind.start")) == 1


def test_a_sign_in_that_is_under_way_is_not_begun_again() -> None:
    play = Play()
    play.do(Toggle(on=False))
    play.do(Toggle(on=True), 2)
    play.say(teams(), 0.1)
    play.say(bind_update("pending", authorize_url="https://slack.com/x"), 2)
    assert not play.frames("bind.start")


def test_switching_off_voids_the_sign_in_only_hk_94() -> None:
    play = Play()
    play.forget()
    play.do(Toggle(on=False))
    assert [b.to_wire() for b in play.frames()] == [{"pendingOnly": True}]
    play.pass_time(100)
    assert len(play.sockets) == 1
    play.restart_desktop(10)
    assert len(play.sockets) == 1


def test_a_running_task_ends_though_its_channel_is_off_and_a_waiting_one_fails() -> None:
    play = Play()
    play.dispatch("R1")
    play.dispatch("R2")
    play.do(Toggle(on=False))
    play.do(AgentEnds(text="done", request="R1"))
    play.do(Toggle(on=True), 3)
    assert play.last("turn.end", "R1").final_text == "done"
    assert play.last("turn.end", "R2").status == "error"
