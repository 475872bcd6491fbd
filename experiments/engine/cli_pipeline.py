"""Writes ``dvc.yaml`` from ``params.yaml``, the experiment modules and the notebooks.

Each stage lists the files it depends on, one by one: an edit to a solver reruns the artifacts that use it and nothing
else. Outputs below ``cache/`` are in DVC's cache; results, figures and executed notebooks are committed, so git keeps
them (``cache: false``), and a failing stage must not delete them (``persist: true``).
"""

import os
from pathlib import Path

import yaml

from experiments.engine import cli_notebooks as notebooks
from experiments.engine import paths
from experiments.engine import ids
from experiments.engine import load
from experiments.engine import params
from experiments.engine.closure import closure, imported, module_file
from experiments.engine.files import write_text
from experiments.engine.runner import run_code
from experiments.engine.store import graph_code, spectrum_code

HEADER = "# Written by `python -m mr pipeline` from params.yaml and mr/experiments/: edit those, not this.\n"
COMMITTED = {"cache": False, "persist": True}
OWN_ROOMS = ("experiments", "common")


class Stages:
    """Builds the stages of one profile; paths in them are relative to the workspace that ``dvc.yaml`` is in."""

    def __init__(self, workspace: Path, profile: str):
        self.workspace = workspace
        self.profile = profile

    def all(self, artifacts: list[str]) -> dict:
        stages = {}
        for artifact in artifacts:
            stages |= self.artifact(artifact) if self.profile == "paper" else self.artifact_at_once(artifact)
        stages["scoreboard"] = self.scoreboard(artifacts)
        for name in notebooks.names():
            # a notebook joins when all that it shows is there
            if set(notebooks.declaration(name)["results"]) <= set(artifacts):
                stages[f"notebook-{name[:2]}"] = self.notebook(name)
        return stages

    def artifact(self, artifact: str) -> dict:
        """data -> graph -> spectrum -> run -> results of one artifact."""
        module = load(artifact)
        params.block(artifact, self.profile)
        own = closure([f"experiments.engine.{artifact}"], OWN_ROOMS)
        card, graphs, spectra = f"cache/cards/{artifact}.json", f"cache/graphs/{artifact}", f"cache/spectra/{artifact}"
        runs = f"cache/runs/{artifact}.csv"
        inputs = [card]
        registry = [paths.registry_file()]
        code = own | closure(["mr.datasets"]) | _files("experiments.cards")
        # not in DVC's cache: a deleted card must be made again, not brought back (see cards.forget_unavailable)
        stages = {"data": self.stage("data", artifact, code, registry, [{card: {"cache": False}}])}
        if hasattr(module, "graphs"):
            code = own | graph_code() | _files("experiments.store")
            stages["graph"] = self.stage("graph", artifact, code, [card], [graphs])
            inputs.append(graphs)
        if hasattr(module, "spectra"):
            code = own | spectrum_code() | _files("experiments.store")
            stages["spectrum"] = self.stage("spectrum", artifact, code, [graphs], [spectra])
            inputs.append(spectra)
        stages["run"] = self.stage("run", artifact, run_code(artifact), inputs, [runs])
        code = own | _files("results.tidy", "results.write")
        results = [{f"data/results/{artifact}.csv": COMMITTED}]
        stages["results"] = self.stage("results", artifact, code, [card, runs], results)
        return {f"{stage}-{artifact}": body for stage, body in stages.items()}

    def artifact_at_once(self, artifact: str) -> dict:
        """The same as one stage. At quick scale starting a process and DVC's own work cost more than most stages do."""
        code = run_code(artifact) | closure(["mr.datasets"]) | graph_code() | spectrum_code()
        code |= _files("experiments.cards", "results.tidy", "results.write")
        outs = [{f"cache/cards/{artifact}.json": {"cache": False}}, {f"data/results/{artifact}.csv": COMMITTED}]
        return {f"artifact-{artifact}": self.stage("artifact", artifact, code, [paths.registry_file()], outs)}

    def stage(self, command: str, artifact: str, code: set[Path], inputs: list, outs: list) -> dict:
        block = f"{artifact}.{self.profile}"
        source = self.relative(paths.params_file())
        return {
            "cmd": f"python -m mr {command} {artifact} --profile {self.profile}",
            "deps": self.deps(code, inputs),
            "params": [block] if source == "params.yaml" else [{source: [block]}],
            "outs": outs,
        }

    def scoreboard(self, artifacts: list[str]) -> dict:
        reported = paths.reported_file()
        inputs = [
            reported,
            reported.with_name("notes.csv"),
            *(f"data/results/{artifact}.csv" for artifact in artifacts),
        ]
        code = _files("results.tidy", "results.verdict", "results.scoreboard", "results.timing")
        return {
            "cmd": f"python -m mr scoreboard --profile {self.profile}",
            "deps": self.deps(code, inputs),
            "outs": [{"data/scoreboard.csv": COMMITTED}, {"data/timing_order.csv": COMMITTED}],
        }

    def notebook(self, name: str) -> dict:
        """A notebook depends on its clean source, the modules its cells import and the results it declares."""
        declared = notebooks.declaration(name)
        modules = set().union(*(imported(source) for source in notebooks.code_cells(name)))
        inputs = [notebooks.source_file(name)]
        inputs += [f"data/results/{artifact}.csv" for artifact in declared["results"]]
        if declared["scoreboard"]:
            inputs += ["data/scoreboard.csv", "data/timing_order.csv"]
        figures = [f"figures/{figure}.{kind}" for figure in declared["figures"] for kind in ("pdf", "png")]
        return {
            "cmd": f"python -m mr notebook {name} --profile {self.profile}",
            "deps": self.deps(closure(modules) | _files("cli.notebooks"), inputs),
            "outs": [{out: COMMITTED} for out in (f"notebooks/executed/{name}.ipynb", *figures)],
        }

    def deps(self, code: set[Path], inputs: list) -> list[str]:
        return sorted(self.relative(file) for file in code) + [
            self.relative(item) if isinstance(item, Path) else item for item in inputs
        ]

    def relative(self, file: Path) -> str:
        return Path(os.path.relpath(file, self.workspace)).as_posix()


