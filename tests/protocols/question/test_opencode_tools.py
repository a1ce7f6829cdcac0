"""OpenCode's tools: arguments, states, and the hook that is told before they run."""

import pytest

from sim.core import op
from sim.protocols.question import acts
from sim.protocols.question.before import BeforeTool, HookReturned
from sim.protocols.question.machine import TOOL
from sim.protocols.question.opencode.parts import output_of
from tests.protocols.question.question_play import QuestionPlay
from tests.protocols.question.test_opencode import (
    QUESTION,
    ask,
    closes,
    listed,
    opened,
    reply,
    said,
    states,
)


@pytest.mark.parametrize(
    ("answers", "output"),
    [
        ([["A"]], '"Q1"="A", "Q2"="Unanswered"'),
        ([["A", "B"], ["own"]], '"Q1"="A, B", "Q2"="own"'),
        ([[], ["x"], ["extra"]], '"Q1"="Unanswered", "Q2"="x"'),
        ([], '"Q1"="Unanswered", "Q2"="Unanswered"'),
    ],
)
def test_missing_rows_are_told_as_unanswered(answers, output):
    questions = [{"question": "Q1"}, {"question": "Q2"}]
    assert output_of(questions, answers) == said(output)


@pytest.mark.parametrize(
    "args",
    [
        None,
        {},
        {"questions": {}},
        {"questions": [5]},
        *({"questions": [{**QUESTION, **odd}]} for odd in (
            {"question": None}, {"header": 5}, {"options": {}}, {"options": [{}]},
            {"options": [{"label": "A"}]}, {"options": [{"description": "a"}]}, {"multiple": "yes"},
        )),
        {"questions": [{"question": "no header", "options": QUESTION["options"]}]},
    ],
)  # fmt: skip
def test_arguments_that_the_tool_cannot_take_end_it(args):
    play = opened(acts.RunTool(session="ses_1", args=args))
    assert (states(play), listed(play)) == (["pending", "error"], [])
    assert "called with invalid arguments" in play.notes("tool")[-1]["output"]


def test_a_call_without_a_question_is_listed_and_waits_for_an_answer():
    play = opened(acts.RunTool(session="ses_1", args={"questions": []}))
    assert listed(play) == ["que_1"]
    reply(play, "que_1", ["A"])
    assert play.notes("tool")[-1]["output"] == said("")


def test_what_an_agent_adds_to_a_question_stands_in_the_list():
    more = {"custom": False, "options": [{"label": "A", "description": "a", "value": "1"}]}
    play = opened(acts.RunTool(session="ses_1", args={"questions": [{**QUESTION, **more}]}))
    (item,) = play.http("GET", "/question", directory="/proj").body
    assert item["questions"] == [{**QUESTION, **more}]


def test_further_questions_of_an_act_get_what_the_tool_insists_on():
    play = opened(ask(more=({"question": "When?", "options": [{"label": "now"}]},)))
    (item,) = play.http("GET", "/question", directory="/proj").body
    options = [{"label": "now", "description": "now desc"}]
    assert item["questions"][1] == {"question": "When?", "header": "", "options": options}
    assert listed(opened(ask(more=({"question": "When?", "options": [5]},)))) == []


def test_items_may_lack_their_call_and_calls_their_name():
    play = opened(ask(names_call=False), ask(shows_tool=False))
    first, second = play.http("GET", "/question", directory="/proj").body
    assert "tool" not in first
    assert "tool" not in second
    assert [told["callID"] for told in play.notes("question.asked")] == ["", "call_1"]


def test_a_question_may_be_registered_late():
    play = opened(ask(listed_after_ms=1_650))
    play.run_ms(1_639.9)
    assert play.notes("question.asked") == []
    play.run_ms(0.2)
    assert len(play.notes("question.asked")) == 1


def test_calls_without_a_name_are_parts_of_messages_of_their_own():
    play = opened(ask(names_call=False), ask(names_call=False))
    messages = play.http("GET", "/session/ses_1/message").body
    assert [message["info"]["id"] for message in messages] == ["msg_1", "msg_2"]


def test_the_desk_names_a_question_by_its_id_or_its_call():
    play = opened(ask(call="c7"), ask(call="c8"), ask(call="c9"))
    play.act("opencode", acts.AnswerHere("c8", (("A",),)))
    play.act("opencode", acts.AnswerHere("que_1", (("A",),)))
    play.act("opencode", acts.DismissHere("c9"))
    assert [told[1:] for told in closes(play)] == [
        ("que_2", "tui"),
        ("que_1", "tui"),
        ("que_3", "tui"),
    ]


