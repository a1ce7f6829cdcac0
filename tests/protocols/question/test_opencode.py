"""OpenCode's twin: tools and their states, the question API, the desk."""

import pytest

from sim.core import op
from sim.core.http import HttpRequest, HttpResponse
from sim.protocols.question import acts
from sim.protocols.question.before import BeforeTool, HookReturned
from sim.protocols.question.machine import TOOL
from sim.protocols.question.opencode.parts import output_of
from tests.protocols.question.question_play import QuestionPlay

QUESTION = {
    "question": "Deploy now?",
    "header": "Pick",
    "multiple": False,
    "options": [
        {"label": "A", "description": "A desc"},
        {"label": "B", "description": "B desc"},
    ],
}
ITEM = {
    "id": "que_1",
    "sessionID": "ses_1",
    "questions": [QUESTION],
    "tool": {"messageID": "msg_call_1", "callID": "call_1"},
}


def opened(*asked, off=(), hook="", **plan):
    """An OpenCode without a hook, and questions that have been asked."""
    play = QuestionPlay(*off)
    play.opencode(hook=hook, **plan)
    for one in asked:
        play.act("opencode", one)
    return play


def ask(session="ses_1", **more):
    return acts.Ask(session=session, **more)


def listed(play, directory="/proj"):
    answer = play.http("GET", "/question", directory=directory)
    assert answer.status == 200
    return [item["id"] for item in answer.body]


def reply(play, id, *rows, directory="/proj"):
    body = {"answers": [list(row) for row in rows]}
    return play.http("POST", f"/question/{id}/reply", body, directory=directory)


def states(play, call="call_1"):
    return [note["tool_state"] for note in play.notes("tool") if note["callID"] == call]


def closes(play):
    return [
        (event.what, event.data["requestID"], event.data["by"])
        for event in play.world.events
        if getattr(event, "what", "") in ("question.replied", "question.rejected")
    ]


# -- the API


def test_an_open_question_is_listed_with_its_session_call_and_options():
    play = opened(ask())
    answer = play.http("GET", "/question", directory="/proj")
    assert answer == HttpResponse(200, [ITEM])
    assert states(play) == ["pending", "running"]
    (told,) = play.notes("question.asked")
    assert (told["requestID"], told["callID"], told["tool_state"]) == ("que_1", "call_1", "running")


def test_a_reply_completes_the_tool_and_the_question_leaves_the_list():
    play = opened(ask())
    assert reply(play, "que_1", ["B"]) == HttpResponse(200, True)
    assert listed(play) == []
    assert states(play) == ["pending", "running", "completed"]
    (told,) = play.notes("question.replied")
    assert (told["answers"], told["by"], told["tool_state"]) == ([["B"]], "http", "completed")
    assert play.notes("tool")[-1]["output"] == (
        'User has answered your questions: "Deploy now?"="B".'
    )


def test_a_reject_ends_the_tool_with_an_error():
    play = opened(ask())
    answer = play.http("POST", "/question/que_1/reject", directory="/proj")
    assert answer == HttpResponse(200, True)
    assert (listed(play), states(play)) == ([], ["pending", "running", "error"])
    assert closes(play) == [("question.rejected", "que_1", "http")]


@pytest.mark.parametrize("first", ["reply", "reject", "tui", "dismiss"])
@pytest.mark.parametrize("second", ["reply", "reject", "tui", "dismiss"])
def test_the_first_close_wins_and_the_second_is_a_warning(first, second):
    play = opened(ask())

    def close(how, value):
        if how == "tui":
            play.act("opencode", acts.AnswerHere("que_1", ((value,),)))
        elif how == "dismiss":
            play.act("opencode", acts.DismissHere("call_1"))
        elif how == "reply":
            assert reply(play, "que_1", [value]) == HttpResponse(200, True)
        else:
            assert play.http("POST", "/question/que_1/reject", directory="/proj").body is True

    close(first, "A")
    after = (closes(play), states(play))
    close(second, "B")
    assert (closes(play), states(play)) == after
    assert len(closes(play)) == 1
    (log,) = play.notes("log")
    assert log["level"] == "warn"
    assert "que_1" in log["text"]


def test_two_replies_that_arrive_together_close_once():
    play = opened(ask())
    for name in ("P", "Q"):
        play.outsider(name)
    query = (("directory", "/proj"),)
    for name in ("P", "Q"):
        wish = HttpRequest("POST", "/question/que_1/reply", query, {"answers": [[name]]})
        play.use(name, lambda actor, w=wish: actor.perform(op.Call("opencode", w)))
    play.run()
    assert [told["answers"] for told in play.notes("question.replied")] == [[["P"]]]
    assert len(play.logs()) == 1


def test_unknown_ids_and_those_of_another_project_are_a_success_that_does_nothing():
    play = opened(ask())
    assert reply(play, "que_9", ["A"]) == HttpResponse(200, True)
    assert reply(play, "que_1", ["A"], directory="/other") == HttpResponse(200, True)
    assert reply(play, "call_1", ["A"]) == HttpResponse(200, True)
    assert (listed(play), len(play.logs())) == (["que_1"], 3)


def test_each_project_has_its_own_list():
    play = opened(
        ask(directory="/a"), ask("ses_2", directory="/b"), ask("ses_3"), directory="/home"
    )
    assert [listed(play, place) for place in ("/a", "/b", "/home", "/c")] == [
        ["que_1"],
        ["que_2"],
        ["que_3"],
        [],
    ]
    assert [item["id"] for item in play.http("GET", "/question").body] == ["que_3"]


