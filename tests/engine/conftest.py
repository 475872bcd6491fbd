"""A scratch project: copies of the two packages with one fake artifact, run by ``python -m experiments``."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import yaml

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ID = "fake2000_table1"
REPORTED = """paper,table,dataset,method,setting,metric,mean,std,star
fake2000,1,Moons,Guess,fake,error_pct,50.0,1.0,
fake2000,1,Lost,Guess,fake,error_pct,10.0,1.0,
"""
FIGURE = """import matplotlib.pyplot as plt

from experiments import engine, plotting, scoreboard

plotting.saving(save)
engine.use(engine.artifacts("fake2000"), profile, recompute)
fig, ax = plt.subplots()
ax.plot([0, slope, scoreboard.read_results("fake2000_table1")["mean"].iloc[0]])
print(len(plotting.save(fig, "fake2000_fig1")), "files")
"""
PAPERS = ("belkin2006", "tsang2006", "chen2012", "zhang2015", "wang2017")


class Project:
    """Folder with the packages and what they need to run one fake artifact."""

    def __init__(self, root: Path):
        self.root = root

    def params(self, artifact=ID, **block) -> None:
        """Write params.yaml with one artifact."""
        block = {"seed": 7, "runs": 3, "datasets": {"moons": {"name": "two_moons", "options": {"n": 40}}}} | block
        paper, _, name = artifact.partition("_")
        body = {"module": f"experiments/{paper}/{name}.py", "paper": block, "quick": block}
        file = self.root / "params.yaml"
        parsed = yaml.safe_load(file.read_text()) if file.exists() else {"artifacts": {}, "due": {}}
        parsed["artifacts"][artifact] = body
        file.write_text(yaml.dump(parsed))

    def environment(self) -> dict:
        clean = {key: value for key, value in os.environ.items() if not key.startswith("MR_")}
        path = os.pathsep.join([str(Path(sys.executable).parent), clean.get("PATH", "")])
        return clean | {"PYTHONPATH": str(self.root), "MR_OFFLINE": "1", "MR_DATA_DIR": str(self.root / "nothing"),
                        "PATH": path, "OMP_NUM_THREADS": "1", "XDG_CACHE_HOME": str(self.root / "nothing")}  # fmt: skip

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "experiments", *arguments]

    def run(self, *commands: str, code: int = 0) -> str:
        """Several commands in one process (imports take most of the time); their output."""
        program = ("import sys; from experiments.__main__ import main; "
                   "sys.exit(max(main(c.split()) for c in sys.argv[1:]))")  # fmt: skip
        done = subprocess.run([sys.executable, "-c", program, *commands], cwd=self.root, env=self.environment(),
                              capture_output=True, text=True)  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr or code == 1, done.stderr
        return done.stdout + done.stderr

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        done = subprocess.run(["git", *identity, *arguments], cwd=self.root, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def dvc(self, *arguments: str) -> str:
        done = subprocess.run([sys.executable, "-m", "dvc", *arguments], cwd=self.root, env=self.environment(),
                              capture_output=True, text=True)  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def edit(self, name: str, old: str, new: str) -> None:
        file = self.root / name
        text = file.read_text()
        assert old in text, f"{old!r} is not in {name}"
        file.write_text(text.replace(old, new))

    def notebook(self) -> None:
        first = 'slope = 1\nprofile = "paper"\nrecompute = False\nsave = False'
        cells = [nbformat.v4.new_code_cell(source) for source in (first, FIGURE)]
        for i, cell in enumerate(cells):
            cell.id = f"cell-{i}"
        cells[0].metadata["tags"] = ["parameters"]
        book = nbformat.v4.new_notebook(cells=cells)
        book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        (self.root / "notebooks").mkdir(exist_ok=True)
        nbformat.write(book, self.root / "notebooks" / "01_fake2000.ipynb")


def make_project(root: Path) -> Project:
    shutil.copytree(ROOT / "mr", root / "mr")  # with compiled code
    shutil.copytree(ROOT / "experiments", root / "experiments", ignore=shutil.ignore_patterns("__pycache__", *PAPERS))
    (root / "experiments" / "fake2000").mkdir()
    (root / "experiments" / "fake2000" / "__init__.py").touch()
    shutil.copy(HERE / "fake_artifact.py", root / "experiments" / "fake2000" / "table1.py")
    for name in (".dvc/config", ".dvcignore", ".gitignore", "data/registry.csv", "requirements.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    (root / "data" / "reported.csv").write_text(REPORTED)
    (root / "data" / "due.csv").write_text("artifact,sha256,reason\n")
    for name in ("notes", "claims", "errata"):
        header = (ROOT / "data" / f"{name}.csv").read_text().splitlines()[0]
        (root / "data" / f"{name}.csv").write_text(header + "\n")
    text = (ROOT / "dvc.yaml").read_text().replace(f"[{', '.join(PAPERS)}]", "[fake2000]")
    text = text.replace(
        "".join(f"      - data/results/{paper}\n" for paper in PAPERS), "      - data/results/fake2000\n"
    )
    notebooks = "".join(f"      {paper}: 0{i}_{paper}\n" for i, paper in enumerate(PAPERS, 1))
    assert notebooks in text
    text = text.replace(notebooks, "      fake2000: 01_fake2000\n")
    text = text[: text.index("\n  scaling:")] + "\n"  # the study of scale and the overview are not of the fake paper
    (root / "dvc.yaml").write_text(text)
    project = Project(root)
    project.params()
    project.notebook()
    return project


@pytest.fixture
def project(tmp_path) -> Project:
    return make_project(tmp_path)


@pytest.fixture(scope="session")
def dvc_project(tmp_path_factory) -> Project:
    """A project under git whose paper-scale outputs are made by DVC and committed; tests work on clones of it."""
    project = make_project(tmp_path_factory.mktemp("project"))
    project.git("init", "-q")
    project.dvc("repro")
    project.git("add", "-A")
    project.git("commit", "-qm", "all")
    return project


@pytest.fixture
def clone(dvc_project, tmp_path) -> Project:
    """A fresh clone: no cache. A copy, so that compiled code, which looks at the dates of files, stays valid."""
    skip = shutil.ignore_patterns("cache", "tmp", "quick")
    shutil.copytree(dvc_project.root, tmp_path / "clone", ignore=skip)
    return Project(tmp_path / "clone")
