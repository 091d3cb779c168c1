"""Exceptions as control flow: raised under conditions, and caught in the same function."""

import contextlib

import numpy as np

from autograph_rs.testing import samples


class Rejected(Exception):
    """An error of the user's own, with a number."""

    def __init__(self, code):
        super().__init__("rejected")
        self.code = code


class Guard:
    """A context manager that notes what it sees and swallows every ValueError."""

    def __init__(self):
        self.level = 0

    def __enter__(self):
        self.level += 1
        return self

    def __exit__(self, kind, error, traceback):
        self.level += 10 if kind is None else 100
        return kind is ValueError


def root(x):
    if x < 0:
        raise ValueError("negative")
    return np.sqrt(x)


@samples((4.0,), (0.0,))
def caught_and_returned(x):
    try:
        if x == 0:
            raise ZeroDivisionError("zero")
        return 1 / x
    except ZeroDivisionError:
        return 0.0


@samples((4.0,), (0.0,), (-4.0,))
def handler_for_each_class(x):
    try:
        if x < 0:
            raise ValueError("negative")
        if x == 0:
            raise KeyError("zero")
        y = x * 2
    except ValueError:
        y = -1.0
    except KeyError:
        y = -2.0
    return y


@samples((4.0,), (0.0,), (-4.0,))
def handler_for_several_classes(x):
    try:
        if x < 0:
            raise ValueError("negative", 3)
        if x == 0:
            raise KeyError("zero")
        y = x * 2
    except (ValueError, KeyError) as error:
        y = float(len(error.args))
    return y


@samples((4.0,), (-4.0,))
def number_in_the_arguments(x):
    try:
        if x < 0:
            raise ValueError("negative", x)
        y = x
    except ValueError as error:
        y = -error.args[1]
    return y


@samples((4.0,), (-4.0,))
def attribute_of_the_error(x):
    try:
        if x < 0:
            raise Rejected(x * 2)
        y = x
    except Rejected as error:
        y = error.code + 1
    return y


@samples((4.0,), (0.0,), (-4.0,))
def no_handler_for_it(x):
    try:
        if x < 0:
            raise ValueError("negative")
        if x == 0:
            raise KeyError("zero")
        y = x * 2
    except ValueError:
        y = -1.0
    return y


@samples((4.0,), (-4.0,))
def raised_again(x):
    steps = 0
    try:
        try:
            if x < 0:
                raise ValueError("negative")
            steps += 1
        except ValueError:
            steps += 10
            raise
        finally:
            steps += 100
    except ValueError:
        steps += 1000
    return steps


@samples((4.0,), (-4.0,))
def raised_from_another(x):
    try:
        if x < 0:
            raise ValueError("negative")
    except ValueError as error:
        raise RuntimeError("no root") from error
    return x


@samples((4.0,), (0.0,), (-4.0,))
def else_and_finally(x):
    y = 0.0
    try:
        if x < 0:
            raise ValueError("negative")
    except ValueError:
        y += 1
    else:
        y += 10
        if x == 0:
            raise ValueError("raised in else")
    finally:
        y += 100
    return y


@samples((4.0,), (-4.0,))
def failed_assertion(x):
    try:
        assert x > 0, "positive"
        y = x
    except AssertionError:
        y = 0.0
    return y


@samples((4.0,), (-4.0,))
def every_path_raises(x):
    try:
        if x < 0:
            raise ValueError("negative")
        else:
            raise KeyError("positive")
    except ValueError:
        y = 1.0
    except KeyError:
        y = 2.0
    return y


@samples((np.array([4.0, -1.0, 9.0]),), (np.array([4.0, 1.0]),))
def raised_in_called_function(xs):
    total = 0.0
    for x in xs:
        try:
            total += root(x)
        except ValueError:
            total -= 1
    return total


@samples((np.array([4.0, -1.0, 9.0]),), (np.array([4.0, 1.0]),))
def out_of_a_loop(xs):
    count, total = 0, 0.0
    try:
        for x in xs:
            count += 1
            total += root(x)
    except ValueError:
        total = -total
    return count, total


@samples((np.array([4.0, -1.0, 9.0]),), (np.array([4.0, 1.0]),))
def out_of_two_loops(xs):
    count = 0
    try:
        for x in xs:
            for k in range(3):
                count += 1
                root(x + k)
    except ValueError:
        return -count
    return count


@samples((np.array([4.0, -1.0, 9.0]),), (np.array([4.0, 1.0]),))
def handler_breaks(xs):
    total = 0.0
    for x in xs:
        try:
            y = root(x)
        except ValueError:
            break
        total += y
    return total


@samples((np.array([4.0, -1.0, 9.0]),), (np.array([4.0, 1.0]),))
def handler_continues(xs):
    total = 0.0
    for x in xs:
        try:
            y = root(x)
        except ValueError:
            continue
        total += y
    return total


@samples((8.0,), (0.01,))
def tried_again(x):
    tries = 0
    while True:
        try:
            tries += 1
            if x > 0.1:
                raise ArithmeticError("too large")
            return x, tries
        except ArithmeticError:
            x = x / 2


@samples((np.array([4.0, -1.0, 9.0]),), (np.array([4.0, 1.0]),))
def written_and_corrected(xs):
    ys = np.zeros(3)
    bad = 0
    for i in range(len(xs)):
        try:
            ys[i] = root(xs[i])
        except ValueError:
            ys[i] = -1.0
            bad += 1
    return ys, bad


@samples((4.0,), (-4.0,))
def suppressed(x):
    y = 0.0
    with contextlib.suppress(ValueError, KeyError):
        y = 1.0
        if x < 0:
            raise ValueError("negative")
        y = 2.0
    return y


@samples((np.array([4.0, -1.0, 9.0]),), (np.array([4.0, 1.0]),))
def suppressed_around_a_loop(xs):
    total = 0.0
    with contextlib.suppress(ValueError):
        for x in xs:
            total += root(x)
    return total


@samples((4.0,), (0.0,), (-4.0,))
def exit_method_that_sees_it(x):
    with Guard() as guard:
        if x < 0:
            raise ValueError("negative")
        if x == 0:
            raise KeyError("zero")
        guard.level += 1000
    return guard.level


@samples((4.0,), (-4.0,))
def error_of_another_kind_of_function(x):
    def checked(value):
        if value < 0:
            raise ValueError("negative")
        return value + 1

    def twice(value):
        return checked(checked(value))

    try:
        y = twice(x)
    except ValueError:
        y = -1.0
    return y


@samples((4.0,), (-4.0,))
def raised_in_a_conditional_expression(x):
    try:
        y = root(x) if x < 5 else 3.0
    except ValueError:
        y = -7.0
    return y


@samples((4.0,), (-4.0,))
def staged_condition_in_a_handler(x):
    try:
        try:
            if x != 0:
                raise ValueError("not zero")
            y = 1.0
        except ValueError:
            if x < 0:
                raise KeyError("negative") from None
            y = 2.0
    except KeyError:
        y = 3.0
    return y


@samples((np.array([1.0, 2.0, 3.0]), 1), (np.array([1.0, 2.0, 3.0]), 5))
def index_out_of_bounds(xs, i):
    try:
        y = xs[i]
    except IndexError:
        y = -1.0
    return y


@samples((np.array([1.0, 2.0, 3.0]), 1), (np.array([1.0, 2.0, 3.0]), 5))
def write_out_of_bounds(xs, i):
    ys = xs * 2
    with contextlib.suppress(IndexError):
        ys[i] = 0.0
    return ys
