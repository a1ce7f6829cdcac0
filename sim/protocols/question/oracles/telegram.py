"""What Telegram's twin owes to its bots: updates until they are confirmed, texts by privacy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.channel.api import ChannelFault
from sim.core.event import Acted, Event
from sim.core.invariant import Handler
from sim.protocols.question.oracles.oracle import OfTelegram
from sim.protocols.question.oracles.polling import offset_of
from sim.protocols.question.view import POLL, QuestionView
from sim.protocols.question.view_calls import CallView, result_of


class ConfirmedStaysConfirmed(OfTelegram):
    name = "confirmed-stays-confirmed"
    sentence = "Updates come in order, from the offset on; what was confirmed does not come again."
    catalogue = ("I3",)

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._confirmed: dict[tuple[str, str], int] = {}
        self._given: dict[tuple[str, str], int] = {}
        self._repeating: set[str] = set()

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {**super().handlers(), Acted: self._acted}

    def _acted(self, event: Any) -> None:
        """What is told again by a fault is not the twin's doing."""
        if isinstance(event.act, ChannelFault) and event.act.outcome == "repeated":
            self._repeating.add(event.host)

    def on_crashed(self, host: str) -> None:
        for key in [key for key in self._confirmed if key[0] == host]:
            del self._confirmed[key], self._given[key]

    def on_applied(self, call: CallView) -> str | None:
        result = result_of(call.reply) if call.what == POLL else None
        if not isinstance(result, list):
            return None
        key = (call.callee, call.request.path)
        given = self._given.get(key, 0)
        # What nobody was given is not confirmed: a listener may know it from another Telegram.
        confirmed = min(offset_of(call), given + 1)
        low = self._confirmed[key] = max(self._confirmed.get(key, 0), confirmed)
        told = [one.get("update_id") for one in result if isinstance(one, Mapping)]
        ids = [id for id in told if type(id) is int]
        self._given[key] = max(given, *ids, 0)
        self.exercised += bool(ids)
        if call.callee in self._repeating:
            ids = [id for id in ids if not low > id <= given]
        if ids == sorted(set(ids)) and all(id >= low for id in ids):
            return None
        return f"{call.callee} gives the updates {ids}, where {low} was asked for"


class PrivateTextsStay(OfTelegram):
    name = "private-texts-stay"
    sentence = "A bot whose privacy is on gets presses of a group, and none of its texts."
    catalogue = ("QT-30",)

    def on_applied(self, call: CallView) -> str | None:
        result = result_of(call.reply) if call.what == POLL else None
        token = call.request.path.removeprefix("/bot").partition("/")[0]
        if not isinstance(result, list) or token not in self.view.told.private:
            return None
        self.exercised += 1
        told = [one.get("message") for one in result if isinstance(one, Mapping)]
        if any(isinstance(one, Mapping) and _is_group(one) for one in told):
            return f"{call.callee} gives a text of a group to a bot that must not read it"
        return None


def _is_group(message: Mapping[str, Any]) -> bool:
    chat = message.get("chat")
    return isinstance(chat, Mapping) and str(chat.get("id", "")).startswith("-")
