"""Section 4: blocks, and what decides the branches of an alternative."""

from __future__ import annotations

from tests.scenario.played import (
    ASKED,
    CONNECTED,
    PEOPLE,
    PUPPET_DESKTOP,
    STRICT,
    acts,
    fails,
    frames,
    passes,
    payloads,
    run,
)

SETTLED = (*ASKED, "%% @settle")
OK_OR_ERROR = (
    "alt well", "D->>S: turn.end (ok, requestId=R1)",
    "else badly", "D->>S: turn.end (error, requestId=R1)", "end",
)  # fmt: skip
PUPPET_ASKED = (
    *PUPPET_DESKTOP, 'U->>IM: message "Do it"', "S->>D: task.dispatch (requestId=R1)",
    "D->>S: task.ack (requestId=R1)",
)  # fmt: skip

# -- par -----------------------------------------------------------------------------------


def test_branches_of_par_run_in_the_order_of_the_seed():
    lines = ("par", 'U->>IM: message "a"', "and", 'U->>IM: message "b"', "end", "%% @settle")
    orders = {
        tuple(act.text for _, act in acts(passes(*lines, after=CONNECTED, seed=seed)))
        for seed in range(1, 12)
    }
    assert orders == {("a", "b"), ("b", "a")}


def test_the_first_lines_of_branches_share_the_mark():
    # Both frames were sent before the block is reached, in either order.
    lines = ("%% @settle", "par", "D->>S: task.ack", "and", "S->>IM: post", "end")
    asked = (*CONNECTED, 'U->>IM: message "x"', "S->>D: task.dispatch")
    for seed in range(1, 9):
        passes(*lines, after=asked, seed=seed)


def test_par_in_par_waits_for_all():
    lines = (
        "par", "par", "D->>S: turn.progress (text=a)", "and", "S->>IM: edit", "end",
        "and", "%% @after 5s", "end", "D->>S: turn.end (ok)", "%% @final R1 OK",
    )  # fmt: skip
    result = passes(*lines, after=SETTLED)
    assert result.virtual_s > 5


def test_what_a_branch_of_par_says_is_passed_on_behind_it():
    lines = ("par", 'U->>IM: message "a"', "and", "%% @after 1ms", "end", 'IM->>S: message "a"')
    result = passes(*lines, "S->>D: task.dispatch", after=CONNECTED)
    assert len(acts(result)) == 1


# -- alt and opt ---------------------------------------------------------------------------


def test_the_seed_chooses_which_branch_directs():
    ends = {
        payloads(passes(*OK_OR_ERROR, "S->>IM: edit", after=SETTLED, seed=seed), "turn.end")[0][
            "status"
        ]
        for seed in range(1, 12)
    }
    assert ends == {"ok", "error"}


def test_an_alternative_at_the_end_of_the_file_is_decided_when_the_run_has_settled():
    for seed in range(1, 8):
        passes(*OK_OR_ERROR, after=SETTLED, seed=seed)


def test_none_of_the_branches_is_a_failure_of_alt_but_not_of_opt():
    [(line, happened)] = fails(
        "alt one", "S->>D: task.cancel", "else two", "S->>D: session.archive", "end",
        "D->>S: turn.end (ok)", "S->>IM: edit", after=PUPPET_ASKED,
    )  # fmt: skip
    assert line == 1
    assert "the branch in line" in happened
    passes(
        "opt maybe", "S->>D: task.cancel", "end", "D->>S: turn.end (ok)", "S->>IM: edit",
        after=PUPPET_ASKED,
    )  # fmt: skip


def test_a_branch_stays_open_while_directives_and_puppet_arrows_run():
    lines = (
        "alt the server stops it", "S->>D: task.cancel (requestId=R1)",
        "else it does not", "S->>D: session.archive", "end",
        "%% @after 10s", "D->>S: turn.progress (requestId=R1, text=x)", "%% @after 10s",
        "U->>IM: /stop", "%% @after 1s", "D->>S: turn.end (cancelled, requestId=R1)",
        "S->>IM: edit", "%% @final R1 CANCELLED",
    )  # fmt: skip
    passes(*lines, after=PUPPET_ASKED)


def test_a_frame_in_flight_when_the_next_expectation_is_over_still_counts():
    # The decision is sent before the edit is issued, and arrives after it.
    lines = (
        "%% @latency S->D 10s", *ASKED, "D->>S: interaction.request (requestId=R1)", "%% @settle",
        "U->>IM: press Allow",
        "alt pressed", "S->>D: interaction.decision", "else not", "S->>D: task.cancel", "end",
        "S->>IM: edit", "%% @final R1 WORKING",
    )  # fmt: skip
    passes(*lines)


