"""The recipes of ``CONTRIBUTING.md``, followed by somebody who knows nothing else.

By recipe one mapping for each step: file to its whole text, or to pairs (what stands there,
what stands there afterwards).
"""

from __future__ import annotations

from tests.contributing.followed_protocol import PROTOCOL

Edit = dict[str, object]


def behind(anchor: str, added: str) -> tuple[tuple[str, str], ...]:
    """Something stands behind an anchor."""
    return ((anchor, anchor + added),)


SCENARIO = """sequenceDiagram
    %% @live
    participant S as hook server
    participant D as desktop
    %% @puppet S handshake pong
    D->>S: hello
"""
NOTE_SCENARIO = """sequenceDiagram
    %% A desktop remarks something about a task; the server takes it and says nothing. Shows HK-60.
    %% @live
    participant S as hook server
    participant D as desktop
    %% @puppet D handshake pong
    D->>S: task.note (requestId="r-1", note="half way")
"""

MESSAGE: list[Edit] = [
    {
        "sim/protocols/hook/frames/tasks.py": behind(
            '    """Asks the desktop to stop a task; unknown ids are ignored."""\n\n'
            "    request_id: str = wire(SOME_TEXT)\n",
            '\n\n@message(\n    "task.note", direction=DESKTOP_TO_SERVER, section="§5.7",\n'
            '    example={"requestId": "r-1", "note": "half way"},\n)\nclass TaskNote(HookBody):\n'
            '    """A remark of the desktop about a task; nobody answers it."""\n\n'
            "    request_id: str = wire(SOME_TEXT)\n    note: str = wire(SOME_TEXT)\n",
        )
    },
    {
        "sim/protocols/hook/frames/__init__.py": (
            ("    TaskDispatch,\n    TaskOptions,",
             "    TaskDispatch,\n    TaskNote,\n    TaskOptions,"),
            ("    TaskCancel,\n    SessionArchive,\n",
             "    TaskCancel,\n    TaskNote,\n    SessionArchive,\n"),
            ('    "TaskDispatch",\n', '    "TaskDispatch",\n    "TaskNote",\n'),
        )
    },
    {
        "sim/protocols/hook/build.py": behind(
            "make_task_cancel: Final = builder(frames.TaskCancel)\n",
            "make_task_note: Final = builder(frames.TaskNote)\n",
        )
    },
    {
        "sim/protocols/hook/__init__.py": (
            ("    make_task_dispatch,\n", "    make_task_dispatch,\n    make_task_note,\n"),
            ("    TaskDispatch,\n", "    TaskDispatch,\n    TaskNote,\n"),
            ('    "TaskDispatch",\n', '    "TaskDispatch",\n    "TaskNote",\n'),
            ('    "make_task_dispatch",\n', '    "make_task_dispatch",\n    "make_task_note",\n'),
        )
    },
    {
        "sim/protocols/hook/server/endpoint.py": (
            ('            "task.ack": requests.ack,\n',
             '            "task.ack": requests.ack,\n            "task.note": self._note,\n'),
            ("    async def on_timer(self, kind: str, key: str) -> None:\n",
             "    async def _note(self, socket: Socket, body: Any) -> None:\n"
             '        """Nobody is told."""\n\n'
             "    async def on_timer(self, kind: str, key: str) -> None:\n"),
        )
    },
    {
        "sim/cli/drawing/telling.py": behind(
            '    "task.cancel": ("requestId",),\n', '    "task.note": ("requestId", "note"),\n'
        )
    },
    {"scenarios/hook/note.mmd": NOTE_SCENARIO},
    {
        "tests/package/public_api.txt": (
            ("sim.protocols.hook.TaskOptions(",
             "sim.protocols.hook.TaskNote(*, request_id, note)\nsim.protocols.hook.TaskOptions("),
            ("sim.protocols.hook.make_tool_request",
             "sim.protocols.hook.make_task_note(**arguments)\n"
             "sim.protocols.hook.make_tool_request"),
        )
    },
]  # fmt: skip

