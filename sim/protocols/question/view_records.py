"""What the view of a question run keeps: entries, attempts, questions, tools, logs.

Times are in microseconds since the start of the run; -1: not yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from sim.protocols.question.constants import EXPIRY_TRIES
from sim.protocols.question.view_calls import TEXT, CallView, UpdateView


@attrs.define(eq=False)
class EntryView:
    """What the store has of one uniqueId, now or before it was removed.

    ``fields`` are those of its last version. ``by`` wrote it, ``changed_by`` its last
    version, ``gone_by`` removed it; ``is_lost``: the file that it stood in was broken.
    ``settled_at``: a listener got a 2xx for its reply; ``closed_at``: it saw that the known
    question is not listed any more; ``refused_at``: the hook's message was refused.
    ``prompts`` are the forced replies that it named, oldest first. ``is_preloaded``: nobody
    who is watched has written it; ``is_back``: it was gone before; ``waited_n`` grows with
    each press that makes one wait, ``asked_id`` is that press.
    """

    id: str
    store: str
    born_n: int
    born_at: int
    by: str
    fields: Mapping[str, Any]
    gone_n: int = -1
    gone_at: int = -1
    gone_by: str = ""
    gone_claim: str = ""
    is_lost: bool = False
    changed_by: str = ""
    settled_n: int = -1
    settled_at: int = -1
    closed_at: int = -1
    refused_at: int = -1
    is_preloaded: bool = False
    is_back: bool = False
    waited_n: int = 0
    asked_id: int = -1
    attempts: list[Attempt] = attrs.field(factory=list)
    replies: list[CallView] = attrs.field(factory=list)
    prompts: list[int] = attrs.field(factory=list)

    def text(self, name: str) -> str:
        """A field as text, "" where it is missing."""
        found = self.fields.get(name)
        return found if isinstance(found, str) else ""

    def number(self, name: str) -> int:
        """A field that is a number, 0 where it is missing."""
        found = self.fields.get(name)
        return found if type(found) is int else 0

    @property
    def chat(self) -> str:
        """The chat of its message, "" where it is not known yet."""
        return str(self.fields.get("chatId", ""))

    @property
    def message(self) -> int:
        """Its message, 0 where it is not known yet."""
        return self.number("messageId")

    @property
    def prompt(self) -> int:
        """The forced reply that is live, 0 for none."""
        return self.number("customPromptMessageId")

    @property
    def claim(self) -> str:
        """The handler that is at it, "" for none."""
        return self.text("claimedBy")

    @property
    def waits(self) -> bool:
        """Whether a text is awaited."""
        return self.fields.get("awaitingText") is True

    @property
    def is_question(self) -> bool:
        """Whether it is one of ours."""
        return self.fields.get("type") == "question"

    @property
    def is_there(self) -> bool:
        """Whether the store has it."""
        return self.gone_at < 0

    @property
    def values(self) -> list[str]:
        """What its options answer, in order."""
        options = self.fields.get("options")
        found = options if isinstance(options, list) else []
        return [value_of(one) for one in found if isinstance(one, Mapping)]


def value_of(option: Mapping[str, Any]) -> str:
    """The value of an option, its label where it has none."""
    value = option.get("value")
    return value if isinstance(value, str) else str(option.get("label", ""))


@attrs.define(eq=False)
class Attempt:
    """What one life of a listener makes of one update, from the moment that it has it.

    ``entry``: the one that a press names, or that a text turned out to be for;
    ``meant``: those that a text was for, when it came and when somebody set to work;
    ``behind``: those whose custom button its author had pressed before, unanswered yet.
    ``age_us``: how old the entry was when it came, -1 where that is not known.
    ``is_unsure``: a call may have been this one's or another's. ``is_busy``: somebody else
    had claimed the entry when it came; ``is_foreign``: another chat's, or a bot's.
    ``claim``: the handler that is at it, as the store names it. ``cached``: the requestID
    that the entry had before its first GET. ``lists``, ``replies``: its calls; ``toasts``:
    its answers to the press; ``told``: what it wrote into the chat. ``why``: how it failed.
    ``begun_at``, ``handled_at``: what its listener says of its handler, if it says so.
    """

    listener: str
    epoch: int
    update: UpdateView
    n: int
    at: int
    entry: EntryView | None = None
    age_us: int = -1
    is_unsure: bool = False
    is_busy: bool = False
    is_foreign: bool = False
    claim: str = ""
    cached: str = ""
    claimed_at: int = -1
    over_at: int = -1
    failed_at: int = -1
    settled_at: int = -1
    begun_at: int = -1
    handled_at: int = -1
    why: str = ""
    has_crashed: bool = False
    meant: list[EntryView] = attrs.field(factory=list)
    behind: list[EntryView] = attrs.field(factory=list)
    lists: list[CallView] = attrs.field(factory=list)
    replies: list[CallView] = attrs.field(factory=list)
    toasts: list[CallView] = attrs.field(factory=list)
    told: list[CallView] = attrs.field(factory=list)

    @property
    def is_over(self) -> bool:
        """Whether nothing more is expected of it."""
        return self.over_at >= 0

    @property
    def is_at_work(self) -> bool:
        """Whether its handler still works, as it says, else as far as its calls tell: the last
        may take long."""
        if self.begun_at >= 0:
            return self.handled_at < 0 and not self.has_crashed
        last = (self.toasts[-1:], self.told[-1:])
        is_ending = any(one.is_open for calls in last for one in calls)
        return not self.is_over or (is_ending and not self.has_crashed)

    @property
    def owes_words(self) -> bool:
        """Whether its failure is still to be told by a message; a second one is another's."""
        return self.failed_at >= 0 and all(one.what != "sendMessage" for one in self.told)

    def has_had_word(self, call: CallView) -> bool:
        """Whether it is a text whose author was told already, and something else than that
        (a message may be sent once more)."""
        said = [one.body.get("text") for one in self.told if one.what == "sendMessage"]
        return self.update.kind == TEXT and bool(said) and call.body.get("text") not in said

    @property
    def value(self) -> str | None:
        """What it is to answer; None where there is nothing."""
        if self.update.kind == TEXT:
            return answer_in(self.update.text)
        values = [] if self.entry is None else self.entry.values
        index = self.update.index
        return values[index] if 0 <= index < len(values) else None


