"""Exceptions as control flow on the embedded graph: of operations, and what is refused."""

from __future__ import annotations

import contextlib
import math
import re
from typing import Any

import numpy as np
import pytest

import autograph_rs as ag


def divided(n):
    try:
        return 12 / int(n)
    except ZeroDivisionError:
        return 0.0


def square_root(x):
    try:
        return math.sqrt(x)
    except ValueError:
        return -1.0


def whole_number(x):
    try:
        return int(x)
    except (OverflowError, ValueError):
        return -1


def inverse(a):
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return a


def item_of_a_list(i):
    numbers = [1.0, 2.0]
    try:
        return numbers[i]
    except LookupError:
        return 0.0


def collected(xs):
    good, bad = [], []
    for x in xs:
        try:
            good.append(1 / checked(x))
        except ValueError:
            bad.append(x)
    return good, bad


def checked(x):
    if x < 0:
        raise ValueError("negative")
    return x + 1


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (divided, np.int64(4)),
        (divided, np.int64(0)),
        (square_root, np.float64(4)),
        (square_root, np.float64(-4)),
        (whole_number, np.float64(2.5)),
        (whole_number, np.float64("inf")),
        (whole_number, np.float64("nan")),
        (inverse, np.eye(2)),
        (inverse, np.ones((2, 2))),
        (item_of_a_list, np.int64(-1)),
        (item_of_a_list, np.int64(2)),
        (collected, np.array([1.0, -2.0, 3.0])),
    ],
)
def test_as_in_python(function: Any, argument: Any):
    np.testing.assert_equal(ag.function(function)(argument), function(argument))


def test_text_of_an_error_is_that_of_python(capsys: pytest.CaptureFixture[str]):
    @ag.function
    def f(xs, i):
        try:
            y = xs[i]
        except IndexError as error:
            print(error, f"<{error}>", str(error) == "")
            y = 0.0
        return y

    f(np.ones(3), np.int64(5))
    text = "index 5 is out of bounds for axis 0 with size 3"
    assert capsys.readouterr().out == f"{text} <{text}> False\n"


def test_uncaught_error_has_its_line_and_chain():
    @ag.function
    def f(x):
        try:
            if x < 0:
                raise KeyError("k", 3)
        except KeyError as error:
            raise RuntimeError("bad") from error
        return x

    with pytest.raises(RuntimeError, match="bad") as caught:
        f(np.float64(-1))
    assert caught.traceback[-1].name == "f"
    assert repr(caught.value.__cause__) == repr(KeyError("k", 3))


def test_gradient():
    def f(xs):
        total = 0.0
        for x in xs:
            try:
                total += checked(x) ** 2
            except ValueError:
                total -= x
        return total

    np.testing.assert_allclose(ag.grad(f)(np.array([1.0, -2.0])), [4.0, -1.0])


def test_too_many_in_a_row_are_refused():
    numbers = list(range(50))

    @ag.function
    def f(x):
        total = 0.0
        try:
            for n in numbers:
                if x > n * 100:
                    raise ValueError
                total += n
        except ValueError:
            total = -1.0
        return total

    with pytest.raises(ag.RaiseInTryError, match="more than 40 statements"):
        f(np.float64(-1))


def test_repr_of_an_error_is_refused():
    @ag.function
    def f(x):
        try:
            if x < 0:
                raise ValueError(x)
        except ValueError as error:
            return repr(error)
        return ""

    with pytest.raises(ag.ValueNeededError):
        f(np.float64(-1))


def last_of_empty(x):
    stack = []
    if x > 10:
        return stack[-1]
    return -1.0


def pushed_and_popped(xs):
    stack, total = [], 0.0
    for x in xs:
        if x > 2:
            stack.append(x)
        elif x < 0:
            total += stack.pop()
    return total


def missing_key(x):
    table = {"a": 1.0}
    return table["b"] if x > 10 else table["a"]


def divided_by_zero(x):
    count = 0
    if x > 10:
        return 1 / count
    return 0.5


@pytest.mark.parametrize(
    ("function", "fine", "fails"),
    [
        (last_of_empty, np.float64(1.0), np.float64(11.0)),
        (pushed_and_popped, np.array([3.0, -1.0]), np.array([-1.0, 3.0])),
        (missing_key, np.float64(1.0), np.float64(11.0)),
        (divided_by_zero, np.float64(1.0), np.float64(11.0)),
    ],
)
def test_an_operation_on_plain_values_raises_only_where_it_runs(function, fine, fails):
    """What an operation raises in a branch is raised when the graph takes that branch."""
    staged = ag.function(function)
    assert staged(fine) == function(fine)
    with pytest.raises((LookupError, ArithmeticError)) as plain:
        function(fails)
    with pytest.raises(plain.type, match=re.escape(str(plain.value))):
        staged(fails)


def caught_in_a_try(xs):
    y = 0.0
    try:
        for x in xs:
            y = {} if x > 0 else 1.0
    except Exception:
        y = 2.0
    return y


def caught_by_suppress(xs):
    y = 0.0
    with contextlib.suppress(Exception):
        for x in xs:
            y = {} if x > 0 else 1.0
    return y


def caught_in_a_helper(x):
    return 1.0 + caught_in_a_try(x)


def caught_twice(x):
    try:
        return caught_in_a_try(x)
    except ValueError:
        return 1.0
    except Exception:
        return 2.0


def caught_in_a_loop(x):
    total = 0.0
    for i in range(3):
        try:
            total += hash(x[0]) * i
        except TypeError:
            total += 1.0
    return total


def caught_by_everything(x):
    y = 0.0
    try:
        if x[0] > 0:
            y = {}
    except:  # noqa: E722
        y = 2.0
    return y


@pytest.mark.parametrize(
    "f",
    [
        caught_in_a_try, caught_by_suppress, caught_in_a_helper, caught_twice, caught_in_a_loop,
        caught_by_everything,
    ],
)  # fmt: skip
def test_a_handler_does_not_hide_what_cannot_be_staged(f: Any):
    with pytest.raises(ag.StagingError):
        ag.function(f)(np.array([1.0]))


def test_a_handler_that_names_the_error_gets_it():
    def f(xs):
        y = 0.0
        try:
            for x in xs:
                y = {} if x > 0 else 1.0
        except ag.MismatchError:
            return 5.0
        return y

    assert ag.function(f)(np.array([1.0])) == 5.0


def assigned_in_the_second_operand_of_and(k):
    i = 0
    try:
        if k > 1 and (i := 5) > 9:
            i = 7
    except ValueError:
        pass
    return i


def assigned_in_the_second_operand_of_or(k):
    i = 0
    try:
        found = k > 1 or (i := 5) > 1
    except ValueError:
        found = False
    return i, found


def captured_before_a_guard(k):
    i = 0
    try:
        match k:
            case 2 as i if i > 7:
                return -1
    except ValueError:
        pass
    return i


@pytest.mark.parametrize(
    "f",
    [
        assigned_in_the_second_operand_of_and,
        assigned_in_the_second_operand_of_or,
        captured_before_a_guard,
    ],
)
@pytest.mark.parametrize("k", [1, 2])
def test_an_operand_that_does_not_run_assigns_nothing(f: Any, k: int):
    """The value that the operand has is plain, but whether it runs is known only when the graph runs."""
    assert ag.function(f)(np.int64(k)) == f(np.int64(k))
