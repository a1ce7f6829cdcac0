"""Section 3: what each directive does at its place, and what it says when it cannot."""

from __future__ import annotations

import pytest

from sim.core.event import FaultInjected, FrameDelivered, FrameLost
from tests.scenario.played import (
    ASKED,
    CONNECTED,
    PEOPLE,
    PUPPET_DESKTOP,
    STRICT,
    fails,
    passes,
    payloads,
    run,
    shown,
)

SETTLED = (*ASKED, "%% @settle")


def faults(result):
    return [event.fault for event in result.trace.events if isinstance(event, FaultInjected)]


def arrivals(result, kind):
    return [e.at for e in result.trace.events if isinstance(e, FrameDelivered) and e.type == kind]


# -- time --------------------------------------------------------------------------------


def test_after_and_at_let_virtual_time_pass():
    result = passes("%% @after 3s", "%% @at 10s", "%% @at 5s", "%% @after 1ms", after=PEOPLE)
    assert result.virtual_s == pytest.approx(10.001, abs=0.2)


def test_a_directive_may_stand_in_a_note():
    result = passes("Note over D,S: @after 30s", after=PEOPLE)
    assert result.virtual_s >= 30


def test_settle_runs_until_only_heartbeats_and_time_limits_are_left():
    result = passes("%% @settle", "%% @expect R1 WORKING", after=ASKED)
    assert result.virtual_s < 10


def test_settle_gives_up_on_what_never_ends():
    lines = ("%% @channel edit 5xx always", "D->>S: turn.end (ok)", "%% @settle")
    found = fails(*lines, after=SETTLED)
    assert (3, "something was still pending after 1 h") in found


# -- settings ------------------------------------------------------------------------------


def test_the_seed_of_the_file_counts_unless_the_caller_gives_one():
    file = ("%% @seed 7", *CONNECTED)
    assert run(*file, seed=None).seed == 7
    assert run(*file, seed=8).seed == 8
    assert run(*CONNECTED, seed=None).seed == 1


def test_latencies_are_those_of_the_head():
    result = passes("%% @latency D->S 3s", "%% @latency S->D 2s", *CONNECTED)
    assert arrivals(result, "hello") == [8_000_000], "3 s + 2 s to connect, 3 s for the frame"


def test_rules_of_the_file_and_of_the_caller_are_off_together():
    result = run("%% @rule -webhook-dedupe", *PEOPLE, without=["pong"])
    assert result.trace.header.without == ("pong", "webhook-dedupe")


def test_features_of_the_head_are_announced_from_the_start():
    result = passes("%% @feature S -turn-reopen-v1", *CONNECTED)
    assert "turn-reopen-v1" not in payloads(result, "welcome")[0]["features"]


def test_features_behind_the_head_are_announced_from_the_next_handshake_on():
    lines = ("%% @feature S -turn-reopen-v1", "%% @cut D rst", "D->>S: hello", "S->>D: welcome")
    before, after = payloads(passes(*lines, after=CONNECTED), "welcome")
    assert "turn-reopen-v1" in before["features"]
    assert "turn-reopen-v1" not in after["features"]


# -- connections -----------------------------------------------------------------------------


def test_fin_delivers_what_was_sent_and_rst_drops_it():
    lines = ("%% @hold D->S", "D->>S: turn.progress (text=x)", "%% @release D->S")
    by_fin = passes(*lines, "%% @cut D fin", "%% @after 1s", after=SETTLED)
    by_rst = passes(*lines, "%% @cut D rst", "%% @after 1s", after=SETTLED)
    assert len(arrivals(by_fin, "turn.progress")) == 1
    assert arrivals(by_rst, "turn.progress") == []


def test_silent_tells_nobody_until_somebody_notices():
    passes("%% @cut D silent", "%% @after 20s", "%% @open D", after=CONNECTED)


def test_heal_lets_go_what_was_swallowed():
    lines = ("%% @cut D silent", "D-xS: turn.progress (text=x)", "%% @after 5s", "%% @heal D")
    passes(*lines, "D->>S: turn.end (ok)", "%% @final R1 OK", after=SETTLED)
    [(_, happened)] = fails("%% @heal D", after=CONNECTED)
    assert happened == "no connection of D is cut silently"


def test_twins_reconnect_by_themselves():
    passes(
        "%% @cut D", "%% @closed D", "D->>S: hello", "S->>D: welcome", "%% @open D", after=CONNECTED
    )


def test_cut_takes_one_channel_or_all_of_them():
    passes("%% @cut D slack rst", "%% @closed D", after=CONNECTED)
    [(_, happened)] = fails("%% @cut D telegram", after=CONNECTED)
    assert happened == "D has no connection"


def test_cut_old_means_the_connection_that_has_been_replaced():
    lines = (
        "%% @settle",
        "%% @cut D silent",
        "%% @reconnect D",
        "%% @after 2s",
        "%% @cut D old rst",
    )
    result = passes(*lines, "%% @open D", after=PUPPET_DESKTOP)
    assert faults(result)[-1] == "cut D.slack#1 rst"
    [(_, happened)] = fails("%% @cut D old", after=CONNECTED)
    assert happened == "D has no replaced connection"


