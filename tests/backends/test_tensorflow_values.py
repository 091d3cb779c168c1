"""Values of converted functions under tf.function: numbers, lists, text, items; the errors of a program."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from tensorflow_support import BOTH, compiled, tf, values

ROOT = Path(__file__).resolve().parents[2]


def test_python_numbers_take_the_dtype_that_they_meet():
    def f(xs, n):
        total, count = 0, 0
        for x in xs:
            total += x
            count += 1
        i = 0
        while i < n:
            i += 1
        return total, count, i

    for dtype, whole in ((tf.float32, tf.int64), (tf.float64, tf.int32), (tf.bfloat16, tf.int64)):
        total, count, i = compiled(f)(tf.constant([1, 2, 3], dtype), tf.constant(4, whole))
        assert (total.dtype, count.dtype, i.dtype) == (dtype, tf.int32, tf.int32)
        assert (float(total), int(count), int(i)) == (6.0, 3, 4)


def test_ranges_of_several_dtypes():
    def f(n, m):
        pairs = [i * k for i, k in zip(range(n), range(m, n), strict=False)]
        return [i * x for i, x in enumerate(range(m, n))], pairs, list(range(n, m, -1))

    n, m = tf.constant(5, tf.int64), tf.constant(1)
    assert values(compiled(f)(n, m)) == f(5, 1)


def test_tensor_arrays():
    def f(xs):
        made = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i, x in enumerate(xs):
            if x > 0:
                made = made.write(i, x * 2.0)
            else:
                made = made.write(i, 0.0)
        return made.stack()

    xs = tf.constant([1.0, -2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(xs)
        made = compiled(f)(xs)
    np.testing.assert_allclose(made, [2.0, 0.0, 6.0])
    np.testing.assert_allclose(tape.gradient(made, xs), [2.0, 0.0, 2.0])


def test_lists_that_a_loop_makes_longer_and_shorter():
    def f(n):
        stack = [n]
        seen = []
        while len(stack) > 0:
            top = stack.pop()
            seen.append(top)
            if top > 1:
                stack.append(top - 1)
                stack.append(top // 2)
        return seen, len(seen), seen[-1]

    def plain(n):
        return [value.tolist() if hasattr(value, "tolist") else value for value in f(n)]

    seen, count, last = compiled(f)(tf.constant(5))
    assert [seen.numpy().tolist(), int(count), int(last)] == plain(5)


def test_a_list_of_known_length_is_a_list():
    def f(xs):
        return [x * 2 for x in xs], [x for x in xs if x > 1]

    doubled, chosen = compiled(f)(tf.constant([1, 2, 3]))
    assert isinstance(doubled, list)
    assert [int(x) for x in doubled] == [2, 4, 6]
    assert chosen.numpy().tolist() == [2, 3]


def test_print_in_the_order_of_the_program(capfd):
    def f(n):
        print("start", n)
        tf.print("of tensorflow", n, output_stream=sys.stdout)
        for i in tf.range(n):
            if i % 2 == 0:
                print(f"{i} is even", i / 2)
            else:
                print("odd", i, i + 1)
        print("end")

    made = compiled(f)
    made(tf.constant(3))
    shown = capfd.readouterr().out
    lines = ["start 3", "0 is even 0.0", "odd 1 2", "2 is even 1.0"]
    places = [shown.index(line) for line in lines]
    assert places == sorted(places)
    assert "of tensorflow 3" in shown


def line_of(f, text):
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(i + 1 for i in range(f.__code__.co_firstlineno, len(lines)) if text in lines[i])


def checked(x):
    assert x != 5, f"{x} is five"
    if x > 2:
        raise ValueError("too large")
    if x < -2:
        raise KeyError(x)
    return x


@pytest.mark.parametrize(
    ("value", "text", "line"),
    [
        (3, "ValueError: too large", 'raise ValueError("too large")'),
        (-3, "KeyError: ", "raise KeyError(x)"),
        (5, "AssertionError: 5 is five", ""),
    ],
)
def test_errors_tell_their_type_text_and_line(value, text, line):
    made = compiled(checked)
    assert made(tf.constant(1)).numpy() == 1
    with pytest.raises(tf.errors.OpError) as caught:
        made(tf.constant(value))
    message = caught.value.message
    assert text in message
    assert __file__ in message
    if line:
        number = line_of(checked, line)
        places = f"raised at {__file__}:{number}", f'File "{__file__}", line {number}, in checked'
        assert sum(message.count(place) for place in places) == 1


def test_what_always_raises_raises_when_it_runs():
    def f(x):
        if x > 0:
            raise ValueError("positive")
        raise KeyError("other")

    made = compiled(f)
    trace = made.get_concrete_function(tf.TensorSpec([], tf.int32))
    with pytest.raises(tf.errors.OpError, match="ValueError: positive"):
        trace(tf.constant(1))
    with pytest.raises(tf.errors.OpError, match="KeyError: 'other'"):
        trace(tf.constant(0))


def test_items_out_of_range():
    def read(xs, i):
        return xs[i]

    def write(xs, i):
        xs[i] = 0
        return xs

    xs = tf.constant([1, 2, 3])
    assert compiled(read)(xs, tf.constant(-1)).numpy() == 3
    assert compiled(write)(xs, tf.constant(-1)).numpy().tolist() == [1, 2, 0]
    for i in (3, -4):
        with pytest.raises(tf.errors.OpError, match="out of bounds"):
            compiled(read)(xs, tf.constant(i))
        message = f"IndexError: index {i} is out of bounds for axis 0 with size 3"
        with pytest.raises(tf.errors.OpError, match=message):
            compiled(write)(xs, tf.constant(i))


def test_slices_with_staged_bounds():
    def f(xs, i):
        xs[i:] = 0
        return xs[:i], xs

    head, xs = compiled(f)(tf.constant([1, 2, 3]), tf.constant(2))
    assert (head.numpy().tolist(), xs.numpy().tolist()) == ([1, 2], [1, 2, 0])


def test_text():
    def f(x):
        if x > 0:
            word = f"positive {x}"
        else:
            word = "other"
        return word + "!"

    made = compiled(f)
    assert made(tf.constant(3)).numpy() == b"positive 3!"
    assert made(tf.constant(-3)).numpy() == b"other!"


def test_a_variable_that_one_path_leaves_unbound():
    def f(x):
        if x > 0:
            y = x
        return y

    made = compiled(f)
    assert made(tf.constant(1)).numpy() == 1
    with pytest.raises(tf.errors.OpError, match="UnboundLocalError"):
        made(tf.constant(-1))


def test_ragged_tensors():
    def f(rows):
        total, longest = 0, 0
        for row in rows:
            longest = max(longest, len(row))
            for x in row:
                total += x
        return total, longest

    total, longest = compiled(f)(tf.ragged.constant([[1, 2, 3], [], [4]]))
    assert (total.numpy(), longest.numpy()) == (10, 3)


def test_composite_values_change_in_branches():
    def f(rows, x):
        if x > 0:
            rows = rows * 2
        return rows

    rows = tf.ragged.constant([[1, 2], [3]])
    assert compiled(f)(rows, tf.constant(1)).to_list() == [[2, 4], [6]]
    assert compiled(f)(rows, tf.constant(-1)).to_list() == [[1, 2], [3]]


def test_numpy_functions_are_those_of_tensorflow():
    def f(xs):
        if np.sum(xs) > 0:
            return np.sqrt(xs)
        return np.zeros_like(xs)

    np.testing.assert_allclose(compiled(f)(tf.constant([4.0, 9.0])), [2.0, 3.0])


def test_what_an_except_catches():
    def f(x):
        try:
            if x > 0:
                raise ValueError("positive")
        except ValueError:
            return -x
        return x

    assert [int(compiled(f)(tf.constant(x))) for x in (1, -2)] == [-1, -2]


def test_a_tensor_is_unpacked():
    def f(x):
        a, b = x
        return a + b, [*x, 3]

    total, items = compiled(f)(tf.constant([1, 2]))
    assert (int(total), [int(item) for item in items]) == (3, [1, 2, 3])


def until_stop(items, cond):
    while cond:
        next(items)


def until_stop_is_caught(items, cond):
    try:
        while cond:
            next(items)
    except StopIteration:
        pass


@BOTH
@pytest.mark.parametrize("f", [until_stop, until_stop_is_caught])
def test_next_at_the_end_of_a_dataset_in_a_staged_loop(f, compiler):
    """The graph runs after Python's `except`, so it cannot catch TensorFlow's error."""
    with pytest.raises(tf.errors.OutOfRangeError):
        compiler(f)(iter(tf.data.Dataset.range(3)), tf.constant(True))


@BOTH
def test_next_in_the_test_of_a_loop(compiler):
    def f(items, limit):
        count = tf.constant(0)
        while next(items) < limit:
            count += 1
        return count

    assert values(compiler(f)(iter(tf.data.Dataset.range(9)), tf.constant(3, tf.int64))) == 3
