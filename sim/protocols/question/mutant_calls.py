"""Changes of requests over HTTP, for mutants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import msgspec

from sim.core.http import HttpRequest
from sim.core.op import Call, Op

Wanted: TypeAlias = Callable[[Any], bool]
Ops: TypeAlias = Callable[[Any, Any], Iterator[Op[Any]]]


def asks(end: str, method: str = "") -> Wanted:
    """Requests whose path ends so: ``/sendMessage``, ``/reply``, ``/question``."""

    def wanted(op: Any) -> bool:
        request = op.request if type(op) is Call else None
        return (
            type(request) is HttpRequest
            and request.path.endswith(end)
            and method in ("", request.method)
        )

    return wanted


def drops(wanted: Wanted) -> Ops:
    """Such calls are not made, and taken for good."""

    def ops(actor: Any, op: Any) -> Iterator[Op[Any]]:
        if not wanted(op):
            yield op

    return ops


def twice(wanted: Wanted) -> Ops:
    """Such calls are made twice."""

    def ops(actor: Any, op: Any) -> Iterator[Op[Any]]:
        yield op
        if wanted(op):
            yield op

    return ops


def changed(wanted: Wanted, change: Callable[[HttpRequest], HttpRequest]) -> Ops:
    """Such requests are others."""

    def ops(actor: Any, op: Any) -> Iterator[Op[Any]]:
        yield Call(op.to, change(op.request), op.timeout_us) if wanted(op) else op

    return ops


def with_body(**fields: Any) -> Callable[[HttpRequest], HttpRequest]:
    """Its body has these fields; None removes one."""

    def change(request: HttpRequest) -> HttpRequest:
        body = request.body if isinstance(request.body, Mapping) else {}
        made = {key: value for key, value in {**body, **fields}.items() if value is not None}
        return msgspec.structs.replace(request, body=made)

    return change


def with_query(**fields: str) -> Callable[[HttpRequest], HttpRequest]:
    """Its query has these values."""

    def change(request: HttpRequest) -> HttpRequest:
        query = tuple((key, fields.get(key, value)) for key, value in request.query)
        return msgspec.structs.replace(request, query=query)

    return change


def slower(wanted: Wanted, us: int) -> Ops:
    """Such calls have another limit of time (µs)."""

    def ops(actor: Any, op: Any) -> Iterator[Op[Any]]:
        yield Call(op.to, op.request, us) if wanted(op) else op

    return ops
