"""A live session and, in the same terminal, the terminal UI on its recording."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.live.holding import Summary
    from sim.live.house import Plan
    from sim.live.serving import Address, Opened


def with_tui(plan: Plan, address: Address) -> Summary:
    """Serve while somebody looks and acts; it ends when they close the terminal UI.

    It is a process of its own, and acts over the control API like everybody else.

    What is told meanwhile stands in a file beside the recording: the screen is taken.
    """
    import attrs
    import trio

    from sim.cli.living.summary import tell_summary
    from sim.cli.terminal import say

    record = plan.running.record
    if record is not None:
        summary = trio.run(_both, plan, address, record)
    else:
        with tempfile.TemporaryDirectory(prefix="hooktwin-") as folder:
            nowhere = Path(folder) / "serve.jsonl"
            kept = attrs.evolve(plan, running=attrs.evolve(plan.running, record=nowhere))
            summary = trio.run(_both, kept, address, nowhere)
    tell_summary(summary, record)  # the screen is free again
    if record is not None:
        say(f"hooktwin: what was told meanwhile stands in {record.with_suffix('.log')}")
    return summary


async def _both(plan: Plan, address: Address, record: Path) -> Summary:
    import trio

    from sim.cli.living.setup import stop_of
    from sim.core.errors import UsageError
    from sim.live.serving import serve

    stop = stop_of()
    is_open = trio.Event()
    box: list[Summary | UsageError] = []
    control: list[str] = []
    with record.with_suffix(".log").open("w", encoding="utf-8", buffering=1) as log:

        def tell(text: str) -> None:
            log.write(text + "\n")

        def opened(where: Opened) -> None:
            told = {**where.urls, "control": where.control, **where.hints}
            tell("\n".join(f"{name:<8} {what}" for name, what in told.items()))
            control.append(where.control)
            is_open.set()

        async def look() -> None:
            await is_open.wait()
            # The terminal is the child's: nothing of ours is captured or written meanwhile.
            command = [sys.executable, "-m", "sim", "tui", str(record), "--live", *control]
            await trio.run_process(command, check=False, stdin=None)
            stop.now()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(look)
            try:
                box.append(await serve(plan, address, opened, tell, stop))
            except UsageError as error:
                box.append(error)  # raised outside, where the nursery cannot wrap it in a group
            nursery.cancel_scope.cancel()  # by a signal: the child ends, too
    if isinstance(box[0], UsageError):
        raise box[0]
    return box[0]
