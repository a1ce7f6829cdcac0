"""What a hook is told when it is made."""

from __future__ import annotations

import attrs

from sim.protocols.question.constants import HOOK_LIMIT_MS
from sim.protocols.question.rules import QuestionRules
from sim.protocols.question.store.plan import PendingPlan
from sim.protocols.question.telegram.plan import CHAT, TOKEN


@attrs.frozen(kw_only=True)
class HookPlan:
    """One plugin's surroundings.

    ``telegram``, ``opencode``: the hosts it calls. ``token`` "" disables it: it does
    nothing at all. ``chat``: where it writes to. ``pending``: the store it shares with
    the listener. Within ``limit_ms`` it has returned (DQ-21).
    """

    telegram: str = "telegram"
    opencode: str = "opencode"
    token: str = TOKEN
    chat: str = CHAT
    pending: PendingPlan = attrs.field(factory=PendingPlan)
    limit_ms: int = HOOK_LIMIT_MS
    rules: QuestionRules = attrs.field(factory=QuestionRules)
