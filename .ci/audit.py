"""Known weaknesses of the packages that are installed, by pip-audit where its database is reached.

Where nothing is reached this says so and fails nobody: the machine may have no way out. A
database that answers "no vulnerability" to everything is no proof either: what it is asked
first is a version that is known to be weak.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS = 120
KNOWN_WEAK = "requests==2.19.0"


def asked(*options: str) -> tuple[int, str]:
    """pip-audit's exit code and what it said."""
    command = [sys.executable, "-m", "pip_audit", "--progress-spinner", "off", *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return -1, f"no answer within {SECONDS} s"
    return done.returncode, done.stdout + done.stderr


def is_reached() -> tuple[bool, str]:
    """Whether the database knows a weakness that everybody knows, and what it said."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "weak.txt")
        path.write_text(KNOWN_WEAK + "\n")
        code, said = asked("--no-deps", "--disable-pip", "-r", str(path))
    return code == 1 and "requests" in said and "ulnerabilit" in said, said


def main() -> int:
    """0: nothing known, or nobody to ask; 1: weaknesses."""
    reached, said = is_reached()
    if not reached:
        print("not audited: pip-audit reaches no database of vulnerabilities from here")
        print("   ", (said.strip().splitlines() or ["it says nothing"])[-1][:160])
        return 0
    code, said = asked("--skip-editable")
    print(said.strip())
    return 0 if code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
