"""Which lines of a diagram a served OpenCode and Telegram cannot see come true.

Their own arrows they see, and the requests of real programs. What a real hook or listener
logs, or keeps in a file of its own, they do not; nor what names only that file gives.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from sim.scenario import directive_nodes as nodes
from sim.scenario.syntax import Arrow, FrameText, Name, Scenario
from sim.scenario.tree import statements_in


def out_of_sight(scenario: Scenario, outside: Collection[str], store: str) -> Iterator[int]:
    """Line numbers; ``outside`` are the hosts that are real programs, ``store`` the disk."""
    hidden, seen = dict[str, None](), dict[str, None]()
    for one in statements_in(scenario.body):
        if isinstance(one, Arrow) and isinstance(one.content, FrameText):
            is_hidden = _is_hidden(one, outside, store)
            (hidden if is_hidden else seen).update(dict.fromkeys(_names(one.content)))
            if is_hidden:
                yield one.line
    unknown = [name for name in hidden if name not in seen]
    for one in statements_in(scenario.body):
        if _asks_of(one) in unknown:
            yield one.line


def _is_hidden(arrow: Arrow, outside: Collection[str], store: str) -> bool:
    """Within a real program, or between one and its file."""
    private = (*outside, store)
    return arrow.source in private and arrow.target in private and arrow.source in outside


def _names(text: FrameText) -> Iterator[str]:
    for item in text.items:
        if isinstance(item.value, Name):
            yield item.value.text


def _asks_of(one: Any) -> str | None:
    if isinstance(one, nodes.Expect | nodes.Final | nodes.Count):
        return one.name
    return None
