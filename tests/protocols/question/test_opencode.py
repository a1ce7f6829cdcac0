"""OpenCode's twin: tools and their states, the question API, the desk."""

import pytest

from sim.core import op
from sim.core.event import Saved
from sim.core.http import HttpRequest, HttpResponse
from sim.protocols.question import acts
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


def said(pairs):
    """What the tool of a real OpenCode says of these answers."""
    return (
        f"User has answered your questions: {pairs}. "
        "You can now continue with the user's answers in mind."
    )


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
    assert play.notes("tool")[-1]["output"] == said('"Deploy now?"="B"')


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
    play.act("opencode", acts.DismissHere("que_9"))
    assert listed(play) == ["que_1"]
    assert play.logs() == [
        "reply for unknown request que_9 in /proj",
        "reply for unknown request que_1 in /other",
        "reply for unknown request call_1 in /proj",
        "reject for unknown request que_9",
    ]


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


def test_a_header_names_the_project_where_the_query_does_not():
    play = opened(ask(directory="/a"), ask(directory="/b"))
    play.outsider("client")

    def asked(*query):
        headers = (("accept", "*/*"), ("x-opencode-directory", "/a"))
        request = HttpRequest("GET", "/question", query, headers=headers)
        wish = op.Call("opencode", request)
        return [item["id"] for item in play.done("client", lambda c: c.perform(wish)).body]

    assert (asked(), asked(("directory", "/b"))) == (["que_1"], ["que_2"])


def test_sessions_are_listed_with_their_projects_and_survive_a_restart():
    play = opened(ask("ses_9", directory="/b"), ask(), sessions={"ses_1": "/proj"})
    assert [one["id"] for one in play.http("GET", "/session").body] == ["ses_1", "ses_9"]
    assert [one["id"] for one in play.http("GET", "/session", directory="/b").body] == ["ses_9"]
    play.crash("opencode")
    play.restart("opencode")
    assert [one["id"] for one in play.http("GET", "/session").body] == ["ses_1", "ses_9"]
    play.act("opencode", ask("ses_9"))
    saved = [e.key for e in play.events(Saved) if e.key.startswith("session ")]
    assert saved == ["session ses_9"]


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
    named = {"sessionID": "ses_1", "messageID": "msg_call_1", "callID": "call_1"}
    asked = {"input": {"questions": [QUESTION]}}
    assert part.pop("state") == {
        "status": "completed",
        **asked,
        "output": said('"Deploy now?"="A"'),
        "title": "Asked 1 question",
        "metadata": {"answers": [["A"]], "truncated": False},
    }
    assert part == {"type": "tool", "tool": "question", **named}

    def state(session):
        return play.http("GET", f"/session/{session}/message").body[0]["parts"][0]["state"]

    assert state("ses_2") == {"status": "running", **asked}
    play.http("POST", "/question/que_2/reject", directory="/proj")
    dismissed = "Error: The user dismissed this question"
    assert state("ses_2") == {"status": "error", **asked, "error": dismissed}


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
