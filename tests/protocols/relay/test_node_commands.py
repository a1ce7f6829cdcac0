"""A command at the node: its time, its effect, its one end; cancels, and what outlives a socket."""

from __future__ import annotations

from sim.protocols.relay.acts import (
    HangNext,
    RefuseCancels,
    SlowDown,
)
from sim.protocols.relay.peer.entrance import as_written
from tests.protocols.relay.peer_play import NodePlay

MAIL = "https://mail.example/inbox"
INBOX = {"site": "mail.example", "command": "getInbox"}


def test_a_command_takes_the_time_of_its_page_and_ends_in_one_result() -> None:
    play = NodePlay()
    play.open()
    end = play.end("open")
    assert end["ok"] is True
    assert end["commandOutcome"] == "completed"
    assert end["durationMs"] == 120
    assert end["data"] == {"tabId": 1, "tabSessionId": "tab_1", "url": "https://example.com/"}


def test_tabs_are_called_in_the_order_in_which_they_were_asked_for() -> None:
    play = NodePlay()
    play.command("slow", "primitive.tab.open", {"url": "https://slow.example/"}, ms=10)
    play.command("fast", "primitive.tab.open", {"url": "https://example.com/"}, ms=9_000)
    assert play.end("slow")["data"]["tabSessionId"] == "tab_1"
    assert play.end("fast")["data"]["tabSessionId"] == "tab_2"


def test_a_new_tab_never_takes_the_name_of_one_that_is_or_was_there() -> None:
    play = NodePlay(tabs=(("tab_1", "https://example.com/", ""),))
    play.command("close", "primitive.tab.close", tab="tab_1")
    play.open()
    assert play.end("open")["data"]["tabSessionId"] == "tab_2"


def test_a_failure_is_an_error_with_code_stage_and_hint() -> None:
    play = NodePlay()
    play.command("x", "primitive.dom.extract_text", tab="tab_9")
    end = play.end("x")
    assert end["category"] == "execution"
    assert end["code"] == "unknown_tab_session"
    assert end["nodeId"] == "node_alpha"
    assert end["tabSessionId"] == "tab_9"
    assert end["actionableHint"] == "query the tabs"
    assert "retryable" not in end


def test_a_command_for_another_node_is_not_carried_out() -> None:
    play = NodePlay()
    play.command("x", "primitive.tab.open", {"url": "https://example.com/"}, target="node_beta")
    assert play.code("x") == "node_mismatch"
    assert play.tabs() == []


def test_a_command_that_breaks_its_declaration_is_answered_all_the_same() -> None:
    play = NodePlay()
    frame = as_written(
        {
            "protocolVersion": "1.0",
            "messageType": "command",
            "requestId": "x",
            "timestamp": "2026-11-30T00:00:00Z",
            "senderRole": "controller",
            "payload": {"targetNodeId": "node_alpha", "action": "command.list", "payload": {}},
        }
    )
    play.say(frame)
    assert play.code("x") == "missing_replay_nonce"


def test_the_same_request_id_twice_in_one_session_runs_once() -> None:
    play = NodePlay()
    play.run("x", "countUp", ms=1)
    play.run("x", "countUp", ms=200)
    assert play.notes("command-repeated") == [{"request": "x"}]
    assert play.end("x")["data"]["sideEffectNo"] == 1
    assert play.peer.browser.counters == {"default": 1}


def test_two_commands_of_different_tabs_are_at_work_at_once() -> None:
    tabs = (("t1", "https://example.com/", ""), ("t2", "https://example.com/", ""))
    play = NodePlay(tabs=tabs)
    play.run("a", "wait", {"ms": 1000}, tab="t1", ms=1)
    play.run("b", "wait", {"ms": 1000}, tab="t2", ms=1_040)
    assert play.end("a")["durationMs"] == play.end("b")["durationMs"] == 1000


