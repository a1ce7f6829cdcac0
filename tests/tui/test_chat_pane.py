"""Telegram's pane of a spelled-out Bot API: keyboard, forced reply, toasts, edits."""

import re

import pytest

from sim.channel.api import Remove, Reword
from sim.core.http import HttpRequest
from sim.core.trace import decode_event, encode_event
from sim.protocols.message_times import MessageTimes
from sim.protocols.question.telegram.plan import CHAT
from sim.view.scene import Scene
from tests.protocols.question.telegram_play import KEYBOARD, TelegramPlay
from tui.drawing import channels


class Chronicle:
    """The messages of a play at any step."""

    def __init__(self, play):
        self.times = MessageTimes(play.history)
        for event in play.world.events:
            self.times.on(event)

    def messages(self, n):
        return self.times.at(n)


class Session:
    """As much of a session as a pane asks."""

    def __init__(self, play):
        self.chronicle = Chronicle(play)
        self.plain = [decode_event(encode_event(event)) for event in play.world.events]

    def titles(self):
        return {"B": "listener", "Bob": "User Bob"}

    def named(self, name):
        return name

    told = named

    def scene(self, step):
        scene = Scene()
        for event in self.plain[: step + 1]:
            scene.on(event)
        return scene

    def event(self, n):
        return self.plain[n]


def pane(play, step=None, width=50):
    last = len(play.world.events) - 1
    look = channels.Look(Session(play), last if step is None else step, width)
    return channels.draw(look, "telegram", "telegram")


def text(lines):
    return "\n".join(one.text.rstrip() for one in lines)


def asked():
    play = TelegramPlay()
    play.send("Deploy now?", reply_markup=KEYBOARD)
    return play


def test_the_keyboard_stands_below_its_message_and_can_be_pressed():
    lines = pane(asked())
    assert "( A )\n( B )\n" in text(lines)
    acts = [span.act for one in lines for span in one.spans if span.act]
    assert acts == [
        ("press", ("telegram", "101", "qopt:aaaa0001:0")),
        ("press", ("telegram", "101", "qopt:aaaa0001:1")),
    ]


def test_an_edit_takes_the_keyboard_from_the_pane_from_its_step_on():
    play = asked()
    before = len(play.world.events) - 1
    play.result("editMessageText", chat_id=CHAT, message_id=101, text="chosen: A")
    assert "( A )" in text(pane(play, before))
    after = text(pane(play))
    assert "( A )" not in after
    assert "chosen: A" in after
    assert "history 2" in after
    assert re.search(r"buttons 2 +Deploy now\?.*\n  - +chosen: A", after)
    assert "edited 0.02s" in after


def test_a_forced_reply_is_named_and_its_answer_quotes_it():
    play = asked()
    play.send("Your answer?", reply_markup={"force_reply": True})
    assert "[opens a reply to itself]" in text(pane(play))
    play.say("use blue", reply_to="102")
    drawn = text(pane(play)).split("\n")
    place = next(n for n, one in enumerate(drawn) if "use blue" in one)
    assert drawn[place - 1] == "> Your answer?"


def test_a_toast_is_shown_with_who_saw_it_and_not_before_it_was():
    play = asked()
    play.press("A", who="Bob")
    before = len(play.world.events) - 1
    play.result("answerCallbackQuery", callback_query_id="cbq_1", text="sent \x1b[31m")
    assert "toast  User Bob < sent" in text(pane(play))
    assert "\x1b" not in text(pane(play))
    assert "toast" not in text(pane(play, before))


@pytest.mark.parametrize(("who", "shown"), [("Alice", False), ("Bob", True)])
def test_people_are_named_where_several_write(who, shown):
    play = asked()
    play.say("hello")
    play.say("hello", who=who)
    assert ("Alice  hello" in text(pane(play))) is shown


def test_what_a_person_has_changed_or_deleted_is_shown_so():
    play = asked()
    play.say("use bleu")
    play.act(Reword("Alice", "102", "use blue"))
    play.say("never mind")
    play.act(Remove("Alice", "103"))
    drawn = text(pane(play))
    assert "use blue edited" in drawn
    assert "(deleted)" in drawn
    assert "never mind" not in drawn


def test_what_the_api_has_refused_last_is_told_until_it_takes_something():
    play = asked()
    play.refused("editMessageText", chat_id=CHAT, message_id=7, text="x")
    assert "refused: 400 Bad Request: message to edit not found" in text(pane(play, width=70))
    play.send("more")
    assert "refused" not in text(pane(play))
    play.fault("post", "server_error")
    play.call("sendMessage", chat_id=CHAT, text="x")
    assert "refused: 500 Internal Server Error" in text(pane(play))


def test_writes_that_are_under_way_are_told_and_polls_are_not():
    play = asked()
    play.world.act("B", HttpRequest("POST", "/bottoken-A/sendMessage", body={"text": "x"}))
    play.world.act("C", HttpRequest("GET", "/bottoken-A/getUpdates"))
    play.driver.drain()
    drawn = text(pane(play))
    assert "in flight  B > sendMessage" in drawn
    assert "getUpdates" not in drawn
    play.wait(1)
    assert "in flight" not in text(pane(play))