def test_hold_keeps_frames_in_flight_and_release_lets_them_go_in_order():
    lines = (
        "%% @hold D->S", "D->>S: turn.progress (text=a)", "D->>S: turn.end (ok, finalText=b)",
        "%% @after 10s", "%% @expect R1 WORKING", "%% @release D->S", "%% @settle",
        '%% @expect R1 OK "b"',
    )  # fmt: skip
    result = passes(*lines, after=SETTLED)
    assert arrivals(result, "turn.end")[0] > 10_000_000


def test_releasing_what_is_not_held_is_a_failure():
    assert fails("%% @release D->S", after=CONNECTED) == [(1, "nothing from D is held")]


def test_holding_where_nothing_is_connected_is_a_failure():
    [(_, happened)] = fails("%% @crash D", "%% @hold D->S", after=CONNECTED)
    assert happened == "D has no connection with S"


# -- the next frame ---------------------------------------------------------------------------


def test_lose_next_loses_the_next_frame_of_the_diagram():
    lines = ("%% @lose next", "U->>IM: press Allow", "S->>D: interaction.decision")
    card = (*ASKED, "D->>S: interaction.request (requestId=R1)", "%% @settle")
    result = passes(*lines, after=card)
    [lost] = [e for e in result.trace.events if isinstance(e, FrameLost)]
    assert lost.type == "interaction.decision"


def test_duplicate_next_delivers_it_twice_perhaps_later():
    result = passes(
        "%% @duplicate next after 2s", "D->>S: turn.end (ok)", "%% @settle", after=SETTLED
    )
    first, second = arrivals(result, "turn.end")
    assert second - first == pytest.approx(2_000_000, abs=100_000)
    at_once = passes("%% @duplicate next", "D->>S: turn.end (ok)", "%% @settle", after=SETTLED)
    assert len(arrivals(at_once, "turn.end")) == 2


def test_delay_next_makes_it_late_and_what_is_behind_it_no_earlier():
    lines = ("%% @delay next 3s", "D->>S: turn.progress (text=a)", "D->>S: turn.end (ok)")
    result = passes(*lines, after=SETTLED)
    assert arrivals(result, "turn.progress")[0] > 3_000_000
    assert arrivals(result, "turn.end")[0] >= arrivals(result, "turn.progress")[0]


def test_a_fault_for_the_next_frame_reaches_into_the_block_that_follows():
    lines = ("%% @lose next", "par", "D->>S: turn.progress (text=a)", "and", "S->>IM: edit", "end")
    found = run(*lines, after=SETTLED)
    assert [e.type for e in found.trace.events if isinstance(e, FrameLost)] == ["turn.progress"]


def test_a_call_to_a_channel_is_not_the_next_frame():
    lines = ("%% @lose next", "S->>IM: edit", "D->>S: turn.progress (text=b)")
    result = passes("D->>S: turn.progress (text=a)", *lines, after=SETTLED)
    assert len([e for e in result.trace.events if isinstance(e, FrameLost)]) == 1


# -- machines ------------------------------------------------------------------------------


def test_a_crashed_host_comes_back_with_what_it_had_stored():
    lines = ("%% @crash S", "%% @after 2s", "%% @restart S", "D->>S: hello", "S->>D: welcome")
    passes(*lines, "D->>S: turn.end (ok)", "%% @count posts 1", "%% @final R1 OK", after=SETTLED)


def test_crashing_the_dead_and_starting_the_living_are_failures():
    assert fails("%% @crash D", "%% @crash D", after=CONNECTED) == [(2, "D is down already")]
    assert fails("%% @restart D", after=CONNECTED) == [(1, "D is up already")]


def test_an_agent_on_a_dead_desktop_does_nothing():
    assert fails("%% @crash D", "D->>S: turn.end (ok)", after=ASKED) == [(2, "D is down")]


def test_skew_moves_one_clock():
    result = passes("%% @skew D +70s", "D->>S: turn.end (ok)", after=SETTLED)
    assert faults(result) == ["skew D 70000000us"]


def test_sleep_closes_a_lid():
    result = passes("%% @sleep D 10s", "D->>S: turn.end (ok)", "%% @after 5s", after=SETTLED)
    assert faults(result) == ["sleep D 10000000us"]


# -- the channel's answers -------------------------------------------------------------------


@pytest.mark.parametrize("outcome", ["429", "429 5s", "5xx", "unknown", "latency 3s", "down 10s"])
def test_a_final_edit_survives_a_bad_answer(outcome):
    lines = (f"%% @channel edit {outcome}", "D->>S: turn.end (ok, finalText=done)")
    result = passes(*lines, '%% @final R1 OK "done"', after=SETTLED)
    assert len(shown(result)) == 1


def test_a_deleted_message_is_posted_anew():
    lines = (
        "%% @channel edit not_found",
        "D->>S: turn.end (ok)",
        "%% @settle",
        "%% @count posts 2",
    )
    passes(*lines, "%% @final R1 OK", after=SETTLED)


