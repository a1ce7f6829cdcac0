"""Section 2, people: what they type and press, and what free text of theirs means."""

from __future__ import annotations

from sim.channel.api import ButtonPressed, PersonSaid, Press, Remove, Say
from sim.protocols.hook.acts import AnswerCard, ChangeWorkspaces, Login, Retry, TypeText
from tests.scenario.played import (
    ASKED,
    CONNECTED,
    acts,
    calls,
    fails,
    frames,
    passes,
    payloads,
    run,
    shown,
)

CARD = (
    *ASKED,
    'D->>S: interaction.request (requestId=R1, interactionId=A1, title="Sure?")',
    "%% @settle",
)
FAILED = (*ASKED, "D->>S: turn.end (error, requestId=R1)", "%% @settle")


def said(result):
    return [(one.person, one.text, one.thread) for one in calls(result, PersonSaid)]


def test_a_message_starts_a_thread_of_its_own():
    result = passes(
        'U->>IM: message "one"', "S->>D: task.dispatch (prompt=one)",
        'U->>IM: message "two"', "S->>D: task.dispatch (prompt=two)", after=CONNECTED,
    )  # fmt: skip
    one, two = calls(result, PersonSaid)
    assert one.thread != two.thread


def test_a_reply_goes_to_the_last_thread_and_a_named_one_to_its_request():
    result = passes(
        'U->>IM: message "one"', "S->>D: task.dispatch (requestId=R1)",
        'U->>IM: message "two"', "S->>D: task.dispatch (requestId=R2)",
        'U->>IM: reply "more of two"', 'S->>D: task.dispatch (prompt~"two")',
        'U->>IM: reply R1 "more of one"', 'S->>D: task.dispatch (prompt~"one")', after=CONNECTED,
    )  # fmt: skip
    one, two, more_of_two, more_of_one = calls(result, PersonSaid)
    assert more_of_two.thread == two.thread
    assert more_of_one.thread == one.thread


def test_a_reply_right_behind_a_message_stays_in_its_thread():
    result = passes('U->>IM: message "one"', 'U->>IM: reply "and"', "%% @settle", after=ASKED)
    *_, one, and_ = calls(result, PersonSaid)
    assert and_.thread == one.thread


def test_a_reply_without_any_thread_is_a_failure_of_its_line():
    [(line, happened)] = fails('U->>IM: reply "what?"', after=CONNECTED)
    assert line == 1
    assert "could not be done within 60 s: nobody has written to the bot" in happened


def test_talk_in_a_group_is_not_addressed_to_the_bot():
    result = passes('U->>IM: group "lunch?"', "%% @settle", after=CONNECTED)
    [said] = calls(result, PersonSaid)
    assert not said.to_bot
    assert frames(result, "task.dispatch") == []


def test_a_button_is_pressed_by_card_label_or_id():
    for words in ("A1", "Allow", "perm:allow", '"Allow"'):
        lines = (f"U->>IM: press {words}", 'S->>D: interaction.decision (buttonId="perm:allow")')
        passes(*lines, after=CARD)


def test_a_button_of_the_servers_own_picker_is_pressed_by_its_label():
    lines = ("U->>IM: /model", "S->>IM: card", 'U->>IM: press "Opus (claude-code)"')
    passes(*lines, 'S->>D: prefs.state (replyTo=null, prefs[0].model="opus")', after=ASKED)


def test_an_unknown_button_is_a_failure_that_names_it():
    [(line, happened)] = fails("U->>IM: press Maybe", after=CARD)
    assert (line, "no card has a button 'Maybe'" in happened) == (1, True)


def test_a_press_waits_until_the_card_shows():
    # The card's post is still on its way to Slack when the diagram comes to the press.
    lines = (
        "D->>S: interaction.request (requestId=R1, interactionId=A1)",
        "U->>IM: press Deny",
        'S->>D: interaction.decision (interactionId=A1, buttonId="perm:deny")',
    )
    for seed in range(1, 30):
        passes(*lines, after=ASKED, seed=seed)


def test_a_stale_button_can_be_pressed_and_decides_nothing():
    lines = (
        "U->>IM: press Allow",
        "S->>D: interaction.decision",
        "%% @settle",
        "U->>IM: press Allow",
        "%% @settle",
        "%% @count frame interaction.decision 1",
    )
    assert len(calls(passes(*lines, after=CARD), ButtonPressed)) == 2


def test_stop_and_new_are_typed_into_the_thread():
    result = passes("U->>IM: /stop", "S->>D: task.cancel (requestId=R1)", after=ASKED)
    assert [(text, bool(thread)) for _, text, thread in said(result)] == [
        ("Do it", True), ("/stop", True),
    ]  # fmt: skip
    passes("U->>IM: /new", "S->>D: session.archive", after=FAILED)


def test_a_command_keeps_what_follows_it():
    result = passes("U->>IM: /model opus", "%% @settle", after=ASKED)
    assert said(result)[-1][1] == "/model opus"


def test_a_person_can_delete_the_message_of_a_request():
    result = passes("%% @settle", "U->>IM: delete R1", "%% @settle", after=ASKED)
    assert isinstance(acts(result)[-1][1], Remove)
    assert shown(result) == []


