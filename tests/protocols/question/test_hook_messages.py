"""What the hook makes of a tool's arguments: the entry's options, and a text that fits."""

import pytest

from sim.core.http import HttpResponse
from sim.protocols.question.before import BeforeTool, HookReturned
from sim.protocols.question.hook import texts
from sim.protocols.question.hook.asked import Asked, AskedOption, first_of
from sim.protocols.question.hook.sending import SendUnknown, outcome
from sim.protocols.question.telegram.entities import read_text, units
from tests.protocols.question.test_hook import hooked, the_entry, told


@pytest.mark.parametrize(
    ("args", "asked"),
    [
        (None, None),
        ("text", None),
        ({}, None),
        ({"questions": []}, None),
        ({"questions": "x"}, None),
        ({"questions": [5]}, None),
        ({"questions": [{"question": 5, "header": None}]}, None),
        ({"questions": [{"question": "Why?"}]}, Asked("Why?")),
        ({"questions": [{"header": "H", "options": "x"}]}, Asked("", "H")),
        (
            {"questions": [{"question": "Q", "options": [5, {}, {"label": ""}, {"label": "L"}]}]},
            Asked("Q", "", (AskedOption("L"),)),
        ),
        (
            {"questions": [{"question": "Q", "multiple": True}, {"question": "R"}]},
            Asked("Q", multiple=True, others=1),
        ),
        (
            {"questions": [{"question": "Q", "options": [{"label": "L", "value": "v"}]}]},
            Asked("Q", "", (AskedOption("L", "", "v"),)),
        ),
    ],
)
def test_odd_arguments_are_taken_as_far_as_they_go(args, asked):
    assert first_of(args) == asked
    play = hooked()
    assert told(play, BeforeTool("question", "s", "c", args))[0] == HookReturned()
    assert len(play.sent) == len(play.kept()) == (0 if asked is None else 1)


def test_a_value_stands_in_the_entry_and_its_label_on_the_button():
    option = {"label": "Yes, deploy", "value": "yes"}
    args = {"questions": [{"question": "Q", "options": [option]}]}
    play = hooked()
    told(play, BeforeTool("question", "s", "", args))
    assert the_entry(play)[1]["options"] == [option]
    assert (the_entry(play)[1]["callID"], the_entry(play)[1]["directory"]) == ("", "")


@pytest.mark.parametrize("off", [(), ("rest-is-said",)])
def test_what_cannot_be_answered_here_is_said(off):
    args = {"questions": [{"question": "Q" * 9_000, "multiple": True}, {"question": "R"}]}
    play = hooked(off=off)
    told(play, BeforeTool("question", "s", "c", args))
    text = play.sent[0].body["text"]
    assert text.endswith(texts.ONE_VALUE) is not bool(off)
    assert (texts.OTHERS_UNANSWERED.format(count=1) in text) is not bool(off)
    # A reply with one row ends the whole call: nobody can answer the rest behind it.
    assert ("其余 1 个将视为未回答" in text) is not bool(off)
    assert units(text) == 4_096


@pytest.mark.parametrize("text", ["a_b*c`d[e]", "\\_", "😀" * 3_000, "_" * 5_000, "x" * 4_095])
def test_any_text_is_shown_as_it_is_and_fits(text):
    message = texts.question(Asked(text), says_rest=True)
    assert units(message) <= 4_096
    shown, entities = read_text(message, "Markdown")
    shown = shown.removeprefix("❓ ").removesuffix("…")
    assert entities == ()
    assert text.startswith(shown)
    assert len(shown) > 2_000 or shown == text


@pytest.mark.parametrize("header", ["Pick", "a_b", "*", "`x[", "\\"])
def test_any_header_is_shown_as_it_is(header):
    message = texts.question(Asked("Why?", header), says_rest=True)
    assert read_text(message, "Markdown")[0] == f"❓ {header}\nWhy?"


@pytest.mark.parametrize("message_id", ["101", None, True, 1.5, [101]])
def test_an_answer_whose_message_id_is_no_number_leaves_the_outcome_unknown(message_id):
    body = {"ok": True, "result": {"message_id": message_id}}
    assert isinstance(outcome(HttpResponse(200, body)), SendUnknown)
