"""``python -m experiments``: one subcommand per stage of the pipeline, and the commands that run or check all of it."""

import argparse
import os
import signal
import sys
import threading
import time
import warnings
from contextlib import nullcontext

from experiments.engine import params, paths
from experiments.engine.errors import TasksFailed, UsageError
from experiments.engine.reproduce import workspace
from mr.datasets import DataError

DESCRIPTION = """\
Regenerates the tables and figures of five papers on manifold-regularised semi-supervised learning.

An artifact id, chen2012_table2 say, names a block of params.yaml, the module experiments/chen2012/table2.py, its raw
rows data/runs/chen2012_table2.jsonl.gz and its results data/results/chen2012/table2.csv.

exit codes: 0 done; 1 when a task, a stage or a check failed; 2 wrong usage
"""


def inputs(options) -> None:
    """Look at every data set, graph or spectrum of the paper-scale artifacts and record its hash.

    Data sets that are not at hand keep the hash recorded before; graphs and spectra that nobody uses any more go.
    """
    from experiments.engine.inputs import Inputs
    from mr.datasets import DataUnavailable

    kind, found = options.kind, Inputs(trust=options.kind != "datasets")
    found.known[kind], recorded = {}, found.known[kind]
    for artifact in params.ids("artifacts"):
        for item in _wanted(kind, params.load(artifact), params.block(artifact, "paper")):
            try:
                found.look(kind, *item)
            except DataUnavailable as error:
                print(f"{artifact}: {str(error).splitlines()[0]}", file=sys.stderr)
    entries = (recorded if kind == "datasets" else {}) | found.found[kind]
    for file in (paths.cache_dir() / kind).glob("*.npz"):
        if file not in found.used:
            file.unlink()
    print(f"{len(entries)} {kind} -> {paths.shown(found.write(kind, entries))}")


def _wanted(kind: str, module, block: dict) -> list[tuple]:
    """What an artifact declares: (name, options) of data sets, with the settings of graphs and the size of spectra."""
    specs = params.dataset_specs(module, block)
    graphs = {key: (*specs[of], settings) for key, (of, settings) in params.declared(module, "graphs", block).items()}
    spectra = [(*graphs[of], size) for of, size in params.declared(module, "spectra", block).values()]
    return {"datasets": list(specs.values()), "graphs": list(graphs.values()), "spectra": spectra}[kind]


def run(options) -> None:
    from experiments.engine import runner

    for artifact in options.ids:
        runner.publish(artifact, runner.run(artifact, options.profile, options.n_jobs))
        print(f"{artifact} -> {paths.shown(paths.runs_file(artifact))}")


def publish(options) -> None:
    """Finished tasks of an unfinished run become committed rows, so that another machine can go on from them."""
    from experiments.engine import rows
    from experiments.engine.inputs import Inputs
    from experiments.engine.tasks import Planner

    for artifact in options.ids:
        done = rows.read_committed(artifact) | rows.Journal("journal", artifact).read()
        records = [done[job.key] for job in Planner(options.profile, Inputs()).jobs(artifact) if job.key in done]
        print(f"{artifact}: {len(records)} tasks -> {paths.shown(rows.write_committed(artifact, records))}")


def summary(options) -> None:
    """Artifact ids, or papers: all artifacts of a paper that have raw rows."""
    from experiments.engine import artifacts
    from experiments.engine.summary import write_summary

    for name in options.ids:
        for artifact in [name] if "_" in name else artifacts(name):
            params.load(artifact)  # an unknown id suggests the nearest
            write_summary(artifact, options.profile)


def scoreboard(options) -> None:
    from experiments.scoreboard import headline_markdown, write_all

    write_all()
    print(headline_markdown())


def notebook(options) -> None:
    import yaml

    from experiments.engine import notebooks

    given = {key: yaml.safe_load(value) for key, value in options.parameter}
    for name in options.names or notebooks.names():
        print(f"{name} -> {paths.shown(notebooks.execute(name, options.profile, given))}")


def reproduce(options) -> None:
    from experiments.engine import reproduce as work

    for artifact in options.only:
        params.load(artifact)  # an unknown id suggests the nearest before anything runs
    quick = options.profile == "quick"
    work.quick(options.only) if quick else work.rerun(options.only, options.accept, options.n_jobs)