def test_what_people_do_at_a_desktop():
    lines = (
        'U->>D: type "hello"', "U->>D: answer yes", "U->>D: login bob", "U->>D: workspaces a,b",
    )  # fmt: skip
    result = run(*lines, after=CONNECTED)
    assert [act for host, act in acts(result) if host == "D"] == [
        TypeText("hello"), AnswerCard("yes"), Login("bob"), ChangeWorkspaces(("chat", "a", "b")),
    ]  # fmt: skip


def test_quit_and_start_are_the_end_and_the_beginning_of_a_process():
    passes("U->>D: quit", "%% @closed D", "U->>D: start", "D->>S: hello", after=CONNECTED)


def test_quitting_twice_is_a_failure():
    assert fails("U->>D: quit", "U->>D: quit", after=CONNECTED) == [(2, "D is down already")]
    assert fails("U->>D: start", after=CONNECTED) == [(1, "D is up already")]


def test_nothing_can_be_done_at_a_desktop_that_is_down():
    [(line, happened)] = fails("U->>D: quit", 'U->>D: type "x"', after=CONNECTED)
    assert line == 2
    assert happened == "it could not be done within 60 s: D is down"


def test_retry_continues_the_task_that_ended_last():
    lines = ("U->>D: retry", "D->>S: turn.reopen (requestId=K1, reopenOf=R1)")
    result = passes(*lines, after=FAILED)
    assert [type(act) for host, act in acts(result) if host == "D"].count(Retry) == 1
    passes("D->>D: retry", "D->>S: turn.reopen (reopenOf=R1)", after=FAILED)


def test_an_arrow_to_the_server_directs_the_person_too():
    passes('U->>S: message "hi"', "S->>D: task.dispatch (prompt=hi)", after=CONNECTED)
    passes("U->>S: press Allow", "S->>D: interaction.decision", after=CARD)


# -- free text -------------------------------------------------------------------------


def test_free_text_is_a_message_to_the_bot():
    passes(
        "U->>IM: 用户 @bot 提问", 'S->>D: task.dispatch (prompt="用户 @bot 提问")', after=CONNECTED
    )


def test_free_text_before_a_decision_presses_the_button_that_the_decision_names():
    lines = ("U->>IM: 用户按下按钮", 'S->>D: interaction.decision (buttonId="perm:deny")')
    assert acts(passes(*lines, after=CARD))[-1][1].button == "perm:deny"


def test_free_text_before_a_decision_presses_the_button_that_it_mentions():
    lines = ("U->>IM: Alice says deny", "S->>D: interaction.decision (interactionId=A1)")
    assert acts(passes(*lines, after=CARD))[-1][1].button == "perm:deny"


def test_free_text_before_other_frames_is_stop_new_or_retry():
    passes("U->>IM: stops it", "S->>D: task.cancel (requestId=R1)", after=ASKED)
    passes("U->>IM: starts anew", "S->>D: session.archive", after=FAILED)
    result = passes("U->>D: tries again", "D->>S: turn.reopen (reopenOf=R1)", after=FAILED)
    assert [type(act) for host, act in acts(result) if host == "D"].count(Retry) == 1


# -- the channel passes it on ------------------------------------------------------------


def test_a_drawn_person_speaks_and_the_next_arrow_is_the_channel_passing_it_on():
    lines = ('U->>IM: message "hi"', 'IM->>S: message "hi"', "S->>D: task.dispatch")
    assert len([act for _, act in acts(passes(*lines, after=CONNECTED)) if type(act) is Say]) == 1
    passes("U->>IM: 提问", "IM->>S: 转发", "S->>D: task.dispatch (prompt=提问)", after=CONNECTED)


def test_two_messages_are_passed_on_one_after_the_other():
    lines = (
        'U->>IM: message "one"', 'U->>IM: message "two"',
        'IM->>S: message "one"', 'IM->>S: message "two"', "S->>D: task.dispatch", "%% @settle",
    )  # fmt: skip
    result = passes(*lines, after=CONNECTED)
    assert len([act for _, act in acts(result) if type(act) is Say]) == 2


def test_the_channel_alone_directs_even_where_a_person_is_drawn():
    lines = (
        "S->>D: interaction.decision",
        'D->>S: turn.end (ok, requestId=R1, finalText="ok")',
    )
    result = passes("IM->>S: press Allow", *lines, after=CARD)
    assert [type(act) for _, act in acts(result)].count(Press) == 1


def test_a_press_is_not_taken_for_an_earlier_message_passed_on():
    result = passes(
        'U->>IM: message "Do it"', "S->>D: task.dispatch (requestId=R1)",
        "D->>S: interaction.request (requestId=R1, interactionId=A1)",
        "IM->>S: press Allow", "S->>D: interaction.decision", after=CONNECTED,
    )  # fmt: skip
    assert len(payloads(result, "interaction.decision")) == 1


def test_a_press_of_a_drawn_person_is_passed_on_once():
    result = passes(
        "U->>IM: press A1", "IM->>S: press A1", "S->>D: interaction.decision", after=CARD
    )
    assert [type(act) for _, act in acts(result)].count(Press) == 1
