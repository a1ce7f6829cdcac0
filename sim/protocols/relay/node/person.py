"""The person at the node's browser, and what a test does to the browser."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from sim.protocols.relay.acts import (
    Act,
    CloseTab,
    DeclineSignIn,
    EmitUpdate,
    FailNext,
    HangNext,
    RefuseCancels,
    ReportProgress,
    SignIn,
    SignOut,
    SlowDown,
)
from sim.protocols.relay.browser import Failed
from sim.protocols.relay.codes import ERROR_CODES
from sim.protocols.relay.node import jobs, listening
from sim.protocols.relay.node.bench import Bench


async def _signs_in(bench: Bench, act: SignIn) -> None:
    bench.browser.person_signs_in(act.site, bench.port.now_ms())
    await _moves_on(bench)


async def _declines(bench: Bench, act: DeclineSignIn) -> None:
    bench.browser.person_declines(act.site)
    await _moves_on(bench)


async def _signs_out(bench: Bench, act: SignOut) -> None:
    bench.browser.sign_out(act.site)
    await bench.keep_browser()


async def _closes(bench: Bench, act: CloseTab) -> None:
    if act.tab not in bench.browser.tabs:
        await bench.note("no-such-tab", tab=act.tab)
        return
    bench.browser.person_closes(act.tab)
    await _moves_on(bench)


async def _moves_on(bench: Bench) -> None:
    await bench.keep_browser()
    await jobs.try_again(bench)
    await listening.pages_changed(bench)


async def _slows(bench: Bench, act: SlowDown) -> None:
    bench.slow_ms[act.action] = act.ms


async def _fails(bench: Bench, act: FailNext) -> None:
    if act.code not in ERROR_CODES:
        known = ", ".join(ERROR_CODES)
        raise LookupError(f"{bench.port.name} cannot fail with {act.code!r}; codes are {known}")
    fault = Failed(act.code, act.message)
    bench.faults.setdefault(act.action, []).extend([fault] * act.times)


async def _hangs(bench: Bench, act: HangNext) -> None:
    bench.hangs[act.action] = bench.hangs.get(act.action, 0) + act.times


async def _refuses(bench: Bench, act: RefuseCancels) -> None:
    bench.stubborn = act.on


async def _reports(bench: Bench, act: ReportProgress) -> None:
    await listening.report(bench, act.request, act.fields)


async def _emits(bench: Bench, act: EmitUpdate) -> None:
    await listening.emit(bench, act.request, act.update_type, act.data)


_DIRECTED: Final[dict[type[Act], Callable[[Bench, Any], Awaitable[None]]]] = {
    SignIn: _signs_in,
    DeclineSignIn: _declines,
    SignOut: _signs_out,
    CloseTab: _closes,
    SlowDown: _slows,
    FailNext: _fails,
    HangNext: _hangs,
    RefuseCancels: _refuses,
    ReportProgress: _reports,
    EmitUpdate: _emits,
}


async def direct(bench: Bench, act: Any) -> None:
    """Do what the scenario says. Raises LookupError for what no node can do."""
    directed = _DIRECTED.get(type(act))
    if directed is None:
        known = ", ".join(one.__name__ for one in _DIRECTED)
        raise LookupError(f"{bench.port.name} is a node and cannot {act!r}; it can {known}")
    await directed(bench, act)
