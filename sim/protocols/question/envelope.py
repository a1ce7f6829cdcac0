"""How this program writes down what crosses, and who says what to whom.

Nothing in this protocol is framed: requests are told apart by method and path, updates by
their key. A *message* here is one of them with its name: ``is``, an ``id``, the time
``at`` (Unix ms), and its ``content``: path parameters, query and body of a request in one
object, as :mod:`sim.protocols.question.says` reads them.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from sim.protocols.question import says
from sim.protocols.question.constants import HOOK, LISTENER, OPENCODE, STORE, TELEGRAM
from sim.wire.declare import Body, Record, record, wire
from sim.wire.linkage import JsonObject, Wire
from sim.wire.spec import SOME_TEXT, AnyObject, Number

TYPE_KEY: Final = "is"

OPENCODE_TO_HOOK: Final = f"{OPENCODE}>{HOOK}"
HOOK_TO_OPENCODE: Final = f"{HOOK}>{OPENCODE}"
BOTH_TO_OPENCODE: Final = f"{HOOK}>{OPENCODE}|{LISTENER}>{OPENCODE}"
LISTENER_TO_OPENCODE: Final = f"{LISTENER}>{OPENCODE}"
OPENCODE_TO_LISTENER: Final = f"{OPENCODE}>{LISTENER}"
OPENCODE_ITSELF: Final = f"{OPENCODE}>{OPENCODE}"
BOTH_TO_TELEGRAM: Final = f"{HOOK}>{TELEGRAM}|{LISTENER}>{TELEGRAM}"
LISTENER_TO_TELEGRAM: Final = f"{LISTENER}>{TELEGRAM}"
TELEGRAM_TO_LISTENER: Final = f"{TELEGRAM}>{LISTENER}"
BOTH_TO_STORE: Final = f"{HOOK}>{STORE}|{LISTENER}>{STORE}"


@record()
class Envelope(Record):
    """What stands around each content."""

    id: str = wire(SOME_TEXT)
    at: int | float = wire(Number(finite=True))
    content: dict[str, Any] = wire(AnyObject())


class QuestionBody(Body):
    """A content of this protocol; its name stands in the envelope."""

    __slots__ = ()

    @classmethod
    def enclose(cls, id: str, ts: int | float, payload: JsonObject, sender: str = "") -> JsonObject:
        """The decoded message around a content; the envelope names no sender."""
        return {TYPE_KEY: cls.TYPE, "id": id, "at": ts, "content": payload}

    @classmethod
    def payload_in(cls, frame: Wire) -> Wire:
        """The content of a decoded message, or of a request as a trace has it."""
        content: Wire = frame["content"] if "content" in frame else says.told(frame)[1]
        return content

    @classmethod
    def frame_schema(cls, payload: JsonObject) -> JsonObject:
        """JSON Schema of a whole message of this name."""
        number = {"type": "number", "minimum": -sys.float_info.max, "maximum": sys.float_info.max}
        return {
            "type": "object",
            "properties": {
                TYPE_KEY: {"const": cls.TYPE},
                "id": {"type": "string", "minLength": 1},
                "at": number,
                "content": payload,
            },
            "required": [TYPE_KEY, "id", "at", "content"],
        }
