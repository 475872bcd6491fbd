"""The engine: tasks and their identity, inputs, the runner, raw rows, recheck and verify.

An artifact exists when ``params.yaml`` has a block of its id ``PAPER_NAME`` and ``experiments/PAPER/NAME.py`` defines

``datasets(params)``
    list of names for :func:`mr.datasets.load`, or a dict ``key -> name | (name, options)``;
``graphs(params)`` (optional)
    dict ``key -> (dataset key, parameters of mr.KNNGraph)``;
``spectra(params)`` (optional)
    dict ``key -> (graph key, number of eigenpairs)``;
``tasks(params)``
    list of JSON-able dicts, the units of work; ``dataset`` and ``method`` name what a task is about;
``needs(task, params)`` (optional)
    tasks, or pairs (artifact, task), whose rows the task reads through ``store.rows``;
``run_task(task, params, store)``
    list of dicts, the raw rows of one task;
``summarise(rows, params)``
    tidy data frame (:mod:`experiments.tidy`) from all raw rows;
``VERSION`` (optional)
    declared version of the computation, a number or one per method; raise it when rows change on purpose;
``TOLERANCE`` (optional)
    dict ``column -> difference`` that a rerun on another machine may show;
``unstable(task)`` (optional)
    True for a task whose rows hang on the last bits, so that a rerun on another machine cannot be compared;
``NAMES`` (optional)
    dict ``dataset key -> name of the data set in data/reported.csv``.
"""


def use(artifacts: list[str], profile: str = "paper", recompute: bool = False) -> None:
    """For notebooks: choose where results are read from; with ``recompute``, compute the artifacts anew first."""
    import os

    from experiments.engine import paths, reproduce

    if recompute:
        os.environ["MR_WORKSPACE"] = str(reproduce.recompute(artifacts, profile))
    elif profile == "quick":
        os.environ.setdefault("MR_WORKSPACE", str(paths.QUICK))


def artifacts(paper: str) -> list[str]:
    """Ids of a paper's artifacts."""
    from experiments.engine import params

    return [artifact for artifact in params.ids() if params.paper_of(artifact) == paper]
