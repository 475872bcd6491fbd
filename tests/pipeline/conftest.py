"""A scratch project: a copy of ``mr`` with one fake artifact, run through ``python -m mr`` as a user would."""

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
REPORTED = """paper,table,dataset,method,setting,metric,mean,std
fake2000,I,Moons,Guess,fake,error_pct,50.0,1.0
fake2000,I,Lost,Guess,fake,error_pct,10.0,1.0
fake2000,I,Moons,Guess,other,error_pct,10.0,
"""
FIGURE = """import matplotlib.pyplot as plt
from mr import figures
fig, ax = plt.subplots()
ax.plot([0, slope])
paths = figures.save(fig, "fake")
"""


class Project:
    """Folder with ``mr`` and what it needs to run one fake artifact."""

    def __init__(self, root: Path):
        self.root = root

    def params(self, **block) -> None:
        block = {"seed": 7, "runs": 3} | block
        (self.root / "params.yaml").write_text(yaml.dump({ID: {"paper": block, "quick": block}}))

    def environment(self) -> dict:
        clean = {key: value for key, value in os.environ.items() if not key.startswith("MR_")}
        return clean | {"PYTHONPATH": str(self.root), "MR_OFFLINE": "1", "MR_DATA_DIR": str(self.root / "nothing")}

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "mr", *arguments]

    def mr(self, *arguments: str, ok: bool = True) -> subprocess.CompletedProcess:
        done = subprocess.run(
            self.command(*arguments), cwd=self.root, env=self.environment(), capture_output=True, text=True
        )
        assert (done.returncode == 0) == ok, done.stdout + done.stderr
        assert done.returncode != 2 or "Traceback" not in done.stderr, done.stderr
        return done

    def all(self, *commands: str, ok: bool = True) -> subprocess.CompletedProcess:
        """Several commands in one process: most of the time of one goes into imports."""
        code = "import sys; from experiments.engine.cli import main; sys.exit(max(main(c.split()) for c in sys.argv[1:]))"
        done = subprocess.run(
            [sys.executable, "-c", code, *commands],
            cwd=self.root,
            env=self.environment(),
            capture_output=True,
            text=True,
        )
        assert (done.returncode == 0) == ok, done.stdout + done.stderr
        return done

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        done = subprocess.run(["git", *identity, *arguments], cwd=self.root, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def figure_source(self) -> str:
        return FIGURE

    def notebook(self, source: str = FIGURE) -> None:
        cells = [nbformat.v4.new_code_cell(source) for source in ("slope = 1", source)]
        for i, cell in enumerate(cells):
            cell.id = f"cell-{i}"
        cells[0].metadata["tags"] = ["parameters"]
        book = nbformat.v4.new_notebook(cells=cells, metadata={"mr": {"results": [ID], "figures": ["fake"]}})
        book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(book, self.root / "notebooks" / "00_fake.ipynb")


def make_project(root: Path) -> Project:
    shutil.copytree(ROOT / "mr", root / "mr")
    for file in (root / "mr" / "experiments").glob("*[0-9]_*[0-9].py"):
        file.unlink()  # the real artifacts
    shutil.copy(HERE / f"{ID}.py", root / "mr" / "experiments")
    for name in (".dvc/config", ".dvc/.gitignore", ".dvcignore", ".gitignore", "data/registry.csv"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    (root / "data" / "reported.csv").write_text(REPORTED)
    (root / "data" / "notes.csv").write_text("paper,table,dataset,method,note\nfake2000,*,Lost,*,It is lost.\n")
    (root / "notebooks").mkdir()
    project = Project(root)
    project.params()
    return project


@pytest.fixture
def project(tmp_path) -> Project:
    return make_project(tmp_path)


@pytest.fixture(scope="session")
def dvc_project(tmp_path_factory) -> Project:
    """A project under git whose paper-scale outputs are committed; tests work on clones of it."""
    project = make_project(tmp_path_factory.mktemp("project"))
    project.params(lost=True)
    project.notebook()
    project.git("init", "-q")
    project.mr("reproduce", "--profile", "paper")
    project.git("add", "-A")
    project.git("commit", "-qm", "all")
    return project


@pytest.fixture
def clone(dvc_project, tmp_path) -> Project:
    """A fresh clone: no data, no cache."""
    dvc_project.git("clone", "-q", str(dvc_project.root), str(tmp_path / "clone"))
    return Project(tmp_path / "clone")
