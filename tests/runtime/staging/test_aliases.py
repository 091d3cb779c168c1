"""Staged writes, growing lists and states lose no change silently."""

from __future__ import annotations

import gc
import random
import weakref

import numpy as np
import pytest

import autograph_rs as ag

TABLE = np.zeros(2)
X = np.array([1.0, 2.0])


class Buffer:
    def __init__(self):
        self.array = np.zeros(2)

    def put(self, i, value):
        self.array[i] = value


def into_an_attribute(x):
    buffer = Buffer()
    buffer.put(0, x[0])
    return buffer.array


def put(z, value):
    z[0] = value


def in_a_callee(x):
    z = np.zeros(2)
    put(z, x[0])
    return z


def into_an_item(x):
    held = [np.zeros(2)]
    held[0][0] = x[0]
    return held


def into_a_global(x):
    if x[0] > 0:
        TABLE[0] += 1
    return TABLE.copy()


def with_a_view(x):
    a = np.zeros(3)
    b = a[1:]
    if x[0] > 0:
        a[1] = 1
    return b


def held_by_a_list(x):
    a = np.zeros(3)
    held = [a]
    if x[0] > 0:
        a[0] = 1
    return held[0]


def change(a, x):
    if x[0] > 0:
        a[0] = 1


def of_the_same_name(x):
    a = np.zeros(3)
    change(a, x)
    return a


def a_bound_append(x):
    found = []
    keep = found.append
    if x[0] > 0:
        found.append(x)
    keep(x)
    return found


def a_list_in_a_tuple(x):
    found = []
    pair = (found, 1)
    if x[0] > 0:
        found.append(x)
    return pair[0]


def shuffled(x):
    numbers = [1, 2, 3]
    random.shuffle(numbers)
    return x + numbers[0]


def own_generator(x):
    return x + random.Random(0).random()


def written_after_it_was_appended(x):
    found = []
    total = x * 0
    for v in x:
        total += v
        found.append(total)
    return found


def an_argument_that_grows(found, x):
    if x[0] > 0:
        found.append(x[0])


def a_view_from_the_round_before(x):
    a, base = np.zeros(1), x * 1
    for _ in x:
        a[0] += 1
        a = base[1:]
    return base


def a_name_from_the_round_before(x):
    a = np.zeros(2)
    for _ in x:
        a += 1
        a = x


def a_view_that_is_read_in_the_next_round(x):
    a, base = np.zeros(1), x * 1
    for v in x:
        base[1] += v
        total = a.sum()
        a = base[1:]
        base[0] += total
    return base


def two_names_from_the_round_before(x):
    a, b = x * 1, x * 1
    for _ in x:
        a[0] += 1
        b = b + 1
        a = b
    return b


def an_item_from_the_round_before(x):
    held, base = [np.zeros(1), 1], x * 1
    for _ in x:
        held[0][0] += 1
        held[0] = base[1:]
    return base


def a_view_of_a_plain_array_from_the_round_before(x):
    a, table = np.zeros(1), np.zeros(2)
    for v in x:
        a[0] += v
        a = table[1:]
    return table


def a_second_name_after_a_loop(x):
    a, b = np.zeros(2), x * 1
    for _ in x:
        a = b
    a[0] = 5
    return b


def a_view_of_a_plain_array_in_a_branch(x):
    table, row = np.zeros((2, 2)), np.zeros(2)
    if x[0] > 0:
        row = table[0]
    row[0] = 5
    return table


def a_row_of_a_plain_array(x):
    table = np.zeros((2, 2))
    row = table[int(x[0])]
    row[0] = 5
    return table


@pytest.mark.slow
@pytest.mark.parametrize(
    "f",
    [
        a_view_from_the_round_before, a_name_from_the_round_before, a_view_that_is_read_in_the_next_round,
        two_names_from_the_round_before, an_item_from_the_round_before,
        a_view_of_a_plain_array_from_the_round_before, a_second_name_after_a_loop,
        a_view_of_a_plain_array_in_a_branch, a_row_of_a_plain_array,
        into_a_global, with_a_view,
        a_bound_append, a_list_in_a_tuple, shuffled, own_generator,
        written_after_it_was_appended,
    ],
)  # fmt: skip
def test_a_write_that_another_name_would_not_see_is_refused(f):
    with pytest.raises(ag.StagingError):
        ag.function(f)(X)


@pytest.mark.slow
@pytest.mark.parametrize(
    "f", [in_a_callee, of_the_same_name, held_by_a_list, into_an_attribute, into_an_item]
)
@pytest.mark.parametrize("x", [X, -X])
def test_a_helper_writes_to_the_array_of_its_caller(f, x):
    np.testing.assert_array_equal(ag.function(f)(x), f(x))


def test_a_list_argument_that_grows_under_a_condition_is_refused():
    found = [1.0]
    with pytest.raises(ag.StagingError, match="list passed as an argument"):
        ag.function(an_argument_that_grows)(found, X)
    assert found == [1.0]


