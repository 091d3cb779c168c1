"""NumPy arrays of lists of tuples whose items have several types."""

import itertools

import numpy as np
import pytest

import autograph_rs as ag

PARTS = {
    "int": int,
    "float": float,
    "bool": lambda v: bool(v > 1),
    "float32": np.float32,
    "int8": np.int8,
    "uint64": np.uint64,
    "complex": lambda v: v + 0j,
    "constant": lambda v: 2,
    "item": lambda v: v,
}


@pytest.mark.parametrize("names", [*itertools.combinations(PARTS, 2)], ids=" ".join)
def test_dtypes(names):
    first, second = (PARTS[name] for name in names)

    def rows(xs):
        found = []
        for x in xs:
            y = abs(x)
            if x > 0:
                found.append((first(y), second(x), 1))
        return np.array(found), np.asarray(found).sum(axis=0)

    xs = np.array([1.0, 2.0, -1.0])
    for result, expected in zip(ag.function(rows)(xs), rows(xs), strict=True):
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)


def test_text_has_no_dtype():
    def rows(xs):
        return np.array([(x, f"{x}") for x in xs])

    with pytest.raises(ag.StagingError, match="no numbers or arrays of one type"):
        ag.function(rows)(np.ones(2))
