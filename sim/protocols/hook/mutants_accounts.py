"""Servers and desktops that are wrong about accounts, settings, groups and receipts.

All need three lanes; some desktops show what is wrong with them only to a server
that is wild.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from sim.channel.api import DeleteMessage, EditMessage, PostMessage
from sim.core.op import Call, Op, Save, Send, Sleep, Spawn
from sim.protocols.hook.machine import CONFIRMED, REVOKED
from sim.protocols.hook.mutants import Mutant, calls, off, reframed, saves, sends
from sim.protocols.hook.oracles.oracle import FINALS
from sim.protocols.hook.server.accounts.lifecycle import ONLINE_TEXT
from sim.protocols.hook.server.accounts.rows import PrefRow, SlackBindingRow
from sim.protocols.mutant import drops, frames_with
from sim.wire.absent import ABSENT
from sim.wire.message import Message

HOUR_US = 3_600_000_000
RARE = 400
"""Budget of what shows itself in few storms."""
LANES = "lanes"
WILD = "wild-server"


def _again(actor: Any, op: Send, **changes: Any) -> Send:
    """The same frame once more, with an id of its own."""
    frame = reframed(op, **changes).frame
    return Send(op.conn, Message(frame.type, actor.port.new_frame_id(), frame.ts, frame.body))


def _is_answer(op: Any) -> bool:
    return calls(op, PostMessage) and op.request.role == "request" and op.request.state in FINALS


def _accepted_again(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield op
    if sends(op, "turn.delivery") and op.frame.body.state == "delivered":
        yield _again(actor, op, state="accepted", attempt=0)


def _publishes_what_failed(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield op
    if _is_answer(op):
        actor.notes[op.request.about] = op
    if sends(op, "turn.delivery") and op.frame.body.state == "failed":
        answer = actor.notes.get(op.frame.body.request_id)
        if answer is not None:
            yield answer


def _sleeps_on_it(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "turn.delivery") and op.frame.body.state == "retrying":
        actor.notes["retrying"] = True
    if type(op) is Sleep and actor.notes.pop("retrying", False):
        yield Sleep(HOUR_US)
    else:
        yield op


def _pins_nothing(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "bind.update") and op.frame.body.state == "pending":
        url = str(op.frame.body.authorize_url).partition("&team=")[0]
        yield reframed(op, authorize_url=url)
    else:
        yield op


def _one_team(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """A new workspace drives the others out of the desktop."""
    yield op
    if saves(op, SlackBindingRow) and op.value.state == CONFIRMED:
        older = actor.notes.get(op.value.device)
        if older is not None and older.value.team != op.value.team:
            yield Save(older.key, msgspec.structs.replace(older.value, state=REVOKED))
        actor.notes[op.value.device] = op


def _always_bound(actor: Any, op: Any) -> Iterator[Op[Any]]:
    gone = sends(op, "bind.update") and op.frame.body.state == "revoked"
    yield reframed(op, state="confirmed") if gone else op


def _stale_attempts(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """Once an attempt is over, its link is shown again."""
    yield op
    if sends(op, "provider.bind.update"):
        body = op.frame.body
        if body.state == "pending":
            actor.notes[body.attempt_id] = op
        elif body.attempt_id in actor.notes:
            yield _again(actor, actor.notes[body.attempt_id], reply_to=None)


def _silent_ends(actor: Any, op: Any) -> Iterator[Op[Any]]:
    gone = sends(op, "provider.bind.update") and op.frame.body.state in ("revoked", "superseded")
    if not gone:
        yield op


def _forgets_rows(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "prefs.state") or sends(op, "provider.prefs.state"):
        yield reframed(op, prefs=op.frame.body.prefs[1:])
    else:
        yield op


def _anybodys_settings(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if saves(op, PrefRow) and op.key.startswith("prefs/T1/"):
        yield Save(f"prefs/T2/{op.key.removeprefix('prefs/T1/')}", op.value)
    else:
        yield op


def _drops_commands(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if type(op) is Spawn and op.name.startswith("command "):
        op.run.close()
    else:
        yield op


def _tells_strangers(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "group.message") and op.frame.body.recipient is not ABSENT:
        recipient = type(op.frame.body.recipient)(binding_id="b-1", principal_id="p-1")
        yield reframed(op, recipient=recipient)
    else:
        yield op


def _long_talk(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "group.message"):
        yield reframed(op, text=op.frame.body.text + " and so on" * 500)
    else:
        yield op


def _keeps_talk(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "group.message"):
        yield Save("talk", op.frame.body.text)
    yield op


def _corrects_x(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield op
    if _is_answer(op) and op.to == "XX":
        yield Call(op.to, EditMessage("x1", op.request.text, op.request.state), op.timeout_us)


def _answers_in_place(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """On Telegram, too, the progress message becomes the answer."""
    if calls(op, EditMessage):
        actor.notes[op.request.by] = op.request.message
    place = actor.notes.get(op.request.about) if _is_answer(op) else None
    if place is not None:
        edit = EditMessage(place, op.request.text, op.request.state, by=op.request.about)
        yield Call(op.to, edit, op.timeout_us)
    else:
        yield op


def _impatient(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """While it has to wait it tries the last edit again."""
    if calls(op, EditMessage):
        actor.notes["edit"] = op
    if type(op) is Sleep and op.for_us > 2_000_000 and "edit" in actor.notes:
        edit = actor.notes.pop("edit")
        yield Sleep(1_200_000)
        yield edit
        yield Sleep(op.for_us)
    else:
        yield op


def _ends_twice(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield op
    if sends(op, "turn.end"):
        yield _again(actor, op)


def _s(name: str, caught_by: str, what: str, ops: Any, **more: Any) -> Mutant:
    more.setdefault("needs", LANES)
    more.setdefault("seeds", 60)
    return Mutant(f"server-{name}", "server", caught_by, what, ops=ops, **more)


def _d(name: str, caught_by: str, what: str, ops: Any, **more: Any) -> Mutant:
    more.setdefault("needs", LANES)
    more.setdefault("seeds", 60)
    return Mutant(f"desktop-{name}", "desktop", caught_by, what, ops=ops, **more)


MUTANTS: tuple[Mutant, ...] = (
    _s("no-prefs", "prefs-are-answered", "prefs.get stays without an answer.",
       drops("prefs.state")),
    _s("no-provider-prefs", "provider-prefs-are-answered",
       "provider.prefs.get stays without an answer.", drops("provider.prefs.state")),
    _s("unpaired-behavior", "behavior-is-answered", "Answers do not say to what.",
       frames_with("provider.behavior.state", reply_to=None)),
    _s("unpaired-bindings", "binding-requests-are-answered",
       "Cancels and revokes are not answered.",
       frames_with("provider.bind.update", reply_to=None), seeds=RARE),
    _s("no-tool-answers", "tools-are-answered", "Tools are never answered.",
       drops("tool.response"), seeds=RARE),
    _s("accepted-again", "receipts-go-forward", "accepted follows delivered.", _accepted_again),
    _s("publishes-what-failed", "nothing-after-failed",
       "A result that was called failed is posted.", _publishes_what_failed, seeds=RARE),
    _s("sleeps-on-it", "retrying-is-tried", "retrying is a word only.", _sleeps_on_it),
    _s("no-receipts", "ends-are-receipted", "Ends are never reported on.", drops("turn.delivery")),
    _s("pins-nothing", "links-are-pinned", "Every link is for any workspace.", _pins_nothing),
    _s("one-team", "adding-a-team-keeps-the-others",
       "A second workspace disconnects the first.", _one_team, seeds=RARE),
    _s("nameless-team", "updates-name-their-team", "bind.update does not say which team.",
       frames_with("bind.update", team_id=ABSENT)),
    _s("always-bound", "confirmed-means-bound", "revoked is told as confirmed.", _always_bound),
    _s("stale-attempts", "attempts-go-forward", "Old links are shown again.", _stale_attempts),
    _s("silent-ends", "snapshots-say-what-is-so", "Nobody is told that a binding is gone.",
       _silent_ends),
    _s("forgets-rows", "prefs-are-told-whole", "The first row is missing.", _forgets_rows),
    _s("anybodys-settings", "sets-stay-with-their-account",
       "Settings are stored for whichever team.", _anybodys_settings),
    _s("forgets-groups", "behavior-is-told-whole", "Groups are missing.",
       frames_with("provider.behavior.state", group_activation={})),
    _s("drops-commands", "commands-are-answered", "Commands are seen and forgotten.",
       _drops_commands),
    _s("tells-strangers", "group-talk-goes-to-members", "Group talk names a stranger.",
       _tells_strangers),
    _s("long-talk", "group-talk-is-fit", "Group talk is too long.", _long_talk),
    _s("keeps-talk", "group-talk-is-not-kept", "Group talk is stored.", _keeps_talk),
    _s("never-back", "presence-is-told", "Only absences are told.",
       drops(lambda op: calls(op, PostMessage) and op.request.text == ONLINE_TEXT)),
    _s("corrects-x", "x-is-written-once", "Posts on X are corrected.", _corrects_x),
    _s("answers-in-place", "telegram-answers-anew", "The progress message becomes the answer.",
       _answers_in_place),
    _s("leaves-progress", "progress-messages-go", "Progress messages stay.",
       drops(lambda op: calls(op, DeleteMessage))),
    _s("impatient", "patience-is-kept", "Retry-After is not kept.", _impatient,
       seeds=RARE),
    _d("ends-twice", "no-endless-replay", "Each result is sent twice.", _ends_twice),
    _d("with-email", "revokes-fit-the-server", "Who signs in is said by e-mail.",
       frames_with("bind.start", email="a@b.example")),
)  # fmt: skip


def _r(rule: str, side: str, caught_by: str, needs: str = LANES, seeds: int = 60) -> Mutant:
    return off(rule, side, caught_by, seeds=seeds, needs=needs)


RULES: tuple[Mutant, ...] = (
    _r("features-agreed", "server", "server-sends-what-is-agreed", seeds=RARE),
    _r("relay-needs-features", "server", "server-sends-what-is-agreed", seeds=RARE),
    _r("delivery-where-asked", "server", "server-sends-what-is-agreed"),
    _r("links-expire", "server", "old-links-bind-nobody", seeds=RARE),
    _r("newest-link-only", "server", "old-links-bind-nobody", seeds=RARE),
    _r("pending-only", "server", "revoke-takes-what-it-names"),
    _r("revoke-named-only", "server", "revoke-takes-what-it-names"),
    _r("bind-state-pushed", "server", "bind-state-is-pushed"),
    _r("cancel-keeps-binding", "server", "requests-end-what-they-name", seeds=RARE),
    _r("prefs-partial", "server", "prefs-are-patched"),
    _r("prefs-isolated", "server", "prefs-are-isolated"),
    _r("prefs-pushed", "server", "prefs-are-told-whole", seeds=RARE),
    _r("team-not-guessed", "server", "tools-act-as-their-user", seeds=RARE),
    _r("behavior-partial", "server", "behavior-is-patched", seeds=RARE),
    _r("override-kept", "server", "behavior-is-patched"),
    _r("unknown-tool-answered", "server", "tools-are-answered", seeds=RARE),
    _r("tools-as-user", "server", "tools-act-as-their-user"),
    _r("query-grace", "server", "commands-are-answered"),
    _r("late-answers-dropped", "server", "pickers-show-the-answer", "late-answer"),
    _r("recipient-at-sending", "server", "group-talk-goes-to-members"),
    _r("relay-forgets", "server", "group-talk-waits-for-nobody"),
    _r("credentials-filtered", "server", "group-talk-is-fit"),
    _r("flaps-ignored", "server", "flaps-are-not-told"),
    _r("preference-at-once", "server", "notices-are-wanted", seeds=RARE),
    _r("group-principal-in-key", "server", "group-keys-name-the-account"),
    _r("listed-folders-only", "server", "only-listed-folders"),
    _r("lane-before-default", "server", "folder-precedence", seeds=RARE),
    _r("account-boundary", "server", "finals-are-the-owners-end"),
    _r("durable-acceptance", "server", "accepted-means-stored"),
    _r("delivered-after-publish", "server", "delivered-means-published"),
    _r("publish-once", "server", "replays-publish-nothing", seeds=RARE),
    _r("look-before-posting", "server", "one-answer-is-published", seeds=RARE),
    _r("delivery-receipts", "server", "ends-are-receipted", seeds=RARE),
    _r("safe-delivery-error", "server", "receipts-are-safe"),
    _r("no-receipt-for-rounds", "server", "no-receipts-for-rounds"),
    _r("default-cleared", "desktop", "desktop-frames-pass-the-parser"),
    _r("standby", "desktop", "standby-waits", WILD),
    _r("renew-once", "desktop", "tokens-are-renewed-once", WILD),
    _r("backoff", "desktop", "dials-back-off"),
    _r("queue-limit", "desktop", "queues-are-short", WILD),
    _r("await-delivery", "desktop", "ends-are-repeated-until-taken", seeds=RARE),
    _r("replay-ladder", "desktop", "ends-are-repeated-until-taken", seeds=RARE),
    _r("first-answer-wins", "desktop", "a-card-is-answered-once"),
    _r("live-lists", "desktop", "lists-are-live"),
    _r("short-session-list", "desktop", "desktop-frames-pass-the-parser", "many-sessions"),
    _r("prefs-shown-whole", "desktop", "prefs-are-shown-whole", seeds=RARE),
    _r("prefs-time-out", "desktop", "unanswered-is-over", WILD, seeds=RARE),
    _r("own-binding-only", "desktop", "behavior-is-of-the-binding", WILD),
    _r("behavior-needs-feature", "desktop", "desktop-sends-what-is-agreed"),
    _r("no-empty-patch", "desktop", "desktop-frames-pass-the-parser"),
    _r("tools-need-server", "desktop", "tools-need-the-server"),
    _r("team-of-session", "desktop", "tools-keep-to-their-team"),
    _r("revoke-by-team", "desktop", "revokes-fit-the-server", seeds=RARE),
    _r("bind-state-replaces", "desktop", "bindings-are-shown-whole", WILD, seeds=RARE),
    _r("one-attempt", "desktop", "desktop-takes-its-own", WILD),
    _r("link-allow-list", "desktop", "links-are-the-providers", WILD),
    _r("lifecycle-resync", "desktop", "preference-is-said-again"),
    _r("lifecycle-needs-feature", "desktop", "preference-needs-the-server", seeds=RARE),
    _r("recipient-check", "desktop", "window-takes-its-own", WILD),
    _r("group-principal", "desktop", "window-takes-its-own", WILD),
    _r("trigger-removed", "desktop", "context-is-told-once"),
    _r("context-since-cursor", "desktop", "context-is-told-once"),
)
