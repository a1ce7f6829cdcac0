"""What was said in Telegram groups: kept here, for the prompts of here (section 15).

A message is taken once, and only if it was forwarded for the binding that is
confirmed right now. A task from a group gets what was said since the agent was
last told, without the message that asks; the cursor moves when the agent has
taken the task. Both rows and cursors are durable.
"""

from __future__ import annotations

import msgspec

from sim.core.op import Erase, Note, Save
from sim.protocols.hook import HOOK_FEATURE_GROUP_RELAY_RECIPIENT, GroupMessage
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.progress import cut
from sim.protocols.hook.desktop.records import Lane, Task
from sim.protocols.hook.desktop.ties import BindingRow, agreed, binding_of
from sim.wire.absent import Absent
from sim.wire.javascript import utf16_length

Place = tuple[str, str]
GROUP_KEY = "telegram:group:"


class GroupRow(msgspec.Struct, frozen=True, gc=False, tag="group"):
    """Durable: one message of a group; ``number`` gives the order of arrival."""

    number: int
    chat: str
    thread: str
    message: str
    line: str


class Window:
    """A principal's group messages, oldest first, by the key of their row.

    ``cursors``: by place, the number up to which the agent has been told.
    """

    __slots__ = ("chars", "cursors", "last", "rows")

    def __init__(self) -> None:
        self.rows: dict[str, GroupRow] = {}
        self.cursors: dict[Place, int] = {}
        self.chars = 0
        self.last = 0

    def add(self, key: str, row: GroupRow) -> None:
        """Put a row at the end."""
        self.rows[key] = row
        self.chars += len(row.line)
        self.last = max(self.last, row.number)

    def oldest(self) -> str:
        """Take the oldest row out. → its key"""
        key = next(iter(self.rows))
        self.chars -= len(self.rows.pop(key).line)
        return key


def _prefix(desk: Desk, what: str, principal: str) -> str:
    return f"{what}/{desk.account}/{principal}/"


def window_of(desk: Desk, principal: str) -> Window:
    """The window of a principal, as it was left."""
    window = desk.work.windows.get(principal)
    if not isinstance(window, Window):
        window = desk.work.windows[principal] = Window()
        for key, row in desk.port.store.items(_prefix(desk, "group", principal)):
            window.add(key, row)
        for key, number in desk.port.store.items(_prefix(desk, "cursor", principal)):
            chat, _, thread = key.removeprefix(_prefix(desk, "cursor", principal)).partition("/")
            window.cursors[chat, thread] = number
    return window


async def received(desk: Desk, lane: Lane, frame: GroupMessage) -> None:
    """group.message: into the window, if it is meant for the present binding (HK-163)."""
    bound = binding_of(desk, lane)
    if frame.provider != lane.name or bound is None:
        return
    if desk.rules.recipient_check and not _is_for(desk, lane, frame, bound):
        return
    window = window_of(desk, bound.principal)
    thread = frame.thread_id or ""
    place = f"{frame.chat_id}/{thread}/{frame.message_id}"
    key = _prefix(desk, "group", bound.principal) + place
    if key in window.rows:
        return
    row = GroupRow(window.last + 1, frame.chat_id, thread, frame.message_id, line_of(frame))
    window.add(key, row)
    await desk.perform(Save(key, row))
    await _trim(desk, window)


def _is_for(desk: Desk, lane: Lane, frame: GroupMessage, bound: BindingRow) -> bool:
    to = frame.recipient
    if isinstance(to, Absent) or not agreed(desk, lane, HOOK_FEATURE_GROUP_RELAY_RECIPIENT):
        return False
    return (to.binding_id, to.principal_id) == (bound.binding, bound.principal)


def line_of(frame: GroupMessage) -> str:
    """One line of context: who, what, and the names of files."""
    names = () if isinstance(frame.file_names, Absent) else frame.file_names
    files = f" [{', '.join(names)}]" if names else ""
    return f"{frame.author.name}: {frame.text}{files}"


async def _trim(desk: Desk, window: Window) -> None:
    """Over a limit, the oldest rows go until nine tenths of it are left."""
    rows, chars = desk.settings.group_rows, desk.settings.group_chars
    if len(window.rows) <= rows and window.chars <= chars:
        return
    while len(window.rows) > rows * 9 // 10 or window.chars > chars * 9 // 10:
        await desk.perform(Erase(window.oldest()))


# -- tasks from a group ------------------------------------------------------------


def named_in(external_key: str) -> tuple[str, Place] | None:
    """Principal and place in a key of the form that Telegram's groups have.

    Keys are opaque (HK-07): one of any other form is taken as it is.
    """
    if not external_key.startswith(GROUP_KEY):
        return None
    principal, _, rest = external_key.removeprefix(GROUP_KEY).partition(":")
    chat, _, thread = rest.partition(":")
    return (principal, (chat, thread)) if principal and chat else None


def is_foreign(desk: Desk, lane: Lane, external_key: str) -> bool:
    """Whether a group's task belongs to another principal than the bound one (RC-94)."""
    named = named_in(external_key)
    if named is None or lane.name != "telegram" or not desk.rules.group_principal:
        return False
    bound = binding_of(desk, lane)
    return bound is None or bound.principal != named[0]


def place_of(window: Window, task: Task) -> Place | None:
    """Where a task was asked: by its key, else where the message stands that asked."""
    named = named_in(task.external_key)
    if named is not None:
        return named[1]
    if task.trigger is None:
        return None
    places = {(r.chat, r.thread): None for r in window.rows.values() if r.message == task.trigger}
    return next(iter(places)) if len(places) == 1 else None


async def give_context(desk: Desk, task: Task) -> None:
    """The agent has taken a group's task: give it what was said, and move the cursor."""
    lane = task.lane
    bound = binding_of(desk, lane) if lane.name == "telegram" else None
    if bound is None:
        return
    window = window_of(desk, bound.principal)
    place = place_of(window, task)
    if place is None:
        return
    since = window.cursors.get(place, 0) if desk.rules.context_since_cursor else 0
    rows = [r for r in window.rows.values() if (r.chat, r.thread) == place and r.number > since]
    lines = context_of(desk, rows, task.trigger)
    window.cursors[place] = window.last
    key = _prefix(desk, "cursor", bound.principal) + "/".join(place)
    await desk.perform(Save(key, window.last))
    if lines:
        fact = {"request": task.request_id, "chat": place[0], "lines": lines}
        await desk.perform(Note("context", fact))


def context_of(desk: Desk, rows: list[GroupRow], trigger: str | None) -> list[str]:
    """The newest lines that fit, oldest first, without the message that asks (HK-166)."""
    settings = desk.settings
    lines: list[str] = []
    left = settings.context_chars
    for row in reversed(rows[-settings.context_rows :]):
        if row.message == trigger and desk.rules.trigger_removed:
            continue
        line = cut(row.line, settings.context_line_chars)
        left -= utf16_length(line) + 1
        if left < 0:
            break
        lines.append(line)
    return lines[::-1]