def answer_in(text: str) -> str:
    """The answer that a text is: without a leading ``@name``, trimmed (facts, 6.4)."""
    head, _, rest = text.strip().partition(" ")
    return rest.strip() if head.startswith("@") and rest else text.strip()


@attrs.define(eq=False)
class ExpiryView:
    """An entry that a listener has removed because it was too old, and what it did then.

    ``is_shut``: its buttons were taken away, which is the last that is done.
    """

    entry: EntryView
    listener: str
    at: int
    lists: list[CallView] = attrs.field(factory=list)
    rejects: list[CallView] = attrs.field(factory=list)
    is_shut: bool = False

    @property
    def is_done(self) -> bool:
        """Whether no further list is due: rejected, failed, or not found twice."""
        failed = any(not one.is_open and not one.succeeded for one in self.lists)
        is_through = bool(self.rejects) or self.is_shut
        return is_through or failed or len(self.lists) >= EXPIRY_TRIES


@attrs.define(eq=False)
class ToolView:
    """A question as OpenCode tells of it. ``closes``: how each close came, in order."""

    id: str
    session: str
    call: str
    directory: str
    host: str
    asked_at: int
    state: str = "running"
    closed_at: int = -1
    closes: list[str] = attrs.field(factory=list)
    answers: Any = None

    @property
    def is_open(self) -> bool:
        """Whether it can still be answered."""
        return self.closed_at < 0


@attrs.define(eq=False)
class BeforeView:
    """A tool that is about to run: what the hook was told, and how it returned.

    ``sent``: what the hook wrote into the chat; ``entries``: what it wrote into the store;
    ``has_trouble``: the disk has not let it do what it wanted.
    """

    n: int
    at: int
    opencode: str
    hook: str
    request: Any
    came_at: int = -1
    returned_at: int = -1
    reply: Any = None
    sent: list[CallView] = attrs.field(factory=list)
    entries: list[EntryView] = attrs.field(factory=list)
    has_trouble: bool = False

    @property
    def questions(self) -> list[Mapping[str, Any]]:
        """The questions of the call, those that can be read."""
        args = self.request.args
        found = args.get("questions") if isinstance(args, Mapping) else None
        return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


@attrs.frozen
class LogView:
    """A line that a host has logged."""

    n: int
    at: int
    host: str
    level: str
    text: str


@attrs.define(eq=False)
class FileView:
    """An operation on the store's disk."""

    n: int
    at: int
    caller: str
    store: str
    request: Any
    reply: Any = None
