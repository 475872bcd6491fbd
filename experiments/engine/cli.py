"""``python -m mr``: one subcommand a stage of the pipeline, and the commands that run or check all of it."""

import os
import sys
import warnings

from experiments.engine.cli_parser import build_parser
from experiments.engine import paths
from mr.datasets import DataError
from experiments.engine.errors import TasksFailed, UsageError

EXPECTED, FAILED = 2, 1


def main(arguments: list[str] | None = None) -> int:
    """Run one command; expected failures become one message on stderr and an exit code."""
    options = build_parser().parse_args(arguments)
    if getattr(options, "profile", None) == "quick":
        # an explicit MR_WORKSPACE wins: tests and the quick pipeline itself set it
        os.environ.setdefault("MR_WORKSPACE", str(paths.QUICK))
    warnings.showwarning = _show_warning
    try:
        return options.command(options) or 0
    except (UsageError, DataError) as error:
        print(f"error: {error}", file=sys.stderr)
        return EXPECTED
    except TasksFailed as error:
        print(f"error: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("interrupted; finished tasks are in the journal, the same command continues", file=sys.stderr)
        return 130


def _show_warning(message, category, filename, lineno, file=None, line=None) -> None:
    """A warning as one line: where in the code it was raised is of no use on the command line."""
    print(f"warning: {message}", file=file or sys.stderr)
