"""Desktop twin: turn-delivery-v1, from the ladder to a server that loses the feature."""

from __future__ import annotations

from typing import Any

from sim.protocols.hook import DeliveryError, TaskSource, TurnDelivery, Welcome
from sim.protocols.hook.acts import AgentEnds, ChangeFeature
from sim.protocols.hook.desktop import DesktopSettings
from tests.protocols.hook.desktop_play import Play

NEUTRAL = ("provider-bind-v1", "provider-prefs-v1", "session-picker-v1")
X = (*NEUTRAL, "provider:x")
X_DELIVERS = (*X, "turn-delivery-v1", "turn-reopen-v1")
DAY_S = 24 * 60 * 60


def on_x(*rules_off: str, features: tuple[str, ...] = X_DELIVERS, **config: Any) -> Play:
    return Play(lanes=("x",), features=features, rules_off=rules_off, **config)


def ask(play: Play, request: str = "R1") -> None:
    play.dispatch(request, key=f"x:{request}", source=TaskSource(im=play.config.lanes[0]))


def finished(play: Play, request: str = "R1") -> Play:
    ask(play, request)
    play.do(AgentEnds(text="done", request=request), 0.1)
    return play


def report(state: str, request: str = "R1") -> TurnDelivery:
    attempt = 0 if state == "accepted" else 1
    retry = 2_000_000_000_000 if state == "retrying" else None
    error: Any = None
    if state in ("retrying", "failed"):
        error = DeliveryError(code="x", message="x", retryable=state == "retrying")
    return TurnDelivery(
        request_id=request, state=state, attempt=attempt, retry_at=retry, error=error
    )


def ends(play: Play) -> int:
    return len(play.frames("turn.end"))


def test_the_x_lane_declares_the_feature_and_the_others_do_not() -> None:
    hello = on_x().last("hello")
    assert "turn-delivery-v1" in hello.features
    assert "provider:x" not in hello.features
    assert "turn-delivery-v1" not in Play().last("hello").features


def test_an_end_is_repeated_on_the_ladder_until_it_is_taken_over_hk_41() -> None:
    play = finished(on_x())
    counts = []
    for seconds in (9, 2, 20, 40, 60, 60):
        play.stay(seconds)
        counts.append(ends(play))
    assert counts == [1, 2, 3, 4, 5, 6]  # at 10, 30, 70, 130, 190 s
    assert all(end == play.frames("turn.end")[0] for end in play.frames("turn.end"))


def test_any_report_stops_the_ladder_rc_46() -> None:
    for state in ("accepted", "retrying", "delivered", "failed"):
        play = finished(on_x())
        play.say(report(state))
        play.say(report(state))
        play.say(report("accepted", "never seen"))
        play.stay(300)
        assert ends(play) == 1
        assert all(play.desktop().work.ledger.values())


def test_without_the_ladder_an_end_is_repeated_at_the_next_welcome_only() -> None:
    play = finished(on_x("replay_ladder"))
    play.stay(300)
    assert ends(play) == 1
    play.close()
    play.pass_time(3)
    assert ends(play) > 1


def test_without_await_delivery_a_local_write_is_taken_for_an_answer() -> None:
    play = finished(on_x("await_delivery"))
    play.close()
    play.pass_time(60)
    assert ends(play) == 1


def test_an_old_server_gets_every_end_once_hk_72() -> None:
    play = finished(on_x(features=X))
    play.pass_time(300)
    play.close()
    play.pass_time(60)
    assert ends(play) == 1


def test_a_day_without_a_report_ends_the_ladder() -> None:
    play = finished(on_x())
    play.pass_time(DAY_S + 100)
    before = ends(play)
    play.pass_time(1000)
    assert ends(play) == before
    assert not play.desktop().lanes["x"].unaccepted


