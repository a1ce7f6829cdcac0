"""Themes: two of our own for high contrast, two that colour-blind readers can tell apart.

Colours only repeat what words and signs say, so any theme of Textual will do.
"""

from __future__ import annotations

from textual.theme import Theme

THEMES: tuple[Theme, ...] = (
    Theme(
        name="high-contrast",
        primary="#ffff00",
        secondary="#00ffff",
        foreground="#ffffff",
        background="#000000",
        surface="#000000",
        panel="#1a1a1a",
        success="#00ff00",
        warning="#ffd700",
        error="#ff6060",
        accent="#00ffff",
        dark=True,
    ),
    Theme(
        name="blue-orange-dark",
        primary="#56b4e9",
        secondary="#cc79a7",
        foreground="#e8e8e8",
        background="#10131a",
        surface="#171b24",
        panel="#232838",
        success="#56b4e9",
        warning="#f0e442",
        error="#e69f00",
        accent="#cc79a7",
        dark=True,
    ),
    Theme(
        name="blue-orange-light",
        primary="#0072b2",
        secondary="#aa4488",
        foreground="#1a1a1a",
        background="#fafafa",
        surface="#f0f0f0",
        panel="#e2e4ea",
        success="#0072b2",
        warning="#7a5c00",
        error="#b34700",
        accent="#aa4488",
        dark=False,
    ),
)
DEFAULT = "textual-dark"
