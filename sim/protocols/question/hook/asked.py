"""The first question of a tool's arguments, whatever these are (DQ-08)."""

from __future__ import annotations

from typing import Any

import attrs

from sim.protocols.question.store.entry import EntryOption


@attrs.frozen
class AskedOption:
    """One option as the agent wrote it; ``value`` is the label where it has none."""

    label: str
    description: str = ""
    value: str = ""

    @property
    def entry(self) -> EntryOption:
        """What the store keeps of it (§5.4)."""
        return EntryOption(label=self.label, value=self.value or self.label)


@attrs.frozen
class Asked:
    """What the message shows. ``others``: how many questions come behind the first."""

    question: str
    header: str = ""
    options: tuple[AskedOption, ...] = ()
    multiple: bool = False
    others: int = 0


def first_of(args: Any) -> Asked | None:
    """The first question; None where there is none that could be shown (QT-04).

    Odd parts are left out: an option without a label, a header that is no text.
    """
    questions = args.get("questions") if isinstance(args, dict) else None
    if not isinstance(questions, list) or not questions or not isinstance(questions[0], dict):
        return None
    first: dict[str, Any] = questions[0]
    question = _text(first, "question")
    header = _text(first, "header")
    if not question and not header:
        return None
    options = first.get("options")
    read = map(_option, options if isinstance(options, list) else [])
    return Asked(
        question,
        header,
        tuple(option for option in read if option is not None),
        first.get("multiple") is True,
        len(questions) - 1,
    )


def _option(option: Any) -> AskedOption | None:
    if not isinstance(option, dict) or not _text(option, "label"):
        return None
    return AskedOption(_text(option, "label"), _text(option, "description"), _text(option, "value"))


def _text(holder: dict[str, Any], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) else ""
