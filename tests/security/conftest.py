"""The command line at hand, as the tests of its commands have it."""

from tests.cli.conftest import shell as shell
