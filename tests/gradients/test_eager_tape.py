"""`GradientTape` outside of any function: the block runs as plain Python, and what it does is recorded."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs.gradients.eager_tape import _REPLAYS


def slope(f, *values, **options):
    """The gradients of `f` by a tape outside."""
    with ag.GradientTape(**options) as tape:
        watched = [tape.watch(value) for value in values]
        y = f(*watched)
    found = tape.gradient(y, watched)
    return found[0] if len(found) == 1 else found


PROGRAMS = {
    "arithmetic": lambda x: np.sum((2 * x - 1) ** 2 / (1 + x * x)),
    "reflected": lambda x: np.sum(1 / x + (2.0 - x) + 3**x + np.ones(3) @ x),
    "functions": lambda x: np.sum(np.exp(-x) * np.sin(x)) + np.linalg.norm(x),
    "methods": lambda x: (x.reshape(3, 1) @ x.reshape(1, 3)).sum() + x.mean() + x.T.dot(x),
    "attributes": lambda x: x.real.sum() * x.shape[0] + x.size,
    "items": lambda x: x[0] * x[-1] + np.sum(x[1:]) + np.sum(x[[0, 0]]) + np.sum(x[x > 1.5]),
    "in place": lambda x: in_place(x),
    "iteration": lambda x: sum(v * n for n, v in enumerate(x)),
    "branches": lambda x: branch(x),
    "builtins": lambda x: (
        abs(x[0] - x[1]) + max(x) * min(x) + x[1] * round(x[2] + 0.01, 1) + divmod(x[2], 2.0)[1]
    ),
    "lists": lambda x: np.sum(np.stack([x, x * x]) * np.concatenate([x, x]).reshape(2, 3)),
    "tuples": lambda x: np.sum(np.split(x, 3)[1] * np.linalg.eigh(np.outer(x, x) + np.eye(3))[0]),
    "outs": lambda x: outs(x),
    "ufunc methods": lambda x: np.add.reduce(x) + np.multiply.outer(x, x)[0, 1],
    "constants": lambda x: np.sum(np.zeros_like(x) + x * len(x)),
}


def in_place(x):
    y = x * 2
    y[0] = x[2] ** 2
    part = y[1:]
    part += x[:2]
    y *= x
    y.sort()
    return y[0] + 2 * y[1]


def branch(x):
    total = 0.0
    for value in x:
        if value > 1.5:
            total += value**2
        else:
            total = total - value
    while total < 100:
        total = total * 3
    return total


def outs(x):
    y = x.copy()
    np.multiply(y, x, out=y)
    y.fill(2.0)
    y += x
    return np.sum(y * x)


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_by_differences(name):
    f, x = PROGRAMS[name], np.array([1.25, 2.5, 1.75])
    found, step = slope(f, x), 1e-6
    expected = [(f(x + d) - f(x - d)) / (2 * step) for d in np.eye(3) * step]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_constants_are_constants():
    found = slope(lambda x: np.sum(x * x.numpy()), np.array([1.0, 2.0]))
    np.testing.assert_array_equal(found, [1.0, 2.0])


def test_what_is_held_behaves_as_its_value():
    with ag.GradientTape() as tape:
        x = tape.watch(np.array([1.0, 2.0]))
        total = np.sum(x)
        assert (len(x), x.shape, x.dtype, x.ndim, total.shape) == (2, (2,), np.float64, 1, ())
        assert (str(x), repr(total), f"{total:.1f}") == ("[1. 2.]", "np.float64(3.0)", "3.0")
        assert total > 2 and bool(total) and 2.0 in x and int(total) == 3
        assert list(x > 1) == [False, True]
        with pytest.raises(TypeError, match="unhashable"):
            {x}
        with pytest.raises(AttributeError):
            _ = x.nothing
    assert (float(total), type(total + 1), np.asarray(x).tolist()) == (3.0, np.float64, [1.0, 2.0])
    assert complex(total) == 3 and np.sum([total, total]) == 6


def test_integers_and_truth_are_plain():
    with ag.GradientTape() as tape:
        x = tape.watch(np.array([1.0, 3.0]))
        assert type(np.argmax(x)) is np.int64
        assert type(x > 2) is np.ndarray
        y = x[np.argmax(x)] * np.sum(x > 2)
    np.testing.assert_array_equal(tape.gradient(y, x), [0.0, 1.0])


def test_variables():
    w, b, count = ag.Variable(np.array([[1.0], [2.0]])), ag.Variable(0.5), ag.Variable(0)
    data = np.array([[1.0, 2.0], [3.0, 4.0]])
    with ag.GradientTape() as tape:
        y = np.sum((data @ w + b) ** 2) * 2 + np.sum(w.value) - w[0, 0] + b.read_value() + count
        count.assign_add(1)
    dw, db = tape.gradient(y, [w, b])
    inner = 4 * (data @ [[1.0], [2.0]] + 0.5)
    np.testing.assert_allclose(dw, data.T @ inner + [[0.0], [1.0]])
    np.testing.assert_allclose(db, inner.sum() + 1)
    assert int(count) == 1


def test_variables_that_the_block_changes():
    """The derivative is that with respect to the value at the beginning."""
    v, w = ag.Variable(3.0), ag.Variable(np.array([1.0, 2.0]))
    with ag.GradientTape() as tape:
        v.assign(v * v)
        v += 1.0
        w[0] = w[1] * 2
        w.value[1] = 5.0
        w *= v
        y = v * 2 + np.sum(w)
    dv, dw = tape.gradient(y, (v, w))
    assert (float(v), w.value.tolist()) == (10.0, [40.0, 50.0])
    assert dv == 12.0 + 6 * (4 + 5)
    np.testing.assert_array_equal(dw, [0.0, 20.0])


def test_tapes_in_tapes():
    x = ag.Variable(3.0)
    with ag.GradientTape() as outer:
        with ag.GradientTape() as inner:
            y = x**3
        first = inner.gradient(y, x)
        both = first * x
    assert float(first) == 27.0
    assert outer.gradient(both, x) == 27.0 + 3 * 18.0


def test_persistent_ones():
    with ag.GradientTape(persistent=True) as tape:
        x = tape.watch(2.0)
        y = x * x
        z = y * y
    assert (tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y)) == (32.0, 4.0, 8.0)
    with ag.GradientTape() as once:
        y = once.watch(2.0) * 2
    once.gradient(y, y)
    with pytest.raises(ag.StateError, match="a second time"):
        once.gradient(y, y)


def test_unconnected_sources_and_output_gradients():
    with ag.GradientTape(persistent=True) as tape:
        x, other = tape.watch(np.array([1.0, 2.0])), tape.watch(3.0)
        y = x * x
    assert tape.gradient(y, other) is None
    assert tape.gradient(y, {"o": other}, unconnected_gradients="zero") == {"o": 0.0}
    np.testing.assert_array_equal(tape.gradient(y, x, output_gradients=np.array([1.0, 10.0])), [2.0, 40.0])


def test_arrays_are_taken_as_they_are():
    data = np.array([1.0, 2.0])
    with ag.GradientTape() as tape:
        x = tape.watch(data)
        y = np.sum(x * data)
        data[:] = 100.0
    np.testing.assert_array_equal(tape.gradient(y, x), [1.0, 2.0])


def test_steps_of_one_kind_are_traced_once():
    traces = []

    @ag.function
    def f(x):
        traces.append(None)
        return x * x

    for n in range(6):
        with ag.GradientTape() as tape:
            x = tape.watch(float(n))
            y = f(x) * 3
        assert tape.gradient(y, x) == 6.0 * n
    assert len(traces) == 1


def test_threads_have_tapes_of_their_own():
    found = []

    def work(n):
        for _ in range(20):
            found.append((n, slope(lambda x: x**n, 2.0)))

    threads = [threading.Thread(target=work, args=(n,)) for n in (2, 3)]
    for thread in threads:
        thread.start()
    plain = ag.Variable(1.0)
    for _ in range(1000):
        assert type(plain.value) is np.float64
    for thread in threads:
        thread.join()
    assert set(found) == {(2, 4.0), (3, 12.0)}
    assert len(found) == 40


def test_what_has_no_gradient_counts_only_where_it_is_needed():
    with ag.GradientTape(persistent=True) as tape:
        x = tape.watch(np.array([3.0, 1.0, 3.0]))
        values = np.unique(x)
        y = np.sum(x * x)
        z = np.sum(values)
    np.testing.assert_array_equal(tape.gradient(y, x), [6.0, 2.0, 6.0])
    with pytest.raises(ag.AutographError):
        tape.gradient(z, x)


def test_items_and_lists_are_recorded():
    w = ag.Variable([3.0, 2.0])
    with ag.GradientTape() as tape:
        first, second = w.tolist()
        y = w[0].item() * w[1] * first + second
    assert tape.gradient(y, w).tolist() == [12.0, 10.0]


def test_a_read_only_view_of_what_changes():
    a = np.array([1.0, 2.0])
    view = a[:]
    view.flags.writeable = False
    with ag.GradientTape() as tape:
        x = tape.watch(np.ones(2))
        y = np.sum(x * view)
        a[1] = 50.0
    assert tape.gradient(y, x).tolist() == [1.0, 2.0]


def test_bounds_of_slices_are_arrays():
    w = ag.Variable([1.0, 2.0, 3.0])
    with ag.GradientTape() as tape:
        y = np.sum(w[slice(np.array(1), np.int64(3))])
    assert tape.gradient(y, w).tolist() == [0.0, 1.0, 1.0]


def test_quotient_and_remainder_of_a_plain_number():
    with ag.GradientTape() as tape:
        x = tape.watch(2.0)
        quotient, rest = divmod(5.0, x)
        y = quotient * rest
    assert tape.gradient(y, x) == -4.0


def test_numbers_that_change_are_traced_once():
    w = ag.Variable(np.ones(2, np.float32))
    before = None
    for n in range(5):
        with ag.GradientTape() as tape:
            y = np.sum(w * (0.5 + n) + 1.0 / (n + 1))
        found = tape.gradient(y, w)
        assert found.dtype == np.float32
        assert found.tolist() == [0.5 + n] * 2
        blocks = list(_REPLAYS)
        assert before in (None, blocks)
        before = blocks
