"""What a listener is told when it is made."""

from __future__ import annotations

import attrs

from sim.protocols.question import constants
from sim.protocols.question.rules import QuestionRules
from sim.protocols.question.store.plan import PendingPlan
from sim.protocols.question.telegram.plan import CHAT, TOKEN

ALL_RULES = QuestionRules()  # frozen: all hosts may share it


@attrs.frozen(kw_only=True)
class ListenerPlan:
    """One listener's surroundings and patience.

    ``telegram``, ``opencode``: the hosts it calls. ``token``: its bot's, as it stands in
    paths. ``chat``: the one chat whose members may answer (DQ-06). ``pending``: the store
    it shares with the hook. ``ttl_ms``: a question's age beyond which it is expired.
    ``tries`` lists at most, ``pause_ms`` between the end of one and the start of the next
    (§6), ``expiry_tries`` and ``expiry_pause_ms`` at expiry (DQ-10). ``long_poll_s``: how
    long Telegram may hold a getUpdates. Other times are limits and periods in
    milliseconds, as ``constants`` explains them.
    """

    telegram: str = constants.TELEGRAM
    opencode: str = constants.OPENCODE
    token: str = TOKEN
    chat: str = CHAT
    pending: PendingPlan = attrs.field(factory=PendingPlan)
    ttl_ms: int = constants.QUESTION_TTL_MS
    tries: int = constants.MATCH_TRIES
    pause_ms: int = constants.MATCH_PAUSE_MS
    attempt_ms: int = constants.ATTEMPT_LIMIT_MS
    opencode_ms: int = constants.OPENCODE_TIMEOUT_MS
    telegram_ms: int = constants.TELEGRAM_TIMEOUT_MS
    get_updates_ms: int = constants.GET_UPDATES_TIMEOUT_MS
    long_poll_s: int = constants.LONG_POLL_S
    poll_retry_ms: int = constants.POLL_RETRY_MS
    busy_poll_ms: int = constants.BUSY_POLL_MS
    expiry_tries: int = constants.EXPIRY_TRIES
    expiry_pause_ms: int = constants.EXPIRY_PAUSE_MS
    cleaning_ms: int = constants.CLEANING_EVERY_MS
    claim_refresh_ms: int = constants.CLAIM_REFRESH_MS
    lease_refresh_ms: int = constants.LEASE_REFRESH_MS
    rules: QuestionRules = ALL_RULES
