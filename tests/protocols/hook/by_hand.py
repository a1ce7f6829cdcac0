"""A handler of a twin that is moved along by hand: what comes in between is the test's choice.

The scheduler's order of steps leaves most gaps of a handler shut. Here one
handler is stopped in front of an op, or behind one; the rest of the world goes
on, and then the handler does, with what it knew before.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from sim.core.op import Call, Dial, Sleep
from sim.world.activity import SUSPENDED, Activity
from sim.world.perform import PERFORM
from sim.world.world import World


class ByHand:
    """One handler on a host; it has not begun yet. ``ops`` are those that it performed.

    ``answers`` are for its calls and dials, in order. Its pauses take no time.
    """

    def __init__(
        self, world: World, host: str, run: Coroutine[Any, Any, Any], *answers: Any
    ) -> None:
        self.world = world
        self.activity = Activity(world.hosts[host], run, "by hand", 0)
        self.answers = list(answers)
        self.ops: list[Any] = []
        self.result: Any = None
        self.is_over = False
        self._asked: Any = None
        self._answer: Any = None

    def before(self, kind: type[Any], key: str = "") -> ByHand:
        """Go on up to the next op of this kind (whose key begins like this)."""
        while not self.is_over:
            if self._asked is None:
                self._go_on()
            elif type(self._asked) is kind and getattr(self._asked, "key", "").startswith(key):
                return self
            else:
                self._perform()
        raise AssertionError(f"no {kind.__name__} {key} came, but {self.ops}")

    def behind(self, kind: type[Any], key: str = "") -> ByHand:
        """The same, and that op is performed; the handler does not know its result yet."""
        self.before(kind, key)
        self._perform()
        return self

    def finish(self) -> ByHand:
        """Go on to the end."""
        while not self.is_over:
            if self._asked is None:
                self._go_on()
            else:
                self._perform()
        return self

    def asked(self, kind: type[Any]) -> list[Any]:
        """The ops of this kind that it performed."""
        return [op for op in self.ops if type(op) is kind]

    def _go_on(self) -> None:
        try:
            self._asked = self.activity.coro.send(self._answer)
        except StopIteration as end:
            self.is_over, self.result = True, end.value

    def _perform(self) -> None:
        op, self._asked = self._asked, None
        self.ops.append(op)
        if type(op) in (Call, Dial):
            assert self.answers, f"the test has no answer for {op}"
            self._answer = self.answers.pop(0)
        elif type(op) is Sleep:
            self._answer = None
        else:
            self._answer = PERFORM[type(op)](self.world, self.activity, op)
            assert self._answer is not SUSPENDED, f"it would have to wait for {op}"
