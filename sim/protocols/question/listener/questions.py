"""OpenCode's question API as the listener uses it (§3)."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import attrs

from sim.core.actor import Actor
from sim.core.http import HttpRequest, HttpResponse, Unreached
from sim.core.op import Call
from sim.protocols.question.constants import LIST_PATH, REJECT, REPLY
from sim.protocols.question.listener.matching import Listed, listed_in
from sim.protocols.question.listener.plan import ListenerPlan


@attrs.frozen
class ApiTrouble:
    """A call that failed: ``what`` was asked, and ``why`` it came to nothing."""

    what: str
    why: str
    is_unknown: bool = False

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


class Questions:
    """The open questions of OpenCode's projects."""

    __slots__ = ("_actor", "_plan")

    def __init__(self, actor: Actor, plan: ListenerPlan) -> None:
        self._actor = actor
        self._plan = plan

    async def listed(self, directory: str, limit_ms: int) -> list[Listed] | ApiTrouble:
        """GET /question of a project (§3.1)."""
        answer = await self._ask("GET", LIST_PATH, directory, None, limit_ms)
        what = f"GET {LIST_PATH}"
        if not isinstance(answer, HttpResponse) or not answer.is_ok:
            return _trouble(what, answer)
        items = listed_in(answer.body, self._plan.rules)
        return ApiTrouble(what, "the answer is no list") if items is None else items

    async def reply(
        self, request_id: str, directory: str, value: str, limit_ms: int
    ) -> ApiTrouble | None:
        """POST /question/{id}/reply: one question, one value (§3.2). → None for any 2xx."""
        return await self._close(REPLY, request_id, directory, {"answers": [[value]]}, limit_ms)

    async def reject(self, request_id: str, directory: str, limit_ms: int) -> ApiTrouble | None:
        """POST /question/{id}/reject (§3.3). → None for any 2xx."""
        return await self._close(REJECT, request_id, directory, None, limit_ms)

    async def _close(
        self, how: str, request_id: str, directory: str, body: Any, limit_ms: int
    ) -> ApiTrouble | None:
        path = f"{LIST_PATH}/{quote(request_id, safe='')}/{how}"
        answer = await self._ask("POST", path, directory, body, limit_ms)
        is_ok = isinstance(answer, HttpResponse) and answer.is_ok
        return None if is_ok else _trouble(f"POST {how}", answer)

    async def _ask(self, method: str, path: str, directory: str, body: Any, limit_ms: int) -> Any:
        is_named = directory and self._plan.rules.directory_in_query
        query = (("directory", directory),) if is_named else ()
        request = HttpRequest(method, path, query, body)
        limit_us = min(limit_ms, self._plan.opencode_ms) * 1_000
        return await self._actor.perform(Call(self._plan.opencode, request, limit_us))


def _trouble(what: str, answer: Any) -> ApiTrouble:
    if isinstance(answer, Unreached):
        return ApiTrouble(what, f"connection {answer.why}", not answer.is_unapplied)
    if isinstance(answer, HttpResponse):
        return ApiTrouble(what, f"HTTP {answer.status}")
    return ApiTrouble(what, "no answer in time", True)
