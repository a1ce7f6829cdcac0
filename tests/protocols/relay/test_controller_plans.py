"""How long a controller waits, and how often it tries: retries, timeouts, scripts."""

from __future__ import annotations

from typing import Any

import pytest

from sim.protocols.relay import (
    make_lock_acquired,
)
from sim.protocols.relay.acts import (
    LockTab,
    RefreshToken,
    SendCommand,
    SignIn,
)
from tests.protocols.relay.peer_play import LIST, ControllerPlay, answer, fail

POSTS = {"site": "reddit.com", "command": "getPosts", "input": {"minReturnedPosts": 20}}
POLICY = {
    "defaultMs": 60_000,
    "scaling": {
        "inputField": "minReturnedPosts",
        "baseMs": 45_000,
        "perUnitMs": 2_000,
        "minMs": 45_000,
        "maxMs": 300_000,
    },
}


def described(play: ControllerPlay) -> None:
    """The controller learns the timeoutPolicy of getPosts."""
    play.do(LIST)
    one = {"site": "Reddit.com", "id": "getPosts", "displayName": "G", "description": "g"}
    answer(play, "list", {"commands": [{**one, "timeoutPolicy": POLICY}, one, 7]})


def timeouts(play: ControllerPlay) -> list[Any]:
    return [w["payload"].get("timeoutMs") for w in play.heard("command")]


# -- trying again


def test_a_retryable_error_is_tried_again_with_the_same_key_and_a_new_id_and_nonce() -> None:
    play = ControllerPlay()
    play.do(SendCommand("command.list", request="a", retries=1, idempotency_key="k"))
    fail(play, "a", "node_offline", 950, retryable=True)
    assert len(play.heard("command")) == 1
    play.wait(100)
    first, second = play.heard("command")
    assert second["requestId"] != "a"
    assert second["payload"]["idempotencyKey"] == "k"
    assert second["payload"]["replayNonce"] != first["payload"]["replayNonce"]
    answer(play, second["requestId"])
    assert play.peer.outcome("a").is_good
    assert play.notes("outcome")[0]["retried"] == second["requestId"]


def test_a_lost_socket_is_a_reason_to_try_again_on_the_next_one() -> None:
    play = ControllerPlay()
    play.do(SendCommand("command.list", request="a", retries=1))
    play.hang_up(5_000)
    first, second = play.heard("command")
    assert first["payload"]["idempotencyKey"] == second["payload"]["idempotencyKey"] != ""


def test_a_second_try_waits_for_the_session_even_if_the_first_was_early() -> None:
    play = ControllerPlay(greets=False)
    play.do(SendCommand("command.list", request="a", retries=1, early=True))
    play.hang_up(5_000)
    assert len(play.sockets) == 2
    assert [w["requestId"] for w in play.heard("command")] == ["a"]


def test_what_is_not_retryable_or_was_tried_often_enough_is_over() -> None:
    play = ControllerPlay()
    play.do(SendCommand("command.list", request="a", retries=1))
    fail(play, "a", "command_failed", 5_000)
    assert len(play.heard("command")) == 1
    play.do(SendCommand("command.list", request="b", retries=1))
    fail(play, "b", "node_offline", 5_000, retryable=True)
    again = play.heard("command")[-1]["requestId"]
    fail(play, again, "node_offline", 5_000, retryable=True)
    assert len(play.heard("command")) == 3
    assert play.peer.outcome("b").request == again


def test_without_retry_keeps_key_the_node_cannot_know_the_retry() -> None:
    play = ControllerPlay("retry_keeps_key")
    play.do(SendCommand("command.list", request="a", retries=1, idempotency_key="k"))
    play.hang_up(5_000)
    first, second = play.heard("command")
    assert first["payload"]["idempotencyKey"] == "k"
    assert second["payload"].get("idempotencyKey") != "k"


# -- timeouts


def test_the_budget_comes_from_the_policy_of_a_command_that_is_known() -> None:
    play = ControllerPlay()
    play.do(SendCommand("command.run", POSTS))
    described(play)
    play.do(SendCommand("command.run", POSTS))
    play.do(SendCommand("command.test", {**POSTS, "input": {"minReturnedPosts": 200}}))
    play.do(SendCommand("command.reddit_posts", {"input": {}}))
    play.do(SendCommand("command.run", {"site": "reddit.com", "command": "other"}))
    play.do(SendCommand("primitive.tab.query", POSTS))
    assert timeouts(play) == [None, None, 85_000, 300_000, 60_000, None, None]


