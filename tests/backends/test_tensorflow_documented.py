"""The control flow that TensorFlow documents for its AutoGraph: what holds here, what differs.

`docs/tensorflow.md` lists these behaviours. Where the two differ, a test asserts what `theirs` does as well.
"""

from __future__ import annotations

import numpy as np
import pytest
from tensorflow_support import BOTH, T, compiled, tf, theirs, values

import autograph_rs as ag


def operations(made, *specs):
    return {op.type for op in made.get_concrete_function(*specs).graph.get_operations()}


# Which statements are staged


@BOTH
def test_only_conditions_on_tensors_become_operations(compiler):
    """Of a plain condition one branch is run; of a staged one both are, while it is traced."""
    traced = []

    @tf.autograph.experimental.do_not_convert
    def note(name):
        traced.append(name)

    def f(x):
        if x > 0:
            note("positive")
            x = x * 2
        else:
            note("other")
            x = x * 3
        return x

    made = compiler(f)
    assert values(made(3)) == 6
    assert traced == ["positive"]
    assert values(made(T(-3))) == -9
    assert traced == ["positive", "positive", "other"]


@BOTH
def test_a_change_inside_py_function_is_not_seen_by_the_trace(compiler):
    def f():
        box = [10]

        def change():
            box[0] = 20

        tf.py_function(change, (), ())
        if tf.equal(box[0], 10):
            return "ten"
        return "other"

    assert values(compiler(f)()) == b"ten"


def test_print_in_a_branch_shows_the_branch_that_runs(capfd):
    """TensorFlow's AutoGraph prints while it traces: once, from both branches, and a tensor for a value."""

    def f(x):
        if x > 0:
            print("positive", x)
        else:
            print("other", x)
        return x

    ours, own = compiled(f), theirs(f)
    for x in (1, 2, -3):
        ours(T(x))
    shown = capfd.readouterr().out
    assert shown.splitlines() == ["positive 1", "positive 2", "other -3"]
    for x in (1, 2, -3):
        own(T(x))
    first, second = capfd.readouterr().out.splitlines()
    assert first.startswith("positive Tensor(")
    assert second.startswith("other Tensor(")


@BOTH
def test_print_of_plain_values_outside_staged_branches_happens_while_tracing(compiler, capfd):
    def f(x):
        print("traced")
        return x

    made = compiler(f)
    made(T(1))
    made(T(2))
    assert capfd.readouterr().out == "traced\n"


@BOTH
def test_the_body_of_a_staged_loop_is_traced_also_where_it_would_not_run(compiler):
    traced = []

    @tf.autograph.experimental.do_not_convert
    def note():
        traced.append("body")

    def f(n):
        for _ in tf.range(n):
            note()
        return n

    compiler(f)(T(0))
    assert traced == ["body"]


def test_a_number_that_a_staged_branch_changes_becomes_a_tensor():
    """Here it is an `int` to Python as well."""

    def f(x):
        i = 0
        if x > 0:
            i = 1
        return tf.is_tensor(i), isinstance(i, int), i

    assert values(compiled(f)(T(-1))) == (True, True, 0)
    assert values(theirs(f)(T(-1))) == (True, False, 0)


# Loops


@BOTH
def test_while_on_a_plain_value_is_unrolled(compiler):
    def f(x):
        left = np.float32(3.0)
        while left > 0.5:
            x = x + 1
            left -= 1
        return x

    made = compiler(f)
    assert values(made(T(0))) == 3
    assert not {"While", "StatelessWhile"} & operations(made, tf.TensorSpec([], tf.int32))


@BOTH
def test_for_over_a_list_of_tensors_is_unrolled_and_over_a_stack_of_them_is_a_loop(compiler):
    def unrolled(x):
        total = 0
        for y in [x, x + 1, x + 2]:
            total += y
        return total

    def looped(x):
        total = 0
        for y in tf.stack([x, x + 1, x + 2]):
            total += y
        return total

    for f, loops in ((unrolled, False), (looped, True)):
        made = compiler(f)
        assert values(made(T(1))) == 6
        assert ("StatelessWhile" in operations(made, tf.TensorSpec([], tf.int32))) == loops


def test_a_condition_that_becomes_a_tensor_after_some_iterations():
    """TensorFlow's AutoGraph refuses the loop; here the rest of it is a staged loop."""

    def f(x):
        i = 0
        while i < 10:
            i = i + x
        return i

    assert values(compiled(f)(T(4))) == 12
    with pytest.raises(NotImplementedError, match="non-Tensor"):
        theirs(f)(T(4))


@BOTH
def test_for_goes_over_rows_and_over_a_range(compiler):
    def f(rows):
        total = 0
        for row in rows:
            total += row[0] * row[1]
        for i in tf.range(1, 10, 4):
            total += i
        return total

    assert values(compiler(f)(T([[1, 2], [3, 4]]))) == 2 + 12 + 1 + 5 + 9


