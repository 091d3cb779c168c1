"""Jumps that meet `try`, `finally`, `with` and `else`."""

import contextlib
import sys

from autograph_rs.testing import samples


@contextlib.contextmanager
def failing_exit(error):
    """A context manager whose end raises."""
    yield
    raise error


class Manager:
    """Says when it is entered and left, and swallows what it is told to."""

    def __init__(self, swallowed=()):
        self.swallowed = swallowed

    def __enter__(self):
        print("enter")
        return 1, 2

    def __exit__(self, kind, error, traceback):
        print("exit", kind and kind.__name__)
        return kind is not None and issubclass(kind, self.swallowed)


@samples((3,), (0,))
def return_undone_by_exit(n):
    for i in range(n):
        try:
            with failing_exit(ValueError("exit")):
                return i
        except ValueError:
            pass
    return "end"


@samples((3,), (0,))
def return_undone_by_finally(n):
    for i in range(n):
        try:
            try:
                return i
            finally:
                raise KeyError(i)
        except KeyError:
            pass
    return "end"


@samples((3,))
def return_in_if_undone(n):
    try:
        if n > 0:
            with failing_exit(ValueError("exit")):
                return n
    except ValueError:
        n += 1
    return "end", n


@samples((3,))
def break_undone(n):
    seen = []
    for i in range(n):
        try:
            try:
                if i == 1:
                    break
            finally:
                if i == 1:
                    raise KeyError(i)
        except KeyError:
            pass
        seen.append(i)
    else:
        seen.append("else")
    return seen


@samples((3,))
def continue_undone(n):
    seen = []
    for i in range(n):
        try:
            with contextlib.ExitStack() as stack:
                if i == 1:
                    stack.callback(int, "no number")
                    continue
        except ValueError:
            seen.append("caught")
        seen.append(i)
    return seen


@samples((3,))
def return_overtaken_by_another(n):
    for i in range(n):
        try:
            try:
                return i
            finally:
                int("no number")
        except ValueError:
            if i == 1:
                return "second"
    return "end"


@samples((6,), (1,), (0,))
def every_part_of_a_try_jumps(n):
    out = []
    for i in range(n):
        try:
            if i == 0:
                continue
            if i == 4:
                break
            if i == 2:
                raise ValueError(i)
        except ValueError as e:
            out.append(("except", str(e)))
            continue
        else:
            out.append(("else", i))
            if i == 3:
                continue
        finally:
            out.append(("finally", i))
        out.append(("end", i))
    else:
        out.append("no break")
    return out


@samples((0,), (1,), (3,), (5,))
def nested_loops_with_else(n):
    out = []
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            if j == 1:
                continue
            out.append((i, j))
        else:
            out.append("else")
            continue
        while i < 2:
            i += 1
            if i == 2:
                break
        else:
            if i > 1:
                break
            out.append("while else")
    else:
        out.append("done")
    return out


@samples((0,), (2,), (5,))
def return_in_with_in_loop_in_try(n):
    try:
        for i in range(n):
            with contextlib.suppress(ValueError):
                if i == 1:
                    raise ValueError
                if i == 2:
                    return i
                print(i)
    finally:
        print("finally")
    print("tail")


@samples((3,), (0,))
def jumps_in_finally(n):
    for i in range(n):
        try:
            return i
        finally:
            if i < 2:
                continue
            break
    return "out"


@samples((3,), (0,))
def return_in_finally(n):
    try:
        if n:
            raise ValueError
    finally:
        return 5


@samples((0,), (3,))
def break_through_two_finallys(n):
    while True:
        try:
            try:
                if n > 2:
                    break
            finally:
                n += 1
                print(n)
        finally:
            print("outer", n)
    return n


@samples((0,), (1,))
def swallowed_in_nested_withs(n):
    with Manager(ValueError) as (a, b), Manager() as [c, *d]:
        if n == 0:
            raise ValueError
        if n == 1:
            return "returned", a
    return a, b, c, d


@samples((4,))
def loop_closed_in_time(n):
    def items():
        try:
            yield from range(n)
        finally:
            print("closed")

    for i in items():
        if i > 0:
            break
    print("after break")
    try:
        for i in items():
            if i > 0:
                raise ValueError(i)
    except ValueError:
        print("handler")


@samples((1,))
def chains_of_errors(n):
    try:
        try:
            if n > 0:
                raise ValueError("a")
        except ValueError as e:
            if n > 0:
                raise KeyError("b") from e
    except KeyError:
        try:
            if n > 0:
                raise
        finally:
            if n > 0:
                raise RuntimeError("c")


@samples((1,))
def chain_suppressed(n):
    try:
        return 1 / 0
    except ZeroDivisionError:
        for i in range(n):
            if i == 0:
                raise ValueError("no context") from None


@samples((1,), (0,))
def bare_raise(n):
    try:
        return 1 // n
    except ZeroDivisionError:
        if n == 0:
            print(sys.exc_info()[0])
            raise
    if n > 0:
        raise


@samples((0,))
def exception_groups(n):
    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
    except* ValueError as e:
        if e.exceptions:
            print(e.exceptions)
    except* TypeError:
        for i in range(2):
            if i:
                print("t")
            else:
                continue
        else:
            print("else")


@samples((3,))
def stop_iteration_from_a_body(n):
    for i in range(n):
        if i == 1:
            next(iter([]))


@samples((3,))
def stop_iteration_in_a_generator(n):
    def items():
        for i in range(n):
            if i == 1:
                next(iter([]))
            yield i

    return list(items())


@samples(([1, "a", (1, 2), [3, 4, 5], {"k": 1, "z": 2}, None, True, -1, 2.5],), ([1, None],))
def match_with_jumps(values):
    for value in values:
        match value:
            case True:
                print("T")
            case -1 | 1:
                print("one")
            case None:
                print("N")
            case str() as s if s:
                print(s)
            case [a, b] | (a, b):
                if a:
                    print(a, b)
                    continue
            case [a, *r]:
                print(a, r)
            case {"k": k, **rest}:
                print(k, rest)
            case y if y > 2:
                print("y", y)
                break
            case _:
                print("?")
    else:
        print("else")
