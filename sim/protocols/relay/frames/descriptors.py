"""What command.list says of a command: what it takes and how long it may take."""

from __future__ import annotations

from typing import Final

from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import Record, record, wire
from sim.wire.spec import ANY_TEXT, SOME_TEXT, Choice, Flag, ListOf, Nested, Number

INPUT_TYPES: Final = ("string", "number", "boolean", "object", "array")
_AMOUNT: Final = Number(finite=True)


@record()
class Scaling(Record):
    """How the budget grows with an input: base plus so much per unit, within bounds."""

    input_field: str | Absent = wire(SOME_TEXT, default=ABSENT)
    base_ms: float | Absent = wire(_AMOUNT, default=ABSENT)
    per_unit_ms: float | Absent = wire(_AMOUNT, default=ABSENT)
    min_ms: float | Absent = wire(_AMOUNT, default=ABSENT)
    max_ms: float | Absent = wire(_AMOUNT, default=ABSENT)


@record()
class TimeoutPolicy(Record):
    """A hint of the command's author; an explicit timeout of the user goes before it."""

    default_ms: float | Absent = wire(_AMOUNT, default=ABSENT)
    scaling: Scaling | Absent = wire(Nested(Scaling), default=ABSENT)


@record()
class InputField(Record):
    """One input of a command."""

    name: str = wire(SOME_TEXT)
    type: str = wire(Choice(INPUT_TYPES))
    description: str | Absent = wire(ANY_TEXT, default=ABSENT)
    optional: bool | Absent = wire(Flag(), default=ABSENT)


@record()
class CommandDescriptor(Record):
    """A command of a site."""

    site: str = wire(SOME_TEXT)
    id: str = wire(SOME_TEXT)
    display_name: str = wire(SOME_TEXT)
    description: str = wire(SOME_TEXT)
    requires_auth: bool | Absent = wire(Flag(), default=ABSENT)
    preload_host: str | Absent = wire(SOME_TEXT, default=ABSENT)
    input_fields: tuple[InputField, ...] | Absent = wire(
        ListOf(Nested(InputField), unique_by="name"), default=ABSENT
    )
    timeout_policy: TimeoutPolicy | Absent = wire(Nested(TimeoutPolicy), default=ABSENT)
