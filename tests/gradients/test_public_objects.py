"""Arguments, pickling and lifetimes of the objects that the public API returns."""

from __future__ import annotations

import asyncio
import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import autograph_rs as ag


def f(x, y):
    return x * y * y


class Model:
    scale = 3.0

    def value(self, x, y):
        return self.scale * f(x, y)

    last = ag.grad(value, -1)
    second = ag.grad(value, 1)
    both = ag.grad(value, (2, 1))


by_name = ag.value_and_grad(f, 1)


def test_argnums_of_methods():
    model = Model()
    assert model.last(2.0, 5.0) == 60.0
    assert model.second(2.0, 5.0) == 75.0
    assert model.both(2.0, 5.0) == (60.0, 75.0)


@pytest.mark.parametrize("argnums", [(0, 0), (0, -2), "x", 1.5, True, ()])
def test_argnums_that_are_none(argnums):
    with pytest.raises(ag.ArgumentError, match="argnums must be an int"):
        ag.grad(f, argnums)(1.0, 2.0)


def test_argnums_of_other_types():
    assert ag.grad(f, np.int64(1))(2.0, 3.0) == 12.0
    assert ag.grad(f, range(2))(2.0, 3.0) == ag.grad(f, [0, 1])(2.0, 3.0) == (9.0, 12.0)


def test_options_are_true_or_false():
    with pytest.raises(ag.ArgumentError, match="has_aux"):
        ag.grad(f, has_aux="no")
    with pytest.raises(ag.ArgumentError, match="persistent"):
        ag.GradientTape("no")


@pytest.mark.parametrize("again", [copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))])
def test_copies(again):
    assert again(ag.grad(f, (0, 1)))(2.0, 3.0) == (9.0, 12.0)
    assert again(by_name)(2.0, 3.0) == (18.0, 12.0)


def test_a_pullback_keeps_the_values_of_variables():
    w = ag.Variable(3.0)
    value, pull = ag.vjp(lambda x: w * x * x, 2.0)
    w.assign(100.0)
    assert value == 12.0
    assert pull(1.0) == (12.0,)
    assert w.value == 100.0


def test_a_complex_cotangent_of_a_real_result():
    _, pull = ag.vjp(lambda x: x * x, 2.0)
    with pytest.raises(ag.GradientError, match="complex cotangent"):
        pull(1j)


def test_concrete_and_loaded_functions_under_a_tape(tmp_path):
    w = ag.Variable([2.0, 3.0])
    square = ag.function(lambda x: np.sum(w * x * x), input_signature=[ag.TensorSpec((2,))])
    square(np.ones(2))
    ag.save(square, tmp_path / "square.agrs")
    loaded = ag.load(tmp_path / "square.agrs")
    for called, variable in ((square.get_concrete_function(), w), (loaded, loaded.variables[0])):
        with ag.GradientTape() as tape:
            x = tape.watch(np.array([1.0, -1.0]))
            y = called(x)
        assert [g.tolist() for g in tape.gradient(y, [x, variable])] == [[4.0, -6.0], [1.0, 1.0]]
        assert called(x) == 5.0


def test_what_is_no_float_among_targets():
    with ag.GradientTape() as tape:
        x = tape.watch(np.array([1.0, 3.0]))
        y = np.sum(x * x)
    assert tape.gradient([y, np.argmax(x)], x).tolist() == [2.0, 6.0]


def test_a_source_that_is_written_whole_is_as_one_that_is_written_by_items():
    found = []
    for write in (lambda z: z.__iadd__(z * z), lambda z: z.__setitem__(slice(None), z + z * z)):
        with ag.GradientTape() as tape:
            x = tape.watch(np.array([1.5, 2.0]))
            write(x)
            y = np.sum(x * x)
        found.append(tape.gradient(y, x).tolist())
    assert found[0] == found[1] == [30.0, 60.0]


def test_a_source_that_a_loop_writes():
    @ag.function
    def slope(a):
        with ag.GradientTape() as tape:
            while np.sum(a) < 40:
                a *= 2
            y = np.sum(a * a)
        return tape.gradient(y, a)

    assert slope(np.array([1.5, 2.0, 3.0])).tolist() == [192.0, 256.0, 384.0]


def test_other_threads_of_tasks_are_not_recorded():
    w = ag.Variable(3.0)

    async def main():
        with ag.GradientTape() as tape:
            there = await asyncio.to_thread(lambda: w * w)
            here = w * w
            return tape.gradient(here * there, w), type(there)

    assert asyncio.run(main()) == (54.0, np.float64)


def test_a_tape_goes_without_the_collector():
    gc.disable()
    try:
        w = ag.Variable(np.ones(3))
        with ag.GradientTape() as tape:
            y = np.sum(w * w)
        assert tape.gradient(y, w).tolist() == [2.0, 2.0, 2.0]
        session = weakref.ref(tape._session)
        del tape, y
        assert session() is None
    finally:
        gc.enable()
