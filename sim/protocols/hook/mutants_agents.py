"""Desktops that make something else of their agents, lists and replies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from sim.core.op import Erase, Op
from sim.protocols.hook.mutants import Mutant, off, reframed, sends
from sim.protocols.mutant import frames_with


def _tail(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "turn.progress") and len(op.frame.body.text) > 4:
        yield reframed(op, text=op.frame.body.text[4:])
    else:
        yield op


def _hours(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "turn.end"):
        usage = attrs.evolve(op.frame.body.usage, duration_ms=36_000_000)
        yield reframed(op, usage=usage)
    else:
        yield op


def _paths(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "hello"):
        yield reframed(op, workspaces=(*op.frame.body.workspaces, "/disk/private"))
    else:
        yield op


def _other_archive(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if type(op) is Erase and op.key.startswith("session/"):
        yield Erase(op.key + "0")
    else:
        yield op


MUTANTS: tuple[Mutant, ...] = (
    Mutant("desktop-only-the-tail", "desktop", "snapshots-are-whole",
           "Snapshots lack their beginning.", ops=_tail),
    Mutant("desktop-ten-hours", "desktop", "durations-are-measured",
           "Every task has taken ten hours.", ops=_hours),
    Mutant("desktop-picky", "desktop", "options-may-be-missing",
           "Tasks that name no model are called invalid.",
           ops=frames_with(lambda op: sends(op, "task.ack") and op.frame.body.result == "accepted",
                           result="rejected", reason="invalid", session_id=None)),
    Mutant("desktop-tells-paths", "desktop", "paths-stay-at-home",
           "A path of the disk is among the folders.", ops=_paths),
    Mutant("desktop-other-archive", "desktop", "archives-take-one-session",
           "/new takes another session off the list.", seeds=150, ops=_other_archive),
    off("safe-default", "desktop", "silence-is-no-consent"),
)  # fmt: skip
