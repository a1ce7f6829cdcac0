"""The relay twin: what is over leaves no timer, no id and no entry behind."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sim.core.event import ConnectionClosed, ConnectionOpened, FrameSent, Noted
from sim.protocols.relay.acts import Connect, RemoveController
from sim.protocols.relay.relay.plan import Limits
from sim.protocols.relay.relay.sessions import Grant
from sim.world import fault
from tests.protocols.relay.relay_play import OPEN, SUB, UNSUB, RelayPlay


def timers(play: RelayPlay, *kinds: str) -> list[str]:
    found = play.world.hosts["R"].timers
    return [" ".join(key) for key in found if key[0] in kinds]


def answered(play: RelayPlay) -> None:
    play.result("k1")
    play.failure("k2")


def cancelled(play: RelayPlay) -> None:
    play.cancel("A", "c", "k2")
    play.result("k1")


def abandoned(play: RelayPlay) -> None:
    play.cut("A")
    assert timers(play, "budget") == ["budget k1"]
    play.result("k1")


ENDS: dict[str, Callable[[RelayPlay], None]] = {
    "answers": answered,
    "a cancel and an answer": cancelled,
    "the controller's end and an answer": abandoned,
    "the node's end": lambda play: play.cut("N"),
    "a displacement": lambda play: play.join("N"),
}


@pytest.mark.parametrize("how", ENDS)
def test_a_command_that_has_ended_has_no_timer(how: str) -> None:
    play = RelayPlay()
    play.command("A", "k1")
    play.command("A", "k2")
    assert timers(play, "budget") == ["budget k1", "budget k2"]
    ENDS[how](play)
    assert timers(play, "budget") == []
    play.command("B", "k1")
    play.command("B", "k2")
    assert [told.split()[0] for told in play.got("B")][-2:] != ["request_id_in_use"] * 2


def test_a_lock_that_has_ended_has_no_timer() -> None:
    play = RelayPlay()
    play.lock("A", "l1", tab="T1")
    play.lock("A", "l2", tab="T2")
    play.lock("B", "l3", tab="T3")
    play.unlock("A", "u", tab="T1")
    assert timers(play, "lease") == ["lease node_n/T2", "lease node_n/T3"]
    play.cut("A")
    assert timers(play, "lease") == ["lease node_n/T3"]
    play.run(500)
    assert timers(play, "lease") == []


def test_a_session_that_has_ended_has_no_timer_and_no_connection() -> None:
    play = RelayPlay(ready="AN")
    assert timers(play, "session") == ["session A.controller#1", "session N.node#1"]
    play.cut("A")
    play.join("N")
    assert timers(play, "session") == ["session N.node#2"]
    assert list(play.relay.board.conns) == ["N.node#2"]


def test_budgets_keep_a_run_going_and_heartbeats_and_leases_do_not() -> None:
    play = RelayPlay()
    play.lock("A", "l", 30_000)
    assert play.world.settled()
    play.command("A", "k")
    assert not play.world.settled()
    play.result("k")
    assert play.world.settled()


def test_answered_errands_are_forgotten_and_lost_ones_asked_for_again_only_once() -> None:
    play = RelayPlay(ready="ABNM")
    play.command("A", "o", None, OPEN, inner={"url": "u"})
    play.cut("A")
    errands = play.relay.board.books.errands
    assert [one.node_id for one in errands.values()] == ["node_n", "node_m"]
    for who in "NM":
        play.result(play.frames(who)[-1]["requestId"], who)
    assert errands == {}
    play.join("N")
    assert len(play.frames("N")) == 2


def test_a_subscription_that_never_began_leaves_its_id_free() -> None:
    play = RelayPlay()
    for id, end in (("s1", "failure"), ("s2", "cancel"), ("s3", "time")):
        play.command("B", f"busy-{id}")
        play.command("A", id, "T1", SUB, inner={"listener": "chat"}, timeoutMs=1000)
        if end == "cancel":
            play.cancel("A", f"c-{id}", id)
        elif end == "time":
            play.run(1000)
        play.result(f"busy-{id}")
        if end == "failure":
            play.failure(id)
        play.command("B", id, "T2")
        assert play.got("B")[-1] == f"routed {id}"
        play.result(id)


def test_a_stream_that_has_ended_leaves_its_id_free() -> None:
    play = RelayPlay()
    data = {"stream": {"listeners": [{"listener": "chat"}]}}
    play.command("A", "t", "T1", "command.test")
    play.result("t", action="command.test", data=data)
    play.cancel("A", "c", "t")
    play.command("B", "t", "T2")
    assert play.got("B") == ["routed t"]


def test_an_unsubscribe_that_ran_out_of_time_in_the_queue_ends_the_stream() -> None:
    play = RelayPlay()
    play.subscribe("A", "s")
    play.command("A", "k")
    play.command("A", "u", "T1", UNSUB, inner={"targetRequestId": "s"}, timeoutMs=1000)
    play.run(1000)
    play.update("s")
    assert play.got("A")[-1] == "queue_wait_timed_out u"
    assert play.got("N")[-1] == "listener_not_found s"


def test_a_removed_controller_is_told_closed_and_let_in_no_more() -> None:
    grant = Grant("controller", "ctl_a")
    play = RelayPlay(refresh={"r": grant}, limits=Limits(auth_check_ms=2))
    play.say("A", "refresh", "r1", refreshToken="r")
    renewed = play.last("A")["accessToken"]
    play.join("A")
    play.world.act("R", RemoveController("ctl_a"))
    play.run(5)
    assert [play.last("A", nth)["code"] for nth in (0, 1)] == ["controller_revoked"] * 2
    assert play.last("A")["clientId"] == "ctl_a"
    assert [(who, code) for who, _, code in play.closed] == [("A", 1008)] * 2
    assert play.got("N") == ["primitive.tab.close_owned ctl_a"]
    fault.crash(play.world, "R")
    fault.restart(play.world, "R")
    play.join("N")
    for token in ("token-A", renewed):
        play.dial("A")
        play.say("A", "hello", "h", role="controller")
        play.say("A", "auth", "a", accessToken=token)
        assert play.got("A") == ["hello_ack h", "invalid_access_token a"]


def test_a_node_of_the_same_name_as_a_removed_controller_stays() -> None:
    play = RelayPlay(refresh={"r": Grant("controller", "node_n"), "rn": Grant("node", "node_n")})
    play.world.act("R", RemoveController("node_n"))
    play.run(5)
    play.say("N", "refresh", "r1", refreshToken="r")
    play.say("N", "refresh", "r2", refreshToken="rn")
    play.join("N")
    assert play.got("N", 0) == ["invalid_refresh_token r1", "refresh_ack r2"]


def test_a_relay_does_nothing_else_that_people_ask_for() -> None:
    play = RelayPlay()
    play.world.act("R", Connect())
    with pytest.raises(LookupError, match="R is a relay and cannot do Connect"):
        play.run(1)


def test_a_timer_whose_news_comes_late_finds_the_work_done() -> None:
    play = RelayPlay()
    play.command("A", "k")
    play.lock("A", "l", 30_000)
    for kind, key in (("budget", "gone"), ("budget", "k"), ("lease", "node_n/T1")):
        play.fire(kind, key)
    for link in ("A.controller#1", "gone"):
        play.fire("session", link)
    assert play.got("A") == ["routed k", "lock_acquired l"]
    assert play.closed == []


def test_an_answer_that_nobody_waits_for_is_seen_in_the_trace() -> None:
    play = RelayPlay(ready="ANM")
    play.command("A", "k")
    play.result("k", "M")
    play.result("never")
    noted = [one.data for one in play.world.events if isinstance(one, Noted)]
    assert noted == [
        {"requestId": "k", "session": "M.node#1"},
        {"requestId": "never", "session": "N.node#1"},
    ]


def test_a_second_budget_which_no_rule_wants_ends_too() -> None:
    play = RelayPlay(off=("one_budget",))
    play.command("A", "k1")
    play.command("B", "k2", timeoutMs=2000)
    play.run(1500)
    play.result("k1")
    play.run(1980)
    assert play.got("B") == ["queued k2", "routed k2"]
    play.run(40)
    assert play.got("B") == ["command_timed_out k2"]


def test_the_times_of_sessions_are_settings() -> None:
    limits = Limits(
        auth_check_ms=2, auth_deadline_ms=300, heartbeat_interval_ms=100, heartbeat_misses=5
    )
    play = RelayPlay(ready="", limits=limits)
    play.dial("A")
    play.run(290)
    assert play.closed == []
    play.run(20)
    assert play.closed == [("A", 0, 1008)]
    play.join("B")
    assert play.frames("B")[0]["payload"]["heartbeatIntervalMs"] == 100
    play.run(480)
    assert len(play.closed) == 1
    play.run(20)
    assert play.closed[1:] == [("B", 0, 1001)]


def test_without_the_rules_sockets_are_closed_all_the_same() -> None:
    play = RelayPlay(off=("poison_stays_with_sender",))
    play.send("A", "null")
    assert sorted(play.closed) == [(who, 0, 1011) for who in "ABN"]
    play = RelayPlay(off=("heartbeat_cleans_at_once",))
    play.run(24_100)
    assert sorted(play.closed) == [(who, 0, 1001) for who in "ABN"]


def test_a_lease_that_cuts_work_off_cuts_its_holders_alone() -> None:
    play = RelayPlay(off=("lease_end_spares_work",))
    play.command("B", "k1")
    play.lock("A", "l1")
    play.lock("A", "l2", tab="T2")
    play.run(500)
    play.result("k1")
    assert play.got("B") == ["routed k1", "result k1"]
    assert play.got("A")[2:] == ["lock_expired l1", "lock_expired l2"]


def test_a_token_is_looked_at_and_a_stranger_waited_for_to_the_microsecond() -> None:
    play = RelayPlay(ready="", limits=Limits(auth_check_ms=7, auth_deadline_ms=300))
    play.join("A")
    at = {event.frame.type: event.at for event in play.world.events if isinstance(event, FrameSent)}
    assert at["auth_ack"] - at["auth"] == 1000 + 7000
    play.dial("B")
    play.run(400)
    (opened,) = [
        e.at for e in play.world.events if isinstance(e, ConnectionOpened) if "B" in e.link
    ]
    closed = [e.at for e in play.world.events if isinstance(e, ConnectionClosed) and e.host == "R"]
    assert closed == [opened + 300_000]


def test_a_controller_that_is_called_like_a_node_gets_none_of_its_errands() -> None:
    play = RelayPlay(tokens={"odd": Grant("controller", "node_n")})
    play.command("A", "o", None, OPEN, inner={"url": "u"})
    play.cut("N")
    play.cut("A")
    play.join("C", "odd")
    assert len(play.frames("C")) == 2
    play.join("N")
    assert play.got("N") == ["primitive.tab.close_owned ctl_a"]


def test_without_the_rule_stamps_may_still_be_the_same() -> None:
    play = RelayPlay(off=("each_stamp_by_itself",))
    for _ in range(2):
        play.say("A", "ping", "p", wait=0)
    play.run(5)
    assert play.got("A") == ["pong p", "pong p"]


def test_a_stolen_place_in_a_queue_counts_for_the_thief() -> None:
    limits = Limits(auth_check_ms=2, controller_queue=1)
    play = RelayPlay(off=("request_id_is_taken",), limits=limits, ready="ABCN")
    play.command("B", "k")
    play.command("A", "same")
    play.command("A", "x")
    play.command("C", "same", "T2")
    play.command("A", "y")
    play.command("C", "z")
    assert play.got("A") == ["queued same", "controller_queue_limit_exceeded x", "queued y"]
    assert play.got("C") == ["routed same", "controller_queue_limit_exceeded z"]
    play.cut("A")
    play.result("k")
    play.result("same")
    assert play.got("C") == ["routed same", "result same"]
    play.command("C", "z")
    assert play.got("C") == ["routed z"]