def test_what_the_user_says_goes_before_the_policy_thirty_thousand_included() -> None:
    play = ControllerPlay()
    described(play)
    for explicit in (30_000, 1_000, 0):
        play.do(SendCommand("command.run", POSTS, timeout_ms=explicit))
    assert timeouts(play)[1:] == [30_000, 1_000, 0]


def test_policies_are_those_of_one_node() -> None:
    play = ControllerPlay()
    described(play)
    play.do(SendCommand("command.run", POSTS, node="node_beta"))
    assert timeouts(play)[-1] is None


def test_without_the_rules_of_timeouts() -> None:
    deaf, stubborn = ControllerPlay("timeout_from_policy"), ControllerPlay("explicit_timeout_wins")
    for play in (deaf, stubborn):
        described(play)
        play.do(SendCommand("command.run", POSTS))
        play.do(SendCommand("command.run", POSTS, timeout_ms=7_000))
    assert timeouts(deaf)[1:] == [None, 7_000]
    assert timeouts(stubborn)[1:] == [85_000, 85_000]


# -- the script


def test_a_script_is_done_step_by_step_each_after_the_end_of_the_one_before() -> None:
    script = (
        SendCommand("command.list", request="a"),
        LockTab("tab_1"),
        SendCommand("command.list", request="c"),
    )
    play = ControllerPlay(script=script)
    assert [w["messageType"] for w in play.heard()][2:] == ["command"]
    answer(play, "a")
    lock = play.heard("tab_lock")[0]["requestId"]
    assert len(play.heard("command")) == 1
    fail(play, lock, "tab_locked")
    assert [w["requestId"] for w in play.heard("command")] == ["a", "c"]


def test_a_lock_that_was_granted_is_an_end_too() -> None:
    play = ControllerPlay(script=(LockTab("tab_1", request="lock"), LIST))
    frame = make_lock_acquired(
        target_node_id="node_alpha",
        tab_session_id="tab_1",
        lock_owner_controller_id="ctl_1",
        lock_lease_ms=2_000,
        lock_expires_at=1_767_225_602_000,
        request_id="lock",
    )
    assert play.heard("command") == []
    play.say(frame)
    assert [w["requestId"] for w in play.heard("command")] == ["list"]


def test_a_script_goes_on_after_a_call_that_was_given_up_and_waits_for_its_retries() -> None:
    script = (SendCommand("command.list", request="a", retries=1), LockTab("tab_1"))
    play = ControllerPlay(script=script)
    fail(play, "a", "node_offline", 3_000, retryable=True)
    assert play.heard("tab_lock") == []
    play.wait(36_000)
    assert len(play.heard("tab_lock")) == 1


def test_what_both_roles_can_do_stands_in_scripts_too() -> None:
    play = ControllerPlay(script=(RefreshToken(), LIST), refresh_token="rt")
    assert [w["messageType"] for w in play.heard()][2:] == ["refresh", "command"]


def test_a_controller_can_do_nothing_of_a_node() -> None:
    play = ControllerPlay()
    with pytest.raises(LookupError, match=r"P is a controller and cannot .*it can SendCommand"):
        play.do(SignIn("mail.example"))


def test_a_refresh_without_a_token_is_not_sent() -> None:
    play = ControllerPlay()
    play.do(RefreshToken())
    assert play.heard("refresh") == []
    assert play.notes("not-sent") == [{"act": "refresh"}]


def test_only_the_last_two_hundred_ends_are_remembered() -> None:
    play = ControllerPlay()
    for n in range(202):
        play.do(SendCommand("command.list", request=f"r{n}"), 1)
    play.wait(30)
    for n in range(202):
        answer(play, f"r{n}", ms=0)
    play.wait(30)
    assert play.peer.outcome("r1") is None
    assert play.peer.outcome("r2").is_good
    assert play.peer.outcome("r201").is_good
    assert len(play.outcomes()) == 202
