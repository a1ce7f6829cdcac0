"""Section 2, frames and calls: what an expectation takes, when it fails, what it says then."""

from __future__ import annotations

import pytest

from sim.core.event import FrameLost
from tests.scenario.played import ASKED, CONNECTED, PUPPET_DESKTOP, fails, frames, passes, payloads

PUPPET_ASKED = (*PUPPET_DESKTOP, 'U->>IM: message "Do it"', "S->>D: task.dispatch (requestId=R1)")


@pytest.mark.parametrize("sign", ["->>", "-->>", "->", "-->", "-)", "--)"])
def test_every_solid_arrow_is_sent_and_arrives(sign):
    passes(f"D{sign}S: turn.end (ok)", "%% @final R1 OK", after=ASKED)


@pytest.mark.parametrize("sign", ["-x", "--x"])
def test_a_crossed_arrow_is_sent_and_lost(sign):
    result = passes(f"D{sign}S: turn.progress (text=gone)", "%% @settle", after=ASKED)
    [lost] = [e for e in result.trace.events if isinstance(e, FrameLost)]
    assert (lost.type, lost.why) == ("turn.progress", "lost")


def test_a_crossed_arrow_takes_what_a_cut_has_lost_before():
    lines = ("%% @cut D rst", "D-xS: task.ack (requestId=R1)", "D->>S: hello")
    dispatch = (
        *CONNECTED,
        'U->>IM: message "x"',
        "%% @hold D->S",
        "S->>D: task.dispatch (requestId=R1)",
    )
    passes("%% @after 100ms", *lines, after=dispatch)


def test_a_crossed_arrow_takes_no_frame_that_has_arrived():
    [(line, _)] = fails("%% @after 5s", "D-xS: task.ack", after=ASKED[:-1])
    assert line == 2


def test_an_arrow_is_not_met_by_a_frame_that_got_lost_but_by_its_resend():
    lines = (
        "%% @hold S->D",
        'U->>IM: message "again"',
        "%% @after 1s",
        "%% @cut D rst",
        "S->>D: task.dispatch (requestId=R2, prompt=again)",
        "D->>S: task.ack (requestId=R2)",
    )
    result = passes(*lines, after=ASKED)
    assert len(frames(result, "task.dispatch")) > 2


def test_a_frame_may_have_been_sent_long_before_the_diagram_comes_to_it():
    passes("%% @after 20s", "D->>S: task.ack", after=ASKED[:-1])


def test_directives_do_not_move_the_mark():
    lines = ("%% @channel edit latency 1s", "%% @skew D +1s", "%% @settle", "D->>S: task.ack")
    passes(*lines, after=ASKED[:-1])


def test_nothing_that_was_sent_before_the_last_arrow_can_be_met():
    [(line, happened)] = fails("S->>D: task.dispatch (requestId=R1)", after=ASKED)
    assert line == 1
    assert happened.startswith("it did not come within 60 s; what came was")


def test_the_mark_is_the_sending_of_the_last_arrow_not_its_arrival():
    # Both are in flight at once, in two directions: the second was sent before the first came.
    lines = (
        "D->>S: turn.progress (text=a)",
        "D->>S: turn.end (ok)",
    )
    passes(*lines, after=ASKED)


def test_frames_that_were_passed_over_are_extra():
    lines = (
        "D->>S: turn.progress (requestId=R1, text=a)",
        "D->>S: turn.progress (requestId=R1, text=b)",
        "%% @settle",
    )
    result = passes(*lines, 'U->>IM: message "x"', "S->>D: task.dispatch (prompt=x)", after=ASKED)
    assert "D → S: task.ack" in [one.frame for one in result.extra]


def test_a_failed_arrow_does_not_end_the_run_and_says_what_was_near():
    lines = (
        'D->>S: turn.end (ok, requestId=R1, finalText="one")',
        "S->>D: welcome",
        "%% @final R1 OK",
    )
    [(line, happened)] = fails(*lines, after=ASKED)
    assert line == 2
    assert "within 60 s" in happened


def test_the_closest_miss_is_named():
    lines = ("S->>D: task.dispatch (prompt=other)",)
    [(line, happened)] = fails('U->>IM: message "this"', *lines, after=CONNECTED)
    assert line == 2
    assert 'it came, but prompt was "this"' in happened


# -- items -----------------------------------------------------------------------------


def test_a_bare_name_must_be_present():
    passes("D->>S: turn.end (finalText, usage.durationMs, externalKey)", after=ASKED)
    [(_, happened)] = fails("D->>S: turn.end (attachments[1])", after=ASKED)
    assert "absent" in happened


