"""What a desktop is, and the numbers it lives by.

Both are frozen and shared by all lives of a host: a restarted process reads
the same configuration. Times are virtual microseconds unless a name says
otherwise; the defaults are the public client's.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from sim.protocols.hook.rules import HookRules

SECOND_US = 1_000_000
MINUTE_US = 60 * SECOND_US
DAY_US = 24 * 60 * MINUTE_US
MIB = 1024 * 1024

# What each lane declares in hello. turn-reopen-v1 is the server's word alone,
# turn-delivery-v1 belongs to X only.
LANE_FEATURES: Mapping[str, tuple[str, ...]] = {
    "slack": ("multi-team", "session-picker-v1"),
    "telegram": (
        "provider-bind-v1",
        "provider-prefs-v1",
        "session-picker-v1",
        "provider:telegram",
        "group-relay-v1",
        "group-relay-recipient-v1",
        "provider-behavior-v1",
    ),
    "x": ("provider-bind-v1", "provider-prefs-v1", "session-picker-v1", "turn-delivery-v1"),
}

# What welcome must list before a provider-neutral lane is of any use.
LANE_NEEDS: Mapping[str, frozenset[str]] = {
    lane: frozenset(
        ("provider-bind-v1", "provider-prefs-v1", "session-picker-v1", f"provider:{lane}")
    )
    for lane in ("telegram", "x")
}


@attrs.frozen
class DesktopSettings:
    """Every time limit, size and count of the desktop.

    The last group are the durations of local work. They are zero by default,
    because the scenario's agent takes all the time it needs; a test sets them
    to open the gaps in which cancels and duplicates get lost.
    """

    # connection
    first_retry_us: int = 1 * SECOND_US
    longest_retry_us: int = 30 * SECOND_US
    jitter_low_percent: int = 70
    standby_retry_us: int = 30 * SECOND_US
    heartbeat_us: int = 25 * SECOND_US
    silence_limit_us: int = 65 * SECOND_US
    # admission
    queue_limit: int = 20
    queue_poll_us: int = 2 * SECOND_US
    ack_history: int = 2_000
    # results; sizes in bytes of text
    ledger_rows: int = 2_000
    ledger_row_bytes: int = 8_000_000
    ledger_bytes: int = 32_000_000
    buffered_ends: int = 100
    end_lifetime_ms: int = 24 * 60 * 60 * 1000
    first_replay_us: int = 10 * SECOND_US
    longest_replay_us: int = 60 * SECOND_US
    double_flush: bool = True
    # progress
    progress_interval_us: int = 1_500_000
    progress_chars: int = 3_800
    idle_refresh_us: int = 5 * SECOND_US
    # cards
    card_timeout_us: int = 30 * MINUTE_US
    card_buttons: int = 24
    question_options: int = 6
    card_title_chars: int = 60
    button_label_chars: int = 30
    plan_body_chars: int = 1_500
    permission_body_chars: int = 600
    # continuations
    reopen_lifetime_us: int = DAY_US
    reopen_records: int = 200
    # what the desktop asks the server for
    request_timeout_us: int = 10 * SECOND_US
    tool_timeout_us: int = 60 * SECOND_US
    # bindings
    sign_in_us: int = 3 * MINUTE_US
    install_wait_us: int = 10 * MINUTE_US
    first_bind_wait_us: int = 300_000
    attempt_lease_us: int = 10 * MINUTE_US
    # group window, per principal; what a prompt gets of it
    group_rows: int = 5_000_000
    group_chars: int = 1024 * MIB
    context_rows: int = 500
    context_line_chars: int = 500
    context_chars: int = 4_000
    # attachments of a result, in bytes before base64
    attachments: int = 8
    image_bytes: int = 5 * MIB
    file_bytes: int = 10 * MIB
    attachments_bytes: int = 30 * MIB
    # how long local work takes
    locate_us: int = 0
    abort_us: int = 0
    gather_us: int = 0
    local_turn_us: int = 2 * SECOND_US


# What the agents offer: (model, its efforts) by kind of agent.
EFFORTS = ("low", "medium", "high")
MODELS: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "claude-code": (("opus", EFFORTS), ("sonnet", EFFORTS), ("haiku", ())),
    "codex": (("gpt-5", EFFORTS),),
}
PERMISSION_MODES = (
    ("default", "Ask first"),
    ("acceptEdits", "Accept edits"),
    ("plan", "Plan only"),
    ("bypassPermissions", "Never ask"),
)


ALL_RULES = HookRules()  # frozen: all hosts may share it


@attrs.frozen(eq=False)
class DesktopConfig:
    """Who a desktop is and how it is set up.

    ``server`` is the host it dials, once per lane. ``workspaces`` are aliases;
    ``chat`` is put first if it is not there. ``sessions`` are (session id,
    alias) pairs that exist on the desktop from the start, for take-overs.
    ``features`` replaces what a lane declares in hello; ``models`` are what
    the agents offer, by kind.
    """

    device_id: str
    device_name: str = ""
    server: str = "S"
    lanes: tuple[str, ...] = ("slack",)
    account: str = "owner"
    workspaces: tuple[str, ...] = ("chat",)
    default_workspace: str | None = None
    agents: tuple[str, ...] = ("claude-code",)
    models: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]] = MODELS
    sessions: tuple[tuple[str, str], ...] = ()
    features: Mapping[str, tuple[str, ...]] = LANE_FEATURES
    lifecycle_announcement: bool = False
    rules: HookRules = ALL_RULES
    settings: DesktopSettings = DesktopSettings()
