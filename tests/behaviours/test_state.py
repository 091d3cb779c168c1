"""Behaviours 25 to 33: state, what is frozen, leaks and recursion."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_rs as ag


def test_25_a_variable_that_is_an_argument():
    @ag.function
    def count(v):
        return v.assign_add(1)

    v = ag.Variable(0)
    assert [int(count(v)) for _ in range(3)] == [1, 2, 3]
    assert v == 3
    assert v.numpy() == 3


def test_25_effects_are_in_program_order(capsys):
    v, w = ag.Variable(1.0), ag.Variable([0.0, 0.0])

    def step(x):
        before = v.read_value()
        v.assign(x)
        ag.print("v", v)
        w.assign_add([v, before])
        v.assign_sub(1)
        if v > 1:
            w.assign(w * 2)
            for i in range(2):
                w[i] = w[i] + v
        return before, v * 10

    f = ag.function(step)
    assert f(np.float64(3)) == (1.0, 20.0)
    assert w.numpy().tolist() == [8.0, 4.0]
    assert f(np.float64(1)) == (2.0, 0.0)
    assert (v.numpy(), w.numpy().tolist()) == (0.0, [9.0, 6.0])
    staged = capsys.readouterr().out
    v.assign(1.0)
    w.assign([0.0, 0.0])
    assert step(np.float64(3)) == (1.0, 20.0)
    assert w.numpy().tolist() == [8.0, 4.0]
    step(np.float64(1))
    assert capsys.readouterr().out == staged


def test_25_the_value_of_a_variable_in_a_trace():
    """`v.value` is a scalar as it is now, or the variable's own array: of each call, not of the trace."""

    def step(v, w, x):
        before, held = v.value, w.value
        v.assign_add(x)
        held[0] = v.value
        if v.value > 4:
            held += 1
        return before, v.value, w.value + x, w.array[1:], w.value.sum()

    def shown(function):
        v, w = ag.Variable(1.0), ag.Variable([0.0, 10.0])
        return [str((function(v, w, np.float64(x)), v, w)) for x in (2, 3, -1)]

    assert shown(ag.function(step)) == shown(step)


def test_25_variables_change_places():
    a, b = ag.Variable([1.0, 2.0]), ag.Variable([3.0, 4.0])

    @ag.function
    def swap():
        kept = a.read_value()
        a.assign(b)
        b.assign(kept)
        return a, b

    first, second = swap()
    assert (a.numpy().tolist(), b.numpy().tolist()) == ([3.0, 4.0], [1.0, 2.0])
    a.assign([0.0, 0.0])
    assert (first.tolist(), second.tolist()) == ([3.0, 4.0], [1.0, 2.0])


def test_25_shape_and_dtype_are_fixed():
    v = ag.Variable([1, 2])
    for wrong, error in (([1, 2, 3], ValueError), (1, ValueError), ([1.5, 2.5], TypeError)):
        value = np.array(wrong)
        for assign in (v.assign, ag.function(v.assign), ag.function(lambda x: v.assign(x))):
            with pytest.raises(error, match="Variable 'variable'"):
                assign(value)
    with pytest.raises(TypeError, match="cannot cast"):
        v += 0.5
    unknown = ag.function(lambda x: v.assign(x), input_signature=[ag.TensorSpec((None,), v.dtype)])
    with pytest.raises(ValueError, match=r"expected shape \(2,\), got \(3,\)"):
        unknown(np.array([1, 2, 3]))
    assert unknown(np.array([3, 4])).tolist() == v.numpy().tolist() == [3, 4]


def test_25_text_in_variables():
    number, numbers, text = ag.Variable(1.0), ag.Variable([1.0, 2.0]), ag.Variable("abc")
    for v in (number, numbers):
        for assign in (v.assign, ag.function(v.assign)):
            with pytest.raises(
                TypeError, match="(?s)cannot cast str to float64\n.*convert the value to that dtype"
            ):
                assign("xy")
    with pytest.raises(TypeError, match="cannot cast str to float64"):
        ag.function(lambda x: number.assign(f"{x}"))(np.float64(1))
    with pytest.raises(TypeError, match="cannot cast NoneType to float64"):
        numbers.assign(None)
    for assign in (text.assign, ag.function(text.assign), ag.function(lambda x: text.assign(f"{x}"))):
        for given in ("x", "abcdef"):
            assert assign(given) == text.value == given[:3]
    assert ag.function(text.assign)(np.str_("abcdef")) == text.value == "abc"


def test_26_a_variable_made_on_every_call():
    @ag.function
    def f(x):
        v = ag.Variable(1.0)
        return v.assign_add(x)

    with pytest.raises(ag.StateError, match="(?s)a later call to f creates the Variable.*is None"):
        f(np.float64(1))


class Counter:
    def __init__(self):
        self.count = None

    @ag.function
    def __call__(self, x):
        if self.count is None:
            self.count = ag.Variable(0)
        return self.count.assign_add(x)


def test_26_a_variable_made_on_the_first_call():
    counter = Counter()
    assert [int(counter(np.int64(2))) for _ in range(3)] == [2, 4, 6]
    assert int(Counter()(np.int64(1))) == 1


class Steps:
    def __init__(self):
        self.steps = 0
        self.traces = ag.Variable(0)

    @ag.function
    def step(self, x):
        self.steps += 1
        with ag.init_scope():
            self.traces.assign_add(1)
        return x + self.steps


def test_27_a_python_counter_and_init_scope():
    steps = Steps()
    assert [steps.step(np.float64(0)) for _ in range(3)] == [1.0, 1.0, 1.0]
    assert steps.steps == 1
    steps.step(np.ones(2))
    assert steps.steps == 2
    assert steps.traces == 2


