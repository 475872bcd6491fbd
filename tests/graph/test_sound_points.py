"""Points at the gate: canonical rows without touching the caller's, and a scale that distances survive."""

import numpy as np
import pytest
from scipy import sparse

from mr.graph import KNNGraph, nearest_neighbors
from mr.graph.approximate_search import _announce_compilation
from mr.graph.base import GraphWarning
from mr.graph.scale import sound_points
from mr.graph.union import check_indices


def unsorted():
    """Rows (0, 1, 2) and (3, 0, 0), the first stored backwards, the second in three thirds."""
    data, columns = np.array([2.0, 1.0, 1.0, 1.0, 1.0]), np.array([2, 1, 0, 0, 0])
    return sparse.csr_array((data, columns, np.array([0, 2, 5])), shape=(2, 3))


def test_rows_are_put_in_order_in_a_copy():
    X = unsorted()
    sound = sound_points(X)
    assert sound.has_canonical_format and (sound.toarray() == [[0, 1, 2], [3, 0, 0]]).all()
    for part in ("data", "indices", "indptr"):
        assert (getattr(X, part) == getattr(unsorted(), part)).all()
    assert sound_points(sound) is sound


def test_searches_leave_unsorted_rows_alone():
    X = unsorted()
    KNNGraph(n_neighbors=1).fit(X)
    nearest_neighbors(X, 1, metric="cosine")
    assert (X.indices == unsorted().indices).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e151])
def test_what_has_no_distances_is_refused(value):
    with pytest.raises(ValueError, match="X must hold finite numbers|Squared distances overflow"):
        sound_points(np.array([[0.0, value]]))


@pytest.mark.parametrize("wrong", [-1, 3])
def test_neighbours_must_be_points(wrong):
    check_indices(np.array([[1], [2], [0]]))
    with pytest.raises(ValueError, match="between 0 and 2; got values from"):
        check_indices(np.array([[1], [2], [wrong]]))


def test_compilation_is_announced():
    with pytest.warns(GraphWarning, match="compiles itself now.*method='exact'"):
        _announce_compilation.__wrapped__()


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"power": 101}, "power must be at most 100; got 101"),
        ({"sigma": 10**400}, "sigma must be 'mean' or a finite number above 0; got 1000"),
        ({"n_neighbors": 2**63}, "n_neighbors must be an integer"),
        ({"n_jobs": "all"}, "n_jobs must be an integer or None; got 'all'"),
    ],
)
def test_parameters_beyond_the_machine(parameters, message):
    with pytest.raises(ValueError, match=message):
        KNNGraph(**parameters).fit(np.eye(4))
