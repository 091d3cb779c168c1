"""`grad`, `value_and_grad` and `vjp`: arguments, structures, variables, dtypes, errors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import autograph_rs as ag


def test_a_float_is_an_argument():
    slope = ag.grad(lambda x: x**3)
    assert slope(2.0) == 12.0
    assert isinstance(slope(2.0), np.float64)
    assert slope(3.0) == 27.0
    assert len(slope.traces()) == 1


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_gradient_has_the_dtype_and_shape_of_its_argument(dtype):
    x = np.ones((2, 3), dtype)
    found = ag.grad(lambda x: np.sum(x * np.float64(2)))(x)
    assert (found.dtype, found.shape) == (x.dtype, x.shape)


def test_several_arguments():
    def f(x, y, z):
        return x * y**2 * z

    assert ag.grad(f, 1)(2.0, 3.0, 1.0) == 12.0
    assert ag.grad(f, (0, 2))(2.0, 3.0, 1.0) == (9.0, 18.0)
    assert ag.grad(f, -1)(2.0, 3.0, 1.0) == 18.0


def test_structures():
    def f(parameters, x):
        return np.sum(parameters["w"] * x) + parameters["b"][0] * parameters["b"][1]

    found = ag.grad(f)({"w": np.array([1.0, 2.0]), "b": (3.0, 4.0)}, np.array([5.0, 6.0]))
    np.testing.assert_array_equal(found["w"], [5.0, 6.0])
    assert found["b"] == (4.0, 3.0)


def test_keywords_and_other_arguments():
    slope = ag.grad(lambda x, n, scale=1.0: scale * x**n)
    assert slope(2.0, 3, scale=2.0) == 24.0
    assert slope(2.0, 2) == 4.0


def test_methods_and_callable_objects():
    class Model:
        def __init__(self):
            self.w = 3.0

        def __call__(self, x):
            return self.w * x * x

        def loss(self, x):
            return self(x) + x

    model = Model()
    assert ag.grad(model)(2.0) == 12.0
    assert ag.grad(model.loss)(2.0) == 13.0


def test_values_and_what_else_is_returned():
    def f(x):
        return x * x, {"twice": 2 * x}

    value, slope = ag.value_and_grad(lambda x: x * x)(3.0)
    assert (value, slope) == (9.0, 6.0)
    slope, aux = ag.grad(f, has_aux=True)(3.0)
    assert (slope, aux) == (6.0, {"twice": 6.0})
    (value, aux), slope = ag.value_and_grad(f, has_aux=True)(3.0)
    assert (value, aux, slope) == (9.0, {"twice": 6.0}, 6.0)


def test_an_unused_argument_has_zeros():
    found = ag.grad(lambda x, y: np.sum(x), (0, 1))(np.ones(2), np.ones((2, 2)))
    np.testing.assert_array_equal(found[1], np.zeros((2, 2)))


def test_variables():
    w, b = ag.Variable([1.0, 2.0]), ag.Variable(0.5)
    slope = ag.grad(lambda x: np.sum(w * x) * b, wrt={"w": w, "b": b})
    found = slope(np.array([3.0, 4.0]))
    np.testing.assert_array_equal(found["w"], [1.5, 2.0])
    assert found["b"] == 11.0
    w.assign([0.0, 1.0])
    assert slope(np.array([3.0, 4.0]))["b"] == 4.0


def test_the_derivative_is_that_of_the_variable_as_it_was():
    w = ag.Variable(3.0)

    def f(x):
        w.assign(w * w)
        return w * x

    assert ag.grad(f, wrt=w)(np.float64(2)) == 12.0
    assert w.value == 9.0


def test_inside_a_function_and_around_one():
    square = ag.function(lambda x: np.sum(x * x))

    @ag.function
    def step(x):
        return x - 0.1 * ag.grad(square)(x)

    np.testing.assert_allclose(step(np.array([1.0, 2.0])), [0.8, 1.6])
    np.testing.assert_array_equal(ag.grad(square)(np.array([1.0, 2.0])), [2.0, 4.0])


def test_nested_derivatives_do_not_mix():
    assert ag.grad(lambda x: x * ag.grad(lambda y: x + y)(x))(1.0) == 1.0
    assert ag.grad(lambda x: ag.grad(lambda y: x * y * y)(x))(3.0) == 12.0
    third = ag.grad(ag.grad(ag.grad(np.sin)))
    np.testing.assert_allclose(third(0.7), -np.cos(0.7), rtol=1e-15)


def test_under_a_staged_condition():
    @ag.function
    def f(x):
        if x > 1:
            y = ag.grad(lambda z: z**3)(x)
        else:
            y = x
        return y

    assert (f(np.float64(2)), f(np.float64(0.5))) == (12.0, 0.5)


def test_lengths_may_be_unknown():
    def f(x, w):
        y = x @ w
        total = 0.0
        for row in y:
            if np.sum(row) > 0:
                total += np.sum(row * row)
            else:
                total -= np.sum(row)
        return total + np.mean(x[1:] - x[:-1]) + np.sum(x * np.ones((1, 3)))

    x, w = np.arange(12.0).reshape(4, 3) - 5, np.array([[1.0, 2], [0, -1], [3, 0.5]])
    whole = ag.function(
        ag.grad(f, (0, 1)),
        input_signature=[ag.TensorSpec((None, 3)), ag.TensorSpec((None, None))],
    )
    for found, expected in zip(whole(x, w), ag.grad(f, (0, 1))(x, w), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_writes_to_an_argument_reach_the_caller():
    def f(x):
        x[0] = 2 * x[1]
        return np.sum(x * x)

    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(ag.grad(f)(x), [0.0, 20.0])
    np.testing.assert_array_equal(x, [4.0, 2.0])


def test_the_original_is_not_changed_by_writes_to_what_is_computed():
    def f(x):
        y = x * 1.0
        y[y < 0] = 0.0
        y += x
        return np.sum(y * y)

    x = np.array([1.0, -2.0])
    np.testing.assert_array_equal(ag.grad(f)(x), [8.0, -4.0])
    np.testing.assert_array_equal(x, [1.0, -2.0])


def test_nothing_is_computed_that_is_not_needed():
    slope = ag.grad(lambda x, y: np.sum(x * 2.0) + np.sum(np.exp(y)))
    slope(np.ones(3), np.ones(3))
    [concrete] = slope.traces()
    assert not concrete.graph.count("numpy.exp")
    assert not concrete.graph.count("numpy.sum")


def test_ties_are_shared_and_kinks_are_as_in_jax():
    x = np.array([1.0, 3.0, 3.0])
    np.testing.assert_array_equal(ag.grad(np.max)(x), [0.0, 0.5, 0.5])
    assert ag.grad(lambda x: np.maximum(x, 0.0))(0.0) == 0.5
    assert ag.grad(abs)(0.0) == 0.0
    assert ag.grad(lambda x: np.where(x > 0, x, 0.0))(0.0) == 0.0
    with np.errstate(divide="ignore"):
        assert ag.grad(np.sqrt)(np.float64(0.0)) == np.inf


def test_complex_numbers():
    """The gradient of a real function is that of its real part less `1j` times that of its imaginary part."""
    z = np.array([1.0 + 2.0j, -0.5j])
    np.testing.assert_allclose(ag.grad(lambda z: np.sum(abs(z) ** 2))(z), 2 * np.conj(z))
    np.testing.assert_allclose(ag.grad(lambda z: np.sum(np.real(z * z)))(z), 2 * z)


@ag.convert
def of_complex_parts(x, y):
    z = complex(x, y)
    w = z * z + complex(y, 3.0) * 2j + complex(1.0, x) ** 3 + complex(imag=y, real=z)
    return abs(w) + w.imag * w.real


def test_complex_numbers_made_of_floats():
    for grad in (ag.grad(of_complex_parts, argnums=(0, 1)), ag.grad(ag.function(of_complex_parts), (0, 1))):
        step = 1e-6
        np.testing.assert_allclose(
            grad(1.2, 0.7),
            [
                (of_complex_parts(1.2 + step, 0.7) - of_complex_parts(1.2 - step, 0.7)) / (2 * step),
                (of_complex_parts(1.2, 0.7 + step) - of_complex_parts(1.2, 0.7 - step)) / (2 * step),
            ],
            rtol=1e-8,
        )


def test_whole_numbers_have_none():
    with pytest.raises(ag.GradientError, match=r"argument 0, of type int64\[2\]"):
        ag.grad(np.sum)(np.array([1, 2]))
    with pytest.raises(ag.GradientError, match="argument 0, of type int"):
        ag.grad(lambda x: x * 1.0)(3)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: x, r"returns float64\[2\]"),
        (lambda x: np.sum(x) * 1j, r"returns complex128\[\]"),
        (np.argmax, r"returns int64\[\]"),
        (lambda x: None, "returns None"),
        (lambda x: "text", "returns str"),
    ],
)
def test_what_a_gradient_cannot_be_of(f, message):
    with pytest.raises(ag.GradientError, match=message):
        ag.grad(f)(np.ones(2))


def test_wrong_places():
    with pytest.raises(ag.ArgumentError, match="argnums names argument 2, but the call passes 1"):
        ag.grad(np.sum, 2)(np.ones(2))
    with pytest.raises(ag.GradientError, match="wrt must contain Variables, not 3"):
        ag.grad(np.sum, wrt=3.0)(np.ones(2))
    with pytest.raises(ag.GradientError, match="has_aux=True must return a pair"):
        ag.grad(np.sum, has_aux=True)(np.ones(2))


# vjp ---------------------------------------------------------------------------------------------


def test_pullbacks():
    x, w = np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]])
    value, pull = ag.vjp(np.matmul, x, w)
    np.testing.assert_array_equal(value, [[11.0]])
    for found, expected in zip(pull(np.array([[2.0]])), (2 * w.T, 2 * x.T), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_pullbacks_of_structures_and_whole_numbers():
    value, pull = ag.vjp(lambda x, n: {"a": x * n, "n": n + 1}, 2.0, np.int64(3))
    assert value == {"a": 6.0, "n": 4}
    assert pull({"a": 1.0, "n": np.int64(0)}) == (3.0, None)


def test_pullbacks_inside_a_function():
    @ag.function
    def f(x):
        value, pull = ag.vjp(lambda x: x * x, x)
        return value, pull(np.ones(2))[0], pull(value)[0]

    x = np.array([1.0, 3.0])
    for found, expected in zip(f(x), (x * x, 2 * x, 2 * x**3), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_cotangents_of_another_structure():
    _, pull = ag.vjp(lambda x: (x, x), np.ones(2))
    with pytest.raises(ag.GradientError, match="expected cotangents"):
        pull(np.ones(2))


def test_no_warnings_are_given():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ag.grad(lambda x: np.sum(np.where(x > 0, np.log(np.maximum(x, 1e-9)), 0.0)))(np.array([1.0, 2.0]))
