"""What both processes tell people, in the language of the protocol document."""

from __future__ import annotations

from typing import Final

FAILED: Final = "回传失败，请稍后重试"
"""The document's own words for an answer that did not get through (§7.1, DQ-18)."""

STORE_BROKEN: Final = "⚠️ 待回答的问题记录已损坏并被移到一旁，请在电脑上回答尚未处理的问题。"
"""The records were broken and put aside: answer open questions at the desk (DQ-22)."""
