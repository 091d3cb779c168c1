"""Methods and attributes of staged arrays that are spelled otherwise in NumPy's namespace."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_rs as ag

Z = np.array([[1 + 2j, 3 - 1j], [0.5j, 2.0]])
CALLS = {
    "conj": lambda z: z.conj(),
    "conjugate": lambda z: z.conjugate(),
    "mT": lambda z: np.stack([z, 2 * z]).mT,
    "flat item": lambda z: z.item(2),
    "item": lambda z: z.item(1, 0),
    "last item": lambda z: z.item(-1),
}


@pytest.mark.parametrize("name", CALLS)
def test_as_plain(name):
    np.testing.assert_array_equal(ag.function(CALLS[name])(Z), CALLS[name](Z))


def test_of_variables():
    w = ag.Variable(Z)
    np.testing.assert_array_equal(w.mT, Z.T)
    np.testing.assert_array_equal(ag.function(lambda: w.mT * w.conj())(), Z.T * Z.conj())


def test_a_vector_has_no_matrix_transpose():
    with pytest.raises(ValueError, match="ndim < 2"):
        ag.function(lambda x: x.mT)(np.ones(2))