RULE: list[Edit] = [
    {
        "sim/protocols/hook/rules.py": behind(
            "    # ---- obeyed by the server ------------------------------------------------\n",
            '    answer_pings: bool = rule(\n        "HK-51",\n        by="server",\n'
            '        reason="A desktop takes a silent server for a dead one.",\n'
            '        without="A desktop connects again and again.",\n    )\n',
        )
    },
    {
        "sim/protocols/hook/server/endpoint.py": behind(
            '        """A ping must be answered, in every state (HK-51)."""\n',
            "        if not self.plan.rules.answer_pings:\n            return\n",
        )
    },
    {
        "sim/protocols/hook/mutants.py": behind(
            "RULES: tuple[Mutant, ...] = (\n",
            '    off("answer-pings", "server", "desktop-answers-pings"),\n',
        )
    },
]

INVARIANT: list[Edit] = [
    {
        "sim/protocols/hook/oracles/names.py": '"""Names of devices."""\n\n'
        "from collections.abc import Mapping\nfrom typing import Any\n\n"
        "from sim.core.event import Event, FrameSent\nfrom sim.core.invariant import Handler\n"
        "from sim.protocols.hook.oracles.oracle import HookInvariant\n\n\n"
        "class DevicesHaveNames(HookInvariant):\n"
        '    name = "devices-have-names"\n    sentence = "A hello names its device."\n'
        '    from_frames = True\n    catalogue = ("HK-51",)\n    obeyed_by = "desktop"\n\n'
        "    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:\n"
        '        return {(FrameSent, "hello"): self._sent}\n\n'
        "    def _sent(self, event: FrameSent) -> str | None:\n"
        "        self.exercised += 1\n        return None\n"
    },
    {
        "sim/protocols/hook/invariants.py": (
            ("    lists,\n    ownership,", "    lists,\n    names,\n    ownership,"),
            ("    for module in (\n", "    for module in (\n        names,\n"),
        )
    },
    {
        "sim/protocols/hook/mutants.py": behind(
            "RULES: tuple[Mutant, ...] = (\n",
            '    off("hello-first", "desktop", "devices-have-names"),\n',
        )
    },
]

FAULT: list[Edit] = [
    {
        "sim/world/fault.py": behind(
            "def sleep(world: World, name: str, for_us: int) -> None:\n"
            '    """A closed laptop lid: nothing is handled, timers are late, sockets stay."""\n'
            '    _say(world, f"sleep {name} {for_us}us", name)\n'
            "    world.hosts[name].asleep_until = world.now + for_us\n",
            "\n\ndef doze(world: World, name: str) -> None:\n"
            '    """Asleep for a second."""\n    _say(world, f"doze {name}", name)\n'
            "    world.hosts[name].asleep_until = world.now + 1_000_000\n",
        )
    },
    {
        "sim/world/fault_choice.py": (
            ("_VERBS: dict[", "def _doze(world: World, words: list[str]) -> bool:\n"
             "    (host,) = words\n    fault.doze(world, world.hosts[host].name)\n"
             "    return True\n\n\n_VERBS: dict["),
            ('    "sleep": _sleep,\n', '    "sleep": _sleep,\n    "doze": _doze,\n'),
        )
    },
    {
        "sim/scenario/directives.py": (
            ('    "sleep": "@sleep D 8h",\n',
             '    "sleep": "@sleep D 8h",\n    "doze": "@doze D",\n'),
            ('    "sleep": _sleep,\n', '    "sleep": _sleep,\n    "doze": _of_host(nodes.Doze),\n'),
        ),
        "sim/scenario/directive_nodes.py": (
            ("@frozen\nclass Sleep:", '@frozen\nclass Doze:\n    """``@doze D``."""\n\n'
             "    line: int\n    column: int\n    host: str\n\n\n@frozen\nclass Sleep:"),
        ),
        "sim/scenario/playing/directing.py": (
            ("        case nodes.Sleep(", "        case nodes.Doze(host=host):\n"
             "            fault.doze(world, host)\n        case nodes.Sleep("),
        ),
    },
    {
        "sim/cli/language.py": behind(
            '    "sleep": ("The lid of the laptop is closed for so long.", "@sleep D 8h"),\n',
            '    "doze": ("The lid is closed for a second.", "@doze D"),\n',
        )
    },
    {
        "docs/scenario-language.md": behind(
            "| `@sleep D 8h` | The lid of the laptop is closed for so long. | `%% @sleep D 8h` |\n",
            "| `@doze D` | The lid is closed for a second. | `%% @doze D` |\n",
        )
    },
]  # fmt: skip

