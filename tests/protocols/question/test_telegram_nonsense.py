"""Whatever a bot sends, the Bot API answers; whatever it confirms, is over."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core.http import HttpRequest, HttpResponse
from sim.core.trace import decode_event, encode_event
from sim.protocols.question.hook.texts import escaped
from sim.protocols.question.telegram.entities import read_text
from sim.protocols.question.telegram.plan import CHAT
from sim.protocols.question.telegram.refusals import Refusal
from sim.protocols.question.telegram.updates import Inbox
from tests.protocols.question.telegram_play import ASKED, TelegramPlay

METHODS = (
    "getMe", "getUpdates", "sendMessage", "editMessageText", "editMessageReplyMarkup",
    "answerCallbackQuery", "deleteMessage", "deleteWebhook", "getWebhookInfo", "no", "",
)  # fmt: skip
NAMES = (
    "chat_id", "text", "message_id", "offset", "limit", "timeout", "allowed_updates",
    "reply_markup", "parse_mode", "callback_query_id", "reply_to_message_id",
    "reply_parameters", "show_alert",
)  # fmt: skip
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.sampled_from([CHAT, "7001", 101, "cbq_1", "9" * 5000, "[", "Markdown", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["inline_keyboard", "force_reply", "text", "callback_data", "message_id"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


@settings(max_examples=150)
@given(st.sampled_from(METHODS), st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6))
def test_no_call_brings_telegram_down(method, body):
    play = TelegramPlay(standing=(ASKED,))
    play.press("A")
    play.world.act("B", HttpRequest("POST", f"/bottoken-A/{method}", body=body))
    play.wait(51)
    assert len(play.answers) == 1
    answer = play.answers[0][1]
    assert isinstance(answer, HttpResponse)
    assert answer.body["ok"] is answer.is_ok
    assert all(decode_event(encode_event(event)) for event in play.world.events)


@given(st.text(alphabet="ab_*`[]()\\ \né字😀"))
def test_what_the_hook_escapes_is_shown_as_it_was(text):
    seen, entities = read_text(escaped(text), "Markdown")
    assert (seen, entities) == (text.strip(), ())


@given(st.text(alphabet="ab_*`[]()\\ é"))
def test_places_of_entities_lie_within_the_text(text):
    try:
        seen, entities = read_text(text, "Markdown")
    except Refusal:
        return
    assert all(one.length > 0 and one.offset + one.length <= len(seen) for one in entities)


ADD, AGAIN = "add", "again"


@given(st.lists(st.sampled_from([ADD, AGAIN]) | st.integers(0, 12), max_size=30))
def test_updates_come_in_order_until_confirmed_and_then_only_where_they_are_repeated(deeds):
    inbox, waiting, known, repeated = Inbox(), [], [], set()
    for deed in deeds:
        if deed == ADD:
            known.append(inbox.add("message", {}, 0))
            waiting.append(known[-1].id)
        elif deed == AGAIN:
            if known:
                inbox.repeat(known[0])
                repeated.add(known[0].id)
        else:
            offset = 9001 + deed
            inbox.confirm(offset)
            waiting = [number for number in waiting if number >= offset]
            found = [wire["update_id"] for wire in inbox.take(100, 0)]
            extra = [number for number in found if number not in waiting]
            assert [number for number in found if number in waiting] == waiting
            assert set(extra) <= repeated
            repeated -= set(extra)