def test_a_frame_that_is_sent_later_does_not_count():
    lines = (
        "alt now", "S->>D: task.cancel", "else or so", "S->>D: session.archive", "end",
        "D->>S: turn.progress (requestId=R1, text=x)", "S->>IM: edit",
        "U->>IM: /stop", "S->>D: task.cancel (requestId=R1)",
    )  # fmt: skip
    found = fails(*lines, after=PUPPET_ASKED)
    assert [line for line, _ in found] == [1]


def test_branches_may_begin_alike():
    for seed in range(1, 10):
        passes(
            "alt well", "D->>S: turn.progress", "D->>S: turn.end (ok)",
            "else badly", "D->>S: turn.progress", "D->>S: turn.end (error)", "end",
            "S->>IM: edit", after=SETTLED, seed=seed,
        )  # fmt: skip


def test_two_branches_that_both_happen_are_a_failure():
    lines = (
        "alt one", "S->>IM: post", "else two", "S->>D: task.cancel", "end",
        'U->>IM: message "x"', "U->>IM: /stop",
    )  # fmt: skip
    [(line, happened)] = fails(*lines, after=PUPPET_ASKED)
    assert line == 1
    assert "both the branch" in happened


def test_only_the_branch_that_directs_can_match_lines_that_direct():
    lines = (
        "alt yes", "U->>IM: press Allow", 'S->>D: interaction.decision (buttonId="perm:allow")',
        "else no", "U->>IM: press Deny", 'S->>D: interaction.decision (buttonId="perm:deny")',
        "end", "%% @after 1s", "D->>S: turn.end (ok)", "%% @final R1 OK",
    )  # fmt: skip
    card = (*ASKED, "D->>S: interaction.request (requestId=R1)", "%% @settle")
    pressed = {
        payloads(passes(*lines, after=card, seed=seed), "interaction.decision")[0]["buttonId"]
        for seed in range(1, 12)
    }
    assert pressed == {"perm:allow", "perm:deny"}


def test_assertions_of_a_branch_count_only_if_it_matches():
    lines = (
        "alt well", "D->>S: turn.end (ok)", "%% @settle", "%% @expect R1 OK", "%% @final R1 OK",
        "else badly", "D->>S: turn.end (error)", "%% @settle", "%% @expect R1 FAILED",
        "%% @final R1 FAILED", "end",
    )  # fmt: skip
    for seed in range(1, 8):
        passes(*lines, after=SETTLED, seed=seed)
    wrong = tuple(line.replace("@expect R1 OK", "@expect R1 FAILED") for line in lines)
    wrong = tuple(line.replace("FAILED", "OK") if "badly" in line else line for line in wrong)
    verdicts = {run(*wrong, after=SETTLED, seed=seed).ok for seed in range(1, 8)}
    assert verdicts == {True, False}


def test_a_frame_that_an_optional_line_took_is_given_up_if_the_diagram_needs_it():
    lines = ("opt", "D->>S: turn.end", "end", "D->>S: turn.end (ok)", "%% @final R1 OK")
    for seed in range(1, 8):
        passes(*lines, after=SETTLED, seed=seed)


def test_frames_of_a_branch_that_did_not_match_are_extra():
    lines = ("opt", "D->>S: task.ack", "S->>D: session.archive", "end", "S->>IM: post")
    result = passes(*lines, after=ASKED[:-1])
    assert "D → S: task.ack" in [one.frame for one in result.extra]


def test_an_empty_else_makes_a_branch_optional():
    lines = ("alt maybe", "S->>D: task.cancel", "else", "end", "D->>S: turn.end (ok)")
    passes(*lines, after=SETTLED)


def test_alternatives_inside_par_and_loop_and_alternatives():
    lines = ("par", *OK_OR_ERROR, "and", "%% @after 1s", "end", "S->>IM: edit")
    for seed in range(1, 6):
        passes(*lines, after=SETTLED, seed=seed)
    lines = ("loop 3 times", "alt a", "D->>S: turn.progress", "else b", "D->>S: turn.end (ok)",
             "end", "%% @after 1s", "end", "%% @settle")  # fmt: skip
    for seed in range(1, 6):
        run(*lines, after=SETTLED, seed=seed)
    lines = ("alt outer", *OK_OR_ERROR, "else other", "S->>D: task.cancel", "end", "%% @after 1s")
    for seed in range(1, 6):
        assert run(*lines, after=SETTLED, seed=seed).ok or seed


