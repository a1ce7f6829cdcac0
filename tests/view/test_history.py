"""What readers of a channel see, where the channel tells it in notes and has an API of its own."""

from sim.channel.api import Done, PersonSaid, PostMessage, Refused, Toast
from sim.channel.history import History
from sim.channel.recorded import noted, record_of
from sim.core.event import Noted
from sim.core.trace import decode_event, encode_event


def told(*notes):
    history = History()
    for n, (what, data) in enumerate(notes):
        history.on(Noted(n, n * 1000, -1, "telegram", what, data))
    return history


POST = ("applied", {"request": PostMessage("-1", None, "Answer?", role="prompt"),
                    "reply": Done("101"), "by": "listener"})  # fmt: skip
SAID = PersonSaid("e1", "-1", None, "102", "Alice", "blue", True)


def test_a_note_of_a_post_says_who_has_posted_and_whether_it_opens_a_reply():
    message = told(POST).get("telegram", "101")
    assert (message.author, message.by_bot, message.forces_reply) == ("listener", True, True)


def test_a_refused_post_and_a_note_of_that_name_without_a_reply_show_nothing():
    post = PostMessage("-1", None, "Answer?")
    notes = [("applied", {"request": post, "reply": Refused("too_long")}), ("applied", {"n": 1})]
    assert not told(*notes).messages


def test_a_reply_of_a_person_tells_what_it_replies_to():
    history = told(POST, ("said", {"event": SAID, "reply_to": "101"}))
    assert history.get("telegram", "102").reply_to == "101"
    assert told(("said", {"event": SAID})).get("telegram", "102").reply_to == ""


def test_a_reworded_text_is_one_more_look_of_the_message():
    note = ("reworded", {"message": "102", "text": "green", "person": "Alice"})
    message = told(("said", {"event": SAID}), note).get("telegram", "102")
    assert [look.text for look in message.versions] == ["blue", "green"]
    assert (message.edits, message.now.by, message.now.n) == (1, "Alice", 1)
    assert not told(note).messages


def test_a_toast_belongs_to_the_message_whose_button_was_pressed():
    toast = Toast("Bob", "101", "sent")
    history = told(
        POST, ("toasted", {"toast": toast}), ("toasted", {"toast": Toast("Bob", "9", "x")})
    )
    assert [(one.n, one.toast) for one in history.get("telegram", "101").toasts] == [(1, toast)]
    assert [one.toast.text for one in history.toasts] == ["sent", "x"]


def test_notes_of_a_file_get_their_values_back():
    for what, data in (POST, ("toasted", {"toast": Toast("Bob", "101", "sent")})):
        event = Noted(0, 0, -1, "telegram", what, data)
        assert noted(decode_event(encode_event(event))) == event


def test_what_is_no_value_of_a_channel_stays_as_it_is():
    for value in (None, 7, {"is": "unheard-of"}, {"is": "toast"}, {"is": "toast", "person": 1}):
        assert record_of(value) == value
    assert noted(Noted(0, 0, -1, "h", "log", "text")).data == "text"
