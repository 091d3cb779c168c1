"""`try`, `except`, `else`, `finally` and `with` around control flow, and inside it."""

import contextlib

import numpy as np

from autograph_rs.testing import samples


@contextlib.contextmanager
def noted(notes, name):
    """Write to `notes` when the block begins and when it ends."""
    notes.append("+" + name)
    try:
        yield name
    finally:
        notes.append("-" + name)


class Suppress:
    """A context manager that swallows every ValueError."""

    def __enter__(self):
        return 5

    def __exit__(self, kind, error, traceback):
        return kind is ValueError


@samples((3,), (-3,))
def if_in_try(x):
    try:
        if x > 0:
            y = x * 2
        else:
            y = -x
    except ValueError:
        y = 0
    return y


@samples((3,), (-3,))
def if_in_every_part(x):
    y = 0
    try:
        if x > 0:
            y += 1
    except ValueError:
        y = 1000
    else:
        if x < 0:
            y += 10
    finally:
        if x != 0:
            y += 100
    return y


@samples((4,), (0,))
def loop_in_try(n):
    total = 0
    try:
        for i in range(n):
            total += i
        while total > 3:
            total -= 3
    finally:
        total = total * 10
    return total


@samples((np.array([1, -2, 3]),), (np.array([1, 2, 3]),))
def try_in_loop(xs):
    total = 0
    for x in xs:
        try:
            if x < 0:
                continue
            total += x
        finally:
            total += 100
    return total


@samples((np.array([1, -2, 3]),), (np.array([1, 2, 3]),))
def break_in_try(xs):
    total = 0
    for x in xs:
        try:
            if x < 0:
                break
        except KeyError:
            total = -1
        else:
            total += x
    return total


@samples((3,), (-3,))
def caught_in_branch(x):
    try:
        if x < 0:
            raise ValueError("negative")
        y = x
    except ValueError as error:
        y = len(str(error))
    return y


@samples((2,), (0,), ("a",), ([],), staged=())
def several_handlers(x):
    """Plain only: the kind of error depends on the Python type."""
    try:
        y = 10 // x
    except ZeroDivisionError:
        return "zero"
    except (TypeError, ValueError) as error:
        return str(error)
    else:
        return y
    finally:
        print("done")


@samples((2,), (0,), staged=())
def name_of_error_is_deleted(x):
    """Plain only: the error is raised by Python's own division."""
    error = "none"
    try:
        x = 1 / x
    except ZeroDivisionError as error:
        print(error)
    return error


@samples(([4, 0, 2, "x"],), ([],), staged=())
def errors_in_loop(items):
    """Plain only: errors of Python's own operations are caught while the loop goes on."""
    good, bad = [], 0
    for item in items:
        try:
            good.append(8 // item)
        except ZeroDivisionError:
            bad += 1
            continue
        except TypeError:
            bad += 10
            break
        print("ok", item)
    else:
        print("all")
    return good, bad


@samples((3,), (0,), staged=())
def nested_try(x):
    """Plain only: the order of prints is Python's own."""
    try:
        try:
            print("inner")
            y = 6 // x
        except KeyError:
            print("not this")
        finally:
            print("inner finally")
    except ZeroDivisionError:
        y = -1
        print("outer")
    return y


@samples((3,), (-3,))
def in_with(x):
    notes = []
    with noted(notes, "a"), noted(notes, "b") as name:
        if x > 0:
            x = x * 2
    return x, notes, name


@samples((3,), (0,))
def loop_in_with(n):
    total = 0
    with contextlib.nullcontext(10) as start:
        total = start
        while n > 0:
            total += n
            n -= 1
    return total


@samples((3,), (-3,))
def with_in_branch(x):
    notes = []
    if x > 0:
        with noted(notes, "up"):
            y = x + 1
    else:
        with noted(notes, "down"):
            y = x - 1
    return y


@samples((3,), (-3,))
def with_that_suppresses(x):
    y = 0
    with Suppress() as five:
        if x < 0:
            raise ValueError("gone")
        y = five
    return y


@samples((4,), (1,))
def break_out_of_with(n):
    notes = []
    i = 0
    for i in [1, 2, 3]:
        with noted(notes, str(i)):
            if i == 2:
                break
            n = n * 2
    return n, i, notes


@samples((np.array([1.0, 0.0]),), (np.array([1.0, 2.0]),))
def in_errstate(xs):
    with np.errstate(divide="ignore"):
        ys = 1 / xs
        if ys.max() > 10:
            ys = np.where(ys > 10, 0.0, ys)
    return ys


@samples((1,), (0,), staged=())
def else_is_not_guarded(x):
    """Plain only: an error in `else` is not caught by the handlers beside it."""
    try:
        y = x
    except ZeroDivisionError:
        y = "caught"
    else:
        y = 1 // x
    return y


@samples((5,), (0,), staged=())
def exception_group(x):
    """Plain only: `except*` handles groups that Python raises."""
    caught = []
    try:
        if x:
            raise ExceptionGroup("both", [ValueError(x), KeyError(x)])
    except* ValueError as group:
        caught.append(len(group.exceptions))
    except* KeyError:
        caught.append("key")
    return caught


@samples((3,), (0,), staged=())
def finally_with_continue_of_loop(n):
    """Plain only: the order of prints is Python's own."""
    for i in range(n):
        try:
            if i == 1:
                continue
            print("body", i)
        finally:
            print("finally", i)
    return n
