"""`functools.reduce` over staged values."""

import operator
from functools import reduce

import numpy as np
import pytest

import autograph_rs as ag

XS = np.array([1.0, 4.0, 2.0, 3.0])
USES = {
    "sum": lambda xs, n: reduce(operator.add, xs),
    "of_own_function": lambda xs, n: reduce(lambda a, b: a * b + 1, xs, 2.0),
    "of_a_builtin": lambda xs, n: reduce(max, xs),
    "of_a_ufunc": lambda xs, n: reduce(np.hypot, xs),
    "with_a_condition": lambda xs, n: reduce(lambda a, b: a if a > b + n else b, xs),
    "over_a_range": lambda xs, n: reduce(lambda total, k: total + xs[k], range(n), 0.0),
    "over_a_comprehension": lambda xs, n: reduce(operator.mul, [x for x in xs if x > n], 1.0),
    "over_a_generator": lambda xs, n: reduce(operator.add, (x * 2 for x in xs)),
    "over_map": lambda xs, n: reduce(operator.add, map(abs, xs)),
    "over_a_plain_list": lambda xs, n: reduce(operator.add, [xs[0], xs[1]]),
    "over_matrices": lambda xs, n: reduce(
        operator.matmul, [np.eye(2) * xs[0], np.ones((2, 2)) * xs[1]]
    ).sum(),
    "to_a_tuple": lambda xs, n: reduce(lambda a, x: (a[0] + x, a[1] * x), xs, (0.0, 1.0)),
    "of_nothing_with_an_initial_value": lambda xs, n: reduce(operator.mul, xs[:0], 3.0),
}


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("name", USES)
def test_equal_to_python(name, n):
    assert ag.function(USES[name])(XS, np.int64(n)) == USES[name](XS, np.int64(n))


def test_nothing_without_an_initial_value():
    f = ag.function(lambda xs, n: reduce(operator.add, xs[:n]))
    assert f(XS, np.int64(2)) == 5.0
    with pytest.raises(TypeError, match="of empty iterable with no initial value"):
        f(XS, np.int64(0))
