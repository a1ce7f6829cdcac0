"""The question bridge's switchable rules.

Each field is a behaviour that the protocol document (or a decision ``DQ-nn`` where it
leaves a point open) demands, with the row of the catalogue, the reason, and what a user
sees without it. Actors read the fields; ``--without callid-before-session`` switches one
off. ``session_fallback_narrow`` off is the letter of section 6.3.
"""

from __future__ import annotations

import attrs

from sim.core.rule import rule
from sim.protocols.question.rules_listener import ListenerRules


@attrs.frozen
class QuestionRules(ListenerRules):
    """All rules on by default."""

    # ---- the hook --------------------------------------------------------------
    questions_only: bool = rule(
        "QT-02",
        by="hook",
        reason="Other tools have nothing to ask.",
        without="Messages with buttons for every command that an agent runs.",
    )
    hook_never_blocks: bool = rule(
        "QT-03",
        by="hook",
        reason="The tool registers its question only after the hook has returned.",
        without="The question is on the phone and nowhere else; nobody can answer it.",
    )
    hook_never_throws: bool = rule(
        "QT-04",
        by="hook",
        reason="The desk can answer without any phone.",
        without="The tool fails because Telegram is down.",
    )
    ids_from_input: bool = rule(
        "QT-14",
        by="hook",
        reason="The call says whose it is; a list of sessions does not (DQ-05).",
        without="With two sessions the wrong one is answered, or none.",
    )
    write_before_send: bool = rule(
        "QT-15",
        by="hook",
        reason="A press can come as soon as the message is there.",
        without="Who presses at once is told that the question has expired.",
    )
    custom_button: bool = rule(
        "QT-16",
        by="hook",
        reason="A free answer is always possible.",
        without="Who wants none of the options must go to the desk.",
    )
    keep_on_unknown_send: bool = rule(
        "I3",
        by="hook",
        reason="The buttons may be on the screen and must work (DQ-21).",
        without="A network hiccup, and the buttons on the screen are dead.",
    )
    drop_on_refused_send: bool = rule(
        "QT-31",
        by="hook",
        reason="A message that was refused has no buttons; its entry serves nobody (DQ-21).",
        without="Half an hour later the question is rejected, though nobody saw it.",
    )
    late_write_changes_only: bool = rule(
        "QT-20",
        "I2",
        by="hook",
        reason="The answer may be through before the hook learns its message id (DQ-21).",
        without="An answered question comes back into the store.",
    )
    rest_is_said: bool = rule(
        "QT-46",
        by="hook",
        reason="Only the first of several questions can be answered here (DQ-08).",
        without="The user believes that all was answered.",
    )

    # ---- the store -------------------------------------------------------------
    locked_changes: bool = rule(
        "QT-05",
        "I3",
        by="store",
        reason="Two processes read, change and write one file.",
        without="The entry of a question vanishes because another was written beside it.",
    )
    atomic_writes: bool = rule(
        "QT-05",
        by="store",
        reason="Readers take no lock, and processes die in the middle of a write (DQ-22).",
        without="A half-written file: open questions are called expired.",
    )
    broken_is_read_again: bool = rule(
        "QT-05",
        by="store",
        reason="What is half written now may be whole in 50 ms (DQ-22).",
        without="A question is called expired because somebody was writing.",
    )
    broken_is_moved_aside: bool = rule(
        "QT-05",
        by="store",
        reason="Nobody overwrites what somebody may need (DQ-22).",
        without="Open questions are gone without a word.",
    )
    take_over_stale_lock: bool = rule(
        "I6",
        by="store",
        reason="A killed process leaves its lock behind (DQ-23).",
        without="One killed process, and no question is ever served again.",
    )
    lock_wait_ends: bool = rule(
        "QT-04",
        by="store",
        reason="Waiting for a lock ends after 2,000 ms (DQ-23).",
        without="The tool hangs because a file is locked.",
    )
    one_listener_at_a_time: bool = rule(
        "I1",
        by="listener",
        reason="Two pollers of one bot throw each other out (DQ-15).",
        without="Contradicting notices about one press.",
    )

    # ---- OpenCode --------------------------------------------------------------
    first_close_wins: bool = rule(
        "I1",
        "I9",
        by="opencode",
        reason="Replied and rejected are final (DQ-27).",
        without="A tool ends twice; the second answer overwrites the first.",
    )
    closed_leaves_list: bool = rule(
        "QT-12",
        by="opencode",
        reason="The list is of what is still open.",
        without="An answered question can be answered again.",
    )
    reply_completes_tool: bool = rule(
        "QT-13",
        by="opencode",
        reason="The answer is the tool's result.",
        without="The session hangs although somebody has answered.",
    )
    list_by_directory: bool = rule(
        "QT-06",
        "QT-48",
        by="opencode",
        reason="A project's list has the project's questions.",
        without="Questions of other projects appear in the list.",
    )
