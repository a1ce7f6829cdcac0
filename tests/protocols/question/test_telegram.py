"""The Bot API: what a bot's calls give, and what readers see of them."""

import pytest

from sim.channel.api import Remove, Reword
from sim.protocols.question.telegram import BotAccount
from sim.protocols.question.telegram.plan import CHAT
from tests.protocols.question.telegram_play import ASKED, KEYBOARD, TelegramPlay

FORCE = {"force_reply": True, "selective": False}


def button(data="x", **more):
    return {"inline_keyboard": [[{"text": "A", "callback_data": data, **more}]]}


# -- who may call


def test_a_bot_is_known_by_its_token_and_a_method_by_its_name():
    play = TelegramPlay()
    assert play.result("getMe")["username"] == "perm_bot"
    assert play.call("GETME").status == 200
    assert play.call("getMe", token="wrong").body == {
        "ok": False,
        "error_code": 401,
        "description": "Unauthorized",
    }
    assert play.refused("getFun") == (404, "Not Found")


# -- messages


def test_a_message_with_a_keyboard_is_what_readers_see():
    play = TelegramPlay()
    sent = play.send(reply_markup=KEYBOARD)
    assert (sent["message_id"], sent["chat"]["id"]) == (101, int(CHAT))
    assert sent["reply_markup"] == KEYBOARD
    assert sent["from"]["is_bot"] is True
    shown = play.message("101")
    assert (shown.text, shown.author, shown.by_bot) == ("Deploy now?", "B", True)
    assert [(b.label, b.id) for b in shown.buttons] == [
        ("A", "qopt:aaaa0001:0"),
        ("B", "qopt:aaaa0001:1"),
    ]
    assert not shown.forces_reply


def test_a_forced_reply_is_seen_as_one():
    play = TelegramPlay()
    play.send("Your answer?", reply_markup=FORCE)
    assert play.message("101").forces_reply
    assert play.labels("101") == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"chat_id": "-5", "text": "x"}, "chat not found"),
        ({"chat_id": "7", "text": "x"}, "chat not found"),
        ({"text": "x"}, "chat not found"),
        ({"chat_id": CHAT}, "message text is empty"),
        ({"chat_id": CHAT, "text": " \n"}, "message text is empty"),
        ({"chat_id": CHAT, "text": "x" * 4097}, "message is too long"),
        ({"chat_id": CHAT, "text": "😀" * 4097}, "message is too long"),
        ({"chat_id": CHAT, "text": "x", "parse_mode": "Markup"}, "unsupported parse_mode"),
        ({"chat_id": CHAT, "text": "x", "reply_markup": "{"}, "can't parse reply_markup"),
        ({"chat_id": CHAT, "text": "x", "reply_markup": [1]}, "object expected"),
        ({"chat_id": CHAT, "text": "x", "reply_markup": button("")}, "BUTTON_DATA_INVALID"),
        ({"chat_id": CHAT, "text": "x", "reply_markup": button("x" * 65)}, "BUTTON_DATA_INVALID"),
        ({"chat_id": CHAT, "text": "x", "reply_markup": button("字" * 22)}, "BUTTON_DATA_INVALID"),
        ({"chat_id": CHAT, "text": "x", "reply_markup": button(text="")}, "text must be"),
        ({"chat_id": CHAT, "text": "x", "reply_markup": button(None)}, "text buttons"),
        ({"chat_id": CHAT, "text": "x", "reply_to_message_id": 999}, "replied not found"),
        ({"chat_id": CHAT, "text": "x", "reply_to_message_id": "last"}, "must be an integer"),
    ],
)
def test_a_message_that_telegram_would_not_take_is_refused(body, told):
    play = TelegramPlay()
    status, description = play.refused("sendMessage", **body)
    assert status == 400
    assert told in description
    assert not play.history.messages


def test_what_just_fits_is_taken():
    play = TelegramPlay()
    play.send("😀" * 4096, reply_markup=button("字" * 21 + "x"))
    assert play.labels("101") == ["A"]


def test_parameters_may_stand_in_the_body_as_json_in_texts():
    play = TelegramPlay()
    sent = play.send(reply_markup='{"inline_keyboard":[[{"text":"A","callback_data":"d"}]]}')
    assert sent["reply_markup"]["inline_keyboard"][0][0]["callback_data"] == "d"


# -- old Markdown


