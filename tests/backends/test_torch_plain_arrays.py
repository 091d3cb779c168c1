"""Plain NumPy arrays that staged code of PyTorch writes to: the write reaches all names, or is refused."""

from __future__ import annotations

import numpy as np
import pytest
from torch_support import QUIET, torch

import autograph_rs as ag
from autograph_rs.runtime.errors import AliasError

pytestmark = QUIET


def fill(array, value):
    if value > 0:
        array[0] = value
    else:
        array[1] = value


def by_a_helper(x):
    array = np.zeros(3)
    fill(array, x)
    total = array.sum()
    fill(array, x - 3)
    return array, total


def by_a_helper_without_condition(x):
    def put(values, value):
        values[0] = value

    array = np.zeros(3)
    put(array, x)
    return array


def by_an_inner_function(x):
    array = np.zeros(3)

    def put():
        if x > 0:
            array[0] = x

    put()
    return array


def with_two_names(x):
    array = np.zeros(3)
    other = array
    if x > 0:
        array[0] = x
    return other


class Holder:
    pass


def in_an_attribute(x):
    holder = Holder()
    holder.array = np.zeros(3)
    if x > 0:
        holder.array[0] = x
    return holder.array


def in_a_list(x):
    rows = [np.zeros(3), np.zeros(3)]
    if x > 0:
        rows[1][0] = x
    return rows[1]


def through_a_view(x):
    array = np.zeros((3, 3))
    row = array[1]
    row[0] = x
    return array


def by_items_of_a_loop(x):
    array = np.zeros(3)
    for row in [array, array]:
        row[0] += x
    return array


def beside_plain_numbers(x):
    if x > 0:
        x = x + 1
    return x, np.float64(3.0), np.int64(2)


def compiled(f, x):
    torch.compiler.reset()
    return torch.compile(ag.convert(f), fullgraph=True, backend="eager")(x)


def exported(f, x):
    class Module(torch.nn.Module):
        def forward(self, x):
            return f(x)

    return torch.export.export(ag.convert_module(Module()), (x,)).module()(x)


ALL = [
    by_a_helper, by_a_helper_without_condition, by_an_inner_function, with_two_names, in_an_attribute,
    in_a_list, through_a_view, by_items_of_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("run", [compiled, exported])
@pytest.mark.parametrize("f", ALL)
def test_a_write_reaches_all_names(f, run):
    for x in (2.0, -2.0):
        expected, found = f(x), run(f, torch.tensor(x, dtype=torch.float64))
        expected, found = (v if isinstance(v, tuple) else (v,) for v in (expected, found))
        for a, b in zip(expected, found, strict=True):
            np.testing.assert_array_equal(b, a)


def test_numbers_of_numpy_leave_compiled_code():
    x, *numbers = compiled(beside_plain_numbers, torch.tensor(2.0))
    assert x == 3
    assert numbers == [3.0, 2] and list(map(type, numbers)) == [np.float64, np.int64]


def written_by_a_view_in_a_branch(x):
    array = np.zeros((3, 3))
    row = array[1]
    if x > 0:
        row[0] = x
    return array


def test_a_write_that_would_not_reach_another_name_is_refused():
    with pytest.raises(AliasError, match="the variable 'array' refers to it too"):
        exported(written_by_a_view_in_a_branch, torch.tensor(2.0))
