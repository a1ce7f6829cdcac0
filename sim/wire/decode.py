"""Strict JSON text to Python values that hold what JavaScript would hold.

Three decoders, the first that can vouch for its answer is taken:

1. msgspec, told a type that admits only what both worlds represent alike:
   integers that are exact doubles, nesting of a few levels. It refuses
   anything else (lone surrogates, overflowing numbers …), and then
2. the json module decides, with numbers rounded to doubles and the literals
   NaN and Infinity forbidden. Where nesting is too deep for its recursion,
3. :mod:`sim.wire.deep` goes on without recursion.

Duplicate keys: the last value wins, the first position stays.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

import msgspec

from sim.wire import deep
from sim.wire.deep import NotJson
from sim.wire.javascript import SAFE_INTEGER, SURROGATE, integer_from_digits, merged_surrogates

__all__ = ["NOT_SIMPLE", "NotJson", "decode_json", "decode_simple"]

# The protocol's own frames are half as deep. Each level doubles the time that msgspec
# takes to learn the type, and it swallows a Ctrl-C meanwhile.
_FAST_LEVELS = 8


def _bounded_json_type() -> Any:
    safe = Annotated[int, msgspec.Meta(ge=-SAFE_INTEGER, le=SAFE_INTEGER)]
    scalar = None | bool | safe | float | str
    json_type: Any = scalar
    for _ in range(_FAST_LEVELS):
        json_type = scalar | list[json_type] | dict[str, json_type]
    return json_type


def _refuse_literal(literal: str) -> object:
    raise NotJson(f"{literal} is no JSON value")


decode_simple = msgspec.json.Decoder(_bounded_json_type()).decode
"""The first decoder alone. It raises one of NOT_SIMPLE where it cannot vouch for an answer."""

NOT_SIMPLE = (msgspec.MsgspecError, UnicodeEncodeError, RecursionError)

_careful = json.JSONDecoder(parse_constant=_refuse_literal, parse_int=integer_from_digits)


def decode_json(text: str) -> object:
    """Decode one JSON document of any depth.

    Raises :class:`NotJson` with a one-line reason; never anything else for a str.
    """
    try:
        return decode_simple(text)
    except NOT_SIMPLE:
        return _decode_carefully(text)


def _decode_carefully(text: str) -> object:
    text = merged_surrogates(text)
    try:
        value: object = _careful.decode(text)
    except json.JSONDecodeError as fault:
        raise NotJson(str(fault)) from None
    except RecursionError:
        value = deep.decode(text)
    # A raw high surrogate before an escaped low one is merged by nobody else.
    if "\\u" in text and SURROGATE.search(text) is not None:
        value = deep.with_merged_surrogates(value)
    return value