scale = 2.0
offset = ag.Variable(0.0)


def test_28_globals_are_frozen_and_variables_are_not():
    f = ag.function(lambda x: x * scale + offset)
    assert f(np.float64(1)) == 2.0
    offset.assign(5.0)
    assert f(np.float64(1)) == 7.0
    offset.assign(0.0)


def test_28_a_changed_global_is_noticed(monkeypatch):
    f = ag.function(lambda x: scaled(x), check_globals=True)
    loose = ag.function(lambda x: scaled(x))
    assert f(np.float64(1)) == loose(np.float64(1)) == 2.0
    monkeypatch.setitem(globals(), "scale", 3.0)
    assert loose(np.float64(1)) == 2.0
    with pytest.raises(ag.StateError, match=r"global 'scale' was 2\.0 .* but is now 3\.0"):
        f(np.float64(1))


def scaled(x):
    return x * scale


def test_28_signs_of_zeros_count_and_those_of_nans_do_not():
    number = 0.0
    f = ag.function(lambda x: x * number, check_globals=True)
    f(np.float64(1))
    number = -0.0
    with pytest.raises(ag.StateError, match=r"was 0\.0 .* but is now -0\.0"):
        f(np.float64(1))
    number = float("nan")
    g = ag.function(lambda x: x + number, check_globals=True)
    g(np.float64(1))
    number = float("inf") - float("inf")
    assert np.isnan(g(np.float64(1)))


def test_28_a_changed_closure_is_noticed():
    factor = 1

    @ag.function(check_globals=True)
    def f(x):
        return x * factor

    assert f(np.float64(2)) == 2.0
    factor = 2
    with pytest.raises(ag.StateError, match="closed-over 'factor' was 1"):
        f(np.float64(2))


class Layer:
    def __init__(self, bias):
        self.bias = bias
        self.weight = ag.Variable(1.0)

    @ag.function
    def __call__(self, x):
        return x * self.weight + self.bias


def test_29_attributes_are_frozen_for_a_trace():
    layer = Layer(1.0)
    assert layer(np.float64(2)) == 3.0
    layer.bias = 10.0
    layer.weight.assign(5.0)
    assert layer(np.float64(2)) == 11.0
    other = Layer(2.0)
    assert other(np.float64(2)) == 4.0
    assert layer(np.float64(2)) == 11.0


def test_30_a_list_gets_one_element_per_trace():
    kept = []

    @ag.function
    def f(x):
        kept.append(1)
        return x

    f(np.float64(1))
    f(np.float64(2))
    f(np.ones(2))
    assert kept == [1, 1]


def test_31_iterators():
    numbers = iter(range(5))
    ours = iter(ag.data.from_iterable([np.float64(i) for i in range(5)]))
    f = ag.function(lambda x: x + next(numbers))
    g = ag.function(lambda x: x + next(ours))
    assert [f(np.float64(0)) for _ in range(3)] == [0.0, 0.0, 0.0]
    assert [g(np.float64(0)) for _ in range(3)] == [0.0, 1.0, 2.0]
    with pytest.raises(StopIteration):
        for _ in range(5):
            g(np.float64(0))


def leak_by_list(kept, x):
    kept.append(x + 1)


def leak_by_dict(kept, x):
    kept = kept[0]
    kept["x"] = x + 1


class Holder:
    pass


holder = Holder()


def test_32_a_leak_is_named():
    @ag.function
    def f(x):
        holder.kept = x + 1
        return x

    f(np.float64(1))
    for use in (lambda v: v + 1, lambda v: np.sum(v), lambda v: ag.function(lambda: v * 2)()):
        with pytest.raises(ag.LeakError) as caught:
            use(holder.kept)
        assert "test_state.py" in str(caught.value)
        assert "return it" in str(caught.value)


def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)


def test_33_recursion():
    f = ag.function(fact)
    assert f(5) == 120
    assert f(np.int64(5)) == 120


def leaking_to_a_global(x):
    global leak_of_x
    leak_of_x = x + 1


def leaking_to_an_attribute(x):
    holder.kept = x + 1


outer_list: list = []
outer_dict: dict = {}


def leaking_to_a_list(x):
    outer_list.append(x + 1)


def leaking_to_a_dict(x):
    outer_dict["k"] = x + 1


@pytest.mark.parametrize(
    ("leak", "get", "how"),
    [
        (leaking_to_a_global, lambda: leak_of_x, "the global 'leak_of_x' of"),
        (leaking_to_an_attribute, lambda: holder.kept, "the attribute 'kept' of a Holder"),
        (leaking_to_a_list, lambda: outer_list[-1], "a list"),
        (leaking_to_a_dict, lambda: outer_dict["k"], "the item 'k' of a dict"),
    ],
)
def test_32_how_it_leaked_is_named(leak, get, how):
    ag.function(leak)(np.float64(1))
    with pytest.raises(ag.LeakError, match=f"(?s)test_state.py.*leaked through {how}"):
        get() + 1


class Scaling:
    def __call__(self, x):
        return x * scale


def test_28_globals_of_callable_objects_and_no_attributes(monkeypatch):
    f = ag.function(Scaling(), check_globals=True)
    assert f(np.float64(1)) == 2.0
    monkeypatch.setitem(globals(), "offset", 1.0)
    assert f(np.float64(1)) == 2.0
    monkeypatch.setitem(globals(), "scale", 4.0)
    with pytest.raises(ag.StateError, match="'scale'"):
        f(np.float64(1))
