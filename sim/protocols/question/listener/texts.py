"""What people read in the chat. The seed fixes one text (§7.1); the others are ours."""

from __future__ import annotations

from typing import Final

from sim.protocols.question.constants import MESSAGE_CHARS, TOAST_CHARS
from sim.protocols.question.telegram.entities import units
from sim.protocols.question.texts import FAILED

EXPIRED: Final = "该问题已过期或已回答"
CLOSED: Final = "该问题已被回答或已关闭"
INVALID: Final = "无效的数据"
IN_PROGRESS: Final = "正在处理中，请稍候"
RECEIVED: Final = "已收到"
DEAD_PROMPT: Final = "该提示已失效：对应的问题已结束或已重新提问"
ASK_REPLY: Final = "请回复提示消息输入答案"
ASK_TEXT: Final = "提示消息发送失败：请回复问题消息，或直接输入文字"
ADVICE: Final = (
    "💡 请使用“回复”功能回复上面的提示消息；多个问题同时等待时，直接发送的文字可能对应错误的问题。"
)
CAUSE_STORE: Final = "无法访问待处理记录"
CAUSE_NO_MATCH: Final = "未找到对应的问题"

_NAME_CHARS: Final = 200


def clipped(text: str, most: int) -> str:
    """At most so many characters as Telegram counts them (UTF-16 units), the last an
    ellipsis where some are missing."""
    if units(text) <= most:
        return text
    kept = text[: most - 1]
    while units(kept) > most - 1:
        kept = kept[:-1]
    return kept + "…"


def toast(text: str) -> str:
    """What a toast can hold."""
    return clipped(text, TOAST_CHARS)


def chosen(label: str) -> str:
    """The option that was sent."""
    return f"✅ 已选择：{label}"


def with_choice(message: str, label: str) -> str:
    """The question's message, once it is answered."""
    line = clipped(chosen(label), MESSAGE_CHARS // 2)
    return f"{clipped(message, MESSAGE_CHARS - units(line) - 2)}\n\n{line}"


def prompt(question: str) -> str:
    """The message whose reply is the answer (§4.1 step 2)."""
    return f"✏️ 请回复此消息输入您的答案：\n{clipped(question, _NAME_CHARS)}".rstrip("：\n")


def submitted(answer: str, question: str) -> str:
    """The confirmation of a custom answer; it names the question (DQ-01)."""
    named = f"\n❓ {clipped(question, _NAME_CHARS)}" if question else ""
    return f"✅ 已提交：{clipped(answer, MESSAGE_CHARS - 2 * _NAME_CHARS)}{named}"


def failed(cause: str) -> str:
    """The seed's text, and a line that names the cause (DQ-18)."""
    return f"{FAILED}\n{clipped(cause, _NAME_CHARS)}" if cause else FAILED
