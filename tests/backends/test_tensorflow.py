"""Converted functions under tf.function, with what TensorFlow has of its own."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tensorflow_support import compiled, tf

import autograph_rs as ag

ROOT = Path(__file__).resolve().parents[2]


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


def test_checks_under_xla():
    def f(xs, i):
        if i > 7:
            raise ValueError(f"{i} is too large")
        xs[i] = 5
        return xs[i], xs

    item, xs = compiled(f, jit_compile=True)(tf.constant([1, 2, 3]), tf.constant(1))
    assert (item.numpy(), xs.numpy().tolist()) == (5, [1, 5, 3])


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

    with pytest.raises(ag.OptionError, match="maximum_iteration"):
        compiled(unknown)(tf.constant(3))
    with pytest.raises(ag.MismatchError, match="invariant"):
        compiled(narrow)(tf.constant([1]), tf.constant(2))


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
                    self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
                    self.seen.assign_add(1)
            return {"error": loss}

    model = Model()
    model.compile(optimizer=keras.optimizers.SGD(0.1))
    x = np.linspace(0, 3, 16, dtype=np.float32).reshape(16, 1)
    history = model.fit(x, x / 3.0, epochs=8, batch_size=16, verbose=0)
    assert history.history["error"][-1] < history.history["error"][0]
    assert 0 < model.seen.numpy() <= 16


SAVED = """
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

SIGNATURE = [tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)]

class Module(tf.Module):
    def __init__(self):
        self.calls = tf.Variable(0)

    @tf.function(autograph=False, input_signature=SIGNATURE)
    @ag.convert
    def __call__(self, xs, limit):
        if len(xs) > 1:
            self.calls.assign_add(1)
        return search(xs, limit)

tf.saved_model.save(Module(), "saved")
"""
RELOADED = """
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
"""


def test_a_saved_model_needs_no_source(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    (tmp_path / "made.py").write_text(SAVED)
    subprocess.run([sys.executable, "made.py"], cwd=tmp_path, env=environment, check=True, timeout=300)
    (tmp_path / "made.py").unlink()
    subprocess.run([sys.executable, "-c", RELOADED], cwd=tmp_path, env=environment, check=True, timeout=300)


@pytest.mark.filterwarnings("ignore:To make it possible to preserve tf.data options:UserWarning")
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
            seen.append(int(y))  # noqa: PERF401 - a loop over a tensor is what it tries
        return x

    assert f(tf.constant(1)).numpy() == 1
    assert seen == ["positive", 1, 2]


def test_what_tensorflow_does_not_iterate_is_told_with_its_place():
    def f(x):
        return (lambda: [a + b for a in x for b in x])()  # noqa: PLC3002

    with pytest.raises(ag.StagingError, match=r'(?s)test_tensorflow.py", line \d+.*tf.unstack'):
        compiled(f)(tf.constant([1, 2]))
