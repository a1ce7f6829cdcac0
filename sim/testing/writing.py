"""Valid scenarios, written by chance: people, tasks, faults and puppets in any order.

Not every arrow of them comes true; what matters is that they can be played.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")

TEXTS = (
    "Do it", "部署文档；谢谢 # 第一步", 'say "hi" \\ there', "a; b # c %% d %%{e}%%", "C4Container",
    "é\u00a0\u2028\u200f x", "x" * 300,
)  # fmt: skip
REPLACED = {"\u2028": "\\u2028", "#": "\\u0023", ";": "\\u003b", "C4": "\\u00434"}


class Draws(Protocol):
    """Where chance comes from: Hypothesis, or a seeded generator."""

    def choice(self, among: Sequence[T]) -> T:
        """One of these."""

    def between(self, low: int, high: int) -> int:
        """A whole number, both ends included."""

    def chance(self, percent: int) -> bool:
        """True so many times of a hundred."""


class Writer:
    """One scenario while it is written; ``seed`` is what its ``@seed`` says."""

    def __init__(self, draw: Draws, seed: int) -> None:
        self.draw = draw
        self.seed = seed
        self.requests = 0
        self.cards = 0
        self.desktops = [f"D{n + 1}" for n in range(self.draw.choice((1, 1, 2, 3)))]
        self.people = [f"P{n + 1}" for n in range(self.draw.choice((1, 1, 2)))]
        self.puppets = [d for d in self.desktops if self.draw.chance(20)]
        self.created = (
            self.desktops[-1] if len(self.desktops) > 1 and self.draw.chance(50) else None
        )
        self.lines = self._head()

    def _head(self) -> list[str]:
        lines = ["sequenceDiagram", f"%% @seed {self.seed}"]
        lines += [f"actor {one}" for one in self.people]
        lines += ["participant IM as Slack", "participant S as server"]
        lines += [f"participant {one}" for one in self.desktops if one != self.created]
        lines += [f"%% @host {one} desktop" for one in self.desktops]
        lines += [f"%% @puppet {one} handshake pong" for one in self.puppets]
        if self.draw.chance(30):
            lines.append(f"%% @latency {self.desktops[0]}->S 1ms..900ms")
        if self.draw.chance(20):
            lines.append("%% @feature S -turn-reopen-v1")
        if self.draw.chance(20):
            lines.append("%% @rule -ownership-at-write")
        return [*lines, "%% @after 1s"]

    def _text(self) -> str:
        text = self.draw.choice(TEXTS).replace("\\", "\\\\").replace('"', '\\"')
        for sign, escape in REPLACED.items():
            text = text.replace(sign, escape)
        return f'"{text}"'.replace("%%", "%\\u0025")

    def _request(self) -> str:
        return f"R{self.draw.between(1, self.requests)}"

    def _twin(self) -> str | None:
        twins = [d for d in self.desktops if d not in (*self.puppets, self.created)]
        return self.draw.choice(twins) if twins else None

    def _there(self) -> str:
        """A desktop that exists by now."""
        return self.draw.choice([d for d in self.desktops if d != self.created])

    def _ask(self) -> list[str]:
        number = self.draw.between(0, len(self.people) - 1)
        desktop = self.desktops[min(number, len(self.desktops) - 1)]
        says = f"{self.people[number]}->>IM: message {self._text()}"
        if desktop == self.created:
            return [says]
        self.requests += 1
        return [says, f"S->>{desktop}: task.dispatch (requestId=R{self.requests})"]

    def _agent(self) -> list[str]:
        if not self.requests:
            return self._ask()
        one, sign = self._there(), self.draw.choice(("->>", "->>", "->>", "-x"))
        self.cards += 1
        frame = self.draw.choice(
            (
                f"turn.progress (requestId={self._request()}, text={self._text()})",
                f"turn.end (ok, requestId={self._request()}, finalText={self._text()})",
                f"turn.end (error, requestId={self._request()})",
                f"interaction.request (requestId={self._request()}, interactionId=A{self.cards})",
                f"turn.reopen (reopenOf={self._request()})",
            )
        )
        return [f"{one}{sign}S: {frame}"]

    def _person(self) -> list[str]:
        who = self.draw.choice(self.people)
        acts = ["press Allow", "/stop", "/new", f"reply {self._text()}", f"group {self._text()}"]
        if not self.requests:
            return self._ask()
        return [f"{who}->>IM: {self.draw.choice(acts)}"]

    def _fault(self) -> list[str]:
        one = self._there()
        how = self.draw.choice(("fin", "rst", "silent"))
        back = f"%% @reconnect {one}" if one in self.puppets else "%% @after 3s"
        return self.draw.choice(
            [
                [f"%% @cut {one} {how}", back],
                [f"%% @hold {one}->S", "%% @after 2s", f"%% @release {one}->S"],
                [f"%% @hold S->{one}", "%% @after 100ms", f"%% @release S->{one}"],
                ["%% @crash S", "%% @after 1s", "%% @restart S"],
                [f"%% @crash {one}", "%% @after 1s", f"%% @restart {one}"],
                [f"%% @skew {one} -70s"],
                [f"%% @sleep {one} 30s"],
                [f"%% @channel {self.draw.choice(('edit', 'post', '*'))} {self._outcome()}"],
            ]
        )

    def _outcome(self) -> str:
        outcomes = ("429 2s", "5xx", "unknown", "not_found", "latency 2s", "down 20s")
        return self.draw.choice(outcomes)

    def _next(self) -> list[str]:
        word = self.draw.choice(("lose", "duplicate", "delay"))
        more = {"lose": "", "duplicate": " after 700ms", "delay": " 2s"}[word]
        lines = self._ask()
        return [f"%% @{word} next{more}", *lines] if len(lines) > 1 else lines

    def _feature(self) -> list[str]:
        one = self._twin()
        return [f"%% @feature {one} -multi-team"] if one else []

    def _create(self) -> list[str]:
        if self.created is None:
            return ["%% @settle"]
        one, self.created = self.created, None
        return [f"create participant {one}", f"{one}->>{one}: it begins"]

    def text(self) -> str:
        """The whole file."""
        steps = (
            self._ask, self._agent, self._agent, self._person, self._fault, self._next,
            self._feature, self._create,
        )  # fmt: skip
        for _ in range(self.draw.between(4, 12)):
            self.lines += self.draw.choice(steps)()
            if self.draw.chance(30):
                self.lines.append(f"%% @after {self.draw.choice((20, 300, 5000))}ms")
        if self.created is not None:
            self.lines += self._create()
        if self.draw.chance(30):
            one = self.desktops[-1]
            self.lines += [f"destroy {one}", f"{one}->>{one}: it ends"]
        return "\n".join([*self.lines, ""])
