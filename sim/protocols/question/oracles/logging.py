"""The four log lines of a custom answer (§9.3, QT-49, DQ-26)."""

from __future__ import annotations

import re
from typing import Final

from sim.protocols.question.oracles.oracle import OfListener, Owing
from sim.protocols.question.view_calls import TEXT
from sim.protocols.question.view_records import Attempt, LogView

PREFIX: Final = "[PermListener]"
SETTLED: Final = "✅ question 已回传 OpenCode: requestID="


class TheLogTells(Owing):
    name = "the-log-tells"
    sentence = (
        "A custom answer leaves four lines in order: the press, the entry, the message with what "
        "it replies to, the reply with the requestID."
    )
    catalogue = ("QT-49",)
    obeyed_by = OfListener.obeyed_by

    def on_settled(self, attempt: Attempt) -> None:
        if attempt.update.kind == TEXT and attempt.entry is not None:
            self.exercised += 1
            id = attempt.replies[-1].id if attempt.replies else ""
            text = f"{attempt.listener} does not log the four lines of {attempt.entry.id} in order"
            self.owe((attempt.listener, id), attempt.listener, text)

    def on_log(self, line: LogView) -> str | None:
        if SETTLED not in line.text:
            return None
        id = line.text.partition(SETTLED)[2]
        key = (line.host, id)
        if key not in self._owed:
            return None
        text = self._owed[key].text
        mine = [
            one
            for one in self.view.attempts.all
            if one.listener == line.host and one.replies and one.replies[-1].id == id
        ]
        attempt = mine[-1] if mine else None
        if attempt is None or attempt.entry is None or self._is_whole(attempt, line):
            return self.pay(key)
        return text

    def _is_whole(self, attempt: Attempt, last: LogView) -> bool:
        """Whether the other three come before the last, in their order."""
        assert attempt.entry is not None
        id, said = attempt.entry.id, attempt.update
        reply_to = "null" if said.reply_to is None else str(said.reply_to)
        asked = re.escape(f"{PREFIX} 📥 收到 callback_query: data=qcustom:{id}") + "$"
        found = re.escape(f"{PREFIX} 📋 getPending({id}): type=question") + "$"
        heard = re.escape(f"{PREFIX} 📨 收到 message: ") + f".*replyTo={re.escape(reply_to)}$"
        # A text that was there before its question had been asked for is heard before; only
        # the prompt, to which it may reply, was not.
        hit_at = self._hit_at(asked, found)
        is_early = said.reply_to not in attempt.entry.prompts and hit_at > attempt.at
        return all(
            self._are_in_order(due, last)
            for due in ([[asked, found], [asked, heard]] if is_early else [[asked, found, heard]])
        )

    def _hit_at(self, asked: str, found: str) -> int:
        """When the entry was first found after the press, -1 for never. An option may have
        been pressed before."""
        lines = iter(self.view.logs)
        any(re.match(asked, line.text) for line in lines)
        return next((line.at for line in lines if re.match(found, line.text)), -1)

    def _are_in_order(self, due: list[str], last: LogView) -> bool:
        for line in self.view.logs:
            if line.n > last.n:
                break
            if due and re.match(due[0], line.text):
                del due[0]
        return not due
