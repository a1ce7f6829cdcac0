"""Relay diagrams, played: who stands there, who is told what, puppets of each role, what shows."""

from __future__ import annotations

import re

import pytest

from sim.core.errors import ScenarioError
from sim.protocols.relay import acts
from sim.protocols.relay.words import NAMED, WORDS
from sim.scenario.transcribe import transcribe
from tests.scenario.played import acts as directed
from tests.scenario.played import payloads, read
from tests.scenario.relay_lines import PEERS, TAB, fails, passes, run


def envelope(result, family):
    """The whole frames of a family."""
    return [
        event.frame.wire for event in result.trace.events
        if hasattr(event, "frame") and event.frame.type == family
    ]  # fmt: skip


# -- who stands in it ------------------------------------------------------------------


def test_who_is_left_out_exists_all_the_same():
    result = passes("participant C as controller", "C->>R: primitive.tab.query (requestId=R1)",
                    "R->>C: result (requestId=R1)", "%% @host R relay")  # fmt: skip
    assert ("node", "node") in result.trace.header.hosts


def test_two_lifelines_may_be_one_controller_and_a_node_may_have_another_name():
    result = passes(
        "participant A1 as controller alice", "participant A2 as controller alice",
        "participant R as relay", "participant N as node alpha",
        "R->>A1: auth_ack (controllerId=alice)",
        "A2->>R: primitive.tab.open (requestId=R1)",
        "R->>N: primitive.tab.open (requestId=R1, targetNodeId=alpha, __controllerClientId=alice)",
    )  # fmt: skip
    assert {one["controllerId"] for one in payloads(result, "auth_ack") if "controllerId" in one} \
        == {"alice"}  # fmt: skip


def test_a_lifeline_that_is_called_like_a_name_is_what_the_name_stands_for():
    passes(
        "participant C1 as controller", "participant R as relay",
        "participant N1 as node", "participant N2 as node",
        "C1->>R: primitive.tab.query (requestId=R1, targetNodeId=N2)",
        "R->>N2: primitive.tab.query (requestId=R1, targetNodeId=N2)",
    )  # fmt: skip


def test_lifelines_may_be_called_in_chinese():
    passes("participant C as 控制器", "participant R as 中继", "participant N as 节点",
           "C->>R: primitive.tab.query (requestId=R1)", "R->>C: result (requestId=R1)")  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (("participant R as relay", "participant S as relay"), "both a relay"),
        ((*PEERS, "participant IM as Slack"), "'slack', which a relay run has not"),
        ((*PEERS, "%% @reconnect A"), "is for puppets"),
        ((*PEERS, "%% @channel edit 429 5s"), "no chat channel"),
        ((*PEERS, "%% @count posts 1"), "no chat channel"),
        ((*PEERS, '%% @act A {"is":"fly"}'), "@act for a controller"),
        ((*PEERS, "%% @puppet N", "N->>N: slow 2s"), "is a puppet"),
    ],
)
def test_what_makes_no_sense_here_is_refused_with_its_place(lines, says):
    with pytest.raises(ScenarioError, match=says) as caught:
        run(*lines)
    assert caught.value.line > 1


def test_a_wrong_value_on_a_twins_arrow_is_the_fault_of_that_twin_alone():
    result = run(*TAB, "A->>R: tab_lock (requestId=R2, tabSessionId=T1, lockLeaseMs=0)",
                 "R->>A: error (requestId=R2, code=invalid_lock_lease)")  # fmt: skip
    blamed = [one.invariant for one in result.violations]
    assert blamed == ["controller-frames-pass-the-parser"]


SCOPED = (*PEERS, "participant M as node", "%% @token A command.* at N M")


