"""The same run in another process, under another hash seed."""

import os
import subprocess
import sys
from pathlib import Path

from tests.world.random_worlds import HOSTS, VERBS, WISHES, Plan, timed_run

ROOT = Path(__file__).parents[2]

PROGRAM = """
from sim.core.trace import digest_of
from tests.world.random_worlds import timed_run
from tests.world.test_determinism import fixed_plan
for seed in range(10):
    print(digest_of(timed_run(fixed_plan(seed)).events))
"""


def fixed_plan(seed):
    """A plan that does a bit of everything."""
    order = ("dial", "send", "call", "save", "timer", "reply", "send", "note", "dial", *WISHES)
    wishes = tuple(
        tuple((wish, (nth + shift) % 4) for nth, wish in enumerate(order))
        for shift in range(len(HOSTS))
    )
    script = tuple((40 * nth, verb, nth % 4) for nth, verb in enumerate(VERBS))
    return Plan(seed, wishes, script)


def digests_in_another_process(hash_seed):
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.split()


def test_a_run_has_the_same_digest_in_every_process_and_under_every_hash_seed():
    first = digests_in_another_process("0")
    assert digests_in_another_process("4242") == first
    assert len(first) == 10


def test_another_seed_is_another_run():
    assert len(set(digests_in_another_process("random"))) == 10


def test_the_fixed_plan_does_a_bit_of_everything():
    kinds = {type(event).__name__ for event in timed_run(fixed_plan(1)).events}
    assert kinds >= {
        "HostStarted", "HostCrashed", "ConnectionOpened", "ConnectionClosed", "FrameSent",
        "FrameDelivered", "FrameLost", "CallIssued", "CallApplied", "CallAnswered",
        "TimerFired", "Saved", "Noted", "FaultInjected",
    }  # fmt: skip
