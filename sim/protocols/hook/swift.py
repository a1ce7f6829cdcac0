"""Reading the usual frames at once: decoded, checked and typed by msgspec in one go.

It vouches for what it takes and says nothing of the rest: those frames, good or bad, are for
:func:`sim.protocols.hook.parse.parse_hook_message`, whose verdict it never contradicts.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Self

import msgspec

from sim.protocols.hook.constants import HOOK_MAX_FRAME_CHARS, HOOK_PROTOCOL_VERSION
from sim.protocols.hook.frames import MESSAGES, HookBody
from sim.wire.javascript import SAFE_INTEGER
from sim.wire.linkage import JsonObject
from sim.wire.mirror import Mirror, Swift, keeper, mirror, union


class SwiftFrame(msgspec.Struct, forbid_unknown_fields=True, gc=False, tag_field="type"):
    """A frame that the parser takes, and its verdict as well.

    It is used like a :class:`~sim.wire.message.Message` and like an
    :class:`~sim.wire.result.Accepted`: there may be a million of them.
    """

    type: ClassVar[str]
    sender: ClassVar[str] = ""
    ok: ClassVar[bool] = True
    error: ClassVar[None] = None
    path: ClassVar[None] = None

    v: Literal[HOOK_PROTOCOL_VERSION]  # type: ignore[valid-type]
    id: Annotated[str, msgspec.Meta(min_length=1)]
    ts: Annotated[int, msgspec.Meta(ge=0, le=SAFE_INTEGER)]
    body: Mirror = msgspec.field(name="payload")

    @property
    def message(self) -> Self:
        """The frame itself."""
        return self

    @property
    def wire(self) -> JsonObject:
        """The decoded JSON object of the whole frame."""
        return HookBody.enclose(self.id, self.ts, self.body.to_wire()) | {"type": self.type}


@cache
def swift() -> Swift:
    """How frames of this protocol are read at once."""
    frames = {kind: _frame(kind, cls) for kind, cls in MESSAGES.items()}
    made = ((frame, keeper(MESSAGES[kind])) for kind, frame in frames.items())
    return Swift(
        decode=msgspec.json.Decoder(union(list(frames.values()))).decode,
        keepers={frame: keeps for frame, keeps in made if keeps is not None},
        kinds={frame: kind for kind, frame in frames.items()},
        longest=HOOK_MAX_FRAME_CHARS // 2,
    )


def _frame(kind: str, cls: type[HookBody]) -> Any:
    made: Any = msgspec.defstruct(
        f"Swift{cls.__name__}",
        [("body", mirror(cls), msgspec.field(name="payload"))],
        bases=(SwiftFrame,),
        module=__name__,
        namespace={"__doc__": cls.__doc__},
        tag=kind,
        forbid_unknown_fields=True,
        gc=False,
    )
    made.type = kind
    return made