def test_a_token_permits_what_its_diagram_says_and_is_told_so():
    result = passes(
        *SCOPED, "R->>A: auth_ack (scopes=[\"command.*\"])",
        "A->>R: command.list (requestId=R1, targetNodeId=M)", "R->>A: result (requestId=R1)",
        "A->>R: primitive.tab.query (requestId=R2)",
        "R->>A: error (requestId=R2, code=forbidden_action)",
    )  # fmt: skip
    again = passes(*transcribe(result.trace).splitlines()[1:])
    assert again.digest == result.digest


@pytest.mark.parametrize(
    ("token", "says"),
    [
        ("A command.lists", "no action is within 'command.lists'"),
        ("A commands.*", "no action is within"),
        ("A", "a scope is missing"),
        ("N *", "N is a node; name a controller"),
        ("A * at R", "R is a relay; name a node"),
        ("A * at", "a node is missing"),
    ],
)
def test_a_token_that_could_permit_nothing_is_refused_with_its_place(token, says):
    with pytest.raises(ScenarioError, match=re.escape(says)) as caught:
        run(*PEERS, f"%% @token {token}")
    assert caught.value.line == 5


def test_a_controller_has_one_token():
    with pytest.raises(ScenarioError, match="stands twice"):
        run(*PEERS, "%% @token A *", "%% @token A command.list")


# -- what arrows say -------------------------------------------------------------------


@pytest.mark.parametrize(
    "arrow",
    [
        'command (requestId=R1, action=primitive.tab.open, payload.url="https://news.example/")',
        'primitive.tab.open (requestId=R1, url="https://news.example/")',
        'command (requestId=R1, primitive.tab.open, payload={"url":"https://news.example/"})',
    ],
)
def test_a_command_may_be_called_by_its_family_or_by_its_action(arrow):
    result = passes(*PEERS, f"A->>R: {arrow}", "R->>A: result (requestId=R1)")
    assert payloads(result, "command")[0]["payload"]["url"] == "https://news.example/"
    assert directed(result)[0][1].action == "primitive.tab.open"


def test_an_event_may_be_called_by_its_family_or_by_its_type():
    passes(*TAB[:4], "R->>A: event (requestId=R1, type=routed)", "R->>A: result (requestId=R1)")
    passes(*TAB[:4], "R->>A: routed (requestId=R1)", "R->>A: result (requestId=R1)")


@pytest.mark.parametrize(
    ("arrow", "says"),
    [
        ("A->>R: routed (requestId=R1)", "goes relay to controller, not controller to relay"),
        ("A->>N: command (requestId=R1)", "not controller to node"),
        ("R->>A: primitive.tab.close_owned", "goes relay to node"),
        ("A->>R: primitive.tab.opn", "unknown frame"),
        ("A->>R: primitive.tab.open (adress=x)", "no field of primitive.tab.open"),
        ("R->>A: error (code=tab_bussy)", "code is never tab_bussy"),
        ("A->>R: command (waitPolicy=maybe)", "waitPolicy is never maybe"),
    ],
)
def test_what_the_protocol_does_not_know_is_refused_with_what_it_knows(arrow, says):
    with pytest.raises(ScenarioError, match=says):
        read((*PEERS, arrow))


def test_a_frame_that_differs_is_told_by_its_nearest_name():
    (told,) = fails(*PEERS, "A->>R: tab_lock (requestId=R1, tabSessionId=t)",
                    "R->>A: lock_released (requestId=R1)")  # fmt: skip
    assert "lock_expired" in told[1]


def test_counts_know_families_and_what_is_within_them():
    passes(*TAB, "%% @count frame command 2", "%% @count frame N primitive.tab.open 1",
           "%% @count frame routed 1")  # fmt: skip


# -- what controllers and nodes are told ------------------------------------------------


def test_what_no_act_can_say_is_written_as_it_stands():
    result = passes(*PEERS, "A->>R: primitive.tab.query (requestId=R1, timestamp=\"yesterday\")",
                    "R->>A: error (requestId=R1, code=invalid_timestamp)")  # fmt: skip
    assert [type(act) for _, act in directed(result)] == [acts.SayFrame]


