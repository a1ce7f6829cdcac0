"""What the lines of a question diagram do: requests, answers, entries, people, faults."""

from __future__ import annotations

import json

import msgspec
import pytest

from sim.core.errors import ScenarioError
from sim.core.event import Acted, CallIssued, FaultInjected
from sim.core.trace import Trace
from sim.play import play, vocabularies
from sim.protocols.question import acts
from sim.scenario.parse import parse_scenario
from sim.scenario.stages.question import QuestionStage
from sim.scenario.transcribe import transcribe
from sim.world.world import World

CAST = """sequenceDiagram
    participant OC as OpenCode
    participant H as hook
    participant P as pending-store.js
    participant L as listener
    participant TG as Telegram
    actor U as Alice
"""
ASKED = """
OC->>H: tool.execute.before (sessionID=S1, callID=C1, options=["A","B"])
H->>P: setPending (uniqueId=K1)
OC->>OC: question.asked (requestID=Q1)
"""


def read(body, head=""):
    lines = [f"    {line.strip()}" for line in (head + body).strip().split("\n")]
    return parse_scenario(CAST + "\n".join(lines) + "\n", "mine.mmd", vocabularies())


def run(body, head="", **how):
    return play(read(body, head), driver="step", **how)


def problems(body, head=""):
    result = run(body, head)
    assert result.violations == ()
    return [failure.happened for failure in result.failures]


def refusal(body, head=""):
    """Why a diagram is not played, with its place."""
    with pytest.raises(ScenarioError) as told:
        QuestionStage(read(body, head), World(1), frozenset())
    assert told.value.line
    return str(told.value)


ACTS = [
    ("OC", {"is": "ask", "session": "ses_1"}),
    ("TG", {"is": "channel-fault", "op": "edit", "outcome": "rate_limited"}),
    ("TG", {"is": "say", "person": "U", "chat": "-4200000001", "text": "hello"}),
]


@pytest.mark.parametrize(("host", "act"), ACTS)
def test_a_puppet_is_told_nothing_that_only_twins_can_do(host, act):
    line = f"%% @act {host} {json.dumps(act)}"
    assert "a puppet cannot do this" in refusal(f"{line}\nL->>TG: getMe", f"%% @puppet {host}\n")
    QuestionStage(read(f"{line}\nL->>TG: getMe"), World(1), frozenset())


def test_a_twin_does_by_itself_what_a_puppet_was_told():
    said = {"is": "puppet-answers", "peer": "L", "reply": {"is": "http-response", "status": 404}}
    assert problems(f"%% @act TG {json.dumps(said)}\nL->>TG: getMe\nTG-->>L: 200") == []


def test_a_search_puts_no_fault_into_a_channel_that_is_a_puppet():
    twin = QuestionStage(read(ASKED), World(1), frozenset())
    puppet = QuestionStage(read("L->>TG: getMe", "%% @puppet TG\n"), World(1), frozenset())
    assert (twin.channels(), puppet.channels()) == (("TG",), ())


@pytest.mark.parametrize("word", ["Telegram", "tg", "bot", "Telegram Bot API"])
def test_the_bot_is_telegram_by_any_name(word):
    text = CAST.replace("Telegram", word) + '    U->>TG: message "hello"\n'
    scenario = parse_scenario(text, "mine.mmd", vocabularies())
    one = scenario.participant("TG")
    assert (scenario.protocol, one.kind, one.is_channel) == ("question", "telegram", False)


def test_telegram_stays_a_channel_where_the_server_is_drawn():
    lines = ("sequenceDiagram", "actor U", "participant T", "participant S", 'U->>T: message "x"')
    text = "\n".join(lines)
    assert parse_scenario(text, "mine.mmd", vocabularies()).participant("T").is_channel


def test_an_agent_asks_by_an_arrow_of_its_own_or_by_what_the_hook_is_told():
    asks = 'U->>OC: question (callID=C1, options=["x"], multiple=true, listedAfter=2s)'
    one = run(f"{asks}\nOC->>H: tool.execute.before (callID=C1)\n{'%% @settle'}")
    two = run('OC->>H: tool.execute.before (callID=C1, options=["x"])')
    made = [
        event.act for result in (one, two) for event in result.trace.events if type(event) is Acted
    ]
    assert made == [
        acts.Ask("ses_1", options=("x",), call="call_c1", multiple=True, listed_after_ms=2_000),
        acts.Ask("ses_1", options=("x",), call="call_c1"),
    ]


