"""The words of the interface: English in the source, Chinese from a table.

Names of scenarios, rules and frames stay as they are. What is drawn is translated
at the very edge, where it is drawn, by whole pieces of text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from rich.cells import cell_len

from tui.language.chinese import CHINESE
from tui.language.chinese_plain import PLAIN

LANGUAGES = ("en", "zh")
_TABLES: Mapping[str, Mapping[str, str]] = {"en": {}, "zh": CHINESE}
_NUMBERED = re.compile(r"^(\D+?)(\s+)([\d#].*)$")


def from_locale(environ: Mapping[str, str] = os.environ) -> str:
    """The language of the terminal: Chinese where the locale says so."""
    for name in ("HOOKTWIN_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = environ.get(name, "")
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


KEPT = 4096
"""Texts whose translation is remembered."""


class Speech:
    """One language."""

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self._table = _TABLES.get(language, {})
        self._templates = _templates_of(self._table)
        self._known: dict[str, str | None] = {}

    def __call__(self, text: str) -> str:
        """A piece of text in this language; what is not in the table stays English."""
        if not self._table:
            return text
        whole = PLAIN.get(text)  # with the blanks around it, which Chinese does without
        if whole is not None:
            return whole
        bare = text.strip()
        told = self._table.get(bare)
        if told is None:
            told = self._told(bare)
        return text if told is None else self._filled(text, bare, told)

    def _told(self, bare: str) -> str | None:
        """A text with numbers or names in it; None where the table has none like it."""
        if bare in self._known:
            return self._known[bare]
        if len(self._known) > KEPT:
            self._known.clear()
        told = self._by_template(bare)
        if told is None:
            found = _NUMBERED.match(bare)
            if found is not None and found[1] in self._table:
                told = self._table[found[1]] + found[2] + found[3]
        self._known[bare] = told
        return told

    def _by_template(self, bare: str) -> str | None:
        """What is in the places is translated, too."""
        for start in (bare[:2], ""):
            for pattern, told in self._templates.get(start, ()):
                found = pattern.fullmatch(bare)
                if found is not None:
                    return told.format(*map(self, found.groups("")))
        return None

    @staticmethod
    def _filled(text: str, bare: str, told: str) -> str:
        """Columns stay columns: padding is taken from what is longer now."""
        before = text[: len(text) - len(text.lstrip())]
        behind = len(text) - len(before) - len(bare)
        if not behind:
            return before + told
        return before + told + " " * max(cell_len(bare) + behind - cell_len(told), 1)


def _templates_of(
    table: Mapping[str, str],
) -> dict[str, list[tuple[re.Pattern[str], str]]]:
    """Patterns of the texts with places, by their first two signs ("" where a place is first).

    The longest come first: the more is said, the surer it is that it is meant.
    """
    found: dict[str, list[tuple[re.Pattern[str], str]]] = {}
    for text in sorted((text for text in table if "{}" in text), key=len, reverse=True):
        parts = [re.escape(part) for part in text.split("{}")]
        start = text[:2] if "{}" not in text[:3] else ""
        found.setdefault(start, []).append((re.compile("(.*?)".join(parts)), table[text]))
    return found