def test_arrays_of_one_name_are_written():
    def f(x):
        out, scaled = np.zeros(3), np.ones(2)
        for i in range(2):
            out[i] = x[i] * 2
        if x[0] > 0:
            scaled *= 3
        return out, scaled

    for made, expected in zip(ag.function(f)(X), f(X), strict=True):
        np.testing.assert_array_equal(made, expected)


def a_view_that_is_written_at_once(x, n):
    a = np.zeros(1)
    for i in range(n):
        a = x[1:]
        a[0] += i
    return a, x


def a_row_that_changes(x, n):
    table, total = np.zeros((2, 2)) + x, 0.0
    for i in range(n):
        row = table[i % 2]
        row[0] += i
        total += row.sum()
    return table, total


def what_was_before(x, n):
    before, now = x, x * 1
    for _ in range(n):
        before = now
        now = now + 1
        now[0] += before[1]
    return before, now


def exchanged(x, n):
    a, b = x * 1, x * 2
    for _ in range(n):
        a, b = b, a
        a[0] += 1
    return a, b


def turned_round(x, n):
    a = x * 1
    for _ in range(n):
        a = a[::-1]
        a[0] += 1
    return a


@pytest.mark.parametrize(
    "f", [a_view_that_is_written_at_once, a_row_that_changes, what_was_before, exchanged, turned_round]
)
def test_what_a_round_leaves_is_written_where_no_other_name_has_it(f):
    staged = ag.function(f)
    for n in range(4):
        given, own = X.copy(), X.copy()
        np.testing.assert_equal((staged(given, np.int64(n)), given), (f(own, n), own))


def test_a_variable_in_a_container_stays_one():
    def f(model, x):
        model["n"] = x.sum()
        model["w"].assign_add(x)

    model = {"w": ag.Variable([0.0, 0.0])}
    variable = model["w"]
    ag.function(f)(model, X)
    assert model["w"] is variable
    assert (variable.numpy().tolist(), model["n"]) == ([1.0, 2.0], 3.0)


def test_an_argument_must_not_be_the_memory_of_a_variable():
    v = ag.Variable([1.0, 2.0])
    with pytest.raises(ag.StagingError, match="shares memory"):
        ag.function(lambda v, x: v.assign_add(x) + x)(v, v.value)


def test_arrays_that_the_function_makes_are_new_at_each_call():
    f = ag.function(lambda x: (np.zeros(2), x))
    first, _ = f(X)
    first[:] = 9
    assert f(X)[0].tolist() == [0.0, 0.0]
    assert ag.function(lambda x: (TABLE, x))(X)[0] is TABLE


def test_keys_that_are_equal_but_not_the_same():
    f = ag.function(lambda x, r: x + r.stop)
    assert [f(X, r).tolist() for r in (range(0, 3, 2), range(0, 4, 2))] == [[4.0, 5.0], [5.0, 6.0]]
    g = ag.function(lambda d: dict(d))  # noqa: PLW0108 - a function of the user's
    assert [list(map(type, g({k: X}))) for k in (1, True, 1.0)] == [[int], [bool], [float]]


def test_traces_go_with_their_function():
    class Thing:
        pass

    thing = Thing()
    f = ag.function(lambda x, o: x + 1)
    f(X, thing)
    concrete = weakref.ref(f.traces()[0].graph)
    del f
    gc.collect()
    assert concrete() is None


def test_nothing_is_kept_of_instances_that_have_died():
    class Model:
        @ag.function
        def step(self, x):
            return x + 1

    models = [Model() for _ in range(3)]
    for model in models:
        model.step(X)
    tables = [table for table in vars(Model.step).values() if isinstance(table, (dict, set))]
    full = list(map(len, tables))
    del model
    models[1:] = []
    gc.collect()
    assert max(full) == 3
    assert max(map(len, tables)) == 1
    assert models[0].step(X).tolist() == [2.0, 3.0]


def test_bound_functions_are_equal_as_methods_are():
    class Model:
        @ag.function
        def step(self, x):
            """One step."""
            return x

    model = Model()
    assert model.step == model.step
    assert len({model.step, model.step, Model().step}) == 2
    assert model.step.__doc__ == "One step."


def test_a_container_that_is_given_twice():
    f = ag.function(lambda a, b: a.append(b[0]))
    rows = [X]
    with pytest.raises(ag.StagingError, match=r"was passed the same \w+ twice"):
        f(rows, rows)
    f(rows, [X])
    assert len(rows) == 2


def repr_of(x):
    return repr(x)


@pytest.mark.parametrize("f", [lambda x: f"{(x, 1)}", repr_of, lambda x: repr([x.sum()])])
def test_text_of_containers_of_staged_values(f):
    assert ag.function(f)(X) == f(X)


def test_text_of_plain_containers_and_staged_values():
    f = ag.function(lambda x: f"{(1, 2)} {x!r} {[3]}")
    assert f(np.float64(2.0)) == f"(1, 2) {np.float64(2.0)!r} [3]"