def recheck(options) -> int:
    from experiments.engine.recheck import recheck as go

    return go(options.only, options.all, options.seed)


def verify(options) -> int:
    from experiments.engine.verify import verify as go

    return go()


def list_all(options) -> None:
    from mr import datasets

    print("artifacts:", *params.ids("artifacts"), "due:", *params.ids("due"), sep="\n  ")
    print("data sets:", *(f"{name}{'' if datasets.available(name) else ' (not at hand)'}" for name in datasets.names()),
          sep="\n  ")  # fmt: skip


def parser() -> argparse.ArgumentParser:
    """Each subcommand stores its function in ``command``."""
    root = argparse.ArgumentParser(prog="python -m experiments", description=DESCRIPTION,
                                   formatter_class=argparse.RawTextHelpFormatter)  # fmt: skip
    sub = root.add_subparsers(required=True, metavar="COMMAND")

    def add(name, command, text, *arguments):
        one = sub.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        one.set_defaults(command=command)
        for names, settings in arguments:
            one.add_argument(*names, **settings)

    ids = (("ids",), {"nargs": "+", "metavar": "ID"})
    only = (("--only",), {"action": "append", "default": [], "metavar": "ID", "help": "just this artifact; repeatable"})
    paper = (("--profile",), {"choices": params.PROFILES, "default": "paper"})
    quick = (("--profile",), {"choices": params.PROFILES, "default": "quick"})
    jobs = (("--n-jobs",), {"type": int, "help": "parallel tasks; default: n_jobs of the params block, or 1"})
    add("list", list_all, "the artifacts and data sets")
    add("inputs", inputs, "make and hash the inputs of one kind (stages data, graph and spectrum)",
        (("kind",), {"choices": ("datasets", "graphs", "spectra")}))  # fmt: skip
    add("run", run, "run the tasks of artifacts that have no rows yet; continues a killed run", ids, paper, jobs)
    add("publish", publish, "make the finished tasks of an unfinished run committed rows", ids, paper)
    add("summary", summary, "write data/results from raw rows, for artifact ids or papers", ids, paper)
    add("scoreboard", scoreboard, "judge every printed cell and claim")
    add("notebook", notebook, "execute notebooks into notebooks/executed/", (("names",), {"nargs": "*"}), paper,
        (("-p", "--parameter"), {"nargs": 2, "action": "append", "default": [], "metavar": ("KEY", "VALUE")}),
        )  # fmt: skip
    add("reproduce", reproduce, "everything at quick scale; or rerun at paper scale and compare", only, quick, jobs,
        (("--accept",), {"action": "store_true", "help": "publish the new rows"}))  # fmt: skip
    add("recheck", recheck, "does today's code still give the committed rows? runs a sample", only,
        (("--all",), {"action": "store_true", "help": "also what is not due"}),
        (("--seed",), {"type": int, "help": "of the random sample"}))  # fmt: skip
    add("verify", verify, "do rows, results, scoreboard, figures and notebooks belong together? (seconds, no data)")
    return root


def main(arguments: list[str] | None = None) -> int:
    """Run one command; expected failures become one message on stderr and an exit code."""
    options = parser().parse_args(arguments)
    warnings.showwarning = lambda message, *_, file=None, **__: print(f"warning: {message}", file=file or sys.stderr)
    try:
        # a quick run never writes into committed files, whatever the command
        with workspace(paths.QUICK) if getattr(options, "profile", None) == "quick" else nullcontext():
            return options.command(options) or 0
    except (UsageError, DataError, TasksFailed, NotADirectoryError, FileExistsError) as error:  # a file for a folder
        print(f"error: {error}", file=sys.stderr)
        return 1 if isinstance(error, TasksFailed) else 2
    except KeyboardInterrupt:
        print("interrupted; finished tasks are kept, the same command continues", file=sys.stderr)
        return 130


def end_early() -> None:
    """SIGTERM becomes an interrupt, which ends workers and DVC too; and make that is killed sends one.

    A killed make can tell nobody. Its number is in ``MR_MAKE``: the process that it started looks whether it is there.
    """

    def watch():
        while os.getppid() == parent:
            time.sleep(1.0)
        os.kill(os.getpid(), signal.SIGTERM)

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    parent = int(os.environ.get("MR_MAKE", 0))
    if parent == os.getppid():
        threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    end_early()
    sys.exit(main())