def test_a_fact_may_have_come_true_before_the_arrow_above_it():
    assert problems(ASKED + "U->>TG: press A\nL->>TG: editMessageText\nOC->>OC: completed") == []


def test_a_fact_that_never_came_true_is_a_failure():
    (happened,) = problems(ASKED + "OC->>OC: completed (callID=C1)")
    assert "it did not come within 60 s" in happened


def test_one_answer_is_named_by_one_arrow():
    twice = "L->>OC: GET /question\nOC-->>L: 200 (count=1)\nOC-->>L: 200 (count=1)"
    assert len(problems(ASKED + "U->>TG: press A\n" + twice)) == 1


def test_two_updates_of_one_answer_are_two_arrows():
    both = 'TG->>L: callback_query (data~":0")\nTG->>L: callback_query (data~":1")'
    waits = "%% @crash L\nU->>TG: press A\nU->>TG: press B\n%% @restart L\n"
    assert problems(ASKED + "%% @after 1s\n" + waits + both) == []


def test_an_update_may_be_called_by_the_method_that_brings_it():
    body = ASKED + 'U->>TG: press A\nTG->>L: getUpdates (data~"qopt:")\nOC->>OC: completed'
    assert problems(body) == []


def test_null_is_nobodys_id():
    body = ASKED + "U->>TG: press custom\nL->>P: updatePending (customPromptMessageId=M1)"
    result = run(body)
    assert result.ok
    assert dict(result.names)["M1"] == "102"


@pytest.mark.parametrize("name", ["Q1", "C1", "K1", "S1"])
def test_a_question_is_named_by_any_of_its_ids(name):
    other = ASKED.replace("S1", "S2").replace("C1", "C2").replace("K1", "K2").replace("Q1", "Q2")
    reply = 'L->>OC: POST /question/{id}/reply (id=Q1, answers=[["B"]])'
    assert problems(f"{ASKED}{other}U->>TG: press {name} B\n{reply}") == []


@pytest.mark.parametrize(
    ("line", "states"),
    [
        ("", ("WORKING", "OPEN", "OPEN")),
        ("U->>TG: press A", ("OK", "CLOSED", "CLOSED")),
        ("U->>OC: dismiss Q1", ("REJECTED", "OPEN", "OPEN")),
        ("U->>OC: answer B", ("OK", "OPEN", "OPEN")),
        ("OC->>OC: abort", ("CANCELLED", "OPEN", "OPEN")),
    ],
)
def test_tool_message_and_entry_are_expected_by_their_states(line, states):
    tool, message, entry = states
    checks = f"%% @settle\n%% @expect Q1 {tool}\n%% @expect Q1 {message}\n%% @expect K1 {entry}"
    assert problems(ASKED + line + "\n" + checks) == []


def test_an_expectation_of_a_wrong_state_says_what_shows():
    (happened,) = problems(ASKED + '%% @after 1s\n%% @expect Q1 OK "A"')
    assert happened == 'WORKING ""'


def test_counts_and_nevers_are_about_messages_toasts_and_requests():
    body = ASKED + "U->>TG: press A\n%% @settle\n"
    assert (
        problems(body + "%% @count frame GET /question 1\n%% @count posts 1\n%% @count edits Q1 1")
        == []
    )
    (happened,) = problems(body + '%% @never "已选择"')
    assert "showed it" in happened


@pytest.mark.parametrize(
    ("fault", "answer"),
    [
        ("@http L->OC GET /question 503", "503"),
        ('@http L->OC "GET /question" refused', "refused"),
        ("@http L->OC * reset", "reset"),
        ("@http L->OC GET /question lost", "no answer"),
        ("@http L->OC GET /question 6s", "no answer"),
    ],
)
def test_a_request_meets_the_fault_that_is_told_of_it(fault, answer):
    body = (
        ASKED + f"%% {fault}\nU->>TG: press A\nOC-->>L: {answer}\n%% @settle\n%% @final Q1 WORKING"
    )
    assert problems(body) == []


def test_a_fault_of_the_bot_api_befalls_its_method_however_it_is_called():
    struck = [
        event.fault
        for event in run(
            ASKED + "%% @http L->TG getUpdates 502 2x\n%% @http H->TG sendMessage 400"
        ).trace.events
        if isinstance(event, FaultInjected)
    ]
    assert struck == [
        "http L>TG GET:/bottoken-A/getUpdates 502 2x",
        "http H>TG POST:/bottoken-A/sendMessage 400",
    ]


