"""Writes to an array that no variable holds: where arrays are values, and of items of lists."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from support import required

import autograph_rs as ag

ARRAYS = {
    "jax": lambda jax: (jax.jit, jax.numpy.ones(2), 1),
    "tensorflow": lambda tf: (lambda f: tf.function(f, autograph=False), tf.ones(2), tf.constant(1)),
}


def of_an_attribute(x, n):
    box = SimpleNamespace(a=x * 1)
    box.a[0] = 5
    return box.a


def of_a_list(x, n):
    rows = [x * 1, x * 2]
    rows[1][0] += 5
    return rows[1]


def of_a_dict(x, n):
    rows = {"a": x * 1}
    rows["a"][0] = 5
    return rows["a"]


def of_a_call(x, n):
    y = x * 1

    def get():
        return y

    get()[0] = 5
    return y


def in_a_branch(x, n):
    box = SimpleNamespace(a=x * 1)
    if n > 0:
        box.a[0] = 5
    return box.a


def by_a_staged_index(x, n):
    rows = [x * 1, x * 2]
    rows[n][0] += 5
    return rows[1]


def put_back(x, n):
    rows = [x * 1, x * 2]
    box = SimpleNamespace(a=x * 1)
    row, a = rows[1], box.a
    row[0] += 5
    a[0] = 5
    rows[1], box.a = row, a
    return rows[1] + box.a


@pytest.mark.parametrize("system", ARRAYS)
@pytest.mark.parametrize(
    "f", [of_an_attribute, of_a_list, of_a_dict, of_a_call, in_a_branch, by_a_staged_index]
)
def test_a_write_that_nothing_would_see_is_refused(system, f):
    compiled, x, n = ARRAYS[system](required(system))
    with pytest.raises(ag.AliasError, match="is written to in place, but is not a variable of the function"):
        compiled(ag.convert(f))(x, n)


@pytest.mark.parametrize("system", ARRAYS)
def test_the_remedy(system):
    compiled, x, n = ARRAYS[system](required(system))
    assert list(map(float, compiled(ag.convert(put_back))(x, n))) == [12.0, 3.0]


@pytest.mark.needs("torch")
@pytest.mark.parametrize("f", [of_an_attribute, of_a_list, of_a_dict, of_a_call, in_a_branch])
def test_tensors_of_torch_are_written(f):
    torch = required("torch")
    arguments = (torch.ones(2), torch.tensor(1))
    assert exported(torch, f, arguments).tolist() == f(*arguments).tolist()


@pytest.mark.needs("torch")
def test_an_item_of_a_list_that_a_staged_index_takes_is_not_written():
    torch = required("torch")
    with pytest.raises(ag.StateError, match="it is an item of a list"):
        exported(torch, by_a_staged_index, (torch.ones(2), torch.tensor(1)))


def exported(torch, f, arguments):
    class Module(torch.nn.Module):
        def forward(self, *given):
            return ag.convert(f)(*given)

    return torch.export.export(Module(), arguments, strict=False).module()(*arguments)