def released() -> list[str]:
    """Artifacts with committed results at paper scale: those the committed ``dvc.yaml`` is about.

    An artifact whose paper-scale run has not been done yet has nothing to verify and would make ``dvc repro`` on a
    fresh clone start hours of work; ``reproduce`` adds it to ``dvc.yaml``, and its results keep it there.
    """
    return [artifact for artifact in ids() if (paths.ROOT / "data" / "results" / f"{artifact}.csv").exists()]


def render(workspace: Path, profile: str, artifacts: list[str]) -> str:
    """Text of ``dvc.yaml`` for one workspace."""
    stages = Stages(workspace, profile).all(artifacts)
    return HEADER + yaml.dump({"stages": stages}, Dumper=_Plain, sort_keys=False, width=120)


def write(workspace: Path, profile: str, artifacts: list[str]) -> bool:
    """Write ``dvc.yaml`` where it differs; whether it did."""
    text = render(workspace, profile, artifacts)
    path = workspace / "dvc.yaml"
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    write_text(path, text)
    return True


def stage_names(workspace: Path) -> list[str]:
    """Stages of the ``dvc.yaml`` in a workspace."""
    return list(yaml.safe_load((workspace / "dvc.yaml").read_text(encoding="utf-8"))["stages"])


def out_of_date() -> list[str]:
    """Sentences on what is wrong with the committed ``dvc.yaml``; empty when it is what the generator writes."""
    path = paths.ROOT / "dvc.yaml"
    if not path.exists():
        return ["dvc.yaml is missing; run: python -m mr pipeline"]
    text = render(paths.ROOT, "paper", released())
    committed = path.read_text(encoding="utf-8")
    if committed == text:
        return []
    old = (yaml.safe_load(committed) or {}).get("stages", {})
    new = yaml.safe_load(text)["stages"]
    changed = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    return [f"dvc.yaml is out of date ({', '.join(changed) or 'layout'}); run: python -m mr pipeline"]


class _Plain(yaml.SafeDumper):
    """Repeats shared values instead of writing anchors, which are hard to read."""

    def ignore_aliases(self, data):
        return True


def _files(*modules: str) -> set[Path]:
    """Files of single modules of ours, without what they import."""
    return {module_file(f"mr.{name}") for name in modules}