@pytest.mark.parametrize("line", ["L-xOC: GET /question", "%% @lose next\nL->>OC: GET /question"])
def test_a_request_that_is_drawn_as_lost_is_lost(line):
    assert problems(ASKED + f"U->>TG: press A\n{line}\nOC-->>L: no answer") == []


def test_a_request_can_be_delayed():
    body = ASKED + "U->>TG: press A\n%% @delay next 2s\nL->>OC: GET /question\nOC-->>L: 200"
    assert problems(body) == []
    assert run(body).virtual_s > 2


def test_text_of_a_group_does_not_reach_a_bot_in_privacy_mode():
    talk = ASKED + 'U->>TG: message "hello"\n%% @after 3s\n%% @count frame message '
    assert problems(talk + "1") == []
    assert problems(talk + "0", "%% @feature TG -group-texts\n") == []


def test_a_lifeline_that_lives_holds_its_lock_and_a_dead_one_does_not():
    held = (
        ASKED
        + '%% @after 1s\nP->>P: lock {}\nU->>TG: press A\nL->>TG: answerCallbackQuery (text~"{}")'
    )
    assert problems(held.format("H 5s", "回传失败")) == []
    assert problems(held.format("5s", "已选择")) == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("%% @cut L", "keeps no connection"),
        ("%% @hold L->OC", "@http L->OC refused"),
        ("%% @open L", "could be open or closed"),
        ("%% @channel card 429", "has no card"),
        ("%% @duplicate next\nL->>OC: GET /question", "does not come twice"),
        ("OC-xL: 200", "@http L->OC REQUEST broken"),
        ("OC-xH: tool.execute.before", "no request over HTTP"),
        ('%% @act OC {"is":"answer"}', "missing required field"),
        ("U->>OC: question (listedAfter=soon)", "listedAfter takes a time"),
        ('U->>OC: question (options="A")', "options are a list of labels"),
        ("U->>OC: question (multiple=1)", "true or false"),
    ],
)
def test_what_has_no_meaning_here_is_refused_with_its_place(body, told):
    assert told in refusal(body)


@pytest.mark.parametrize(
    ("beside", "told"),
    [
        ("participant H2\n    %% @host H2 hook", "both a hook"),
        ("%% @puppet P", "cannot be a puppet"),
        ("%% @puppet H pong", "has no manners"),
        ("%% @puppet H\n    H->>P: setPending", "setPending is neither"),
        ("%% @puppet OC\n    U->>OC: question ()", "say all that it does"),
        ("%% @feature H -call-ids", "call-ids belongs to OpenCode"),
        ("%% @puppet TG\n    %% @channel edit 429", "Telegram is a puppet"),
        ("%% @puppet TG", "TG is a puppet: its arrows say all"),
    ],
)
def test_a_cast_that_cannot_stand_together_is_refused(beside, told):
    text = f'{CAST}    {beside}\n    U->>TG: message "hello"\n'
    with pytest.raises(ScenarioError, match=told):
        QuestionStage(parse_scenario(text, "mine.mmd", vocabularies()), World(1), frozenset())


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("L->>OC: GET /questions", "GET /question"),
        ("OC->>L: GET /question", "goes hook to opencode or listener to opencode"),
        ("H->>TG: sendMessage (colour=red)", "no field of sendMessage"),
        ("U->>TG: press", "which one"),
        ("U->>TG: reply hello", "double quotes"),
        ("P->>P: lock a b c", "an owner and an age"),
        ("%% @http L->OC GET /question 200", "does not become of a request"),
        ("%% @http L->OC GET /question 500 0x", "how often"),
        ("%% @http L->L GET /question 500", "the same lifeline"),
        ("%% @http U->TG getMe 500", "neither sends nor answers"),
        ("%% @count frame GET /nothing 1", "no frame"),
    ],
)
def test_a_line_that_is_not_understood_says_what_is_allowed(line, told):
    with pytest.raises(ScenarioError) as refused:
        read(line)
    assert told in str(refused.value)


