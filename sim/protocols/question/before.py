"""What OpenCode tells its plugins before a tool runs (``tool.execute.before``), by ``Call``."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec


class BeforeTool(msgspec.Struct, frozen=True, gc=False, tag_field="is", tag="tool-before"):
    """A tool is about to run: the hook's input, the tool's arguments, the project.

    ``session``, ``call`` are ``input.sessionID`` and ``input.callID`` (§4 step 2);
    ``args`` may be anything, ``directory`` is the plugin's project, "" for none. A plugin
    is a part of OpenCode: when it dies in the middle nobody waits for it (QT-03).
    """

    ENDS_WITH_CALLEE: ClassVar[bool] = True

    tool: str
    session: str
    call: str
    args: Any = None
    directory: str = ""


class HookReturned(msgspec.Struct, frozen=True, gc=False, tag_field="is", tag="hook-returned"):
    """The hook is through; ``threw`` is the text of its exception, "" for none (QT-04)."""

    threw: str = ""