def test_equality_is_that_of_json():
    passes('D->>S: hello (workspaces=["chat"], protocolVersion=1)', after=CONNECTED[:-2])
    [(_, happened), *_] = fails("D->>S: hello (protocolVersion=true)", after=CONNECTED[:-2])
    assert "protocolVersion was 1" in happened


def test_a_tilde_asks_for_a_part_of_a_text():
    passes(
        'U->>IM: message "Review the code"', 'S->>D: task.dispatch (prompt~"the")', after=CONNECTED
    )
    [(_, happened)] = fails(
        'U->>IM: message "Review"', 'S->>D: task.dispatch (prompt~"code")', after=CONNECTED
    )
    assert 'prompt was "Review"' in happened


def test_nested_fields_and_positions_reach_inside():
    lines = (
        'D->>S: turn.end (attachments[0].name="a.png", attachments[0].mimeType="image/png")',
        '%% @final R1 OK "a.png"',
    )
    passes(*lines, after=ASKED)


def test_remarks_in_a_frame_are_ignored():
    passes("D->>S: turn.progress (渲染快照, 节流)", "D->>S: turn.end (ok, 完成)", after=ASKED)


def test_a_name_binds_at_its_first_use_and_must_agree_later():
    passes("D->>S: turn.progress (requestId=R1)", after=ASKED)
    lines = ('U->>IM: message "x"', "S->>D: task.dispatch (requestId=R1, prompt=x)")
    [(_, happened)] = fails(*lines, after=ASKED)
    assert "requestId was" in happened


def test_one_frame_cannot_give_one_name_to_two_different_values():
    [(_, happened)] = fails(
        'U->>IM: message "x"', "S->>D: task.dispatch (prompt=Q1, workspace=Q1)", after=CONNECTED
    )
    assert "workspace was" in happened


def test_names_stand_for_real_ids_in_the_result():
    result = passes("D->>S: turn.end (requestId=R1)", after=ASKED)
    [end] = payloads(result, "turn.end")
    assert dict(result.names)["R1"] == end["requestId"]


# -- calls to a channel ------------------------------------------------------------------


def test_posts_edits_cards_and_prose_are_calls_to_the_channel():
    lines = (
        "D->>S: interaction.request (requestId=R1)", "S->>IM: card", "U->>IM: press Allow",
        "S->>IM: edit", "D->>S: turn.end (ok)", "S->>IM: 回帖最终结果",
    )  # fmt: skip
    passes(*lines, after=ASKED)


def test_a_post_is_not_an_edit():
    [(line, happened)] = fails("%% @settle", "S->>IM: post", after=ASKED)
    assert (line, happened) == (2, "nothing came within 60 s")


def test_a_call_counts_when_it_is_issued_and_shows_when_its_latency_is_over():
    lines = (
        "%% @latency S->IM 5s",
        *ASKED,
        "%% @settle",
        "D->>S: turn.end (ok, requestId=R1)",
        "S->>IM: edit",
        "%% @expect R1 WORKING",
        "%% @after 6s",
        "%% @expect R1 OK",
    )
    passes(*lines)


# -- 60 seconds ----------------------------------------------------------------------------


def test_an_expectation_fails_after_sixty_seconds_without_a_match():
    lines = (*CONNECTED, 'U->>IM: message "slow"', "S->>D: task.dispatch")
    passes("%% @latency IM->S 59s", *lines)
    found = fails("%% @latency IM->S 61s", *lines)
    assert [happened[:26] for _, happened in found] == ["it did not come within 60 s"[:26]]


def test_a_frame_that_arrives_too_late_does_not_meet_its_arrow():
    lines = ("%% @delay next 61s", 'D->>S: turn.progress (requestId=R1, text="x")')
    [(line, happened)] = fails(*lines, after=ASKED)
    assert line == 2
    assert happened == "it was sent, but has not arrived within 60 s"


def test_a_frame_on_a_half_open_connection_is_not_taken_for_delivered():
    lines = ("%% @settle", "%% @cut D silent", "D->>S: turn.end (ok)")
    assert fails(*lines, after=ASKED) == [(3, "it was sent, but has not arrived within 60 s")]


def test_a_held_frame_meets_its_arrow_when_it_is_sent():
    lines = ("%% @hold D->S", "D->>S: turn.end (ok)", "%% @expect R1 WORKING", "%% @release D->S",
             "%% @settle", "%% @expect R1 OK")  # fmt: skip
    passes("%% @settle", *lines, after=ASKED)
