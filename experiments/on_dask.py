"""``python -m experiments.on_dask ADDRESS run ID``: a command whose tasks run on the workers of a Dask cluster.

ADDRESS is that of the scheduler, tcp://host:8786 say. Workers are started in the root of a clone with the same
environment (``dask worker ADDRESS --nthreads 1``), and find the data as this machine does (``MR_DATA_DIR``). Tasks and
raw rows travel, data does not. Rows are written here, so a run that is stopped goes on as any other.
"""

import sys

from joblib import parallel_config

from experiments.__main__ import main as command_line


def main(arguments: list[str]) -> int:
    """Run a command of ``python -m experiments`` with joblib's Dask backend."""
    if len(arguments) < 2:
        print("usage: python -m experiments.on_dask ADDRESS COMMAND ...", file=sys.stderr)
        return 2
    from distributed import Client  # takes a second

    address, *command = arguments
    with Client(address), parallel_config("dask"):
        return command_line(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
