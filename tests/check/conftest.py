"""The shell of the command line's tests."""

from tests.cli.conftest import shell as shell