@pytest.mark.parametrize(
    ("text", "seen", "kinds"),
    [
        ("*Pick*: _now_", "Pick: now", ["bold", "italic"]),
        ("`a_b` ok", "a_b ok", ["code"]),
        ("```x*y``` [here](http://h)", "x*y here", ["pre", "text_link"]),
        (r"a\_b \*c \[d \`", "a_b *c [d `", []),
        (r"back\slash", r"back\slash", []),
        ("**", "", None),
        ("[here] x", "here x", []),
    ],
)
def test_old_markdown_is_read_as_telegram_reads_it(text, seen, kinds):
    play = TelegramPlay()
    if kinds is None:
        assert (
            "text is empty"
            in play.refused("sendMessage", chat_id=CHAT, text=text, parse_mode="Markdown")[1]
        )
        return
    sent = play.send(text, parse_mode="Markdown")
    assert sent["text"] == seen
    assert [one["type"] for one in sent.get("entities", [])] == kinds


@pytest.mark.parametrize(
    ("text", "offset"), [("snake_case", 5), ("é*", 2), ("[x", 0), ("a `b", 2), ("```x``", 0)]
)
def test_a_mark_that_nothing_closes_is_refused(text, offset):
    play = TelegramPlay()
    body = {"chat_id": CHAT, "text": text, "parse_mode": "Markdown"}
    assert play.refused("sendMessage", **body)[1].endswith(f"byte offset {offset}")
    assert play.send(text)["text"] == text


# -- edits


def test_an_edit_of_the_text_takes_the_keyboard_away():
    play = TelegramPlay()
    play.send(reply_markup=KEYBOARD)
    edited = play.result("editMessageText", chat_id=int(CHAT), message_id=101, text="chosen: A")
    assert "reply_markup" not in edited
    shown = play.message("101")
    assert (shown.text, play.labels("101"), shown.edits) == ("chosen: A", [], 1)


def test_an_edit_of_the_keyboard_leaves_the_text():
    play = TelegramPlay()
    play.send("*Deploy* now?", parse_mode="Markdown", reply_markup=KEYBOARD)
    edit = {"chat_id": CHAT, "message_id": 101, "reply_markup": {"inline_keyboard": []}}
    edited = play.result("editMessageReplyMarkup", **edit)
    assert edited["entities"][0]["type"] == "bold"
    assert (play.message("101").text, play.labels("101")) == ("Deploy now?", [])
    status, told = play.refused("editMessageReplyMarkup", **edit)
    assert (status, told.partition(":")[2][:27]) == (400, " message is not modified: sp"[:27])
    assert play.message("101").edits == 1


def test_an_edit_that_changes_nothing_is_refused_only_by_a_strict_telegram():
    for strict in (True, False):
        play = TelegramPlay(strict=strict)
        play.send()
        body = {"chat_id": CHAT, "message_id": 101, "text": "Deploy now?"}
        assert (play.call("editMessageText", **body).status == 400) is strict


def test_only_the_own_messages_of_a_bot_in_that_chat_can_be_changed():
    other = BotAccount("token-B", "napsta_bot")
    play = TelegramPlay(bots=(BotAccount(), other), groups=("-2",))
    play.send()
    play.say("hello")
    body = {"chat_id": CHAT, "text": "new"}
    found = {
        "another bot's": play.refused("editMessageText", message_id=101, token="token-B", **body),
        "a person's": play.refused("editMessageText", message_id=102, **body),
        "missing": play.refused("editMessageText", message_id=103, **body),
        "elsewhere": play.refused("editMessageText", message_id=101, chat_id="-2", text="new"),
    }
    assert {k: v[1].rpartition(" ")[2] for k, v in found.items()} == {
        "another bot's": "edited",
        "a person's": "edited",
        "missing": "found",
        "elsewhere": "found",
    }
    assert play.message("101").text == "Deploy now?"


def test_a_keyboard_is_all_that_an_edit_can_hang_below_a_message():
    play = TelegramPlay()
    play.send()
    edit = {"chat_id": CHAT, "message_id": 101, "reply_markup": FORCE}
    assert "inline keyboard expected" in play.refused("editMessageReplyMarkup", **edit)[1]


def test_a_deleted_message_can_be_neither_changed_nor_deleted_again():
    play = TelegramPlay()
    play.send()
    play.send("another")
    assert play.result("deleteMessage", chat_id=CHAT, message_id=101) is True
    play.act(Remove("Bob", "102"))
    assert play.message("101").deleted
    assert play.message("102").deleted
    assert play.refused("deleteMessage", chat_id=CHAT, message_id=101)[0] == 400
    body = {"chat_id": CHAT, "message_id": 102, "text": "new"}
    assert "to edit not found" in play.refused("editMessageText", **body)[1]


# -- haste


