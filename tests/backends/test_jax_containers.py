"""Lists and dicts that staged statements write, or choose among, under `jax.jit`."""

from __future__ import annotations

import pytest
from container_functions import SAME, plain
from support import required

import autograph_rs as ag

jax = required("jax")

REFUSED = {
    "set_by_a_staged_index": "cannot set an item of a list with a staged key",
    "set_in_an_attribute_by_a_staged_index": "cannot set an item of a list with a staged key",
    "set_in_a_row_by_a_staged_index": "cannot set an item of a list with a staged key",
    "rows_of_different_lengths": "a list whose items differ in type or shape cannot be indexed",
}


@pytest.mark.parametrize("f", SAME, ids=lambda f: f.__name__)
def test_a_container_is_as_in_python_or_refused(f):
    staged = jax.jit(ag.convert(f))
    for n in (0, 1, 2):
        if f.__name__ in REFUSED:
            with pytest.raises(ag.AutographError, match=REFUSED[f.__name__]):
                staged(n)
        else:
            assert plain(staged(n)) == plain(f(n))


def test_a_write_to_one_of_several():
    @jax.jit
    @ag.convert
    def f(n):
        rows = [[1, 2], [3, 4]]
        rows[n][0] += 5
        return rows

    assert plain(f(1)) == plain([[1, 2], [8, 4]])


def test_a_write_to_a_selected_list_is_refused():
    @jax.jit
    @ag.convert
    def f(n):
        first, second = [1, 2], [3, 4]
        chosen = first if n > 0 else second
        chosen[0] += 5
        return first, second

    with pytest.raises(ag.AliasError, match="selected by a staged condition"):
        f(1)


def test_items_are_written_with_at():
    """`x.at` computes its items in Python, so a staged index is passed on."""

    @jax.jit
    @ag.convert
    def f(xs, i):
        return xs.at[i].set(5.0).at[i - 1].add(xs.at[0].get())

    assert f(jax.numpy.array([1.0, 2.0, 3.0]), 2).tolist() == [1.0, 3.0, 5.0]


def test_variables_with_the_names_of_temporaries_are_the_users():
    def missing(x):
        if x > 0:
            return_value = x
        return return_value + 1

    assert jax.jit(ag.convert(missing))(1.0) == 2.0
    with pytest.raises(jax.errors.JaxRuntimeError, match="cannot access local variable 'return_value'"):
        jax.block_until_ready(jax.jit(ag.convert(missing))(-1.0))

    def shared(x, i):
        value = x
        x[i] = 5.0
        return value

    with pytest.raises(ag.AliasError, match="both 'value' and 'x' refer to"):
        jax.jit(ag.convert(shared))(jax.numpy.zeros(3), 1)
