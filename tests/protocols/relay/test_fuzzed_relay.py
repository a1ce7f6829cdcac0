"""A twin relay that is right is not blamed, whatever is thrown at it: found by fuzzing."""

from __future__ import annotations

import pytest

from tests.protocols.relay.judged_play import JudgedPlay, Rabble

IDS = ("i1", "i2", "i3", "x")


@pytest.mark.parametrize(("seed", "wild", "ids"), [(1, 0.5, ()), (2, 0.3, IDS)])
def test_the_relay_is_blamed_for_nothing_that_a_rabble_throws_at_it(
    seed: int, wild: float, ids: tuple[str, ...]
) -> None:
    rabble = Rabble(seed, wild, ids)
    rabble.rage(60)
    assert rabble.texts() == []


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(12))
def test_no_long_rage_of_a_rabble_has_the_relay_blamed(seed: int) -> None:
    rabble = Rabble(seed, (0.0, 0.2, 0.5, 0.8)[seed % 4], IDS if seed % 3 else ())
    rabble.rage(500)
    assert rabble.texts() == []


def test_an_answer_keeps_the_request_id_of_a_frame_with_half_a_character() -> None:
    play = JudgedPlay()
    play.throw("A", {**play.frame("A", "ping", "p", {}), "protocolVersion": "\ud800"})
    assert play.got("A") == ["unsupported_version p"]
    assert play.texts() == []


def test_a_refused_command_does_not_end_the_one_whose_request_id_it_has() -> None:
    play = JudgedPlay()
    play.command("A", "k")
    play.command("A", "k", timeoutMs="soon")
    play.result("k")
    assert play.got("A") == ["routed k", "invalid_timeout k", "result k"]
    assert play.texts() == []


def test_a_program_is_what_the_relay_has_acked_wherever_it_has_dialled() -> None:
    play = JudgedPlay(ready="A")
    play.dial("B")
    for kind, payload in (("hello", {"role": "node"}), ("auth", {"accessToken": "token-N"})):
        play.throw("B", {**play.frame("B", kind, kind, payload), "senderRole": "node"}, wait=40)
    play.command("A", "k")
    assert play.got("B")[-1] == "command k"
    assert play.texts() == []


def test_a_command_may_have_the_request_id_of_an_older_tab_lock() -> None:
    play = JudgedPlay(ready="ABN")
    for tab, lease in (("T1", 60_000), ("T2", 30_000)):
        play.lock("A", f"lock-{tab}", lease, tab)
    play.lock("B", "k", tab="T1")
    play.command("B", "k", "T2")
    assert play.got("B") == ["tab_locked k", "lock_conflict k"] * 2
    assert play.texts() == []


@pytest.mark.parametrize("tokens", [("token-A", "bad"), ("bad", "token-A")])
def test_two_tokens_under_one_request_id_are_answered_each_for_itself(
    tokens: tuple[str, str],
) -> None:
    play = JudgedPlay(ready="")
    play.dial("A")
    play.throw("A", play.frame("A", "hello", "x", {"role": "controller"}))
    for token in tokens:
        play.throw("A", play.frame("A", "auth", "x", {"accessToken": token}), wait=1)
    play.run(50)
    assert sorted(play.got("A")) == ["auth_ack x", "hello_ack x", "invalid_access_token x"]
    assert play.texts() == []
