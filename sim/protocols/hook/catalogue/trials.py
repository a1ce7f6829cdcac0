"""Rows that neither a frame nor a trace can show: the code itself is put to the test.

A trial asks the same question of two subjects, the one that is shipped and one
that is wrong on purpose: the first must pass, the second must not.
"""

from __future__ import annotations

import copy
import json
import tracemalloc
from collections.abc import Iterable
from typing import Any, Final

from sim.protocols.catalogue import Subject, Trial
from sim.protocols.hook.constants import SUPPORTED_IMAGE_MIME_TYPES
from sim.protocols.hook.frames import MESSAGES
from sim.protocols.hook.parse import parse_hook_message, serialize_hook_message
from sim.protocols.hook.predicates import is_supported_image_mime

# -- HK-204 ------------------------------------------------------------------------------

_ODD: Final = ('"\\\u2028\u0000', "\ud83d", "é😀", " ", "a" * 3000)


def _examples() -> Iterable[dict[str, Any]]:
    for cls in MESSAGES.values():
        yield cls.enclose("f-1", 1760000000000, copy.deepcopy(cls.EXAMPLE))
    for text in _ODD:
        progress = MESSAGES["turn.progress"]
        yield progress.enclose(text, -0.5, {"requestId": text, "text": text, "more": [1.5, None]})


def _comes_back(serialize: Subject) -> str:
    """Each frame survives being written and read."""
    for frame in _examples():
        verdict = parse_hook_message(serialize(frame))
        if verdict.message is None:
            return f"{frame['type']} is refused when it comes back: {verdict.error}"
        if verdict.message.wire != frame:
            return f"{frame['type']} comes back changed"
    return ""


def _tidying(frame: Any) -> str:
    """A serializer that trims texts."""
    text = json.dumps(frame)
    return text.replace('" "', '""').replace("\\u0000", "")


# -- HK-31 -------------------------------------------------------------------------------

OLD_FLOWS: Final = {
    "bind.start": '{"teamId":"T1"}',
    "bind.revoke": '{"teamId":"T1","pendingOnly":true}',
    "bind.state": '{"bindings":[{"teamId":"T1","teamName":"Acme","slackUserId":"U1",'
    '"slackUserName":"alice"}]}',
    "prefs.get": '{"requestId":"q-1"}',
}
"""What the builders of the first revision write, letter for letter."""


def _as_before(write: Subject) -> str:
    for kind, text in OLD_FLOWS.items():
        if write(MESSAGES[kind].from_wire(json.loads(text))) != text:
            return f"{kind} is not written as it used to be"
    return ""


def _written(body: Any) -> str:
    return serialize_hook_message(body.to_wire())


def _renaming(body: Any) -> str:
    """A builder that gives fields newer names."""
    return _written(body).replace("requestId", "queryId").replace("teamId", "workspaceId")


# -- HK-202 ------------------------------------------------------------------------------

_SPELLINGS: Final = ("{}", " {} ", "\t{}\n")


def _same_pictures(takes: Subject) -> str:
    """All spellings of the four types are pictures, and nothing else is."""
    for name in (*SUPPORTED_IMAGE_MIME_TYPES, "image/jpg"):
        for spelling in _SPELLINGS:
            for text in (spelling.format(name), spelling.format(name.upper())):
                if not takes(text):
                    return f"{text!r} is not taken for a picture"
    for other in ("image/svg+xml", "image/png; charset=x", "text/plain", "", None, 7):
        if takes(other):
            return f"{other!r} is taken for a picture"
    return ""


# -- HK-135 ------------------------------------------------------------------------------

CHATS: Final = 20_000
SPARE_BYTES: Final = 200_000


def _in_one_pass(parse: Subject) -> str:
    """A large list of chats is checked without a copy of it."""
    state = MESSAGES["provider.behavior.state"]
    chats = {f"-{n}": "always" for n in range(1, CHATS)}
    frame = state.enclose("f-1", 1, {**state.EXAMPLE, "groupActivation": chats})
    parse(frame)
    tracemalloc.start()
    try:
        verdict = parse(frame)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    if not verdict.ok:
        return f"the large list is refused: {verdict.error}"
    return "" if peak < SPARE_BYTES else f"checking {CHATS} chats takes {peak:,} bytes more"


def _copying(frame: Any) -> Any:
    """A parser that makes a list of the chats first."""
    verdict = parse_hook_message(frame)
    chats = [(chat + "", value) for chat, value in frame["payload"]["groupActivation"].items()]
    return verdict if chats else None


TRIALS: Final = (
    Trial("HK-31", "old flows as before", "it is about the builders' output over the years",
          _as_before, _written, _renaming),
    Trial("HK-135", "chats in one pass", "memory leaves no trace",
          _in_one_pass, parse_hook_message, _copying),
    Trial("HK-202", "the same pictures", "attachments are opaque to a trace",
          _same_pictures, is_supported_image_mime,
          lambda mime: mime in SUPPORTED_IMAGE_MIME_TYPES),
    Trial("HK-204", "there and back", "a trace holds frames, not their texts",
          _comes_back, serialize_hook_message, _tidying),
)  # fmt: skip