def test_who_writes_too_fast_in_a_group_is_told_how_long_to_wait():
    play = TelegramPlay(writes_per_minute=2)
    play.send()
    play.wait(20)
    play.send()
    answer = play.call("sendMessage", chat_id=CHAT, text="third")
    assert answer.status == 429
    assert answer.body["parameters"] == {"retry_after": 40}
    assert "retry after 40" in answer.body["description"]
    play.wait(40)
    play.send("third")
    assert play.result("sendMessage", chat_id=7001, text="direct")["chat"]["type"] == "private"


@pytest.mark.parametrize(
    ("op", "outcome", "method", "status"),
    [
        ("post", "rate_limited", "sendMessage", 429),
        ("post", "server_error", "sendMessage", 500),
        ("*", "down", "sendMessage", 502),
        ("edit", "message_not_found", "editMessageText", 400),
        ("edit", "duplicate", "editMessageText", 400),
        ("answer", "edit_refused", "answerCallbackQuery", 400),
        ("poll", "server_error", "getUpdates", 500),
        ("*", "down", "getUpdates", 502),
        ("me", "server_error", "getMe", 500),
    ],
)
def test_a_scenario_can_have_a_call_refused(op, outcome, method, status):
    play = TelegramPlay(standing=(ASKED,))
    play.press("A")
    play.fault(op, outcome, 7 if outcome == "rate_limited" else 0)
    body = {"chat_id": CHAT, "message_id": 101, "text": "t", "callback_query_id": "cbq_1"}
    answer = play.call(method, **body)
    assert answer.status == status
    if status == 429:
        assert answer.body["parameters"] == {"retry_after": 7}
    if op == "answer":
        assert "query is too old" in answer.body["description"]
    if outcome != "down":
        assert play.call(method, **body).status == 200


def test_a_fault_for_writes_leaves_polls_alone():
    play = TelegramPlay()
    play.fault("*", "server_error")
    assert play.poll() == []
    assert play.call("sendMessage", chat_id=CHAT, text="x").status == 500


def test_an_answer_that_gets_lost_was_applied_all_the_same():
    play = TelegramPlay()
    play.fault("post", "unknown")
    play.ask("sendMessage", chat_id=CHAT, text="Deploy now?", reply_markup=KEYBOARD)
    assert play.answers == []
    assert play.labels("101") == ["A", "B"]


# -- presses


def test_a_press_is_told_and_answered_by_a_toast_for_who_has_pressed():
    play = TelegramPlay(standing=(ASKED,))
    play.press("A", who="Bob")
    (update,) = play.poll()
    query = update["callback_query"]
    assert (update["update_id"], query["id"], query["data"]) == (9001, "cbq_1", "qopt:aaaa0001:0")
    assert (query["from"]["id"], query["message"]["message_id"]) == (7002, 101)
    assert query["message"]["text"] == "Deploy now?"
    assert play.result("answerCallbackQuery", callback_query_id="cbq_1", text="sent") is True
    assert play.toasts() == [("Bob", "101", "sent")]
    assert [shown.toast.text for shown in play.message("101").toasts] == ["sent"]


def test_a_press_is_answered_once_for_the_person_who_looks():
    play = TelegramPlay(standing=(ASKED,))
    play.press("A")
    for text in ("first", "second"):
        assert play.result("answerCallbackQuery", callback_query_id="cbq_1", text=text) is True
    assert play.toasts() == [("Alice", "101", "first")]


def test_an_answer_without_words_shows_nothing():
    play = TelegramPlay(standing=(ASKED,))
    play.press("A")
    play.result("answerCallbackQuery", callback_query_id="cbq_1")
    assert play.toasts() == []


@pytest.mark.parametrize(("seconds", "status"), [(14.999, 200), (15.001, 400)])
def test_a_press_can_be_answered_for_fifteen_seconds(seconds, status):
    play = TelegramPlay(standing=(ASKED,))
    play.world.latencies["B", "telegram"] = (0, 0)
    play.world.hosts["telegram"].latency = (0, 0)
    play.press("A")
    play.wait(seconds)
    answer = play.call("answerCallbackQuery", callback_query_id="cbq_1", text="sent")
    assert answer.status == status
    assert len(play.toasts()) == (status == 200)


def test_a_press_that_was_never_made_or_is_another_bots_cannot_be_answered():
    play = TelegramPlay(bots=(BotAccount(), BotAccount("token-B", "napsta_bot")), standing=(ASKED,))
    play.press("A")
    assert (
        "query ID is invalid" in play.refused("answerCallbackQuery", callback_query_id="cbq_7")[1]
    )
    other = play.call("answerCallbackQuery", token="token-B", callback_query_id="cbq_1")
    assert other.status == 400


