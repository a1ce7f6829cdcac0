"""How a wire object is declared: once, as a frozen attrs class.

>>> @record()
... class Point(Record):
...     '''A place on the screen.'''
...     left: int = wire(Number(integer=True))
...     label: str | None | Absent = wire(Text(), nullable=True, default=ABSENT)

The order of the fields is the order of checking and the order on the wire.
``default=ABSENT`` makes a field optional; the wire name is the camelCase of
the Python name. Rules between fields run where they are attached: ``before``
or ``after`` the field, or (class-wide ``rules``) at the end.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, Self, TypeAlias, TypeVar, dataclass_transform

import attrs

from sim.wire.absent import ABSENT
from sim.wire.linkage import JsonObject, Linkage, Wire
from sim.wire.spec import Anything, Kind

Unknown: TypeAlias = Literal["ignored", "refused first", "refused last", "none at all"]
"""What happens to keys that are not declared.

Refused before the known fields are looked at, or after them; ``none at all``
is for objects without fields and names the whole object.
"""

_METADATA = "wire"


@attrs.frozen
class Gate:
    """The feature that allows a message, and who must have announced it."""

    feature: str
    announced_by: str


@attrs.frozen
class Field:
    """A declared field: Python and wire name, kind, presence and its rules."""

    attribute: str
    name: str
    kind: Kind
    nullable: bool = False
    optional: bool = False
    before: tuple[Linkage, ...] = ()
    after: tuple[Linkage, ...] = ()
    when: Mapping[str, str | bool] | None = None


class Record:
    """An object within a message; see :func:`record`."""

    __slots__ = ()

    FIELDS: ClassVar[tuple[Field, ...]] = ()
    RULES: ClassVar[tuple[Linkage, ...]] = ()
    UNKNOWN: ClassVar[Unknown] = "ignored"

    def to_wire(self) -> JsonObject:
        """The decoded JSON object, keys in declared order, absent fields left out."""
        from sim.wire.convert import writer

        return writer(type(self))(self)

    @classmethod
    def from_wire(cls, wire: Wire) -> Self:
        """Read an object. Nothing is checked; what is missing becomes ``ABSENT``."""
        from sim.wire.convert import reader

        made = reader(cls)(wire)
        assert isinstance(made, cls)
        return made


class Body(Record):
    """What a message says, without its envelope; see :func:`message`.

    A protocol subclasses it once and says how its envelope looks.
    """

    __slots__ = ()

    TYPE: ClassVar[str] = ""
    DIRECTION: ClassVar[str] = ""
    GATE: ClassVar[Gate | None] = None
    SECTION: ClassVar[str] = ""
    EXAMPLE: ClassVar[JsonObject] = {}
    BUILDER: ClassVar[str] = ""
    """What makes such frames, where that is not the builder of the type itself."""
    SENDERS: ClassVar[tuple[str, ...]] = ("",)
    """Who sends it, where the envelope says so; the first one unless another is named."""
    AROUND: ClassVar[tuple[Linkage, ...]] = ()
    """Rules between envelope and payload: they get the whole frame and tell whole paths."""
    ANSWER: ClassVar[type[Record] | None] = None
    """What the answer to it holds, where the answer's own type does not say that."""
    LAST_TS: ClassVar[int | None] = None
    """The latest time that the envelope can write down; times are whole and not negative."""

    @classmethod
    def family(cls) -> str:
        """What the envelope says for the type: another name where declarations share one."""
        return cls.TYPE

    @classmethod
    def enclose(cls, id: str, ts: int | float, payload: JsonObject, sender: str = "") -> JsonObject:
        """The decoded frame of this type around a payload.

        ``sender`` is for envelopes that name one; empty is the usual one of the type.
        """
        raise NotImplementedError(f"{cls.__name__} has no envelope")

    @classmethod
    def payload_in(cls, frame: Wire) -> Wire:
        """The payload within a decoded frame."""
        raise NotImplementedError(f"{cls.__name__} has no envelope")

    @classmethod
    def frame_schema(cls, payload: JsonObject) -> JsonObject:
        """JSON Schema of a frame of this type, given that of its payload."""
        raise NotImplementedError(f"{cls.__name__} has no envelope")


R = TypeVar("R", bound=Record)
B = TypeVar("B", bound=Body)


def wire(
    kind: Kind,
    *,
    default: Any = attrs.NOTHING,
    nullable: bool = False,
    name: str | None = None,
    before: tuple[Linkage, ...] = (),
    after: tuple[Linkage, ...] = (),
    when: Mapping[str, str | bool] | None = None,
) -> Any:
    """Declare a field.

    ``when`` limits a field to objects whose earlier fields have these values:
    there it is demanded, elsewhere it is not even looked at.
    """
    if isinstance(kind, Anything) and default is not ABSENT:
        raise TypeError("a field that may hold anything cannot be demanded: give default=ABSENT")
    return attrs.field(
        default=default,
        metadata={_METADATA: (kind, nullable, name, before, after, when)},
    )


def _camel(attribute: str) -> str:
    first, *rest = attribute.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _field(attribute: attrs.Attribute[Any]) -> Field:
    kind, nullable, name, before, after, when = attribute.metadata[_METADATA]
    optional = attribute.default is ABSENT
    wire_name = name or _camel(attribute.name)
    return Field(attribute.name, wire_name, kind, nullable, optional, before, after, when)


def _declared(cls: type[R], rules: tuple[Linkage, ...], unknown: Unknown) -> type[R]:
    if not (cls.__doc__ or "").strip() and sys.flags.optimize < 2:  # -OO strips them all
        raise TypeError(f"{cls.__name__} needs a docstring that says what it is for")
    made: Any = attrs.frozen(cls, kw_only=True, weakref_slot=False)
    made.FIELDS = tuple(_field(attribute) for attribute in attrs.fields(made))
    made.RULES = rules
    made.UNKNOWN = unknown
    declared: type[R] = made
    return declared


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(wire,))
def record(
    *, rules: tuple[Linkage, ...] = (), unknown: Unknown = "ignored"
) -> Callable[[type[R]], type[R]]:
    """Class decorator: declare an object that stands within messages."""
    return functools.partial(_declared, rules=rules, unknown=unknown)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(wire,))
def message(
    type_name: str,
    *,
    direction: str,
    section: str,
    example: JsonObject,
    gate: Gate | None = None,
    rules: tuple[Linkage, ...] = (),
    unknown: Unknown = "ignored",
    senders: tuple[str, ...] = ("",),
    around: tuple[Linkage, ...] = (),
) -> Callable[[type[B]], type[B]]:
    """Class decorator: declare the body of a message type.

    ``example`` is a valid payload; ``section`` the place in the protocol document.
    ``senders`` and ``around`` are for envelopes that say more than type, id and time.
    """

    def decorate(cls: type[B]) -> type[B]:
        made = _declared(cls, rules, unknown)
        made.TYPE, made.DIRECTION, made.SECTION = type_name, direction, section
        made.GATE, made.EXAMPLE = gate, example
        made.SENDERS, made.AROUND = senders, around
        return made

    return decorate


def summary(cls: type[Record]) -> str:
    """First paragraph of the docstring, on one line."""
    return " ".join((cls.__doc__ or "").strip().partition("\n\n")[0].split())