def test_par_inside_a_branch_matches_as_a_whole():
    lines = (
        "opt", "par", "D->>S: turn.progress (text=a)", "and", "S->>D: session.archive", "end",
        "end", "D->>S: turn.end (ok)",
    )  # fmt: skip
    for seed in range(1, 6):
        passes(*lines, after=SETTLED, seed=seed)


# -- loop ------------------------------------------------------------------------------------


def test_a_counted_loop_repeats_so_often():
    lines = ("loop 3 times", "D->>S: turn.progress", "%% @after 2s", "end")
    assert len(frames(passes(*lines, after=SETTLED), "turn.progress")) == 3


def test_a_loop_with_text_names_later_rounds_too():
    beat = ("S->>D: ping", "D->>S: pong")
    passes("loop every 25 s", *beat, "end", "%% @after 3m", after=STRICT)
    result = run(*beat, "%% @after 3m", after=STRICT)
    found = {failure.happened.partition(": ")[2] for failure in result.failures}
    assert found == {"S → D: ping", "D → S: pong"}


def test_a_loop_with_text_happens_at_least_once():
    [(line, _)] = fails("loop until done", "S->>D: task.cancel", "end", after=CONNECTED)
    assert line == 2


def test_a_loop_with_text_is_over_when_what_follows_has_happened():
    loop = ("loop beats", "S->>D: ping", "end")
    goes_on = passes(*loop, "%% @after 60s", after=PUPPET_ASKED)
    assert "S → D: ping" not in [one.frame for one in goes_on.extra]
    next_ = ("D->>S: turn.progress (requestId=R1, text=x)", "S->>IM: edit")
    is_over = passes(*loop, *next_, "%% @after 60s", after=PUPPET_ASKED)
    assert "S → D: ping" in [one.frame for one in is_over.extra]


# -- critical, break, create, destroy -----------------------------------------------------------


def test_critical_is_its_body_and_options_may_happen():
    lines = (
        "critical the answer", "D->>S: turn.end (ok)", "option it is stopped", "S->>D: task.cancel",
        "end", "%% @final R1 OK",
    )  # fmt: skip
    passes(*lines, after=SETTLED)


def test_break_ends_the_run_there():
    lines = ("break on error", "D->>S: turn.end (error)", "end", "S->>D: task.cancel")
    result = passes(*lines, "%% @final R1 FAILED", after=SETTLED)
    assert frames(result, "task.cancel") == []


def test_break_inside_other_blocks_ends_the_run_too():
    for block in ("par", "opt", "loop 2 times", "alt", "critical"):
        lines = (block, "D->>S: turn.progress", "break", "%% @after 1s", "end", "end",
                 "S->>D: task.cancel")  # fmt: skip
        results = [run(*lines, after=SETTLED, seed=seed) for seed in range(1, 6)]
        assert all(r.failures == () or "task.cancel" in r.failures[-1].expected for r in results)
        assert any(r.failures == () for r in results)


def test_finals_before_a_break_count():
    found = fails("%% @final R1 OK", "break", "%% @after 1s", "end", after=SETTLED)
    assert [line for line, _ in found] == [1]


def test_finals_in_a_loop_are_judged_once():
    found = fails("loop 3 times", "%% @final R1 OK", "%% @after 1s", "end", after=SETTLED)
    assert [line for line, _ in found] == [2]


def test_create_starts_a_host_and_destroy_crashes_it_after_its_last_arrow():
    lines = (
        "create participant D as desktop", "U->>D: hello there", "D->>S: hello", "S->>D: welcome",
        "%% @open D", "destroy D", "S-xD: ping", "%% @closed D",
    )  # fmt: skip
    result = run("%% @after 3s", *lines, after=PEOPLE[:3])
    assert frames(result, "hello") == ["D>S hello"]
    assert [f.expected for f in result.failures if "@" in f.expected] == []


def test_other_blocks_and_decorations_change_nothing():
    lines = (
        "autonumber", "rect rgb(1, 2, 3)", "activate D", "D->>S: turn.end (ok)", "deactivate D",
        "Note over D: prose", "end", "%% @final R1 OK",
    )  # fmt: skip
    passes(*lines, after=SETTLED)