def test_a_welcome_on_the_same_socket_flushes_twice_on_neutral_lanes() -> None:
    play = finished(on_x())
    play.forget()
    play.say(Welcome(server_name="S", features=X_DELIVERS))
    assert play.types() == ["turn.end", "turn.end"]
    single = finished(on_x(settings=DesktopSettings(double_flush=False)))
    single.forget()
    single.say(Welcome(server_name="S", features=X_DELIVERS))
    assert single.types() == ["turn.end"]


def test_a_feature_withdrawn_on_the_same_socket_means_once_more_rc_51() -> None:
    play = finished(on_x())
    play.forget()
    play.say(Welcome(server_name="S", features=X))
    assert play.types() == ["turn.end"]
    play.pass_time(300)
    assert ends(play) == 1


def test_a_feature_lost_with_the_connection_means_once_more() -> None:
    play = finished(on_x())
    play.features = X
    play.close()
    play.pass_time(300)
    assert ends(play) == 2


def test_an_end_that_was_made_offline_goes_the_same_way() -> None:
    play = on_x()
    ask(play)
    play.go_offline()
    play.do(AgentEnds(text="done"))
    play.forget()
    play.come_back()
    assert ends(play) >= 2
    play.say(report("accepted"))
    before = ends(play)
    play.pass_time(300)
    assert ends(play) == before


def test_a_restart_repeats_the_text_until_it_is_taken_over() -> None:
    play = finished(on_x())
    play.forget()
    play.restart_desktop(35)
    assert play.last("turn.end").final_text == "done"
    assert ends(play) >= 2
    play.say(report("delivered"))
    before = ends(play)
    play.pass_time(200)
    assert ends(play) == before


def test_slack_ignores_reports_that_it_did_not_ask_for_rc_50() -> None:
    play = Play(features=("turn-delivery-v1",))
    play.dispatch("R1")
    play.do(AgentEnds(text="done"))
    for _ in range(5):
        play.say(report("accepted"), 60)
    assert ends(play) > 4


def test_slack_takes_reports_where_its_hello_asked_for_them() -> None:
    play = Play(features=("turn-delivery-v1",))
    play.do(ChangeFeature("turn-delivery-v1", True))
    play.close()
    play.pass_time(3)
    play.dispatch("R1")
    play.do(AgentEnds(text="done"))
    play.say(report("accepted"), 300)
    assert ends(play) == 1


def test_no_more_than_a_hundred_ends_are_kept_in_memory() -> None:
    play = on_x(settings=DesktopSettings(buffered_ends=3))
    for n in range(5):
        finished(play, f"R{n}")
    assert list(play.desktop().lanes["x"].unaccepted or ()) == [
        f"ledger/owner/x/R{n}" for n in (2, 3, 4)
    ]
    play.forget()
    play.close()
    play.pass_time(3)
    assert {end.request_id for end in play.frames("turn.end")} == {f"R{n}" for n in range(5)}


def test_a_redelivered_task_is_answered_and_still_waits_for_its_report() -> None:
    play = finished(on_x())
    play.forget()
    ask(play)
    assert play.types() == ["task.ack", "turn.end"]
    play.pass_time(15)
    assert ends(play) == 2


def test_a_large_ledger_makes_room_and_keeps_what_is_not_handed_in() -> None:
    settings = DesktopSettings(ledger_bytes=2_000, ledger_row_bytes=1_500)
    play = on_x(settings=settings, features=X)
    for n in range(6):
        ask(play, f"R{n}")
        play.do(AgentEnds(text="x" * 400, request=f"R{n}"), 0.1)
    work = play.desktop().work
    assert len(work.ledger) == 2
    assert work.ledger_bytes <= 2_000
    assert work.ledger_bytes == sum(r.size for _, r in play.host.store.items("ledger/"))
    ask(play, "huge")
    play.do(AgentEnds(text="x" * 1_500, request="huge"), 0.1)
    assert not [k for k in work.ledger if k.endswith("huge")]
    assert play.last("turn.end").final_text == "x" * 1_500
