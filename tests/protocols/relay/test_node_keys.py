"""Commands with an idempotencyKey at the node: one effect, and an answer for each (DR-21)."""

from __future__ import annotations

import pytest

from sim.protocols.relay.acts import HangNext, SlowDown
from sim.world import fault
from tests.protocols.relay.peer_play import NodePlay


def effects(play: NodePlay) -> int:
    return play.peer.browser.counters.get("default", 0)


def test_a_retry_is_answered_under_its_own_id_and_has_no_second_effect() -> None:
    play = NodePlay()
    play.run("x", "countUp", key="pay-1")
    play.run("y", "countUp", key="pay-1")
    assert effects(play) == 1
    assert (
        play.end("x")["data"]
        == play.end("y")["data"]
        == {
            "counter": "default",
            "sideEffectNo": 1,
        }
    )


def test_a_retry_waits_for_the_first_that_is_still_at_work() -> None:
    play = NodePlay()
    play.do(SlowDown(1_000))
    play.run("x", "countUp", key="pay-1", ms=100)
    play.run("y", "countUp", key="pay-1", ms=100)
    assert play.ends("y") == []
    play.wait(1_500)
    assert effects(play) == 1
    assert play.end("y")["data"]["sideEffectNo"] == 1
    assert play.peer.jobs == {}


def test_a_key_counts_without_the_blanks_around_it_and_an_empty_one_is_none() -> None:
    play = NodePlay()
    play.run("a", "countUp", key="pay-1")
    play.run("b", "countUp", key=" pay-1 ")
    assert effects(play) == 1
    play.run("c", "countUp", key="  ")
    play.run("d", "countUp", key="  ")
    assert effects(play) == 3


def test_errors_are_kept_like_results() -> None:
    play = NodePlay()
    play.run("x", "fail", {"message": "no"}, key="k")
    play.run("y", "fail", {"message": "no"}, key="k")
    assert play.end("x")["message"] == play.end("y")["message"] == "no"


@pytest.mark.parametrize("other", [{"counter": "b"}, None])
def test_the_same_key_for_something_else_is_a_conflict(other: object) -> None:
    play = NodePlay()
    play.run("x", "countUp", {"counter": "a"}, key="k")
    play.run("y", "countUp", other, key="k")
    assert play.code("y") == "idempotency_conflict"
    assert play.end("y")["category"] == "validation"
    assert play.peer.browser.counters == {"a": 1}


def test_an_outcome_is_kept_for_300_seconds_and_not_longer() -> None:
    play = NodePlay()
    play.run("x", "countUp", key="k", ms=100)
    play.wait(299_000)
    play.run("y", "countUp", key="k")
    assert effects(play) == 1
    play.wait(2_000)
    play.run("z", "countUp", key="k")
    assert effects(play) == 2
    assert [key for key, _ in play.host.store.items("ledger/")] == ["ledger/k"]


def test_the_row_of_a_forgotten_outcome_is_erased_even_by_a_command_that_does_not_run() -> None:
    play = NodePlay()
    play.run("x", "countUp", key="old", ms=100)
    play.wait(100_000)
    play.run("y", "countUp", key="new", ms=100)
    play.wait(201_000)
    play.run("z", "countUp", key="new")
    assert [key for key, _ in play.host.store.items("ledger/")] == ["ledger/new"]


def test_what_is_answered_from_the_ledger_is_no_work() -> None:
    play = NodePlay()
    play.run("x", "countUp", key="k")
    play.run("y", "countUp", key="k")
    play.run("z", "noop", key="k")
    assert play.peer.jobs == {}
    assert play.code("z") == "idempotency_conflict"


def test_only_so_many_outcomes_are_kept_on_disk_too() -> None:
    play = NodePlay(ledger_entries=2)
    for n in range(5):
        play.run(f"x{n}", "countUp", key=f"k{n}", ms=100)
    assert [key for key, _ in play.host.store.items("ledger/")] == ["ledger/k3", "ledger/k4"]


def test_a_retry_finds_the_outcome_after_the_loss_of_the_socket() -> None:
    play = NodePlay()
    play.do(SlowDown(2_000))
    play.run("x", "countUp", key="k", ms=100)
    play.hang_up(1_400)
    play.run("y", "countUp", key="k", ms=2_000)
    assert effects(play) == 1
    assert play.ends("x") == []
    assert play.end("y")["data"]["sideEffectNo"] == 1


def test_a_retry_finds_the_outcome_after_a_crash() -> None:
    play = NodePlay()
    play.run("x", "countUp", key="k")
    play.run("bad", "fail", key="f")
    play.crash()
    play.run("y", "countUp", key="k")
    play.run("z", "fail", key="f")
    assert effects(play) == 1
    assert play.end("y")["data"]["sideEffectNo"] == 1
    assert play.code("z") == "command_failed"


