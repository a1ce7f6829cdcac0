"""The arguments of a directive, taken one by one from the left."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from attrs import define, frozen

from sim.core.errors import ScenarioError
from sim.scenario.kinds import channel_of_word
from sim.scenario.source import Span, near
from sim.scenario.syntax import Participant
from sim.scenario.values import read_duration, read_integer, read_name, read_string
from sim.scenario.vocabulary import Vocabulary

# The ends of a connection that can be cut: whoever opens it.
LISTENING_KINDS = ("server", "relay")


@frozen
class Scope:
    """What a directive may speak of."""

    people: Mapping[str, Participant]
    vocabulary: Vocabulary


@define
class Arguments:
    """The words behind ``@word``; each ``take`` removes one or complains at its place."""

    word: Span
    usage: str
    rest: list[Span]
    end: Span
    scope: Scope
    whole: Span

    def tail(self, what: str, allowed: Iterable[str] = ()) -> Span:
        """Everything that is left, as one piece."""
        first = self.take(what, allowed)
        self.rest = []
        return self.whole.cut(first.column - self.whole.column).strip()

    def fail_here(self, message: str, allowed: Iterable[str] = ()) -> ScenarioError:
        """An error at the next argument, or behind the last."""
        return (self.rest[0] if self.rest else self.end).fail(message, allowed)

    def take(self, what: str, allowed: Iterable[str] = ()) -> Span:
        """The next argument; an error where there is none."""
        if not self.rest:
            raise self.end.fail(f"{what} is missing: {self.usage}", allowed)
        return self.rest.pop(0)

    def done(self) -> None:
        """Nothing may be left."""
        if self.rest:
            raise self.rest[0].fail(f"one argument too many: {self.usage}")

    def peek(self) -> str:
        """The next argument's text, empty at the end."""
        return self.rest[0].text if self.rest else ""

    def skip(self, text: str) -> bool:
        """Take the next argument if it is this word."""
        if self.peek() != text:
            return False
        self.rest.pop(0)
        return True

    def choice(self, what: str, allowed: Collection[str]) -> str:
        """One word out of a list."""
        at = self.take(what, allowed)
        if at.text not in allowed:
            raise at.fail(f"{at.text[:40]!r} is no {what}", near(at.text, allowed, limit=40))
        return at.text

    def phrase(self, known: Collection[str]) -> str | None:
        """One of these that is several words: the longest that stands next; None for none."""
        for size in range(len(self.rest), 1, -1):
            text = " ".join(at.text for at in self.rest[:size])
            if text in known:
                del self.rest[:size]
                return text
        return None

    def duration(self) -> int:
        """Microseconds."""
        return read_duration(self.take("a duration", ("3s",)))

    def number(self) -> int:
        """A whole number."""
        return read_integer(self.take("a number", ("0", "1")))

    def name(self) -> str:
        """``R1``."""
        return read_name(self.take("a name", ("R1",))).text

    def string(self) -> str:
        """A quoted text."""
        return read_string(self.take("a text", ('"text"',)))

    def maybe_string(self) -> str | None:
        """A quoted text as the last argument, or None."""
        return self.string() if self.rest else None

    def participant(self) -> Participant:
        """Any lifeline of the diagram."""
        return self.find(self.take("a lifeline", self.scope.people))

    def find(self, at: Span) -> Participant:
        """The lifeline that this piece names."""
        found = self.scope.people.get(at.text)
        if found is None:
            message = f"no lifeline {at.text[:40]!r} in this diagram"
            raise at.fail(message, near(at.text, self.scope.people))
        return found

    def host(self) -> str:
        """A lifeline with a process and a clock: no person and no channel."""
        at = self.take("a host", self._ids_of_peers())
        one = self.find(at)
        if one.kind == "person" or one.is_channel:
            message = f"{one.id} is a {one.kind}, no host of ours"
            raise at.fail(message, self._ids_of_peers())
        return one.id

    def client(self) -> str:
        """A lifeline that opens the connection."""
        at = self.take("a host", self._ids_of_clients())
        one = self.find(at)
        if one.id not in self._ids_of_clients():
            message = f"{one.id} is a {one.kind}; name the side that opens the connection"
            raise at.fail(message, self._ids_of_clients())
        return one.id

    def maybe_channel(self) -> str | None:
        """``slack``, or the id of a drawn channel; None where another word stands."""
        one = self.scope.people.get(self.peek())
        found = one.kind if one is not None and one.is_channel else channel_of_word(self.peek())
        if found is not None:
            self.rest.pop(0)
        return found

    def lane(self, what: str = "a direction") -> tuple[Span, Span]:
        """``D->S`` as two pieces."""
        at = self.take(what, ("D->S",))
        left, arrow, _ = at.text.partition("->")
        if not arrow:
            raise at.fail(f"{at.text[:40]!r} is no direction", ("D->S",))
        return at.cut(0, len(left)), at.cut(len(left) + 2)

    def _ids_of_peers(self) -> tuple[str, ...]:
        return tuple(
            one.id
            for one in self.scope.people.values()
            if one.kind != "person" and not one.is_channel
        )

    def _ids_of_clients(self) -> tuple[str, ...]:
        people = self.scope.people
        return tuple(one for one in self._ids_of_peers() if people[one].kind not in LISTENING_KINDS)


def split_directive(text: Span, usages: Mapping[str, str], scope: Scope) -> Arguments:
    """``@word args``; an unknown word is an error with the allowed ones."""
    words = text.words()
    word = words[0].cut(1)
    if word.text not in usages:
        allowed = near(word.text, usages, limit=60)
        raise words[0].fail(f"unknown directive @{word.text[:40]}", tuple(f"@{w}" for w in allowed))
    return Arguments(
        word=word,
        usage=usages[word.text],
        rest=words[1:],
        end=text.cut(len(text.text)),
        scope=scope,
        whole=text,
    )
