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


@pytest.mark.parametrize("copied", [lambda a: a.copy(), lambda a: a.astype(np.float64)])
def test_copies_of_arrays_without_dimensions_are_arrays(copied):
    """A write to a view of such a copy would have to reach the copy, so it is refused."""

    def written(a):
        copy = copied(a)
        view = copy.ravel()
        view[0] = 7
        return copy

    assert ag.function(written)(np.float64(1)) == 1
    with pytest.raises(ag.AliasError, match="is a view that cannot be written to"):
        ag.function(written)(np.array(1.0))


def test_tolist_of_arrays_of_unknown_length():
    def f(x, limit):
        chosen, total = x[x > limit].tolist(), 0.0
        for i in np.flatnonzero(x > limit).tolist():
            total += i * x[i]
        return chosen, total, len(set(chosen)), (x[:, None] * x)[x > limit].tolist(), [x[:1].tolist()]

    x = np.array([1.0, -1.0, 2.0, 2.0])
    for limit in (0.0, 9.0):
        plain = f(x, limit)
        assert ag.function(f)(x, np.float64(limit)) == plain
        assert [type(item) for item in ag.function(f)(x, np.float64(limit))[0]] == [float] * len(plain[0])


def add_to_row(x, v):
    x[1] += v
    return x


def multiply_selected(x, v):
    x[x[:, 0] > 3] *= v
    return x


@pytest.mark.parametrize("function", [add_to_row, multiply_selected])
@pytest.mark.parametrize("shape", [(3,), (1,), (1, 3), (2, 3), (1, 1, 3), (1, 1, 1)])
def test_an_operation_in_place_adds_no_dimensions(function, shape):
    arguments = np.arange(6.0).reshape(2, 3), np.full(shape, 2.0)
    try:
        expected = function(arguments[0].copy(), arguments[1])
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)[:40]):
            ag.function(function)(*arguments)
    else:
        np.testing.assert_array_equal(ag.function(function)(*arguments), expected)
