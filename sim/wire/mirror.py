"""Declared records as msgspec structs: decoded and checked in one go, in C.

A mirror takes less than its declaration: what it takes the validator takes, and means the
same by it; what it does not take may be good all the same. So who decodes with one must
ask the validator in doubt, which also knows what is wrong. A mirror

* knows no key that is not declared, whatever the declaration says of such keys;
* takes integers where the declaration has integers, and no whole floats;
* counts characters where the declaration counts UTF-16 units, and allows half as many;
* takes values of any kind (``Anything``) when they are not deep;
* looks at fields with a condition (``when``) even where it is not met.

What types cannot say (rules between fields, conditions on texts) is in :func:`keeper`.
An instance has the attributes of the declared class, with the same values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Annotated, Any, ClassVar, Final, Literal, Never, TypeAlias, Union

import attrs
import msgspec

from sim.wire import spec
from sim.wire.absent import ABSENT
from sim.wire.declare import Field, Record
from sim.wire.decode import NOT_SIMPLE
from sim.wire.javascript import SAFE_INTEGER
from sim.wire.linkage import JsonObject, Linkage
from sim.wire.spec import ListOf, MapOf, Nested, Number, Text

Keeper: TypeAlias = Callable[[Any], bool]
"""Whether an instance of a mirror keeps a rule."""

SAFE: Final = Annotated[int, msgspec.Meta(ge=-SAFE_INTEGER, le=SAFE_INTEGER)]
SHALLOW: Final = 3
"""How deep a value of any kind may be."""


def _map_of(value: Any) -> Any:
    return dict[str, value]


def _list_of(item: Any) -> Any:
    return list[item]


def _several(item: Any) -> Any:
    return tuple[item, ...]


def _json(levels: int) -> Any:
    scalar: Any = None | bool | SAFE | float | str
    kind = scalar
    for _ in range(levels):
        kind = scalar | _list_of(kind) | _map_of(kind)
    return kind


ANYTHING: Final = _json(SHALLOW)


class Mirror(msgspec.Struct, forbid_unknown_fields=True, gc=False, kw_only=True):
    """Base of the mirrors. Rules may read it as they read a decoded object."""

    TYPE: ClassVar[str] = ""
    RECORD: ClassVar[type[Record]]
    ATTRIBUTES: ClassVar[Mapping[str, str]]
    """By wire name."""

    def __getitem__(self, name: str) -> Any:
        """The value of a field by its wire name. Raises KeyError where it is absent."""
        value = getattr(self, self.ATTRIBUTES[name])
        if value is ABSENT:
            raise KeyError(name)
        return value

    def __contains__(self, name: object) -> bool:
        attribute = self.ATTRIBUTES.get(name) if isinstance(name, str) else None
        return attribute is not None and getattr(self, attribute) is not ABSENT

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a field by its wire name."""
        value = getattr(self, self.ATTRIBUTES[name])
        return default if value is ABSENT else value

    def to_wire(self) -> JsonObject:
        """The decoded JSON object, keys in declared order, absent fields left out."""
        fields = ((name, getattr(self, attribute)) for name, attribute in self.ATTRIBUTES.items())
        return {name: _plain(value) for name, value in fields if value is not ABSENT}


def _plain(value: Any) -> Any:
    if isinstance(value, Mirror):
        return value.to_wire()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


_MIRRORS: dict[type[Record], type[Mirror]] = {}
_KEEPERS: dict[type[Record], Keeper | None] = {}


def mirror(cls: type[Record]) -> type[Mirror]:
    """The struct of a declared class, for decoders."""
    return _MIRRORS.get(cls) or _MIRRORS.setdefault(cls, _mirror(cls))


def _mirror(cls: type[Record]) -> type[Mirror]:
    demanded: list[Any] = []
    optional: list[Any] = []
    for field in cls.FIELDS:
        if isinstance(field.kind, spec.Never):
            continue  # a key that nobody knows
        kind = _type_of(field.kind)
        kind = kind | None if field.nullable else kind
        if field.optional:
            default = msgspec.field(default=ABSENT, name=field.name)
            optional.append((field.attribute, kind, default))
        else:
            demanded.append((field.attribute, kind, msgspec.field(name=field.name)))
    names = {one.name: one.attribute for one in cls.FIELDS if not isinstance(one.kind, spec.Never)}
    made: Any = msgspec.defstruct(
        cls.__name__,
        demanded + optional,
        bases=(Mirror,),
        module=__name__,
        namespace={"__doc__": cls.__doc__},
        forbid_unknown_fields=True,
        gc=False,
        kw_only=True,
    )
    made.RECORD, made.ATTRIBUTES, made.TYPE = cls, names, getattr(cls, "TYPE", "")
    struct: type[Mirror] = made
    return struct