def test_sessions_are_listed_with_their_projects_and_survive_a_restart():
    play = opened(ask("ses_9", directory="/b"), ask(), sessions={"ses_1": "/proj"})
    assert [one["id"] for one in play.http("GET", "/session").body] == ["ses_1", "ses_9"]
    assert [one["id"] for one in play.http("GET", "/session", directory="/b").body] == ["ses_9"]
    play.crash("opencode")
    play.restart("opencode")
    assert [one["id"] for one in play.http("GET", "/session").body] == ["ses_1", "ses_9"]


def test_a_restart_forgets_open_questions_and_their_ids_never_come_back():
    play = opened(ask())
    play.crash("opencode")
    play.restart("opencode")
    assert listed(play) == []
    assert reply(play, "que_1", ["A"]) == HttpResponse(200, True)
    assert closes(play) == []
    play.act("opencode", ask())
    assert listed(play) == ["que_2_1"]


def test_the_state_of_a_tool_stands_in_the_sessions_messages():
    play = opened(ask(), ask("ses_2"))
    reply(play, "que_1", ["A"])
    (message,) = play.http("GET", "/session/ses_1/message").body
    assert message["info"] == {"id": "msg_call_1", "role": "assistant", "sessionID": "ses_1"}
    (part,) = message["parts"]
    assert (part["callID"], part["state"]["status"]) == ("call_1", "completed")
    assert part["state"]["output"].endswith('"Deploy now?"="A".')


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/", None, 404),
        ("GET", "/question/que_1", None, 404),
        ("POST", "/question/que_1/answer", {}, 404),
        ("POST", "/question", None, 405),
        ("GET", "/question/que_1/reply", None, 405),
        ("GET", "/question/que_1/reject", None, 405),
        ("DELETE", "/session", None, 405),
        ("POST", "/question/que_1/reply", None, 400),
        ("POST", "/question/que_1/reply", {"answers": "A"}, 400),
        ("POST", "/question/que_1/reply", {"answers": ["A"]}, 400),
        ("POST", "/question/que_1/reply", {"answers": [["A", 5]]}, 400),
        ("POST", "/question/que_1/reply", [["A"]], 400),
    ],
)
def test_what_is_no_request_of_this_api_is_refused_and_does_nothing(method, path, body, status):
    play = opened(ask())
    assert play.http(method, path, body, directory="/proj").status == status
    assert (listed(play), closes(play)) == (["que_1"], [])


def test_ids_in_paths_are_percent_decoded():
    play = opened(ask(request="que/ä"))
    assert reply(play, "que%2F%C3%A4", ["A"]) == HttpResponse(200, True)
    assert closes(play) == [("question.replied", "que/ä", "http")]


# -- tools


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
    assert output_of(questions, answers) == f"User has answered your questions: {output}."


@pytest.mark.parametrize(
    "args",
    [None, {}, {"questions": []}, {"questions": [5]}, {"questions": [{"question": "Q"}]},
     {"questions": [{"question": "Q", "options": [{}]}]}],
)  # fmt: skip
def test_arguments_that_the_tool_cannot_take_end_it(args):
    play = opened(acts.RunTool(session="ses_1", args=args))
    assert (states(play), listed(play)) == (["pending", "error"], [])


def test_items_may_lack_their_call_and_calls_their_name():
    play = opened(ask(names_call=False), ask(shows_tool=False))
    first, second = play.http("GET", "/question", directory="/proj").body
    assert "tool" not in first
    assert "tool" not in second
    assert [told["callID"] for told in play.notes("question.asked")] == ["", "call_1"]


def test_a_question_may_be_registered_late():
    play = opened(ask(listed_after_ms=1_650))
    assert listed(play) == []
    play.run_ms(1_650)
    assert listed(play) == ["que_1"]


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


def test_a_tool_that_is_aborted_while_the_hook_works_asks_nothing():
    play, _ = hooked(pause_ms=500)
    play.act("opencode", ask(), ms=100)
    play.act("opencode", acts.AbortTool("call_1"), ms=1_000)
    assert (states(play), listed(play)) == (["pending", "error"], [])


# -- without the rules


def test_without_the_rules_a_second_close_counts_lists_show_too_much_and_tools_hang():
    play = opened(ask(), off=("first-close-wins",))
    reply(play, "que_1", ["A"])
    reply(play, "que_1", ["B"])
    play.http("POST", "/question/que_1/reject", directory="/proj")
    assert len(closes(play)) == 3
    play = opened(ask(), off=("closed-leaves-list",))
    reply(play, "que_1", ["A"])
    assert listed(play) == ["que_1"]
    play = opened(ask(), off=("reply-completes-tool",))
    reply(play, "que_1", ["A"])
    assert (listed(play), states(play)[-1]) == ([], "running")
    play = opened(ask(), off=("list-by-directory",))
    assert listed(play, "/other") == ["que_1"]


def test_every_row_of_the_tools_table_is_gone_through():
    TOOL.used = {}
    try:
        test_a_reply_completes_the_tool_and_the_question_leaves_the_list()
        test_a_reject_ends_the_tool_with_an_error()
        test_arguments_that_the_tool_cannot_take_end_it({})
        test_a_hook_that_throws_makes_the_tool_fail()
        for late in (False, True):
            test_an_aborted_session_ends_its_tool_and_takes_the_question_off_the_list(late)
        assert set(TOOL.used) == set(TOOL.rows())
    finally:
        TOOL.used = None
