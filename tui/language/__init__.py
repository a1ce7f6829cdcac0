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


class Speech:
    """One language."""

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self._table = _TABLES.get(language, {})

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
            found = _NUMBERED.match(bare)
            if found is None or found[1] not in self._table:
                return text
            told = self._table[found[1]] + found[2] + found[3]
        return self._filled(text, bare, told)

    @staticmethod
    def _filled(text: str, bare: str, told: str) -> str:
        """Columns stay columns: padding is taken from what is longer now."""
        before = text[: len(text) - len(text.lstrip())]
        behind = len(text) - len(before) - len(bare)
        if not behind:
            return before + told
        return before + told + " " * max(cell_len(bare) + behind - cell_len(told), 1)
