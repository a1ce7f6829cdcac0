"""Desktop twin: what was said in a group, and what a task from there is given of it."""

from __future__ import annotations

from typing import Any

from sim.protocols.hook import GroupAuthor, GroupMessage, GroupRecipient, TaskSource
from sim.protocols.hook.acts import AgentEnds, AgentProgresses, Login
from sim.protocols.hook.desktop import DesktopSettings
from tests.protocols.hook.desktop_play import Play
from tests.protocols.hook.test_desktop_bindings import TELEGRAM, confirmed, gone, notes, on_telegram

KEY = "telegram:group:u1:-1001"


def in_group(*rules_off: str, **more: Any) -> Play:
    play = on_telegram(*rules_off, **more)
    play.say(confirmed("b1", pushed=False))
    return play


def said(message: str, text: str = "", *, binding: str | None = "b1", **more: Any) -> Any:
    fields: dict[str, Any] = {
        "chat_id": "-1001",
        "thread_id": None,
        "chat_name": "dev",
        "author": GroupAuthor(name="Bob"),
        "sent_at": 1_767_225_600_000,
    }
    if binding is not None:
        fields["recipient"] = GroupRecipient(binding_id=binding, principal_id="u1")
    return GroupMessage(
        provider="telegram",
        message_id=message,
        text=text or f"text {message}",
        **{**fields, **more},
    )


def ask(play: Play, request: str, trigger: str | None = None, key: str = KEY) -> None:
    source = TaskSource(im="telegram", **({"trigger_message_id": trigger} if trigger else {}))
    play.dispatch(request, key=key, source=source)


def context(play: Play) -> list[Any]:
    return [data["lines"] for data in notes(play, "context")]


def test_a_task_gets_what_was_said_without_its_own_message_hk_166() -> None:
    for rules_off, lines in (((), ["Bob: text 1"]), (("trigger_removed",), None)):
        play = in_group(*rules_off)
        play.say(said("1"))
        play.say(said("2"))
        ask(play, "R1", "2")
        assert context(play) == [lines or ["Bob: text 1", "Bob: text 2"]]


def test_without_a_trigger_nothing_is_removed() -> None:
    play = in_group()
    play.say(said("1"))
    ask(play, "R1")
    assert context(play) == [["Bob: text 1"]]


def test_the_agent_is_told_once_hk_164() -> None:
    for rules_off, second in (((), ["Bob: text 2"]), (("context_since_cursor",), None)):
        play = in_group(*rules_off)
        play.say(said("1"))
        ask(play, "R1")
        play.do(AgentEnds(text="x"))
        play.restart_desktop()
        play.say(said("2"))
        ask(play, "R2")
        assert context(play)[-1] == (second or ["Bob: text 1", "Bob: text 2"])


def test_the_cursor_moves_when_the_agent_takes_the_task() -> None:
    play = in_group()
    ask(play, "R1")
    play.say(said("1"))
    ask(play, "R2")  # waits
    play.say(said("2"))
    assert context(play) == []
    play.do(AgentEnds(text="x", request="R1"))
    assert context(play) == [["Bob: text 1", "Bob: text 2"]]


def test_a_message_for_another_binding_is_dropped_hk_163() -> None:
    play = in_group()
    play.say(said("1", binding="b0"))
    play.say(said("2", binding=None))
    ask(play, "R1")
    assert context(play) == []
    careless = in_group("recipient_check")
    careless.say(said("1", binding="b0"))
    ask(careless, "R1")
    assert context(careless) == [["Bob: text 1"]]


def test_a_message_needs_the_recipient_feature() -> None:
    features = tuple(f for f in TELEGRAM if f != "group-relay-recipient-v1")
    play = in_group(features=features)
    play.say(said("1"))
    ask(play, "R1")
    assert context(play) == []


def test_a_message_that_comes_twice_is_kept_once() -> None:
    play = in_group()
    play.say(said("1"))
    play.say(said("1"))
    play.say(said("1", thread_id="7"))
    ask(play, "R1")
    assert context(play) == [["Bob: text 1"]]


def test_a_topic_has_a_window_of_its_own() -> None:
    play = in_group()
    play.say(said("1"))
    play.say(said("2", thread_id="7"))
    ask(play, "R1", key=KEY + ":7")
    assert context(play) == [["Bob: text 2"]]


def test_an_opaque_key_is_placed_by_the_message_that_asks_hk_07() -> None:
    play = in_group()
    play.say(said("1"))
    play.say(said("2"))
    ask(play, "R1", "2", key="anything")
    ask(play, "R2", key="something else")
    assert context(play) == [["Bob: text 1"]]


def test_a_group_task_of_another_principal_is_refused_and_may_come_again_rc_94() -> None:
    play = in_group()
    ask(play, "R1", key="telegram:group:u0:-1001")
    assert play.last("task.ack").reason == "invalid"
    play.say(gone("revoked", "b1"))
    ask(play, "R2")
    assert play.last("task.ack").reason == "invalid"
    play.close()
    play.pass_time(3)
    play.say(confirmed("b2", pushed=False))
    ask(play, "R2")
    assert play.last("task.ack").result == "accepted"
    careless = in_group("group_principal")
    ask(careless, "R1", key="telegram:group:u0:-1001")
    assert careless.last("task.ack").result == "accepted"


def test_context_has_limits_in_lines_and_characters() -> None:
    settings = DesktopSettings(context_rows=3, context_line_chars=20, context_chars=45)
    play = in_group(settings=settings)
    for n in range(6):
        play.say(said(str(n), "x" * (100 if n == 5 else 5)))
    ask(play, "R1")
    [lines] = context(play)
    assert lines == ["Bob: xxxxx", "Bob: xxxxx", "Bob: " + "x" * 14 + "…"]
    small = in_group(settings=DesktopSettings(context_chars=25))
    for n in range(6):
        small.say(said(str(n), "y" * 5))
    ask(small, "R1")
    assert context(small) == [["Bob: yyyyy", "Bob: yyyyy"]]


def test_a_full_window_forgets_the_oldest_tenth() -> None:
    play = in_group(settings=DesktopSettings(group_rows=10))
    for n in range(11):
        play.say(said(str(n)), 0.1)
    assert len(play.host.store.items("group/")) == 9
    play.restart_desktop()
    play.say(said("11"))
    ask(play, "R1")
    assert context(play)[0][0] == "Bob: text 2"


def test_files_are_named_in_the_line() -> None:
    play = in_group()
    play.say(said("1", "look", file_names=("a.txt", "b.txt")))
    ask(play, "R1")
    assert context(play) == [["Bob: look [a.txt, b.txt]"]]


def test_another_account_tells_the_group_of_tasks_that_nobody_will_do() -> None:
    play = in_group()
    ask(play, "R1")
    ask(play, "R2")
    play.do(Login("another"), 3)
    assert [(e.request_id, e.status) for e in play.frames("turn.end")] == [("R2", "cancelled")]


def test_telegram_shows_all_messages_of_a_turn_and_the_last_one_before_the_end() -> None:
    for play, second in ((in_group(), "one\n\ntwo"), (Play(), "two")):
        if play.config.lanes == ("slack",):
            play.dispatch("R1")
        else:
            ask(play, "R1")
        play.do(AgentProgresses("one"), 2)
        play.do(AgentProgresses("two", fresh=True), 2)
        assert play.last("turn.progress").text == second
        play.do(AgentProgresses("three"), 0.2)
        play.do(AgentEnds(text="done"))
        last = play.last("turn.progress").text
        assert last.endswith("three") is (play.config.lanes != ("slack",))
        assert play.types()[-1] == "turn.end"