def test_what_was_at_work_when_the_node_crashed_is_not_done_again() -> None:
    play = NodePlay()
    play.do(SlowDown(1_000))
    play.run("x", "countUp", key="k", ms=100)
    play.crash()
    play.run("y", "countUp", key="k")
    assert effects(play) == 0
    assert play.code("y") == "command_failed"
    assert "went down" in play.end("y")["message"]


def test_outcomes_of_an_earlier_life_are_forgotten_in_the_order_of_their_ends() -> None:
    play = NodePlay(ledger_entries=2)
    play.do(SlowDown(500, "command.test"))
    test = {"site": "example.com", "command": "countUp"}
    play.command("a", "command.test", test, key="late", ms=10)
    play.run("b", "countUp", key="soon", ms=1_000)
    play.crash()
    play.run("c", "countUp", key="third")
    play.run("d", "countUp", key="soon")
    assert [play.end(one)["data"]["sideEffectNo"] for one in "cd"] == [3, 4]


def test_a_cancelled_copy_is_answered_and_the_first_goes_on() -> None:
    play = NodePlay()
    play.do(SlowDown(1_000))
    play.run("x", "countUp", key="k", ms=100)
    play.run("y", "countUp", key="k", ms=100)
    play.cancel("y")
    assert play.code("y") == "command_cancelled"
    play.wait(1_500)
    assert len(play.ends("y")) == 1
    assert play.end("x")["ok"] is True


def test_a_cancelled_copy_says_nothing_of_the_first_not_even_after_a_crash() -> None:
    play = NodePlay()
    play.do(SlowDown(1_000))
    play.run("x", "countUp", key="k", ms=100)
    play.run("y", "countUp", key="k", ms=100)
    play.cancel("y")
    play.crash()
    play.run("z", "countUp", key="k")
    assert play.code("z") == "command_failed"


def test_without_a_key_nothing_is_kept() -> None:
    play = NodePlay()
    play.run("x", "countUp")
    assert play.host.store.items("ledger/") == []


def test_with_a_cancelled_first_its_copies_end_too() -> None:
    play = NodePlay()
    play.do(SlowDown(1_000))
    play.run("x", "countUp", key="k", ms=100)
    play.run("y", "countUp", key="k", ms=100)
    play.cancel("x")
    assert play.code("x") == play.code("y") == "command_cancelled"
    assert effects(play) == 0


def test_what_hung_when_its_socket_was_lost_is_run_by_the_next_one() -> None:
    play = NodePlay()
    play.do(HangNext())
    play.run("x", "countUp", key="k")
    play.run("copy", "countUp", key="k")
    play.hang_up(3_000)
    assert play.host.store.items("ledger/") == []
    play.run("y", "countUp", key="k")
    assert effects(play) == 1
    assert play.end("y")["ok"] is True


def test_a_conflict_stays_one_after_a_crash() -> None:
    play = NodePlay()
    play.run("x", "countUp", {"counter": "a"}, key="k")
    fault.skew(play.world, "P", -60_000_000)
    play.crash()
    play.run("y", "countUp", {"counter": "b"}, key="k")
    assert play.code("y") == "idempotency_conflict"


@pytest.mark.parametrize(
    ("rule", "ended", "done"),
    [
        ("keyed_work_runs_once", ["y"], 2),
        ("answer_under_own_id", [], 1),
    ],
)
def test_without_the_rule_a_retry(rule: str, ended: list[str], done: int) -> None:
    play = NodePlay(rule)
    play.run("x", "countUp", key="k")
    play.run("y", "countUp", key="k")
    assert [name for name in ("y",) if play.ends(name)] == ended
    assert effects(play) == done


def test_without_copy_waits_for_first_both_run() -> None:
    play = NodePlay("copy_waits_for_first")
    play.do(SlowDown(500))
    play.run("x", "countUp", key="k", ms=50)
    play.run("y", "countUp", key="k", ms=2_000)
    assert effects(play) == 2
    assert len(play.ends("x")) == len(play.ends("y")) == 1
    play.run("z", "countUp", key="k", ms=2_000)
    assert effects(play) == 2


def test_without_key_means_one_work_another_command_gets_the_wrong_outcome() -> None:
    play = NodePlay("key_means_one_work")
    play.run("x", "countUp", {"counter": "a"}, key="k")
    play.run("y", "countUp", {"counter": "b"}, key="k")
    assert play.end("y")["data"]["counter"] == "a"


def test_without_ledger_outlives_process_a_crash_makes_it_happen_twice() -> None:
    play = NodePlay("ledger_outlives_process")
    play.run("x", "countUp", key="k")
    play.crash()
    play.run("y", "countUp", key="k")
    assert effects(play) == 2
