"""The command line's grammar and help."""

import argparse

from experiments.engine import cli_commands as commands

PROFILES = ("quick", "paper")

DESCRIPTION = """\
Regenerates the tables and figures of five papers on manifold-regularised semi-supervised learning.

An artifact id, chen2012_table2 say, names a block of params.yaml, a module in mr/experiments/, the result file
data/results/chen2012_table2.csv and the DVC stages data-, graph-, spectrum-, run- and results-chen2012_table2.

Two profiles: quick (default; generated data, everything below quick/, ignored by git) and paper (real data, results
committed in the repository).
"""

EXAMPLES = """\
examples:
  python -m mr reproduce                                        all artifacts, quick scale
  python -m mr reproduce --profile paper --only chen2012_table2 one artifact at paper scale
  python -m mr data                                             the data sets and whether they are at hand
  python -m mr data usps coil2                                  fetch two of them
  python -m mr run chen2012_table2 --n-jobs 2                   one stage by hand; continues a killed run
  python -m mr scoreboard --profile paper                       every printed cell against ours
  python -m mr verify                                           do committed results belong to this code?

exit codes: 0 done, 1 a task, a stage or the verification failed, 2 wrong usage
"""


def build_parser() -> argparse.ArgumentParser:
    """Parser of ``python -m mr``; each subcommand stores its function in ``command``."""
    parser = argparse.ArgumentParser(
        prog="python -m mr", description=DESCRIPTION, epilog=EXAMPLES, formatter_class=argparse.RawTextHelpFormatter
    )
    sub = parser.add_subparsers(required=True, metavar="COMMAND")

    data = _add(sub, "data", commands.data, "list or fetch data sets; with an id, write its data card")
    data.add_argument("names", nargs="*", metavar="NAME|ID", help="data sets or artifact ids; none: list what exists")
    graph = _add(sub, "graph", commands.graph, "build the neighbourhood graphs of an artifact")
    spectrum = _add(sub, "spectrum", commands.spectrum, "compute the Laplacian eigenpairs of an artifact")
    run = _add(sub, "run", commands.run, "run the experiment of an artifact (continues a killed run)")
    run.add_argument(
        "--n-jobs", type=int, default=None, help="parallel tasks; default: n_jobs of the params block, or 1"
    )
    results = _add(sub, "results", commands.results, "write data/results/ID.csv from the last run")
    artifact = _add(sub, "artifact", commands.artifact, "data, graph, spectrum, run and results of an artifact at once")
    for one in (graph, spectrum, run, results, artifact):
        one.add_argument("id", metavar="ID", help="artifact id, e.g. chen2012_table2")

    _add(sub, "scoreboard", commands.scoreboard, "judge every printed cell; write data/scoreboard.csv")
    notebook = _add(sub, "notebook", commands.notebook, "execute a notebook into notebooks/executed/")
    notebook.add_argument("names", nargs="*", metavar="NAME", help="e.g. 00_overview; none: all of them")
    notebook.add_argument("-p", "--parameter", nargs=2, action="append", default=[], metavar=("KEY", "VALUE"),
                          help="value (YAML) for the notebook's parameters cell; repeatable")  # fmt: skip

    pipeline = _add(
        sub, "pipeline", commands.pipeline, "write dvc.yaml from params.yaml and the modules", profile=False
    )
    pipeline.add_argument("--check", action="store_true", help="only say whether dvc.yaml is up to date")
    reproduce = _add(sub, "reproduce", commands.reproduce, "run whatever is out of date, through DVC")
    reproduce.add_argument("--only", metavar="ID", action="append", default=[], help="just this artifact; repeatable")
    _add(
        sub, "verify", commands.verify, "check that committed results belong to committed code (seconds)", profile=False
    )
    return parser


def _add(sub, name: str, command, text: str, profile: bool = True) -> argparse.ArgumentParser:
    parser = sub.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    parser.set_defaults(command=command)
    if profile:
        parser.add_argument("--profile", choices=PROFILES, default="quick", help="scale and workspace (default: quick)")
    return parser
