"""The interface in Chinese, by its English text."""

from __future__ import annotations

from collections.abc import Mapping

CHINESE: Mapping[str, str] = {}