def test_fields_that_an_arrow_does_not_name_are_what_a_program_would_send():
    result = passes(*TAB, "A->>R: network.http_intercept (requestId=R2)",
                    "R->>A: result (requestId=R2, data.subscribed=true)")  # fmt: skip
    options = payloads(result, "command")[-1]["payload"]["options"]
    assert options == {"tabSessionId": "tab_1", "site": "example.com"}


@pytest.mark.parametrize(
    ("lines", "act"),
    [
        (("N->>N: slow 2s",), acts.SlowDown(2_000)),
        (("N->>N: slow 2s primitive.tab.open",), acts.SlowDown(2_000, "primitive.tab.open")),
        (("N->>N: fail tab_create_failed",), acts.FailNext("tab_create_failed")),
        (("N->>N: hang",), acts.HangNext()),
        (("N->>N: insist",), acts.RefuseCancels()),
        (("actor U as Ann", "U->>N: login mail.example"), acts.SignIn("mail.example")),
        (("A->>A: mute",), acts.SwitchPings(on=False)),
        (("A->>A: disconnect",), acts.Disconnect()),
        (("A->>A: redial",), acts.Redial()),
        (('A->>A: say "{oops"',), acts.SayText("{oops")),
    ],
)
def test_what_people_do_at_a_peer(lines, act):
    assert [one for _, one in directed(run(*PEERS, *lines))] == [act]


@pytest.mark.parametrize("text", ["slow", "slow soon", "fail", "login", "quit now", "say hello"])
def test_a_word_that_is_misused_is_refused_with_its_form(text):
    with pytest.raises(ScenarioError, match="after "):
        read((*PEERS, f"N->>N: {text}"))


def test_other_texts_are_remarks():
    passes(*PEERS, "N->>N: the page is being read", "A->>R: primitive.tab.query (requestId=R1)",
           "R->>A: result (requestId=R1)")  # fmt: skip


# -- puppets ---------------------------------------------------------------------------


def test_a_puppet_controller_shakes_hands_and_says_what_it_is_told():
    result = passes(
        *PEERS, "%% @puppet A handshake",
        "A->>R: command (requestId=R1, action=primitive.dom.juggle, tabSessionId=t, payload={})",
        "R->>A: error (requestId=R1, execution, code=unsupported_action)",
    )  # fmt: skip
    assert [wire["messageType"] for wire in envelope(result, "auth")] == ["auth", "auth"]


def test_a_puppet_node_answers_the_command_that_it_got_last():
    passes(
        *PEERS, "%% @puppet N handshake pong",
        "A->>R: primitive.tab.open (requestId=R1)", "R->>N: primitive.tab.open (requestId=R1)",
        "N->>R: result", "R->>A: result (requestId=R1, data.tabSessionId=T1)",
        "A->>R: primitive.dom.extract_text (requestId=R2, tabSessionId=T1)",
        "R->>N: primitive.dom.extract_text (requestId=R2)",
        'N->>R: error (code=bridge_failure, message="gone")',
        "R->>A: error (requestId=R2, code=bridge_failure)",
    )  # fmt: skip


def test_a_puppet_relay_lets_twins_in_and_sends_commands():
    result = passes(
        *PEERS, "%% @puppet R handshake pong",
        "A->>R: auth", "N->>R: auth",
        "R->>N: primitive.tab.open (requestId=R1, __controllerClientId=somebody)",
        "N->>R: result (requestId=R1, data.tabSessionId=T1)",
        "R->>N: primitive.tab.close_owned (requestId=R2, controllerClientId=somebody)",
        "N->>R: result (requestId=R2, data.closedCount=1)",
    )  # fmt: skip
    assert all("replayNonce" not in one for one in payloads(result, "command"))


def test_a_puppets_frame_may_lack_what_it_must_have():
    passes(*PEERS, "%% @puppet A handshake",
           "A->>R: primitive.tab.query (requestId=R1, replayNonce=null)",
           "R->>A: error (requestId=R1, code=missing_replay_nonce)")  # fmt: skip


