"""Identity: which tasks an artifact has, and the key under which the rows of each are stored.

The key is a hash of (artifact, task, its method's declared VERSION, the parameters it reads, the content hashes of its
inputs, the seed, the keys of the tasks it needs). The text of the code is no part of it: that is provenance, and
``recheck`` is the way to find out whether changed code still gives the same rows.
"""

from dataclasses import dataclass

from experiments.engine.errors import UsageError
from experiments.engine.files import canonical, digest
from experiments.engine.inputs import Inputs
from experiments.engine.params import block, dataset_specs, declared, load
from mr.datasets import DataUnavailable

# how the work is spread, how many draws are tested, and which tasks come later or wait, does not change a task's rows
SCHEDULING = ("n_jobs", "threads", "parts", "tested", "beyond", "waiting")


@dataclass(frozen=True)
class Job:
    """One task with its identity and the jobs whose rows it reads."""

    artifact: str
    task: dict
    key: str
    needs: tuple["Job", ...] = ()


class Planner:
    """Makes the jobs of artifacts at one scale; ``missing`` collects data set keys that cannot be had."""

    def __init__(self, profile: str, inputs: Inputs):
        self.profile, self.inputs = profile, inputs
        self.missing: dict[str, list[str]] = {}
        self._jobs: dict[str, Job | None] = {}

    def jobs(self, artifact: str) -> list[Job]:
        """Jobs of all tasks whose data can be had, in the order of ``tasks(params)``."""
        self.missing.setdefault(artifact, [])
        tasks = load(artifact).tasks(block(artifact, self.profile))
        found = [self.job(artifact, task) for task in tasks]
        keys = [job.key for job in found if job]
        if len(set(keys)) < len(keys):
            raise UsageError(f"{artifact} declares a task twice")
        return [job for job in found if job]

    def job(self, artifact: str, task: dict) -> Job | None:
        name = canonical([artifact, task])
        if name not in self._jobs:
            self._jobs[name] = self._make(artifact, task)
        return self._jobs[name]

    def _make(self, artifact: str, task: dict) -> Job | None:
        module, params = load(artifact), block(artifact, self.profile)
        pairs = [
            pair if isinstance(pair, tuple) else (artifact, pair) for pair in declared(module, "needs", task, params)
        ]
        needs = [self.job(*pair) for pair in pairs]
        contents = self._contents(artifact, module, task, params)
        if contents is None or None in needs:
            return None
        identity = [artifact, task, version(module, task), relevant(params, task), contents, [job.key for job in needs]]
        return Job(artifact, task, digest(*identity)[:32], tuple(needs))

    def _contents(self, artifact, module, task, params) -> dict | None:
        """Hashes of the task's data sets and of the graphs and spectra on them; None where data is missing."""
        specs = relevant_datasets(module, task, params)
        contents, inputs = {}, self.inputs
        for key, spec in specs.items():
            try:
                contents[f"dataset {key}"] = inputs.look("datasets", *spec)
            except DataUnavailable:
                if key not in self.missing.setdefault(artifact, []):
                    self.missing[artifact].append(key)
                return None
        graphs = {
            key: (of, settings) for key, (of, settings) in declared(module, "graphs", params).items() if of in specs
        }
        for key, (of, settings) in graphs.items():
            contents[f"graph {key}"] = inputs.look("graphs", *specs[of], settings)
        for key, (graph, size) in declared(module, "spectra", params).items():
            if graph in graphs:
                of, settings = graphs[graph]
                contents[f"spectrum {key}"] = inputs.look("spectra", *specs[of], settings, size)
        return contents


def version(module, task: dict) -> int:
    """Declared version of the computation: of the task's method, or of the module."""
    stated = getattr(module, "VERSION", 1)
    return stated.get(task.get("method"), 1) if isinstance(stated, dict) else stated


def relevant(params: dict, task: dict) -> dict:
    """The parameters that a task reads: of ``datasets`` and ``methods`` only the entries that it names.

    So a new data set or method in a block leaves the rows of the others as they are.
    """
    kept = {key: value for key, value in params.items() if key not in SCHEDULING}
    for name, entry in (("datasets", "dataset"), ("methods", "method")):
        named = [task[entry]] if entry in task else task.get(name)
        if isinstance(kept.get(name), dict) and named and set(named) <= set(kept[name]):
            kept[name] = {key: kept[name][key] for key in named}
        elif isinstance(kept.get(name), list) and named and set(named) <= set(kept[name]):
            del kept[name]
    return kept


def relevant_datasets(module, task: dict, params: dict) -> dict:
    """Data sets of a task: the one it names where ``params["datasets"]`` lists several, else all of the artifact."""
    specs = dataset_specs(module, params)
    if "datasets" in params and task.get("dataset") in specs:
        return {task["dataset"]: specs[task["dataset"]]}
    return specs