PAGER = '''"""A pager: short texts that stay as they are."""

from __future__ import annotations

from typing import ClassVar

from sim.channel.api import Done, EditMessage, PostMessage, React, Refused
from sim.hosts.channel import Channel
from sim.hosts.messages import Message

LIMIT = 80


class Pager(Channel):
    """One pager."""

    PREFIX: ClassVar[str] = "p"

    def why_no_post(self, request: PostMessage) -> str:
        return "too_long" if len(request.text) > LIMIT else ""

    def why_no_edit(self, request: EditMessage, message: Message) -> str:
        return "edit_unsupported"

    def react(self, request: React, message: Message) -> Done | Refused:
        return Refused("unsupported")
'''
PAGER_SCENARIO = """sequenceDiagram
    %% A task from a pager: nothing is shown before its end, and the end is short. Shows HK-60.
    actor U as user
    participant P as pager
    participant S as hook server
    participant D as desktop
    D->>S: hello
    S->>D: welcome
    U->>P: message "what is the build doing?"
    S->>D: task.dispatch (requestId=R1)
    D->>S: task.ack (accepted, requestId=R1)
    D->>S: turn.end (ok, requestId=R1, finalText="green")
    %% @final R1 OK "green"
"""
CHANNEL: list[Edit] = [
    {"sim/hosts/pager.py": PAGER},
    {
        "sim/channel/services.py": (('"telegram", "x")', '"telegram", "x", "pager")'),),
        "sim/scenario/kinds.py": behind('    "twitter": "x",\n', '    "pager": "pager",\n'),
    },
    {
        "sim/scenario/stages/hook_cast.py": (
            ("from sim.hosts.person ", "from sim.hosts.pager import Pager\nfrom sim.hosts.person "),
            ('            "x": X,\n',
             '            "x": X,\n            "pager": partial(Pager, chat="P1"),\n'),
        )
    },
    {
        "sim/protocols/hook/desktop/settings.py": behind(
            "LANE_FEATURES: Mapping[str, tuple[str, ...]] = {\n", '    "pager": (),\n'
        ),
        "sim/protocols/hook/server/manners.py": (
            ("BY_LANE = {",
             'BY_LANE = {"pager": Manners(chars=80, edits=False, cards=False), '),
        ),
        "sim/protocols/hook/server/accounts/features.py": (
            ('NEUTRAL_LANES = ("telegram", "x")', 'NEUTRAL_LANES = ("telegram", "x", "pager")'),
        ),
    },
    {"scenarios/hook/pager.mmd": PAGER_SCENARIO},
]  # fmt: skip

FOLLOWED: dict[str, list[Edit]] = {
    "scenario": [
        {"scenarios/hook/stranger.mmd": SCENARIO},
        {
            "scenarios/hook/stranger.mmd": behind(
                "sequenceDiagram\n",
                "    %% A desktop says hello to a server: this is all that happens here.\n",
            )
        },
        {"scenarios/hook/stranger.mmd": (("    %% @live", "    %% Shows HK-60.\n    %% @live"),)},
    ],
    "message type": MESSAGE,
    "rule": RULE,
    "invariant": INVARIANT,
    "fault": FAULT,
    "channel": CHANNEL,
    "protocol": PROTOCOL,
}