def test_a_toast_has_two_hundred_signs_at_most():
    play = TelegramPlay(standing=(ASKED,))
    play.press("A")
    body = {"callback_query_id": "cbq_1"}
    assert "TOO_LONG" in play.refused("answerCallbackQuery", text="字" * 201, **body)[1]
    assert play.result("answerCallbackQuery", text="字" * 200, **body) is True


def test_a_button_that_is_gone_can_still_be_pressed_by_its_label_or_data():
    play = TelegramPlay(standing=(ASKED,))
    play.result("editMessageText", chat_id=CHAT, message_id=101, text="closed")
    play.press("B")
    play.press("qopt:aaaa0001:0")
    play.act(Remove("Bob", "101"))
    play.press("zzz")
    queries = [update["callback_query"] for update in play.poll()]
    assert [query["data"] for query in queries] == ["qopt:aaaa0001:1", "qopt:aaaa0001:0", "zzz"]
    assert queries[0]["message"]["text"] == "closed"
    assert queries[2]["message"]["date"] == 0


def test_a_press_without_a_message_is_of_the_newest_with_that_button():
    play = TelegramPlay(standing=(ASKED,))
    again = {"inline_keyboard": [[{"text": "A", "callback_data": "qopt:bbbb0002:0"}]]}
    play.send(reply_markup=again)
    play.press("A", message="")
    play.press("B", message="")
    play.press("nothing", message="")
    assert [update["callback_query"]["data"] for update in play.poll()] == [
        "qopt:bbbb0002:0",
        "qopt:aaaa0001:1",
    ]


# -- texts


def test_a_text_of_a_person_is_told_with_what_it_replies_to():
    play = TelegramPlay(standing=(ASKED,))
    play.say("use blue", reply_to="101")
    (update,) = play.poll()
    said = update["message"]
    assert (said["message_id"], said["text"], said["from"]["id"]) == (102, "use blue", 7001)
    assert said["reply_to_message"]["message_id"] == 101
    assert "reply_to_message" not in said["reply_to_message"]
    assert (play.message("102").author, play.message("102").reply_to) == ("Alice", "101")


def test_a_reply_of_a_bot_quotes_and_a_deleted_message_cannot_be_replied_to():
    play = TelegramPlay()
    play.say("which?")
    play.send("that", reply_parameters={"message_id": 101})
    assert play.message("102").reply_to == "101"
    play.act(Remove("Alice", "101"))
    play.say("late", reply_to="101")
    assert "reply_to_message" not in play.poll()[-1]["message"]


def test_a_text_that_is_changed_is_seen_and_told_to_bots_that_want_to_know():
    play = TelegramPlay()
    play.say("use bleu")
    play.act(Reword("Alice", "101", "use blue"))
    play.act(Reword("Bob", "101", "use red"))
    assert [list(update)[1] for update in play.poll()] == ["message", "edited_message"]
    assert (play.message("101").text, play.message("101").edits) == ("use blue", 1)


def test_people_write_only_where_they_are():
    play = TelegramPlay()
    before = len(play.history.messages)
    play.say("hello", chat="-99")
    play.say("hello", chat="7002")
    play.say("hello", chat="@nobody")
    play.say("", reply_to="")
    play.say("hello", reply_to="999")
    assert len(play.history.messages) == before
    play.say("hello", chat="direct")
    assert play.poll()[0]["message"]["chat"] == {
        "id": 7001,
        "type": "private",
        "first_name": "Alice",
    }
    assert play.message("7001/101").text == "hello"


# -- privacy


@pytest.mark.parametrize(
    ("privacy", "heard"),
    [
        ("off", ["plain", "reply", "@perm_bot do", "/stop", "/stop@napsta_bot", "direct"]),
        ("replies", ["reply", "@perm_bot do", "/stop", "direct"]),
        ("on", ["direct"]),
    ],
)
def test_privacy_decides_which_texts_of_a_group_reach_a_bot(privacy, heard):
    bots = (BotAccount(privacy=privacy), BotAccount("token-B", "napsta_bot"))
    play = TelegramPlay(bots=bots, standing=(ASKED,))
    play.say("plain")
    play.say("reply", reply_to="101")
    for text in ("@perm_bot do", "/stop", "/stop@napsta_bot"):
        play.say(text)
    play.say("direct", chat="direct")
    play.say("a task", chat="@napsta_bot")
    play.press("A")
    updates = play.poll()
    assert [one["message"]["text"] for one in updates if "message" in one] == heard
    assert "callback_query" in updates[-1]
    assert play.result("getMe")["can_read_all_group_messages"] is (privacy == "off")
    other = play.call("getUpdates", token="token-B").body["result"]
    assert "a task" in [one["message"]["text"] for one in other]
