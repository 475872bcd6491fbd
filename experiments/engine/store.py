"""What a task reads: data sets, graphs and spectra of its artifact by key, rows of other tasks, and seeds."""

import hashlib

import numpy as np
import pandas as pd

from experiments.engine.errors import UsageError, one_of
from experiments.engine.files import canonical
from experiments.engine.inputs import Inputs
from experiments.engine.params import block, dataset_specs, declared, load


class Store:
    """Read access to the inputs of one artifact; pickles small (a worker process loads what it uses, once)."""

    def __init__(self, artifact: str, profile: str, inputs: Inputs | None = None):
        module = load(artifact)
        self.artifact, self.params = artifact, block(artifact, profile)
        self.inputs = inputs or Inputs()
        self.specs = dataset_specs(module, self.params)
        self.graph_specs = declared(module, "graphs", self.params)
        self.spectrum_specs = declared(module, "spectra", self.params)
        self.needed: dict[str, pd.DataFrame] = {}

    def dataset(self, key: str):
        """The :class:`mr.datasets.Dataset` of this key."""
        return self.inputs.dataset(*one_of(self.specs, key, "data set"))

    def graph(self, key: str):
        """The fitted graph of this key."""
        of, settings = one_of(self.graph_specs, key, "graph")
        return self.inputs.graph(*self.specs[of], settings)

    def spectrum(self, key: str):
        """The smallest eigenpairs of this key."""
        graph, size = one_of(self.spectrum_specs, key, "spectrum")
        of, settings = one_of(self.graph_specs, graph, "graph")
        return self.inputs.spectrum(*self.specs[of], settings, size)

    def rows(self, needed) -> pd.DataFrame:
        """Rows of a task that ``needs`` of this artifact named: a task of the artifact, or a pair (artifact, task)."""
        pair = needed if isinstance(needed, tuple) else (self.artifact, needed)
        name = canonical(list(pair))
        if name not in self.needed:
            raise UsageError(f"{self.artifact}: a task reads the rows of {name}, which `needs` does not name")
        return self.needed[name]

    def seed_sequence(self, task: dict, *keys: str) -> np.random.SeedSequence:
        """Child of ``SeedSequence(params["seed"])`` that belongs to this task.

        With ``keys``, only those entries of the task count: methods compared on the same draw share
        ``store.seed_sequence(task, "dataset", "split")``. Seeds do not depend on the order or number of tasks.
        """
        part = {key: task[key] for key in keys} if keys else task
        words = hashlib.sha256(canonical(part).encode()).digest()
        return np.random.SeedSequence(self.params.get("seed", 0), spawn_key=tuple(np.frombuffer(words[:16], "<u4")))

    def random_state(self, task: dict, *keys: str) -> int:
        """An integer seed for scikit-learn's ``random_state``, from :meth:`seed_sequence`."""
        return int(self.seed_sequence(task, *keys).generate_state(1)[0])
