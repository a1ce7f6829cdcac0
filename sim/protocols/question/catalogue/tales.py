"""All tales."""

from __future__ import annotations

from sim.protocols.catalogue import Told
from sim.protocols.question.catalogue import (
    tales_answers,
    tales_hook,
    tales_loop,
    tales_telling,
    tales_texts,
)

TALES: tuple[Told, ...] = (
    *tales_hook.TALES,
    *tales_answers.TALES,
    *tales_telling.TALES,
    *tales_texts.TALES,
    *tales_loop.TALES,
)
