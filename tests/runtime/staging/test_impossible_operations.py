"""Operations that fail for every value: they raise where the program reaches them, as in Python."""

import linecache

import numpy as np
import pytest

import autograph_rs as ag

X = np.array([1.0, 2.0, 3.0])
OPERATIONS = (
    "x + np.ones(7)", "np.hypot(x, np.ones(7))", "x @ np.ones(4)", "np.dot(x, np.ones(4))", "x.reshape(2, 2)",
    "x[5]", "x[:, 0]", "x[[1, 9]]", "x[np.array([True, False])]", "x.sum(axis=2)", "x.transpose(1, 0)",
    "np.concatenate([x, np.ones((2, 2))])", "np.stack([x, np.ones(2)])", "np.where(x > 0, x, np.ones(2))",
    "np.broadcast_to(x, (2, 4))", "np.split(x, 2)", "np.squeeze(np.ones((2, 3)) * x, axis=0)",
    "np.argmax(x[:0])", "np.max(x[:0])", "np.insert(x, 9, 1.0)", "np.delete(x, 9)", "np.trace(x)",
    "np.roll(x, 1, axis=3)", "np.linalg.solve(np.ones((2, 2)) * x[0], x)", "np.convolve(x, x[:0])",
    "x.take(7)",
)  # fmt: skip


def function_of(body):
    """Return the function with a body, which the converter finds again."""
    source = "def f(x, n):\n" + "".join(f"    {line}\n" for line in body)
    filename = f"<{hash(source)}>"
    linecache.cache[filename] = len(source), None, source.splitlines(keepends=True), filename
    space = {"np": np}
    exec(compile(source, filename, "exec"), space)
    return space["f"]


def outcome(f, n):
    try:
        return f(X.copy(), np.int64(n))
    except Exception as error:
        lines = [
            e.tb_lineno
            for e in traceback_of(error)
            if e.tb_frame.f_code.co_filename == code_of(f).co_filename
        ]
        return type(error), str(error).partition("\n")[0], lines[-1:]


def traceback_of(error):
    entry = error.__traceback__
    while entry is not None:
        yield entry
        entry = entry.tb_next


def code_of(f):
    return getattr(f, "python_function", f).__code__


def check(body, *numbers):
    f = function_of(body)
    for n in numbers:
        expected, actual = (outcome(g, n) for g in (f, ag.function(f)))
        assert type(actual) is type(expected)
        if isinstance(expected, tuple):
            assert actual == expected
        else:
            np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_branch_raises_when_it_runs(operation):
    check(["if n > 3:", f"    return ({operation}), x", "return x * 2"], 1, 5)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_loop_raises_in_its_iterations(operation):
    check(["y = 0.0", "for _ in range(n):", f"    y = y + np.sum({operation})", "return x * y"], 0, 2)


@pytest.mark.parametrize("operation", ["x + np.ones(7)", "x[5]", "np.max(x[:0])", "x.reshape(2, 2)"])
def test_a_handler_catches_it(operation):
    body = ["try:", "    if n > 3:", f"        x = x + np.sum({operation})"]
    check([*body, "except (ValueError, IndexError):", "    return -x", "return x * 2"], 1, 5)


def test_the_code_after_a_return_is_such_a_branch():
    def f(a, b):
        try:
            size = len(a)
            if a[0] < 0:
                raise ArithmeticError("negative")
        except ArithmeticError:
            return None
        if len(b) != size:
            return None
        return b - a

    for a, b in ((X, X), (X, X[:2]), (-X, X)):
        expected, actual = f(a, b), ag.function(f)(a, b)
        assert (actual is None) == (expected is None)
        if expected is not None:
            np.testing.assert_array_equal(actual, expected)


def test_elsewhere_the_trace_raises():
    with pytest.raises(ValueError, match="could not be broadcast"):
        ag.function(lambda x: x + np.ones(7))(X)
