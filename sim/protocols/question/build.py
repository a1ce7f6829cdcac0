"""One builder per message, by its name.

Each takes the content's fields as keyword arguments, in Python's or the wire's spelling.
Id and time come from the host that is running, or outside of a run from the real clock.
Values are not checked. ``ABSENT`` for an argument leaves the field out.
"""

from __future__ import annotations

from typing import Final

from sim.protocols.question.messages import MESSAGES
from sim.wire.build import builder

make_tool_execute_before: Final = builder(MESSAGES["tool.execute.before"])
make_returned: Final = builder(MESSAGES["returned"])
make_get_question: Final = builder(MESSAGES["GET /question"])
make_question_item: Final = builder(MESSAGES["question.item"])
make_post_question_request_id_reply: Final = builder(MESSAGES["POST /question/{requestID}/reply"])
make_post_question_request_id_reject: Final = builder(MESSAGES["POST /question/{requestID}/reject"])
make_get_session: Final = builder(MESSAGES["GET /session"])
make_question_asked: Final = builder(MESSAGES["question.asked"])
make_question_replied: Final = builder(MESSAGES["question.replied"])
make_question_rejected: Final = builder(MESSAGES["question.rejected"])
make_pending: Final = builder(MESSAGES["pending"])
make_get_me: Final = builder(MESSAGES["getMe"])
make_get_updates: Final = builder(MESSAGES["getUpdates"])
make_send_message: Final = builder(MESSAGES["sendMessage"])
make_edit_message_text: Final = builder(MESSAGES["editMessageText"])
make_edit_message_reply_markup: Final = builder(MESSAGES["editMessageReplyMarkup"])
make_answer_callback_query: Final = builder(MESSAGES["answerCallbackQuery"])
make_callback_query: Final = builder(MESSAGES["callback_query"])
make_message: Final = builder(MESSAGES["message"])
