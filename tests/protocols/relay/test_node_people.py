"""Tabs and their owners at the node, the person at its browser, and what befalls it."""

from __future__ import annotations

from typing import Any

import pytest

from sim.protocols.relay.acts import (
    CloseTab,
    DeclineSignIn,
    FailNext,
    ReportProgress,
    SignIn,
    SignOut,
    SlowDown,
)
from sim.protocols.relay.browser.outcome import Refusal
from sim.protocols.relay.node import jobs
from tests.protocols.relay.peer_play import NodePlay

MAIL = "https://mail.example/inbox"
INBOX = {"site": "mail.example", "command": "getInbox"}


def events(play: NodePlay, type: str) -> list[dict[str, Any]]:
    return [w["payload"] for w in play.heard("event") if w["payload"]["type"] == type]


# -- owners


def test_the_cleanup_closes_the_tabs_of_its_owner_and_no_others() -> None:
    play = NodePlay()
    play.open("a", owner="ctl_1")
    play.open("b", owner="ctl_2")
    play.open("c", owner="ctl_1")
    play.close_owned("ctl_1")
    assert play.end("cleanup")["durationMs"] == 0
    data = play.end("cleanup")["data"]
    assert (data["closedCount"], data["missingCount"], data["totalOwnedSessions"]) == (2, 0, 2)
    assert play.tabs() == ["tab_2"]


def test_the_cleanup_is_the_relays_alone() -> None:
    play = NodePlay()
    play.open(owner="ctl_1")
    payload = {"controllerClientId": "ctl_1"}
    play.command("x", "primitive.tab.close_owned", payload)
    assert play.code("x") == "forbidden_action"
    assert play.tabs() == ["tab_1"]


def test_the_cleanup_waits_for_nothing_that_is_at_work() -> None:
    play = NodePlay()
    play.open(owner="ctl_1")
    play.run("x", "wait", {"ms": 5_000}, tab="tab_1", ms=10)
    play.close_owned("ctl_1")
    assert play.end("cleanup")["data"]["closedCount"] == 1
    play.wait(6_000)
    assert play.code("x") == "tab_session_closed"


def test_a_tab_that_is_still_loading_closes_as_soon_as_it_exists() -> None:
    play = NodePlay()
    play.command(
        "open",
        "primitive.tab.open",
        {"url": "https://slow.example/", "__controllerClientId": "ctl_1"},
        ms=100,
    )
    play.close_owned("ctl_1")
    assert play.end("cleanup")["data"]["totalOwnedSessions"] == 0
    play.wait(9_000)
    assert play.code("open") == "tab_session_closed"
    assert play.tabs() == []


def test_without_that_an_orphan_stays_open() -> None:
    play = NodePlay("no_tab_after_cleanup")
    play.command(
        "open",
        "primitive.tab.open",
        {"url": "https://slow.example/", "__controllerClientId": "ctl_1"},
        ms=100,
    )
    play.close_owned("ctl_1", ms=9_000)
    assert play.tabs() == ["tab_1"]


def test_without_owners_the_cleanup_closes_nothing_and_without_care_everything() -> None:
    careless, forgetful = NodePlay("only_own_tabs_close"), NodePlay("owner_kept_per_tab")
    for play in (careless, forgetful):
        play.open("a", owner="ctl_1")
        play.open("b", owner="ctl_2")
        assert play.tabs() == ["tab_1", "tab_2"]
        play.close_owned("ctl_1")
    assert careless.tabs() == []
    assert forgetful.tabs() == ["tab_1", "tab_2"]


def test_tabs_and_owners_outlive_the_socket_and_the_process() -> None:
    play = NodePlay()
    play.open(owner="ctl_1")
    play.hang_up(3_000)
    assert play.tabs() == ["tab_1"]
    play.crash()
    play.close_owned("ctl_1")
    assert play.end("cleanup")["data"]["closedCount"] == 1
    play.open("again")
    assert play.end("again")["data"]["tabSessionId"] == "tab_2"


def test_a_tab_that_the_person_has_closed_counts_as_missing() -> None:
    play = NodePlay()
    play.open(owner="ctl_1")
    play.do(CloseTab("tab_1"))
    play.do(CloseTab("tab_1"))
    assert play.notes("no-such-tab") == [{"tab": "tab_1"}]
    play.close_owned("ctl_1")
    assert play.end("cleanup")["data"]["missingCount"] == 1


# -- people and faults


def test_a_command_that_needs_somebody_waits_for_the_sign_in_and_says_so() -> None:
    play = NodePlay()
    play.open(url=MAIL)
    play.command("x", "command.run", INBOX, tab="tab_1", ms=30_000)
    assert play.ends("x") == []
    (asked,) = events(play, "login_required")
    assert (asked["site"], asked["tabSessionId"]) == ("mail.example", "tab_1")
    play.do(SignIn("mail.example"), 200)
    assert play.end("x")["data"]["messages"]


def test_who_declines_ends_what_has_waited_and_the_next_one_may_ask_again() -> None:
    play = NodePlay()
    play.open(url=MAIL)
    play.command("x", "command.run", INBOX, tab="tab_1")
    play.do(DeclineSignIn("mail.example"), 200)
    assert play.code("x") == "manual_login_required"
    play.command("y", "command.run", INBOX, tab="tab_1")
    assert play.ends("y") == []
    assert len(events(play, "login_required")) == 2