def test_always_lasts_until_ok():
    lines = (
        "%% @channel * down 1d", "D->>S: turn.end (ok)", "%% @after 10m", "%% @expect R1 WORKING",
        "%% @channel * ok", "%% @settle", "%% @expect R1 OK",
    )  # fmt: skip
    passes(*lines, after=SETTLED)
    lines = ("%% @channel edit 5xx always", "D->>S: turn.end (ok)", "%% @after 10m",
             "%% @expect R1 WORKING", "%% @channel edit ok", "%% @settle",
             "%% @expect R1 OK")  # fmt: skip
    passes(*lines, after=SETTLED)


def test_a_refused_edit_and_an_unknown_post_are_answers_too():
    run("%% @channel edit refused", "D->>S: turn.end (ok)", "%% @settle", after=SETTLED)
    run("%% @channel post unknown", 'U->>IM: message "x"', "%% @settle", after=CONNECTED)
    run("%% @channel card not_found", "D->>S: interaction.request", "%% @settle", after=SETTLED)
    run("%% @channel react 5xx", "%% @channel delete 5xx", "%% @settle", after=SETTLED)


# -- assertions ------------------------------------------------------------------------------


def test_expect_says_what_a_reader_sees_instead():
    [(line, happened)] = fails("%% @expect R1 OK", after=SETTLED)
    assert line == 1
    assert happened.startswith('WORKING "')
    assert fails('%% @expect R1 OK|WORKING "nonsense"', after=SETTLED)
    passes("%% @expect R1 OK|WORKING", after=SETTLED)


def test_expect_of_a_name_that_is_bound_later_is_judged_by_what_showed_then():
    asked = (*CONNECTED, "%% @hold S->D", 'U->>IM: message "x"', "%% @after 1s")
    lines = ("%% @expect R1 {}", "%% @release S->D", "S->>D: task.dispatch (requestId=R1)",
             "D->>S: turn.end (ok)", "%% @settle", "%% @expect R1 OK")  # fmt: skip
    passes(*(line.format("WORKING") for line in lines), after=asked)
    [(line, happened)] = fails(*(line.format("OK") for line in lines), after=asked)
    assert line == 1
    assert happened.startswith("WORKING")


def test_expect_of_a_name_that_is_never_bound_says_so():
    lines = ("%% @expect R7 OK", "opt", "D->>S: turn.reopen (requestId=K1, reopenOf=R7)", "end")
    [(line, happened)] = fails(*lines, after=CONNECTED)
    assert (line, happened) == (1, "no arrow that matched has bound R7")


def test_expect_knows_open_and_closed_cards():
    card = (*ASKED, "D->>S: interaction.request (interactionId=A1)", "%% @settle")
    passes("%% @expect A1 OPEN", after=card)
    passes("U->>IM: press Allow", "%% @settle", '%% @expect A1 CLOSED "Allow"', after=card)


def test_files_are_visible_text():
    lines = ('D->>S: turn.end (ok, attachments[0].name="plan.png")', '%% @final R1 OK "plan.png"')
    passes(*lines, after=SETTLED)


def test_final_is_judged_when_everything_has_settled():
    passes('%% @final R1 OK "done"', "D->>S: turn.end (ok, finalText=done)", after=SETTLED)
    found = fails("%% @final R1 OK", after=SETTLED)
    assert [line for line, _ in found] == [1]


def test_counts_are_over_the_run_so_far():
    passes(
        "%% @count posts 1", "%% @count edits R1 0", "%% @count edits 0", "%% @count posts >=1",
        "%% @count frame task.ack 1", "%% @count frame D task.ack <2", "%% @count posts <=1",
        "D->>S: turn.end (ok)", "%% @settle", "%% @count edits R1 >0", after=SETTLED,
    )  # fmt: skip
    assert fails("%% @count posts 2", after=SETTLED) == [(1, "there was 1")]


def test_cards_and_notices_are_no_posts():
    lines = ("D->>S: interaction.request", "%% @settle", "%% @count posts 1")
    passes(*lines, after=ASKED)


def test_never_looks_at_every_version_of_every_message():
    lines = ('D->>S: turn.progress (text="evil")', "%% @settle", "D->>S: turn.end (ok)")
    [(line, happened)] = fails(*lines, '%% @never "evil"', after=SETTLED)
    assert line == 4
    assert happened.startswith("step ")
    passes('%% @never "evil"', after=SETTLED)


def test_open_and_closed_say_which_channel_it_is():
    assert fails("%% @closed D", after=CONNECTED) == [(1, "slack is open")]
    assert fails("%% @cut D", "%% @open D", after=CONNECTED)[0] == (2, "slack is closed")
    passes("%% @cut D slack", "%% @closed D slack", after=CONNECTED)


def test_strict_refuses_frames_that_the_diagram_does_not_name():
    passes("%% @after 10s", after=STRICT)
    result = run("%% @after 30s", after=STRICT)
    assert {f.expected for f in result.failures} == {"@strict: only frames that the diagram names"}
    assert [f.happened.partition(": ")[2] for f in result.failures] == [
        "S → D: ping", "D → S: pong",
    ]  # fmt: skip
