"""The question bridge: OpenCode's question tool, answered from a chat.

The parser, one builder and one body class per message, the serialiser. The twins are in
``opencode``, ``hook``, ``store``, ``listener`` and ``telegram``.
"""

from __future__ import annotations

from sim.protocols.question.build import (
    make_answer_callback_query,
    make_callback_query,
    make_edit_message_reply_markup,
    make_edit_message_text,
    make_get_me,
    make_get_question,
    make_get_session,
    make_get_updates,
    make_message,
    make_pending,
    make_post_question_request_id_reject,
    make_post_question_request_id_reply,
    make_question_asked,
    make_question_item,
    make_question_rejected,
    make_question_replied,
    make_returned,
    make_send_message,
    make_tool_execute_before,
)
from sim.protocols.question.messages import MESSAGES, QUESTION_MESSAGE_TYPES, shape_of
from sim.protocols.question.parse import (
    content_fault,
    parse_question_message,
    serialize_question_message,
)
from sim.protocols.question.store.entry import PendingQuestion
from sim.wire.absent import ABSENT

__all__ = [
    "ABSENT",
    "MESSAGES",
    "QUESTION_MESSAGE_TYPES",
    "PendingQuestion",
    "content_fault",
    "make_answer_callback_query",
    "make_callback_query",
    "make_edit_message_reply_markup",
    "make_edit_message_text",
    "make_get_me",
    "make_get_question",
    "make_get_session",
    "make_get_updates",
    "make_message",
    "make_pending",
    "make_post_question_request_id_reject",
    "make_post_question_request_id_reply",
    "make_question_asked",
    "make_question_item",
    "make_question_rejected",
    "make_question_replied",
    "make_returned",
    "make_send_message",
    "make_tool_execute_before",
    "parse_question_message",
    "serialize_question_message",
    "shape_of",
]