def test_who_has_declined_is_not_remembered_for_a_command_that_fails_otherwise() -> None:
    play = NodePlay()
    play.open(url=MAIL)
    play.command("x", "command.run", INBOX, tab="tab_1")
    play.do(FailNext("bridge_failure"))
    play.do(DeclineSignIn("mail.example"), 200)
    assert play.code("x") == "bridge_failure"
    assert play.peer.browser.login("mail.example").declined == []


def test_a_tab_that_closes_under_a_hand_over_ends_what_waited_in_it() -> None:
    play = NodePlay()
    play.open(url=MAIL)
    play.command("x", "command.run", INBOX, tab="tab_1")
    play.do(CloseTab("tab_1"), 200)
    assert play.code("x") == "tab_session_closed"


def test_a_cancel_ends_a_hand_over_and_the_tab_leaves_the_entrance() -> None:
    play = NodePlay(signed_in=("mail.example",))
    play.open(url=MAIL)
    play.do(SignOut("mail.example"))
    play.command("x", "command.run", INBOX, tab="tab_1")
    play.cancel("x")
    assert play.code("x") == "command_cancelled"
    assert play.peer.browser.login("mail.example").state == "SIGNED_OUT"


def test_who_has_signed_in_is_signed_in_after_a_crash_too() -> None:
    play = NodePlay()
    play.do(SignIn("mail.example"))
    play.crash()
    play.open(url=MAIL)
    assert play.end("open")["data"]["url"] == MAIL


def test_a_slow_browser_is_slow_for_the_actions_that_were_meant() -> None:
    play = NodePlay(thinks_ms=3)
    play.do(SlowDown(100, "command.list"))
    play.command("x", "command.list")
    play.run("y", "noop")
    assert play.end("x")["durationMs"] == 108
    assert play.end("y")["durationMs"] == 53


def test_a_browser_fails_as_often_as_it_was_told_to() -> None:
    play = NodePlay()
    play.do(FailNext("bridge_failure", "gone", times=2))
    for name in "abc":
        play.run(name, "countUp")
    assert [play.code(name) for name in "abc"] == ["bridge_failure", "bridge_failure", ""]
    assert play.peer.browser.counters == {"default": 1}


def test_an_unknown_code_is_no_way_to_fail() -> None:
    play = NodePlay()
    with pytest.raises(LookupError, match="cannot fail with 'nonsense'; codes are not_initialized"):
        play.do(FailNext("nonsense"))


def test_progress_goes_out_under_the_request_id_of_its_command() -> None:
    play = NodePlay()
    play.do(ReportProgress("x", {"type": "progress", "percent": 40}))
    (event,) = play.heard("event")
    assert (event["requestId"], event["senderRole"]) == ("x", "node")
    assert event["payload"] == {"type": "progress", "percent": 40}


def test_a_plan_with_a_tab_that_leads_nowhere_is_refused() -> None:
    play = NodePlay(tabs=(("t1", "https://nowhere.example/", ""),), start=False)
    with pytest.raises(Refusal, match=r"no host nowhere\.example"):
        play.world.boot("P")


def test_a_hand_over_leads_the_tab_to_the_entrance_and_that_outlives_a_crash() -> None:
    play = NodePlay(signed_in=("mail.example",))
    play.open(url=MAIL)
    play.do(SignOut("mail.example"))
    play.command("x", "command.run", INBOX, tab="tab_1")
    play.crash()
    play.command("q", "primitive.tab.query", tab="tab_1")
    (tab,) = play.end("q")["data"]["tabSessions"].values()
    assert tab["url"] == "https://mail.example/login"
    play.do(SignIn("mail.example"))
    play.command("r", "primitive.tab.query", tab="tab_1")
    (tab,) = play.end("r")["data"]["tabSessions"].values()
    assert tab["url"] == MAIL


def test_a_listener_hears_the_entrance_to_which_a_hand_over_leads_its_tab() -> None:
    play = NodePlay(signed_in=("mail.example",))
    play.open(url=MAIL)
    play.do(SignOut("mail.example"))
    play.subscribe("sub", "tab_1", "mail.example", ms=500)
    before = len(play.updates("sub"))
    play.command("x", "command.run", INBOX, tab="tab_1")
    assert [one["data"]["url"] for one in play.updates("sub")[before:]] == [
        "https://mail.example/login"
    ]


def test_a_timer_that_was_overtaken_does_nothing() -> None:
    play = NodePlay(tabs=(("t1", "https://example.com/", ""),))
    play.run("x", "wait", {"ms": 5_000}, tab="t1", ms=100)
    play.hang_up(1_500)
    play.run("y", "countUp", tab="t1", ms=100)
    for name in ("y", "ghost"):
        play.world.start(play.host, jobs.done(play.peer, name), "overtaken", -1)
        play.wait(50)
    assert play.peer.browser.counters == {}
    assert play.ends("y") == []


def test_nothing_is_in_the_making_once_all_commands_have_ended() -> None:
    play = NodePlay()
    play.open()
    play.open("bad", url="https://broken.example/")
    play.run("x", "noop")
    play.do(FailNext())
    play.open("failed")
    assert play.peer.browser.openings == {}
