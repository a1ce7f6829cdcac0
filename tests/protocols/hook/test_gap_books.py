"""The server's settings, commands, lists, notices and tools: what each guard is for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sim.channel.api import ButtonPressed, Done, PersonSaid, Refused
from sim.core.event import Saved
from sim.core.op import Call, Erase, Save, Send, Spawn, StartTimer, Wake
from sim.protocols.hook import (
    LifecyclePreference,
    PrefsSet,
    ProviderBehaviorSet,
    ProviderPrefsSet,
    QueryRequest,
    QueryResponse,
    TaskDispatch,
    ToolRequest,
)
from sim.protocols.hook.frames import GroupActivationPatch
from sim.protocols.hook.server.accounts.pickers import Picker, Pickers
from sim.protocols.hook.server.accounts.queries import _Question
from sim.protocols.hook.server.accounts.rows import CommandRow, PresenceRow, ProviderBindingRow
from sim.protocols.hook.server.tasks import Conversation
from sim.protocols.hook.server.texts import UNBOUND_TEXT
from sim.wire.absent import ABSENT
from tests.protocols.hook.accounts_play import FEATURES, GROUP, AccountsPlay
from tests.protocols.hook.by_hand import ByHand


class Stage(AccountsPlay):
    """Alice is bound to D, which is connected on one lane; handlers can be moved by hand."""

    def __init__(self, lane: str = "telegram", **more: Any) -> None:
        self.lane = lane
        fields = more.pop("hello", {})
        super().__init__(**{"bound": True, **more})
        self.join(lane, **fields)

    @property
    def server(self) -> Any:
        return self.world.hosts["S"].actor

    @property
    def books(self) -> Any:
        return self.server.books

    @property
    def socket(self) -> Any:
        return self.server.memory.desks[self.lane, "D"].socket

    def hand(self, run: Any, *answers: Any) -> ByHand:
        return ByHand(self.world, "S", run, *answers)

    def command(self, word: str = "/bind", person: str = "Alice", **more: Any) -> CommandRow:
        channel = {"slack": "IM", "telegram": "TG"}[self.lane]
        fields = {"chat": "10001", "thread": None, "team": "T1", "at_us": 0, **more}
        return CommandRow("e9", channel, self.lane, person=person, word=word, **fields)

    def said(self, text: str, chat: str = "10001", **more: Any) -> PersonSaid:
        return PersonSaid("e8", chat, None, "m8", "Alice", text, more.pop("to_bot", True), **more)


def sent(run: ByHand) -> list[str]:
    return [op.frame.type for op in run.asked(Send)]


# -- behaviour ------------------------------------------------------------------------------


def setting(play: Stage, binding: str = "telegram-Alice", **fields: Any) -> ByHand:
    body = ProviderBehaviorSet(
        request_id="q1", provider="telegram", binding_id=binding, **fields
    )  # fmt: skip
    return play.hand(play.books.behaviors.set(play.socket, body))


def test_only_telegram_has_quotes_and_emoji() -> None:
    manners = Stage().books.behaviors.manners
    assert manners("telegram", "Alice", "10001").emoji != "off"
    assert (manners("x", "Alice", "10001").emoji, manners("x", "Alice", "10001").quote) == (
        "off",
        "off",
    )


def test_behaviour_of_a_binding_that_is_not_ones_own_is_not_changed() -> None:
    """HK-134"""
    group = GroupActivationPatch(chat_id=GROUP, value="always")
    run = setting(Stage(), "telegram-Bob", reply_quote_dm="all", group_activation=group).finish()
    assert (run.asked(Save), sent(run)) == ([], ["provider.behavior.state"])


def test_whoever_is_gone_when_behaviour_is_stored_is_told_nothing() -> None:
    play = Stage()
    run = setting(play, reply_quote_dm="all").behind(Save)
    play.cut()
    assert run.finish().asked(Send) == []


@pytest.mark.parametrize(("off", "kept"), [((), "all"), (("override_kept",), "all")])
def test_a_choice_that_is_no_default_is_kept(off: tuple[str, ...], kept: str) -> None:
    """HK-128"""
    play = Stage(off=off)
    setting(play, reply_quote_dm="all").finish()
    assert play.books.behaviors.effective("telegram-Alice")["reply_quote_dm"] == kept
    assert play.rows("behavior/")[0].reply_quote_dm == kept


def test_a_patch_that_says_nothing_is_not_stored() -> None:
    play = Stage()
    assert setting(play).finish().asked(Save) == []
    assert play.rows("behavior/") == []


# -- what is said ---------------------------------------------------------------------------


def test_on_slack_start_is_a_task_like_any_other() -> None:
    play = Stage("slack")
    play.types("/start abcdefghijklmnopq")
    assert [t.prompt for t in play.got(TaskDispatch)] == ["/start abcdefghijklmnopq"]


@pytest.mark.parametrize(
    ("lane", "chat", "addressed"),
    [("telegram", GROUP, True), ("telegram", "10001", False), ("slack", GROUP, False),
     ("x", GROUP, False)],
)  # fmt: skip
def test_only_a_telegram_group_can_do_without_mentions(
    lane: str, chat: str, addressed: bool
) -> None:
    """HK-130"""
    play = Stage()
    for binding in ("telegram-Alice", "x-Alice"):
        play.books.behaviors._groups[binding] = {GROUP: "always", "10001": "always"}
    assert play.books.addressed(lane, play.said("hi", chat, to_bot=False)) is addressed
    assert play.books.addressed(lane, play.said("hi", chat, to_bot=True))


def test_a_timer_of_no_book_does_nothing() -> None:
    play = Stage("slack", announces=True)
    play.books.lifecycle._wanted["D"] = None
    assert play.hand(play.books.due("nonsense", "D")).finish().ops == []
    assert len(play.hand(play.books.due("presence", "D")).finish().asked(Save)) == 1
    play.run(1)


# -- briefing -------------------------------------------------------------------------------


def test_a_task_of_somebody_who_is_bound_no_more_has_no_options() -> None:
    play = Stage()
    place = SimpleNamespace(lane="telegram", team="")
    task = SimpleNamespace(conversation=place, person="Carol")
    assert play.books.briefing.options(task, "chat") is ABSENT


def test_a_dispatch_says_its_team_where_both_know_of_teams() -> None:
    """HK-102"""
    play = Stage("slack")
    play.types("one")
    play.ack(play.dispatched()[0].request_id)
    play.cut()
    play.join("slack", features=())
    play.types("two")
    sources = [(t.prompt, t.source.team_id, t.source.team_name) for t in play.dispatched()]
    assert sources[0] == ("one", "T1", ABSENT)
    assert sources[-1] == ("two", ABSENT, ABSENT)


def test_only_telegram_says_which_message_asked() -> None:
    """HK-165"""
    for lane, channel, told in (("slack", "IM", False), ("telegram", "TG", True)):
        play = Stage(lane)
        play.types("one", channel=channel)
        (task,) = play.dispatched()
        assert (task.source.trigger_message_id is not ABSENT) is told


# -- commands -------------------------------------------------------------------------------


def test_a_command_of_somebody_who_is_not_bound_is_not_stored() -> None:
    play = Stage("slack", bound=False)
    play.types("/bind")
    assert [e for e in play.events(Saved) if e.key.startswith("command/")] == []
    assert play.notices() == [UNBOUND_TEXT]


def test_a_command_of_somebody_who_is_bound_no_more_is_answered_so() -> None:
    play = Stage("slack")
    run = play.hand(play.books.commands._answer(play.command(person="Carol")), Done()).finish()
    assert [op.request.text for op in run.asked(Call)] == [UNBOUND_TEXT]


def test_a_command_that_has_its_card_asks_for_no_list() -> None:
    play = Stage("slack")
    command = play.command()
    play.books.pickers._by_event["e9"] = Picker(command, "", "?", [])
    run = play.hand(play.books.commands._run(command)).finish()
    assert [type(op) for op in run.ops] == [Erase]


def test_all_sockets_of_a_lane_are_offered_the_same() -> None:
    offer = Stage().server.memory.offer
    assert offer.on("slack") is offer.on("slack")


# -- groups ---------------------------------------------------------------------------------


def test_who_speaks_twice_in_a_group_joins_it_once() -> None:
    play = Stage()
    for text in ("one", "two"):
        play.types(text, channel="TG", chat=GROUP)
    assert len([e for e in play.events(Saved) if e.key.startswith("member/")]) == 1


def test_the_last_device_of_an_account_is_its_own() -> None:
    play = Stage()
    for who, device in (("Bob", "D2"), ("Alice", "D")):
        row = ProviderBindingRow(f"b-{who}", "telegram", device, who, who, who, "s", "REVOKED")
        play.world.hosts["S"].store.put(f"provider-binding/b-{who}", row)
    assert play.books.relay._last_device("Alice") == "D"
    assert play.books.relay._last_device("Carol") is None


def test_a_desktop_that_is_bound_no_more_gets_nothing_that_was_kept() -> None:
    play = Stage(bound=False)
    play.books.relay._kept = {"D": [SimpleNamespace()]}
    assert play.hand(play.books.relay.welcomed(play.socket)).finish().ops == []


# -- presence -------------------------------------------------------------------------------


def presence(online: bool, **more: Any) -> Stage:
    play = Stage("slack", announces=True, hello={"features": FEATURES["slack"]}, **more)
    play.books.lifecycle._told["D"] = online
    play.books.lifecycle._wanted["D"] = None
    return play


def timers(run: ByHand) -> int:
    return len(run.finish().asked(StartTimer))


def test_only_who_was_told_as_online_may_have_gone_while_the_server_was_down() -> None:
    """hook RC-84"""
    for online in (False, True):
        play = Stage("slack", announces=True)
        play.books.lifecycle._wanted.clear()
        play.world.hosts["S"].store.put("presence/D", PresenceRow(online))
        assert timers(play.hand(play.books.lifecycle.resume())) == online
        assert ("D" in play.books.lifecycle._wanted) is online


def test_a_desktop_that_is_known_to_be_online_is_not_looked_after() -> None:
    wish = LifecyclePreference(enabled=True)
    for online in (True, False):
        play = presence(online)
        book = play.books.lifecycle
        assert timers(play.hand(book.welcomed(play.socket))) == (not online)
        play.socket.offered = (*play.socket.offered, "lifecycle-announcement-v1")
        assert timers(play.hand(book.preference(play.socket, wish))) == (not online)


def test_a_server_that_announces_nothing_takes_no_wishes() -> None:
    play = Stage("slack", announces=False)
    play.socket.offered = (*play.socket.offered, "lifecycle-announcement-v1")
    wish = LifecyclePreference(enabled=True)
    assert play.hand(play.books.lifecycle.preference(play.socket, wish)).finish().ops == []
    assert "D" not in play.books.lifecycle._wanted


def test_who_wants_no_notices_is_forgotten_where_something_is_known() -> None:
    play = presence(True)
    play.world.hosts["S"].store.drop("presence/D")
    book = play.books.lifecycle
    assert play.hand(book._unwanted("D")).finish().ops == []
    play.world.hosts["S"].store.put("presence/D", PresenceRow(True))
    assert len(play.hand(book._unwanted("D")).finish().asked(Erase)) == 1


def test_only_a_slack_desktop_that_wants_notices_is_missed() -> None:
    play = presence(True)
    desk, lost = play.server.memory.desk, play.books.lifecycle.lost
    assert timers(play.hand(lost(desk("telegram", "D")))) == 0
    assert timers(play.hand(lost(desk("slack", "D2")))) == 0
    assert timers(play.hand(lost(desk("slack", "D")))) == 1


def test_only_news_that_somebody_wants_are_told() -> None:
    play = presence(True)
    book = play.books.lifecycle
    assert play.hand(book.look("D")).finish().ops == []
    book._told["D"] = False
    assert len(play.hand(book.look("D")).finish().asked(Save)) == 1
    book._told["D"] = False
    book._wanted.clear()
    assert play.hand(book.look("D")).finish().ops == []
    play.run(1)


def test_a_notice_that_nobody_wants_any_more_is_not_posted() -> None:
    """HK-30"""
    play = presence(False)
    run = play.hand(play.books.lifecycle.look("D")).behind(Save)
    play.books.lifecycle._wanted.clear()
    assert run.finish().asked(Spawn) == []


# -- cards of the server's own --------------------------------------------------------------


def picker(play: Stage, **facts: Any) -> Picker:
    made = Picker(play.command(), "", "Which?", [("web", ("web",))])
    for name, value in facts.items():
        setattr(made, name, value)
    play.books.pickers._by_event["e9"] = made
    return made


@pytest.mark.parametrize(
    ("outcome", "written", "message", "shown"),
    [("web", False, "m9", 1), ("", False, "m9", 0), ("web", True, "m9", 0), ("web", False, "", 0)],
)
def test_an_outcome_that_nobody_has_seen_is_shown_after_a_crash(
    outcome: str, written: bool, message: str, shown: int
) -> None:
    play = Stage("slack")
    picker(play, outcome=outcome, written=written).line.message = message
    run = play.hand(play.books.pickers.resume()).finish()
    assert len(run.asked(Spawn)) == shown
    play.run(1)


def test_a_card_whose_post_is_not_known_is_found_by_no_message() -> None:
    play = Stage("slack")
    store = play.world.hosts["S"].store
    for message in ("", "m9"):
        made = picker(play)
        made.line.message = message
        store.put(f"picker/e9{message}", made.row())
    play.books.pickers._by_message.clear()
    play.books.pickers.read()
    assert list(play.books.pickers._by_message) == [("IM", "m9")]


def test_a_choice_is_stored_even_where_nobody_waits_for_it() -> None:
    play = Stage("slack")
    show, posting = play.server._writing.show, SimpleNamespace(on_posted=None)
    writing: Any = SimpleNamespace(posting=posting, show=show)
    alone = Pickers(play.books.reach, writing)
    made = picker(play)
    alone._by_message["IM", "m9"] = made
    writing.posting.on_posted(SimpleNamespace(subject=None))
    press = ButtonPressed("e1", "C1", "m9", "c0", "Alice")
    run = play.hand(alone.press("IM", press)).finish()
    assert (run.result, len(run.asked(Save))) == (True, 1)
    play.run(1)


# -- settings -------------------------------------------------------------------------------


def test_whoever_is_gone_when_settings_are_stored_is_told_nothing() -> None:
    for lane in ("slack", "telegram"):
        play = Stage(lane)
        books, fields = play.books, {"request_id": "q1", "workspace": "web", "model": "opus"}
        if lane == "slack":
            run = books.slack_prefs.set(play.socket, PrefsSet(**fields))
        else:
            body = ProviderPrefsSet(
                provider="telegram", binding_id="telegram-Alice", scope_id=None, **fields
            )  # fmt: skip
            run = books.provider_prefs.set(play.socket, body)
        held = play.hand(run).behind(Save)
        play.cut()
        assert held.finish().asked(Send) == []


def test_a_choice_of_somebody_who_is_bound_no_more_is_lost() -> None:
    for lane in ("slack", "telegram"):
        play = Stage(lane)
        patch = PrefsSet(request_id="-", workspace="web", model="opus")
        for who, stored in (("Carol", 0), ("Alice", 1)):
            run = play.hand(play.books.standing.prefer(play.command(person=who), "web", patch))
            assert len(run.finish().asked(Save)) == stored


def test_a_command_is_about_the_conversation_that_there_is() -> None:
    play = Stage()
    first = play.hand(play.books.standing.conversation(play.command())).finish()
    assert len(first.asked(Save)) == 1
    again = play.hand(play.books.standing.conversation(play.command())).finish()
    assert (again.result, again.ops) == (first.result, [])
    thread = play.command(thread="77")
    latest = play.hand(play.books.standing.conversation(thread)).finish()
    assert (latest.result, latest.ops) == (first.result, [])
    topic = Conversation("telegram", "", "10001", "77")
    play.server.memory.latest["telegram", "10001", "Alice"] = topic
    here = play.hand(play.books.standing.conversation(play.command())).finish()
    assert here.result is first.result


def test_the_folder_of_a_desktop_that_is_away_is_chat() -> None:
    play = Stage(hello={"default_workspace": "web"})
    assert play.hand(play.books.standing.workspace_of(play.command())).finish().result == "web"
    play.cut()
    assert play.hand(play.books.standing.workspace_of(play.command())).finish().result == "chat"


# -- lists ----------------------------------------------------------------------------------


def test_everybody_who_waits_for_a_desktop_hears_at_once_that_it_is_back() -> None:
    play = Stage("slack")
    play.cut()
    play.types("/bind", wait=2)
    play.types("/model", wait=1.5)
    play.join("slack")
    assert "models" in [query.kind for query in play.got(QueryRequest)]
    assert play.books.queries._waiting == {}


def test_nobody_waits_for_an_answer_that_is_here() -> None:
    play = Stage("slack")
    end_us = play.world.now + 10_000_000
    run = play.hand(play.books.queries._ask(play.socket, "workspaces", end_us)).behind(Send)
    play.run(0.5)
    play.answer(workspaces=("web",))
    assert run.finish().result.workspaces == ("web",)


def test_with_late_answers_taken_one_counts_for_a_question_of_its_kind() -> None:
    """hook RC-96"""
    play = Stage("slack", off=("late_answers_dropped",))
    queries = play.books.queries
    far = play.world.now + 10_000_000
    for kind in ("workspaces", "models"):
        queries._open[kind] = _Question(play.socket, kind, far)
    body = QueryResponse(query_id="late", kind="models", ok=True, error=None, agents=())
    run = play.hand(queries.response(play.socket, body)).finish()
    assert [op.key for op in run.asked(Wake)] == ["query models"]
    assert queries._open["workspaces"].answer is None


# -- tools ----------------------------------------------------------------------------------


def test_a_tool_says_why_slack_refused() -> None:
    play = Stage("slack")
    args = {"name": "slack_post_message", "arguments": {"text": "hi", "channel": "C1"}}
    body = ToolRequest(request_id="t1", tool="callTool", args=args)
    run = play.hand(play.books.tools.request(play.socket, body), Refused("not_allowed")).finish()
    (response,) = run.asked(Send)
    assert "refused: not_allowed" in response.frame.body.error.message