def _type_of(kind: spec.Kind) -> Any:
    match kind:
        case Text():
            return _bounded(str, kind.min, None if kind.max is None else kind.max // 2)
        case Number():
            low = -SAFE_INTEGER if kind.min is None else kind.min
            whole = Annotated[int, msgspec.Meta(ge=low, le=SAFE_INTEGER)]
            if kind.integer or kind.safe:
                return whole
            return whole | (float if kind.min is None else Annotated[float, msgspec.Meta(ge=low)])
        case spec.Flag():
            return bool
        case spec.Choice():
            return Literal[kind.values]
        case spec.Anything():
            return ANYTHING
        case spec.AnyObject():
            return _map_of(ANYTHING)
        case Nested():
            return mirror(kind.record)
        case ListOf():
            item = _type_of(kind.item)
            return _bounded(_several(item), kind.min, kind.max)
        case MapOf():
            return _map_of(_type_of(kind.value))
        case spec.Never():
            return Never


def _bounded(kind: Any, least: int, most: int | None) -> Any:
    if not least and most is None:
        return kind
    return Annotated[kind, msgspec.Meta(min_length=least or None, max_length=most)]


# -- what types cannot say ---------------------------------------------------------------


def keeper(cls: type[Record]) -> Keeper | None:
    """Whether an instance keeps the rules that its types cannot say; None: there are none.

    It raises KeyError where a rule asks for what is absent; then only the validator knows.
    """
    if cls not in _KEEPERS:
        _KEEPERS[cls] = _keeper(cls)
    return _KEEPERS[cls]


def _keeper(cls: type[Record]) -> Keeper | None:
    fields = {field.name: field for field in cls.FIELDS}
    rules = [rule for field in cls.FIELDS for rule in _rules_of(field, fields)]
    if cls.UNKNOWN != "none at all":  # else that there are no keys is the rule
        rules += [_rule(one, fields) for one in cls.RULES]
    return _all(rules)


def _all(rules: Sequence[Keeper]) -> Keeper | None:
    """All of them in order, as one."""
    if len(rules) < 2:
        return rules[0] if rules else None
    rest = _all(rules[1:])
    assert rest is not None
    first, then = rules[0], rest
    return lambda one: first(one) and then(one)


def _rules_of(field: Field, fields: Mapping[str, Field]) -> list[Keeper]:
    rules = [_rule(one, fields) for one in (*field.before, *field.after)]
    if isinstance(field.kind, spec.Never):
        return rules
    own = _of_kind(field.kind)
    if own is not None:
        rules.append(_of_field(field, own))
    if field.when is not None:
        value, when = attrgetter(field.attribute), tuple(field.when.items())
        rules.append(
            lambda one: (
                value(one) is not ABSENT or any(one.get(name) != wanted for name, wanted in when)
            )
        )
    return rules


def _of_field(field: Field, test: Keeper) -> Keeper:
    name = field.attribute
    if not field.optional and not field.nullable:
        return lambda one: test(getattr(one, name))
    return lambda one: (value := getattr(one, name)) is None or value is ABSENT or test(value)


def _of_kind(kind: spec.Kind) -> Keeper | None:
    match kind:
        case Text():
            return None if kind.where is None else kind.where.accepts
        case Nested():
            return keeper(kind.record)
        case ListOf():
            return _of_list(kind)
        case MapOf():
            return _of_each(kind.key.accepts)
        case _:
            return None


def _of_each(test: Keeper) -> Keeper:
    def keeps(values: Iterable[Any]) -> bool:
        for value in values:  # noqa: SIM110 - twice as fast as all()
            if not test(value):
                return False
        return True

    return keeps


def _of_list(kind: ListOf) -> Keeper | None:
    rules: list[Keeper] = []
    item = _of_kind(kind.item)
    if item is not None:
        rules.append(_of_each(item))
    if kind.unique:
        rules.append(lambda value: len(set(value)) == len(value))
    if kind.unique_by is not None and isinstance(kind.item, Nested):
        names = {one.name: one.attribute for one in kind.item.record.FIELDS}
        key = attrgetter(names[kind.unique_by])
        rules.append(lambda value: len(value) < 2 or len(set(map(key, value))) == len(value))
    return _all(rules)


def _rule(rule: Linkage, fields: Mapping[str, Field]) -> Keeper:
    if rule.quick is not None:
        return rule.quick(fields)
    check = rule.check
    return lambda one: check(one) is None


# -- frames --------------------------------------------------------------------------------

NOT_SURE: Final = (*NOT_SIMPLE, KeyError)
"""What decoding, and a keeper, raise where the parser has to be asked."""


@attrs.frozen(eq=False)
class Swift:
    """How the usual frames of a protocol are read at once.

    ``decode`` makes a struct of a text of at most ``longest`` characters, or raises one of
    ``NOT_SURE``; it is good if the keeper of its class finds its ``body`` good, or there is
    none. ``kinds`` are the message types by struct.
    """

    decode: Callable[[str], Any]
    keepers: Mapping[type[Any], Keeper]
    kinds: Mapping[type[Any], str]
    longest: int

    def reader(self, otherwise: Callable[[str], Any]) -> Callable[[str], Any]:
        """A function that gives the frame, or what ``otherwise`` says where it has to be asked."""
        decode, keepers, longest = self.decode, self.keepers, self.longest

        def read(text: str) -> Any:
            if len(text) <= longest:
                try:
                    frame = decode(text)
                    keeps = keepers.get(type(frame))
                    if keeps is None or keeps(frame.body):
                        return frame
                except NOT_SURE:
                    pass
            return otherwise(text)

        return read


def _not_sure(text: str) -> Any:
    raise KeyError(text)


NEVER_SURE: Final = Swift(decode=_not_sure, keepers={}, kinds={}, longest=-1)
"""Of a protocol whose frames are not read at once."""


def union(structs: list[Any]) -> Any:
    """The type of whichever of these structs a tag names."""
    return Union[tuple(structs)]  # noqa: UP007 - made at run time
