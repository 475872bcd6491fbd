"""What the benchmarks share: their result files, and how busy other processes were."""

import importlib
import os
import signal
import subprocess
import sys
import time

import pytest

from experiments.plotting import scaling as study
from tests.source_reading import ROOT


@pytest.fixture
def benchmark(monkeypatch):
    """A module of benchmarks/ by its name; they import each other as scripts do."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module


def test_a_line_is_added_and_a_file_of_an_earlier_version_gets_the_columns_it_lacks(tmp_path, benchmark):
    module = benchmark("results")
    file = tmp_path / "seconds.csv"
    file.write_text("n,seconds\n10,1\n")
    results = module.Results(file, ("n", "seconds"))
    results.add({"n": 20, "seconds": 2, module.OTHERS: 0.5})
    assert file.read_text() == "n,seconds,other_cpu_seconds\n10,1,\n20,2,0.5\n"
    assert [row["n"] for row in results.rows()] == ["10", "20"]


BUSY = "while True: pass"
ORPHAN = (
    "import subprocess as s, sys\n"
    f"print(s.Popen([sys.executable, '-c', {BUSY!r}], stdout=s.DEVNULL, stderr=s.DEVNULL).pid)"
)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_child_counts_as_our_own_and_any_other_process_does_not(benchmark):
    module = benchmark("results")
    child = subprocess.Popen([sys.executable, "-c", BUSY])
    other = int(subprocess.run([sys.executable, "-c", ORPHAN], capture_output=True, text=True, check=True).stdout)
    try:
        ours, others, end = module._ticks_of_ours(), module.Others(), time.monotonic() + 120
        while time.monotonic() < end:
            time.sleep(0.05)
            seen = float(others.row()[module.OTHERS])
            if module._ticks_of_ours() >= ours + 20 and seen >= 0.2:
                break
        assert module._ticks_of_ours() >= ours + 20 and seen >= 0.2
    finally:
        child.kill()
        child.wait()
        os.kill(other, signal.SIGKILL)


@pytest.mark.parametrize("name", ["scaling", "mnist_scale"])
def test_every_method_can_be_drawn(name, benchmark):
    for method in benchmark(name).METHODS:
        assert study.look(method)["label"] == method
