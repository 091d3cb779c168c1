"""The limitations that TensorFlow documents for its AutoGraph: which hold here, which do not.

`docs/tensorflow.md` lists these behaviours. Where the two differ, a test asserts what `theirs` does as well.
"""

from __future__ import annotations

import collections

import pytest
from tensorflow_support import BOTH, T, compiled, tf, theirs, values


class Box:
    def __init__(self, value):
        self.value = value

    def change(self):
        self.value += 1

    def changed(self):
        self.value += 1
        return self


# What a called function changes

calls = 0


def call():
    global calls  # noqa: PLW0603 - as users write it
    calls = calls + 1


def by_global(n):
    global calls  # noqa: PLW0603 - as users write it
    calls = 0
    while n > 0:
        call()
        n -= 1
    made, calls = calls, 0
    return made


def by_method(n):
    box = Box(0)
    while n > 0:
        box.change()
        n -= 1
    return box.value


@pytest.mark.parametrize("f", [by_global, by_method])
@pytest.mark.filterwarnings("ignore::autograph_rs.SideEffectWarning")  # of the global
def test_changes_in_called_functions_and_methods_are_part_of_the_loop(f):
    """TensorFlow's AutoGraph counts one."""
    assert values(compiled(f)(T(3))) == 3
    assert values(theirs(f)(T(3))) == 1


def by_nonlocal(n):
    total = 0

    def add():
        nonlocal total
        total = total + n

    while n > 0:
        add()
        n -= 1
    return total


def by_method_that_returns_its_object(n):
    box = Box(0)
    while n > 0:
        box = box.changed()
        n -= 1
    return box.value * 2


@pytest.mark.parametrize("f", [by_nonlocal, by_method_that_returns_its_object])
def test_changes_of_closures_and_objects_that_tensorflow_refuses(f):
    assert values(compiled(f)(T(3))) == 6
    with pytest.raises((ValueError, TypeError)):
        theirs(f)(T(3))


Pair = collections.namedtuple("Pair", "first second")  # noqa: PYI024 - as users write it


@BOTH
def test_functional_style(compiler):
    def moved(pair, array, n):
        return pair._replace(first=pair.first + n), array.write(array.size(), n)

    def f(n):
        pair, array = Pair(0, n), tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        while n > 0:
            pair, array = moved(pair, array, n)
            n -= 1
        return pair, array.stack()

    assert values(compiler(f)(T(3))) == (Pair(6, 3), [3, 2, 1])


@BOTH
def test_variables_of_tensorflow_change_in_called_functions(compiler):
    state = tf.Variable(1)

    def change():
        state.assign_add(1)

    def f(n):
        while state < n:
            change()
        return state.read_value()

    assert values(compiler(f)(T(4))) == 4


@BOTH
@pytest.mark.filterwarnings("ignore")
def test_a_tensor_array_whose_new_value_is_dropped_has_none(compiler):
    def f(n):
        array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        while n > 0:
            array.write(0, n)
            n -= 1
        return array.stack()

    assert values(compiler(f)(T(3))) == []


@BOTH
def test_a_variable_of_a_local_function_outlives_the_loop(compiler):
    def f():
        last = 0

        def read():
            return last

        for i in tf.range(3):
            last = i
        return read()

    assert values(compiler(f)()) == 2


def test_a_variable_of_a_lambda_outlives_the_loop():
    """TensorFlow documents that its AutoGraph reads the value from before the loop."""

    def f():
        last = 0
        read = lambda: last  # noqa: E731 - a lambda is what it tries
        for i in tf.range(3):
            last = i
        return read()

    assert values(compiled(f)()) == 2
    assert values(theirs(f)()) == 0


# Lists, dicts, objects


def test_a_list_grows_in_a_loop():
    def f(n):
        items = []
        for i in tf.range(n):
            items.append(i * 2)  # noqa: PERF401 - a loop is what it tries
        return items

    assert values(compiled(f)(T(3))) == [0, 2, 4]
    with pytest.raises(ValueError, match="out of scope"):
        theirs(f)(T(3))


def test_a_list_grows_on_the_path_that_runs():
    """TensorFlow's AutoGraph appends on both."""

    def f(x):
        items = [1]
        if x > 0:
            items.append(x)
        return tf.stack(items)

    assert [values(compiled(f)(T(x))) for x in (2, -2)] == [[1, 2], [1]]
    assert values(theirs(f)(T(-2))) == [1, -2]


@BOTH
@pytest.mark.parametrize(("x", "result"), [(-3, (-1, -30)), (4, (0, 4))])
def test_attributes_and_items_are_variables(compiler, x, result):
    def f(x):
        box, table = Box(x), {"key": x}
        if box.value < 0:
            box.value = -box.value
            table["key"] = table["key"] * 10
        while box.value > 0:
            box.value -= 2
        return box.value, table["key"]

    assert values(compiler(f)(T(x))) == result


@BOTH
def test_collections_that_keep_their_form_change_in_a_loop(compiler):
    def f(n):
        items, table, box, nested = [n], {"key": n}, Box(n), {"a": {"b": 0, "c": [n, 0]}}
        while items[0] > 0:
            items[0] -= 1
            nested["a"]["b"] += 2
            nested["a"]["c"][1] += items[0]
        while table["key"] > 0:
            table["key"] -= 1
        while box.value > 0:
            box.value -= 1
        return items, table, box.value, nested

    made = compiler(f)(T(3))
    assert values(made) == ([0], {"key": 0}, 0, {"a": {"b": 6, "c": [3, 3]}})


def test_items_change_by_a_key_that_is_no_constant():
    def f(n):
        table = {"a": 3, "b": tf.constant(1)}
        for i in tf.range(n):
            for key in table:
                table[key] += i
        return table

    assert values(compiled(f)(T(4))) == {"a": 9, "b": 7}
    with pytest.raises(ValueError, match="out of scope"):
        theirs(f)(T(4))


@BOTH
def test_a_new_dict_in_each_round(compiler):
    def f(n):
        table = {"a": tf.constant(3)}
        for i in tf.range(n):
            table = {key: value + i for key, value in table.items()}
        return table

    assert values(compiler(f)(T(4))) == {"a": 9}
