"""Keys count in the order in which they were typed, however fast that was.

Textual puts each key at once into the queue of the widget that has the focus. What
the key before it sets off is still under way then: behind ``/turn.end⏎>f`` typed in
one go, ``>`` and ``f`` would land in the filter, and behind ``f`` the text meant for
the menu would land in the diagram. So one key at a time is let through, and the
next one waits until the queues from the focused widget up to the app have been
empty often enough that the focus cannot move any more.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator

from textual import events
from textual.app import App
from textual.message_pump import MessagePump

ROUNDS = 4
"""Ways from the focused widget to the app without another focus or screen: a key becomes
an action, that a message, that another message, that a callback."""

MOST_ROUNDS = 40
PATIENCE_S = 10.0
"""How long a key waits for one widget that does not answer; then it counts all the same."""

Typed = events.Key | events.Paste


class InOrder(App[None]):
    """An app that finishes one key before it looks at the next."""

    def __init__(self) -> None:
        super().__init__()
        self._typed: deque[events.Event] = deque()
        self._let_through: events.Event | None = None
        self._finishing: asyncio.Task[None] | None = None

    @property
    def is_typing(self) -> bool:
        """Whether a key is still at work, or waits."""
        return self._finishing is not None

    async def on_event(self, event: events.Event) -> None:
        """Let a key wait while there is one before it."""
        if isinstance(event, Typed) and not event.is_forwarded:
            if event is self._let_through:
                self._let_through = None
            elif self._finishing is not None:
                self._typed.append(event)
                return
            else:
                self._finishing = asyncio.create_task(self._finish())
        await super().on_event(event)

    async def _finish(self) -> None:
        """Wait for the end of a key, then let the next one through, as long as there are any."""
        try:
            await self._settle()
            while self._typed and self.is_running:
                self._let_through = self._typed.popleft()
                self.post_message(self._let_through)
                await self._settle()
        finally:
            self._finishing = None
            self._typed.clear()

    async def _settle(self) -> None:
        """Until nothing more can come of the key that was let through."""
        quiet, before = 0, None
        for _ in range(MOST_ROUNDS):
            await _passed(self)
            for pump in self._way():
                await _passed(pump)
            now = self._focus()
            quiet = quiet + 1 if now == before else 0
            before = now
            if quiet >= ROUNDS or now is None:
                return

    def _focus(self) -> tuple[object, object] | None:
        """(screen, focused widget); None where there is no screen (any more)."""
        stack = self.screen_stack if self.is_running else ()
        return (stack[-1], stack[-1].focused) if stack else None

    def _way(self) -> Iterator[MessagePump]:
        """The focused widget and all above it, as keys and messages go."""
        now = self._focus()
        if now is not None:
            screen, focused = now
            first = focused or screen
            if isinstance(first, MessagePump):
                yield from (node for node in first.ancestors_with_self if node is not self)  # type: ignore[attr-defined]


async def _passed(pump: MessagePump) -> None:
    """Until a widget has dealt with all that is in its queue now."""
    reached = asyncio.Event()
    if not pump.call_later(reached.set):
        return
    try:
        await asyncio.wait_for(reached.wait(), PATIENCE_S)
    except TimeoutError:
        return
