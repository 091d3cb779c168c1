"""Converted functions under tf.function, with what TensorFlow has of its own."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import pytest
from support import required

tf = required("tensorflow")

import autograph_rs as ag  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def compiled(f, **options):
    return tf.function(ag.convert(f), autograph=False, **options)


def signed_power(x, n):
    result = tf.ones_like(x)
    for _ in tf.range(n):
        if x > 0:
            result = result * x
        else:
            result = result * x * 2.0
    return result


def weighted_sum(xs):
    total = 0.0
    for x in xs:
        if x > 0:
            total += x * x
    return total


def test_gradient_through_a_loop_and_a_condition():
    f = compiled(signed_power)
    for x, n in ((3.0, 4), (-2.0, 3), (1.5, 0)):
        given = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(given)
            made = f(given, tf.constant(n))
        factor = 1.0 if x > 0 else 2.0**n
        assert made.numpy() == pytest.approx(factor * x**n)
        assert tape.gradient(made, given).numpy() == pytest.approx(factor * n * x ** (n - 1) if n else 0.0)


def test_gradient_of_what_a_loop_iterates():
    xs = tf.constant([1.0, -2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(xs)
        total = compiled(weighted_sum)(xs)
    np.testing.assert_allclose(tape.gradient(total, xs), [2.0, 0.0, 6.0])


def test_gradient_taken_inside_the_compiled_function():
    def f(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            while n > 0:
                y = y * x
                n -= 1
        return tape.gradient(y, x)

    assert compiled(f)(tf.constant(2.0), tf.constant(3)).numpy() == 32.0


def test_gradient_through_what_a_loop_appends():
    def f(xs, n):
        out = []
        while n > 0:
            out.append(xs[n] * xs[n])
            n -= 1
        return tf.reduce_sum(tf.stack(out))

    xs = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(xs)
        made = compiled(f)(xs, tf.constant(2))
    assert made.numpy() == 13.0
    np.testing.assert_allclose(tf.convert_to_tensor(tape.gradient(made, xs)), [0.0, 4.0, 6.0])


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


def test_variables_change_in_the_order_of_the_program():
    v = tf.Variable(1.0)

    def f(x):
        if x > 0:
            v.assign(v * x)
            v.assign_add(1.0)
        else:
            v.assign(0.0)
        for i in tf.range(3):
            v.assign_add(tf.cast(i, tf.float32))
        return v.read_value()

    made = compiled(f)
    assert made(tf.constant(2.0)).numpy() == 6.0
    assert v.numpy() == 6.0
    assert made(tf.constant(-1.0)).numpy() == 3.0


def first_above(items, limit):
    for item in items:
        if item > limit:
            return item
    return tf.constant(-1, tf.int64)


def test_datasets_with_break_and_early_return():
    def until(items, limit):
        total, seen = tf.constant(0, tf.int64), 0
        for i, item in items.enumerate():
            if item == limit:
                break
            if item % 2 == 0:
                continue
            total += item * i
            seen += 1
        return total, seen

    items = tf.data.Dataset.range(10)
    total, seen = compiled(until)(items, tf.constant(6, tf.int64))
    assert (total.numpy(), seen.numpy()) == (1 + 9 + 25, 3)
    search = compiled(first_above)
    assert search(items, tf.constant(6, tf.int64)).numpy() == 7
    assert search(items, tf.constant(60, tf.int64)).numpy() == -1
    assert search(tf.data.Dataset.range(0), tf.constant(6, tf.int64)).numpy() == -1


def test_datasets_of_structures_and_batches_of_unknown_length():
    def f(items):
        total = 0.0
        for batch in items:
            total += tf.reduce_sum(batch["x"]) * tf.cast(len(batch["x"]), tf.float32)
        return total

    items = tf.data.Dataset.from_tensor_slices({"x": [1.0, 2.0, 3.0, 4.0, 5.0]}).batch(2)
    assert compiled(f)(items).numpy() == 3.0 * 2 + 7.0 * 2 + 5.0


def test_an_iterator_loses_no_item_to_a_break():
    items = iter(tf.data.Dataset.range(5))

    def f():
        last = tf.constant(-1, tf.int64)
        for item in items:
            last = item
            if item == 1:
                break
        return last

    assert compiled(f)().numpy() == 1
    assert next(items).numpy() == 2


def test_inside_a_dataset_map():
    def f(x):
        if x % 2 == 0:
            return x * 10
        return x

    made = tf.data.Dataset.range(4).map(ag.convert(f))
    assert [int(x) for x in made] == [0, 1, 20, 3]


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


def test_xla():
    def f(xs):
        total = 0.0
        for x in xs:
            if x > 0:
                total += x
        i = 0
        while total > 1.0:
            total /= 2.0
            i += 1
        return total, i

    total, i = compiled(f, jit_compile=True)(tf.constant([1.0, -2.0, 7.0]))
    assert (total.numpy(), i.numpy()) == (1.0, 3)


def test_gradient_under_xla():
    def f(xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            total = weighted_sum(xs)
        return tape.gradient(total, xs)

    made = compiled(f, jit_compile=True)(tf.constant([1.0, -2.0, 7.0]))
    np.testing.assert_allclose(made, [2.0, 0.0, 14.0])


def test_shapes_that_grow_need_no_invariants():
    def f(x, n):
        for _ in tf.range(n):
            x = tf.concat([x, x], axis=0)
        return x

    assert compiled(f)(tf.constant([1, 2]), tf.constant(2)).numpy().tolist() == [1, 2] * 4


def test_directives():
    def f(x, n):
        i = 0
        while i < n:
            ag.set_loop_options(
                maximum_iterations=3,
                parallel_iterations=1,
                swap_memory=True,
                shape_invariants=[(x, tf.TensorShape([None]))],
            )
            x = tf.concat([x, [i]], axis=0)
            i += 1
        return x

    made = compiled(f)
    assert made(tf.constant([7]), tf.constant(5)).numpy().tolist() == [7, 0, 1, 2]
    trace = made.get_concrete_function(tf.TensorSpec([1], tf.int32), tf.TensorSpec([], tf.int32))
    [loop] = [op for op in trace.graph.get_operations() if op.type in ("While", "StatelessWhile")]
    assert loop.get_attr("parallel_iterations") == 1


def test_a_wrong_directive_is_told():
    def unknown(n):
        while n > 0:
            ag.set_loop_options(maximum_iteration=3)
            n -= 1
        return n

    def narrow(x, n):
        for _ in tf.range(n):
            ag.set_loop_options(shape_invariants=[(x, tf.TensorShape([1]))])
            x = tf.concat([x, x], axis=0)
        return x

    with pytest.raises(ag.StagingError, match="maximum_iteration"):
        compiled(unknown)(tf.constant(3))
    with pytest.raises(ag.MismatchError, match="invariant"):
        compiled(narrow)(tf.constant([1]), tf.constant(2))


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
    ("value", "told", "line"),
    [
        (3, "ValueError: too large", 'raise ValueError("too large")'),
        (-3, "KeyError: ", "raise KeyError(x)"),
        (5, "AssertionError: 5 is five", ""),
    ],
)
def test_errors_tell_their_type_text_and_line(value, told, line):
    made = compiled(checked)
    assert made(tf.constant(1)).numpy() == 1
    with pytest.raises(tf.errors.OpError) as caught:
        made(tf.constant(value))
    text = caught.value.message
    assert told in text
    assert __file__ in text
    if line:
        assert f"raised at {__file__}:{line_of(checked, line)}" in text


def test_what_always_raises_raises_when_it_runs():
    def f(x):
        if x > 0:
            raise ValueError("positive")
        else:
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
    for f in (read, write):
        for i in (3, -4):
            with pytest.raises(tf.errors.OpError, match=f"IndexError: index {i} is out of bounds for axis 0 with size 3"):
                compiled(f)(xs, tf.constant(i))


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


def test_a_keras_model_and_its_train_step():
    keras = importlib.import_module("keras")

    class Clipped(keras.layers.Layer):
        @ag.convert
        def call(self, x):
            largest = tf.reduce_max(x)
            if largest > 1.0:
                x = x / largest
            return x

    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.clipped, self.dense = Clipped(), keras.layers.Dense(1)
            self.seen = tf.Variable(0)

        def call(self, x):
            return self.dense(self.clipped(x))

        @ag.convert
        def train_step(self, data):
            x, y = data
            loss = 0.0
            for _ in tf.range(2):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
                gradients = tape.gradient(loss, self.trainable_variables)
                if loss > 1e-6:
                    self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
                    self.seen.assign_add(1)
            return {"error": loss}

    model = Model()
    model.compile(optimizer=keras.optimizers.SGD(0.1))
    x = np.linspace(0, 3, 16, dtype=np.float32).reshape(16, 1)
    history = model.fit(x, x / 3.0, epochs=8, batch_size=16, verbose=0)
    assert history.history["error"][-1] < history.history["error"][0]
    assert 0 < model.seen.numpy() <= 16


SAVED = '''
import autograph_rs as ag, tensorflow as tf

def search(xs, limit):
    found = []
    for x in xs:
        if x < 0:
            raise ValueError("negative")
        if x > limit:
            break
        found.append(x * 2)
    return tf.stack(found)

class Module(tf.Module):
    def __init__(self):
        self.calls = tf.Variable(0)

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)])
    @ag.convert
    def __call__(self, xs, limit):
        if len(xs) > 1:
            self.calls.assign_add(1)
        return search(xs, limit)

tf.saved_model.save(Module(), "saved")
'''
RELOADED = '''
import sys, tensorflow as tf
made = tf.saved_model.load("saved")
assert made(tf.constant([1, 2, 9, 3]), tf.constant(5)).numpy().tolist() == [2, 4]
assert made.calls.numpy() == 1
try:
    made(tf.constant([1, -2]), tf.constant(5))
except tf.errors.InvalidArgumentError as error:
    assert "ValueError: negative" in error.message
else:
    raise AssertionError
assert "autograph_rs" not in sys.modules
'''


def test_a_saved_model_needs_no_source(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    (tmp_path / "made.py").write_text(SAVED)
    subprocess.run([sys.executable, "made.py"], cwd=tmp_path, env=environment, check=True, timeout=300)
    (tmp_path / "made.py").unlink()
    subprocess.run([sys.executable, "-c", RELOADED], cwd=tmp_path, env=environment, check=True, timeout=300)


def test_distributed_datasets():
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    items = strategy.experimental_distribute_dataset(tf.data.Dataset.range(6).batch(2))

    def f(items):
        total = tf.constant(0, tf.int64)
        for batch in items:
            part = strategy.run(tf.reduce_sum, (batch,))
            if strategy.reduce("SUM", part, axis=None) == 9:
                break
            total += strategy.reduce("SUM", part, axis=None)
        return total

    assert compiled(f)(items).numpy() == 1 + 5


def test_eager_tensors_are_plain():
    seen = []

    @ag.convert
    def f(x):
        if x > 0:
            seen.append("positive")
        for y in tf.constant([1, 2]):
            seen.append(int(y))
        return x

    assert f(tf.constant(1)).numpy() == 1
    assert seen == ["positive", 1, 2]


def test_what_tensorflow_does_not_iterate_is_told_with_its_place():
    def f(x):
        a, b = x
        return a + b

    with pytest.raises(ag.StagingError, match=r"test_tensorflow.py:\d+: .*tf.unstack"):
        compiled(f)(tf.constant([1, 2]))
