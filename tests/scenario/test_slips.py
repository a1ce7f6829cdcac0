"""Acts that are nearly written: refused with their place, where true free text passes."""

from __future__ import annotations

import pytest

from sim.core.errors import ScenarioError
from sim.play import vocabularies
from sim.scenario.parse import parse_scenario

CASTS = {
    "question": ("OC as OpenCode", "H as hook", "P as store", "L as listener", "TG as Telegram"),
    "relay": ("C as controller", "R as relay", "N as node"),
    "hook": ("S as server", "D as desktop", "IM as Slack"),
}


def read(protocol: str, *lines: str):
    cast = [f"participant {one}" for one in CASTS[protocol]]
    text = "\n    ".join(["sequenceDiagram", *cast, "actor U as Alice", *lines])
    return parse_scenario(text + "\n", "mine.mmd", vocabularies())


@pytest.mark.parametrize(
    ("protocol", "line", "meant"),
    [
        ("question", "U->>TG: presses C2", "press C2"),
        ("question", "U->>TG: pressed custom", "press custom"),
        ("question", "U->>TG: Press C1 A", "press C1 A"),
        ("question", 'U->>TG: mesage "hello"', 'message "hello"'),
        ("question", 'U->>TG: replies Q1 "soon"', 'reply Q1 "soon"'),
        ("question", "U->>OC: dismis Q1", "dismiss Q1"),
        ("question", "U->>OC: anwser Q1 A", "answer Q1 A"),
        ("question", "P->>P: breaks", "break"),
        ("question", "OC->>OC: qestion (callID=C1)", "question (callID=C1)"),
        ("relay", "U->>N: logins SITE", "login SITE"),
        ("relay", "N->>N: hangs", "hang"),
        ("relay", "N->>N: closes T1", "close T1"),
        ("relay", 'U->>C: says "now"', 'say "now"'),
        ("hook", "U->>IM: presses A1", "press A1"),
        ("hook", 'IM->>S: Message "hi"', 'message "hi"'),
        ("hook", "U->>D: retries", "retry"),
        ("hook", 'U->>D: anser "Allow"', 'answer "Allow"'),
        ("hook", "D->>D: thinks 2s", "think 2s"),
    ],
)
def test_what_would_be_an_act_but_for_its_first_word_is_refused(protocol, line, meant):
    with pytest.raises(ScenarioError, match="is no act") as refused:
        read(protocol, line)
    error = refused.value
    assert f"is {meant!r} meant?" in str(error)
    assert error.line == 3 + len(CASTS[protocol])
    assert error.column == 5 + line.index(": ") + 2
    assert error.allowed


@pytest.mark.parametrize(
    ("protocol", "line"),
    [
        ("question", "U->>TG: presses the button"),
        ("question", "U->>TG: pressing matters first"),
        ("question", "U->>TG: started"),
        ("question", "U->>TG: state of play?"),
        ("question", "U->>TG: 用户点击按钮"),
        ("question", "U->>OC: answers the question from the desk"),
        ("question", "L->>L: looks (again)"),
        ("relay", "N->>N: closes the tab"),
        ("relay", "U->>N: says hello"),
        ("hook", "U->>IM: quite nice"),
        ("hook", "U->>IM: replies to all of them"),
        ("hook", "S->>S: retries"),
    ],
)
def test_free_text_that_only_begins_like_an_act_is_free_text(protocol, line):
    assert read(protocol, line).body[-1].text == line.partition(": ")[2]


def test_prose_that_the_next_frame_explains_is_understood_however_it_is_worded():
    lines = (
        "S->>D: task.dispatch (requestId=R1)",
        "D->>S: interaction.request (requestId=R1, interactionId=A1)",
        "U->>IM: presses Allow",
    )
    assert read("hook", *lines, "S->>D: interaction.decision (interactionId=A1)").body
    with pytest.raises(ScenarioError, match="is 'press Allow' meant"):
        read("hook", *lines)


@pytest.mark.parametrize(
    ("line", "close"),
    [("OC->>OC: question.asks", "question.asked"), ("OC->>OC: complete (callID=C1)", "completed")],
)
def test_a_fact_with_a_misspelt_name_is_no_remark(line, close):
    with pytest.raises(ScenarioError, match="no fact") as refused:
        read("question", line)
    assert close in refused.value.allowed
