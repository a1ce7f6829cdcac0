"""Puppets: frames as literal as the diagram wants them, right or wrong."""

from __future__ import annotations

import pytest

from sim.drivers.step import StepDriver
from sim.play import open_run
from tests.scenario.played import (
    PEOPLE,
    PUPPET_DESKTOP,
    PUPPET_SERVER,
    fails,
    frames,
    passes,
    payloads,
    read,
    run,
)

ASKED = (*PUPPET_DESKTOP, 'U->>IM: message "Do it"', "S->>D: task.dispatch (requestId=R1)")


def test_what_an_arrow_does_not_name_is_what_the_twin_would_send():
    result = passes("D->>S: task.ack", "D->>S: turn.end", after=ASKED)
    [dispatch], [ack], [end] = (
        payloads(result, kind) for kind in ("task.dispatch", "task.ack", "turn.end")
    )
    assert ack["requestId"] == dispatch["requestId"]
    assert end["requestId"] == dispatch["requestId"]
    assert end["externalKey"] == dispatch["externalKey"]
    assert end["sessionId"] == ack["sessionId"]


def test_a_puppet_server_dispatches_from_the_channel_that_is_drawn():
    result = passes(
        "participant IM as Telegram", *PUPPET_SERVER, "S->>D: task.dispatch", "D->>S: task.ack"
    )
    assert payloads(result, "task.dispatch")[0]["source"] == {"im": "telegram"}


def test_ids_that_nobody_names_are_unique():
    result = passes("D->>S: turn.reopen", "D->>S: turn.reopen", after=ASKED)
    first, second = payloads(result, "turn.reopen")
    assert first["requestId"] != second["requestId"]


def test_a_new_name_gets_a_fresh_id_and_keeps_it():
    result = passes(
        "D->>S: turn.reopen (requestId=K1, reopenOf=R1)", "D->>S: turn.progress (requestId=K1)",
        after=ASKED,
    )  # fmt: skip
    assert payloads(result, "turn.progress")[0]["requestId"] == dict(result.names)["K1"]


@pytest.mark.parametrize(
    "items",
    [
        "text=7", "text=null", 'text=["a"]', "requestId=null", 'requestId={"a":1}',
        "text=123456789012345678901234567890", 'text="😀 \\u0000"', "text[3].deep.down=1",
        "requestId.deep[1]=2", 'text=""',
    ],
)  # fmt: skip
def test_a_wrong_frame_is_sent_as_it_stands_and_breaks_nothing(items):
    passes(f"D->>S: turn.progress ({items})", "%% @settle", "%% @open D", after=ASKED)


@pytest.mark.parametrize(
    "arrow",
    [
        "D->>S: interaction.request (buttons=7)",
        'D->>S: interaction.request (buttons[1].id="x")',
        "D->>S: interaction.request (buttons.id=x)",
        "D->>S: turn.end (attachments)",
        "D->>S: turn.end (attachments[2].name=x, usage=3)",
        "D->>S: hello (workspaces=7)",
        "D->>S: task.dispatch",
        "D->>S: welcome",
        "D->>S: pong",
        "D->>S: turn.end (status=nonsense)",
    ],
)
def test_any_frame_of_any_direction_can_be_thrown_at_a_twin(arrow):
    run(arrow, arrow, "%% @settle", after=ASKED)


@pytest.mark.parametrize(
    "arrow",
    [
        "S->>D: task.dispatch", "S->>D: task.dispatch (prompt=null)", "S->>D: task.cancel",
        "S->>D: interaction.decision", "S->>D: session.archive (externalKey=7)", "S->>D: welcome",
        "S->>D: ping", "S->>D: interaction.decision (buttonId=x)", "S->>D: hello",
    ],
)  # fmt: skip
def test_any_frame_can_be_thrown_at_a_twin_desktop(arrow):
    result = run(arrow, arrow, "%% @settle", after=PUPPET_SERVER)
    assert result.failures == ()


def test_a_decision_of_a_puppet_server_names_a_button_of_the_card():
    lines = (
        'S->>D: task.dispatch (requestId=R1, prompt="go")',
        "D->>S: task.ack (accepted, requestId=R1)",
        "D->>S: interaction.request (requestId=R1, interactionId=A1)",
        "S->>D: interaction.decision (interactionId=A1)",
        "S->>D: task.cancel (requestId=R1)",
        "D->>S: turn.end (cancelled, requestId=R1)",
    )
    assert payloads(passes(*lines, after=PUPPET_SERVER), "interaction.decision")[0]["buttonId"]


def test_the_line_behind_a_puppets_arrow_runs_when_the_frame_has_arrived():
    lines = (
        "D->>S: task.ack (requestId=R1)",
        "D->>S: turn.end (ok, requestId=R1)",
        "S->>IM: edit",
    )
    passes(*lines, "%% @final R1 OK", after=("%% @latency D->S 5s", *ASKED))


def test_a_puppet_sends_nothing_before_it_has_a_connection():
    lines = ("D->>S: turn.end (ok)",)
    [(line, happened)] = fails(*lines, after=(*PEOPLE, "%% @puppet D"))
    assert line == 1
    assert happened == "D has no connection with S: write @reconnect before"


def test_reconnect_does_not_block_and_the_arrows_wait_for_it():
    lines = (
        "%% @reconnect D",
        "%% @closed D",
        "D->>S: hello",
        "S->>D: welcome",
        "%% @open D",
    )
    passes(*lines, after=("%% @latency D->S 3s", *PEOPLE, "%% @puppet D"))


def test_a_frame_of_a_puppet_that_gets_lost_is_a_failure_unless_drawn_so():
    lines = ("%% @cut D silent", "D->>S: turn.progress (requestId=R1)")
    [(line, happened)] = fails("%% @settle", *lines, after=ASKED)
    assert line == 3
    assert "was lost" in happened or "has not arrived" in happened
    passes("D-xS: turn.progress (requestId=R1)", after=ASKED)


def test_a_puppet_announces_what_a_later_feature_directive_says():
    lines = (
        "%% @settle",
        "%% @feature D -multi-team",
        "%% @cut D rst",
        "%% @after 1s",
        "%% @reconnect D",
        "%% @settle",
    )
    before, after = payloads(passes(*lines, after=PUPPET_DESKTOP), "hello")
    assert "multi-team" in before["features"]
    assert "multi-team" not in after["features"]


def test_a_second_socket_of_the_same_device_is_the_puppets_newest():
    lines = ("%% @settle", "%% @reconnect D", "%% @settle")
    result = passes(*lines, after=PUPPET_DESKTOP)
    assert frames(result, "hello") == ["D>S hello", "D>S hello"]


def test_an_invariant_is_not_judged_where_a_puppet_would_have_to_obey_it():
    obeyed = []
    for lines in (PEOPLE, (*PEOPLE, "%% @puppet S")):
        prepared = open_run(read(lines))
        obeyed.append({type(one).obeyed_by for one in prepared.monitor.invariants})
        StepDriver(prepared.world).run(limit_us=0)
        prepared.world.close()
    twin, puppet = obeyed
    assert "server" in twin
    assert "server" not in puppet