def test_the_old_name_of_get_posts_does_the_same_as_command_run() -> None:
    play = NodePlay()
    inputs = {"minReturnedPosts": 3}
    play.command("old", "command.reddit_posts", {"input": inputs})
    posts = {"site": "reddit.com", "command": "getPosts", "input": inputs}
    play.command("new", "command.run", posts)
    assert play.end("old")["data"] == play.end("new")["data"]


def test_without_the_alias_old_scripts_fail() -> None:
    play = NodePlay("alias_is_kept")
    play.command("old", "command.reddit_posts", {})
    play.run("new", "noop")
    assert (play.code("old"), play.code("new")) == ("unsupported_action", "")


def test_a_command_without_test_hook_is_tested_by_carrying_it_out() -> None:
    payload = {"site": "example.com", "command": "countUp"}
    play = NodePlay()
    play.command("t", "command.test", payload)
    assert play.end("t")["data"]["sideEffectNo"] == 1
    without = NodePlay("test_falls_back", tabs=(("t1", "https://chat.example/room/quay", ""),))
    without.command("t", "command.test", payload)
    hooked = {"site": " Chat.Example ", "command": "watchMessages"}
    without.command("u", "command.test", hooked, tab="t1")
    without.command("v", "command.test", {"site": "example.com", "command": "none"})
    without.run("w", "countUp")
    codes = [without.code(name) for name in "tuvw"]
    assert codes == ["unsupported_action", "", "unknown_command", ""]


# -- cancels


def test_a_cancelled_command_ends_at_once_and_never_has_its_effect() -> None:
    play = NodePlay()
    play.do(SlowDown(1000))
    play.run("x", "countUp", ms=100)
    play.cancel("x")
    assert play.code("x") == "command_cancelled"
    assert play.end("x")["retryable"] is True
    assert ("work", "x") not in play.host.timers
    play.wait(3_000)
    assert play.peer.browser.counters == {}
    assert len(play.ends("x")) == 1


def test_a_cancel_that_comes_after_the_end_is_ignored() -> None:
    play = NodePlay()
    play.run("x", "countUp")
    play.cancel("x")
    assert len(play.ends("x")) == 1
    assert play.end("x")["ok"] is True
    assert play.notes("cancel-ignored") == [{"target": "x"}]


def test_a_cancel_does_not_hit_the_next_command_of_the_tab() -> None:
    play = NodePlay(tabs=(("t1", "https://example.com/", ""),))
    play.run("x", "countUp", tab="t1")
    play.run("y", "wait", {"ms": 500}, tab="t1", ms=10)
    play.cancel("x", ms=1_000)
    assert play.end("y")["ok"] is True


def test_a_tab_that_was_cancelled_while_it_loaded_does_not_open() -> None:
    play = NodePlay()
    play.command("open", "primitive.tab.open", {"url": "https://slow.example/"}, ms=100)
    play.cancel("open", ms=9_000)
    assert play.code("open") == "command_cancelled"
    assert play.tabs() == []
    assert play.peer.browser.openings == {}


def test_what_cannot_be_stopped_says_so_and_ends_by_itself() -> None:
    play = NodePlay()
    play.do(RefuseCancels())
    play.run("x", "wait", {"ms": 500}, ms=100)
    play.cancel("x", "c1")
    (rejected,) = play.heard("event")
    assert rejected["requestId"] == "c1"
    assert rejected["payload"]["targetRequestId"] == "x"
    assert play.ends("x") == []
    play.wait(600)
    assert play.end("x")["ok"] is True


def test_a_command_that_hangs_ends_by_its_cancel_alone() -> None:
    play = NodePlay()
    play.do(HangNext("command.run"))
    play.run("x", "noop", ms=60_000)
    assert play.ends("x") == []
    play.run("y", "noop")
    assert play.end("y")["ok"] is True
    play.cancel("x")
    assert play.code("x") == "command_cancelled"


def test_without_cancel_is_answered_the_tab_waits_for_ever() -> None:
    play = NodePlay("cancel_is_answered")
    play.run("x", "wait", {"ms": 500}, ms=100)
    play.cancel("x", ms=2_000)
    assert play.ends("x") == []


