"""The closure names the files that decide a result, and only those."""

import pytest

from experiments.engine import paths
from experiments.engine.closure import closure, fingerprint


def files(*modules):
    return {str(file.relative_to(paths.ROOT)) for file in closure(modules)}


def test_a_name_from_a_room_leads_to_the_module_that_defines_it():
    needed = files("experiments.sweep")
    assert "mr/solvers/rls.py" in needed
    assert not any(name.startswith("mr/estimators") for name in needed)


def test_a_new_neighbour_in_a_room_changes_nothing():
    needed = files("mr.estimators.laprls")
    assert {"mr/estimators/_manifold.py", "mr/kernels/deformation.py", "mr/graph/knn_graph.py"} <= needed
    assert "mr/estimators/__init__.py" not in needed and "mr/graph/sparse_representation.py" not in needed


@pytest.fixture
def package(tmp_path, monkeypatch):
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    monkeypatch.setattr(paths, "ROOT", tmp_path)
    write("mr/__init__.py", "from mr.room import thing\n")
    write(
        "mr/room/__init__.py",
        '"""Room."""\nfrom mr.room.a import thing\nfrom mr.room.b import other\n__all__ = ["thing"]\n',
    )
    write("mr/room/a.py", "thing = 1\n")
    write("mr/room/b.py", "other = 1\n")
    return write


def test_packages_that_do_more_than_import_count(package):
    package("mr/busy/__init__.py", "from mr.room.b import other\nregister(other)\n")
    package("mr/busy/c.py", "x = 1\n")
    package("mr/user.py", "from mr.busy.c import x\nfrom mr.room import thing\n")
    assert files("mr.user") == {"mr/user.py", "mr/busy/c.py", "mr/busy/__init__.py", "mr/room/a.py", "mr/room/b.py"}


def test_importing_a_whole_room_counts_all_of_it(package):
    package("mr/user.py", "import mr.room\n")
    assert files("mr.user") == {"mr/user.py", "mr/room/__init__.py", "mr/room/a.py", "mr/room/b.py"}


def test_fingerprint_sees_code_and_not_comments(package):
    file = package("mr/user.py", "x = 1\n")
    before = fingerprint([file])
    file.write_text('"""What it is."""\nx = 1  # why\n')
    commented = fingerprint([file])
    file.write_text("x = 2\n")
    assert fingerprint([file]) != before
    file.write_text('"""Another text."""\nx = 1\n')
    assert fingerprint([file]) == commented