def test_several_questions_of_one_call_are_all_listed():
    play = opened(ask(more=(QUESTION,)))
    (item,) = play.http("GET", "/question", directory="/proj").body
    assert item["questions"] == [QUESTION, QUESTION]


@pytest.mark.parametrize("late", [False, True])
def test_an_aborted_session_ends_its_tool_and_takes_the_question_off_the_list(late):
    play = opened(ask(listed_after_ms=0 if late else 500))
    play.act("opencode", acts.AbortTool("call_1"))
    play.run_ms(1_000)
    assert listed(play) == []
    assert states(play)[-1] == "error"
    assert closes(play) == ([("question.rejected", "que_1", "abort")] if late else [])
    play.act("opencode", acts.AbortTool("call_1"))
    play.act("opencode", acts.AbortTool("nothing"))
    assert states(play).count("error") == 1


def test_names_that_an_act_has_given_are_not_drawn_again():
    play = opened(ask(request="que_1", call="call_1"), ask())
    assert listed(play) == ["que_1", "que_2"]
    assert [told["callID"] for told in play.notes("question.asked")] == ["call_1", "call_2"]


def test_a_persons_act_that_is_another_hosts_is_the_scenarios_fault():
    play = opened()
    with pytest.raises(LookupError, match="it can RunTool"):
        play.act("opencode", acts.BreakStore())
    with pytest.raises(LookupError, match="no API for 5"):
        play.tell("opencode", lambda actor: actor.on_call("x", 5))


# -- the hook


def hooked(pause_ms=0, threw=""):
    """An OpenCode whose hook is this."""
    heard = []

    async def on_call(actor, caller, request):
        heard.append(request)
        if pause_ms:
            await actor.perform(op.Sleep(pause_ms * 1_000))
        return HookReturned(threw)

    play = QuestionPlay()
    play.host("hook", on_call=on_call)
    play.opencode()
    return play, heard


def test_the_hook_is_told_before_the_tool_registers_its_question():
    play, heard = hooked(pause_ms=700)
    play.act("opencode", ask(call="call_A"), ms=600)
    assert listed(play) == []
    (message,) = play.http("GET", "/session/ses_1/message").body
    assert message["parts"][0]["state"]["status"] == "running"
    play.run_ms(150)
    assert listed(play) == ["que_1"]
    args = {"questions": [QUESTION]}
    assert heard == [BeforeTool("question", "ses_1", "call_A", args, "/proj")]
    (returned,) = play.notes("hook_returned")
    assert (returned["callID"], returned["threw"]) == ("call_A", None)


def test_the_hook_is_told_of_other_tools_too_and_they_complete():
    play, heard = hooked()
    play.act("opencode", acts.RunTool(session="ses_1", tool="bash", args={"command": "ls"}))
    assert states(play) == ["pending", "completed"]
    assert heard[0].tool == "bash"
    assert play.notes("question.asked") == []


def test_a_hook_that_throws_makes_the_tool_fail():
    play, _ = hooked(threw="boom")
    play.act("opencode", ask())
    assert states(play) == ["pending", "error"]
    assert play.notes("tool")[-1]["output"] == "boom"
    assert play.notes("hook_returned")[0]["threw"] == "boom"


def test_an_opencode_whose_plugin_is_not_there_asks_nobody():
    play, heard = hooked()
    play.crash("hook")
    play.act("opencode", ask())
    assert (listed(play), heard) == (["que_1"], [])


def test_a_plugin_that_dies_in_the_middle_of_its_call_holds_no_tool_up():
    play, heard = hooked(pause_ms=500)
    play.act("opencode", ask(), ms=100)
    assert (states(play), len(heard)) == (["pending"], 1)
    play.crash("hook")
    play.run(ms=100)
    assert (states(play), listed(play)) == (["pending", "running"], ["que_1"])
    assert play.notes("hook_returned")[0]["threw"] is None


def test_a_tool_that_is_aborted_while_the_hook_works_asks_nothing():
    play, _ = hooked(pause_ms=500)
    play.act("opencode", ask(), ms=100)
    play.act("opencode", acts.AbortTool("call_1"), ms=1_000)
    assert (states(play), listed(play)) == (["pending", "error"], [])


def test_every_row_of_the_tools_table_is_gone_through():
    TOOL.used = {}
    try:
        for path, body in (("reply", {"answers": [["A"]]}), ("reject", None)):
            opened(ask()).http("POST", f"/question/que_1/{path}", body, directory="/proj")
        test_arguments_that_the_tool_cannot_take_end_it({})
        test_a_hook_that_throws_makes_the_tool_fail()
        for late in (False, True):
            test_an_aborted_session_ends_its_tool_and_takes_the_question_off_the_list(late)
        assert set(TOOL.used) == set(TOOL.rows())
    finally:
        TOOL.used = None