@BOTH
def test_for_over_a_dataset_with_break(compiler):
    def f(items):
        total = tf.constant(0, tf.int64)
        for item in items:
            if item == 4:
                break
            total += item
        return total

    assert values(compiler(f)(tf.data.Dataset.range(6))) == 6


def test_for_over_a_dataset_is_a_loop_over_its_iterator():
    """TensorFlow's AutoGraph makes it a reduction of the dataset."""

    def f(items):
        total = tf.constant(0, tf.int64)
        for item in items:
            total += item
        return total

    items = tf.data.Dataset.range(6)
    assert values(compiled(f)(items)) == values(theirs(f)(items)) == 15
    assert "While" in operations(compiled(f), items)
    assert "ReduceDataset" in operations(theirs(f), items)


def first_of(items):
    for item in items:
        return item
    return tf.constant(-1, tf.int64)


def until_first(items):
    last = tf.constant(-1, tf.int64)
    for item in items:
        last = item
        break
    return last


@pytest.mark.parametrize("f", [first_of, until_first])
@pytest.mark.parametrize(("count", "result"), [(3, 0), (0, -1)])
def test_a_loop_over_a_dataset_that_always_ends_in_its_first_round(f, count, result):
    """TensorFlow's AutoGraph refuses the `return`."""
    items = tf.data.Dataset.range(count)
    assert values(compiled(f)(items)) == result
    if f is until_first:
        assert values(theirs(f)(items)) == result
    else:
        with pytest.raises(NotImplementedError, match="return"):
            theirs(f)(items)


@BOTH
def test_for_over_an_iterator(compiler):
    items = iter(tf.data.Dataset.range(5))

    def f():
        total = tf.constant(0, tf.int64)
        for item in items:
            total += item
        return total

    assert values(compiler(f)()) == 10


@BOTH
@pytest.mark.filterwarnings("ignore:To make it possible to preserve tf.data options:UserWarning")
def test_for_over_a_distributed_dataset(compiler):
    strategy = tf.distribute.OneDeviceStrategy("cpu")
    items = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4))

    def f(items):
        total = tf.constant(0, tf.int64)
        for item in items:
            total += item
        return total

    assert values(compiler(f)(items)) == 6


# break, continue, return


@BOTH
def test_break_and_continue_in_a_staged_loop(compiler):
    def f(xs):
        total = 0
        for x in xs:
            if x < 0:
                continue
            if x == 4:
                break
            total += x
        return total

    assert values(compiler(f)(T([1, -7, 2, 4, 8]))) == 3


def up_to(x):
    total = 0
    for i in range(6):
        if i > x:
            break
        total += i
    return total


def down_to_zero(x):
    while True:
        if tf.equal(x, 0):
            break
        x -= 1
    return x


def first_greater(x):
    for i in range(4):
        if i > x:
            return i
    return -1


@pytest.mark.parametrize(("f", "x", "result"), [(up_to, 3, 6), (down_to_zero, 3, 0), (first_greater, 1, 2)])
def test_a_plain_loop_is_left_on_a_staged_condition(f, x, result):
    """TensorFlow documents that as disallowed, and refuses it."""
    assert values(compiled(f)(T(x))) == result
    with pytest.raises((NotImplementedError, ValueError)):
        theirs(f)(T(x))


def test_return_in_a_staged_loop():
    def f(xs):
        for x in xs:
            if x > 2:
                return x
        return -1

    made = compiled(f)
    assert [values(made(T(xs))) for xs in ([1, 3, 5], [1, 2, 0])] == [3, -1]
    with pytest.raises(NotImplementedError, match="return"):
        theirs(f)(T([1, 3, 5]))


@BOTH
def test_what_follows_a_return_is_its_else(compiler):
    def f(x):
        if x > 0:
            return 1
        return x * 2

    assert [values(compiler(f)(T(x))) for x in (5, -2)] == [1, -4]


def test_a_result_on_some_paths_only_is_refused():
    def f(x):  # noqa: RET503 - as users write it
        if x > 0:
            return 1

    with pytest.raises(ag.StagingError, match="returns a value that may be None"):
        compiled(f)(T(1))
    with pytest.raises(ValueError, match="else branch"):
        theirs(f)(T(1))


def test_a_return_without_a_value_on_some_paths():
    """TensorFlow's AutoGraph refuses it, as if there were a value."""
    state = tf.Variable(0)

    def f(x):
        if x > 0:
            state.assign(x)
            return
        state.assign(100)

    made = compiled(f)
    for x, left in ((2, 2), (-2, 100)):
        assert made(T(x)) is None
        assert values(state.read_value()) == left
    with pytest.raises(ValueError, match="else branch"):
        theirs(f)(T(2))
