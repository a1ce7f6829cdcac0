"""Throws changed examples at every reader of foreign bytes, for so many seconds in all.

    python .ci/fuzz.py SECONDS [NAME …]

With atheris where it is installed (guided by coverage), with Hypothesis otherwise. What a reader
must not raise is shown with the input that makes it, as text that a test can hold; exit code 1.
"""

import itertools
import subprocess
import sys
import time
import traceback
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
WORDS = (
    b'"', b"{", b"}", b"[", b"]", b":", b",", b"\\", b"\\u0000", b"\\ud800", b"null", b"true",
    b"-0",
    b"1e999", b"9" * 400, b"\n", b"\r\n", b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf",
    b"\x1f\x8b",
    b"[" * 3_000, b'{"a":' * 3_000, b"A" * 70_000, b"%% @", b"->>", b"__proto__", b"\x1b[2J",
)  # fmt: skip


def names(wanted: list[str]) -> list[str]:
    """The readers that are meant: all, unless some are named."""
    from tests.security.targets import TARGETS

    return wanted or list(TARGETS)


def checked(name: str, data: bytes) -> None:
    """One input. Ends the process with code 1 where the reader fails or takes too long."""
    from tests.security.targets import SECONDS, TARGETS

    began = time.process_time()
    try:
        TARGETS[name](data)
    except Exception:
        fail(name, data, traceback.format_exc(limit=-6))
    took = time.process_time() - began
    if took > SECONDS:
        fail(name, data, f"it took {took:.1f} s\n")


def fail(name: str, data: bytes, why: str) -> None:
    """Say what is wrong; nothing further is tried."""
    sys.stdout.write(f"FAILED {name}: {data[:2_000]!r} ({len(data)} bytes)\n{why}")
    sys.stdout.flush()
    sys.exit(1)


def by_hypothesis(name: str, seconds: float) -> int:
    """Changed examples until the time is over; how many."""
    from hypothesis import HealthCheck, Phase, given, seed, settings
    from hypothesis import strategies as st

    from tests.security.targets import TARGETS

    examples = TARGETS[name].examples()
    edit = st.tuples(
        st.sampled_from(("put", "cut", "twice", "swap")), st.integers(0, 1 << 16),
        st.integers(1, 64), st.one_of(st.sampled_from(WORDS), st.binary(max_size=8)),
    )  # fmt: skip
    end, count = time.monotonic() + seconds, 0
    for number in itertools.count():

        @seed(number)
        @settings(
            max_examples=100, deadline=None, database=None,
            suppress_health_check=list(HealthCheck), phases=(Phase.generate,),
        )  # fmt: skip
        @given(st.sampled_from(examples), st.lists(edit, max_size=6))
        def some(example: bytes, edits: list[tuple[str, int, int, bytes]]) -> None:
            nonlocal count
            if time.monotonic() < end:
                count += 1
                checked(name, edited(example, edits))

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            some()
        if time.monotonic() >= end:
            return count
    raise AssertionError("never here")


def edited(data: bytes, edits: list[tuple[str, int, int, bytes]]) -> bytes:
    """An example with some changes."""
    for kind, at, size, word in edits:
        place = at % (len(data) + 1)
        piece = data[place : place + size]
        changed = {
            "put": word + piece, "cut": b"", "twice": piece + piece, "swap": word,
        }[kind]  # fmt: skip
        data = data[:place] + changed + data[place + size :]
    return data


def by_atheris(name: str, seconds: float) -> None:
    """The same, guided by the lines that were reached. Does not return."""
    import tempfile

    import atheris

    with atheris.instrument_imports(include=["sim", "tui"]):
        from tests.security import targets

    folder = Path(tempfile.mkdtemp(prefix="hooktwin-fuzz-"))
    for number, data in enumerate(targets.TARGETS[name].examples()):
        (folder / f"{number}").write_bytes(data)
    words = folder.with_suffix(".dict")
    quoted = ("".join(f"\\x{sign:02x}" for sign in word) for word in WORDS if len(word) < 64)
    words.write_text("".join(f'"{word}"\n' for word in quoted))
    options = [f"-max_total_time={seconds:.0f}", "-max_len=80000", "-seed=1", f"-dict={words}"]
    options.append(f"-artifact_prefix={folder.with_suffix('.crash-')}")
    atheris.Setup(["fuzz", *options, str(folder)], lambda data: checked(name, data))
    atheris.Fuzz()


def has_atheris() -> bool:
    try:
        import atheris  # noqa: F401
    except ImportError:
        return False
    return True


def main(seconds: float, wanted: list[str]) -> None:
    """Each reader in a process of its own: atheris ends it."""
    guided = has_atheris()
    chosen = names(wanted)
    each = seconds / len(chosen)
    print(f"{len(chosen)} readers, {each:.1f} s each, by {'atheris' if guided else 'Hypothesis'}")
    for name in chosen:
        command = [sys.executable, __file__, "--one", name, str(each)]
        done = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", timeout=each + 300, check=False,
        )  # fmt: skip
        tail = done.stdout.strip().splitlines()[-1:] or [""]
        print(f"  {name}: {tail[0][:120]}", flush=True)
        if done.returncode or "FAILED" in done.stdout:
            sys.exit(done.stdout[-6_000:])


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        reader, limit = sys.argv[2], float(sys.argv[3])
        if has_atheris():
            by_atheris(reader, max(1, limit))
        print(f"{by_hypothesis(reader, limit)} inputs")
    else:
        main(float(sys.argv[1]), sys.argv[2:])