def test_without_cancel_stops_work_the_click_happens_after_all() -> None:
    play = NodePlay("cancel_stops_work")
    play.do(SlowDown(500))
    play.run("x", "countUp", ms=100)
    play.cancel("x", ms=2_000)
    assert play.code("x") == "command_cancelled"
    assert play.peer.browser.counters == {"default": 1}


def test_without_one_answer_a_late_cancel_makes_a_second_end() -> None:
    play = NodePlay("one_answer_per_command")
    play.run("x", "countUp")
    play.cancel("x")
    assert [end.get("code", "") for end in play.ends("x")] == ["", "command_cancelled"]


# -- what outlives a socket


def test_work_runs_on_without_its_socket_and_its_answer_reaches_nobody_else() -> None:
    play = NodePlay()
    play.do(SlowDown(4_000))
    play.run("x", "countUp", ms=100)
    play.hang_up(6_000)
    assert play.peer.is_ready
    assert play.peer.browser.counters == {"default": 1}
    assert play.ends("x") == []
    assert play.notes("answer-dropped") == [{"request": "x", "action": "command.run"}]


def test_a_request_id_of_a_lost_session_may_be_used_anew_and_gets_its_own_answer() -> None:
    play = NodePlay()
    play.do(SlowDown(3_000, "command.run"))
    play.run("x", "countUp", ms=100)
    play.hang_up(2_000)
    play.command("x", "command.list", ms=5_000)
    assert play.end("x")["action"] == "command.list"


def test_without_that_a_stale_answer_ends_the_wrong_command() -> None:
    play = NodePlay("answers_stay_in_session")
    play.do(SlowDown(3_000, "command.run"))
    play.run("x", "countUp", ms=100)
    play.hang_up(6_000)
    assert play.end("x")["action"] == "command.run"


def test_a_tab_takes_no_new_work_while_that_of_a_lost_session_goes_on() -> None:
    play = NodePlay(tabs=(("t1", "https://example.com/", ""),))
    play.run("x", "wait", {"ms": 5_000}, tab="t1", ms=100)
    play.hang_up(2_000)
    play.run("y", "noop", tab="t1", ms=500)
    assert play.ends("y") == []
    play.wait(3_000)
    assert play.end("y")["ok"] is True


def test_without_that_two_commands_run_in_one_tab() -> None:
    play = NodePlay("one_at_a_time_in_tab", tabs=(("t1", "https://example.com/", ""),))
    play.run("x", "wait", {"ms": 5_000}, tab="t1", ms=100)
    play.hang_up(2_000)
    play.run("y", "noop", tab="t1", ms=500)
    assert play.end("y")["ok"] is True


def test_what_waits_in_a_tab_can_be_cancelled_there() -> None:
    play = NodePlay(tabs=(("t1", "https://example.com/", ""),))
    play.run("x", "wait", {"ms": 5_000}, tab="t1", ms=100)
    play.hang_up(2_000)
    play.run("y", "countUp", tab="t1", ms=100)
    play.run("z", "noop", tab="t1", ms=100)
    play.cancel("y")
    assert play.code("y") == "command_cancelled"
    play.wait(5_000)
    assert play.end("z")["ok"] is True
    assert play.peer.browser.counters == {}
    assert play.peer.queues == play.peer.jobs == {}


def test_what_hangs_or_waits_for_a_person_ends_with_its_socket_and_frees_the_tab() -> None:
    play = NodePlay()
    play.open(url=MAIL)
    play.command("x", "command.run", INBOX, tab="tab_1")
    play.hang_up(3_000)
    assert play.peer.jobs == {}
    assert play.peer.browser.login("mail.example").waiting == []
    play.command("y", "primitive.tab.navigate", {"url": "https://example.com/"}, tab="tab_1")
    assert play.end("y")["ok"] is True