def test_a_puppet_may_say_hello_by_hand_and_reconnect():
    passes(
        *PEERS, "%% @puppet A", "%% @reconnect A", "A->>R: hello", "R->>A: hello_ack",
        'A->>R: auth (accessToken="token-A")', "R->>A: auth_ack (controllerId=A)",
        "%% @cut A", "%% @closed A", "%% @reconnect A", "A->>R: hello", "R->>A: hello_ack",
        "%% @open A",
    )  # fmt: skip


ODD = ("null", "7", '"x"', "[]", "{}", "true")


@pytest.mark.parametrize(("puppet", "other"), [("A", "R"), ("N", "R"), ("R", "A"), ("R", "N")])
@pytest.mark.parametrize("name", list(NAMED)[::6])
def test_whatever_a_puppet_says_the_twins_stay_true(puppet, other, name):
    fields = [field for field in WORDS.fields(name) if "." not in field]
    said = [
        f"{puppet}->>{other}: {name} ({field}={ODD[(place + turn) % len(ODD)]})"
        for place, field in enumerate(fields)
        for turn in (0, 3)
    ]
    result = run(*PEERS, f"%% @puppet {puppet} handshake pong", *said[:30], "%% @after 5s")
    assert result.violations == ()


# -- faults ----------------------------------------------------------------------------


def test_a_lost_result_is_no_result():
    passes(*PEERS, "A->>R: primitive.tab.query (requestId=R1, timeoutMs=1000)", "N-xR: result",
           "R->>A: error (requestId=R1, code=command_timed_out)")  # fmt: skip


def test_a_doubled_command_runs_once():
    passes(*PEERS, "%% @duplicate next", "A->>R: primitive.tab.open (requestId=R1)",
           "R->>A: error (requestId=R1, code=replay_rejected)",
           "%% @settle", "%% @count frame N primitive.tab.open 1")  # fmt: skip


def test_a_delayed_command_is_late():
    result = passes(*PEERS, "%% @delay next 3s", "A->>R: primitive.tab.query (requestId=R1)",
                    "R->>A: result (requestId=R1)")  # fmt: skip
    assert result.virtual_s > 3


def test_a_relay_that_restarts_has_forgotten_its_locks():
    passes(
        *TAB, "A->>R: tab_lock (requestId=R2, tabSessionId=T1)", "R->>A: lock_acquired",
        "%% @crash R", "%% @expect R2 CLOSED", "%% @restart R", "R->>A: auth_ack", "%% @after 3s",
        "A->>R: tab_lock (requestId=R3, tabSessionId=T1)", "R->>A: lock_acquired (requestId=R3)",
    )  # fmt: skip


# -- what shows --------------------------------------------------------------------------


def test_a_commands_state_shows_from_its_sending_to_its_end():
    passes(
        *TAB, "N->>N: slow 2s", "A->>R: primitive.tab.navigate (requestId=R2, tabSessionId=T1)",
        "%% @expect R2 WORKING", "R->>A: routed (requestId=R2)",
        '%% @expect T1 OPEN "runs "', "R->>A: result (requestId=R2)",
        '%% @expect R2 OK "url"', '%% @expect T1 OPEN "free"', "%% @final R2 OK",
    )  # fmt: skip


def test_an_assertion_that_does_not_hold_says_what_stands():
    (told,) = fails(*TAB, '%% @expect T1 OPEN "owner B"')
    assert "owner A" in told[1]


def test_what_no_controller_may_hear():
    (told,) = fails(*TAB, '%% @never "https://example.com/"')
    assert "showed it" in told[1]


def test_the_result_lists_what_controllers_asked_for():
    result = passes(*TAB)
    (told,) = result.messages
    assert (told.channel, told.state, told.request) == ("A", "OK", dict(result.names)["R1"])