PUPPET_LISTENER = """
OC->>H: tool.execute.before (sessionID=S1, callID=C1)
OC->>OC: question.asked (requestID=Q1)
L->>OC: GET /question (directory="/nowhere")
OC-->>L: 200 (count=0)
L->>OC: POST /question/{requestID}/reply (requestID=Q1, answers="A")
OC-->>L: 400
L->>OC: POST /question/{requestID}/reject (requestID=nothing)
OC->>OC: log (text~"unknown request nothing")
OC-->>L: 200 (body=true)
L->>OC: POST /question/{requestID}/reply (requestID=Q1, answers=[["X"]])
OC->>OC: completed (output~"X")
L->>OC: POST /question/{requestID}/reply (requestID=Q1, answers=[["Y"]])
OC-->>L: 200
L->>TG: sendMessage (text="mine", buttons=["go"], data=["x:1"])
U->>TG: press go
L->>TG: getUpdates (timeout=0)
TG->>L: callback_query (data="x:1")
%% @final Q1 OK "X"
"""
PUPPET_OPENCODE = """
OC->>H: tool.execute.before (sessionID=S1, callID=C1, options=["A","B"])
H-->>OC: returned (threw="")
U->>TG: press B
L->>OC: GET /question
OC-->>L: 200 (items=[{"id":"que_7","sessionID":"ses_s1","tool":null},{"id":"que_8"}])
L->>OC: GET /question
OC-->>L: 200 (items=[{"id":"que_8","sessionID":"ses_s1","tool":{"callID":"call_c1"}}])
L->>OC: POST /question/{requestID}/reply (requestID=que_8, answers=[["B"]])
OC-->>L: 200 (body=true)
L->>TG: editMessageText
"""
PUPPET_HOOK = """
U->>OC: question (callID=C1)
OC->>H: tool.execute.before (callID=C1)
%% @after 3s
%% @expect C1 QUEUED
H-->>OC: returned (threw="it fell over")
OC->>OC: error (callID=C1, output~"it fell over")
"""


@pytest.mark.parametrize(
    ("body", "who"), [(PUPPET_LISTENER, "L"), (PUPPET_OPENCODE, "OC"), (PUPPET_HOOK, "H")]
)
def test_a_puppet_asks_and_answers_literally_and_a_record_says_it_again(body, who):
    result = run(body, f"%% @puppet {who}\n", seed=4)
    assert result.failures == ()
    again = play(
        parse_scenario(transcribe(result.trace), "back.mmd", vocabularies()), driver="step"
    )
    assert again.digest == result.digest
    assert again.failures == ()


def test_what_came_before_its_turn_is_told_with_the_line_that_had_to_come_first():
    (happened,) = problems(ASKED + "H->>TG: sendMessage (buttons)")
    assert "it came, before line 10; par … and … end" in happened


def test_what_was_there_instead_is_told_as_a_diagram_writes_it():
    reply = 'U->>TG: press A\nL->>OC: POST /question/{id}/reply (answers="A")'
    (happened,) = problems(ASKED + reply)
    assert happened.endswith('it came, but answers was [["A"]]')


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "L->>OC: POST /question/que_1/reply",
            "'POST /question/que_1/reply' (allowed here: POST /q",
        ),
        ("%% @http L->OC GET /questions 500", "'GET /questions' is no request (allowed here: GET"),
        ("U->>TG: press C9 A", "C9 is bound by no arrow, as line 8 binds C1"),
    ],
)
def test_a_request_or_name_that_is_none_is_told_as_a_whole_with_what_comes_near(line, told):
    with pytest.raises(ScenarioError) as refused:
        read(ASKED + line)
    assert told in str(refused.value)


def test_a_record_of_real_programs_expects_what_they_decided_and_not_their_own_way_there():
    trace = run(ASKED + "U->>TG: press A\nL->>OC: POST /question/{id}/reply").trace
    looks = next(e for e in trace.events if type(e) is CallIssued and e.callee == "OC")
    # Somebody looks at the list with curl before anybody has pressed: nobody else does so.
    early = msgspec.structs.replace(looks, n=looks.n + 10_000, at=0, cause=-1)
    for outside, wanted in ((("listener", "store"), True), ((), False)):
        header = msgspec.structs.replace(trace.header, outside=outside, source="")
        text = transcribe(Trace(header, [early, *trace.events]))
        assert ("%% (its own way) L->>OC: GET /question" in text) is wanted
        assert "    L->>OC: POST /question/{requestID}/reply (requestID=Q1)" in text
        again = play(parse_scenario(text, "again.mmd", vocabularies()), driver="step")
        assert again.ok is wanted


def test_a_button_that_no_message_has_is_told_with_those_that_there_are():
    (happened,) = problems(ASKED + "U->>TG: press C1 AA")
    assert "no message has a button 'AA'; there are: A, B, ✍️" in happened
